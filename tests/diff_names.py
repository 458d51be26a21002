#!/usr/bin/env python3
"""onnxrw diff finds values whatever they are called, and the first one that is wrong.

    diff_names.py --onnxrw build/onnxrw

Models of tests/models are given other names for all that is inside: fresh ones, and those of
each other in another order, as exporters that count anew do. Nearly all values must be
compared and be the same. Then one node is made wrong in the renamed model: it must be named
as the first that differs.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, json, pathlib, random, subprocess, sys, tempfile

try:
    import numpy, onnx, onnx.parser, onnxruntime  # noqa: F401: asked by the command
except ImportError:
    print("the onnx and onnxruntime packages are not installed")
    sys.exit(77)

MODELS = pathlib.Path(__file__).resolve().parent / "models"
NAMES = ["bert-eager__ts14", "bert-sdpa__dyn23", "t5-enc-eager__ts14", "resnet18__ts11-bn", "unet-nearest__tf13"]


def inner_names(model):
    """Names of values that are no inputs or outputs; bodies see them by those names."""
    graph = model.graph
    fixed = {v.name for v in (*graph.input, *graph.output)}
    names = [t.name for t in graph.initializer] + [o for n in graph.node for o in n.output if o]
    return [n for n in names if n not in fixed]


def rename(model, new):
    for t in model.graph.initializer:
        t.name = new.get(t.name, t.name)
    for node in model.graph.node:
        node.name = ""
        for names in (node.input, node.output):
            names[:] = [new.get(n, n) for n in names]
    del model.graph.value_info[:]


def spoil(model, index):
    """Makes the index-th addition a subtraction; its first output, or None."""
    adds = [n for n in model.graph.node if n.op_type == "Add"]
    if not adds:
        return None
    node = adds[index % len(adds)]
    node.op_type = "Sub"
    return node.output[0]


def diff(onnxrw, a, b, inputs):
    done = subprocess.run([onnxrw, "diff", "--json", f"--inputs={inputs}", a, b], capture_output=True, text=True)
    return json.loads(done.stdout)["runs"][0] if done.stdout else {"values": [], "first": done.stderr}


def check(onnxrw, path, folder, how, seed):
    """Problems."""
    model, rng = onnx.load(path), random.Random(seed)
    names = inner_names(model)
    other = [f"v{i}" for i in range(len(names))] if how == "fresh" else rng.sample(names, len(names))
    new = dict(zip(names, other))
    out = pathlib.Path(folder) / "renamed.onnx"
    rename(model, new)
    onnx.save(model, out)
    inputs, problems = path.with_suffix(".npz"), []
    run = diff(onnxrw, path, out, inputs)
    wanted = len(diff(onnxrw, path, path, inputs)["values"])
    if run["first"] or len(run["values"]) < 0.98 * wanted:
        problems.append(f"first {run['first']}, {len(run['values'])} of {wanted} compared")
    spoilt = spoil(model, rng.randrange(1000))
    onnx.save(model, out)
    run = diff(onnxrw, path, out, inputs)
    back = {v: k for k, v in new.items()}
    wrong = back.get(spoilt, spoilt)
    differ = {v["name"] for v in run["values"] if not v["same"]}
    hidden = not any(v["output"] and not v["same"] for v in run["values"])  # a bias of keys
    if spoilt and not hidden and run["first"] != wrong and wrong in differ:
        problems.append(f"spoilt {wrong}, said {run['first']}")
    if spoilt and not hidden and wrong not in {v["name"] for v in run["values"]}:
        problems.append(f"spoilt {wrong}, which is not compared")
    return problems


def other_form(onnxrw, folder):
    """A node alike but for its attributes, whose readers give the same, is another value."""
    a, b, x = (pathlib.Path(folder) / n for n in ("a.onnx", "b.onnx", "x.npz"))
    head = '<ir_version: 8, opset_import: ["" : 17]> g (float[N, M] x) => (int64[1] y)'
    a.write_bytes(onnx.parser.parse_model(head + """ <int64[1] i = {0}> {
        s = Shape (x)  r = Gather <axis = 0> (s, i)  y = Neg (r) }""").SerializeToString())
    b.write_bytes(onnx.parser.parse_model(head + """ {
        q = Shape <start = 0, end = 1> (x)  y = Neg (q) }""").SerializeToString())
    numpy.savez(x, x=numpy.zeros((2, 3), numpy.float32))
    run = diff(onnxrw, a, b, x)
    return [f"other form: first {run['first']}"] if run["first"] else []


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines = [f"{name} {how}: {x}" for name in NAMES for how in ("fresh", "shuffled") for seed in range(3)
                 for x in check(a.onnxrw, MODELS / f"{name}.onnx", folder, how, seed)]
        lines += other_form(a.onnxrw, folder)
    print("\n".join(lines + [f"{len(NAMES)} models, {len(lines)} wrong"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
