#!/usr/bin/env python3
"""How much is known of a model's shapes, and how fast: onnxrw, onnx.shape_inference (strict,
with data propagation) and ONNX Runtime's SymbolicShapeInference.

    bench/infer.py INFER_DUMP FOLDER_OR_MODEL... [--update] [--all]

A shape is known when every dimension is a number, or an expression over the dimensions of
the model's inputs; counted are the results of nodes, those in bodies too. What a tool could
not do to the end counts as far as it came. Times are processor times of inference alone, of
the Python tools less a measured parse and serialisation; on generated models of 10,000 and
100,000 nodes too. --update writes the table of docs/inference.md, a line for each
family of models; --all prints each model. Exit 1 where onnxrw knows less than another.
"""

# SPDX-License-Identifier: Apache-2.0
import argparse
import collections
import contextlib
import io
import json
import logging
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.tools.symbolic_shape_infer import SymbolicShapeInference

import docs

WORD = re.compile(r"[A-Za-z_]\w*")
FUNCTIONS = {"floor", "ceiling", "ceil", "Max", "Min", "max", "min", "Mod", "broadcast", "Abs"}


# --- what is known ---------------------------------------------------------------------


def nodes_of(graph, path=""):
    """(path, name) of each result of a node, in bodies too."""
    for node in graph.node:
        for name in filter(None, node.output):
            yield path, name
        for a in node.attribute:
            if a.type == onnx.AttributeProto.GRAPH:
                yield from nodes_of(a.g, f"{path}/{node.output[0]}:{a.name}")


def shapes_of(graph, path=""):
    """(path, name) -> dims as texts, of what a Python tool wrote into a model."""
    found = {}
    for info in list(graph.value_info) + list(graph.output):
        t = info.type.tensor_type
        if info.type.HasField("tensor_type") and t.HasField("shape"):
            found[path, info.name] = [
                str(d.dim_value) if d.HasField("dim_value") else d.dim_param or "?" for d in t.shape.dim]
    for node in graph.node:
        for a in node.attribute:
            if a.type == onnx.AttributeProto.GRAPH:
                found.update(shapes_of(a.g, f"{path}/{node.output[0]}:{a.name}"))
    return found


def names_in(texts):
    """The names of dimensions: whole texts, and fresh symbols that stand for unnamed ones."""
    return {t for t in texts if t and not t.isdigit()}


def count(results, shapes, given):
    """Shapes in terms of the inputs, and shapes with any names."""
    longest_first = sorted(given, key=len, reverse=True)
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)")

    def in_terms(text):
        rest = pattern.sub("1", text) if given else text
        return not set(WORD.findall(rest)) - FUNCTIONS

    whole = [k for k in results if k in shapes and "?" not in shapes[k]]
    return sum(all(map(in_terms, shapes[k])) for k in whole), len(whole)


# --- the three tools -------------------------------------------------------------------


def ours(tool, path):
    run = subprocess.run([tool, path], capture_output=True, text=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    shapes = {(v["graph"], v["name"]): v["dims"] for v in lines if "dims" in v}
    return shapes, lines[-1]["seconds"]


def least(f, runs):
    best, result = float("inf"), None
    for _ in range(runs):
        start = time.process_time()
        result = f()
        best = min(best, time.process_time() - start)
    return best, result


def parse_and_serialise(model):
    text = model.SerializeToString()
    onnx.ModelProto().ParseFromString(text)


def by_onnx(model):
    return onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)


def by_runtime(model):
    """What SymbolicShapeInference.infer_shapes does, keeping what it found when it gives up."""
    inference = SymbolicShapeInference(2**31 - 1, True, False, 0)
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            inference._preprocess(copy)
            while inference.run_:
                inference._infer_impl()
            inference._update_output_from_vi()
        except Exception:
            pass
    return inference.out_mp_ if hasattr(inference, "out_mp_") else copy


def attempt(f, model, runs, overhead):
    try:
        seconds, result = least(lambda: f(model), runs)
    except Exception:
        return {}, set(), None
    dims = [(d.dim_param or "") for i in result.graph.input for d in i.type.tensor_type.shape.dim]
    return shapes_of(result.graph), names_in(dims), max(seconds - overhead, 1e-6)


def measure(tool, path, runs=1):
    """{tool: (strict, any names, seconds)} and how many results there are."""
    model = onnx.load(path, load_external_data=False)
    results = list(nodes_of(model.graph))
    shapes, seconds = min((ours(tool, path) for _ in range(runs)), key=lambda r: r[1])
    dims = [d for i in model.graph.input for d in shapes.get(("", i.name), [])]
    row = {"onnxrw": (*count(results, shapes, names_in(dims)), seconds)}
    overhead, _ = least(lambda: parse_and_serialise(model), max(runs, 2))
    for name, f in (("onnx", by_onnx), ("runtime", by_runtime)):
        found, given, took = attempt(f, model, runs, overhead if name == "onnx" else 0)
        row[name] = (*count(results, found, given), took)
    return row, len(results)


# --- large models ----------------------------------------------------------------------


