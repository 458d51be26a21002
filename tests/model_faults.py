"""Faults for valid models: each takes a model and a source of chance, and spoils one thing.

A fault returns what it did, as words, or None when the model has no place for it. What is
spoilt may by chance still be valid: that is for the judges.

SPDX-License-Identifier: Apache-2.0
"""
import copy

import onnx
from onnx import AttributeProto, TensorProto, helper

OPERATORS = sorted({s.name for s in onnx.defs.get_all_schemas() if not s.domain})
VALUES = [1, 1.5, "s", [1, 2], [1.5], ["s"]]
NUMBERS = [-1000, -3, -1, 0, 1, 2, 3, 7, 1000]
WORDS = ["", "none", "SAME_UPPER", "linear", "nearest", "add", "NONE"]
OPSETS = [1, 5, 6, 7, 9, 11, 12, 13, 14, 15, 17, 18, 20, 21, 22, 23, 25]
TYPES = [t for t in TensorProto.DataType.values() if t]


def graphs(graph):
    yield graph
    for node in graph.node:
        for a in node.attribute:
            if a.type == AttributeProto.GRAPH:
                yield from graphs(a.g)


def holders(model):
    """What has nodes: graphs, bodies, functions."""
    return [g for g in [*graphs(model.graph), *model.functions] if g.node]


def node_of(model, draw, wanted=lambda node: True):
    nodes = [n for g in holders(model) for n in g.node if wanted(n)]
    return draw.choice(nodes) if nodes else None


def words(node):
    return f"{node.op_type} {node.output[0] if node.output else ''!r}"


# --- rename -----------------------------------------------------------------------------

def rename_operand(model, draw):
    n = node_of(model, draw, lambda n: n.input)
    if n:
        n.input[draw.randrange(len(n.input))] = "no_such_value"
        return words(n)


def rename_output(model, draw):
    n = node_of(model, draw, lambda n: n.output)
    if n:
        n.output[draw.randrange(len(n.output))] = "renamed"
        return words(n)


def repeat_name(model, draw):
    n = node_of(model, draw, lambda n: n.output)
    graph = model.graph
    names = [o for m in graph.node for o in m.output] + [i.name for i in graph.input]
    if n and names:
        n.output[0] = draw.choice(names)
        return words(n)


def rename_input(model, draw):
    if model.graph.input:
        draw.choice(model.graph.input).name = draw.choice(["renamed", "", "x"])
        return "graph input"


def repeat_input(model, draw):
    if model.graph.input:
        model.graph.input.append(model.graph.input[0])
        return "graph input"


def rename_graph_output(model, draw):
    graph = draw.choice([*graphs(model.graph)])
    if graph.output:
        draw.choice(graph.output).name = draw.choice(["renamed", ""])
        return "graph output"


def rename_initializer(model, draw):
    if model.graph.initializer:
        draw.choice(model.graph.initializer).name = draw.choice(["renamed", ""])
        return "initializer"


def other_operator(model, draw):
    n = node_of(model, draw)
    n.op_type = draw.choice([*OPERATORS, n.op_type + "x", n.op_type.lower(), ""])
    return words(n)


def other_domain(model, draw):
    n = node_of(model, draw)
    n.domain = draw.choice(["com.microsoft", "org.example", "ai.onnx", "ai.onnx.ml", ""])
    return f"{n.domain} {words(n)}"


def nameless_graph(model, draw):
    model.graph.name = ""
    return ""


# --- drop -------------------------------------------------------------------------------

def drop_node(model, draw):
    holder = draw.choice(holders(model))
    n = holder.node.pop(draw.randrange(len(holder.node)))
    return words(n)


def drop_operand(model, draw):
    n = node_of(model, draw, lambda n: n.input)
    if n:
        del n.input[draw.randrange(len(n.input))]
        return words(n)


def empty_operand(model, draw):
    n = node_of(model, draw, lambda n: n.input)
    if n:
        n.input[draw.randrange(len(n.input))] = ""
        return words(n)


