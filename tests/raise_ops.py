#!/usr/bin/env python3
"""Every operator in its older forms, raised: valid, and the same results. Exit 77: cannot tell.

    raise_ops.py --onnxrw build/onnxrw [--all] [--update] [OPERATOR]...

The node tests of the onnx package are written down for each older version of their operator
that can say them (axes as an attribute again, say), and OLD has what no newer test can say.
Each is raised to the next version of the operator and to the newest opset; the judges are
those of raise_judge.py. Without --all at most two tests of an operator's version are taken.
The table of changes in docs/opsets.md is made from onnx.defs and rules/opset.rules; --update
writes it, else it must be current.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import pathlib
import re
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import defs, helper, numpy_helper
    from onnx.backend.test.case.node import collect_testcases
    import raise_judge as judge
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs/opsets.md"
MARKS = ("<!-- made by tests/raise_ops.py --update -->\n", "<!-- end -->\n")
NEWEST = 28
OLDER = {("Pad", "constant_value"): "value", ("TopK", "K"): "k"}  # names of attributes
RANDOM = {"Bernoulli", "Multinomial", "RandomNormalLike", "RandomUniformLike"}

# (operator, opset, graph): forms that no test of a newer version has.
OLD = [
    ("BatchNormalization", 7, "(float[3, 2, 4] x, float[2] s, float[2] b, float[2] m, float[2] v) => (float y) {"
                              " y = BatchNormalization <epsilon = 0.01> (x, s, b, m, v) }"),
    ("BatchNormalization", 8, "(float[3, 2, 4] x, float[2, 4] s, float[2, 4] b, float[2, 4] m) => (float y) {"
                              " v = Exp (m) y = BatchNormalization <spatial = 0> (x, s, b, m, v) }"),
    ("BatchNormalization", 9, "(float[3, 2, 4] x, float[2] s, float[2] b, float[2] m) => (float y, float rm) {"
                              " v = Exp (m) y, rm, rv, sm, sv = BatchNormalization (x, s, b, m, v) }"),
    ("Dropout", 7, "(float[5] x) => (float y, float m) { y, m = Dropout <ratio = 0.25> (x) }"),
    ("Dropout", 10, "(float[5] x) => (float y, bool m) { y, m = Dropout (x) }"),
    ("Upsample", 7, "(float[1, 2, 3, 4] x) => (float y) { y = Upsample <scales = [1.0, 1.0, 2.0, 3.0]> (x) }"),
    ("Upsample", 8, '(float[1, 2, 3, 4] x) => (float y) {'
                    ' y = Upsample <mode = "linear", scales = [1.0, 1.0, 2.0, 1.5]> (x) }'),
    ("Upsample", 9, "(float[1, 2, 3, 4] x) => (float y) <float[4] s = {1.0, 1.0, 2.5, 1.7}> { y = Upsample (x, s) }"),
    ("Upsample", 9, '(float[1, 2, 3, 4] x) => (float y) {'
                    ' h = Constant <value = float[4] {0.5, 0.5, 1.0, 1.0}> () s = Add (h, h)'
                    ' y = Upsample <mode = "linear"> (x, s) }'),
    ("Resize", 10, "(float[1, 2, 3, 4] x) => (float y) <float[4] s = {1.0, 1.0, 2.5, 1.7}> { y = Resize (x, s) }"),
    ("Resize", 10, "(float[1, 2, 7, 9] x) => (float y) <float[4] s = {1.0, 1.0, 0.5, 0.3}> { y = Resize (x, s) }"),
    ("Resize", 10, '(float[1, 2, 7, 3] x) => (float y) <float[4] s = {1.0, 1.0, 0.5, 2.3}> {'
                   ' y = Resize <mode = "linear"> (x, s) }'),
    ("Scatter", 9, "(float[3, 3] x, float[1, 3] u) => (float y) <int64[1, 3] i = {2, 0, 1}> {"
                   " y = Scatter <axis = 1> (x, i, u) }"),
    ("OneHot", 9, "(float[2] v) => (float y) <int64[3] i = {2, -1, 7}, int64 d = {4}> {"
                  " y = OneHot <axis = 0> (i, d, v) }"),
    ("Clip", 7, "(float[2, 3] x) => (float y) { y = Clip <max = 0.5> (x) }"),
    ("Pad", 7, '(float[2, 3] x) => (float y) { y = Pad <pads = [0, 1, 0, 2], mode = "edge"> (x) }'),
    ("Slice", 7, "(float[4, 5] x) => (float y) { y = Slice <starts = [1, -3], ends = [9, -1]> (x) }"),
    ("TopK", 9, "(float[2, 6] x) => (float y, int64 i) { y, i = TopK <k = 3, axis = 1> (x) }"),
    ("Softmax", 11, "(float[2, 3, 4] x) => (float y) { y = Softmax (x) }"),
    ("LogSoftmax", 12, "(float[2, 3, 4] x) => (float y) { y = LogSoftmax <axis = 0> (x) }"),
    ("Hardmax", 11, "(float[2, 3, 4] x) => (float y) { y = Hardmax (x) }"),
    ("Split", 12, "(float[6, 4] x) => (float a, float b) { a, b = Split <split = [2, 4]> (x) }"),
    ("Split", 13, "(float[6, 4] x) => (float a, float b) { a, b = Split (x) }"),
    ("DFT", 17, "(float[1, 4, 3, 1] x) => (float y) { y = DFT (x) }"),
    ("GridSample", 16, '(float[1, 1, 4, 4] x, float[1, 2, 2, 2] g) => (float y) {'
                       ' y = GridSample <mode = "bicubic"> (x, g) }'),
    ("MeanVarianceNormalization", 9, "(float[2, 3, 4, 5] x) => (float y) { y = MeanVarianceNormalization (x) }"),
    ("AveragePool", 10, "(float[1, 1, 5, 5] x) => (float y) { y = AveragePool <kernel_shape = [2, 2],"
                        " strides = [2, 2], ceil_mode = 1, count_include_pad = 1> (x) }"),
    ("AveragePool", 11, '(float[1, 1, 5, 5] x) => (float y) { y = AveragePool <kernel_shape = [3, 3],'
                        ' strides = [2, 2], auto_pad = "SAME_LOWER"> (x) }'),
    ("LpPool", 11, "(float[1, 1, 5, 5] x) => (float y) { y = LpPool <kernel_shape = [2, 2], pads = [1, 0, 1, 0]> (x) }"),
    ("ConvTranspose", 10, '(float[1, 1, 4, 4] x, float[1, 1, 3, 3] w) => (float y) {'
                          ' y = ConvTranspose <auto_pad = "SAME_UPPER", strides = [2, 2]> (x, w) }'),
    ("Gemm", 8, "(float[2, 3] a, float[3, 4] b, float[4] c) => (float y) { y = Gemm <beta = 0.5> (a, b, c) }"),
    ("ReduceSum", 12, "(float[2, 3] x) => (float y) { y = ReduceSum <axes = [-1], keepdims = 0> (x) }"),
    ("ReduceMean", 17, "(float[2, 3] x) => (float y) { y = ReduceMean (x) }"),
    ("Loop", 10, "(float[2] x) => (float y, float s) <int64 n = {3}, bool c = {1}> {"
                 " y, s = Loop (n, c, x) <body = b (int64 i, bool d, float[2] z) => (bool e, float[2] w, float v) {"
                 " e = Identity (d) t = Unsqueeze <axes = [0]> (z) w = Squeeze <axes = [0]> (t)"
                 " v = ReduceSum <axes = [0], keepdims = 0> (w) }> }"),
    ("Scan", 9, "(float[2] a, float[4, 2] x) => (float y, float s) {"
                " y, s = Scan (a, x) <num_scan_inputs = 1, body = b (float[2] p, float[2] q) => (float[2] r, float[2] o) {"
                " r = Add (p, q) o = Clip <min = 0.0> (r) }> }"),
]


def ir_version(opset):
    return 3 if opset < 9 else 6 if opset < 12 else 8 if opset < 20 else 10 if opset < 25 else 13


def schemas():
    """{operator: its versions, oldest first}."""
    found = collections.defaultdict(list)
    for s in defs.get_all_schemas_with_history():
        if s.domain == "":
            found[s.name].append(s)
    return {k: sorted(v, key=lambda s: s.since_version) for k, v in sorted(found.items())}


# --- older forms of the node tests --------------------------------------------------------
def as_attribute(schema, name, value):
    items = [x.item() for x in np.asarray(value).ravel()]
    kind = schema.attributes[name].type
    if kind == defs.OpSchema.AttrType.INTS:
        return helper.make_attribute(name, [int(x) for x in items]) if items else None
    if kind == defs.OpSchema.AttrType.FLOATS:
        return helper.make_attribute(name, [float(x) for x in items])
    number = int if kind == defs.OpSchema.AttrType.INT else float
    return helper.make_attribute(name, number(items[0]))


def is_default(schema, attribute):
    s = schema.attributes.get(attribute.name)
    return (s is not None and s.default_value.type != 0 and
            helper.get_attribute_value(s.default_value) == helper.get_attribute_value(attribute))


def older_form(node, values, old, new):
    """The node as the older schema says it, or None."""
    out = onnx.NodeProto(op_type=node.op_type, output=node.output)
    for i, name in enumerate(node.input):
        formal = new.inputs[min(i, len(new.inputs) - 1)].name
        attr = OLDER.get((node.op_type, formal), formal)
        if name and attr in old.attributes:
            a = as_attribute(old, attr, values[name])
            if a:
                out.attribute.append(a)
            name = ""
        out.input.append(name)
    while out.input and not out.input[-1]:
        out.input.pop()
    for a in node.attribute:
        if a.name in old.attributes:
            out.attribute.append(a)
        elif not is_default(new, a):
            return None
    fits = old.min_input <= len(out.input) <= old.max_input and len(out.output) <= old.max_output
    return out if fits else None


def cases(versions, only):
    """(operator, its version, name, opset, model, feeds)"""
    for case in collect_testcases(None):
        graph = case.model.graph
        op = graph.node[0].op_type
        if len(graph.node) != 1 or graph.node[0].domain or op not in versions or op in RANDOM:
            continue
        if only and op not in only:
            continue
        opset = case.model.opset_import[0].version
        new = [s for s in versions[op] if s.since_version <= opset][-1]
        feeds = {i.name: numpy_helper.to_array(v) if isinstance(v, onnx.TensorProto) else v
                 for i, v in zip(graph.input, case.data_sets[0][0])}
        for old, later in zip(versions[op], versions[op][1:]):
            if old.since_version >= new.since_version or later.since_version <= 7 or old.deprecated:
                continue
            try:
                node = older_form(graph.node[0], feeds, old, new)
            except (ValueError, TypeError, IndexError, KeyError):
                continue
            if node is None:
                continue
            at = later.since_version - 1
            inputs = [i for i in graph.input if i.name in node.input]
            model = helper.make_model(helper.make_graph([node], "g", inputs, graph.output),
                                      opset_imports=[helper.make_opsetid("", at)], ir_version=ir_version(at))
            yield op, old.since_version, case.name, at, model, feeds
    for op, at, text in OLD:
        if only and op not in only:
            continue
        model = onnx.parser.parse_model(f'<ir_version: {ir_version(at)}, opset_import: ["" : {at}]> g {text}')
        if ir_version(at) < 4:  # initializers are inputs too
            for t in model.graph.initializer:
                model.graph.input.append(helper.make_tensor_value_info(t.name, t.data_type, t.dims))
        constants = {t.name for t in model.graph.initializer}
        rng = np.random.default_rng(7)
        feeds = {i.name: rng.standard_normal([d.dim_value for d in i.type.tensor_type.shape.dim]).astype("f")
                 for i in model.graph.input if i.name not in constants}
        yield op, at, f"old form at {at}", at, model, feeds


# --- one model ----------------------------------------------------------------------------
def verdict(a, folder, model, feeds, want, opset):
    """What is wrong with the raised model, and who told; (None, "runtime") is right."""
    source, target = str(folder / "a.onnx"), str(folder / "b.onnx")
    pathlib.Path(source).write_bytes(model.SerializeToString())
    why = judge.raised(a.onnxrw, str(folder / "nothing.rules"), source, target, opset)
    if why:
        return f"refused: {why}", "tool"
    raised = onnx.load(target)
    why = judge.invalid(raised)
    if why:
        return f"invalid: {why}", "checker"
    got, why = judge.run(raised, feeds) if want else (None, "lacks")
    if got:
        d = judge.differs(got, want)
        return (f"differs: {d}" if d else None), "runtime"
    if why != "lacks":
        return f"does not run: {why}", "runtime"
    before, _ = judge.refer(model, feeds)
    got, _ = judge.refer(raised, feeds)
    if before is None or got is None or want and judge.differs(before, want):
        return None, "checker"  # that evaluator is no judge of it
    d = judge.differs(got, before)
    return (f"differs by the reference: {d}" if d else None), "reference"


def check_operators(a, versions):
    wrong, told, taken = 0, collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "nothing.rules").write_text('pack nothing "nothing" { }\n')
        for op, since, name, at, model, feeds in cases(versions, set(a.operators)):
            taken[op, since] += 1
            if (taken[op, since] > 2 and not a.all and not name.startswith("old")) or judge.invalid(model):
                continue
            want, _ = judge.run(model, feeds)
            later = [s.since_version for s in versions[op] if s.since_version > at and not s.deprecated]
            if op == "Upsample":
                later = [11, 13]
            for opset in sorted({*later[:1], NEWEST}):
                problem, who = verdict(a, folder, model, feeds, want, opset)
                told[who] += problem is None
                wrong += problem is not None
                if problem:
                    print(f"{op} {at} -> {opset}, {name}: {problem}")
    print(f"{sum(told.values()) + wrong} raised, {wrong} wrong; equal in ONNX Runtime {told['runtime']}, by the"
          f" reference evaluator {told['reference']}, valid only {told['checker']}")
    return wrong


# --- the table ----------------------------------------------------------------------------
REFUSED = {
    ("Scan", 9): "refused: batches and lengths of sequences went away",
    ("GroupNormalization", 21): "refused: withdrawn at 18, no valid model has it",
    ("ReduceLogSum", 28): "form; refused for integers",
    ("ReduceLogSumExp", 28): "form; refused for integers",
    ("Erf", 13): "form; refused for integers",
    ("BatchNormalization", 14): "form: training is written out; refused where saved statistics are used",
    ("BatchNormalization", 9): "rule batch_norm_9 where `spatial` is 0, else form",
    ("Resize", 11): "rule resize_11; refused where the nearest pixel is wanted of axes that grow and others that"
                    " shrink, or of scales that are not known",
    ("Upsample", 10): "rule upsample_11; to 10 itself refused",
    ("Dropout", 12): "form; rule dropout_mask_12 where the mask is used",
    ("Dropout", 10): "form; refused to 10 and 11 where the mask is used",
}


def rules_by_operator():
    """{(operator, opset): rule} of rules/opset.rules."""
    text = (ROOT / "rules/opset.rules").read_text()
    found = {}
    for rule in re.findall(r"^rule (\w+).*?^}", text, re.M | re.S):
        body = re.search(rf"^rule {rule} .*?^}}", text, re.M | re.S)[0]
        ops = re.search(r"= \{(.*?)\} as|= (\w+)", body[body.index("match"):])
        opset = int(re.search(r"requires opset (\d+)", body)[1])
        for op in (ops[1] or ops[2]).split(","):
            found[op.strip(), opset] = rule
    return found


def changes(old, new):
    """What is different in form, in words; types that were added are no change."""
    found = []
    inputs = {i.name for i in new.inputs}
    for k in sorted(old.attributes):
        operand = next((n for (o, n), a in OLDER.items() if o == new.name and a == k), k)
        if k in new.attributes:
            x, y = old.attributes[k].default_value, new.attributes[k].default_value
            if x != y:
                found.append(f"another default of `{k}`")
        elif operand in inputs:
            found.append(f"`{k}` is an operand")
        else:
            found.append(f"`{k}` is gone")
    found += [f"`{k}` is new" for k in sorted(new.attributes) if k not in old.attributes]
    if len(new.outputs) < len(old.outputs):
        found.append("fewer outputs")
    for x, y in [*zip(old.inputs, new.inputs), *zip(old.outputs, new.outputs)]:
        if set(x.types) - set(y.types) and x.name.lower() == y.name.lower():
            found.append(f"fewer types of `{y.name}`")
    return found


def table(versions):
    rules, rows, plain = rules_by_operator(), [], []
    for op, all_of_it in versions.items():
        kept = [s for s in all_of_it if s.since_version <= 7][-1:] + [s for s in all_of_it if s.since_version > 7]
        for old, new in zip(kept, kept[1:]):
            at = new.since_version
            what = ["no operator any more"] if new.deprecated else changes(old, new)
            how = REFUSED.get((op, at)) or (f"rule {rules[op, at]}" if (op, at) in rules else None)
            if how or what:
                rows.append(f"| {op} | {old.since_version} → {at} | {', '.join(what) or 'another meaning'} | {how or 'form'} |")
            else:
                plain.append(f"{op} {at}")
    head = "| operator | versions | what is new | how |\n|---|---|---|---|\n"
    return (head + "\n".join(rows) + f"\n\nNothing but more types, and clearer words, came with {len(plain)} other"
            " versions: " + ", ".join(plain) + ".\n")


def check_docs(a, versions):
    text = DOCS.read_text()
    begin, end = text.index(MARKS[0]) + len(MARKS[0]), text.index(MARKS[1])
    if text[begin:end] == table(versions):
        return 0
    if a.update:
        DOCS.write_text(text[:begin] + table(versions) + text[end:])
        return 0
    print("the table in docs/opsets.md is not current: --update writes it")
    return 1


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    p.add_argument("--all", action="store_true")
    p.add_argument("--update", action="store_true")
    p.add_argument("operators", nargs="*")
    a = p.parse_args()
    versions = schemas()
    if check_docs(a, versions) or a.update:
        return not a.update
    return 1 if check_operators(a, versions) else 0


if __name__ == "__main__":
    sys.exit(main())
