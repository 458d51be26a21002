#!/usr/bin/env python3
"""The pass transpose on random graphs of the operators of its table, judged by ONNX Runtime.

    tests/transpose_random.py RUN_PASSES [--models N] [--seed S] [--keep DIR]

Chains with branches between Transposes, at several opsets, some dimensions open. The result
must be accepted by the checker, give the same, and have no more nodes; over all models
each operator must have been moved at least once. Exit 77: cannot tell.
"""

# SPDX-License-Identifier: Apache-2.0
import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
TOLERANCE = 1e-4
OPSETS = [9, 11, 12, 13, 17, 18, 21]

try:
    import numpy as np
    import onnx
    import unoptimised
    from onnx import TensorProto, helper, numpy_helper
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(SKIPPED)


class Builder:
    """A graph of float values; `shapes` has the shape of each."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.np = np.random.default_rng(seed)
        self.opset = self.r.choice(OPSETS)
        self.nodes, self.inits, self.shapes = [], [], {}
        self.counter = 0

    def name(self):
        self.counter += 1
        return f"v{self.counter}"

    def const(self, array):
        name = self.name()
        self.inits.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def ints(self, *items):
        return self.const(np.array(items, np.int64))

    def floats(self, *shape):
        return self.const(self.np.uniform(0.5, 1.5, shape).astype(np.float32))

    def node(self, op, inputs, shape, nout=1, **attrs):
        outs = [self.name() for _ in range(nout)]
        self.nodes.append(helper.make_node(op, inputs, outs, **attrs))
        for o, s in zip(outs, shape if nout > 1 else [shape]):
            self.shapes[o] = tuple(s)
        return outs if nout > 1 else outs[0]

    def list_param(self, op, x, name, items, shape, since, attrs=None):
        """A list that is an attribute before `since`, an operand from then on."""
        attrs = attrs or {}
        if self.opset < since:
            return self.node(op, [x], shape, **{name: items}, **attrs)
        return self.node(op, [x, self.ints(*items)], shape, **attrs)

    def axis(self, rank):
        a = self.r.randrange(rank)
        return a, a - rank if self.opset >= 11 and self.r.random() < 0.5 else a

    def transpose(self, x, perm):
        s = self.shapes[x]
        return self.node("Transpose", [x], [s[p] for p in perm], perm=perm)

    # --- operators: each gives a new value made from x, or None where it cannot

    def unary(self, x):
        return self.node(self.r.choice(["Relu", "Sigmoid", "Abs", "Tanh", "Identity"]), [x],
                         self.shapes[x])

    def transposed(self, x):
        return self.transpose(x, self.perm(len(self.shapes[x])))

    def clip(self, x):
        if self.opset < 11:
            return self.node("Clip", [x], self.shapes[x], min=0.1, max=0.9)
        return self.node("Clip", [x, self.const(np.float32(0.1))], self.shapes[x])

    def dropout(self, x):
        return self.node("Dropout", [x], self.shapes[x])

    def binary(self, x):
        s = list(self.shapes[x])
        kind = self.r.randrange(5)
        if kind == 0:
            other = self.same_shape(x)
        else:
            t = [d if self.r.random() < 0.6 else 1 for d in s]
            other = self.floats(*t[self.r.randrange(len(t) + 1) if kind < 4 else 0:])
        pair = [x, other]
        self.r.shuffle(pair)
        return self.node(self.r.choice(["Add", "Mul", "Sub", "Max"]), pair, s)

    def same_shape(self, x):
        fit = [v for v, s in self.shapes.items() if s == self.shapes[x]]
        return self.r.choice(fit)

    def where(self, x):
        c = self.node("Greater", [x, self.floats(1)], self.shapes[x])
        del self.shapes[c]
        return self.node("Where", [c, x, self.same_shape(x)], self.shapes[x])

    def prelu(self, x):
        return self.node("PRelu", [x, self.floats(self.shapes[x][-1])], self.shapes[x])

    def reduce(self, x):
        s = self.shapes[x]
        axes = sorted(self.r.sample(range(len(s)), self.r.randint(1, max(1, len(s) - 1))))
        keep = self.r.randrange(2)
        out = [1 if i in axes else d for i, d in enumerate(s) if keep or i not in axes]
        op = self.r.choice(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2"])
        return self.list_param(op, x, "axes", axes, out, 13 if op == "ReduceSum" else 18,
                               {"keepdims": keep})

    def argmax(self, x):
        s = list(self.shapes[x])
        a, axis = self.axis(len(s))
        keep = self.r.randrange(2)
        out = s[:a] + [1] * keep + s[a + 1:]
        i = self.node(self.r.choice(["ArgMax", "ArgMin"]), [x], out, axis=axis, keepdims=keep)
        del self.shapes[i]
        return self.node("Cast", [i], out, to=TensorProto.FLOAT)

    def concat(self, x):
        s = list(self.shapes[x])
        a, axis = self.axis(len(s))
        other = self.same_shape(x) if self.r.random() < 0.7 else self.floats(*s)
        s[a] *= 2
        return self.node("Concat", [x, other], s, axis=axis)

    def split(self, x):
        s = list(self.shapes[x])
        a, axis = self.axis(len(s))
        if s[a] < 2:
            return None
        sizes = [1, s[a] - 1]
        shapes = [s[:a] + [n] + s[a + 1:] for n in sizes]
        if self.opset < 13:
            return self.node("Split", [x], shapes, 2, axis=axis, split=sizes)[1]
        return self.node("Split", [x, self.ints(*sizes)], shapes, 2, axis=axis)[1]

    def pad(self, x):
        s = self.shapes[x]
        pads = [self.r.randrange(2) for _ in range(2 * len(s))]
        out = [d + pads[i] + pads[i + len(s)] for i, d in enumerate(s)]
        if self.opset >= 18 and self.r.random() < 0.5:
            a, axis = self.axis(len(s))
            out = [d + 3 * (i == a) for i, d in enumerate(s)]
            return self.node("Pad", [x, self.ints(1, 2), "", self.ints(axis)], out)
        return self.list_param("Pad", x, "pads", pads, out, 11)

    def slice(self, x):
        s = list(self.shapes[x])
        a, axis = self.axis(len(s))
        if s[a] < 2:
            return None
        s[a] -= 1
        if self.opset < 10:
            return self.node("Slice", [x], s, starts=[1], ends=[100], axes=[a])
        if a == 0 and self.r.random() < 0.5:
            return self.node("Slice", [x, self.ints(1), self.ints(100)], s)
        kind = self.r.choice([np.int32, np.int64])
        args = [self.const(np.array([i], kind)) for i in (1, 100, axis)]
        return self.node("Slice", [x] + args, s)

    def softmax(self, x):
        _, axis = self.axis(len(self.shapes[x]))
        op = self.r.choice(["Softmax", "LogSoftmax"])
        return self.node(op, [x], self.shapes[x], axis=axis)

    def cumsum(self, x):
        if self.opset < 11:
            return None
        a, axis = self.axis(len(self.shapes[x]))
        return self.node("CumSum", [x, self.const(np.array(axis, np.int64))], self.shapes[x])

    def topk(self, x):
        s = list(self.shapes[x])
        a, axis = self.axis(len(s))
        if self.opset < 11:
            return None
        s[a] = 1
        v, i = self.node("TopK", [x, self.ints(1)], [s, s], 2, axis=axis)
        del self.shapes[i]
        return v

    def gather(self, x):
        s = list(self.shapes[x])
        a, axis = self.axis(len(s))
        if self.r.random() < 0.5:
            return self.node("Gather", [x, self.const(np.array(0))], s[:a] + s[a + 1:], axis=axis)
        return self.node("Gather", [x, self.ints(0, s[a] - 1)], s[:a] + [2] + s[a + 1:],
                         axis=axis)

    def gather_elements(self, x):
        s = list(self.shapes[x])
        a, axis = self.axis(len(s))
        if self.opset < 11:
            return None
        s[a] = 2
        i = self.const(self.np.integers(0, self.shapes[x][a], s))
        return self.node("GatherElements", [x, i], s, axis=axis)

    def unsqueeze(self, x):
        s = list(self.shapes[x])
        a = self.r.randrange(len(s) + 1)
        if len(s) > 4:
            return None
        return self.list_param("Unsqueeze", x, "axes", [a], s[:a] + [1] + s[a:], 13)

    def squeeze(self, x):
        s = list(self.shapes[x])
        ones = [i for i, d in enumerate(s) if d == 1]
        if not ones:
            return None
        axes = sorted(self.r.sample(ones, self.r.randint(1, len(ones))))
        left = [d for i, d in enumerate(s) if i not in axes]
        return self.list_param("Squeeze", x, "axes", axes, left, 13)

    def tile(self, x):
        s = self.shapes[x]
        n = [self.r.choice([1, 1, 2]) for _ in s]
        return self.node("Tile", [x, self.ints(*n)], [a * b for a, b in zip(s, n)])

    def expand(self, x):
        s = self.shapes[x]
        n = [3 if d == 1 else 1 for d in s]
        return self.node("Expand", [x, self.ints(*n)], [max(a, b) for a, b in zip(s, n)])

    def resize(self, x):
        s = self.shapes[x]
        if len(s) != 4:
            return None
        mode = self.r.choice(["nearest", "linear"]) if self.opset >= 11 else "nearest"
        by = [1, 2, 2, 1] if mode == "nearest" and self.r.random() < 0.5 else [1, 1, 2, 2]
        scales = self.const(np.array(by, np.float32))
        out = [a * b for a, b in zip(s, by)]
        if self.opset < 10:
            return self.node("Upsample", [x, scales], out, mode=mode)
        if self.opset < 11:
            return self.node("Resize", [x, scales], out, mode=mode)
        if self.r.random() < 0.5:
            return self.node("Resize", [x, "", "", self.ints(*out)], out, mode=mode)
        return self.node("Resize", [x, "", scales], out, mode=mode,
                         coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    def quantise(self, x):
        s = self.shapes[x]
        attrs, shape = {}, ()
        if self.opset < 10:
            return None
        if self.opset >= 13 and self.r.random() < 0.6:
            a, axis = self.axis(len(s))
            attrs, shape = {"axis": axis}, (s[a],)
        scale = self.const(self.np.uniform(0.01, 0.02, shape).astype(np.float32))
        zero = self.const(self.np.integers(100, 120, shape).astype(np.uint8))
        q = self.node("QuantizeLinear", [x, scale, zero], s, **attrs)
        del self.shapes[q]
        return self.node("DequantizeLinear", [q, scale, zero], s, **attrs)

    def channel_norm(self, x):
        s = self.shapes[x]
        if len(s) < 3:
            return None
        kind = self.r.randrange(3)
        c = [self.floats(s[1]) for _ in range(4)]
        if kind == 0:
            return self.node("BatchNormalization", [x] + c, s)
        if kind == 1:
            return self.node("InstanceNormalization", [x] + c[:2], s)
        return self.node("GlobalAveragePool", [x], list(s[:2]) + [1] * (len(s) - 2))

    def layer_norm(self, x):
        s = self.shapes[x]
        if self.opset < 17:
            return None
        return self.node("LayerNormalization", [x, self.floats(s[-1])], s, axis=-1)

    def matmul(self, x):
        s = self.shapes[x]
        if len(s) < 2:
            return None
        return self.node("MatMul", [x, self.floats(s[-1], 3)], list(s[:-1]) + [3])

    def trilu(self, x):
        if self.opset < 14 or len(self.shapes[x]) < 2:
            return None
        return self.node("Trilu", [x], self.shapes[x])

    OPERATORS = [unary, unary, transposed, transposed, transposed, clip, dropout, binary,
                 binary, where, prelu, reduce, argmax, concat, split, pad, slice, softmax, cumsum, topk, gather, gather_elements,
                 unsqueeze, squeeze, tile, expand, resize, quantise, channel_norm, layer_norm,
                 matmul, trilu]

    def perm(self, rank):
        known = {4: [[0, 2, 3, 1], [0, 3, 1, 2], [0, 2, 1, 3], [0, 1, 3, 2]],
                 3: [[0, 2, 1], [1, 0, 2]]}
        if rank in known and self.r.random() < 0.8:
            return self.r.choice(known[rank])
        p = list(range(rank))
        self.r.shuffle(p)
        return p

    def build(self):
        rank = self.r.choice([3, 4, 4, 4])
        shape = [self.r.choice([1, 2, 3, 4]) for _ in range(rank)]
        ins = [self.name() for _ in range(2)]
        self.shapes.update({i: tuple(shape) for i in ins})
        perm = self.perm(rank)
        moved = [self.transpose(i, perm) for i in ins]
        for i in ins: # what follows works on the transposed values
            del self.shapes[i]
        x = moved[0]
        for _ in range(self.r.choice([1, 2, 3, 4, 5, 12])):
            y = self.r.choice(self.OPERATORS)(self, x)
            if y and len(self.shapes[y]) and np.prod(self.shapes[y]) < 5000:
                x = y
            if self.r.random() < 0.15:
                x = self.r.choice([v for v, s in self.shapes.items() if s])
        outs = [x]
        back = list(np.argsort(perm))
        if len(self.shapes[x]) == rank and self.r.random() < 0.8:
            outs = [self.transpose(x, [int(i) for i in back])]
        if self.r.random() < 0.3:
            outs.append(self.r.choice([v for v in self.shapes if v not in outs] or outs))
        return self.model(ins, shape, list(dict.fromkeys(outs)))

    def model(self, ins, shape, outs):
        opened = [f"d{i}" if self.r.random() < 0.3 else d for i, d in enumerate(shape)]
        graph = helper.make_graph(
            self.nodes, "g",
            [helper.make_tensor_value_info(i, TensorProto.FLOAT, opened) for i in ins],
            [helper.make_tensor_value_info(o, TensorProto.FLOAT, [None] * len(self.shapes[o]))
             for o in outs], self.inits)
        feed = {i: self.np.uniform(-2, 2, shape).astype(np.float32) for i in ins}
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)],
                                 ir_version=7 if self.opset < 15 else 8), feed


def run(path, feed):
    return unoptimised.session(path).run(None, feed)


def differs(want, got):
    for a, b in zip(want, got):
        if a.shape != b.shape or not np.allclose(a, b, TOLERANCE, TOLERANCE, equal_nan=True):
            return True
    return False


def fault_of(before, after, feed):
    """What is wrong with the result, or None."""
    try:
        onnx.checker.check_model(str(after), full_check=True)
        want, got = run(before, feed), run(after, feed)
    except Exception as e: # of the checker or the runtime: text alone tells
        return str(e)[:300]
    nodes = [len(onnx.load(p).graph.node) for p in (before, after)]
    if nodes[1] > nodes[0]:
        return f"{nodes[0]} nodes became {nodes[1]}"
    return "other results" if differs(want, got) else None


def moved_operators(before, after):
    """Operators of nodes that have other operands now."""
    old = {(n.op_type, tuple(n.input)) for n in onnx.load(before).graph.node}
    return {n.op_type for n in onnx.load(after).graph.node
            if n.op_type != "Transpose" and (n.op_type, tuple(n.input)) not in old}


EXPECTED = {"Relu", "Clip", "Dropout", "Add", "Where", "PRelu", "ReduceSum", "ReduceMean",
            "ArgMax", "Concat", "Split", "Pad", "Slice", "Softmax", "CumSum", "TopK", "Gather",
            "GatherElements", "Unsqueeze", "Squeeze", "Tile", "Expand", "Resize",
            "QuantizeLinear", "DequantizeLinear", "BatchNormalization",
            "InstanceNormalization", "GlobalAveragePool", "LayerNormalization", "MatMul"}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("run_passes")
    p.add_argument("--models", type=int, default=300)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--keep")
    args = p.parse_args()
    moved, changed, faults, skipped = set(), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        before, after = pathlib.Path(folder, "in.onnx"), pathlib.Path(folder, "out.onnx")
        for seed in range(args.seed, args.seed + args.models):
            model, feed = Builder(seed).build()
            onnx.save(model, before)
            try:
                onnx.checker.check_model(str(before), full_check=True)
                run(before, feed)
            except Exception: # a model that does not run shows nothing
                skipped += 1
                continue
            done = subprocess.run([args.run_passes, "transpose", before, after],
                                  capture_output=True, text=True)
            fault = fault_of(before, after, feed) if done.returncode == 0 else (
                done.stderr[-2000:] or "it failed")
            if fault:
                faults += 1
                print(f"seed {seed}: {fault}")
                if args.keep:
                    shutil.copy(before, pathlib.Path(args.keep, f"{seed}.onnx"))
                continue
            new = moved_operators(before, after)
            changed += bool(new)
            moved |= new
    missing = sorted(EXPECTED - moved) if args.models >= 300 else []
    print(f"{args.models} models, {skipped} do not run, {changed} changed, {faults} wrong"
          + (f"; never moved: {missing}" if missing else ""))
    return bool(faults or missing or skipped > args.models // 10)


sys.exit(main())
