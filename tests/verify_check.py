#!/usr/bin/env python3
"""Models with one fault each: the verifier must judge them as onnx.checker or ONNX Runtime.

    verify_check.py TOOL [COUNT [SEED [FOLDER...]]]

TOOL is the built tests/tools/verify. A model that it refuses, one of the two refuses too; one
that it lets pass, one of the two takes. The faults are drawn from a fixed seed. Then the
models themselves, all of which must pass.

SPDX-License-Identifier: Apache-2.0
"""
import copy
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import numpy
    import onnx
    import onnxruntime
    from onnx import helper as h
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
OPERATORS = sorted({s.name for s in onnx.defs.get_all_schemas() if not s.domain})
VALUES = [1, 1.5, "s", [1, 2], [1.5]]
OPSETS = [5, 6, 7, 9, 11, 12, 13, 14, 15, 17, 18, 20, 21, 22, 23, 25]


# --- faults -----------------------------------------------------------------------------

def graphs(graph):
    yield graph
    for node in graph.node:
        for a in node.attribute:
            if a.type == onnx.AttributeProto.GRAPH:
                yield from graphs(a.g)


def some_attribute(node, draw):
    return draw.choice(node.attribute) if node.attribute else None


def drop_attribute(model, node, draw):
    if node.attribute:
        del node.attribute[draw.randrange(len(node.attribute))]


def other_attribute(model, node, draw):
    a = some_attribute(node, draw)
    if a:
        a.CopyFrom(h.make_attribute(a.name, draw.choice(VALUES)))


def rename_attribute(model, node, draw):
    a = some_attribute(node, draw)
    if a:
        a.name += "x"


def repeat_attribute(model, node, draw):
    if node.attribute:
        node.attribute.append(copy.deepcopy(node.attribute[0]))


def empty_operand(model, node, draw):
    if node.input:
        node.input[draw.randrange(len(node.input))] = ""


def more_operands(model, node, draw):
    if node.input:
        node.input.append(node.input[0])


def fewer_operands(model, node, draw):
    if node.input:
        del node.input[-1]


def more_outputs(model, node, draw):
    node.output.append("one_more_output")


def other_operator(model, node, draw):
    node.op_type = draw.choice(OPERATORS)


def other_opset(model, node, draw):
    for o in model.opset_import:
        if not o.domain:
            o.version = draw.choice(OPSETS)


def no_import(model, node, draw):
    del model.opset_import[draw.randrange(len(model.opset_import))]


FAULTS = [drop_attribute, other_attribute, rename_attribute, repeat_attribute, empty_operand,
          more_operands, fewer_operands, more_outputs, other_operator, other_opset, no_import]


def faulty(model, draw):
    """A copy with one fault, and its name."""
    model = copy.deepcopy(model)
    graph = draw.choice([g for g in graphs(model.graph) if g.node])
    fault = draw.choice(FAULTS)
    node = draw.choice(graph.node)
    fault(model, node, draw)
    return model, f"{fault.__name__} {node.op_type} {node.output[0]!r}"


# --- judges -----------------------------------------------------------------------------

def checker_takes(model):
    try:
        onnx.checker.check_model(model)
        return True
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError):
        return False


def runtime_takes(path, inputs=None):
    """Does ONNX Runtime load the model, and run it on the inputs, if there are?"""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(path, options,
                                               providers=["CPUExecutionProvider"])
        if inputs:
            session.run(None, inputs)
        return True
    except Exception:  # the runtime has a class of exception for each status
        return False


def inputs_of(source):
    """What stands beside a model to run it on: MODEL.npz, keys `in:NAME`."""
    path = os.path.splitext(source)[0] + ".npz"
    if not os.path.exists(path):
        return None
    data = numpy.load(path)
    return {k[3:]: v.astype(object) if v.dtype.kind == "U" else v
            for k, v in data.items() if k.startswith("in:")}


def verdicts(tool, paths):
    """path -> (does it pass, diagnostics)."""
    run = subprocess.run([tool, *paths], capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        print(run.stderr[-2000:])
        sys.exit(1)
    found = {}
    for line in run.stdout.splitlines():
        head = re.match(r"(\d) (.*)", line)
        if head:
            said = []
            found[head[2]] = head[1] == "0", said
        else:
            said.append(line.strip())
    return found


def judge(path, source, fault, passes, said):
    """Checker or runtime must agree; a model that only fails when it runs may be refused."""
    if passes and any("the import is added" in s for s in said):
        return True  # mended, and said
    if checker_takes(onnx.load(path)) == passes:
        return True
    if runtime_takes(path, None if passes else inputs_of(source)) == passes:
        return True
    print(f"{os.path.basename(source)}: {fault}: {'passes' if passes else 'is refused'}, but "
          f"checker and runtime {'refuse' if passes else 'take'} it")
    print("\n".join("    " + s for s in said[:3]))
    return False


def main():
    tool = sys.argv[1]
    count, seed = (int(x) for x in (sys.argv[2:4] + ["150", "1"][len(sys.argv[2:4]):]))
    folders = sys.argv[4:] or [os.path.join(HERE, "models")]
    paths = sorted(p for f in folders for p in glob.glob(os.path.join(f, "*.onnx"))
                   if os.path.getsize(p) < 400_000)
    failed = 0
    for path, (passes, said) in verdicts(tool, paths).items():
        if not passes:
            print(path, "is refused:", *said[:2])
            failed += 1
    draw = random.Random(seed)
    models = {p: onnx.load(p) for p in draw.sample(paths, min(len(paths), 40))}
    with tempfile.TemporaryDirectory() as folder:
        faults = {}
        for i in range(count):
            source = draw.choice(sorted(models))
            model, fault = faulty(models[source], draw)
            out = os.path.join(folder, f"{i:04}.onnx")
            with open(out, "wb") as f:
                f.write(model.SerializeToString())
            faults[out] = source, fault
        for path, (passes, said) in verdicts(tool, list(faults)).items():
            failed += not judge(path, *faults[path], passes, said)
    print(f"{len(paths)} models, {count} faults, {failed} wrong verdicts")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
