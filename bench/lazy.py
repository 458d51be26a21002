#!/usr/bin/env python3
"""Time and private memory of folding weights, beside cp.

    lazy.py --build build [--mb 1300] [--runs 5] [--folder DIR] [--check]

Makes a model of that many MB whose every layer transposes its weights, joins three of them,
scales some, and has an embedding as large as a fifth of it transposed; folding makes new
weights of them all. The commands run in turn, outputs on the same file system; a ratio
is taken within each turn:

    cp          cp --reflink=never
    model       onnxrw, weights in the model
    external    onnxrw --weights=external
    data        the same model with external data, rewritten beside it

Private memory is the largest RssAnon seen in /proc in a run of its own; it must stay below
the largest tensor of the output and 64 MB, and the median ratio to cp below 3. With
--check the output is compared with the input in ONNX Runtime too (needs memory for both).
Exit status 1 when a run fails, or a bound does not hold.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto as T, helper as h

from processes import MB, most_mb, remove, run, spread


def weight(rng, name, *dims):
    t = T(name=name, data_type=T.FLOAT, dims=dims)
    t.raw_data = (rng.standard_normal(dims, dtype=np.float32) * np.float32(dims[-1] ** -0.5)).tobytes()
    return t


def layer(rng, i, x, d, nodes, inits):
    """A layer of width d: q, k, v transposed and joined; a scaled and transposed pair."""
    n = lambda s: f"{s}{i}"
    for s in "qkv":
        inits.append(weight(rng, n(s), d, d))
        nodes.append(h.make_node("Transpose", [n(s)], [n(s + "_t")], perm=[1, 0]))
    nodes.append(h.make_node("Concat", [n("q_t"), n("k_t"), n("v_t")], [n("qkv")], axis=1))
    inits += [weight(rng, n("up"), 4 * d, d), weight(rng, n("down"), d, 4 * d)]
    inits.append(weight(rng, n("scale"), 4 * d, 1))
    nodes.append(h.make_node("Mul", [n("up"), n("scale")], [n("up_s")]))
    nodes.append(h.make_node("Transpose", [n("up_s")], [n("up_t")], perm=[1, 0]))
    nodes.append(h.make_node("Transpose", [n("down")], [n("down_t")], perm=[1, 0]))
    nodes.append(h.make_node("MatMul", [x, n("qkv")], [n("h")]))
    nodes.append(h.make_node("Split", [n("h")], [n("a"), n("b"), n("c")], axis=1))
    nodes.append(h.make_node("Add", [n("a"), n("b")], [n("ab")]))
    nodes.append(h.make_node("Add", [n("ab"), n("c")], [n("abc")]))
    nodes.append(h.make_node("Tanh", [n("abc")], [n("th")]))
    nodes.append(h.make_node("MatMul", [n("th"), n("up_t")], [n("u")]))
    nodes.append(h.make_node("Tanh", [n("u")], [n("tu")]))
    nodes.append(h.make_node("MatMul", [n("tu"), n("down_t")], [n("y")]))
    return n("y")


def make(path, size, d=1024):
    rng, nodes, inits, x = np.random.default_rng(1), [], [], "x"
    words = int(size / 5 / (4 * d))
    inits.append(weight(rng, "words", words, d))
    nodes.append(h.make_node("Transpose", ["words"], ["words_t"], perm=[1, 0]))
    for i in range(max(1, round((size * 4 / 5) / (11 * d * d * 4)))):
        x = layer(rng, i, x, d, nodes, inits)
    nodes.append(h.make_node("MatMul", [x, "words_t"], ["logits"]))
    graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("x", T.FLOAT, ("N", d))],
                         [h.make_tensor_value_info("logits", T.FLOAT, ("N", words))], inits)
    m = h.make_model(graph, ir_version=9, opset_imports=[h.make_opsetid("", 17)])
    with open(path, "wb") as f:
        f.write(m.SerializeToString())
    return d


def tensors(path):
    return onnx.load(path, load_external_data=False).graph


def largest_mb(graph):
    return max(4 * int(np.prod(t.dims)) for t in graph.initializer) / MB


def same_results(before, after, d):
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    x = np.random.default_rng(2).standard_normal((2, d), dtype=np.float32)
    was, now = (ort.InferenceSession(p, options, ["CPUExecutionProvider"]).run(None, {"x": x})[0]
                for p in (before, after))
    return np.allclose(was, now, rtol=1e-3, atol=1e-4)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", default="build")
    ap.add_argument("--mb", type=float, default=1300)
    ap.add_argument("--runs", type=int, default=5)
    ap.add_argument("--folder", help="where model and outputs go (default: a temporary folder)")
    ap.add_argument("--check", action="store_true")
    a = ap.parse_args()
    good = True
    with tempfile.TemporaryDirectory(dir=a.folder) as folder:
        at = lambda name: os.path.join(folder, name)
        tool = os.path.join(a.build, "onnxrw")
        d = make(at("in.onnx"), a.mb * MB)
        subprocess.run([tool, "-q", "--weights=external", "-r", os.devnull, "-o", at("data_in.onnx"), at("in.onnx")],
                       check=True)
        commands = {"cp": ["cp", "--reflink=never", at("in.onnx"), at("cp.onnx")]}
        for name, options in (("model", []), ("external", ["--weights=external"])):
            commands[name] = [tool, "-q", *options, "-o", at(name + ".onnx"), at("in.onnx")]
        commands["data"] = [tool, "-q", "-o", at("data.onnx"), at("data_in.onnx")]
        turns = []
        for _ in range(a.runs + 1):  # the first one warms up
            turns.append({name: run(cmd, at(name + ".onnx")) for name, cmd in commands.items()})
        print(f"{os.path.getsize(at('in.onnx')) / MB:.0f} MB model, {a.runs} turns, medians (smallest to largest)")
        print(f"{'':<10}{'seconds':>22}{'ratio to cp':>22}{'private MB':>12}{'largest tensor MB':>19}")
        for name, cmd in commands.items():
            out = at(name + ".onnx")
            seconds = [t[name] for t in turns[1:]]
            ratio = [t[name] / t["cp"] for t in turns[1:]]
            private, graph = most_mb(cmd, out, "RssAnon"), tensors(out)
            largest = largest_mb(graph)
            print(f"{name:<10}{spread(seconds):>22}{spread(ratio):>22}{private:>12.1f}{largest:>19.1f}")
            if name != "cp":
                left = sum(n.op_type in ("Transpose", "Concat", "Mul") for n in graph.node)
                good &= private < largest + 64 and statistics.median(ratio) < 3 and left == 0
                if left:
                    print(f"lazy: {left} nodes were not folded")
                if a.check and not same_results(at("in.onnx"), out, d):
                    print(f"lazy: {name}: other results")
                    good = False
            remove(out)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
