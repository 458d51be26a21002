#!/usr/bin/env python3
"""Inference against the node tests of the onnx package. Exit 77: cannot tell.

    tests/infer_backend.py INFER_DUMP [-v] [--update | --current]

Every node test is inferred three times, with nothing said of its outputs:

    sizes     the inputs have the shapes of the test
    symbols   every dimension of an input is a symbol of its own
    values    the inputs are initializers, so that a shape given as an operand is known

Whatever is inferred must hold of the expected outputs: element types, ranks, dimensions
(symbols bound to the sizes of the inputs). A test is complete when every dimension of its
outputs is a number by sizes, or by values. At least COMPLETE of the tests are, without those
whose shape depends on data (DATA). The others are listed in docs/inference.md, by --update;
--current checks that the list is what it would be.
"""

# SPDX-License-Identifier: Apache-2.0
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

SKIPPED = 77
COMPLETE = 0.99
DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "inference.md"
BEGIN, END = "<!-- backend: begin -->\n", "<!-- backend: end -->\n"

# The contents of an operand, and no operand that states sizes, decide how large the result is.
DATA = {
    "Compress": "as many as conditions are true",
    "ImageDecoder": "the size of the encoded picture",
    "Loop": "as long as the body goes on; a state may grow",
    "NonMaxSuppression": "as many boxes as are selected",
    "NonZero": "as many as are not zero",
    "StringNormalizer": "stop words are left out",
    "StringSplit": "as many columns as the text with the most words",
    "Unique": "as many as are distinct",
}

try:
    import numpy as np
    import onnx
    from onnx import numpy_helper

    import infer_check
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(SKIPPED)


def tests():
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_model_tests(kind="node")


# --- the three models of a test --------------------------------------------------------


def without_outputs(case):
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    for output in model.graph.output:
        output.ClearField("type")
    return model


def with_symbols(case):
    model = without_outputs(case)
    for i, tensor in enumerate(model.graph.input):
        if tensor.type.HasField("tensor_type"):
            for axis, dim in enumerate(tensor.type.tensor_type.shape.dim):
                dim.dim_param = f"in{i}_{axis}"
    return model


def with_values(case):
    model = without_outputs(case)
    kept = []
    for tensor, value in zip(model.graph.input, case.data_sets[0][0]):
        if isinstance(value, onnx.TensorProto):
            model.graph.initializer.add().CopyFrom(value)
        elif isinstance(value, (np.ndarray, np.generic)):
            model.graph.initializer.append(numpy_helper.from_array(np.asarray(value)))
        else:
            kept.append(tensor)
            continue
        model.graph.initializer[-1].name = tensor.name
    del model.graph.input[:]
    model.graph.input.extend(kept)
    return model


VARIANTS = {"sizes": without_outputs, "symbols": with_symbols, "values": with_values}


def infer(tool, models, folder):
    """For each model what is known of the values of its main graph, by name."""
    paths = []
    for i, model in enumerate(models):
        paths.append(str(folder / f"{i}.onnx"))
        pathlib.Path(paths[-1]).write_bytes(model.SerializeToString())
    run = subprocess.run([tool, *paths], capture_output=True, text=True)
    results = [{}]
    for line in map(json.loads, run.stdout.splitlines()):
        if "model" in line:
            if line["code"]:
                sys.exit(f"{line['model']}: exit {line['code']}: {run.stderr[-400:]}")
            results.append({})
        elif line["graph"] == "":
            results[-1][line["name"]] = line
    if len(results) != len(models) + 1:
        sys.exit(f"{tool}: stopped at {paths[len(results) - 1]}: {run.stderr[-1000:]}")
    return results[:-1]


# --- comparing -------------------------------------------------------------------------


def shape_of(value):
    return tuple(value.dims) if isinstance(value, onnx.TensorProto) else np.shape(value)


def dtype_of(value):
    if isinstance(value, onnx.TensorProto):
        return value.data_type
    return infer_check.dtype_of(np.asarray(value))


def faults(known, value, symbols, name):
    """What of an inferred type does not hold of a value."""
    if known is None or value is None or "kind" not in known:
        return
    if isinstance(value, list):
        if "elem" not in known:
            yield f"{name}: kind {known['kind']}, is a sequence"
        for item in value:
            yield from faults(known.get("elem"), item, symbols, f"{name}: element")
        return
    if "elem" in known:  # an optional that holds the value
        known = known["elem"]
    if known["dtype"] not in (0, dtype_of(value)):
        yield f"{name}: type {known['dtype']}, is {dtype_of(value)}"
    shape = shape_of(value)
    if "dims" not in known:
        return
    if len(known["dims"]) != len(shape):
        yield f"{name}: dims {known['dims']}, is {shape}"
        return
    for text, size in zip(known["dims"], shape):
        found = symbols.value(text)
        if found is None:
            symbols.bind(text, size)
        elif found != size:
            yield f"{name}: dims {known['dims']}, is {shape}"
            return


