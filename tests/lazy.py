#!/usr/bin/env python3
"""Constants that are computed when they are written: values, bounds, hostile chains.

    lazy.py --onnxrw build/onnxrw [--seed N] [--count N]

Expressions of random movements and elementwise operators over weights, in the model's file, in
typed fields and in external data, must all be folded and give what ONNX Runtime gives
for the nodes. Chains of 100,000 such nodes, and ones that share what they are made of, must
come to an end. The file grows by no more than --fold-limit.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto as T, helper as h, numpy_helper

import unoptimised

failures = []


def check(name, ok, why=""):
    if not ok:
        failures.append(name)
        print(f"lazy: {name}: {why}", file=sys.stderr)


def ints(*values):
    return np.array(values, np.int64)


class Maker:
    """Nodes over weights; shapes are tracked with numpy itself."""

    def __init__(self, seed):
        self.rng, self.data = random.Random(seed), np.random.default_rng(seed)
        self.nodes, self.inits, self.n = [], [], 0

    def name(self):
        self.n += 1
        return f"v{self.n}"

    def constant(self, a):
        t = numpy_helper.from_array(np.ascontiguousarray(a), self.name())
        if a.dtype == np.float32 and a.size < 20000 and self.rng.random() < 0.3:
            t.ClearField("raw_data")  # packed in a typed field
            t.float_data.extend(a.ravel().tolist())
        if a.dtype == np.int32 and self.rng.random() < 0.5:
            t.ClearField("raw_data")
            t.int32_data.extend(a.ravel().tolist())
        self.inits.append(t)
        return t.name

    def weight(self, dtype):
        shape = [self.rng.choice((1, 3, 8, 16, 33, 64)) for _ in range(self.rng.randint(2, 4))]
        shape[self.rng.randrange(len(shape))] = 8192 // 2 ** self.rng.randint(0, 4)
        while np.prod(shape) > 200000:
            shape[int(np.argmax(shape))] //= 2
        a = self.data.integers(-90, 90, shape) if dtype == np.int32 else self.data.standard_normal(shape)
        a = a.astype(dtype)
        return self.constant(a), a

    def add(self, op, inputs, result, **attrs):
        out = self.name()
        self.nodes.append(h.make_node(op, inputs, [out], **attrs))
        return out, result

    def step(self, v, a):
        r, rank = self.rng, a.ndim
        axis = r.randrange(rank) if rank else 0
        kind = r.choice(("transpose", "slice", "reshape", "concat", "split", "tile", "expand", "unsqueeze",
                         "add", "mul", "neg", "where", "cast", "sum"))
        if kind == "transpose" and rank:
            perm = r.sample(range(rank), rank)
            return self.add("Transpose", [v], a.transpose(perm), perm=perm)
        if kind == "slice" and rank and a.shape[axis] > 2:
            step = r.choice((1, 1, 2, -1, -2))
            begin, end = (0, a.shape[axis] - 1) if step > 0 else (a.shape[axis] - 1, 0)
            cut = [slice(None)] * rank
            cut[axis] = slice(begin, end, step)
            operands = [self.constant(ints(x)) for x in (begin, end, axis, step)]
            return self.add("Slice", [v, *operands], a[tuple(cut)])
        if kind == "reshape":
            shape = list(a.shape) + [1]
            r.shuffle(shape)
            return self.add("Reshape", [v, self.constant(ints(*shape))], a.reshape(shape))
        if kind == "concat" and rank and a.size < 60000:
            other = self.constant(a[::-1]) if r.random() < 0.5 else v
            b = a[::-1] if other != v else a
            return self.add("Concat", [v, other, v], np.concatenate([a, b, a], axis), axis=axis)
        if kind == "split" and rank and a.shape[axis] % 2 == 0:
            outs = [self.name(), self.name()]
            self.nodes.append(h.make_node("Split", [v], outs, axis=axis))
            x, y = np.split(a, 2, axis)
            return self.add("Concat", outs[::-1], np.concatenate([y, x], axis), axis=axis)
        if kind == "tile" and rank and a.size < 30000:
            reps = [r.choice((1, 1, 2)) for _ in range(rank)]
            return self.add("Tile", [v, self.constant(ints(*reps))], np.tile(a, reps))
        if kind == "expand" and a.size < 30000:
            return self.add("Expand", [v, self.constant(ints(2, *a.shape))], np.broadcast_to(a, (2, *a.shape)))
        if kind == "unsqueeze" and rank < 6:
            return self.add("Unsqueeze", [v, self.constant(ints(axis))], np.expand_dims(a, axis))
        if kind in ("add", "mul"):
            b = a.ravel()[:1].reshape([1] * rank) if r.random() < 0.4 else (
                a[:1] if rank and r.random() < 0.6 else a[..., ::-1] if rank else a)
            w = self.constant(b)
            pair = [v, w] if r.random() < 0.5 else [w, v]
            with np.errstate(all="ignore"):
                return self.add(kind.title(), pair, a + b if kind == "add" else a * b)
        if kind == "sum" and a.dtype == np.float32:
            return self.add("Sum", [v, v, v], a + a + a)
        if kind == "neg":
            return self.add("Neg", [v], -a)
        if kind == "where" and rank:
            c = np.arange(a.shape[-1]) % 3 == 0
            return self.add("Where", [self.constant(c), v, self.constant(a[..., ::-1])],
                            np.where(c, a, a[..., ::-1]))
        if kind == "cast" and a.dtype == np.int32:
            return self.add("Cast", [v], a.astype(np.float32), to=T.FLOAT)
        return v, a

    def expression(self):
        v, a = self.weight(self.rng.choice((np.float32, np.float32, np.float16, np.int32)))
        for _ in range(self.rng.randint(1, 9)):
            w, b = self.step(v, a)
            if 0 < b.size <= 400000:
                v, a = w, b
        return self.add("Identity", [v], a)  # never nothing


def model(maker, results, path, external):
    """y = x + constant, of each constant's type, in bodies of one graph."""
    nodes, inputs, outputs = list(maker.nodes), [], []
    for i, (v, a) in enumerate(results):
        t = h.np_dtype_to_tensor_dtype(a.dtype)
        inputs.append(h.make_tensor_value_info(f"x{i}", t, ()))
        outputs.append(h.make_tensor_value_info(f"y{i}", t, a.shape))
        nodes.append(h.make_node("Add", [f"x{i}", v], [f"y{i}"]))
    m = h.make_model(h.make_graph(nodes, "g", inputs, outputs, maker.inits), ir_version=9,
                     opset_imports=[h.make_opsetid("", 17)])
    if external:
        onnx.save(m, path, save_as_external_data=True, location="w.bin", size_threshold=500)
    else:
        onnx.save(m, path)


