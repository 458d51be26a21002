"""Reads models and writes them again, every node rebuilt: they must be equal as messages.

    roundtrip.py TOOL [FOLDER...]

TOOL is the built tests/tools/roundtrip. Without folders: tests/models, and the corpora of
$ONNXRW_CORPUS or of ../shared where they are. Then the cases of this file.

SPDX-License-Identifier: Apache-2.0
"""
import glob
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import TensorProto as T
    from onnx import helper as h
    from onnx import numpy_helper as nh
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
FAILED = []


def check(name, ok, why=""):
    if not ok:
        FAILED.append(name)
        print(f"{name}: {why}")


def run(tool, *args, **more):
    return subprocess.run([tool, *args], capture_output=True, timeout=120, **more)


def load(path):
    return onnx.load(path, load_external_data=False)


def is_sorted(graph, seen=()):
    known = set(seen) | {i.name for i in graph.input} | {i.name for i in graph.initializer}
    known |= {i.values.name for i in graph.sparse_initializer}
    for node in graph.node:
        if not set(filter(None, node.input)) <= known:
            return False
        known |= set(node.output)
    return True


def sort_key(model):
    """The model with the nodes of its graphs in an order that does not matter."""
    copy = type(model)()
    copy.CopyFrom(model)
    nodes = sorted(copy.graph.node, key=lambda n: n.SerializeToString(deterministic=True))
    del copy.graph.node[:]
    copy.graph.node.extend(nodes)
    return copy


def same(a, b):
    if a == b:
        return True
    return not is_sorted(a.graph) and sort_key(a) == sort_key(b)


def rebuilt(tool, path, out, *options):
    done = run(tool, "--rebuild", *options, path, out)
    if done.returncode:
        return None, done.stderr.decode(errors="replace")
    return load(out), ""


def corpus_models(folders):
    shared = os.environ.get("ONNXRW_CORPUS") or os.path.join(ROOT, "..", "shared")
    if not folders:
        folders = [os.path.join(HERE, "models")]
        folders += [os.path.join(shared, d) for d in ("corpus", "corpus-other")]
    for folder in folders:
        yield from sorted(glob.glob(os.path.join(folder, "**", "*.onnx"), recursive=True))


def check_corpus(tool, folders):
    count = 0
    with tempfile.TemporaryDirectory() as temp:
        for path in corpus_models(folders):
            out = os.path.join(temp, "out.onnx")
            got, why = rebuilt(tool, path, out)
            check(path, got is not None and same(load(path), got), why or "differs")
            plain = run(tool, path, out)
            with open(path, "rb") as x, open(out, "rb") as y:
                if is_sorted(load(path).graph):
                    check(path, x.read() == y.read(), "is not copied")
            check(path, plain.returncode == 0, plain.stderr)
            count += 1
    print(f"{count} models read and written")


# --- models with everything -----------------------------------------------------------------

def info(name, shape=("n", 3), elem=T.FLOAT):
    return h.make_tensor_value_info(name, elem, shape)


def tensor(name, *shape, dtype=np.float32):
    n = int(np.prod(shape))
    return nh.from_array(np.arange(n).astype(dtype).reshape(shape), name)


def props(message, **pairs):
    for key, value in pairs.items():
        message.metadata_props.add(key=key, value=value)
    return message


