#!/usr/bin/env python3
"""Malformed models and rules, end to end: exit 2 or 3, a message, no output, no crash; and
nothing half written where the system gets in the way.

    hostile.py build-dev/onnxrw

Every case runs the command in a folder of its own, under a limit of time and of file size,
and wants the status that the case names, something on stderr with the word "error", no
report of a sanitizer, and no file that was not there before. Needs nothing but Python.
SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures, os, pathlib, random, resource, signal, struct, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
RULES, MODEL, OUTPUT = 2, 3, 4  # exit status: whose fault it is

# --- protobuf by hand: what no library would write ------------------------------------


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def num(field, n):
    return varint(field << 3) + varint(n)


def msg(field, *parts):
    data = b"".join(p.encode() if isinstance(p, str) else p for p in parts)
    return varint(field << 3 | 2) + varint(len(data)) + data


def fixed32(field, n):
    return varint(field << 3 | 5) + struct.pack("<I", n & 0xFFFFFFFF)


FLOAT, INT64 = 1, 7


def tensor_type(dims=(2,), elem=FLOAT):
    shape = msg(2, *(msg(1, num(1, d) if isinstance(d, int) else msg(2, d)) for d in dims))
    return msg(1, num(1, elem), shape)


def info(name, dims=(2,), elem=FLOAT):
    return msg(1, name) + msg(2, tensor_type(dims, elem))


def tensor(name, dims=(2,), elem=FLOAT, data=bytes(8), more=b""):
    return b"".join(num(1, d) for d in dims) + num(2, elem) + msg(8, name) + msg(9, data) + more


def external(name, location, dims=(2,), **entries):
    pairs = {"location": location, **entries}
    return (b"".join(num(1, d) for d in dims) + num(2, FLOAT) + msg(8, name) +
            b"".join(msg(13, msg(1, k), msg(2, v)) for k, v in pairs.items()) + num(14, 1))


def node(op, ins, outs, *attrs, name=""):
    return (b"".join(msg(1, i) for i in ins) + b"".join(msg(2, o) for o in outs) +
            msg(3, name) + msg(4, op) + b"".join(msg(5, a) for a in attrs))


def graph(*nodes, ins=("x",), outs=("y",), inits=(), more=b""):
    return (b"".join(msg(1, n) for n in nodes) + msg(2, "g") + b"".join(msg(5, t) for t in inits) +
            b"".join(msg(11, i if isinstance(i, bytes) else info(i)) for i in ins) +
            b"".join(msg(12, o if isinstance(o, bytes) else info(o)) for o in outs) + more)


def model(g, ir=8, opsets=(("", 17),), more=b""):
    imports = b"".join(msg(8, msg(1, d), num(2, v)) for d, v in opsets)
    return num(1, ir) + imports + msg(7, g) + more


RELU = node("Relu", ["x"], ["y"])
GOOD = model(graph(RELU))


def subgraph(g):
    return msg(1, "then_branch") + num(20, 5) + msg(6, g)


def nested(depth):
    """If in If, `depth` deep."""
    g = graph(node("Identity", ["c"], ["y"]), ins=())
    for _ in range(depth):
        g = graph(node("If", ["c"], ["y"], subgraph(g)), ins=())
    return model(g)


def nested_type(depth):
    t = tensor_type()
    for _ in range(depth):
        t = msg(4, msg(1, t))  # sequence of ...
    return model(graph(RELU, ins=[msg(1, "x") + msg(2, t)]))


def groups(depth):
    return GOOD + varint(9 << 3 | 3) * depth


# --- the cases -------------------------------------------------------------------------


def wrong_models():
    """{name: bytes}: each is to be refused."""
    big = 1 << 62
    cases = {
        "empty": b"",
        "text": b"this is no model\n" * 50,
        "zeros": bytes(4096),
        "no graph": num(1, 8) + msg(8, num(2, 17)),
        "no ir version": msg(8, num(2, 17)) + msg(7, graph(RELU)),
        "no opset": model(graph(RELU), opsets=()),
        "opset 0": model(graph(RELU), opsets=[("", 0)]),
        "opset -1": model(graph(RELU), opsets=[("", -1)]),
        "two opsets": model(graph(RELU), opsets=[("", 17), ("", 18)]),
        "ir version 0": model(graph(RELU), ir=0),
        "ir version -1": model(graph(RELU), ir=-1),
        "nested 20,000 deep": nested(20000),
        "nested 101 deep": nested(101),
        "type nested 20,000 deep": nested_type(20000),
        "groups": groups(20000),
        "graph as a number": num(1, 8) + num(7, 5),
        "ir version as a string": msg(1, "8") + msg(8, num(2, 17)) + msg(7, graph(RELU)),
        "node as a float": model(graph(more=fixed32(1, 7))),
        "dims as a string of odd length": model(graph(RELU, inits=[tensor("w", ()) + msg(1, b"\xff")])),
        "wire type 6": GOOD + varint(9 << 3 | 6),
        "field number 0": GOOD + varint(2) + b"\0",
        "overlong varint": GOOD + b"\xff" * 11,
        "length beyond the end": GOOD + varint(3 << 3 | 2) + varint(1 << 40),
        "length of 2^64 - 1": GOOD + varint(3 << 3 | 2) + b"\xff" * 9 + b"\1",
        "packed floats cut off": model(graph(RELU, inits=[num(1, 2) + num(2, 1) + msg(8, "w") + msg(4, b"1234567")])),
        "NUL in a value": model(graph(node("Relu", ["x"], [b"y\0z"]))),
        "NUL in an operator": model(graph(node(b"Relu\0", ["x"], ["y"]))),
        "NUL in an initializer": model(graph(RELU, inits=[tensor(b"w\0")])),
        "NUL in a location": model(graph(RELU, inits=[external("w", b"a\0b")])),
        "a cycle": model(graph(node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["a"]), node("Add", ["x", "a"], ["y"]))),
        "a node of its own output": model(graph(node("Add", ["x", "y"], ["y"]))),
        "a dangling input": model(graph(node("Relu", ["nowhere"], ["y"]))),
        "a dangling output": model(graph(RELU, outs=["y", "nowhere"])),
        "a name made twice": model(graph(RELU, node("Neg", ["x"], ["y"]))),
        "a name twice in one node": model(graph(node("Split", ["x"], ["y", "y"]))),
        "an input made again": model(graph(node("Relu", ["x"], ["x"]), outs=["x"])),
        "an initializer made again": model(graph(node("Relu", ["x"], ["w"]), outs=["w"], inits=[tensor("w")])),
        "an input twice": model(graph(RELU, ins=["x", "x"])),
        "an initializer twice": model(graph(RELU, inits=[tensor("w"), tensor("w")])),
        "a dangling name in a body": model(graph(node("If", ["x"], ["y"], subgraph(
            graph(node("Relu", ["nowhere"], ["z"]), ins=(), outs=["z"]))))),
        "a name of the body seen outside": model(graph(node("If", ["x"], ["y"], subgraph(
            graph(node("Relu", ["x"], ["z"]), ins=(), outs=["z"]))), node("Neg", ["z"], ["q"]))),
        "an attribute twice": model(graph(node("Softmax", ["x"], ["y"], *[msg(1, "axis") + num(3, 0) + num(20, 2)] * 2))),
        "a negative dim of a weight": model(graph(RELU, inits=[tensor("w", (-1,))])),
        "a huge dim of a weight": model(graph(RELU, inits=[tensor("w", (big,))])),
        "dims whose product overflows": model(graph(RELU, inits=[tensor("w", (1 << 32, 1 << 32))])),
        "dims whose product wraps to 2": model(graph(RELU, inits=[tensor("w", (1 << 33, (1 << 31) + 1))])),
        "data too short": model(graph(RELU, inits=[tensor("w", (3,))])),
        "data too long": model(graph(RELU, inits=[tensor("w", (1,))])),
        "numbers in the wrong field": model(graph(RELU, inits=[num(1, 2) + num(2, FLOAT) + msg(8, "w") + msg(7, b"\1\2")])),
        "a function twice": model(graph(RELU), more=2 * msg(25, msg(1, "F"), msg(10, "d"))),
        "a function without a name": model(graph(RELU), more=msg(25, msg(10, "d"))),
        "a dangling name in a function": model(graph(RELU), more=msg(
            25, msg(1, "F"), msg(10, "d"), msg(5, "b"), msg(7, node("Relu", ["a"], ["b"])), msg(9, num(2, 17)))),
    }
    for name, location in {"..": "../secret", "absolute": "/etc/passwd", "inner ..": "a/../../secret",
                           "link": "link", "linked folder": "up/secret", "folder": "folder", "fifo": "fifo",
                           "device": "/dev/zero", "missing": "missing", "empty": "", "short": "short"}.items():
        cases[f"external data: {name}"] = model(graph(RELU, inits=[external("w", location)]))
    for key in ("offset", "length"):
        for value in ("-1", "99999999999999999999", "18446744073709551615", "1e3", "0x10", ""):
            if (key, value) == ("length", ""):
                continue
            cases[f"external data: {key} \"{value}\""] = model(
                graph(RELU, inits=[external("w", "good", **{key: value})]))
    return cases


def odd_models():
    """{name: (bytes, status)}: tensors that cannot be are refused; empty ones and ones of
    many dims are not."""
    big = (1 << 63) - 1
    out = {}
    for dims, want in (((big,), MODEL), ((-1,), MODEL), ((-(1 << 63),), MODEL),
                       ((big, big, big), MODEL), ((0, big), 0), ((big, big, 0), 0), ((1,) * 3000, 0)):
        sizes = tensor("s", (len(dims),), INT64, struct.pack(f"<{len(dims)}q", *dims))
        axis = msg(1, "axis") + num(3, 0) + num(20, 2)
        ops = [(op, ["x"]) for op in ("Relu", "Flatten", "Transpose", "Shape", "Size", "Softmax")]
        ops += [(op, ["x", "s"]) for op in ("Reshape", "Expand", "Tile", "Pad")]
        ops += [("Slice", ["x", "s", "s"]), ("ConstantOfShape", ["s"]), ("Concat", ["x"] * 9, axis)]
        nodes = [node(op, names, [f"y{i}"], *attrs) for i, (op, names, *attrs) in enumerate(ops)]
        out[f"dims {str(dims)[:40]}"] = model(graph(
            *nodes, ins=[info("x", dims)], inits=[sizes],
            outs=[msg(1, f"y{i}") for i in range(len(ops))])), want
    return out


def wrong_rules():
    """{name: bytes}: each is to be refused, as rules and by `rules check`."""
    noise = random.Random(1)
    deep = 20000
    good = b"rule r: Neg(Neg(x)) => x\n"
    return {
        "10 MB of bytes": noise.randbytes(10 << 20),
        "1 MB of words": b"rule " * (1 << 18),
        "1 MB of braces": b"{" * (1 << 20),
        "10 MB of brackets": b"rule r: " + b"(" * (10 << 20),
        "10 MB of one string": b'"' + b"a" * (10 << 20),
        "10 MB of one name": b"rule " + b"a" * (10 << 20),
        "10 MB of one number": b"rule r: Neg(" + b"9" * (10 << 20) + b") => 1",
        "1 MB of errors": b"rule r: Nag(x) => x\n" * (1 << 16),
        "calls nested": b"rule r: " + b"Neg(" * deep + b"x" + b")" * deep + b" => x",
        "parentheses nested": b"rule r: Neg(x) => " + b"(" * deep + b"x" + b")" * deep,
        "signs": b"rule r: Neg(x) => " + b"-" * deep + b"x",
        "a long sum": b"rule r: Neg(x) => " + b"x + " * deep + b"x",
        "alternatives": b"rule r: " + b"Neg(x) | " * deep + b"Neg(x) => x",
        "NUL": b"rule r: Neg(Neg(\0x)) => x",
        "not UTF-8": b"rule r: Neg(\xff\xfe(x)) => x",
        "a word cut off": good + b"rule s: Neg(N",
        "use of itself only": b'use "case.rules"\nrule r: Nag(x) => x\n',
        "use of ..": b'use "../case.rules"\n' + good,
        "use of a file that is absolute": b'use "/etc/passwd"\n' + good,
        "use of a link that leads out": b'use "link"\n' + good,
        "use of a folder": b'use "folder"\n' + good,
        "use of what is not there": b'use "missing.rules"\n' + good,
        "a rule twice": good + good,
        "a root left out": b"rule r { match { a, b = Split(x) } emit { a = Relu(x) } }",
        "an interior value emitted": b"rule r { match { a = Neg(x) y = Neg(a) } emit { y = Relu(a) } }",
        "a phase of what is not there": good + b"phase p { q }",
        "a pass of what is not there": good + b"pass p",
    }


# --- running -----------------------------------------------------------------------------


def limits(most):
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))


def furnish(folder):
    """What external data and `use` of the cases may point at."""
    os.symlink("../secret", folder / "link")
    os.symlink("..", folder / "up")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    (folder / "short").write_bytes(b"1234")
    (folder / "good").write_bytes(bytes(8))


class Judge:
    def __init__(self, onnxrw, root):
        self.onnxrw, self.root = onnxrw, root
        (root / "secret").write_bytes(bytes(64))
        self.folders = 0

    def folder(self):
        self.folders += 1
        path = self.root / str(self.folders)
        path.mkdir()
        furnish(path)
        return path

    def run(self, name, folder, args, want, most=64 << 20):
        """A complaint, or None."""
        before = sorted(p.name for p in folder.iterdir())
        env = {**os.environ, "TMPDIR": str(folder), "ONNXRW_RULES": ""}
        try:
            done = subprocess.run([self.onnxrw, *args], cwd=folder, env=env, capture_output=True,
                                  timeout=600, preexec_fn=lambda: limits(most), stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return f"{name}: {args}: takes too long"
        text = done.stderr.decode("utf-8", "replace")
        after = sorted(p.name for p in folder.iterdir())
        made = [p for p in after if p not in before]
        for p in made:
            (folder / p).unlink()
        wrong = []
        if "Sanitizer" in text or "runtime error" in text or done.returncode not in range(5):
            wrong.append(f"crashes ({done.returncode})")
        elif done.returncode not in want:
            wrong.append(f"exit {done.returncode} instead of {' or '.join(map(str, want))}")
        if done.returncode and "error" not in text:
            wrong.append("no message")
        if done.returncode and made:
            wrong.append(f"leaves {made}")
        if len(text) > 64 << 10:
            wrong.append(f"{len(text)} bytes of messages")
        return f"{name}: {' '.join(args)}: {', '.join(wrong)}\n    {text[:300]}" if wrong else None

    def model(self, name, data):
        folder = self.folder()
        (folder / "case.onnx").write_bytes(data)
        return [self.run(name, folder, ["-o", "out.onnx", "case.onnx"], (MODEL,)),
                self.run(name, folder, ["check", "case.onnx"], (1, MODEL))]

    def odd_model(self, name, data, want):
        folder = self.folder()
        (folder / "case.onnx").write_bytes(data)
        return [self.run(name, folder, ["-o", "out.onnx", "case.onnx"], (want,)),
                self.run(name, folder, ["infer", "case.onnx"], (want,)),
                self.run(name, folder, ["print", "case.onnx"], (0,))]

    def rules(self, name, data):
        folder = self.folder()
        (folder / "case.rules").write_bytes(data)
        (folder / "case.onnx").write_bytes(GOOD)
        return [self.run(name, folder, args, (RULES,))
                for args in (["-r", "case.rules", "-o", "out.onnx", "case.onnx"], ["rules", "check", "case.rules"])]

    def truncated(self, data, cuts):
        """One folder, many lengths: cut off, or whole messages are missing."""
        folder = self.folder()
        out = []
        for n in cuts:
            (folder / "case.onnx").write_bytes(data[:n])
            out.append(self.run(f"cut at {n}", folder, ["-o", "out.onnx", "case.onnx"], (MODEL,)))
        return out

    def truncated_rules(self, data, cuts):
        folder = self.folder()
        (folder / "case.onnx").write_bytes(GOOD)
        out = []
        for n in cuts:
            (folder / "case.rules").write_bytes(data[:n])
            out.append(self.run(f"rules cut at {n}", folder, ["rules", "check", "case.rules"], (0, RULES)))
        return out


def interrupted(judge):
    """Signals, full disks, inputs that are no files or change: no partial output."""
    folder = judge.folder()
    weights = 32 << 20
    big = model(graph(node("Identity", ["x"], ["t"]), node("Add", ["t", "w"], ["y"]), ins=[info("x", (1,))],
                      outs=[info("y", (weights // 4,))], inits=[tensor("w", (weights // 4,), data=bytes(weights))]))
    (folder / "case.onnx").write_bytes(big)
    command = ["-o", "out.onnx", "case.onnx"]
    out = [judge.run("a device", folder, ["-o", "out.onnx", "/dev/zero"], (MODEL,)),
           judge.run("a folder", folder, ["-o", "out.onnx", "folder"], (MODEL,)),
           judge.run("a folder as output", folder, ["-o", "folder", "case.onnx"], (OUTPUT,)),
           judge.run("a full device", folder, ["-o", "/dev/full", "case.onnx"], (OUTPUT,)),
           judge.run("no such folder", folder, ["-o", "none/out.onnx", "case.onnx"], (OUTPUT,)),
           judge.run("a limit of file size", folder, command, (OUTPUT,), most=weights // 2)]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGPIPE):
        for wait in (0.01, 0.05, 0.1):
            run = subprocess.Popen([judge.onnxrw, "-q", *command], cwd=folder, stderr=subprocess.DEVNULL)
            time.sleep(wait)
            run.send_signal(number)
            status = run.wait()
            left = [p.name for p in folder.iterdir() if p.suffix == ".tmp"]
            done = folder / "out.onnx"
            if left or done.exists() and status != 0 and done.stat().st_size < weights:
                out.append(f"{number.name} after {wait} s: leaves {left or done}")
            done.unlink(missing_ok=True)
    return out


def jobs(judge):
    """Calls that return lists of complaints."""
    for name, data in wrong_models().items():
        yield lambda name=name, data=data: judge.model(name, data)
    for name, (data, want) in odd_models().items():
        yield lambda name=name, data=data, want=want: judge.odd_model(name, data, want)
    for name, data in wrong_rules().items():
        yield lambda name=name, data=data: judge.rules(name, data)
    real = (HERE / "models/bert-eager__ts11.onnx").read_bytes()
    cuts = sorted(random.Random(2).sample(range(len(real)), 30))
    yield lambda: interrupted(judge)
    yield lambda: judge.truncated(GOOD, range(len(GOOD)))
    yield lambda: judge.truncated(real, cuts)
    norm = (HERE.parent / "rules/lib/gelu.rules").read_bytes()
    yield lambda: judge.truncated_rules(norm, range(0, len(norm), len(norm) // 20))


def main():
    onnxrw = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as root:
        judge = Judge(onnxrw, pathlib.Path(root))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            done = [x for part in pool.map(lambda job: job(), jobs(judge)) for x in part]
    wrong = [x for x in done if x]
    print("\n".join([*wrong, f"{len(done)} runs, {len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
