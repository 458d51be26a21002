#!/usr/bin/env python3
"""The evaluator against the node tests of the onnx package. Exit 77: cannot tell.

    tests/eval_backend.py EVAL_CASE [-v] [--update]

Every node test of an operator of OPS becomes a model whose inputs are initializers;
EVAL_CASE (tests/tools/eval_case.c) evaluates them. What is moved or of integers must be
the same bit for bit, floats within a few units of the last place. NOT_EVALUATED lists by
test what is refused on purpose; a test that is in the list and evaluated is an error too. How many tests of each operator are
evaluated and left is pinned in docs/evaluation.md; --update writes it.
"""

# SPDX-License-Identifier: Apache-2.0
import collections
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

SKIPPED = 77
DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs/evaluation.md"
TABLE = ("<!-- made by tests/eval_backend.py --update -->\n", "<!-- end -->\n")
OPS = set("""
    Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh BitCast BitShift
    BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast CastLike Ceil Celu Clip Compress
    Concat Constant ConstantOfShape Cos Cosh CumProd CumSum DepthToSpace
    DequantizeLinear Div Einsum Elu Equal Erf Exp Expand EyeLike Flatten Floor Gather
    GatherElements GatherND Gelu Gemm Greater GreaterOrEqual HardSigmoid HardSwish
    Hardmax Identity IsInf IsNaN LayerNormalization LeakyRelu Less LessOrEqual Log
    LogSoftmax MatMul Max Mean Min Mish Mod Mul Neg NonZero Not OneHot Or PRelu Pad Pow
    QuantizeLinear RMSNormalization Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum
    ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare
    Relu Reshape Round Scatter ScatterElements ScatterND Selu Shape Shrink Sigmoid Sign
    Sin Sinh Size Slice Softmax Softplus Softsign SpaceToDepth Split Sqrt Squeeze Sub
    Sum Swish Tan Tanh ThresholdedRelu Tile TopK Transpose Trilu Unique Unsqueeze Where
    Xor
""".split())

# Pattern of test names, and why.
NOT_EVALUATED = {
    r"test_cast(like)?_FLOAT(16)?_to_U?INT[24](_expanded)?": "floats beyond the type: undefined",
    r"test_cast(like)?_FLOAT(16)?_to_FLOAT4E2M1(_expanded)?": "NaN to a type without it",
    r"test_equal_string(_broadcast)?": "strings are moved, not computed with",
    r"test_reduce_max_empty_set_bool": "no least value to begin with",
    r"test_einsum_batch_diagonal": "an ellipsis",
    r"test_unique_sorted_with_(negative_)?axis.*": "slices are not compared",
}


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


try:
    import numpy as np
    import onnx
    from onnx import numpy_helper
except ImportError as e:
    skip(str(e))


def as_tensor(value, name):
    """A TensorProto with raw data (or strings), or None for sequences and optionals."""
    if isinstance(value, onnx.TensorProto):
        tensor = onnx.TensorProto()
        tensor.CopyFrom(value)
    elif isinstance(value, (np.ndarray, np.generic)):
        tensor = numpy_helper.from_array(np.asarray(value))
    else:
        return None
    tensor.name = name
    return tensor