def rich_model():
    """Every message and field of the format somewhere."""
    body = h.make_graph([h.make_node("Add", ["x", "big"], ["r"]),
                         h.make_node("Identity", ["local"], ["s"])], "then",
                        [], [info("r"), info("s")], [tensor("local", 2, 3)],
                        value_info=[info("r")])
    other = h.make_graph([h.make_node("Sub", ["x", "big"], ["r"]),
                          h.make_node("Neg", ["x"], ["s"])], "else", [], [info("r"), info("s")])
    props(body, where="then")
    typed = T(name="typed", data_type=T.INT64, dims=[600], int64_data=range(-300, 300))
    half = T(name="half", data_type=T.FLOAT16, dims=[700], int32_data=[15360] * 700)
    floats = T(name="floats", data_type=T.FLOAT, dims=[2, 300],
               float_data=[0.5 * i for i in range(600)])
    nibbles = T(name="nibbles", data_type=T.INT4, dims=[3], int32_data=[0x78, 3])
    sixes = T(name="sixes", data_type=T.FLOAT6E2M3, dims=[7],
              int32_data=[8, 33, 31, 20, 4, 48, 10])
    packed = T(name="packed", data_type=T.FLOAT6E2M3, dims=[7],
               raw_data=bytes.fromhex("48f85104ac00"))
    words = h.make_tensor("words", T.STRING, [2], [b"a\0b", "ü".encode()])
    words.doc_string = "nul \0 in a doc"
    sparse = h.make_sparse_tensor(tensor("sparse", 3), tensor("", 3, dtype=np.int64), [9])
    node = props(h.make_node("If", ["c"], ["y", ""], name="if", then_branch=body,
                             else_branch=other, doc_string="doc"), a="b")
    config = node.device_configurations.add(configuration_id="two", pipeline_stage=1)
    spec = config.sharding_spec.add(tensor_name="c", device=[0, 1])
    spec.index_to_device_group_map.add(key=1, value=[0, 1])
    spec.sharded_dim.add(axis=0).simple_sharding.add(dim_param="n", num_shards=2)
    custom = h.make_node("Custom", ["y", "typed", "half"], ["z"], domain="acme", overload="o")
    for attr in (h.make_attribute("tp", h.make_tensor_type_proto(1, ["k", 2])),
                 h.make_attribute("tps", [h.make_sequence_type_proto(
                     h.make_optional_type_proto(h.make_tensor_type_proto(1, None)))]),
                 h.make_attribute("sp", sparse), h.make_attribute("t", tensor("", 20, 30)),
                 h.make_attribute("ts", [tensor("", 2), tensor("q", 500)]),
                 h.make_attribute("strings", [b"x", b"\0"]), h.make_attribute("nan", float("nan")),
                 h.make_attribute("ints", [1, -1, 2 ** 62]), h.make_attribute("fs", [1.5, 2.0])):
        custom.attribute.append(attr)
    called = h.make_node("Fn", ["z"], ["out"], domain="local", alpha=2.0)
    const = h.make_node("Constant", [], ["k"], value=tensor("k", 40, 40))
    graph = h.make_graph([const, node, custom, called, h.make_node("Relu", ["k"], ["kk"])], "main",
                         [info("x"), info("c", (), T.BOOL)], [info("out", None), info("kk")],
                         [tensor("big", 100, 30), typed, half, floats, nibbles, sixes,
                          packed, words],
                         doc_string="graph", value_info=[info("y"), info("stale"), info("z")],
                         sparse_initializer=[sparse])
    graph.quantization_annotation.add(tensor_name="z").quant_parameter_tensor_names.add(
        key="SCALE_TENSOR", value="floats")
    props(graph, p="q")
    props(graph.value_info[0], v="w")
    props(graph.initializer[0], i="j")
    graph.initializer[0].doc_string = "nul \0"
    fn = h.make_function("local", "Fn", ["a"], ["b"],
                         [h.make_node("Elu", ["a"], ["t"]),
                          h.make_node("Relu", ["t"], ["b"])],
                         [h.make_opsetid("", 18)], ["alpha"],
                         [h.make_attribute("beta", 1)], value_info=[info("t")])
    ref = onnx.AttributeProto(name="alpha", ref_attr_name="alpha", type=onnx.AttributeProto.FLOAT)
    fn.node[0].attribute.append(ref)
    fn.overload = "v1"
    props(fn, f="g")
    model = h.make_model(graph, functions=[fn], ir_version=14, producer_name="test",
                         opset_imports=[h.make_opsetid("", 28), h.make_opsetid("acme", 2),
                                        h.make_opsetid("local", 1)])
    training = model.training_info.add()
    training.algorithm.CopyFrom(h.make_graph([h.make_node("Neg", ["big"], ["next"])], "step",
                                             [], [info("next")]))
    training.update_binding.add(key="big", value="next")
    model.configuration.add(name="two", num_devices=2, device=["a", "b"])
    return props(model, author="me")


