#!/usr/bin/env python3
"""Write a vision model as ONNX, from its configuration, with random weights.

    make_vision.py vit|resnet50|mobilenet OUT.onnx [--opset 17] [--floor]

The graphs are what the TorchScript exporter writes, in evaluation mode, for ViTModel of
transformers (eager attention; LayerNormalization as an operator from opset 17, Gelu written out), and
for resnet50 and mobilenet_v2 of torchvision (BatchNormalization is in the convolutions by then).
Input pixel_values: float[batch, 3, 224, 224]. Weights come from a fixed seed.

--floor leaves products and convolutions alone, with the sizes that they have there, and what it takes to
feed one from the other (a Reshape, an Add where two meet): nothing that computes the model is faster
than them. Also for BERT: make_vision.py bert OUT.onnx --floor.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import numpy as np
import onnx
from onnx import TensorProto, helper

from make_bert import Builder, gelu, layer_norm, linear

SIZE = 224


def model(b, name, inputs, outputs, result, opset):
    b.nodes.append(helper.make_node("Identity", [result], [outputs[0].name]))
    graph = helper.make_graph(b.nodes, name, inputs, outputs, b.inits)
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=helper.find_min_ir_version_for(opsets))


def tensor(name, *dims, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, list(dims))


def images():
    return [tensor("pixel_values", "batch", 3, SIZE, SIZE)]


# --- transformers ------------------------------------------------------------------------------

def norm(b, opset, x, size):
    if opset < 17:
        return layer_norm(b, opset, x, size)
    scale = b.const((1 + 0.1 * b.rng.standard_normal(size)).astype(np.float32), "scale")
    return b.node("LayerNormalization", x, scale, b.weight(size, scale=0.1), axis=-1, epsilon=1e-12)


def attention(b, x, hidden, heads):
    size = hidden // heads
    dims = b.const(np.array([0, 0, heads, size], np.int64))
    q, k, v = (b.node("Transpose", b.node("Reshape", linear(b, x, hidden, hidden), dims), perm=p)
               for p in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    scores = b.node("Div", b.node("MatMul", q, k), b.const(np.float32(size ** 0.5)))
    context = b.node("MatMul", b.node("Softmax", scores, axis=-1), v)
    joined = b.node("Reshape", b.node("Transpose", context, perm=[0, 2, 1, 3]),
                    b.const(np.array([0, 0, hidden], np.int64)))
    return linear(b, joined, hidden, hidden)


def patches(b, hidden, patch=16):
    weight = b.weight(hidden, 3, patch, patch, scale=(3 * patch * patch) ** -0.5)
    x = b.node("Conv", "pixel_values", weight, b.weight(hidden, scale=0.1), kernel_shape=[patch, patch],
               strides=[patch, patch])
    n = (SIZE // patch) ** 2
    x = b.node("Reshape", x, b.const(np.array([0, hidden, n], np.int64)))
    return b.node("Transpose", x, perm=[0, 2, 1]), n


def vit(opset, layers=12, hidden=768, heads=12):
    b = Builder()
    x, n = patches(b, hidden)
    batch = b.node("Gather", b.node("Shape", "pixel_values"), b.const(np.int64(0)), axis=0)
    batch = b.node("Unsqueeze", batch, b.const(np.array([0], np.int64)))
    shape = b.node("Concat", batch, b.const(np.array([1], np.int64)), b.const(np.array([hidden], np.int64)), axis=0)
    first = b.node("Expand", b.weight(1, 1, hidden, scale=1.0), shape)
    x = b.node("Add", b.node("Concat", first, x, axis=1), b.weight(1, n + 1, hidden, scale=1.0))
    for _ in range(layers):
        x = b.node("Add", attention(b, norm(b, opset, x, hidden), hidden, heads), x)
        y = gelu(b, linear(b, norm(b, opset, x, hidden), hidden, 4 * hidden))
        x = b.node("Add", linear(b, y, 4 * hidden, hidden), x)
    out = [tensor("last_hidden_state", "batch", n + 1, hidden)]
    return model(b, "vit", images(), out, norm(b, opset, x, hidden), opset)


def product_layers(b, x, layers, hidden, heads):
    """The eight products of each layer. Heads are a view of what is there, not moved; queries and keys come
    from the first x, so that numbers stay in range without Softmax and normalisation."""
    first, size = x, hidden // heads
    view = lambda v, dims: b.node("Reshape", v, b.const(np.array(dims, np.int64)))
    for _ in range(layers):
        q, k, v = (b.node("MatMul", y, b.weight(hidden, hidden, scale=s * hidden ** -0.5))
                   for y, s in ((first, 0.1), (first, 0.1), (x, 1.0)))
        scores = b.node("MatMul", view(q, [0, heads, -1, size]), view(k, [0, heads, size, -1]))
        x = view(b.node("MatMul", scores, view(v, [0, heads, -1, size])), [0, -1, hidden])
        for m, n in ((hidden, hidden), (hidden, 4 * hidden), (4 * hidden, hidden)):
            x = b.node("MatMul", x, b.weight(m, n))
    return x


def vit_floor(opset, layers=12, hidden=768, heads=12):
    b = Builder()
    x, n = patches(b, hidden)
    x = b.node("Concat", x, b.node("Slice", x, *(b.const(np.array([i], np.int64)) for i in (0, 1, 1))), axis=1)
    return model(b, "vit_floor", images(), [tensor("y", "batch", n + 1, hidden)],
                 product_layers(b, x, layers, hidden, heads), opset)


def bert_floor(opset, layers=12, hidden=768, heads=12):
    b = Builder()
    ids = [tensor(n, "batch", "sequence", dtype=TensorProto.INT64)
           for n in ("input_ids", "attention_mask", "token_type_ids")]  # two go unused
    x = b.node("Gather", b.weight(30522, hidden, scale=1.0), "input_ids")
    return model(b, "bert_floor", ids, [tensor("y", "batch", "sequence", hidden)],
                 product_layers(b, x, layers, hidden, heads), opset)


# --- convolutions ------------------------------------------------------------------------------

class Net:
    """Layers of a convolutional network; of the floor only what multiplies."""
    def __init__(self, floor):
        self.b, self.floor = Builder(), floor

    def conv(self, x, cin, cout, kernel, stride=1, groups=1, gain=2 ** 0.5):
        """gain: what activations halve, or, with less, what is added to something else."""
        per_group = cin // groups
        gain = 1.0 if self.floor else gain
        weight = self.b.weight(cout, per_group, kernel, kernel, scale=gain * (per_group * kernel ** 2) ** -0.5)
        return self.b.node("Conv", x, weight, self.b.weight(cout, scale=0.1), dilations=[1, 1], group=groups,
                           kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4, strides=[stride, stride])

    def relu(self, x):
        return x if self.floor else self.b.node("Relu", x)

    def relu6(self, x):
        if self.floor:
            return x
        return self.b.node("Clip", x, *(self.b.const(np.float32(v)) for v in (0, 6)))

    def classify(self, x, features, name, opset, classes=1000):
        b = self.b
        x = b.node("Flatten", b.node("GlobalAveragePool", x), axis=1)
        weight = b.weight(classes, features, scale=features ** -0.5)
        x = b.node("Gemm", x, weight, b.weight(classes, scale=0.1), alpha=1.0, beta=1.0, transB=1)
        return model(b, name, images(), [tensor("logits", "batch", classes)], x, opset)


def bottleneck(n, x, cin, width, stride):
    cout = 4 * width
    y = n.relu(n.conv(x, cin, width, 1))
    y = n.relu(n.conv(y, width, width, 3, stride))
    y = n.conv(y, width, cout, 1, gain=0.3)
    if cin != cout or stride != 1:
        return n.relu(n.b.node("Add", y, n.conv(x, cin, cout, 1, stride, gain=1.0)))
    return y if n.floor else n.relu(n.b.node("Add", y, x))


def resnet50(opset, floor=False):
    n = Net(floor)
    x = n.relu(n.conv("pixel_values", 3, 64, 7, 2))
    x = n.b.node("MaxPool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2])
    cin = 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(blocks):
            x = bottleneck(n, x, cin, width, stride if i == 0 else 1)
            cin = 4 * width
    return n.classify(x, cin, "resnet50", opset)


def inverted_residual(n, x, cin, cout, stride, expand):
    wide = cin * expand
    y = n.relu6(n.conv(x, cin, wide, 1)) if expand != 1 else x
    y = n.relu6(n.conv(y, wide, wide, 3, stride, groups=wide))
    y = n.conv(y, wide, cout, 1, gain=1.0)
    return n.b.node("Add", x, y) if stride == 1 and cin == cout and not n.floor else y


def mobilenet(opset, floor=False):
    n = Net(floor)
    x = n.relu6(n.conv("pixel_values", 3, 32, 3, 2))
    cin = 32
    for expand, cout, blocks, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                         (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(blocks):
            x = inverted_residual(n, x, cin, cout, stride if i == 0 else 1, expand)
            cin = cout
    return n.classify(n.relu6(n.conv(x, cin, 1280, 1)), 1280, "mobilenet", opset)


MODELS = {"vit": vit, "resnet50": resnet50, "mobilenet": mobilenet}
FLOORS = {"bert": bert_floor, "vit": vit_floor, "resnet50": lambda opset: resnet50(opset, floor=True),
          "mobilenet": lambda opset: mobilenet(opset, floor=True)}


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("which", choices=sorted(FLOORS))
    ap.add_argument("out")
    ap.add_argument("--opset", type=int, default=17)
    ap.add_argument("--floor", action="store_true")
    a = ap.parse_args()
    if a.which == "bert" and not a.floor:
        ap.error("make_bert.py writes BERT itself")
    onnx.save((FLOORS if a.floor else MODELS)[a.which](a.opset), a.out)


if __name__ == "__main__":
    main()
