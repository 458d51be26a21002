#!/usr/bin/env python3
"""onnx.parser reads what `onnxrw print` writes, and finds the same model in it.

    text_models.py --onnxrw build/onnxrw [FOLDER]...

For every model of the folders (tests/models, without any): `print --all`, then
onnx.parser, then a comparison with the file: opsets, nodes with operands and attributes,
inputs, outputs, initializers, types of values (dims that are expressions: by what they are for some sizes). And `print`, `parse`, `print` again: the
same text. Models with something that the standard's syntax does not carry are counted,
with the reason, and compared by the second test only.
Exit status 1 when a model differs, 77 (skipped) without the onnx package.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, collections, math, os, pathlib, re, subprocess, sys, tempfile

try:
    import numpy as np, onnx, onnx.parser
    from onnx import numpy_helper
except ImportError:
    print("the onnx package is not installed")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z_0-9]*$")
PACKED = {onnx.TensorProto.INT4, onnx.TensorProto.UINT4, onnx.TensorProto.FLOAT4E2M1,
          onnx.TensorProto.INT2, onnx.TensorProto.UINT2}


class Beyond(Exception):
    """Something that the standard's syntax has no spelling for."""


class Differs(Exception):
    pass


def graphs(graph):
    yield graph
    for n in graph.node:
        for a in n.attribute:
            for g in ([a.g] if a.HasField("g") else []) + list(a.graphs):
                yield from graphs(g)


def check_carried(model):
    """Raises Beyond for what docs/text.md lists as extensions, and for what is left out."""
    def tensor(t):
        if t.data_type in PACKED:
            raise Beyond("elements below a byte")
        if t.data_type == onnx.TensorProto.STRING and any(b"\0" in s for s in t.string_data):
            raise Beyond("NUL in a string")

    for g in [*graphs(model.graph), *(f for f in model.functions)]:
        if g is not model.graph and hasattr(g, "initializer") and not IDENTIFIER.match(g.name):
            raise Beyond("name of a body")
        for t in getattr(g, "initializer", []):
            tensor(t)
        if getattr(g, "sparse_initializer", []):
            raise Beyond("sparse initializer")
        for n in g.node:
            if n.domain and not all(IDENTIFIER.match(p) for p in n.domain.split(".")):
                raise Beyond("name of a domain")
            if not IDENTIFIER.match(n.op_type):
                raise Beyond("name of an operator")
            for a in n.attribute:
                if not IDENTIFIER.match(a.name):
                    raise Beyond("name of an attribute")
                if a.tensors or a.graphs or a.HasField("sparse_tensor"):
                    raise Beyond("list of tensors or graphs, sparse tensor")
                if a.type == onnx.AttributeProto.TENSOR:
                    tensor(a.t)


def same(what, a, b):
    if a != b:
        raise Differs(f"{what}: {str(a)[:100]!r} printed as {str(b)[:100]!r}")


def bits(t, folder):
    return t.data_type, list(t.dims), numpy_helper.to_array(t, folder).tobytes() \
        if t.data_type != onnx.TensorProto.STRING else list(t.string_data)


FUNCTIONS = {"Min": min, "Max": max, "min": min, "max": max, "floor": math.floor, "ceiling": math.ceil}


def dim_param(text):
    """What an expression is for some sizes, as onnxrw has its own spelling; a name as it is."""
    names = set(re.findall(r"[A-Za-z_]\w*", text)) - set(FUNCTIONS)
    if text.isidentifier() or not names:
        return text
    sizes = [{n: 7 * k + sum(map(ord, n)) % 97 for n in names} for k in range(1, 6)]
    try:
        return str([eval(text, {"__builtins__": {}}, FUNCTIONS | s) for s in sizes])
    except Exception:  # no expression of ours
        return text


def type_of(v):
    """Without the denotations of dims, and with -1 as unknown, as onnxrw reads it."""
    t = onnx.TypeProto()
    t.CopyFrom(v.type)
    for kind in (t.tensor_type, t.sparse_tensor_type):
        for d in kind.shape.dim if t.WhichOneof("value") else []:
            if d.HasField("dim_value") and d.dim_value < 0 or d.dim_param == "":
                if not (d.HasField("dim_value") and d.dim_value >= 0):
                    d.Clear()
            elif d.dim_param:
                d.dim_param = dim_param(d.dim_param)
    return t.SerializeToString(deterministic=True)


def attribute(a, folder):
    if a.ref_attr_name:
        return a.name, a.type, a.ref_attr_name
    if a.type == onnx.AttributeProto.TENSOR:
        return a.name, a.type, bits(a.t, folder)
    if a.type == onnx.AttributeProto.GRAPH:
        return a.name, a.type, None
    value = onnx.AttributeProto()
    value.CopyFrom(a)
    value.ClearField("doc_string")
    return a.name, a.type, value.SerializeToString(deterministic=True)


def domain_of(n):
    return "" if n.domain == "ai.onnx" else n.domain


def name_of(x):
    return x.name


def bodies(n):
    return [a.g for a in sorted(n.attribute, key=name_of) if a.HasField("g")]


def renamed(a, b, names):
    """What values of bodies are called in a and in b: onnxrw makes them unique."""
    for x, y in zip(a.node, b.node):
        for g, h in zip(bodies(x), bodies(y)):
            pairs = [(v.name, w.name) for f in ("input", "output") for v, w in zip(getattr(g, f), getattr(h, f))]
            pairs += [(t.name, u.name) for t, u in zip(g.initializer, h.initializer)]
            pairs += [o for n, m in zip(g.node, h.node) for o in zip(n.output, m.output)]
            names.update((new, old) for old, new in pairs if old != new)
            renamed(g, h, names)
    return names


