#!/usr/bin/env python3
"""The evaluator against ONNX Runtime without optimisations. Exit 77: cannot tell.

    tests/eval_runtime.py EVAL_CASE [-v] [--only OP]

Every operator of CASES, for every element type that the runtime runs it with, on edge
values (zeros of both signs, NaN, infinities, denormals, the bounds of the type, all pairs
of them for two operands) and random ones. What is moved or of integers must be the same
bit for bit, floats as near as ULPS says. Not to evaluate is always right.
"""

# SPDX-License-Identifier: Apache-2.0
import collections
import pathlib
import sys
import tempfile

import eval_backend as backend
from eval_backend import np, onnx

try:
    import ml_dtypes
    import unoptimised
except ImportError as e:
    backend.skip(str(e))
from onnx import TensorProto, helper, numpy_helper

OPSET = 21
FLOATS = ["FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16"]
INTS = ["INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"]
NUMBERS = FLOATS + INTS
ANY = [*NUMBERS, "BOOL"]
RNG = np.random.default_rng(7)


def dtype(t):
    return helper.tensor_dtype_to_np_dtype(getattr(TensorProto, t))


def edges(t, few=False):
    """Edge values of the type, and some random ones."""
    d = dtype(t)
    if t == "BOOL":
        return np.array([False, True, True], d)
    if t in INTS:
        i = np.iinfo(d)
        known = [0, 1, 2, 3, 5, 7, i.max, i.max - 1, i.min, i.min + 1]
        known += [] if i.min == 0 else [-1, -2, -3, -7]
        return np.concatenate([np.array(known, d), RNG.integers(i.min, i.max, 2 if few else 20, d)])
    f = ml_dtypes.finfo(d)
    known = [0.0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3, 0.1, -7.25, np.nan, np.inf, -np.inf,
             float(f.max), float(f.min), float(f.tiny), float(f.smallest_subnormal), 100, -100]
    return np.concatenate([np.array(known).astype(d), RNG.normal(0, 3, 3 if few else 60).astype(d)])


def pairs(t):
    v = edges(t, few=True)
    return v.reshape(-1, 1), v.reshape(1, -1)


def random(t, *shape):
    d = dtype(t)
    if t == "BOOL":
        return RNG.integers(0, 2, shape).astype(d)
    if t in INTS:
        return RNG.integers(0 if np.iinfo(d).min == 0 else -9, 10, shape).astype(d)
    return RNG.normal(0, 2, shape).astype(d)


def nonzero(t):
    """Pairs whose second is not zero; nor the least by -1, which the runtime traps at."""
    x, y = pairs(t)
    if t in INTS:
        y = y[(y != 0) & (y != np.array(-1).astype(y.dtype))].reshape(1, -1)
    return x, y


def ints(*v):
    return np.array(v, np.int64)


CASES = []  # (operator, types, inputs of a type, attributes)


def add(ops, types, make, **attributes):
    CASES.extend((op, types, make, attributes) for op in ops.split())


add("""Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid
    HardSwish IsInf IsNaN LeakyRelu Log Mish Neg Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin
    Sinh Softplus Softsign Sqrt Tan Tanh ThresholdedRelu BitwiseNot Identity
    """, NUMBERS, lambda t: [edges(t)])
add("Gelu", FLOATS, lambda t: [edges(t)], approximate="tanh")
add("IsInf", FLOATS, lambda t: [edges(t)], detect_negative=0)
add("Selu Elu Celu LeakyRelu ThresholdedRelu", FLOATS, lambda t: [edges(t)], alpha=0.7)
add("Shrink", FLOATS, lambda t: [edges(t)], lambd=1.5, bias=0.5)
add("Add Sub Mul Min Max Equal Greater GreaterOrEqual Less LessOrEqual BitwiseAnd BitwiseOr BitwiseXor Pow",
    NUMBERS, lambda t: list(pairs(t)))
