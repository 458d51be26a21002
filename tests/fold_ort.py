#!/usr/bin/env python3
"""Constants whose operators onnxrw cannot compute, by ONNX Runtime where it is there.

    fold_ort.py --onnxrw build/onnxrw [-v]

The node tests of the onnx package about operators that the evaluator has not (those of
tests/eval_backend.py), with constants for inputs, many in a model. What the runtime computes
must be folded, to its very bits; what it cannot, what is random, and what makes no tensor must
stay. Without a runtime, and with --fold-ort=off, all stays; and no runtime is started where there
is nothing to ask. Exit 77: wheels are missing.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import glob
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    import onnx
    import onnxruntime as ort
    from onnx import TensorProto as T, helper as h, numpy_helper
    import unoptimised
    from eval_backend import OPS, as_tensor
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(77)

# Not asked: random, or (the last) not the same each time.
RANDOM = set("Bernoulli Dropout Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike".split())
MANY = 60  # tests in a model
failures = []


def check(name, ok, why=""):
    if not ok:
        failures.append(name)
        print(f"fold_ort: {name}: {why}", file=sys.stderr)


def library():
    found = glob.glob(os.path.join(os.path.dirname(ort.__file__), "capi", "libonnxruntime.so.*"))
    return ["--ort", found[0]] if found else []


def cases():
    """(name, opset, node, inputs) of the tests that are about operators not in OPS."""
    from onnx.backend.test.case.node import collect_testcases
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collected = collect_testcases(None)
    for case in collected:
        graph, imports = case.model.graph, {o.domain: o.version for o in case.model.opset_import}
        if len(graph.node) != 1 or graph.node[0].domain or graph.node[0].op_type in OPS or "" not in imports:
            continue
        node = graph.node[0]
        if any(a.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for a in node.attribute):
            continue
        named = [as_tensor(v, i.name) for v, i in zip(case.data_sets[0][0], graph.input)]
        tensors = all(o.type.HasField("tensor_type") for o in graph.output)
        if node.input and None not in named and tensors:
            yield case.name, imports[""], node, named


def runs(opset, node, inits):
    """What the runtime makes of the node: name -> array; None: nothing."""
    outputs = [h.ValueInfoProto(name=o) for o in node.output if o]
    m = h.make_model(h.make_graph([node], "g", [], outputs, inits), ir_version=8, opset_imports=[h.make_opsetid("", opset)])
    try:
        got = unoptimised.session(m).run(None, {})
    except Exception:  # whatever it says: it cannot
        return None
    found = dict(zip((o.name for o in outputs), got))
    return found if all(isinstance(a, np.ndarray) for a in got) else None


def join(tests, opset):
    """One model of all of them; each result is put into a shape that is an input, of 9 axes: no view of
    what has fewer, which rules would take away."""
    nodes, inits, outputs = [], [], []
    for i, (_, _, node, named) in enumerate(tests):
        n = onnx.NodeProto()
        n.CopyFrom(node)
        n.name = f"n{i}"
        n.input[:] = [x and f"p{i}_{x}" for x in node.input]
        n.output[:] = [x and f"p{i}_{x}" for x in node.output]
        for t in named:
            t = onnx.TensorProto.FromString(t.SerializeToString())
            t.name = f"p{i}_{t.name}"
            inits.append(t)
        nodes.append(n)
        for x in filter(None, n.output):
            nodes.append(h.make_node("Reshape", [x, "shape"], [f"y_{x}"]))
            outputs.append(h.make_tensor_value_info(f"y_{x}", T.UNDEFINED, None))
    for o in outputs:
        o.ClearField("type")
    graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("shape", T.INT64, (9,))], outputs, inits)
    return h.make_model(graph, ir_version=10, opset_imports=[h.make_opsetid("", opset)])


def results(path):
    """What the reshaped values are: name -> constant."""
    if not os.path.exists(path):
        return {}
    graph = onnx.load(path).graph
    made = {t.name: t for t in graph.initializer}
    return {n.output[0][2:]: made[n.input[0]] for n in graph.node
            if n.op_type == "Reshape" and n.input[0] in made}


def same(a, t):
    b = numpy_helper.to_array(t)
    if a.dtype == object or b.dtype == object:
        return a.shape == b.shape and all(str(x) == (y.decode() if isinstance(y, bytes) else str(y))
                                          for x, y in zip(a.ravel(), b.ravel()))
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def run(tool, args, path, out):
    done = subprocess.run([tool, "-r", "auto", "--target", "onnx", "--keep-opset", "--fold-limit=1G", *args, "-o", out, path],
                          capture_output=True, text=True, timeout=120)
    check(path, done.returncode == 0, done.stderr[-500:])
    return done.stdout


def node_tests(tool, folder, verbose):
    groups, folded, left = collections.defaultdict(list), collections.Counter(), collections.Counter()
    for t in cases():
        groups[t[1]].append(t)
    for opset, tests in sorted(groups.items()):
        for part in (tests[i:i + MANY] for i in range(0, len(tests), MANY)):
            path, out = os.path.join(folder, "in.onnx"), os.path.join(folder, "out.onnx")
            with open(path, "wb") as f:
                f.write(join(part, opset).SerializeToString())
            run(tool, library(), path, out)
            made = results(out)
            for i, (name, _, node, named) in enumerate(part):
                if any(t.data_type == T.BFLOAT16 for t in named):  # numpy has it not
                    continue
                wanted = None if node.op_type in RANDOM else runs(opset, node, named)
                got = {x: made.get(f"p{i}_{x}") for x in node.output if x}
                if wanted is None:
                    left[node.op_type] += 1
                    taken_out = node.op_type == "Dropout"  # by a rule: it passes its operand on
                    check(name, taken_out or not any(got.values()), "folded, and the runtime does not compute it")
                    continue
                ok = all(got[x] is not None and same(a, got[x]) for x, a in wanted.items())
                folded[node.op_type] += 1
                check(name, ok, "not folded" if not all(got.values()) else "other values")
    print(f"{sum(folded.values())} node tests of {len(folded)} operators folded by the runtime, "
          f"{sum(left.values())} left")
    if verbose:
        print("folded:", " ".join(f"{k}:{n}" for k, n in sorted(folded.items())))
        print("left:", " ".join(f"{k}:{n}" for k, n in sorted(left.items())))
    check("node tests", len(folded) > 30, f"only {sorted(folded)}")


def conv(folder):
    rng = np.random.default_rng(5)
    inits = [numpy_helper.from_array(rng.standard_normal(s, np.float32), n)
             for n, s in (("a", (1, 2, 5, 5)), ("k", (3, 2, 3, 3)))]
    nodes = [h.make_node("Conv", ["a", "k"], ["c"], pads=[1, 1, 1, 1]), h.make_node("Mul", ["x", "c"], ["y"])]
    graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("x", T.FLOAT, ())],
                         [h.make_tensor_value_info("y", T.FLOAT, (1, 3, 5, 5))], inits)
    path = os.path.join(folder, "conv.onnx")
    onnx.save(h.make_model(graph, ir_version=9, opset_imports=[h.make_opsetid("", 17)]), path)
    return path


def operators(path):
    return [n.op_type for n in onnx.load(path).graph.node]


def without_a_runtime(tool, folder):
    path, out = conv(folder), os.path.join(folder, "out.onnx")
    text = run(tool, library(), path, out)
    check("with one", operators(out) == ["Mul"] and "1 node over constants computed by ONNX Runtime" in text, text)
    text = run(tool, ["--ort", "/nowhere/libonnxruntime.so"], path, out)
    check("nowhere", operators(out) == ["Conv", "Mul"] and "is not there to compute them" in text, text)
    text = run(tool, [*library(), "--fold-ort=off"], path, out)
    check("off", operators(out) == ["Conv", "Mul"] and "constants" not in text, text)
    text = run(tool, [*library(), "--fold-limit=100"], path, out)  # 300 bytes made, 416 freed
    check("smaller", operators(out) == ["Mul"], text)


def is_no_runtime(folder):
    """A library that, loaded, writes a file; where a compiler is."""
    source, library = os.path.join(folder, "fake.c"), os.path.join(folder, "libfake.so")
    with open(source, "w", encoding="utf-8") as f:
        f.write('#include <stdio.h>\n__attribute__((constructor)) static void loaded(void) {\n'
                f'    fclose(fopen("{folder}/loaded", "w"));\n}}\n')
    done = subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], capture_output=True)
    return library if done.returncode == 0 else None


def only_when_needed(tool, folder):
    fake, out = is_no_runtime(folder), os.path.join(folder, "out.onnx")
    if not fake:
        return
    w = numpy_helper.from_array(np.ones((2, 2), np.float32), "w")
    nodes = [h.make_node("Exp", ["w"], ["e"]), h.make_node("MatMul", ["x", "e"], ["c"]),
             h.make_node("Conv", ["i", "k"], ["z"]), h.make_node("RandomNormalLike", ["w"], ["r"]),
             h.make_node("Add", ["c", "r"], ["y"])]
    k = numpy_helper.from_array(np.ones((1, 1, 1, 1), np.float32), "k")
    graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("x", T.FLOAT, (2, 2)),
                                      h.make_tensor_value_info("i", T.FLOAT, (1, 1, 4, 4))],
                         [h.make_tensor_value_info("y", T.FLOAT, (2, 2)),
                          h.make_tensor_value_info("z", T.FLOAT, (1, 1, 4, 4))], [w, k])
    path = os.path.join(folder, "in.onnx")
    onnx.save(h.make_model(graph, ir_version=9, opset_imports=[h.make_opsetid("", 17)]), path)
    run(tool, ["--ort", fake], path, out)
    check("nothing to ask", not os.path.exists(os.path.join(folder, "loaded")), "the runtime was loaded")
    run(tool, ["--ort", fake], conv(folder), out)
    check("something to ask", os.path.exists(os.path.join(folder, "loaded")), "the runtime was not loaded")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--onnxrw", required=True)
    ap.add_argument("-v", action="store_true", dest="verbose")
    a = ap.parse_args()
    for case in (lambda t, f: node_tests(t, f, a.verbose), without_a_runtime, only_when_needed):
        with tempfile.TemporaryDirectory() as folder:
            case(a.onnxrw, folder)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
