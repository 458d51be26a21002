#!/usr/bin/env python3
"""Does what infer_dump says of each value hold in a run of ONNX Runtime?

    tests/infer_check.py INFER_DUMP [MODEL.onnx...]

Without models: those of tests/models, and where a folder shared/corpus stands beside the
repository, its files of the BERT family.

Each model is run on the inputs beside it (MODEL.npz, keys `in:NAME`), as they are and cut
to smaller sizes, without optimisations, with every value of the main graph as an output,
and the shapes of those in bodies. The symbols of the inputs are bound to the actual sizes,
the others to the first size they are met with; then every dimension and known item, an
expression over symbols, must evaluate to what is there. Exit 1 on a contradiction, 77
where the wheels are missing. How many shapes are known in terms of the inputs is compared
with onnx.shape_inference.
"""

# SPDX-License-Identifier: Apache-2.0
import json
import math
import pathlib
import re
import subprocess
import sys

try:
    import numpy as np
    import onnx
    import unoptimised
except ImportError:
    sys.exit(77)

import infer_bodies

FRESH = re.compile(r"(?<![A-Za-z0-9_])_\d+(?![A-Za-z0-9_])")


class Symbols:
    """Names as they are in the model, turned into identifiers that Python can evaluate."""

    def __init__(self, names):
        self.identifier = {n: f"s{i}_" for i, n in enumerate(sorted(names))}
        self.known = {}
        longest_first = sorted(self.identifier, key=len, reverse=True)
        self.pattern = re.compile(r"(?<![A-Za-z0-9_])(?:" + "|".join(map(re.escape, longest_first))
                                  + r")(?![A-Za-z0-9_])") if names else None

    def copy(self):
        other = Symbols(())
        other.identifier, other.pattern = self.identifier, self.pattern
        other.known = dict(self.known)
        return other

    def plain(self, text):
        """The expression with identifiers in place of names; floor divisions exact."""
        if self.pattern:
            text = self.pattern.sub(lambda m: self.identifier[m.group()], text)
        return FRESH.sub(lambda m: "f" + m.group(), text)

    def value(self, text):
        """What the expression is now, or None where a symbol is not bound yet."""
        if text == "?":
            return None
        calls = {"floor": math.floor, "min": min, "max": max,
                 "broadcast": lambda a, b: b if a == 1 else a}
        try:
            return eval(self.plain(text), {"__builtins__": {}}, {**calls, **self.known})
        except NameError:
            return None
        except ZeroDivisionError:
            return None

    def bind(self, text, size):
        """Binds a symbol that stands alone."""
        if re.fullmatch(r"[sf]\w+", self.plain(text)):
            self.known.setdefault(self.plain(text), size)