def outputs(path, results):
    return unoptimised.session(path).run(None, {f"x{i}": np.zeros((), a.dtype) for i, (_, a) in enumerate(results)})


def run(tool, *args, seconds=60):
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    return subprocess.run([tool, *args], capture_output=True, preexec_fn=limit, text=True)


def random_expressions(tool, folder, seed, count):
    for s in range(seed, seed + count):
        maker = Maker(s)
        results = [maker.expression() for _ in range(4)]
        before, after = os.path.join(folder, "in.onnx"), os.path.join(folder, "out.onnx")
        model(maker, results, before, external=s % 3 == 0)
        how = ["--weights=external"] if s % 3 == 1 else []
        done = run(tool, "--fold-limit=1G", *how, "-o", after, before)
        check(f"seed {s}", done.returncode == 0, done.stderr)
        if done.returncode:
            continue
        onnx.checker.check_model(after, full_check=True)
        left = sorted({n.op_type for n in onnx.load(after, load_external_data=False).graph.node} - {"Add", "Identity"})
        check(f"seed {s}", not left, f"left: {left}")
        for i, (was, now) in enumerate(zip(outputs(before, results), outputs(after, results))):
            if was.dtype == np.float16:  # the runtime does not round between operators
                was = results[i][1]
            check(f"seed {s}, y{i}", np.array_equal(was, now, equal_nan=was.dtype != np.int32), "other values")
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))


# --- hostile ----------------------------------------------------------------------------------------

LONG = 100000


def chain(make, tail="y"):
    """100,000 nodes from w on; make(i, from, to) gives the node."""
    return [make(i, "w" if i == 0 else f"n{i}", tail if i == LONG - 1 else f"n{i + 1}") for i in range(LONG)]


CHAINS = {
    "transposes": lambda i, x, y: h.make_node("Transpose", [x], [y], perm=[1, 0]),
    "doubling": lambda i, x, y: h.make_node("Add", [x, x], [y]),
    "reshapes": lambda i, x, y: h.make_node("Unsqueeze" if i % 2 == 0 else "Squeeze", [x, "axis"], [y]),
    "scaled": lambda i, x, y: h.make_node("Mul", [x, "one"], [y]),
    "turned": lambda i, x, y: h.make_node("Transpose" if i % 2 else "Neg", [x], [y]),
}