def more_operands(model, draw):
    n = node_of(model, draw, lambda n: n.input)
    if n:
        n.input.append(n.input[0])
        return words(n)


def drop_output(model, draw):
    n = node_of(model, draw, lambda n: n.output)
    if n:
        text = words(n)
        del n.output[-1]
        return text


def empty_output(model, draw):
    n = node_of(model, draw, lambda n: n.output)
    if n:
        n.output[draw.randrange(len(n.output))] = ""
        return words(n)


def more_outputs(model, draw):
    n = node_of(model, draw)
    n.output.append("one_more_output")
    return words(n)


def drop_attribute(model, draw):
    n = node_of(model, draw, lambda n: n.attribute)
    if n:
        a = n.attribute.pop(draw.randrange(len(n.attribute)))
        return f"{words(n)} {a.name}"


def drop_import(model, draw):
    where = draw.choice([model, *model.functions])
    if where.opset_import:
        del where.opset_import[draw.randrange(len(where.opset_import))]
        return ""


def drop_initializer(model, draw):
    if model.graph.initializer:
        model.graph.initializer.pop(draw.randrange(len(model.graph.initializer)))
        return "initializer"


def drop_input(model, draw):
    if model.graph.input:
        model.graph.input.pop(draw.randrange(len(model.graph.input)))
        return "graph input"


def drop_graph_output(model, draw):
    graph = draw.choice([*graphs(model.graph)])
    if graph.output:
        graph.output.pop()
        return "graph output"


def drop_type(model, draw):
    infos = [*model.graph.input, *model.graph.output, *model.graph.value_info]
    if infos:
        info = draw.choice(infos)
        info.ClearField("type")
        return info.name


def drop_shape(model, draw):
    infos = [i for i in [*model.graph.input, *model.graph.output]
             if i.type.HasField("tensor_type")]
    if infos:
        info = draw.choice(infos)
        info.type.tensor_type.ClearField("shape")
        return info.name


def drop_function(model, draw):
    if model.functions:
        return model.functions.pop().name


def drop_ir_version(model, draw):
    model.ClearField("ir_version")
    return ""


# --- retype -----------------------------------------------------------------------------

def some_info(model, draw, fields):
    infos = [i for f in fields for g in graphs(model.graph) for i in getattr(g, f)
             if i.type.HasField("tensor_type")]
    return draw.choice(infos) if infos else None


def set_dtype(info, draw):
    info.type.tensor_type.elem_type = draw.choice([*TYPES, 0, 99])
    return f"{info.name} {info.type.tensor_type.elem_type}"


def set_dim(info, draw):
    dims = info.type.tensor_type.shape.dim
    if not dims or draw.random() < 0.3:
        dims.add().dim_value = 3
    elif draw.random() < 0.3:
        dims.pop()
    else:
        draw.choice(dims).dim_value = draw.choice(NUMBERS)
    return f"{info.name} {[d.dim_value or d.dim_param for d in dims]}"


def retype_input(model, draw):
    info = some_info(model, draw, ["input"])
    return info and set_dtype(info, draw)


def reshape_input(model, draw):
    info = some_info(model, draw, ["input"])
    return info and set_dim(info, draw)


def retype_output(model, draw):
    info = some_info(model, draw, ["output"])
    return info and set_dtype(info, draw)


def reshape_output(model, draw):
    info = some_info(model, draw, ["output"])
    return info and set_dim(info, draw)


def retype_info(model, draw):
    info = some_info(model, draw, ["value_info"])
    return info and draw.choice([set_dtype, set_dim])(info, draw)


def other_kind(model, draw):
    """A sequence, an optional or nothing of a tensor."""
    info = some_info(model, draw, ["input", "output"])
    if info:
        old = copy.deepcopy(info.type)
        kind = draw.choice(["sequence_type", "optional_type", "sparse_tensor_type"])
        info.type.Clear()
        if kind == "sparse_tensor_type":
            info.type.sparse_tensor_type.elem_type = old.tensor_type.elem_type
        else:
            getattr(info.type, kind).elem_type.CopyFrom(old)
        return f"{info.name} {kind}"


