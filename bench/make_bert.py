#!/usr/bin/env python3
"""Write a BERT encoder as ONNX, from its configuration, with random weights.

    make_bert.py OUT.onnx [--layers 12] [--hidden 768] [--heads 12] [--vocab 30522] [--opset 14]

The graph is what the TorchScript exporter writes for transformers' BertModel in eager
mode: LayerNormalization and Gelu written out, attention by MatMul, Div, Add, Softmax.
Inputs input_ids, attention_mask, token_type_ids: int64[batch, sequence]; output
last_hidden_state: float[batch, sequence, hidden]. bert-base has 438 MB of weights.
Weights come from a fixed seed: the same arguments give the same bytes.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Builder:
    def __init__(self, seed=0):
        self.nodes, self.inits, self.names = [], [], {}
        self.rng = np.random.default_rng(seed)

    def fresh(self, hint):
        self.names[hint] = self.names.get(hint, -1) + 1
        return f"{hint}_{self.names[hint]}"

    def const(self, value, hint="const"):
        name = self.fresh(hint)
        self.inits.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def weight(self, *shape, hint="weight", scale=None):
        scale = scale if scale is not None else shape[0] ** -0.5
        return self.const(self.rng.standard_normal(shape, dtype=np.float32) * np.float32(scale), hint)

    def node(self, op, *inputs, **attrs):
        out = self.fresh(op)
        self.nodes.append(helper.make_node(op, list(inputs), [out], name="/" + out, **attrs))
        return out


def reduce_mean(b, opset, x):
    if opset >= 18:
        return b.node("ReduceMean", x, b.const(np.array([-1], np.int64)))
    return b.node("ReduceMean", x, axes=[-1])


def unsqueeze(b, opset, x, axes):
    if opset >= 13:
        return b.node("Unsqueeze", x, b.const(np.array(axes, np.int64)))
    return b.node("Unsqueeze", x, axes=axes)


def layer_norm(b, opset, x, size):
    d = b.node("Sub", x, reduce_mean(b, opset, x))
    v = reduce_mean(b, opset, b.node("Pow", d, b.const(np.float32(2))))
    s = b.node("Sqrt", b.node("Add", v, b.const(np.float32(1e-12))))
    scale = b.const((1 + 0.1 * b.rng.standard_normal(size)).astype(np.float32), "scale")
    shift = b.const((0.1 * b.rng.standard_normal(size)).astype(np.float32), "shift")
    return b.node("Add", b.node("Mul", b.node("Div", d, s), scale), shift)


def linear(b, x, n_in, n_out):
    return b.node("Add", b.weight(n_out, hint="bias", scale=0.1), b.node("MatMul", x, b.weight(n_in, n_out)))


def gelu(b, x):
    e = b.node("Erf", b.node("Div", x, b.const(np.float32(2 ** 0.5))))
    return b.node("Mul", b.node("Mul", x, b.node("Add", e, b.const(np.float32(1)))), b.const(np.float32(0.5)))


def attention(b, x, mask, hidden, heads):
    size = hidden // heads
    split = b.const(np.array([0, 0, heads, size], np.int64))
    parts = [b.node("Transpose", b.node("Reshape", linear(b, x, hidden, hidden), split), perm=p)
             for p in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])]
    scores = b.node("Div", b.node("MatMul", parts[0], parts[1]), b.const(np.float32(size ** 0.5)))
    weights = b.node("Softmax", b.node("Add", scores, mask), axis=-1)
    context = b.node("Transpose", b.node("MatMul", weights, parts[2]), perm=[0, 2, 1, 3])
    joined = b.node("Reshape", context, b.const(np.array([0, 0, hidden], np.int64)))
    return linear(b, joined, hidden, hidden)


def bert(layers, hidden, heads, vocab, opset, positions=512):
    b = Builder()
    length = b.node("Gather", b.node("Shape", "input_ids"), b.const(np.int64(1)), axis=0)
    ids = b.node("Slice", b.const(np.arange(positions, dtype=np.int64)[None]), b.const(np.array([0], np.int64)),
                 unsqueeze(b, opset, length, [0]), b.const(np.array([1], np.int64)))
    x = b.node("Add", b.node("Gather", b.weight(vocab, hidden, scale=1.0), "input_ids"),
               b.node("Gather", b.weight(2, hidden, scale=1.0), "token_type_ids"))
    x = layer_norm(b, opset, b.node("Add", x, b.node("Gather", b.weight(positions, hidden, scale=1.0), ids)), hidden)
    wide = b.node("Cast", unsqueeze(b, opset, "attention_mask", [1, 2]), to=TensorProto.FLOAT)
    mask = b.node("Mul", b.node("Sub", b.const(np.float32(1)), wide), b.const(np.finfo(np.float32).min))
    for _ in range(layers):
        x = layer_norm(b, opset, b.node("Add", attention(b, x, mask, hidden, heads), x), hidden)
        y = linear(b, gelu(b, linear(b, x, hidden, 4 * hidden)), 4 * hidden, hidden)
        x = layer_norm(b, opset, b.node("Add", y, x), hidden)
    b.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "sequence"])
              for n in ("input_ids", "attention_mask", "token_type_ids")]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "sequence", hidden])]
    graph = helper.make_graph(b.nodes, "bert", inputs, outputs, b.inits)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                             ir_version=helper.find_min_ir_version_for([helper.make_opsetid("", opset)]))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("out")
    for name, default in dict(layers=12, hidden=768, heads=12, vocab=30522, opset=14).items():
        ap.add_argument("--" + name, type=int, default=default)
    a = ap.parse_args()
    onnx.save(bert(a.layers, a.hidden, a.heads, a.vocab, a.opset), a.out)


if __name__ == "__main__":
    main()