def large_model(path, nodes):
    """Blocks of MatMul, Add, LayerNormalization, Gelu by Erf, and a Reshape by shape
    arithmetic: 25 nodes each."""
    rng = np.random.default_rng(0)
    inits = [numpy_helper.from_array(rng.standard_normal((8, 8), np.float32), "w"),
             numpy_helper.from_array(np.ones(8, np.float32), "one"),
             numpy_helper.from_array(np.array([0], np.int64), "i0"),
             numpy_helper.from_array(np.array([1], np.int64), "i1"),
             numpy_helper.from_array(np.array([2, 4], np.int64), "heads")]
    made, last = [], "x"

    def add(op, *inputs, **attrs):
        made.append(helper.make_node(op, list(inputs), [f"v{len(made)}"], **attrs))
        return made[-1].output[0]

    while len(made) < nodes:
        h = add("Add", add("MatMul", last, "w"), "one")
        shape = add("Shape", h)
        batch, seq = add("Gather", shape, "i0"), add("Gather", shape, "i1")
        h = add("Reshape", h, add("Concat", batch, seq, "heads", axis=0))
        h = add("Transpose", h, perm=[0, 2, 1, 3])
        scores = add("Softmax", add("MatMul", h, add("Transpose", h, perm=[0, 1, 3, 2])))
        h = add("Transpose", add("MatMul", scores, h), perm=[0, 2, 1, 3])
        h = add("Reshape", h, add("Concat", batch, seq, "i8", axis=0))
        h = add("Add", h, last)
        mean = add("ReduceMean", h, axes=[-1])
        h = add("Sub", h, mean)
        var = add("ReduceMean", add("Mul", h, h), axes=[-1])
        h = add("Div", h, add("Sqrt", add("Add", var, "one1")))
        last = add("Mul", h, add("Add", add("Erf", h), "one"))
    inits.append(numpy_helper.from_array(np.array([8], np.int64), "i8"))
    inits.append(numpy_helper.from_array(np.array(1, np.float32), "one1"))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "seq", 8])
    y = helper.make_tensor_value_info(last, TensorProto.FLOAT, None)
    graph = helper.make_graph(made, "large", [x], [y], inits)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)]), path)
    return len(made)


def large(tool, wanted, runs):
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "large.onnx")
        nodes = large_model(path, wanted)
        return nodes, measure(tool, path, runs)[0]


def ours_only(tool, wanted):
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "large.onnx")
        nodes = large_model(path, wanted)
        return nodes, min(ours(tool, path)[1] for _ in range(3))


# --- the report ------------------------------------------------------------------------


def milliseconds(seconds):
    return "failed" if seconds is None else f"{seconds * 1e3:,.1f}"


def family(path):
    return pathlib.Path(path).stem.split("__")[0].split("-")[0]


def table(rows):
    lines = ["| models | of results | onnxrw | onnx | runtime | onnxrw ms | onnx ms | runtime ms |",
             "|---|---:|---:|---:|---:|---:|---:|---:|"]
    groups = collections.defaultdict(list)
    for path, row, n in rows:
        groups[family(path)].append((row, n))
    groups["**all**"] = [(row, n) for _, row, n in rows]
    for name, members in groups.items():
        cells = [f"{name} ({len(members)})", f"{sum(n for _, n in members):,}"]
        cells += [f"{sum(row[t][0] for row, _ in members):,}" for t in ("onnxrw", "onnx", "runtime")]
        cells += [milliseconds(sum(row[t][2] or 0 for row, _ in members))
                  for t in ("onnxrw", "onnx", "runtime")]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def times(tool):
    lines = ["", "| nodes | onnxrw ms | onnx ms | runtime ms |", "|---:|---:|---:|---:|"]
    nodes, row = large(tool, 10000, 1)
    seconds = [row[t][2] for t in ("onnxrw", "onnx", "runtime")]
    lines.append(f"| {nodes:,} | " + " | ".join(map(milliseconds, seconds)) + " |")
    print(f"{nodes} nodes: onnx takes {seconds[1] / seconds[0]:.0f} times as long, "
          f"runtime {seconds[2] / seconds[0]:.0f}; known {[row[t][:2] for t in row]}")
    nodes, alone = ours_only(tool, 100000)
    lines.append(f"| {nodes:,} | {milliseconds(alone)} | | |")
    print(f"{nodes} nodes: {alone:.3f} s")
    return lines


def replace_in_docs(lines, below, models):
    text = (f"On {below} of {models} models onnxrw knows fewer shapes than one of the others "
            f"(onnx {onnx.__version__},\nonnxruntime {onnxruntime.__version__}).\n\n"
            + "\n".join(lines))
    docs.replace("inference.md", "bench", [text])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("tool")
    ap.add_argument("models", nargs="+", type=pathlib.Path)
    ap.add_argument("--update", action="store_true")
    ap.add_argument("--all", action="store_true")
    args = ap.parse_args()
    logging.disable(logging.WARNING)
    args.tool = os.path.abspath(args.tool)
    paths = [p for m in args.models for p in (sorted(m.glob("*.onnx")) if m.is_dir() else [m])]
    rows, below = [], 0
    for path in paths:
        row, n = measure(args.tool, str(path))
        rows.append((path, row, n))
        less = any(row["onnxrw"][i] < row[t][i] for t in ("onnx", "runtime") for i in (0, 1))
        below += less
        if less or args.all:
            print(f"{'LESS ' if less else ''}{path.name}: of {n} "
                  + ", ".join(f"{t} {row[t][0]} ({row[t][1]}) {milliseconds(row[t][2])}" for t in row),
                  flush=True)
    lines = table(rows) + times(args.tool)
    print(*lines, sep="\n")
    if args.update:
        replace_in_docs(lines, below, len(rows))
    return below != 0


if __name__ == "__main__":
    sys.exit(main())
