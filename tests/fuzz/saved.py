#!/usr/bin/env python3
"""Makes the saved corpora tests/fuzz/check and tests/fuzz/model: small models, picked so
that each leads into another part of what is read, inferred and verified.

    saved.py [--check]        writes the files; --check: are they current?

SPDX-License-Identifier: Apache-2.0
"""
import os
import sys

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))

# name -> (opset, graph), for `check`: right ones, and ones with a fault.
CHECK = {
    "symbols": (17, """g (float[n, k, m] x, float[m] b) => (float[n, k] y) {
        s = Add (x, b)  t = Shape <start = 0, end = 1> (s)
        w = Constant <value_ints = [-1]> ()
        u = Concat <axis = 0> (t, w)  y = Reshape (s, u) }"""),
    "reshape-misfit": (17, """g (float[2, 3] x) => (float[4] y) {
        s = Constant <value_ints = [4, -1]> ()  y = Reshape (x, s) }"""),
    "reshape-zeros": (14, """g (float[0, 3] x) => (float[0, 7] y) {
        s = Constant <value_ints = [0, 7]> ()  y = Reshape <allowzero = 1> (x, s) }"""),
    "slice-axis": (13, """g (float[4] x) => (float[n] y) {
        a = Constant <value_ints = [0]> ()
        e = Constant <value_ints = [9223372036854775807]> ()
        c = Constant <value_ints = [1]> ()  y = Slice (x, a, e, c) }"""),
    "slice-backwards": (13, """g (float[n, 5] x) => (float[n, 3] y) {
        a = Constant <value_ints = [-1]> ()
        e = Constant <value_ints = [-9223372036854775807]> ()
        c = Constant <value_ints = [1]> ()  s = Constant <value_ints = [-2]> ()
        y = Slice (x, a, e, c, s) }"""),
    "expand-negative": (13, """g (float[1] x) => (float[n] y) {
        s = Constant <value_ints = [-3]> ()  y = Expand (x, s) }"""),
    "range-fractions": (13, """g () => (float[n] y) {
        a = Constant <value_float = 0.5> ()  b = Constant <value_float = 7.25> ()
        d = Constant <value_float = 0.0> ()  y = Range (a, b, d) }"""),
    "loop-grows": (13, """g (int64 m, bool c, float[1] x) => (float[k] y, float[j, 1] z) {
        y, z = Loop (m, c, x) <body = b (int64 i, bool p, float[a] s)
            => (bool q, float[d] t, float[1] o) {
            q = Identity (p)  t = Concat <axis = 0> (s, s)  o = Identity (x) }> }"""),
    "loop-counter": (13, """g (int64 m, bool c, float[1] x) => (float[1] y) {
        y = Loop (m, c, x) <body = b (int32 i, bool p, float[1] s)
            => (bool q, float[1] t) { q = Identity (p)  t = Identity (s) }> }"""),
    "loop-few-outputs": (13, """g (int64 m, bool c, float[1] x) => (float[1] y) {
        y = Loop (m, c, x) <body = b (int64 i, bool p, float[1] s)
            => (bool q) { q = Identity (p) }> }"""),
    "if-branches": (13, """g (bool c, float[2] x) => (float[n] y) {
        y = If (c) <then_branch = t () => (float[2] a) { a = Relu (x) },
                    else_branch = e () => (float[4] b) {
                        b = Concat <axis = 0> (x, x) }> }"""),
    "if-types": (13, """g (bool c, float[2] x) => (float[2] y) {
        y = If (c) <then_branch = t () => (float[2] a) { a = Relu (x) },
                    else_branch = e () => (int64[2] b) { b = Cast <to = 7> (x) }> }"""),
    "scan-axes": (16, """g (float[3] s, float[4, 3] x) => (float[3] y, float[3, 4] z) {
        y, z = Scan (s, x) <num_scan_inputs = 1, scan_output_axes = [-1],
            body = b (float[3] p, float[3] q) => (float[3] r, float[3] o) {
            r = Add (p, q)  o = Identity (r) }> }"""),
    "scan-too-many": (16, """g (float[3] s) => (float[3] y) {
        y = Scan (s) <num_scan_inputs = 1000000,
            body = b (float[3] p) => (float[3] r) { r = Neg (p) }> }"""),
    "sequences": (17, """g (float[2] x, float[3, 2] w) => (seq(float[n]) y) {
        e = SequenceEmpty <dtype = 1> ()  s = SequenceInsert (e, x)
        p = SplitToSequence <axis = 0, keepdims = 0> (w)  i = Constant <value_int = 1> ()
        v = SequenceAt (p, i)  y = SequenceInsert (s, v, i) }"""),
    "conv-groups": (11, """g (float[n, 6, h, w] x, float[4, 3, 3, 3] k)
        => (float[n, 4, a, b] y) {
        y = Conv <group = 2, pads = [1, 1, 1, 1], strides = [2, 2], dilations = [2, 1]>
            (x, k) }"""),
    "conv-channels": (11, """g (float[n, 6, h, w] x, float[4, 5, 3, 3] k)
        => (float[n, 4, a, b] y) {
        y = Conv (x, k) }"""),
    "pool-edge": (11, """g (float[1, 1, 2, 2] x) => (float[1, 1, 1, 1] y) {
        y = MaxPool <kernel_shape = [1, 1], strides = [3, 3], ceil_mode = 1> (x) }"""),
    "pool-overflow": (11, """g (float[1, 1, 2, 2] x) => (float[1, 1, a, b] y) {
        y = MaxPool <kernel_shape = [9223372036854775807, 2], dilations = [1, 3],
                     pads = [9223372036854775807, 0, 1, 0]> (x) }"""),
    "attention-past": (23, """g (float[2, 3, 4, 8] q, float[2, 3, 6, 8] k,
        float[2, 3, 6, 10] v, float[2, 3, 12, 10] pv, float[2, 3, 12, 8] pk)
        => (float[2, 3, 4, 10] y, float[2, 3, 18, 8] nk, float[2, 3, 18, 10] nv) {
        y, nk, nv = Attention (q, k, v, "", pv, pk) }"""),
    "einsum-terms": (12, """g (float[a, b] x, float[b, c] y) => (float[a, c] z) {
        z = Einsum <equation = "ij,jk,kl->il"> (x, y) }"""),
    "quantized": (21, """g (float[4, 6] x, float[4, 2] s, int8[4, 2] z) => (float[4, 6] y) {
        q = QuantizeLinear <axis = 1, block_size = 3> (x, s, z)
        y = DequantizeLinear <axis = 1, block_size = 4> (q, s, z) }"""),
    "old-attributes": (6, """g (float[n, 4] x) => (float[n, 4] y) {
        a = Unsqueeze <axes = [0, -1]> (x)  b = Squeeze <axes = [0, 3]> (a)
        y = Upsample <mode = "cubic", scales = [1.0, 2.0]> (b) }"""),
    "words": (18, """g (float[1, 1, 4, 4] x, float[4] s) => (float[n, c, h, w] y) {
        y = Resize <mode = "best", axes = [2, -2]> (x, "", s, s) }"""),
    "cast-type": (13, "g (float[n] x) => (float[n] y) { y = Cast <to = -7> (x) }"),
    "contrib": (17, """g (float[b, s, 8] x, float[b, s, 8] r, float[9] w)
        => (float[b, s, 8] y) {
        y, a, m, t = com.microsoft.SkipLayerNormalization <epsilon = 1e-5> (x, r, w) }"""),
    "classes": (17, """g (string[n] x) => (int64[n] y) {
        y = ai.onnx.ml.LabelEncoder
            <keys_strings = ["a", "b"], values_int64s = [1, 2, 3]> (x) }"""),
}
FUNCTIONS = """
    <domain: "own", opset_import: ["" : 17, "own" : 1]>
    scaled <factor> (x) => (y) {{
        f = Constant <value_float: float = @factor> ()
        t = {inner} (x)  y = Mul (t, f) }}"""