def hostile(tool, folder):
    for name, make in CHAINS.items():
        w = np.linspace(-1, 1, 8192, dtype=np.float32).reshape(64, 128)
        nodes = chain(make, "t") + [h.make_node("Mul", ["x", "t"], ["y"])]
        inits = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(ints(0), "axis"),
                 numpy_helper.from_array(np.float32(1), "one")]
        graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("x", T.FLOAT, ())],
                             [h.make_tensor_value_info("y", T.FLOAT, None)], inits)
        path, out = os.path.join(folder, "in.onnx"), os.path.join(folder, "out.onnx")
        with open(path, "wb") as f:
            f.write(h.make_model(graph, ir_version=8, opset_imports=[h.make_opsetid("", 17)]).SerializeToString())
        done = run(tool, "-o", out, path)
        check(f"chain of {name}", done.returncode == 0, f"{done.returncode}: {done.stderr[-300:]}")


def crossed(tool, folder):
    """x[k + 1] = transpose of x[k] plus x[k]: 2^40 reads of w, were they not bounded."""
    nodes, at = [], "w"
    for i in range(40):
        nodes += [h.make_node("Transpose", [at], [f"t{i}"], perm=[1, 0]), h.make_node("Add", [at, f"t{i}"], [f"s{i}"]),
                  h.make_node("Mul", [f"s{i}", "half"], [f"h{i}"])]
        at = f"h{i}"
    nodes.append(h.make_node("Mul", ["x", at], ["y"]))
    w = np.random.default_rng(3).standard_normal((100, 100), np.float32)
    inits = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(np.float32(0.5), "half")]
    graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("x", T.FLOAT, ())],
                         [h.make_tensor_value_info("y", T.FLOAT, (100, 100))], inits)
    path, out = os.path.join(folder, "in.onnx"), os.path.join(folder, "out.onnx")
    onnx.save(h.make_model(graph, ir_version=8, opset_imports=[h.make_opsetid("", 17)]), path)
    done = run(tool, "-o", out, path, seconds=30)
    check("crossed", done.returncode == 0, done.stderr)
    want = w
    for _ in range(40):
        want = (want + want.T) * np.float32(0.5)
    got = unoptimised.session(out).run(None, {"x": np.array(1, np.float32)})[0]
    check("crossed", np.array_equal(want, got), "other values")
    check("crossed", len(onnx.load(out).graph.node) == 1, "nodes over constants are left")


def growth(tool, folder):
    """ConstantOfShape, Expand, Tile and Range of 1 MB each stay; what is small is made."""
    nodes = [h.make_node("ConstantOfShape", ["shape"], ["a"]), h.make_node("Expand", ["one", "shape"], ["b"]),
             h.make_node("Tile", ["row", "shape1"], ["c"]), h.make_node("Range", ["zero", "many", "one"], ["d"]),
             h.make_node("Expand", ["one", "few"], ["e"]), h.make_node("Sum", list("abcde"), ["s"]),
             h.make_node("Mul", ["x", "s"], ["y"])]
    inits = [numpy_helper.from_array(a, n) for n, a in (
        ("shape", ints(1 << 18)), ("one", np.float32(1)), ("row", np.ones(1, np.float32)), ("shape1", ints(1 << 18)),
        ("zero", np.float32(0)), ("many", np.float32(1 << 18)), ("few", ints(1)))]
    graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("x", T.FLOAT, ())],
                         [h.make_tensor_value_info("y", T.FLOAT, (1 << 18,))], inits)
    path, out = os.path.join(folder, "in.onnx"), os.path.join(folder, "out.onnx")
    onnx.save(h.make_model(graph, ir_version=8, opset_imports=[h.make_opsetid("", 17)]), path)
    done = run(tool, "-o", out, path)
    check("growth", done.returncode == 0 and "4 nodes over constants not folded" in done.stdout, done.stdout + done.stderr)
    check("growth", os.path.getsize(out) < 2000, os.path.getsize(out))
    done = run(tool, "--fold-limit=1M", "-o", out, path)
    check("growth, 1M", done.returncode == 0, done.stderr)
    check("growth, 1M", [n.op_type for n in onnx.load(out).graph.node] == ["Mul"],
          [n.op_type for n in onnx.load(out).graph.node])