def tensors(model):
    for g in graphs(model.graph):
        yield from g.initializer
    for holder in holders(model):
        for n in holder.node:
            for a in n.attribute:
                if a.type == AttributeProto.TENSOR:
                    yield a.t


def some_tensor(model, draw):
    found = [*tensors(model)]
    return draw.choice(found) if found else None


def retype_tensor(model, draw):
    t = some_tensor(model, draw)
    if t:
        t.data_type = draw.choice([*TYPES, 0, 99])
        return f"{t.name} {t.data_type}"


def reshape_tensor(model, draw):
    t = some_tensor(model, draw)
    if t:
        if t.dims:
            t.dims[draw.randrange(len(t.dims))] = draw.choice(NUMBERS)
        else:
            t.dims.append(draw.choice(NUMBERS))
        return f"{t.name} {list(t.dims)}"


def transpose_tensor(model, draw):
    """Dims of the same product."""
    found = [t for t in tensors(model) if len(set(t.dims)) > 1]
    if found:
        t = draw.choice(found)
        dims = list(t.dims)
        draw.shuffle(dims)
        t.dims[:] = dims
        return f"{t.name} {dims}"


def other_opset(model, draw):
    for o in model.opset_import:
        if not o.domain:
            o.version = draw.choice(OPSETS)
            return str(o.version)


def other_ir_version(model, draw):
    model.ir_version = draw.choice([0, 1, 2, 3, 4, 8, 10, 99])
    return str(model.ir_version)


# --- attributes -------------------------------------------------------------------------

def has_attribute(*types):
    return lambda n: any(not types or a.type in types for a in n.attribute)


def some_attribute(model, draw, *types):
    n = node_of(model, draw, has_attribute(*types))
    if not n:
        return None, None
    return n, draw.choice([a for a in n.attribute if not types or a.type in types])


def attribute_of_other_type(model, draw):
    n, a = some_attribute(model, draw)
    if n:
        a.CopyFrom(helper.make_attribute(a.name, draw.choice(VALUES)))
        return f"{words(n)} {a.name}"


def attribute_of_other_value(model, draw):
    n, a = some_attribute(model, draw, AttributeProto.INT, AttributeProto.INTS,
                          AttributeProto.STRING, AttributeProto.FLOAT)
    if n:
        if a.type == AttributeProto.INT:
            a.i = draw.choice(NUMBERS)
        elif a.type == AttributeProto.FLOAT:
            a.f = draw.choice(NUMBERS)
        elif a.type == AttributeProto.STRING:
            a.s = draw.choice(WORDS).encode()
        elif a.ints:
            a.ints[draw.randrange(len(a.ints))] = draw.choice(NUMBERS)
        return f"{words(n)} {a.name} = {helper.get_attribute_value(a)}"


def resize_attribute(model, draw):
    n, a = some_attribute(model, draw, AttributeProto.INTS)
    if n:
        if a.ints and draw.random() < 0.5:
            a.ints.pop()
        else:
            a.ints.append(draw.choice(NUMBERS))
        return f"{words(n)} {a.name} = {list(a.ints)}"


def rename_attribute(model, draw):
    n, a = some_attribute(model, draw)
    if n:
        a.name = draw.choice([a.name + "x", "", "axis"])
        return f"{words(n)} {a.name}"


def repeat_attribute(model, draw):
    n, a = some_attribute(model, draw)
    if n:
        n.attribute.append(copy.deepcopy(a))
        return f"{words(n)} {a.name}"


def more_attributes(model, draw):
    n = node_of(model, draw)
    n.attribute.append(helper.make_attribute(
        draw.choice(["axis", "axes", "surplus", "keepdims"]), draw.choice(VALUES)))
    return f"{words(n)} {n.attribute[-1].name}"