def bound(case, variant):
    """Symbols of the inputs, with the sizes that they have in the test."""
    if variant != "symbols":
        return infer_check.Symbols(())
    sizes = {}
    for i, value in enumerate(case.data_sets[0][0]):
        if value is not None and not isinstance(value, list):
            sizes.update({f"in{i}_{axis}": s for axis, s in enumerate(shape_of(value))})
    symbols = infer_check.Symbols(sizes)
    symbols.known = {symbols.identifier[name]: size for name, size in sizes.items()}
    return symbols


def is_complete(known, value):
    """Element type and all dims are known; of a sequence or optional what it is made of."""
    if known is None:
        return False
    if "elem" in known:
        while "elem" in known:
            known = known["elem"]
        return known["dtype"] != 0
    if value is None:
        return "kind" in known
    return known.get("dtype") and "dims" in known and all(d.isdigit() for d in known["dims"])


def outputs_of(case):
    return [(o.name, v) for o, v in zip(case.model.graph.output, case.data_sets[0][1])]


def contradictions(case, variant, known):
    symbols = bound(case, variant)
    for name, value in outputs_of(case):
        yield from faults(known.get(name), value, symbols, f"{case.name} ({variant}): {name}")


def complete(case, known):
    return all(is_complete(known.get(name), value) for name, value in outputs_of(case))


# --- the report ------------------------------------------------------------------------


def operator_of(case):
    ops = [n.op_type for n in case.model.graph.node]
    return ops[0] if len(ops) == 1 else next((o for o in ops if o in DATA), ops[-1])


def report(every, known):
    """The text for the docs, and the share that is complete."""
    groups = collections.Counter()
    open_by_data, left = collections.defaultdict(list), []
    for case, sizes, values in zip(every, known["sizes"], known["values"]):
        op = operator_of(case)
        if complete(case, sizes):
            groups["sizes"] += 1
        elif complete(case, values):
            groups["values"] += 1
        elif op in DATA:
            open_by_data[op].append(case.name)
        else:
            left.append((op, case.name))
    done = groups["sizes"] + groups["values"]
    lines = [f"Of {len(every)} node tests (onnx {onnx.__version__}) {groups['sizes']} have a "
             f"complete shape\nby the shapes of their operands alone, {groups['values']} more "
             "when the operands that state\nsizes are constants. In "
             f"{sum(map(len, open_by_data.values()))} the result depends on data:\n"]
    lines += ["| operator | tests | why |", "|---|---|---|"]
    lines += [f"| {op} | {len(names)} | {DATA[op]} |" for op, names in sorted(open_by_data.items())]
    if left:
        lines += ["", f"and in {len(left)} it is not inferred:", ""]
        lines += [f"* {op}: `{name}`" for op, name in sorted(left)]
    return "\n".join(lines) + "\n", done / (done + len(left)), left


def replace_in_docs(text, write):
    old = DOCS.read_text()
    before, rest = old.split(BEGIN)
    _, after = rest.split(END)
    new = before + BEGIN + text + END + after
    if write:
        DOCS.write_text(new)
    return new == old


def main():
    tool, flags = sys.argv[1], sys.argv[2:]
    every, known, wrong = tests(), {}, []
    for variant, make in VARIANTS.items():
        with tempfile.TemporaryDirectory() as folder:
            known[variant] = infer(tool, [make(c) for c in every], pathlib.Path(folder))
        for case, values in zip(every, known[variant]):
            wrong += contradictions(case, variant, values)
    text, share, left = report(every, known)
    for line in wrong:
        print(f"WRONG {line}")
    if "-v" in flags:
        print(*(f"{op}: {name}" for op, name in sorted(left)), sep="\n")
    print(f"{len(every)} tests, {len(wrong)} contradictions, {share:.2%} complete")
    current = True
    if "--update" in flags or "--current" in flags:
        current = replace_in_docs(text, "--update" in flags) or "--update" in flags
        if not current:
            print("docs/inference.md is not current: run tests/infer_backend.py --update")
    return 1 if wrong or share < COMPLETE or not current else 0


if __name__ == "__main__":
    sys.exit(main())