def dump(tool, path):
    run = subprocess.run([tool, path], capture_output=True, text=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    values = {v["name"]: v for v in lines if v.get("graph") == ""}
    inside = {(v["graph"], v["name"]): v["dims"] for v in lines
              if v.get("graph") and v.get("kind") == 0 and "dims" in v}
    return values, inside, lines[-1].get("seconds", 0) if lines else 0, run


def open_session(path, inside):
    """The model, a session that has every value of the main graph as an output, and probes
    of the values in bodies."""
    model = onnx.load(path)
    probes = infer_bodies.Probes(model, inside)
    have = {o.name for o in model.graph.output}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in have:
                have.add(name)
                model.graph.output.append(onnx.ValueInfoProto(name=name))
    try:
        session = unoptimised.session(model)
    except Exception:  # some external data is found only beside the file
        aside = pathlib.Path(path).with_suffix(".all-outputs.onnx")
        try:
            onnx.save(model, aside)
            session = unoptimised.session(aside)
        finally:
            aside.unlink(missing_ok=True)
    return model, session, probes


def cut_inputs(feed, values, size):
    """The inputs with every dim that the model leaves open cut to a size: at 1 broadcasting
    and division go their own ways."""
    cut = {}
    for name, array in feed.items():
        for axis, text in enumerate(values.get(name, {}).get("dims", [])):
            if not text.isdigit():
                array = array.take(range(min(size, array.shape[axis])), axis)
        cut[name] = array
    return cut


def run_on(session, feed):
    names = [o.name for o in session.get_outputs()]
    return {**feed, **dict(zip(names, session.run(names, feed)))}


def dtype_of(array):
    return onnx.helper.np_dtype_to_tensor_dtype(array.dtype)


def symbols_of(model):
    """Every dim_param of the file."""
    names = set()
    def add(infos):
        for info in infos:
            for d in info.type.tensor_type.shape.dim:
                if d.dim_param:
                    names.add(d.dim_param)
    def graph(g):
        add(list(g.input) + list(g.output) + list(g.value_info))
        for node in g.node:
            for a in node.attribute:
                if a.type == onnx.AttributeProto.GRAPH:
                    graph(a.g)
    graph(model.graph)
    return names


def pairs(values, actual):
    """(what, expression, size) of every dim and known item."""
    for name, v in values.items():
        array = actual.get(name)
        if not isinstance(array, np.ndarray):
            continue
        if "dims" in v and len(v["dims"]) == array.ndim:
            for i, (text, size) in enumerate(zip(v["dims"], array.shape)):
                yield f"{name}: dimension {i}", text, size
        if "value" in v and array.dtype.kind in "iubf" and len(v["value"]) == array.size:
            for i, (text, item) in enumerate(zip(v["value"], array.flatten())):
                if text != "?":
                    yield f"{name}: item {i}", text, int(item)


def contradictions(values, actual, model, feed):
    """What is wrong with the values of the main graph; and the symbols as bound."""
    wrong = []
    symbols = Symbols(symbols_of(model))
    for name in feed:
        if "dims" in values.get(name, {}):
            for text, size in zip(values[name]["dims"], feed[name].shape):
                symbols.bind(text, size)
    for name, v in values.items():
        array = actual.get(name)
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "iubfc":
            continue
        if v.get("dtype") and v["dtype"] != dtype_of(array):
            wrong.append(f"{name}: type {v['dtype']}, is {dtype_of(array)}")
        if "dims" in v and len(v["dims"]) != array.ndim:
            wrong.append(f"{name}: rank {len(v['dims'])}, is {array.ndim}")
        if "value" in v and len(v["value"]) != array.size:
            wrong.append(f"{name}: {len(v['value'])} items, is {array.size}")
    for what, text, size in pairs(values, actual):  # in order: a symbol is met alone first
        if symbols.value(text) is None:
            symbols.bind(text, size)
    for what, text, size in pairs(values, actual):
        value = symbols.value(text)
        if value is not None and value != size:
            wrong.append(f"{what} inferred {text} = {value}, is {size}")
    return wrong, symbols


def counts(values, model, actual, path):
    """Values of nodes; of them with a shape in terms of the inputs; the same by onnx."""
    produced = [n for node in model.graph.node for n in node.output
                if n in values and isinstance(actual.get(n), np.ndarray)]
    given = {s for i in model.graph.input for d in values.get(i.name, {}).get("dims", ())
             for s in FRESH.findall(d)}
    ours = sum("dims" in values.get(n, {}) and
               not any(set(FRESH.findall(d)) - given for d in values[n]["dims"])
               for n in produced)
    try:
        known = onnx.shape_inference.infer_shapes(onnx.load(path),
                                                  strict_mode=True, data_prop=True)
    except Exception:
        return len(produced), ours, 0
    params = {d.dim_param for i in known.graph.input for d in i.type.tensor_type.shape.dim}
    shapes = {v.name: v.type.tensor_type for v in
              list(known.graph.value_info) + list(known.graph.output)}
    theirs = sum(n in shapes and shapes[n].HasField("shape") and
                 all(d.HasField("dim_value") or (d.dim_param and d.dim_param in params)
                     for d in shapes[n].shape.dim) for n in produced)
    return len(produced), ours, theirs


def default_models():
    root = pathlib.Path(__file__).resolve().parent.parent
    corpus = root.parent / "shared" / "corpus"
    family = [p for f in ("bert", "roberta", "distilbert", "albert")
              for p in corpus.glob(f"{f}-*.onnx")]
    return sorted(map(str, root.glob("tests/models/*.onnx"))) + sorted(map(str, family))


def check(tool, path):
    """(contradictions, values, those known, those known to onnx, seconds)"""
    values, inside, seconds, run = dump(tool, path)
    model, session, probes = open_session(path, inside)
    feed = unoptimised.stored_inputs(path)

    def compare(inputs):
        actual = run_on(session, inputs)
        wrong, symbols = contradictions(values, actual, model, inputs)
        return actual, wrong + infer_bodies.contradictions(probes, inside, actual, symbols)

    actual, wrong = compare(feed)
    for size in (2, 1):  # not 0: ONNX Runtime itself divides by it
        try:
            _, more = compare(cut_inputs(feed, values, size))
        except Exception:
            continue  # a size that the model cannot be run with
        wrong += [f"(dims cut to {size}) {w}" for w in more]
    if run.returncode:
        wrong.append(f"infer_dump: exit {run.returncode}: {run.stderr[:300]}")
    return wrong, *counts(values, model, actual, path), seconds


def main():
    tool, paths = sys.argv[1], sys.argv[2:] or default_models()
    failed = total = known = onnx_known = 0
    for path in paths:
        name = pathlib.Path(path).name
        try:
            wrong, n, ours, theirs, seconds = check(tool, path)
        except Exception as e:
            print(f"{name}: NOT RUN: {(str(e) or repr(e)).splitlines()[0][:100]}")
            failed += 1
            continue
        total, known, onnx_known = total + n, known + ours, onnx_known + theirs
        print(f"{name}: {ours} of {n} shapes known, {theirs} by onnx, {seconds * 1e3:.1f} ms")
        for line in wrong[:20]:
            print(f"    WRONG {line}")
        failed += bool(wrong)
    print(f"{len(paths)} models, {failed} with contradictions or not run; {known} of {total} shapes known, "
          f"{onnx_known} by onnx")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