def parsed(opset, graph, functions=""):
    domains = f'"" : {opset}, "com.microsoft" : 1, "ai.onnx.ml" : 3, "own" : 1'
    return onnx.parser.parse_model(
        f"<ir_version: 9, opset_import: [{domains}]>\n{graph}\n{functions}")


def check_models():
    models = {name: parsed(*text) for name, text in CHECK.items()}
    call = "g (float[n] x) => (float[n] y) { y = own.scaled <factor = 2.0> (x) }"
    models["function"] = parsed(17, call, FUNCTIONS.format(inner="Relu"))
    models["function-circle"] = parsed(17, call, FUNCTIONS.format(inner="own.scaled"))
    return {name: m.SerializeToString() for name, m in models.items()}


def holding(change):
    model = parsed(17, "g (float[2] x) => (float[2] y) { y = Add (x, c) }")
    change(model)
    return model.SerializeToString()


def tensor(**fields):
    """A model whose constant has these fields."""
    return holding(lambda m: m.graph.initializer.append(
        TensorProto(**{"name": "c", "data_type": 1, "dims": [2], **fields})))


def external(location, length):
    t = TensorProto(name="c", data_type=1, dims=[2], data_location=1)
    for key, value in (("location", location), ("offset", "0"), ("length", length)):
        t.external_data.add(key=key, value=value)
    return holding(lambda m: m.graph.initializer.append(t))