def with_unknown(model):
    """The same with fields that no reader knows, in several messages."""
    unknown = b"\xaa\xbb\x01\x03xyz"  # field 2997, length-delimited
    model.graph.node[0].MergeFromString(unknown)
    model.graph.MergeFromString(unknown)
    model.graph.initializer[0].MergeFromString(unknown)
    model.graph.node[0].attribute[0].MergeFromString(unknown)
    return type(model).FromString(model.SerializeToString() + unknown)


def check_rich(tool):
    with tempfile.TemporaryDirectory() as temp:
        path, out = os.path.join(temp, "in.onnx"), os.path.join(temp, "out.onnx")
        for name, model in (("rich", rich_model()), ("unknown", with_unknown(rich_model()))):
            with open(path, "wb") as f:
                f.write(model.SerializeToString())
            got, why = rebuilt(tool, path, out)
            check(name, got == model, why or "differs")
        with open(path, "rb") as f:
            piped = subprocess.run(f"cat '{path}' | '{tool}' --rebuild - - | cat", shell=True,
                                   capture_output=True)
            check("pipe", onnx.ModelProto.FromString(piped.stdout) == model, piped.stderr)


# --- messages that occur twice -----------------------------------------------------------------

def check_merging(tool):
    """Singular messages split into two occurrences mean their merge, as in protobuf."""
    model = rich_model()
    rest = onnx.ModelProto(ir_version=3, doc_string="later")
    rest.graph.name = "later"
    rest.graph.node.add(op_type="Neg", input=["out"], output=["more"])
    two = b"".join(m.SerializeToString() for m in (model, rest))
    t = model.graph.input[0].type
    halves = [t.SerializeToString(), onnx.TypeProto(sequence_type={}).SerializeToString(),
              onnx.TypeProto(denotation="d").SerializeToString(), t.SerializeToString()]
    extra = onnx.ModelProto()
    value = extra.graph.input.add(name="twice")
    value.MergeFromString(b"".join(b"\x12" + bytes([len(p)]) + p for p in halves))
    raw = b"\x12" + bytes([len(halves[0])]) + halves[0]
    raw += b"\x12" + bytes([len(halves[1])]) + halves[1] + b"\x12\x02\x32\x00"
    raw = b"\x0a\x05twice" + raw + b"\x12" + bytes([len(halves[3])]) + halves[3]
    graph = b"\x5a" + bytes([len(raw)]) + raw
    two += b"\x3a" + bytes([len(graph)]) + graph
    with tempfile.TemporaryDirectory() as temp:
        path, out = os.path.join(temp, "in.onnx"), os.path.join(temp, "out.onnx")
        with open(path, "wb") as f:
            f.write(two)
        want = load(path)
        got, why = rebuilt(tool, path, out)
        check("merging", got == want, why or "differs")


# --- external data --------------------------------------------------------------------------------

def external_model(folder, **entry):
    w = tensor("w", 20, 30)
    model = h.make_model(h.make_graph([h.make_node("Add", ["x", "w"], ["y"])], "g",
                                      [info("x", (20, 30))], [info("y", (20, 30))], [w]),
                         ir_version=10, opset_imports=[h.make_opsetid("", 18)])
    os.makedirs(os.path.join(folder, "sub"), exist_ok=True)
    with open(os.path.join(folder, "sub", "w.bin"), "wb") as f:
        f.write(b"#" * 16 + w.raw_data)
    t = model.graph.initializer[0]
    t.ClearField("raw_data")
    t.data_location = T.EXTERNAL
    entry = {"location": "sub/w.bin", "offset": "16", "length": "2400", **entry}
    for key, value in entry.items():
        if value is not None:
            t.external_data.add(key=key, value=value)
    path = os.path.join(folder, "m.onnx")
    with open(path, "wb") as f:
        f.write(model.SerializeToString())
    return path