def untyped_attribute(model, draw):
    n, a = some_attribute(model, draw)
    if n:
        a.type = draw.choice([0, *AttributeProto.AttributeType.values()])
        return f"{words(n)} {a.name} {a.type}"


def reference_attribute(model, draw):
    n, a = some_attribute(model, draw)
    if n:
        kept = a.type
        name = a.name
        a.Clear()
        a.name, a.type, a.ref_attr_name = name, kept, "outside"
        return f"{words(n)} {a.name}"


# --- reorder, loop ----------------------------------------------------------------------

def swap_nodes(model, draw):
    found = [h for h in holders(model) if len(h.node) > 1]
    if found:
        nodes = draw.choice(found).node
        i, j = draw.sample(range(len(nodes)), 2)
        kept = copy.deepcopy(nodes[i])
        nodes[i].CopyFrom(nodes[j])
        nodes[j].CopyFrom(kept)
        return f"{i} and {j}"


def swap_operands(model, draw):
    n = node_of(model, draw, lambda n: len(n.input) > 1)
    if n:
        i, j = draw.sample(range(len(n.input)), 2)
        n.input[i], n.input[j] = n.input[j], n.input[i]
        return words(n)


def other_operand(model, draw):
    """A value from elsewhere in the graph: of another type, later, or in a cycle."""
    holder = draw.choice([h for h in holders(model)])
    names = [o for n in holder.node for o in [*n.output, *n.input] if o]
    nodes = [n for n in holder.node if n.input]
    if nodes and names:
        n = draw.choice(nodes)
        n.input[draw.randrange(len(n.input))] = draw.choice(names)
        return words(n)


def own_output(model, draw):
    n = node_of(model, draw, lambda n: n.input and n.output)
    if n:
        n.input[draw.randrange(len(n.input))] = n.output[0]
        return words(n)


def function_calls_itself(model, draw):
    if model.functions:
        f = draw.choice(model.functions)
        n = draw.choice(f.node)
        n.op_type, n.domain = f.name, f.domain
        return f.name


# --- cut --------------------------------------------------------------------------------

def cut_data(model, draw):
    t = some_tensor(model, draw)
    if t and t.raw_data:
        t.raw_data = t.raw_data[:draw.randrange(len(t.raw_data))]
        return t.name
    for field in ("float_data", "int64_data", "int32_data") if t else ():
        data = getattr(t, field)
        if data:
            data.pop()
            return f"{t.name} {field}"


def cut_nodes(model, draw):
    nodes = model.graph.node
    if len(nodes) > 1:
        keep = draw.randrange(1, len(nodes))
        del nodes[keep:]
        return str(keep)


def cut_body(model, draw):
    found = [g for g in graphs(model.graph) if g is not model.graph]
    if found:
        g = draw.choice(found)
        field = draw.choice(["input", "output", "node"])
        if getattr(g, field):
            getattr(g, field).pop()
            return field


def two_payloads(model, draw):
    t = some_tensor(model, draw)
    if t:
        t.float_data.append(1)
        t.raw_data = t.raw_data or b"1234"
        return t.name


def external_data(model, draw):
    t = some_tensor(model, draw)
    if t:
        t.ClearField("raw_data")
        t.data_location = TensorProto.EXTERNAL
        where = draw.choice(["missing.bin", "../outside.bin", "/etc/hostname", ""])
        t.external_data.add(key="location", value=where)
        return f"{t.name} {where}"


FAULTS = [value for name, value in list(globals().items())
          if callable(value) and getattr(value, "__module__", "") == __name__
          and value.__code__.co_varnames[:2] == ("model", "draw")
          and name not in ("node_of", "some_info", "some_tensor", "some_attribute")]


def faulty(model, draw):
    """(a copy with one fault, the fault in words)"""
    while True:
        broken, fault = copy.deepcopy(model), draw.choice(FAULTS)
        did = fault(broken, draw)
        if did is not None:
            return broken, f"{fault.__name__} {did}".strip()
