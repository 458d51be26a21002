#!/usr/bin/env python3
"""Outputs with external data: what goes where, that it is valid and equal, in bounded memory.

    external.py --onnxrw build/onnxrw

Judged by onnx.checker on the path and by ONNX Runtime. The data files of the large models
are sparse: 5 and 100 GB of zeros, which nobody may read or copy.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto as T, helper as h, numpy_helper

import unoptimised

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
from sparse import make as sparse_model

failures = []


def check(name, ok, why=""):
    if not ok:
        failures.append(name)
        print(f"external: {name}: {why}", file=sys.stderr)


def run(tool, *args):
    return subprocess.run([tool, *args], capture_output=True, timeout=120)


def model(weights, nodes, folder, name="m.onnx", location=None, columns=64):
    """x[4, 64] through the nodes to y[4, columns]; weights: {name: array}."""
    inits = [numpy_helper.from_array(a, k) for k, a in weights.items()]
    graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("x", T.FLOAT, (4, 64))],
                         [h.make_tensor_value_info("y", T.FLOAT, (4, columns))], inits)
    m = h.make_model(graph, ir_version=9, opset_imports=[h.make_opsetid("", 17)])
    path = os.path.join(folder, name)
    if location:
        onnx.save(m, path, save_as_external_data=True, location=location, size_threshold=100)
    else:
        onnx.save(m, path)
    return path


def layers(n):
    rng = np.random.default_rng(7)
    weights = {f"w{i}": rng.standard_normal((64, 64), np.float32) for i in range(n)}
    weights["b"] = rng.standard_normal((64,), np.float32)
    nodes, at = [], "x"
    for i in range(n):
        nodes.append(h.make_node("MatMul", [at, f"w{i}"], [f"t{i}"]))
        nodes.append(h.make_node("Identity", [f"t{i}"], [f"i{i}"]))
        at = f"i{i}"
    nodes.append(h.make_node("Add", [at, "b"], ["y"]))
    return weights, nodes


def output(path):
    x = np.linspace(-1, 1, 256, dtype=np.float32).reshape(4, 64)
    return unoptimised.session(path).run(None, {"x": x})[0]


def places(path):
    m = onnx.load(path, load_external_data=False)
    return {t.name: {e.key: e.value for e in t.external_data} for t in m.graph.initializer
            if t.data_location == T.EXTERNAL}


def equal(name, before, after):
    try:
        onnx.checker.check_model(after, full_check=True)
        check(name, np.array_equal(output(before), output(after)), "other results")
    except Exception as e:  # whatever onnx or the runtime find
        check(name, False, f"{e}")


def out_of_the_model(tool, folder):
    before = model(*layers(3), folder)
    after = os.path.join(folder, "out.onnx")
    done = run(tool, "--weights=external", "-o", after, before)
    check("external", done.returncode == 0, done.stderr)
    equal("external", before, after)
    found = places(after)
    check("external", sorted(found) == ["w0", "w1", "w2"], sorted(found))
    check("external", {e["location"] for e in found.values()} == {"out.onnx.data"}, found)
    check("external", all(int(e["offset"]) % 4096 == 0 for e in found.values()), found)
    check("external", sorted(os.listdir(folder)) == ["m.onnx", "out.onnx", "out.onnx.data"],
          os.listdir(folder))
    done = run(tool, "--weights=external", "-o", "-", before)
    check("to a stream", done.returncode == 4 and b"needs an output with a name" in done.stderr,
          done.stderr)
    blocked = os.path.join(folder, "blocked.onnx")
    os.mkdir(blocked + ".data")
    done = run(tool, "--weights=external", "-o", blocked, before)
    check("data cannot be written", done.returncode == 4 and not os.path.exists(blocked), done.stderr)
    check("data cannot be written", not any("tmp" in x for x in os.listdir(folder)),
          os.listdir(folder))


def in_place(tool, folder):
    before = model(*layers(3), folder, location="m.onnx.data")
    want, was = output(before), places(before)
    data = os.path.join(folder, "m.onnx.data")
    stamp = os.stat(data)
    done = run(tool, "-o", before, before)
    check("in place", done.returncode == 0, done.stderr)
    check("in place", np.array_equal(want, output(before)), "other results")
    check("in place", places(before) == was, "data moved")
    check("in place", os.stat(data).st_mtime_ns == stamp.st_mtime_ns, "data written")
    check("in place", sorted(os.listdir(folder)) == ["m.onnx", "m.onnx.data"], os.listdir(folder))


def new_tensors(tool, folder):
    """What folding makes goes into a data file where the input had one, never into the old one."""
    weights, nodes = layers(1)
    weights["wt"] = np.random.default_rng(8).standard_normal((32, 64), np.float32)
    nodes[:0] = [h.make_node("Transpose", ["wt"], ["u"], perm=[1, 0])]
    nodes[-1:] = [h.make_node("Add", ["i0", "b"], ["s"]), h.make_node("MatMul", ["s", "u"], ["y"])]
    before = model(weights, nodes, folder, location="m.onnx.data", columns=32)
    want = output(before)
    done = run(tool, "-o", before, before)
    check("new tensors", done.returncode == 0, done.stderr)
    check("new tensors", np.array_equal(want, output(before)), "other results")
    check("new tensors", {k: e["location"] for k, e in places(before).items()} ==
          {"w0": "m.onnx.data", "b": "m.onnx.data", "u": "m.onnx.2.data"}, places(before))
    onnx.checker.check_model(before, full_check=True)
    other = os.path.join(folder, "other")
    os.mkdir(other)
    done = run(tool, "-o", os.path.join(other, "m.onnx"), before)
    check("new tensors, elsewhere", done.returncode == 0, done.stderr)
    equal("new tensors, elsewhere", before, os.path.join(other, "m.onnx"))
    check("new tensors, elsewhere", sorted(os.listdir(other)) ==
          ["m.onnx", "m.onnx.2.data", "m.onnx.data"], os.listdir(other))


def left_behind(tool, folder):
    """A data file that nothing refers to any more does not go along."""
    weights = {"w": np.random.default_rng(9).standard_normal((32, 64), np.float32)}
    nodes = [h.make_node("Transpose", ["w"], ["u"], perm=[1, 0]), h.make_node("MatMul", ["x", "u"], ["y"])]
    before = model(weights, nodes, folder, location="all.bin", columns=32)
    other = os.path.join(folder, "other")
    os.mkdir(other)
    done = run(tool, "-o", os.path.join(other, "m.onnx"), before)
    check("left behind", done.returncode == 0, done.stderr)
    check("left behind", sorted(os.listdir(other)) == ["m.onnx", "m.onnx.data"], os.listdir(other))
    equal("left behind", before, os.path.join(other, "m.onnx"))


def sparse(tool, folder, gigabytes):
    """`gigabytes` of zeros in tensors of 1 GB; two of them are equal, as are all the others."""
    n, path = gigabytes, sparse_model(folder, gigabytes)
    other = os.path.join(folder, "other")
    os.mkdir(other)
    for out in (path, os.path.join(other, "m.onnx"), os.path.join(other, "m.onnx")):
        done = subprocess.run([tool, "-o", out, path], capture_output=True, timeout=20)
        check(f"sparse, {n} GB", done.returncode == 0, done.stderr)
        check(f"sparse, {n} GB", os.stat(os.path.join(os.path.dirname(out), "big.bin")).st_blocks < 1 << 11,
              "holes were filled")
        onnx.checker.check_model(out)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--onnxrw", required=True)
    tool = ap.parse_args().onnxrw
    for case in (out_of_the_model, in_place, new_tensors, left_behind,
                 lambda t, f: sparse(t, f, 5), lambda t, f: sparse(t, f, 100)):
        with tempfile.TemporaryDirectory() as folder:
            case(tool, folder)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