def check_external(tool):
    with tempfile.TemporaryDirectory() as temp:
        a, b = os.path.join(temp, "a"), os.path.join(temp, "b")
        path = external_model(a)
        os.mkdir(b)
        want = onnx.load(path)
        for options in ([], ["--rebuild"]):
            done = run(tool, *options, path, os.path.join(a, "same.onnx"))
            check("external, same folder", done.returncode == 0, done.stderr)
            check("external, same folder", sorted(os.listdir(a)) == ["m.onnx", "same.onnx", "sub"],
                  os.listdir(a))
            for _ in range(2):
                out = os.path.join(b, "m.onnx")
                done = run(tool, *options, path, out)
                check("external, elsewhere", done.returncode == 0, done.stderr)
                check("external, elsewhere", onnx.load(out) == want, "differs")
        done = run(tool, path, "-")
        check("external, to a pipe", done.returncode == 4 and b"standard output" in done.stderr,
              done.stderr)
        newer = load(path)
        newer.graph.initializer[0].data_type = 99
        with open(os.path.join(a, "newer.onnx"), "wb") as f:
            f.write(newer.SerializeToString())
        got, why = rebuilt(tool, os.path.join(a, "newer.onnx"), os.path.join(b, "newer.onnx"))
        check("external, unknown type", got == newer, why or "differs")
        os.remove(os.path.join(a, "newer.onnx"))
        os.remove(os.path.join(b, "newer.onnx"))
        data = os.path.join(a, "sub", "w.bin")
        os.link(data, os.path.join(a, "linked.bin"))
        done = run(tool, path, os.path.join(a, "linked.bin"))
        check("external, onto data", done.returncode == 4 and b"would replace" in done.stderr and
              os.path.getsize(data) == 2416, done.stderr)
        with open(os.path.join(b, "sub", "w.bin"), "ab") as f:
            f.write(b"other")
        done = run(tool, path, os.path.join(b, "m.onnx"))
        check("external, other contents", done.returncode == 4 and b"other contents" in done.stderr,
              done.stderr)
        os.symlink("/etc/hostname", os.path.join(a, "sub", "link"))
        os.symlink("/etc", os.path.join(a, "etc"))
        for name, entry, text in (
                ("missing", {"location": "sub/none"}, b'"sub/none" cannot be read'),
                ("absolute", {"location": "/etc/hostname"}, b"outside the folder"),
                ("dots", {"location": "sub/../../x"}, b"outside the folder"),
                ("link", {"location": "sub/link"}, b"outside the folder"),
                ("folder link", {"location": "etc/hostname"}, b"outside the folder"),
                ("folder", {"location": "sub"}, b"cannot be read"),
                ("none", {"location": None}, b"has no location"),
                ("empty", {"location": ""}, b"has no location"),
                ("negative", {"offset": "-1"}, b'offset "-1", which is no size'),
                ("huge", {"offset": str(2 ** 64 - 1)}, b"external data needs bytes"),
                ("overflow", {"offset": str(2 ** 64)}, b"which is no size"),
                ("short", {"offset": "17"}, b"needs bytes 17 to 2417"),
                ("length", {"length": "2401"}, b"has length 2401, type and shape need 2400")):
            done = run(tool, external_model(a, **entry), os.path.join(b, "bad.onnx"))
            check(f"external {name}", done.returncode == 3 and text in done.stderr and
                  b'initializer "w"' in done.stderr, done.stderr)
        check("external", not os.path.exists(os.path.join(b, "bad.onnx")), "something was written")


