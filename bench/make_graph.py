#!/usr/bin/env python3
"""Write a large graph of a simple form as ONNX, fast.

    make_graph.py FORM NODES OUT.onnx

FORM is one of
    random    elementwise operators of one or two operands, which are recent values or any
              earlier ones; what is left unused is added up at the end
    chain     every node reads the one before
    users     every node reads the one before, and the input: a value with NODES users
    equal     every second node computes the same: all of them are one
    operands  one node that adds up all the others
    siblings  NODES nodes If, each with two bodies
    nested    one If inside of another, NODES deep

All values are float[8]; the names are those of exporters. The same arguments give the same
bytes, which are written without onnx, so that a million nodes take seconds.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import random

UNARY = ["Neg", "Exp", "Abs", "Tanh", "Sigmoid", "Erf"]
BINARY = ["Add", "Sub", "Mul", "Max"]
GRAPH = 5  # AttributeProto.GRAPH


def varint(x):
    out = bytearray()
    while x > 127:
        out.append(x & 127 | 128)
        x >>= 7
    out.append(x)
    return bytes(out)


def field(number, data):
    """A field of bytes, or of a number."""
    if isinstance(data, int):
        return varint(number << 3) + varint(data)
    data = data.encode() if isinstance(data, str) else data
    return varint(number << 3 | 2) + varint(len(data)) + data


def node(op, inputs, output, attributes=b""):
    data = b"".join(field(1, i) for i in inputs) + field(2, output) + field(3, "/" + output) + field(4, op)
    return field(1, data + attributes)


def value(number, name, elem=1, dims=(8,)):
    shape = b"".join(field(1, field(1, d)) for d in dims)
    tensor = field(1, elem) + field(2, shape)
    return field(number, field(1, name) + field(2, field(1, tensor)))


def body(name, nodes, output):
    return nodes + field(2, name) + value(12, output)


def branch(name, graph):
    return field(5, field(1, name) + field(6, graph) + field(20, GRAPH))


def chain(n):
    last, out = "x", []
    for i in range(n):
        out.append(node(UNARY[i % 4], [last], f"/layer.{i // 50}/value_{i}"))
        last = f"/layer.{i // 50}/value_{i}"
    return out, last


def users(n):
    last, out = "x", []
    for i in range(n):
        out.append(node("Sub" if i % 2 else "Max", [last, "x"], f"/value_{i}"))
        last = f"/value_{i}"
    return out, last


def equal(n):
    last, out = "x", []
    for i in range(n // 2):
        out.append(node("Tanh", ["x"], f"/same_{i}"))
        out.append(node("Sub", [last, f"/same_{i}"], f"/value_{i}"))
        last = f"/value_{i}"
    return out, last


def operands(n):
    out = [node("Sub", ["x", f"/part_{i - 1}" if i else "x"], f"/part_{i}") for i in range(n - 1)]
    return out + [node("Sum", [f"/part_{i}" for i in range(n - 1)], "/all")], "/all"


def scattered(n):
    r, names, unused, out = random.Random(0), ["x"], ["x"], []
    pick = lambda: unused.pop(r.randrange(len(unused))) if len(unused) > 50 else (
        names[-1 - r.randrange(min(200, len(names)))] if r.random() < 0.9 else r.choice(names))
    for i in range(n - 60):
        op = r.choice(UNARY + BINARY)
        operands_ = [pick()] + ([pick()] if op in BINARY else [])
        out.append(node(op, operands_, f"/value_{i}"))
        for o in operands_:
            if o in unused:
                unused.remove(o)
        names.append(f"/value_{i}")
        unused.append(f"/value_{i}")
    last = unused[0]
    for i, u in enumerate(unused[1:]):
        out.append(node("Add", [last, u], f"/sum_{i}"))
        last = f"/sum_{i}"
    return out, last


def siblings(n):
    last, out = "x", []
    for i in range(n):
        then = body(f"then_{i}", node("Neg", [last], f"/then_{i}/y"), f"/then_{i}/y")
        other = body(f"else_{i}", node("Exp", [last], f"/else_{i}/y"), f"/else_{i}/y")
        out.append(node("If", ["c"], f"/value_{i}", branch("then_branch", then) + branch("else_branch", other)))
        last = f"/value_{i}"
    return out, last


def nested(n):
    inner = node("Neg", ["x"], "/inner_0")
    for i in range(n):
        then = body(f"then_{i}", inner, f"/inner_{i}")
        other = body(f"else_{i}", node("Exp", ["x"], f"/else_{i}"), f"/else_{i}")
        inner = node("If", ["c"], f"/inner_{i + 1}", branch("then_branch", then) + branch("else_branch", other))
    return [inner], f"/inner_{n}"


FORMS = dict(random=scattered, chain=chain, users=users, equal=equal, operands=operands, siblings=siblings,
             nested=nested)


def model(form, n):
    nodes, last = FORMS[form](n)
    graph = b"".join(nodes) + node("Identity", [last], "y") + field(2, form)
    graph += value(11, "x") + value(11, "c", 9, ()) + value(12, "y")
    opset = field(8, field(1, "") + field(2, 17))
    return field(1, 8) + opset + field(7, graph)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("form", choices=FORMS)
    ap.add_argument("nodes", type=int)
    ap.add_argument("out")
    a = ap.parse_args()
    with open(a.out, "wb") as f:
        f.write(model(a.form, a.nodes))


if __name__ == "__main__":
    main()
