#!/usr/bin/env python3
"""Makes ir/schema/schema_table.inc: every version of every operator, as facts without prose.

    tools/gen_schema.py [OUT]      (default: ir/schema/schema_table.inc beside this script)

The standard domains come from the onnx wheel, com.microsoft and what ONNX Runtime alone
knows in the default domain from the onnxruntime wheel; the versions of both stand in
tests/requirements.txt. The same wheels give the same bytes: tests/schema_current.py
makes the table again and compares.
"""

# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys
from collections import namedtuple

import numpy
import onnx
import onnxruntime
from onnx import AttributeProto, TensorProto, defs, helper

STANDARD = ["", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training"]
CONTRIB = "com.microsoft"
DOMAINS = sorted(STANDARD + [CONTRIB])
PREFIX = {"": "", "ai.onnx.ml": "ml_", "ai.onnx.preview": "pre_",
          "ai.onnx.preview.training": "train_", CONTRIB: "ms_", "runtime": "rt_"}
UNBOUNDED = 2**31 - 1

Formal = namedtuple("Formal", "name option homogeneous type types")
Attr = namedtuple("Attr", "name type required default")
Schema = namedtuple("Schema", "domain name since deprecated body arity inputs outputs "
                              "attrs constraints")


# --- reading the wheels ---------------------------------------------------------------

def attribute(a, default_bytes):
    default = AttributeProto()
    default.ParseFromString(default_bytes)
    kind = str(a.type).split(".")[-1]
    if kind == "???":  # a type that the binding of onnxruntime has no word for
        kind = "TYPE_PROTO"
    return Attr(a.name, kind, a.required, default if default.type else None)


def schema(s, formal, attrs, constraints, body):
    constraints = [(c.type_param_str, frozenset(c.allowed_type_strs)) for c in constraints]

    def named(p):  # a formal parameter spells maps differently from its constraint
        p = formal(p)
        return p._replace(types=dict(constraints).get(p.type, p.types))

    return Schema(s.domain, s.name, s.since_version, s.deprecated, body,
                  (s.min_input, s.max_input, s.min_output, s.max_output),
                  [named(p) for p in s.inputs], [named(p) for p in s.outputs],
                  sorted(attrs, key=lambda a: a.name), constraints)


def onnx_schemas():
    def formal(p):
        return Formal(p.name, p.option.name, p.is_homogeneous, p.type_str,
                      frozenset(p.types))

    for s in defs.get_all_schemas_with_history():
        yield schema(s, formal,
                     [attribute(a, a.default_value.SerializeToString())
                      for a in s.attributes.values()],
                     s.type_constraints, s.has_function or s.has_context_dependent_function)


def runtime_schemas():
    from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

    def formal(p):
        return Formal(p.name, str(p.option).split(".")[-1], p.isHomogeneous, p.typeStr,
                      frozenset(p.types))

    for s in get_all_operator_schema():
        yield schema(s, formal,
                     [attribute(a, a._default_value) for a in s.attributes.values()],
                     s.type_constraints, False)


def all_schemas():
    """Two sorted lists: the table, and what only the runtime has in the default domain."""
    standard = list(onnx_schemas())
    known = {(s.domain, s.name, s.since) for s in standard}
    runtime = list(runtime_schemas())
    table = standard + [s for s in runtime if s.domain == CONTRIB]
    extra = [s for s in runtime if s.domain == "" and ("", s.name, s.since) not in known]
    key = lambda s: (s.domain, s.name, s.since)
    return sorted(table, key=key), sorted(extra, key=key)


# --- writing C ------------------------------------------------------------------------

def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def number(x):
    """The shortest decimal that reads back as the same float."""
    text = str(numpy.float32(x))
    return (text if "." in text or "e" in text else text + ".0") + "f"


def wrap(items, width=92, indent="    ", hang="    "):
    """Items joined by ", " into indented lines, the later ones by `hang`."""
    lines, line = [], indent
    for item in items:
        if len(line) + len(item) + 1 > width and line.strip():
            lines.append(line.rstrip())
            line = hang
        line += item + ", "
    return lines + [line.rstrip()]


class Pool:
    """Arrays of C; the versions of an operator share those with equal contents."""

    def __init__(self, ctype):
        self.ctype, self.names, self.lines = ctype, {}, []

    def add(self, operator, name, items):
        items = tuple(items)
        if not items:
            return "NULL"
        if (operator, items) not in self.names:
            self.names[operator, items] = name
            head = f"static const {self.ctype} {name}[] = {{"
            one = head + ", ".join(items) + "};"
            self.lines += [one] if len(one) <= 92 else [head, *wrap(items), "};"]
        return self.names[operator, items]


TENSOR_NUMBER = {f"tensor({name.lower()})": value
                 for name, value in TensorProto.DataType.items()}


def type_order(text):
    return (TENSOR_NUMBER.get(text, 100), text)


class TypeSets:
    """Sets of types, numbered in the order of first use."""

    def __init__(self):
        self.index, self.sets = {}, []

    def add(self, types):
        if types not in self.index:
            self.index[types] = len(self.sets)
            self.sets.append(sorted(types, key=type_order))
        return self.index[types]

    def lines(self):
        table = []
        for i, types in enumerate(self.sets):
            body = wrap([quote(t) for t in types])
            yield from [f"static const char *const types_{i}[] = {{", *body, "};"]
            mask = sum(1 << TENSOR_NUMBER[t] for t in types if t in TENSOR_NUMBER)
            table.append(f"    {{0x{mask:08x}, {len(types)}, types_{i}}},")
        yield from ["static const struct type_set type_sets[] = {", *table, "};"]


class Writer:
    def __init__(self):
        self.types = TypeSets()
        self.ints, self.strings = Pool("int64_t"), Pool("char *const")
        self.formals = Pool("struct ir_formal_param")
        self.attrs = Pool("struct ir_schema_attr")
        self.constraints = Pool("struct ir_constraint")

    def formal(self, p, names):
        macro = {"Single": "ONE", "Optional": "OPT", "Variadic": "ALL"}[p.option]
        if p.option == "Variadic" and not p.homogeneous:
            macro = "ANY"
        constraint = names.index(p.type) if p.type in names else -1
        return f"{macro}({quote(p.name)}, {constraint}, {self.types.add(p.types)})"

    def attr(self, a, op, stem):
        macro = "REQ" if a.required else "ATT"
        d = a.default
        if d is None or a.required:
            return f"{macro}({quote(a.name)}, {a.type})"
        if d.type == AttributeProto.INT:
            return f"INT({quote(a.name)}, {d.i})"
        if d.type == AttributeProto.FLOAT:
            return f"FLT({quote(a.name)}, {number(d.f)})"
        if d.type == AttributeProto.STRING:
            return f"STR({quote(a.name)}, {quote(d.s.decode())})"
        stem = f"{stem}_{a.name}"
        if d.type == AttributeProto.INTS:
            values = self.ints.add(op, stem, [str(i) for i in d.ints])
            return f"LST({quote(a.name)}, INTS, {len(d.ints)}, ints, {values})"
        if d.type == AttributeProto.STRINGS:
            values = self.strings.add(op, stem, [quote(s.decode()) for s in d.strings])
            return f"LST({quote(a.name)}, STRINGS, {len(d.strings)}, strings, {values})"
        raise SystemExit(f"{stem}: a default of type {d.type} is not expected")

    def schema(self, s, until, prefix):
        op = f"{prefix}{s.name}"
        stem = f"{op}_{s.since}"
        names = [name for name, _ in s.constraints]
        constraints = [f"{{{quote(n)}, {self.types.add(t)}}}" for n, t in s.constraints]
        inputs = [self.formal(p, names) for p in s.inputs]
        outputs = [self.formal(p, names) for p in s.outputs]
        attrs = [self.attr(a, op, stem) for a in s.attrs]
        arity = ", ".join("MANY" if n == UNBOUNDED else str(n) for n in s.arity)
        flags = f"{int(s.deprecated)}, {int(s.body)}"
        until = "NEWEST" if until is None else str(until)
        text = (f"{{{quote(s.domain)}, {quote(s.name)}, {s.since}, {until}, {flags}, "
                f"{len(inputs)}, {len(outputs)}, {len(attrs)}, {len(constraints)}, "
                f"{arity}, "
                f"{self.formals.add(op, stem + '_i', inputs)}, "
                f"{self.formals.add(op, stem + '_o', outputs)}, "
                f"{self.attrs.add(op, stem + '_a', attrs)}, "
                f"{self.constraints.add(op, stem + '_c', constraints)}}}")
        return wrap(text.split(", "), hang="     ")

    def table(self, name, schemas, prefix_of):
        lines = [f"static const struct ir_schema {name}[] = {{"]
        for i, s in enumerate(schemas):
            after = schemas[i + 1] if i + 1 < len(schemas) else None
            same = after and (after.domain, after.name) == (s.domain, s.name)
            lines += self.schema(s, after.since if same else None, prefix_of(s))
        return lines + ["};"]


def index_lines(stem, schemas):
    """Names of the operators, sorted, and where the versions of each begin."""
    names, first = [], []
    for i, s in enumerate(schemas):
        if not names or names[-1] != s.name:
            names.append(s.name)
            first.append(i)
    yield f"static const char *const names_{stem}[] = {{"
    yield from wrap([quote(n) for n in names])
    yield "};"
    yield f"static const uint16_t first_{stem}[] = {{"
    yield from wrap([str(i) for i in first + [len(schemas)]])
    yield "};"


def newest_opset(domain, table):
    if domain == "":
        return defs.onnx_opset_version()
    return max(s.since for s in table if s.domain == domain)


def domain_lines(table):
    rows = []
    for domain in DOMAINS:
        begin = next(i for i, s in enumerate(table) if s.domain == domain)
        schemas = [s for s in table if s.domain == domain]
        newest = newest_opset(domain, table)
        stem = (PREFIX[domain] or "onnx_")[:-1]
        yield from index_lines(stem, schemas)
        count = len({s.name for s in schemas})
        rows.append(f"    {{{quote(domain)}, {newest}, {count}, names_{stem}, "
                    f"first_{stem}, {begin}}},")
    yield from ["static const struct domain domains[] = {", *rows, "};"]


def ir_version_lines():
    versions, lowest = [0], 0
    for opset in range(1, defs.onnx_opset_version() + 1):
        lowest = helper.OP_SET_ID_VERSION_MAP.get(("ai.onnx", opset), lowest)
        versions.append(lowest)
    yield "static const uint8_t ir_versions[] = {"
    yield from wrap([str(v) for v in versions])
    yield "};"


HEAD = f"""/* schema_table.inc -- made by tools/gen_schema.py from onnx {onnx.__version__} and
 * onnxruntime {onnxruntime.__version__}; do not edit. Included by ir/schema/schema.c alone.
 * SPDX-License-Identifier: Apache-2.0
 */
/* clang-format off */"""

MACROS = """
#define ONE(name, constraint, types) {name, IR_SINGLE, true, constraint, types}
#define OPT(name, constraint, types) {name, IR_OPTIONAL_FORMAL, true, constraint, types}
#define ALL(name, constraint, types) {name, IR_VARIADIC, true, constraint, types}
#define ANY(name, constraint, types) {name, IR_VARIADIC, false, constraint, types}
#define ATT(n, t) {.name = n, .type = IR_ATTR_##t}
#define REQ(n, t) {.name = n, .type = IR_ATTR_##t, .has_default = IR_REQUIRED}
#define INT(n, v) {.name = n, .type = IR_ATTR_INT, .has_default = IR_HAS_DEFAULT, .i = v}
#define FLT(n, v) {.name = n, .type = IR_ATTR_FLOAT, .has_default = IR_HAS_DEFAULT, .f = v}
#define STR(n, v) {.name = n, .type = IR_ATTR_STRING, .has_default = IR_HAS_DEFAULT, .s = v}
#define LST(nm, t, c, list, v) \\
    {.name = nm, .type = IR_ATTR_##t, .has_default = IR_HAS_DEFAULT, .n = c, .list = v}
#define MANY UINT16_MAX
#define NEWEST INT32_MAX
"""


def generate():
    table, extra = all_schemas()
    w = Writer()
    schemas = w.table("schemas", table, lambda s: PREFIX[s.domain])
    runtime = w.table("runtime_schemas", extra, lambda s: PREFIX["runtime"])
    pools = [w.ints, w.strings, w.formals, w.attrs, w.constraints]
    parts = [HEAD.splitlines(), MACROS.splitlines(), list(w.types.lines()), [""]]
    parts += [pool.lines + [""] for pool in pools if pool.lines]
    parts += [schemas, [""], list(domain_lines(table)), [""], runtime,
              list(index_lines("runtime", extra)), [""], list(ir_version_lines())]
    return "\n".join(line for part in parts for line in part) + "\n"


if __name__ == "__main__":
    home = pathlib.Path(__file__).resolve().parent.parent / "ir" / "schema" / "schema_table.inc"
    (pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else home).write_text(generate())