def rename(graph, names):
    for g in graphs(graph):
        for v in [*g.input, *g.output, *g.value_info, *g.initializer]:
            v.name = names.get(v.name, v.name)
        for n in g.node:
            for list_ in (n.input, n.output):
                list_[:] = [names.get(x, x) for x in list_]


def compare_nodes(a, b, folder):
    same("number of nodes", len(a), len(b))
    by_outputs = {tuple(n.output): n for n in b}
    in_order = len(by_outputs) == len(b)
    for i, n in enumerate(a):
        m = by_outputs.get(tuple(n.output)) if in_order else b[i]
        if m is None:
            raise Differs(f"no node makes {list(n.output)}")
        same("node", (n.op_type, domain_of(n), n.name, list(n.input), n.overload),
             (m.op_type, domain_of(m), m.name, list(m.input), m.overload))
        same(f"attributes of {n.op_type}", sorted(attribute(x, folder) for x in n.attribute),
             sorted(attribute(x, folder) for x in m.attribute))
        for x, y in zip(sorted(n.attribute, key=name_of), sorted(m.attribute, key=name_of)):
            if x.type == onnx.AttributeProto.GRAPH:
                compare_graphs(x.g, y.g, folder)


def compare_graphs(a, b, folder):
    same("name of the graph", a.name, b.name)
    for field in ("input", "output"):
        same(field, [v.name for v in getattr(a, field)], [v.name for v in getattr(b, field)])
        for v, w in zip(getattr(a, field), getattr(b, field)):
            same(f"type of {v.name}", type_of(v), type_of(w))
    same("initializers", {t.name: bits(t, folder) for t in a.initializer},
         {t.name: bits(t, folder) for t in b.initializer})
    made = {o for n in a.node for o in n.output} - {o.name for o in a.output}
    same("value_info", {v.name: type_of(v) for v in a.value_info if v.name in made and v.HasField("type")},
         {v.name: type_of(v) for v in b.value_info})
    compare_nodes(a.node, b.node, folder)


def compare(a, b, folder):
    same("ir_version", a.ir_version, b.ir_version)
    key = lambda o: ("" if o.domain == "ai.onnx" else o.domain, o.version)
    same("opsets", [key(o) for o in a.opset_import], [key(o) for o in b.opset_import])
    for field in ("producer_name", "producer_version", "domain", "model_version", "doc_string"):
        same(field, getattr(a, field), getattr(b, field))
    same("metadata", [(e.key, e.value) for e in a.metadata_props],
         [(e.key, e.value) for e in b.metadata_props])
    compare_graphs(a.graph, b.graph, folder)
    same("functions", [(f.domain, f.name, f.overload) for f in a.functions],
         [(f.domain, f.name, f.overload) for f in b.functions])
    for f, g in zip(a.functions, b.functions):
        same(f"interface of {f.name}",
             (list(f.input), list(f.output), list(f.attribute), [attribute(x, folder) for x in f.attribute_proto]),
             (list(g.input), list(g.output), list(g.attribute), [attribute(x, folder) for x in g.attribute_proto]))
        compare_nodes(f.node, g.node, folder)


def onnxrw(args, *rest):
    done = subprocess.run([args.onnxrw, *map(str, rest)], capture_output=True, timeout=300)
    if done.returncode == 3 and rest[0] == "print":
        raise Beyond("no form that can be read")
    if done.returncode:
        raise Differs(f"exit {done.returncode}: {done.stderr.decode()[:200]}")
    return done.stdout


def there_and_back(args, path, folder):
    text = onnxrw(args, "print", "--all", path)
    file = folder / "m.txt"
    file.write_bytes(text)
    onnxrw(args, "parse", file, "-o", folder / "m.onnx")
    again = onnxrw(args, "print", "--all", folder / "m.onnx")
    if again != text:
        for x, y in zip(text.splitlines(), again.splitlines()):
            same("there and back", x, y)
        raise Differs("there and back: another number of lines")


def one(args, path, folder):
    there_and_back(args, path, folder)
    model = onnx.load(path, load_external_data=False)
    check_carried(model)
    text = onnxrw(args, "print", "--all", path).decode()
    printed = onnx.parser.parse_model(text)
    rename(printed.graph, renamed(model.graph, printed.graph, {}))
    compare(model, printed, str(path.parent))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    p.add_argument("--most", type=int, default=0, help="at most so many models, evenly spread")
    p.add_argument("folders", nargs="*", default=[HERE / "models"])
    args = p.parse_args()
    paths = sorted(f for folder in args.folders for f in pathlib.Path(folder).glob("*.onnx"))
    if args.most:
        paths = paths[::max(1, len(paths) // args.most)]
    beyond, wrong = collections.Counter(), 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            try:
                one(args, path, pathlib.Path(folder))
            except Beyond as e:
                beyond[str(e)] += 1
            except (Differs, onnx.parser.ParseError) as e:
                wrong += 1
                print(f"{path.name}: {str(e)[:400]}")
    print(f"{len(paths)} models, {wrong} wrong;", ", ".join(f"{n} have {w}" for w, n in beyond.items()))
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