def shared(tool, folder):
    """Constants that others read too, side by side in a Concat: joined where the file may grow by that, or by
    a node that is there anyway; else left, and the rules for it come to an end."""
    for size, limit, joined in ((4, "64K", 2), (4, "0", 2), (30000, "64K", 3), (30000, "0", 3)):
        inits = [numpy_helper.from_array(np.full((1, size), i, np.float32), n) for i, n in enumerate("pq")]
        nodes = [h.make_node("Concat", ["x", "p", "q"], ["y0"], axis=0), h.make_node("Concat", ["p", "q"], ["u"], axis=0),
                 h.make_node("Mul", ["x", "p"], ["y1"]), h.make_node("Mul", ["x", "q"], ["y2"]),
                 h.make_node("Mul", ["x", "u"], ["y3"])]
        outs = [h.make_tensor_value_info(f"y{i}", T.FLOAT, (n, size)) for i, n in enumerate((3, 1, 1, 2))]
        graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("x", T.FLOAT, (1, size))], outs, inits)
        path, out = os.path.join(folder, "in.onnx"), os.path.join(folder, "out.onnx")
        onnx.save(h.make_model(graph, ir_version=8, opset_imports=[h.make_opsetid("", 17)]), path)
        done = run(tool, "--fold-limit=" + limit, "-o", out, path)
        check(f"shared {size}, {limit}", done.returncode == 0, done.stderr)
        operands = [len(n.input) for n in onnx.load(out).graph.node if n.op_type == "Concat" and "x" in n.input]
        check(f"shared {size}, {limit}", operands == [joined], operands)


def in_the_background(tool, folder):
    """Megabytes of pieces: the bytes are the same with one processor, where no other thread writes;
    a file that may not become so large is an error, and nothing remains."""
    rng, inits, nodes = np.random.default_rng(4), [], []
    for name, shape in (("a", (700, 900)), ("b", (700, 900)), ("c", (3, 1000, 501)), ("d", (1 << 17, 17))):
        inits.append(numpy_helper.from_array(rng.standard_normal(shape, np.float32), name))
        nodes.append(h.make_node("Transpose", [name], [name + "t"]))
    nodes += [h.make_node("Concat", ["at", "bt"], ["ab"], axis=1), h.make_node("Concat", ["bt", "at"], ["ba"], axis=0)]
    nodes += [h.make_node("Add", ["x", v], ["y" + v]) for v in ("ab", "ba", "ct", "dt")]
    shapes = {"ab": (900, 1400), "ba": (1800, 700), "ct": (501, 1000, 3), "dt": (17, 1 << 17)}
    outs = [h.make_tensor_value_info("y" + v, T.FLOAT, s) for v, s in shapes.items()]
    graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("x", T.FLOAT, ())], outs, inits)
    path = os.path.join(folder, "in.onnx")
    onnx.save(h.make_model(graph, ir_version=8, opset_imports=[h.make_opsetid("", 17)]), path)
    w = {t.name: numpy_helper.to_array(t) for t in inits}
    want = {"ab": np.concatenate([w["a"].T, w["b"].T], 1), "ba": np.concatenate([w["b"].T, w["a"].T], 0),
            "ct": w["c"].T, "dt": w["d"].T}
    one = lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for options in ([], ["--weights=external"]):
        files = {}
        for how, prepare in (("many", None), ("one", one)):
            out = os.path.join(folder, how, "out.onnx")
            os.makedirs(os.path.dirname(out), exist_ok=True)
            done = subprocess.run([tool, "--fold-limit=1G", *options, "-o", out, path], capture_output=True, preexec_fn=prepare)
            check(f"background {options}", done.returncode == 0, done.stderr)
            files[how] = {n: open(os.path.join(folder, how, n), "rb").read() for n in os.listdir(os.path.dirname(out))}
        check(f"background {options}", files["many"] == files["one"], "other bytes with one processor")
        made = {t.name: numpy_helper.to_array(t, folder + "/many") for t in onnx.load(out).graph.initializer}
        check(f"background {options}", all(np.array_equal(made.get(v), a) for v, a in want.items()), "other values")
    room = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10 << 20, 10 << 20))
    small = os.path.join(folder, "small")
    os.mkdir(small)
    done = subprocess.run([tool, "-o", small + "/out.onnx", path], capture_output=True, preexec_fn=room)
    check("background, no room", done.returncode == 4 and b"File too large" in done.stderr, done)
    check("background, no room", os.listdir(small) == [], os.listdir(small))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--onnxrw", required=True)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--count", type=int, default=8)
    a = ap.parse_args()
    for case in (lambda t, f: random_expressions(t, f, a.seed, a.count), crossed, growth, shared, in_the_background,
                 hostile):
        with tempfile.TemporaryDirectory() as folder:
            case(a.onnxrw, folder)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