add("PRelu", FLOATS, lambda t: [np.tile(edges(t, few=True), (3, 1)), random(t, 3, 1)])
add("Div Mod", NUMBERS, lambda t: list(nonzero(t)))
add("Mod", NUMBERS, lambda t: list(nonzero(t)), fmod=1)
add("And Or Xor Equal", ["BOOL"], lambda t: list(pairs(t)))
add("Not", ["BOOL"], lambda t: [edges(t)])
add("Sum Mean Min Max", NUMBERS, lambda t: [*pairs(t), edges(t, few=True)])
add("Clip", NUMBERS, lambda t: [edges(t), np.array(1, dtype(t)), np.array(3, dtype(t))])
add("Clip", NUMBERS, lambda t: [edges(t), np.array(3, dtype(t)), np.array(1, dtype(t))])
for way in ("LEFT", "RIGHT"):
    add("BitShift", INTS, lambda t: [edges(t), np.array(3, dtype(t))], direction=way)
for to in [*ANY, "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "INT4", "UINT4"]:
    add("Cast", ANY, lambda t: [edges(t)], to=getattr(TensorProto, to))
    add("Cast", FLOATS, lambda t: [random(t, 40)], to=getattr(TensorProto, to))
for to in ("INT4", "UINT4"):
    add("Cast", FLOATS, lambda t: [np.arange(8).astype(dtype(t))], to=getattr(TensorProto, to))
    add("Cast", FLOATS, lambda t: [(np.arange(14) / 2).astype(dtype(t))], to=getattr(TensorProto, to))
add("Cast", FLOATS, lambda t: [edges(t)], to=TensorProto.FLOAT8E4M3FN, saturate=0)
add("Cast", FLOATS, lambda t: [edges(t)], to=TensorProto.FLOAT8E5M2, saturate=0)
add("""ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare
    ReduceLogSum ReduceLogSumExp""", NUMBERS, lambda t: [random(t, 3, 4, 5), ints(0, 2)])
add("ReduceSum ReduceMax ReduceMin", NUMBERS, lambda t: [random(t, 3, 4), ints(1)], keepdims=0)
add("ReduceMax ReduceMin", FLOATS, lambda t: [edges(t).reshape(-1, 3), ints(1)])
add("ArgMax ArgMin", NUMBERS, lambda t: [random(t, 3, 7)], axis=1)
add("ArgMax ArgMin", NUMBERS, lambda t: [random(t, 3, 7)], axis=1, select_last_index=1)
add("CumSum", NUMBERS, lambda t: [random(t, 3, 7), ints(1)[0]])
add("CumSum", NUMBERS, lambda t: [random(t, 3, 7), ints(1)[0]], exclusive=1, reverse=1)
add("Softmax LogSoftmax Hardmax", FLOATS, lambda t: [random(t, 3, 4, 5)], axis=1)
add("LayerNormalization", FLOATS, lambda t: [random(t, 3, 8), random(t, 8), random(t, 8)])
add("TopK", NUMBERS, lambda t: [random(t, 3, 9), ints(4)])
add("TopK", NUMBERS, lambda t: [random(t, 3, 9), ints(4)], largest=0, axis=0 + 1)
add("Unique", NUMBERS, lambda t: [random(t, 30)])
add("Unique", NUMBERS, lambda t: [random(t, 30)], sorted=0)
add("Gather", ANY, lambda t: [random(t, 4, 5), ints(-1, 0, 2)], axis=1)
add("GatherElements", ANY, lambda t: [random(t, 4, 5), RNG.integers(-4, 4, (3, 5))])
add("GatherND", ANY, lambda t: [random(t, 4, 5), RNG.integers(-4, 4, (3, 2))])
for how in ("none", "add", "mul", "min", "max"):
    add("ScatterElements", ANY, lambda t: [random(t, 4, 5), RNG.integers(-4, 4, (3, 5)), random(t, 3, 5)],
        reduction=how)
    add("ScatterND", ANY, lambda t: [random(t, 4, 5), RNG.integers(-4, 4, (6, 1)), random(t, 6, 5)],
        reduction=how)
add("OneHot", NUMBERS, lambda t: [ints(0, 2, -1, 7), ints(4)[0], random(t, 2)])
add("NonZero", ANY, lambda t: [random(t, 4, 5)])
add("Trilu", ANY, lambda t: [random(t, 2, 4, 5), ints(-1)[0]], upper=0)
add("Compress", ANY, lambda t: [random(t, 4, 5), np.array([True, False, True])], axis=0)
add("Range", NUMBERS, lambda t: [np.array(v, dtype(t)) for v in (1, 20, 3)])
add("Range", FLOATS, lambda t: [np.array(v, dtype(t)) for v in (0.1, -3, -0.3)])
add("Where", ANY, lambda t: [random("BOOL", 4, 1), random(t, 5), random(t, 4, 5)])
add("Transpose", ANY, lambda t: [random(t, 2, 3, 4)], perm=[2, 0, 1])
add("Expand", ANY, lambda t: [random(t, 3, 1), ints(2, 1, 4)])
add("Tile", ANY, lambda t: [random(t, 2, 3), ints(2, 3)])
add("Concat", ANY, lambda t: [random(t, 2, 3), random(t, 2, 1)], axis=1)
add("Slice", ANY, lambda t: [random(t, 4, 7), ints(6, -9), ints(-9, 3), ints(1, 0), ints(-2, 1)])
add("Pad", ANY, lambda t: [random(t, 4, 5), ints(1, 2, 0, 3)], mode="wrap")
for mode in ("constant", "edge", "reflect"):
    add("Pad", ANY, lambda t: [random(t, 4, 5), ints(1, 2, -1, 3)], mode=mode)
add("SpaceToDepth", FLOATS, lambda t: [random(t, 1, 2, 4, 6)], blocksize=2)
add("DepthToSpace", FLOATS, lambda t: [random(t, 1, 8, 2, 3)], blocksize=2)
add("DepthToSpace", FLOATS, lambda t: [random(t, 1, 8, 2, 3)], blocksize=2, mode="CRD")
add("MatMul", NUMBERS, lambda t: [random(t, 2, 3, 4), random(t, 4, 5)])
add("Gemm", NUMBERS, lambda t: [random(t, 4, 3), random(t, 5, 4), random(t, 5)], transA=1, transB=1, alpha=0.5)
add("Einsum", NUMBERS, lambda t: [random(t, 2, 3, 4), random(t, 2, 4, 5)], equation="bij, bjk -> bik")
add("Einsum", NUMBERS, lambda t: [random(t, 3, 4)], equation="ij->ji")
add("EyeLike", NUMBERS, lambda t: [random(t, 3, 4)], k=1)
QUANTS = ["INT8", "UINT8", "INT16", "UINT16", "FLOAT8E4M3FN", "FLOAT8E5M2", "INT4", "UINT4"]
for q in QUANTS:
    add("QuantizeLinear", ["FLOAT", "FLOAT16", "INT32"], lambda t, q=q: [
        edges(t)[np.isfinite(edges(t).astype(float))] if t != "INT32" else edges(t),
        np.array(0.3, dtype("FLOAT" if t == "INT32" else t)), np.zeros((), dtype(q))])
    add("QuantizeLinear", ["FLOAT", "FLOAT16"], lambda t, q=q: [
        random(t, 3, 4), np.array([0.1, 0.5, 3], dtype(t)), np.array([0, 0, 0]).astype(dtype(q))], axis=0)
    add("DequantizeLinear", [q], lambda t: [
        RNG.integers(0, 7, (4, 6)).astype(np.float32).astype(dtype(t)), np.abs(random("FLOAT", 2, 6)),
        np.zeros((2, 6), dtype(t))], axis=0, block_size=2)
    add("DequantizeLinear", [q], lambda t: [
        RNG.integers(0, 7, (4, 6)).astype(np.float32).astype(dtype(t)), np.abs(random("FLOAT16", 6)),
        np.zeros(6, dtype(t))], axis=1)

# Units of the last place by which floats may differ, where they may: of the larger of the
# result and 1, since the runtime approximates these functions or sums in another order.
ULPS = {op: 4 for op in """Acos Asin Atan Celu Cos Einsum Elu Erf Exp Gelu Gemm HardSwish
    LayerNormalization Log LogSoftmax MatMul Mean Mish ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp
    ReduceMean ReduceProd ReduceSum ReduceSumSquare Selu Sigmoid Sin Softmax Softplus Softsign
    Tanh""".split()}
# (operator, type), and why the results may differ.
DIFFERENT = {
    ("Shrink", "DOUBLE"): "the runtime computes it in float",
    ("Gelu", "DOUBLE"): "the runtime has its constants in float",
    ("Sign", "FLOAT16"): "of NaN the runtime gives 0 here, NaN for the other types",
}


def model_of(op, inputs, attributes):
    """The node over initializers, its outputs' types from inference; None when it is invalid."""
    protos = [numpy_helper.from_array(np.asarray(v), f"x{i}") for i, v in enumerate(inputs)]
    outputs = {"TopK": 2, "Unique": 4}.get(op, 1)
    node = helper.make_node(op, [p.name for p in protos], [f"y{i}" for i in range(outputs)], **attributes)
    graph = helper.make_graph([node], "g", [], [onnx.ValueInfoProto(name=o) for o in node.output], protos)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    try:
        return onnx.shape_inference.infer_shapes(model, strict_mode=True)
    except Exception:  # a type that the operator does not have
        return None


def reference(constant):
    """The runtime's results as arrays (None where numpy has no such type), or None."""
    try:
        values = unoptimised.session(constant).run_with_ort_values(None, {})
    except Exception:  # there is no kernel
        return None
    found = []
    for v in values:
        try:
            found.append(np.array(v.numpy()))
        except RuntimeError:
            found.append(None)
    return found


def distances(got, want, op):
    """Of each element, in units of the last place."""
    f = ml_dtypes.finfo(want.dtype)
    a, b = got.astype(np.float64), want.astype(np.float64)
    step = np.maximum(np.abs(b), 1 if op in ULPS else float(f.tiny)) * float(f.eps)
    with np.errstate(invalid="ignore"):
        far = np.abs(a - b) / step
    return np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, np.nan_to_num(far, nan=np.inf))


