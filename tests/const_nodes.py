#!/usr/bin/env python3
"""Nodes whose operands are all constants, in real models after a run with pack auto.

    const_nodes.py --onnxrw build/onnxrw [--shared ../shared] [--only GLOB] [-v]

None may remain, except where the operator is random, where the result would make the
file more than the limit larger, and DequantizeLinear, without which a quantised model
would be none. A quantised model gets no larger by more than the limit. The corpora are not
part of the repository: exit 77 where they are missing.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, collections, concurrent.futures, fnmatch, pathlib, subprocess, sys, tempfile

import corpora

SKIPPED = 77
RANDOM = set("RandomNormal RandomNormalLike RandomUniform RandomUniformLike Bernoulli Multinomial".split())
LIMIT = 64 << 10

try:
    import onnx
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(SKIPPED)


def bodies(node):
    for a in node.attribute:
        yield from ([a.g] if a.type == onnx.AttributeProto.GRAPH else a.graphs)


def remaining(graph, outer=frozenset()):
    """The nodes of the graph and its bodies whose operands are all constants."""
    inputs = {i.name for i in graph.input}
    known = set(outer) - inputs
    known |= {t.name for t in graph.initializer} - inputs
    known |= {n.output[0] for n in graph.node if n.op_type == "Constant"}
    for n in graph.node:
        for body in bodies(n):
            yield from remaining(body, known)
        given = [i for i in n.input if i]
        if given and all(i in known for i in given) and not any(bodies(n)):
            yield n, graph


def large(node, shapes):
    """Would the results be larger than the limit? Unknown shapes count as small."""
    return any(shapes.get(o, 0) > LIMIT for o in node.output)


def sizes(model):
    try:
        model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    except Exception:
        return {}
    found = {}
    for v in model.graph.value_info:
        t = v.type.tensor_type
        n = 4
        for d in t.shape.dim:
            n *= d.dim_value
        found[v.name] = n
    return found


def left(onnxrw, path):
    """[(operator, name, why it may stay or None)] of one model; None: it was not rewritten."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.onnx"
        done = subprocess.run([onnxrw, "-q", "-r", "auto", "--target", "onnx", "-o", out, path],
                              capture_output=True, text=True)
        if done.returncode not in (0, 1) or not out.exists():
            return None
        model = onnx.load(out, load_external_data=False)
        grows = out.stat().st_size - path.stat().st_size
    if any(n.op_type == "DequantizeLinear" for n in model.graph.node) and grows > LIMIT:
        return [("the file", f"{grows} bytes larger", None)]
    nodes = list(remaining(model.graph))
    shapes = sizes(model) if nodes else {}
    found = []
    for n, graph in nodes:
        outputs = {o.name for o in graph.output}
        why = ("random" if n.op_type in RANDOM else
               "quantised" if n.op_type == "DequantizeLinear" else
               "makes an output" if outputs & set(n.output) else
               "large" if large(n, shapes) else None)
        found.append((n.op_type, n.output[0], why))
    return found


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    corpora.add_argument(p)
    p.add_argument("--only", default="*")
    p.add_argument("-v", action="store_true", dest="verbose")
    a = p.parse_args()
    paths = [f for c in ("corpus", "corpus-other") for f in sorted((a.shared / c).glob("*.onnx"))
             if fnmatch.fnmatch(f.stem, a.only)]
    if not paths:
        print(f"no corpora in {a.shared}")
        return SKIPPED
    wrong, refused, kept = 0, 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, found in zip(paths, pool.map(lambda f: left(a.onnxrw, f), paths)):
            refused += found is None
            for op, name, why in found or []:
                kept[op, why] += 1
                wrong += why is None
                if why is None or a.verbose:
                    print(f"{path.name}: {op} {name}: {why or 'constant'}")
    for (op, why), n in sorted(kept.items(), key=str):
        print(f"{n} {op}: {why or 'WRONG'}")
    print(f"{len(paths)} models, {refused} not rewritten, {wrong} nodes of constants remain")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