def nested(depth):
    def change(m):
        t = m.graph.input[0].type
        elem = onnx.TypeProto.FromString(t.SerializeToString())
        for _ in range(depth):
            elem = helper.make_sequence_type_proto(elem)
        t.CopyFrom(elem)
    return holding(change)


def sparse(index):
    values = helper.make_tensor("c", TensorProto.FLOAT, [1], [3.0])
    indices = helper.make_tensor("i", TensorProto.INT64, [1], [index])
    return holding(lambda m: m.graph.sparse_initializer.append(
        helper.make_sparse_tensor(values, indices, [2])))


def model_files():
    whole = tensor(float_data=[1.0, 2.0])
    return {
        "constant": whole, "cut": whole[:-3], "twice": whole + whole,
        "longer-than-itself": b"\x3a\xff\xff\xff\xff\x0f" + whole,
        "unknown-fields": whole + b"\xfa\x7f\x03abc\xf8\x7f\x01",
        "raw": tensor(raw_data=bytes(8)), "raw-odd": tensor(raw_data=bytes(7)),
        "dims-overflow": tensor(dims=[1 << 40, 1 << 40], raw_data=b"1234"),
        "dims-negative": tensor(dims=[-2], raw_data=bytes(8)),
        "nibbles": tensor(data_type=22, dims=[3], int32_data=[0x21, 3]),
        "strings": tensor(data_type=8, string_data=[b"a", b"\xff\x00"]),
        "two-fields": tensor(float_data=[1.0, 2.0], raw_data=bytes(8)),
        "external-above": external("../secret", "8"),
        "external-huge": external("c.bin", "99999999999999999999"),
        "sparse": sparse(1), "sparse-outside": sparse(2),
        "types-nested": nested(3), "types-deep": nested(60),
        "cycle": parsed(17, "g (float[2] x) => (float[2] y) { a = Add (x, y)  y = Neg (a) }"
                        ).SerializeToString(),
    }


def files():
    for folder, models in (("check", check_models()), ("model", model_files())):
        for name, data in models.items():
            yield os.path.join(HERE, folder, name + ".onnx"), data


def is_current(path, data):
    if os.path.exists(path):
        with open(path, "rb") as f:
            return f.read() == data
    return False


def main():
    stale = [(path, data) for path, data in files() if not is_current(path, data)]
    if sys.argv[1:] == ["--check"]:
        for path, _ in stale:
            print("not current:", path)
        return 1 if stale else 0
    for path, data in stale:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