def check_share(tool):
    with tempfile.TemporaryDirectory() as temp:
        path, out = os.path.join(temp, "in.onnx"), os.path.join(temp, "out.onnx")
        model = rich_model()
        with open(path, "wb") as f:
            f.write(model.SerializeToString())
        done = run(tool, "--share", path, out)
        check("share", done.returncode == 0, done.stderr)
        shared = {t.name: t for t in load(out).graph.initializer if t.data_location == T.EXTERNAL}
        check("share", sorted(shared) == ["big", "floats"], sorted(shared))
        check("share", shared["big"].doc_string == "nul \0", "documentation is gone")
        back = {t.name: nh.to_array(t) for t in onnx.load(out).graph.initializer}
        for t in model.graph.initializer:
            check("share", np.array_equal(back[t.name], nh.to_array(t)), t.name)
        os.mkdir(os.path.join(temp, "b"))
        done = run(tool, "--share", path, os.path.join(temp, "b", "out.onnx"))
        check("share elsewhere", done.returncode == 4, done.stderr)
        done = run(tool, "--share", path, "-")
        check("share to a pipe", done.returncode == 4 and not done.stdout, done.stderr)
        done = run(tool, "--share", path, path)
        check("share onto itself", done.returncode == 4 and load(path) == model, done.stderr)
        check("share", sorted(os.listdir(temp)) == ["b", "in.onnx", "out.onnx"], "leftovers")
        check("share", os.listdir(os.path.join(temp, "b")) == [], "leftovers")


# --- malformed ------------------------------------------------------------------------------------

def field(number, data):
    out = bytearray()
    for value in (number << 3 | 2, len(data)):
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        out.append(value)
    return bytes(out) + data


def nested(levels):
    data = b""
    for _ in range(levels):
        data = field(1, field(5, field(6, data)))  # graph.node.attribute.g
    return b"\x08\x0a" + field(7, data)


def with_graph(make):
    graph = h.make_graph([h.make_node("Neg", ["x"], ["y"])], "g", [info("x")], [info("y")])
    make(graph)
    return h.make_model(graph, ir_version=10).SerializeToString()


def nul(graph):
    graph.node[0].name = "a\0b"


def huge_dims(graph):
    graph.initializer.append(T(name="w", data_type=1, dims=[2 ** 40, 2 ** 40], raw_data=b"1234"))


def malformed_cases():
    small = with_graph(lambda g: g.initializer.append(tensor("w", 3)))
    yield "nested", nested(20000), b"nested over 100 deep"
    yield "nul", with_graph(nul), b'"name" contains a NUL byte (byte'
    yield "dims", with_graph(huge_dims), b"negative or too large"
    yield "garbage", bytes(random.Random(0).randbytes(100000)), b"is no ONNX model"
    yield "text", b"this is a text\n" * 20, b"is no ONNX model"
    yield "empty", b"", b"has no graph"
    yield "wire type", b"\x0d\x01\x00\x00\x00" + small, b'field "ir_version" has wire type 5'
    yield "group", small + b"\x3b\x3c", b"is a group"
    yield "marker", small + b"\xf8\xff\xff\xff\x0f\x01", b"reserved number"
    yield "tag", small + b"\xff" * 11, b"overlong"
    yield "length", small + field(7, b"")[:-1] + b"\xff\xff\xff\xff\x0f", b"past the end"


def check_malformed(tool):
    with tempfile.TemporaryDirectory() as temp:
        path, out = os.path.join(temp, "in.onnx"), os.path.join(temp, "out.onnx")

        def attempt(name, data, text=b""):
            with open(path, "wb") as f:
                f.write(data)
            done = run(tool, "--rebuild", path, out)
            check(name, done.returncode == 3 and text in done.stderr, done.stderr[:300])
            check(name, os.listdir(temp) == ["in.onnx"], "something was written")

        for name, data, text in malformed_cases():
            attempt(name, data, text)
        whole = with_graph(lambda g: g.initializer.append(tensor("w", 3)))
        opset = len(whole) - 4  # without the opset import the rest is still a model
        for n in range(0, opset):
            attempt(f"cut at {n}", whole[:n])


def main():
    tool, folders = os.path.abspath(sys.argv[1]), sys.argv[2:]
    check_rich(tool)
    check_merging(tool)
    check_external(tool)
    check_share(tool)
    check_malformed(tool)
    check_corpus(tool, folders)
    return int(bool(FAILED))


if __name__ == "__main__":
    sys.exit(main())