def cases():
    """(name, model with initializers, expected outputs) of each test that is about OPS."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collected = collect_testcases(None)
    for case in collected:
        graph = case.model.graph
        if len(graph.node) != 1 or graph.node[0].op_type not in OPS or graph.node[0].domain:
            continue
        for inputs, outputs in case.data_sets:
            named = [as_tensor(v, i.name) for v, i in zip(inputs, graph.input)]
            wanted = [as_tensor(v, o.name) for v, o in zip(outputs, graph.output)]
            if None in named or None in wanted:
                continue
            model = onnx.ModelProto()
            model.CopyFrom(case.model)
            del model.graph.input[:]
            model.graph.initializer.extend(named)
            yield case.name, model, wanted


def run(tool, models, folder):
    """For each model the results as printed by the tool, or None."""
    paths = []
    for i, model in enumerate(models):
        paths.append(str(folder / f"{i}.onnx"))
        pathlib.Path(paths[-1]).write_bytes(model.SerializeToString())
    done = subprocess.run([tool, *paths], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{tool}: {done.stderr}")
    results = []
    for line in done.stdout.split("\n")[:-1]:
        if line.startswith("= "):
            results.append(None if line.endswith(" none") else [])
        else:
            results[-1].append(line)
    return results


def parse(line):
    """A result line as TensorProto."""
    dtype, dims, data = line.split(" ")
    tensor = onnx.TensorProto(data_type=int(dtype))
    tensor.dims.extend(int(d) for d in dims.split(",") if d)
    if tensor.data_type == onnx.TensorProto.STRING:
        tensor.string_data.extend(bytes.fromhex(s) for s in data.split(".")[:-1])
    else:
        tensor.raw_data = bytes.fromhex(data)
    return tensor


# Relative and absolute difference allowed, by the bits of the floating type.
CLOSE = {8: (4e-15, 1e-15), 4: (2e-6, 1e-7), 2: (1e-2, 1e-6)}


def difference(got, wanted, exact):
    """What is different, or None."""
    if got.data_type != wanted.data_type or list(got.dims) != list(wanted.dims):
        return f"{got.data_type}{list(got.dims)} for {wanted.data_type}{list(wanted.dims)}"
    if got.data_type == onnx.TensorProto.STRING:
        same = list(got.string_data) == list(wanted.string_data)
        return None if same else f"{got.string_data} for {wanted.string_data}"
    a, b = numpy_helper.to_array(got), numpy_helper.to_array(wanted)
    kind = a.dtype.kind
    floating = kind == "f" or (kind == "V" and "float" in str(a.dtype))
    if not floating:
        return None if np.array_equal(a, b) else f"{a.ravel()[:8]} for {b.ravel()[:8]}"
    size = a.dtype.itemsize
    a, b = a.astype(np.float64), b.astype(np.float64)
    rtol, atol = (0, 0) if exact or size == 1 else CLOSE[size]
    close = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True) | (a == b)
    if close.all():
        return None
    return f"{a[~close][:4]} for {b[~close][:4]}"


EXACT = set("""
    Abs Cast CastLike Ceil Concat Constant ConstantOfShape Expand EyeLike Flatten Floor
    Gather GatherElements GatherND Identity Max Min Neg OneHot Pad Relu Reshape Round
    ScatterND Sign Slice Split Squeeze Tile Transpose Trilu Unsqueeze Where
""".split())


def reason(name):
    return next((why for p, why in NOT_EVALUATED.items() if re.fullmatch(p, name)), None)


def table(every, results):
    """Operators with how many of their tests are evaluated and left, three to a row."""
    done, left = collections.Counter(), collections.Counter()
    for (_, model, _), got in zip(every, results):
        (left if got is None else done)[model.graph.node[0].op_type] += 1
    cells = [f"{op} | {done[op]} | {left[op] or ''}" for op in sorted(set(done) | set(left))]
    cells += [" | | "] * (-len(cells) % 3)
    rows = [cells[i : i + 3] for i in range(0, len(cells), 3)]
    head = "| " + " | ".join(["operator | evaluated | left"] * 3) + " |\n|" + "---|" * 9 + "\n"
    return head + "".join("| " + " | ".join(row) + " |\n" for row in rows)


def check_docs(text, update):
    """Is the table in the docs this one?"""
    docs = DOCS.read_text()
    before, rest = docs.split(TABLE[0])
    now, after = rest.split(TABLE[1])
    if update:
        DOCS.write_text(before + TABLE[0] + text + TABLE[1] + after)
    elif now != text:
        print(f"the table in {DOCS.name} is not current: run with --update")
        return False
    return True


def main():
    tool, verbose = sys.argv[1], "-v" in sys.argv[2:]
    every = list(cases())
    with tempfile.TemporaryDirectory() as folder:
        results = run(tool, [model for _, model, _ in every], pathlib.Path(folder))
    wrong = refused = 0
    for (name, model, wanted), got in zip(every, results, strict=True):
        why = reason(name)
        refused += got is None
        if got is None or why:
            fault = None if got is None and why else "evaluated after all" if why else "refused"
            if got is None and why and verbose:
                print(f"{name}: not evaluated: {why}")
        else:
            exact = model.graph.node[0].op_type in EXACT
            faults = [difference(parse(g), w, exact) for g, w in zip(got, wanted, strict=True)]
            fault = next((f for f in faults if f), None)
        if fault:
            print(f"{name}: {fault}")
            wrong += 1
    wrong += not check_docs(table(every, results), "--update" in sys.argv[2:])
    tested = {model.graph.node[0].op_type for _, model, _ in every}
    print(f"{len(every)} tests of {len(tested)} operators, {refused} not evaluated, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
