#!/usr/bin/env python3
"""Models with much external data: time and memory beside those of a small one.

    sparse.py --build build [--runs 7] [--folder DIR]

Two models whose data files have 5 and 100 GB of zeros, all of them holes, and for each one with
as many tensors of 10 kB. They are run in turn; a ratio is taken within each turn:

    beside      the output in the folder of the model, which refers to the same data
    elsewhere   into another folder, where the data goes along: holes stay holes, bytes are copied

Exit status 1 when a large model takes twice as long as its small one and 50 ms, or 4 MB more at
its peak: what it costs must be the graph, not the data.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import statistics
import sys
import tempfile

from onnx import TensorProto as T, helper as h

from processes import own_peak_mb, run, spread

ROWS = 64
SMALL, LARGE = 40, 1 << 22  # columns of a tensor of 10 kB, of one of 1 GiB


def make(folder, tensors, columns=LARGE):
    """A model of so many tensors float[64, columns] in a data file of zeros; its path. One node is there
    to be taken out."""
    size = 4 * ROWS * columns
    weights = [T(name=f"w{i}", data_type=T.FLOAT, dims=[ROWS, columns], data_location=T.EXTERNAL)
               for i in range(tensors)]
    for i, t in enumerate(weights):
        for key, value in (("location", "big.bin"), ("offset", i * size), ("length", size)):
            t.external_data.add(key=key, value=str(value))
    nodes = [h.make_node("MatMul", ["x", f"w{i}"], [f"t{i}"]) for i in range(tensors)]
    nodes += [h.make_node("Identity", ["t0"], ["s0"])]
    nodes += [h.make_node("Add", [f"s{i}", f"t{i + 1}"], [f"s{i + 1}"]) for i in range(tensors - 1)]
    nodes += [h.make_node("Neg", [f"s{tensors - 1}"], ["y"])]
    graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("x", T.FLOAT, (4, ROWS))],
                         [h.make_tensor_value_info("y", T.FLOAT, (4, columns))], weights)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "m.onnx")
    with open(path, "wb") as f:
        f.write(h.make_model(graph, ir_version=9, opset_imports=[h.make_opsetid("", 17)]).SerializeToString())
    with open(os.path.join(folder, "big.bin"), "wb") as f:
        f.truncate(tensors * size)
    return path


def compare(tool, folder, gigabytes, runs):
    """Prints the rows of one size; are all within their bounds?"""
    good = True
    models = {"small": make(os.path.join(folder, "small"), gigabytes, SMALL),
              "large": make(os.path.join(folder, "large"), gigabytes)}
    for where in ("beside", "elsewhere"):
        commands = {}
        for name, path in models.items():
            out = os.path.join(os.path.dirname(path), "to" if where == "elsewhere" else ".", "out.onnx")
            os.makedirs(os.path.dirname(out), exist_ok=True)
            commands[name] = [tool, "-o", out, path]
        turns = [{n: run(c, c[-2]) for n, c in commands.items()} for _ in range(runs + 1)][1:]
        ratio = [t["large"] / t["small"] for t in turns]
        peak = {n: own_peak_mb(c, c[-2]) for n, c in commands.items()}
        beyond = statistics.median(t["large"] - 2 * t["small"] for t in turns)
        good &= beyond < 0.05 and peak["large"] < peak["small"] + 4
        for name in commands:
            ms = [1000 * t[name] for t in turns]
            data = gigabytes * 4 * ROWS * (SMALL if name == "small" else LARGE)
            print(f"{data / 1e6:>12,.0f}{gigabytes:>9}  {where:<10}{spread(ms, 1):>22}"
                  f"{spread(ratio) if name == 'large' else '':>20}{peak[name]:>9.1f}")
    return good


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", default="build")
    ap.add_argument("--runs", type=int, default=7)
    ap.add_argument("--folder", help="where models and outputs go (default: a temporary folder)")
    a = ap.parse_args()
    good = True
    print(f"{'MB of data':>12}{'tensors':>9}  {'output':<10}{'ms':>22}{'ratio to small':>20}{'peak MB':>9}")
    for gigabytes in (5, 100):
        with tempfile.TemporaryDirectory(dir=a.folder) as folder:
            good &= compare(os.path.join(a.build, "onnxrw"), folder, gigabytes, a.runs)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