def fault(got, want, op, inputs, worst):
    """What is different, or None."""
    if got.dtype.itemsize == 1 and want.dtype == np.uint8:
        got = got.view(np.uint8)
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"{got.dtype}{got.shape} for {want.dtype}{want.shape}"
    if want.dtype.kind == "f":
        far = distances(got, want, op)
        worst[op] = max(worst[op], far.max(initial=0))
        bad = far > ULPS.get(op, 0)
    else:
        bad = np.asarray(got != want)
    if not bad.any():
        return None
    text = f"{got[bad][:4]} for {want[bad][:4]}"
    same = [x for x in inputs if x.ndim == want.ndim and all(a in (1, b) for a, b in zip(x.shape, want.shape))]
    return text + "".join(f" at {np.broadcast_to(x, want.shape)[bad][:4]}" for x in same)


def jobs(only):
    """(operator, type, attributes, inputs, model) of each case that the checker takes."""
    for op, types, make, attributes in CASES:
        for t in types:
            inputs = make(t) if only in (None, op) else None
            model = inputs and model_of(op, inputs, attributes)
            if model:
                yield op, t, attributes, inputs, model


def main():
    tool, verbose = sys.argv[1], "-v" in sys.argv
    every = list(jobs(sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else None))
    with tempfile.TemporaryDirectory() as folder:
        results = backend.run(tool, [j[-1] for j in every], pathlib.Path(folder))
    tally, worst, wrong = collections.Counter(), collections.defaultdict(float), 0
    for (op, t, attributes, inputs, model), got in zip(every, results, strict=True):
        want = reference(model)
        what = ("not run by the runtime" if want is None else "left" if got is None else
                "different" if (op, t) in DIFFERENT else "compared")
        tally[what] += 1
        if what == "left" and verbose:
            print(f"left: {op} {t} {attributes}")
        for g, w in zip(got, want, strict=True) if what == "compared" else []:
            found = None if w is None else fault(
                numpy_helper.to_array(backend.parse(g)), w, op, inputs, worst)
            if found:
                wrong += 1
                print(f"{op} {t} {attributes}: {found}")
    for op, far in sorted(worst.items()) if verbose else []:
        print(f"{op}: {far:.2f} ulp")
    print(f"{len(every)} cases:", ", ".join(f"{n} {what}" for what, n in tally.items()) + f", {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
