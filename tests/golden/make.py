#!/usr/bin/env python3
"""Writes in.txt and args of the golden cases that come in families.

    make.py [--check]

With --check nothing is written: exit status 1 when a case is missing or another one. A family is a few spellings, each in several forms: opsets, constants as initializers or
nodes, element types. A spelling is ONNX text with three shorthands: a number among the
operands becomes a constant; `mean <[-1]> (x)` is ReduceMean (`sum`: ReduceSum), and
`unsqueeze`, `squeeze` likewise, with axes as the opset has them; `@Op` is of com.microsoft.
Cases written by hand stay as they are.
SPDX-License-Identifier: Apache-2.0
"""
import functools, pathlib, re, sys

HERE = pathlib.Path(__file__).resolve().parent
IR = {9: 4, 10: 5, 11: 6, 12: 7, 13: 7, 14: 7, 17: 8, 18: 8, 20: 9, 21: 10, 23: 11, 24: 11, 25: 12}
AXES_INPUT = {"ReduceMean": 18, "ReduceSum": 13, "Unsqueeze": 13, "Squeeze": 13}
SHORT = {"mean": "ReduceMean", "sum": "ReduceSum", "unsqueeze": "Unsqueeze", "squeeze": "Squeeze"}
FILES = {}  # path -> text
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?$")


class Body:
    """Expands the shorthands of a spelling and collects its constants."""

    def __init__(self, opset, kind, constants):
        self.opset, self.kind, self.form = opset, kind, constants
        self.names, self.weights, self.lines = {}, [], []

    def constant(self, text, kind, shape):
        if (text, kind) not in self.names:
            name = self.names[text, kind] = f"c{len(self.names)}"
            if self.form == "node":
                literal = f"{kind}{shape} {{{text}}}"
                self.lines.append(f"{name} = Constant <value = {literal}> ()")
            else:
                self.weights.append(f"{kind}{shape} {name} = {{{text}}}")
        return self.names[text, kind]

    def number(self, text):
        shape = {"scalar": "", "vector": "[1]", "node": "", "high": "[1, 1, 1]"}[self.form]
        if "float" in self.kind and "float" != self.kind and "." not in text and "e" not in text:
            text += ".0" # bits, else
        return self.constant(text, self.kind, shape)

    def line(self, line):
        line = re.sub(r"@(\w+)", r"com.microsoft.\1", line)
        m = re.match(r"(.*= )(\w+) <\[(.*?)\](.*?)> \((.*)\)$", line)
        if m and m[2] in SHORT:
            op = SHORT[m[2]]
            if self.opset >= AXES_INPUT[op]:
                axes = self.constant(m[3], "int64", f"[{m[3].count(',') + 1}]")
                rest = f" <{m[4].lstrip(', ')}>" if m[4] else ""
                line = f"{m[1]}{op}{rest} ({m[5]}, {axes})"
            else:
                line = f"{m[1]}{op} <axes = [{m[3]}]{m[4]}> ({m[5]})"
        head, _, operands = line.rpartition(" (")
        names = [o.strip() for o in operands.rstrip(")").split(",")]
        names = [self.number(o) if NUMBER.match(o) else o for o in names]
        self.lines.append(f"{head} ({', '.join(names)})")


def case(path, spelling, inputs, outputs, opset=17, kind="float", constants="scalar", weights=(),
         ir=None, args="", imports=""):
    body = Body(opset, kind, constants)
    for line in spelling.strip().splitlines():
        body.line(line.strip())
    weights = [*weights, *body.weights]
    if "com.microsoft" in spelling + imports or "@" in spelling:
        imports = ', "com.microsoft" : 1'
    text = f'<ir_version: {ir or IR[opset]}, opset_import: ["" : {opset}{imports}]>\n'
    text += f"g ({inputs}) => ({outputs})"
    text += f"\n<{', '.join(weights)}>\n{{\n" if weights else " {\n"
    text += "".join(f"  {line}\n" for line in body.lines) + "}\n"
    FILES[HERE / path / "in.txt"] = text
    if args:
        FILES[HERE / path / "args"] = args + "\n"


def vector(name, shape, kind="float", start=1.0, step=0.25):
    count = 1
    for d in shape:
        count *= d
    values = ", ".join(f"{start + step * i:g}" if "." in f"{start + step * i:g}" else f"{start + step * i:.1f}"
                       for i in range(count))
    return f"{kind}[{', '.join(map(str, shape))}] {name} = {{{values}}}"


# ---- LayerNormalization ----

VARIANCE = """
m = mean <[-1]> (x)
d = Sub (x, m)
q = Pow (d, 2)
v = mean <[-1]> (q)
e = Add (v, 1e-5)
"""
AFFINE = """
s = Mul (n, scale)
y = Add (s, bias)
"""
PYTORCH = VARIANCE + "r = Sqrt (e)\nn = Div (d, r)" + AFFINE
FLAX = """
m = mean <[-1]> (x)
d = Sub (x, m)
q = Mul (x, x)
v = mean <[-1]> (q)
p = Mul (m, m)
w = Sub (v, p)
c = Max (w, 0)
e = Add (c, 1e-5)
r = Sqrt (e)
n = Div (d, r)"""
TF = """
m = mean <[-1]> (x)
d = Sub (x, m)
q = Mul (d, d)
v = mean <[-1]> (q)
e = Add (v, 1e-5)
r = Sqrt (e)
i = Reciprocal (r)
k = Mul (i, scale)
a = Mul (x, k)
b = Mul (m, k)
c = Sub (bias, b)
y = Add (a, c)
"""
CAST_UP = PYTORCH.replace("(x", "(f").replace("m =", "f = Cast <to = 1> (x)\nm =", 1)
LAYER_NORMS = {
    "pytorch": PYTORCH,
    "swapped": PYTORCH.replace("(v, 1e-5)", "(1e-5, v)").replace("(n, scale)", "(scale, n)")
                      .replace("(s, bias)", "(bias, s)"),
    "dup-sub": PYTORCH.replace("(d, 2)", "(d2, 2)").replace("q =", "d2 = Sub (x, m)\nq ="),
    "dup-sub-dup-mean": PYTORCH.replace("(d, 2)", "(d2, 2)")
                               .replace("q =", "m2 = mean <[-1]> (x)\nd2 = Sub (x, m2)\nq ="),
    "mul-square": PYTORCH.replace("Pow (d, 2)", "Mul (d, d)"),
    "pow-half": PYTORCH.replace("Sqrt (e)", "Pow (e, 0.5)"),
    "reciprocal": PYTORCH.replace("Div (d, r)", "Mul (d, i)").replace("n =", "i = Reciprocal (r)\nn ="),
    "reciprocal-swapped": PYTORCH.replace("Div (d, r)", "Mul (i, d)").replace("n =", "i = Reciprocal (r)\nn ="),
    "one-over": PYTORCH.replace("Div (d, r)", "Mul (d, i)").replace("n =", "i = Div (1, r)\nn ="),
    "pow-minus-half": PYTORCH.replace("Sqrt (e)", "Pow (e, -0.5)").replace("Div (d, r)", "Mul (d, r)"),
    "sqrt-reciprocal": PYTORCH.replace("r = Sqrt (e)", "i = Reciprocal (e)\nr = Sqrt (i)")
                              .replace("Div (d, r)", "Mul (d, r)"),
    "scaled-inverse": VARIANCE + "r = Sqrt (e)\ni = Reciprocal (r)\nk = Mul (i, scale)\n"
                                 "s = Mul (d, k)\ny = Add (s, bias)",
    "scale-over-root": VARIANCE + "r = Sqrt (e)\nk = Div (scale, r)\ns = Mul (d, k)\ny = Add (s, bias)",
    "scale-first": VARIANCE + "r = Sqrt (e)\nk = Mul (d, scale)\ns = Div (k, r)\ny = Add (s, bias)",
    "tf": TF,
    "tf-swapped": TF.replace("(i, scale)", "(scale, i)").replace("(x, k)", "(k, x)")
                    .replace("(m, k)", "(k, m)").replace("(a, c)", "(c, a)"),
    "tf-own-square": TF.replace("Mul (d, d)", "Pow (d, 2)"),
    "identity-between": PYTORCH.replace("Div (d, r)", "Div (d, w)").replace("n =", "w = Identity (r)\nn ="),
    "no-bias": PYTORCH.replace("s = Mul (n, scale)\n", "").replace("y = Add (s, bias)", "y = Mul (n, scale)"),
}
X8, Y8 = "float[B, S, 8] x", "float[B, S, 8] y"
AFFINES = (vector("scale", [8]), vector("bias", [8], start=-1.0))
WEIGHTS = (vector("scale", [8]),)


def layer_norms():
    def ln(name, spelling, x=X8, y=Y8, weights=AFFINES, rule="layer_norm", **more):
        case(f"norm/{rule}/{name}", spelling, x, y, weights=weights, **more)

    for name, spelling in LAYER_NORMS.items():
        ln(name, spelling, weights=WEIGHTS if name == "no-bias" else AFFINES)
    for opset in (11, 13, 14, 18, 20, 21, 23):
        ln(f"pytorch-opset-{opset}", PYTORCH, opset=opset)
    for opset in (11, 18):
        ln(f"tf-opset-{opset}", TF, opset=opset)
    for form in ("vector", "node"):
        ln(f"constants-{form}", PYTORCH, constants=form)
        ln(f"constants-{form}-tf", TF, constants=form)
    ln("near-constants-of-higher-rank", PYTORCH, "float[B, 8] x", "float[A, B, 8] y", constants="high")
    ln("constants-of-same-rank", PYTORCH, constants="high")
    for kind in ("float16", "double", "bfloat16"):
        own = [w.replace("float", kind) for w in AFFINES]
        x, y = X8.replace("float", kind), Y8.replace("float", kind)
        ln(kind, PYTORCH, x, y, own, kind=kind)
        ln(f"{kind}-opset-11" if kind != "bfloat16" else f"{kind}-opset-20", PYTORCH, x, y, own, kind=kind,
           opset=11 if kind != "bfloat16" else 20)
    half = [w.replace("float", "float16") for w in AFFINES]
    hx, hy = X8.replace("float", "float16"), Y8.replace("float", "float16")
    ln("cast-island", CAST_UP.replace("Mul (n, scale)", "Mul (h, scale)")
       .replace("s =", "h = Cast <to = 10> (n)\ns ="), hx, hy, half)
    ln("cast-island-around-all", CAST_UP.replace("y = Add (s, bias)", "o = Add (s, bias)\ny = Cast <to = 10> (o)"),
       hx, hy)
    ln("cast-island-scale-inside", CAST_UP.replace("y = Add (s, bias)", "h = Cast <to = 10> (s)\ny = Add (h, bias)"),
       hx, hy, [AFFINES[0], half[1]])
    ln("cast-up-only", CAST_UP, hx, Y8)
    ln("cast-up-for-square", PYTORCH.replace("(d, 2)", "(w, 2)").replace("q =", "w = Cast <to = 1> (d)\nq =")
       .replace("n = Div (d, r)", "h = Div (w, r)\nn = Cast <to = 10> (h)"), hx, hy, half)
    ln("near-narrowing-island", CAST_UP.replace("<to = 1>", "<to = 10>").replace("Mul (n, scale)", "Mul (h, scale)")
       .replace("s =", "h = Cast <to = 1> (n)\ns ="), kind="float16")
    inputs = f"{X8}, float[8] scale, float[8] bias"
    ln("weights-are-inputs", PYTORCH, inputs, weights=())
    ln("rank-2", PYTORCH, "float[B, 8] x", "float[B, 8] y")
    ln("rank-4", PYTORCH, "float[A, B, C, 8] x", "float[A, B, C, 8] y")
    ln("two-axes", PYTORCH.replace("[-1]", "[-2, -1]"), "float[B, 3, 4] x", "float[B, 3, 4] y",
       (vector("scale", [3, 4]), vector("bias", [3, 4])))
    ln("two-axes-from-the-front", PYTORCH.replace("[-1]", "[1, 2]"), "float[B, 3, 4] x", "float[B, 3, 4] y",
       (vector("scale", [3, 4]), vector("bias", [3, 4])), opset=18)
    ln("two-axes-unsorted", PYTORCH.replace("[-1]", "[-1, -2]"), "float[B, 3, 4] x", "float[B, 3, 4] y",
       (vector("scale", [3, 4]), vector("bias", [3, 4])))
    ln("axis-from-the-front", PYTORCH.replace("[-1]", "[2]"))
    ln("axes-in-two-spellings", PYTORCH.replace("[-1]", "[2]", 1))
    ln("near-width-may-be-0", PYTORCH, "float[B, S, H] x, float[H] scale, float[H] bias", "float[B, S, H] y", ())
    ln("ir-10", PYTORCH, opset=20, ir=10)
    ln("ir-3", PYTORCH, ir=3, opset=11, constants="node", weights=(),
       x=f"{X8}, float[8] scale, float[8] bias")
    ln("ir-3-initializers", PYTORCH.replace("(d, 2)", "(d, two)").replace("1e-5", "eps"), ir=3, opset=11,
       x=", ".join((X8, *AFFINES, "float two = {2}", "float eps = {1e-5}")), weights=())
    ln("target-onnx", PYTORCH, opset=11, args="--target=onnx")
    ln("bias-of-rank-3", PYTORCH, weights=(AFFINES[0], vector("bias", [1, 1, 8])))
    ln("scale-of-rank-3", PYTORCH, weights=(vector("scale", [1, 1, 8]), vector("bias", [1, 1, 8])))
    # What must not become one.
    ln("bias-per-row", PYTORCH, f"{X8}, float[B, S, 8] bias", weights=WEIGHTS)
    ln("near-scale-is-scalar", PYTORCH, weights=("float scale = {1.5}", AFFINES[1]))
    ln("near-scale-widens", PYTORCH, "float[B, 8] x", "float[2, B, 8] y",
       (vector("scale", [2, 1, 8]), AFFINES[1]))
    ln("near-mean-of-another-axis", PYTORCH.replace("[-1]", "[1]", 1))
    ln("near-middle-axis", PYTORCH.replace("[-1]", "[1]"))
    ln("near-no-keepdims", PYTORCH.replace("[-1]", "[-1], keepdims = 0"), "float[8, 8] x", "float[8, 8] y")
    ln("near-cube", PYTORCH.replace("(d, 2)", "(d, 3)"))
    ln("near-other-subtrahend", PYTORCH.replace("(d, 2)", "(d2, 2)").replace("q =", "d2 = Sub (m, x)\nq =")
       .replace("Sub (x, m)", "Sub (x, z)").replace("d =", "z = Relu (m)\nd ="))
    ln("near-epsilon-per-element", PYTORCH.replace("1e-5", "eps"), weights=(*AFFINES, vector("eps", [8])))
    ln("near-epsilon-is-input", PYTORCH.replace("1e-5", "eps"), f"{X8}, float eps")
    ln("near-deviation-is-output", PYTORCH, y=f"{Y8}, float[B, S, 8] d")
    ln("near-root-is-used", PYTORCH + "z = Relu (r)", y=f"{Y8}, float[B, S, 1] z")
    ln("near-variance-minus-epsilon", PYTORCH.replace("Add (v", "Sub (v"))
    every = PYTORCH.replace("mean <[-1]> (x)", "ReduceMean (x)").replace("mean <[-1]> (q)", "ReduceMean (q)")
    for opset in (17, 18):
        ln(f"near-all-axes-{opset}", every, opset=opset)
        ln(f"near-all-axes-scalar-{opset}", every, "float[2, 8] x", "float[2, 8] y",
           ("float scale = {2}", "float bias = {1}"), opset=opset)
        ln(f"near-all-axes-{opset}", every.replace(AFFINE, "").replace("n =", "y ="), opset=opset,
           rule="layer_norm_plain", weights=())
    ln("near-keep-opset", PYTORCH, opset=11, args="--keep-opset")
    ln("normalized-is-output", PYTORCH, y=f"{Y8}, float[B, S, 8] n", rule="layer_norm_plain")
    ln("normalized-feeds-two", PYTORCH + "s2 = Mul (n, scale2)\nz = Add (s2, bias)", y=f"{Y8}, float[B, S, 8] z",
       weights=(*AFFINES, vector("scale2", [8], start=2.0)), rule="layer_norm_plain")
    plain = PYTORCH.replace(AFFINE, "").replace("n =", "y =")
    for name, spelling in (("div", plain), ("mul-square", plain.replace("Pow (d, 2)", "Mul (d, d)")),
                           ("reciprocal", plain.replace("Div (d, r)", "Mul (d, i)")
                            .replace("y =", "i = Reciprocal (r)\ny =")),
                           ("one-over-swapped", plain.replace("Div (d, r)", "Mul (i, d)")
                            .replace("y =", "i = Div (1, r)\ny ="))):
        ln(name, spelling, weights=(), rule="layer_norm_plain")
    ln("opset-11", plain, weights=(), opset=11, rule="layer_norm_plain")
    ln("opset-20", plain, weights=(), opset=20, rule="layer_norm_plain")
    ln("bias-only", plain.replace("y =", "n =") + "\ny = Add (n, bias)", weights=AFFINES[1:],
       rule="layer_norm_plain")
    ln("near-symbolic-width", plain, "float[B, S, H] x", "float[B, S, H] y", (), rule="layer_norm_plain")
    for kind in ("double", "float16"):
        ln(kind, plain, X8.replace("float", kind), Y8.replace("float", kind), (), rule="layer_norm_plain", kind=kind)
    ln("two-axes", plain.replace("[-1]", "[-2, -1]"), "float[B, 3, 4] x", "float[B, 3, 4] y", (),
       rule="layer_norm_plain")
    for name, spelling in (("pytorch", PYTORCH), ("tf", TF), ("alone", "y = mean <[-1]> (x)")):
        y = "float[B, S, 1] y" if name == "alone" else Y8
        ln(name, spelling.replace("mean <[-1]>", "GlobalAveragePool"), y=y, opset=14,
           weights=AFFINES if name != "alone" else (), rule="mean_of_last")
    for name, rows in (("near-image", "B, S, 8, 2"), ("near-symbolic-width", "B, S, H")):
        ln(name, "y = GlobalAveragePool (x)", f"float[{rows}] x",
           f"float[{'B, S, 1, 1' if '2' in rows else 'B, S, 1'}] y", (), rule="mean_of_last")
    keras = TF.replace("b = Mul (m, k)", "n = Neg (m)\nb = Mul (n, k)").replace("Sub (bias, b)", "Add (b, bias)")
    wide = (WEIGHTS[0].replace("[8]", "[1, 1, 8]"), AFFINES[1].replace("[8]", "[1, 1, 8]"))
    ln("keras-3", keras, rule="negated_product")
    ln("keras-3-wide", keras, weights=wide)
    ln("wide-no-bias", LAYER_NORMS["no-bias"], weights=wide[:1])
    ln("near-wider-than-x", PYTORCH, "float[B, 8] x", "float[1, B, 8] y", weights=wide)
    ln("near-negated-is-seen", keras, y=f"{Y8}, float[B, S, 8] b", rule="negated_product")
    moments = FLAX.replace("n =", "y =")
    for name, spelling in (("max", moments), ("relu", moments.replace("Max (w, 0)", "Relu (w)")),
                           ("max-swapped", moments.replace("(w, 0)", "(0, w)")),
                           ("scale-bias", FLAX + AFFINE)):
        ln(name, spelling, weights=AFFINES if name == "scale-bias" else (), rule="variance_of_squares")
    for name, near in (("near-clipped-above", moments.replace("Max (w", "Min (w")),
                       ("near-other-mean", moments.replace("p = Mul (m, m)", "p = Mul (v, v)"))):
        ln(name, near, weights=(), rule="variance_of_squares")
    late = "n = LayerNormalization <axis = -1, epsilon = 1e-6> (x, scale)\n"
    for name, add in (("right", "(n, bias)"), ("left", "(bias, n)")):
        ln(name, late + f"y = Add {add}", rule="layer_norm_bias")
    ln("bias-is-input", late + "y = Add (n, b)", f"{X8}, float[8] b", rule="layer_norm_bias", weights=WEIGHTS)
    ln("float16", late + "y = Add (n, bias)", hx, hy, half, rule="layer_norm_bias")
    ln("axis-1", late.replace("-1", "1") + "y = Add (n, bias)", "float[B, 3, 4] x", "float[B, 3, 4] y",
       (vector("scale", [3, 4]), vector("bias", [3, 4])), rule="layer_norm_bias")
    ln("near-has-bias", late.replace("scale)", "scale, bias)") + "y = Add (n, b)", f"{X8}, float[8] b",
       rule="layer_norm_bias")
    ln("near-is-output", late + "y = Add (n, bias)", y=f"{Y8}, float[B, S, 8] n", rule="layer_norm_bias")
    ln("near-mean-is-output", "n, mean" + late[1:] + "y = Add (n, bias)",
       y=f"{Y8}, float[B, S, 1] mean", rule="layer_norm_bias")
    ln("near-bias-is-scalar", late + "y = Add (n, bias)", weights=(*WEIGHTS, "float bias = {2}"),
       rule="layer_norm_bias")
    ones = "float[8] one = {1, 1, 1, 1, 1, 1, 1, 1}"
    for name, mul in (("right", "(n, scale)"), ("left", "(scale, n)")):
        ln(name, late.replace("scale", "one") + f"y = Mul {mul}", weights=(*WEIGHTS, ones), rule="layer_norm_scale")
    ln("scale-is-input", late.replace("scale", "one") + "y = Mul (n, b)", f"{X8}, float[8] b", weights=(ones,),
       rule="layer_norm_scale")
    ln("two-constants", late + "y = Mul (n, bias)", rule="layer_norm_scale")
    ln("with-bias", late.replace("scale)", "scale, bias)") + "y = Mul (n, scale)", rule="layer_norm_scale")
    ln("then-bias", late.replace("scale", "one") + "s = Mul (n, scale)\ny = Add (s, bias)",
       weights=(*AFFINES, ones), rule="layer_norm_scale")
    ln("near-two-inputs", late.replace("scale", "a") + "y = Mul (n, b)", f"{X8}, float[8] a, float[8] b", weights=(),
       rule="layer_norm_scale")
    ln("near-scale-is-scalar", late + "y = Mul (n, half)", weights=(*WEIGHTS, "float half = {0.5}"),
       rule="layer_norm_scale")
    ln("near-is-output", late + "y = Mul (n, bias)", y=f"{Y8}, float[B, S, 8] n", rule="layer_norm_scale")


# ---- Gelu ----

ERFS = {"div": "a = Div (x, 1.4142135)", "mul": "a = Mul (x, 0.70710677)",
        "mul-swapped": "a = Mul (0.70710677, x)", "sqrt-node": "t = Sqrt (2)\na = Div (x, t)"}
ASSOCIATIONS = {
    "pt1": "h = Mul (x, 0.5)\ny = Mul (h, o)",
    "pt1-swapped": "h = Mul (0.5, x)\ny = Mul (o, h)",
    "pt2": "h = Mul (x, o)\ny = Mul (h, 0.5)",
    "pt2-swapped": "h = Mul (o, x)\ny = Mul (0.5, h)",
    "keras": "h = Mul (0.5, o)\ny = Mul (x, h)",
    "keras-swapped": "h = Mul (o, 0.5)\ny = Mul (h, x)",
}
DIVIDED = {"halved": "h = Mul (x, o)\ny = Div (h, 2)", "halved-first": "h = Div (x, 2)\ny = Mul (h, o)",
           "halved-sum": "h = Div (o, 2)\ny = Mul (x, h)"}
X, Y = "float[B, S, 8] x", "float[B, S, 8] y"


def erf(association, argument="div", one="o = Add (e, 1)"):
    return f"{ERFS[argument]}\ne = Erf (a)\n{one}\n{association}"


TANH_ARGUMENTS = {
    "pow": "p = Pow (x, 3)\nq = Mul (p, 0.044715)\ns = Add (x, q)\nu = Mul (s, 0.7978846)",
    "swapped": "p = Pow (x, 3)\nq = Mul (0.044715, p)\ns = Add (q, x)\nu = Mul (0.7978846, s)",
    "mul-left": "w = Mul (x, x)\np = Mul (w, x)\nq = Mul (p, 0.044715)\ns = Add (x, q)\nu = Mul (s, 0.7978846)",
    "mul-right": "w = Mul (x, x)\np = Mul (x, w)\nq = Mul (p, 0.044715)\ns = Add (x, q)\nu = Mul (s, 0.7978846)",
    "factor-inside": "w = Mul (x, 0.044715)\np = Mul (w, x)\nq = Mul (p, x)\ns = Add (x, q)\nu = Mul (s, 0.7978846)",
    "openai": "a = Mul (x, 0.7978846)\nb = Mul (x, 0.044715)\nc = Mul (b, x)\nd = Add (1, c)\nu = Mul (a, d)",
    "openai-square": "w = Mul (x, x)\nc = Mul (w, 0.044715)\nd = Add (c, 1)\nb = Mul (x, d)\nu = Mul (b, 0.7978846)",
    "openai-pow": "w = Pow (x, 2)\nc = Mul (w, 0.044715)\nd = Add (c, 1)\nb = Mul (x, d)\nu = Mul (b, 0.7978846)",
    "sqrt-node": "t = Sqrt (0.63661975)\np = Pow (x, 3)\nq = Mul (p, 0.044715)\ns = Add (x, q)\nu = Mul (t, s)",
}


def tanh(association, argument="pow", one="o = Add (e, 1)"):
    return f"{TANH_ARGUMENTS[argument]}\ne = Tanh (u)\n{one}\n{association}"


def gelus():
    def gelu(rule, name, spelling, x=X, y=Y, **more):
        case(f"gelu/{rule}/{name}", spelling, x, y, **more)

    for rule, make, arguments in (("gelu_erf", erf, ERFS), ("gelu_tanh", tanh, TANH_ARGUMENTS)):
        for name, association in (ASSOCIATIONS | DIVIDED).items():
            gelu(rule, name, make(association))
        for name in arguments:
            gelu(rule, f"argument-{name}", make(ASSOCIATIONS["pt2"], name))
        pt1 = make(ASSOCIATIONS["pt1"])
        gelu(rule, "one-plus", make(ASSOCIATIONS["pt1"], one="o = Add (1, e)"))
        for opset in (11, 13, 17, 18, 20, 23):
            gelu(rule, f"opset-{opset}", pt1, opset=opset)
            gelu(rule, f"standard-opset-{opset}", pt1, opset=opset, args="--target=onnx")
        for form in ("vector", "node", "high"):
            gelu(rule, f"constants-{form}", pt1, constants=form)
        for kind in ("float16", "double", "bfloat16"):
            x, y = X.replace("float", kind), Y.replace("float", kind)
            gelu(rule, f"{kind}-standard", pt1, x, y, kind=kind, args="--target=onnx", opset=20)
        gelu(rule, "float16", pt1, X.replace("float", "float16"), Y.replace("float", "float16"), kind="float16")
        gelu(rule, "near-double" if rule == "gelu_erf" else "double", pt1, X.replace("float", "double"), Y.replace("float", "double"), kind="double")
        gelu(rule, "ir-10", pt1, opset=20, ir=10)
        gelu(rule, "ir-3", pt1, opset=11, ir=3, constants="node")
        gelu(rule, "bias-in-front", "x = Add (i, b)\n" + pt1, "float[B, S, 8] i", weights=(vector("b", [8]),))
        gelu(rule, "near-other-half", pt1.replace("0.5", "0.51"))
        gelu(rule, "near-one-is-two", pt1.replace("(e, 1)", "(e, 2)"))
        gelu(rule, "near-other-x", pt1.replace("h = Mul (x, 0.5)", "h = Mul (z, 0.5)"), f"{X}, float[B, S, 8] z")
        gelu(rule, "near-sum-is-output", pt1, y=f"{Y}, float[B, S, 8] o")
        gelu(rule, "near-half-is-used", pt1 + "\nz = Neg (h)", y=f"{Y}, float[B, S, 8] z")
        gelu(rule, "near-constants-widen", pt1, "float[B] x", "float[1, 1, B] y", constants="high")
    gelu("gelu_erf", "near-root-of-three", erf(ASSOCIATIONS["pt1"]).replace("1.4142135", "1.7320508"))
    gelu("gelu_erf", "near-keep-opset", erf(ASSOCIATIONS["pt1"]), args="--target=onnx --keep-opset")
    gelu("gelu_tanh", "near-factor", tanh(ASSOCIATIONS["pt1"]).replace("0.044715", "0.0448"))
    gelu("gelu_tanh", "near-square", tanh(ASSOCIATIONS["pt1"]).replace("(x, 3)", "(x, 2)"))
    bias = (vector("bias", [8]),)
    for rule, op in (("bias_gelu", "@Gelu"), ("bias_fast_gelu", "@FastGelu")):
        gelu(rule, "right", f"s = Add (x, bias)\ny = {op} (s)", weights=bias)
        gelu(rule, "left", f"s = Add (bias, x)\ny = {op} (s)", weights=bias)
        gelu(rule, "bias-is-input", f"s = Add (x, bias)\ny = {op} (s)", f"{X}, float[8] bias")
        gelu(rule, "symbolic", f"s = Add (x, bias)\ny = {op} (s)", "float[A, H] x, float[H] bias", "float[A, H] y")
        gelu(rule, "near-sum-is-output", f"s = Add (x, bias)\ny = {op} (s)", y=f"{Y}, float[B, S, 8] s", weights=bias)
        gelu(rule, "near-residual", f"s = Add (x, r)\ny = {op} (s)", f"{X}, float[B, S, 8] r")
        gelu(rule, "near-scalar", f"s = Add (x, 0.5)\ny = {op} (s)")
        gelu(rule, "near-target-onnx", f"s = Add (x, bias)\ny = {op} (s)", weights=bias, args="--target=onnx")
    gelu("bias_gelu", "standard", "s = Add (x, bias)\ny = Gelu (s)", weights=bias, opset=20)
    gelu("bias_gelu", "near-tanh", 's = Add (x, bias)\ny = Gelu <approximate = "tanh"> (s)', weights=bias, opset=20)
    gelu("bias_gelu", "erf-written-out", "x = Add (i, bias)\n" + erf(ASSOCIATIONS["pt1"]), "float[B, S, 8] i",
         weights=bias)
    gelu("bias_fast_gelu", "tanh-written-out", "x = Add (i, bias)\n" + tanh(ASSOCIATIONS["pt1"]), "float[B, S, 8] i",
         weights=bias)
    gelu("bias_fast_gelu", "float16", "s = Add (x, bias)\ny = @FastGelu (s)", X.replace("float", "float16"),
         Y.replace("float", "float16"), weights=(vector("bias", [8], "float16"),))
    gelu("bias_fast_gelu", "near-has-bias", "s = Add (x, b)\ny = @FastGelu (s, bias)", f"{X}, float[8] b",
         weights=bias)


# ---- RMSNormalization ----

SQUARE = """
q = Pow (x, 2)
v = mean <[-1]> (q)
e = Add (v, 1e-6)
"""
LLAMA = SQUARE + "r = Sqrt (e)\ni = Reciprocal (r)\nn = Mul (x, i)\ny = Mul (scale, n)"
RMS_NORMS = {
    "llama": LLAMA,
    "swapped": LLAMA.replace("(v, 1e-6)", "(1e-6, v)").replace("(x, i)", "(i, x)").replace("(scale, n)", "(n, scale)"),
    "mul-square": LLAMA.replace("Pow (x, 2)", "Mul (x, x)"),
    "divided": SQUARE + "r = Sqrt (e)\nn = Div (x, r)\ny = Mul (n, scale)",
    "one-over": SQUARE + "r = Sqrt (e)\ni = Div (1, r)\nn = Mul (x, i)\ny = Mul (n, scale)",
    "pow-minus-half": SQUARE + "i = Pow (e, -0.5)\nn = Mul (x, i)\ny = Mul (n, scale)",
    "scaled-inverse": SQUARE + "r = Sqrt (e)\ni = Reciprocal (r)\nk = Mul (i, scale)\ny = Mul (x, k)",
    "near-other-value": LLAMA.replace("(x, i)", "(z, i)"),
    "near-sum": LLAMA.replace("mean", "sum"),
}


def rms_norms():
    scale = (vector("scale", [8]),)
    for name, spelling in RMS_NORMS.items():
        x = f"{X}, float[B, S, 8] z" if "(z" in spelling else X
        case(f"rms_norm/rms_norm/{name}", spelling, x, Y, weights=scale)
    for opset in (11, 18, 23):
        case(f"rms_norm/rms_norm/opset-{opset}", LLAMA, X, Y, opset=opset, weights=scale)
    half = [w.replace("float", "float16") for w in scale]
    up = LLAMA.replace("(x", "(f").replace("q =", "f = Cast <to = 1> (x)\nq =", 1)
    down = up.replace("y = Mul (scale, n)", "h = Cast <to = 10> (n)\ny = Mul (scale, h)")
    case("rms_norm/rms_norm/cast-up-and-down", down, X.replace("float", "float16"), Y.replace("float", "float16"),
         weights=half)
    case("rms_norm/rms_norm/scale-in-float", up.replace("y =", "w =") + "\ny = Cast <to = 10> (w)",
         X.replace("float", "float16"), Y.replace("float", "float16"), weights=scale)
    case("rms_norm/rms_norm/near-keep-opset", LLAMA, X, Y, weights=scale, args="--keep-opset")
    case("rms_norm/rms_norm_plain/divided", RMS_NORMS["divided"].replace("n = Div", "y = Div").rsplit("\n", 1)[0], X, Y)
    case("rms_norm/rms_norm_scale/two-scales", "n = RMSNormalization (x, scale)\ny = Mul (n, late)", X, Y, opset=23,
         weights=(*scale, vector("late", [8], start=2.0)))


RMS_TAIL = "\ny = RMSNormalization <epsilon = 1e-6> (s, scale)"
RMS_SKIPS = (
    ("skip_rms_norm", "sum", "s = Add (a, b)" + RMS_TAIL, {}),
    ("skip_rms_norm", "bias", "t = Add (a, bias)\ns = Add (t, b)" + RMS_TAIL, {}),
    ("skip_rms_norm", "near-axis-1", "s = Add (a, b)" + RMS_TAIL.replace("<", "<axis = 1, "), {}),
    ("skip_rms_norm", "near-ort-cpu", "s = Add (a, b)" + RMS_TAIL, {"args": "--target=ort-cpu"}),
)


# ---- masks ----

ROWS_AND_COLUMNS = """
sh = Shape (x)
n = Gather (sh, zero)
m = Gather (sh, one)
p = Range (zero, n, one)
q = Range (zero, m, one)
i = Unsqueeze (p, back)
j = Unsqueeze (q, front)
"""
GRID = ROWS_AND_COLUMNS + """\
u = Max (i, j)
t = Shape (u)
e = Expand (i, t)
f = Expand (j, t)
v = Unsqueeze (e, last)
w = Unsqueeze (f, last)
at = Concat <axis = -1> (v, w)
y = GatherND (x, at)
"""

PLACES = ROWS_AND_COLUMNS + """\
r = Mul (i, m)
at = Add (j, r)
f = Flatten <axis = 2> (x)
v = Gather <axis = 0> (f, at)
w = Reshape (v, flat)
t = Shape (at)
y = Reshape (w, t)
"""


def mask(rule, minus_one, name, spelling, x="bool[B, S] x", y="bool[B, 1, 1, S] y", rank=4):
    front, back = (", ".join(str(i + k) for i in range(rank - 1)) for k in (0, 1))
    weights = ("int64 zero = {0}", "int64 one = {1}", f"int64[1] {minus_one} = {{-1}}",
               f"int64[{rank - 1}] front = {{{front}}}", f"int64[{rank - 1}] back = {{{back}}}")
    case(f"masks/{rule}/{name}", spelling, x, y, weights=weights)


def places():
    place = functools.partial(mask, "mask_at_place", "flat")
    straight = PLACES.replace("Flatten <axis = 2> (x)", "Reshape (x, flat)").split("w =")[0].replace("v =", "y =")
    place("rank-4", PLACES)
    place("rank-2", PLACES, y="bool[B, S] y", rank=2)
    place("rank-5", PLACES, y="bool[B, 1, 1, 1, S] y", rank=5)
    place("of-numbers", PLACES, "float[B, S] x", "float[B, 1, 1, S] y")
    place("no-view-behind", straight)
    place("other-order", straight.replace("Mul (i, m)", "Mul (m, i)").replace("Add (j, r)", "Add (r, j)"))
    place("columns-of-slice", straight.replace("r = Mul (i, m)", "c = Slice (sh, a, b)\nr = Mul (i, c)").replace(
          "sh =", "a = Constant <value_ints = [1]> ()\nb = Constant <value_ints = [2]> ()\nsh ="))
    place("near-one-column", straight.replace("Mul (i, m)", "Mul (i, one)"))
    place("near-columns-first", straight.replace("Mul (i, m)", "Mul (j, m)").replace("Add (j, r)", "Add (i, r)"),
          "bool[B, B] x", "bool[B, 1, 1, B] y")


def grids():
    grid = functools.partial(mask, "mask_at_grid", "last")
    grid("rank-4", GRID)
    grid("rank-2", GRID, y="bool[B, S] y", rank=2)
    grid("rank-3", GRID, y="bool[B, 1, S] y", rank=3)
    grid("rank-5", GRID, y="bool[B, 1, 1, 1, S] y", rank=5)
    grid("of-numbers", GRID, "int64[B, S] x", "int64[B, 1, 1, S] y")
    grid("one-unsqueeze-for-both", GRID.replace("j = Unsqueeze (q, front)", "k = Unsqueeze (q, first)\n"
         "j = Unsqueeze (k, ahead)").replace("sh =", "first = Constant <value_ints = [0]> ()\n"
         "ahead = Constant <value_ints = [0, 1]> ()\nsh ="))
    grid("near-columns-first", GRID.replace("(v, w)", "(w, v)"), "bool[B, B] x", "bool[B, 1, 1, B] y")
    grid("near-from-one", GRID.replace("Gather (sh, one)", "Gather (sh, none)").replace(
         "q = Range (zero", "q = Range (one").replace("sh =", "none = Constant <value_int = 1> ()\nsh ="),
         y="bool[B, 1, 1, T] y")


# ---- embeddings ----

LOOKED_UP = """
sh = Shape (ids)
n = Slice (sh, first, second)
at = Slice (counted, zero, n, first)
a = Gather (words, ids)
b = Gather (kinds, of)
c = Gather (table, at)
t = Add (a, b)
s = Add (t, c)
y = LayerNormalization <epsilon = 1e-12> (s, scale, shift)
"""


def embeds():
    tables = (vector("words", [3, 2]), vector("kinds", [4, 2], start=3.0), vector("table", [8, 2], start=-2.0),
              vector("scale", [2]), vector("shift", [2], start=-0.5), "int64[1] zero = {0}", "int64[1] first = {1}",
              "int64[1] second = {2}")
    places = "int64[1, 8] counted = {0, 1, 2, 3, 4, 5, 6, 7}"

    def embed(name, spelling, x="int64[B, S] ids, int64[B, S] of", y="float[B, S, 2] y", counted=places, **more):
        case(f"embed/embed_layer_norm/{name}", spelling, x, y, weights=(*tables, counted), **more)

    embed("three", LOOKED_UP)
    embed("places-first", LOOKED_UP.replace("(a, b)", "(c, b)").replace("(t, c)", "(a, t)"))
    embed("two", LOOKED_UP.replace("b = Gather (kinds, of)\n", "").replace("t = Add (a, b)\n", "")
          .replace("(t, c)", "(a, c)"), "int64[B, S] ids")
    embed("int32", LOOKED_UP, "int32[B, S] ids, int32[B, S] of")
    embed("from-the-end", "three = Constant <value_int = 3> ()\nids = Sub (i, three)" + LOOKED_UP,
          "int64[B, S] i, int64[B, S] of")
    embed("sum-is-output", LOOKED_UP, y="float[B, S, 2] y, float[B, S, 2] s")
    embed("near-down", LOOKED_UP, counted=places.replace("0, 1, 2, 3, 4, 5, 6, 7", "7, 6, 5, 4, 3, 2, 1, 0"))
    embed("near-ort-cpu", LOOKED_UP, args="--target=ort-cpu")


# ---- one pack in front of another ----

def orders():
    gelu = erf(ASSOCIATIONS["pt1"]).replace("y =", "z =") + "\ny = Conv (z, w)"
    case("auto/gelu_erf/in-front-of-conv", gelu, "float[B, 2, 4] x", "float[B, 1, 4] y",
         weights=(vector("w", [1, 2, 1]),))
    case("auto/layer_norm_channels/in-front-of-conv", PYTORCH.replace("[-1]", "[1]").replace("y =", "z =").strip()
         + "\ny = Conv (z, w)", "float[B, 2, H, W] x", "float[B, 1, H, W] y",
         weights=(vector("scale", [2, 1, 1]), vector("bias", [2, 1, 1]), vector("w", [1, 2, 1, 1])))


# ---- SkipLayerNormalization ----

def skips():
    ab, y = "float[B, S, 8] a, float[B, S, 8] b", "float[B, S, 8] y"
    norm = (vector("scale", [8]), vector("shift", [8], start=-0.5))
    bias = (vector("bias", [8], start=2.0),)
    tail = "\ny = LayerNormalization <epsilon = 1e-6> (s, scale, shift)"

    def skip(name, spelling, x=ab, y=y, weights=norm, **more):
        case(f"skip_norm/skip_layer_norm/{name}", spelling, x, y, weights=weights, **more)

    skip("sum", "s = Add (a, b)" + tail)
    skip("no-shift", ("s = Add (a, b)" + tail).replace(", shift", ""), weights=norm[:1])
    for name, text in (("left-inner", "t = Add (a, bias)\ns = Add (t, b)"),
                       ("left-inner-swapped", "t = Add (bias, a)\ns = Add (b, t)"),
                       ("right-inner", "t = Add (b, bias)\ns = Add (a, t)"),
                       ("outer", "t = Add (a, b)\ns = Add (t, bias)"),
                       ("outer-swapped", "t = Add (b, a)\ns = Add (bias, t)")):
        skip(f"bias-{name}", text + tail, weights=(*norm, *bias))
    skip("sum-is-output", "s = Add (a, b)" + tail, y=f"{y}, float[B, S, 8] s")
    skip("sum-is-used", "s = Add (a, b)" + tail + "\nz = Relu (s)", y=f"{y}, float[B, S, 8] z")
    skip("sum-is-used-bias", "t = Add (a, bias)\ns = Add (t, b)" + tail + "\nz = Relu (s)",
         y=f"{y}, float[B, S, 8] z", weights=(*norm, *bias))
    skip("partial-sum-is-used", "t = Add (a, bias)\ns = Add (t, b)" + tail + "\nz = Relu (t)",
         y=f"{y}, float[B, S, 8] z", weights=(*norm, *bias))
    skip("axis-2", "s = Add (a, b)" + tail.replace("<", "<axis = 2, "))
    for opset in (18, 20, 23):
        skip(f"opset-{opset}", "s = Add (a, b)" + tail, opset=opset)
    half = [w.replace("float", "float16") for w in (*norm, *bias)]
    skip("float16", "t = Add (a, bias)\ns = Add (t, b)" + tail, ab.replace("float", "float16"),
         y.replace("float", "float16"), half)
    skip("symbolic-width", "s = Add (a, b)" + tail, "float[B, S, H] a, float[B, S, H] b, float[H] scale, float[H] shift",
         "float[B, S, H] y", ())
    skip("same-operand", "s = Add (a, a)" + tail, "float[B, S, 8] a")
    skip("from-opset-11", "s = Add (a, b)" + PYTORCH.replace("(x", "(s").replace("s = Mul (n", "z = Mul (n")
         .replace("Add (s, bias)", "Add (z, bias)"), weights=AFFINES, opset=11)
    skip("next-residual", "s = Add (a, b)" + tail.replace("y =", "t =") + "\nu = Add (t, s)\n"
         "y = LayerNormalization <epsilon = 1e-6> (u, scale, shift)")
    skip("over-batch", "s = Add (a, b)" + tail, "float[B, S, 8] a, float[1, S, 8] b")
    skip("over-batch-rank-2", "s = Add (b, a)" + tail, "float[B, S, 8] a, float[S, 8] b")
    skip("rank-2", "s = Add (a, b)" + tail, "float[B, 8] a, float[B, 8] b", "float[B, 8] y")
    skip("constant-operand", "s = Add (a, k)" + tail, "float[B, 2, 8] a", "float[B, 2, 8] y",
         (*norm, vector("k", [1, 2, 8])))
    skip("near-double", "s = Add (a, b)" + tail, ab.replace("float", "double"), y.replace("float", "double"),
         [w.replace("float", "double") for w in norm])
    skip("near-over-sequence", "s = Add (a, b)" + tail, "float[B, S, 8] a, float[B, 1, 8] b")
    skip("near-rank-4", "s = Add (a, b)" + tail, "float[B, 2, S, 8] a, float[B, 2, S, 8] b", "float[B, 2, S, 8] y")
    skip("near-ort-cpu", "s = Add (a, b)" + tail, args="--target=ort-cpu")
    skip("near-axis-1", "s = Add (a, b)" + tail.replace("<", "<axis = 1, "), "float[B, 2, 4] a, float[B, 2, 4] b",
         "float[B, 2, 4] y", (vector("scale", [2, 4]), vector("shift", [2, 4])))
    skip("near-target-onnx", "s = Add (a, b)" + tail, args="--target=onnx")
    for rule, name, text, more in RMS_SKIPS:
        case(f"skip_norm/{rule}/{name}", text, ab, y, opset=23, weights=(*norm[:1], *bias), **more)
    skip("near-mean-is-used", ("s = Add (a, b)" + tail).replace("y =", "y, mean ="), y=f"{y}, float[B, S, 1] mean")


# ---- Clean-up: RULE/CASE, spelling, inputs, outputs, more ----

N, V = "float[N] x", "float[N] y"
M, W = "float[A, B, C] x", "float[A, B, C] y"
CLEANUP = [
    ("drop_identity/one", "a = Identity (x)\ny = Relu (a)", N, V),
    ("drop_identity/many", "a = Identity (x)\nb = Identity (a)\nc = Identity (b)\ny = Add (b, c)", N, V),
    ("drop_identity/before-output", "a = Relu (x)\ny = Identity (a)", N, V),
    ("drop_identity/behind-output", "z = Relu (x)\na = Identity (z)\ny = Neg (a)", N, f"{V}, float[N] z"),
    ("drop_identity/string", "a = Identity (x)\ny = Equal (a, z)", "string[N] x, string[N] z", "bool[N] y",
     dict(opset=20)),
    ("drop_identity/near-input-to-output", "y = Identity (x)", N, V),
    ("drop_identity/near-second-name-of-output", "z = Relu (x)\ny = Identity (z)", N, f"{V}, float[N] z"),
    ("drop_identity/near-initializer-to-output", "y = Identity (w)\nz = Relu (x)", N, "float[2] y, float[N] z",
     dict(weights=("float[2] w = {1, 2}",), ir=10, opset=21)),
    ("drop_dropout/opset-11", "a = Dropout <ratio = 0.1> (x)\ny = Relu (a)", N, V, dict(opset=11)),
    ("drop_dropout/opset-13", "a = Dropout (x, 0.1)\ny = Relu (a)", N, V, dict(opset=13)),
    ("drop_dropout/opset-13-no-ratio", "a = Dropout (x)\ny = Relu (a)", N, V, dict(opset=13)),
    ("drop_dropout/not-training", "a = Dropout (x, 0.1, off)\ny = Relu (a)", N, V, dict(weights=("bool off = {0}",))),
    ("drop_dropout/empty-ratio", "a = Dropout (x, , off)\ny = Relu (a)", N, V, dict(weights=("bool off = {0}",))),
    ("drop_dropout/unused-mask", "a, m = Dropout (x)\ny = Relu (a)", N, V),
    ("drop_dropout/near-training", "a = Dropout <seed = 1> (x, 0.5, on)\ny = Mul (a, zero)", N, V,
     dict(weights=("bool on = {1}", "float zero = {0}"))),
    ("drop_dropout/near-training-is-input", "a = Dropout (x, 0.5, t)\ny = Mul (a, zero)", f"{N}, bool t", V,
     dict(weights=("float zero = {0}",))),
    ("drop_dropout/near-mask", "a, m = Dropout (x)\ny = Relu (a)", N, f"{V}, bool[N] m"),
    ("drop_cast/float", "a = Cast <to = 1> (x)\ny = Relu (a)", N, V),
    ("drop_cast/float16", "a = Cast <to = 10> (x)\ny = Relu (a)", "float16[N] x", "float16[N] y"),
    ("drop_cast/opset-20", "a = Cast <to = 1> (x)\ny = Relu (a)", N, V, dict(opset=20)),
    ("drop_cast/near-wider", "a = Cast <to = 11> (x)\ny = Relu (a)", N, "double[N] y"),
    ("drop_cast/near-int", "a = Cast <to = 7> (x)\ny = Neg (a)", "int32[N] x", "int64[N] y"),
    ("cast_twice/widening", "a = Cast <to = 1> (x)\ny = Cast <to = 11> (a)", "float16[N] x", "double[N] y"),
    ("cast_twice/there-and-back", "a = Cast <to = 1> (x)\nb = Cast <to = 10> (a)\ny = Relu (b)", "float16[N] x",
     "float16[N] y"),
    ("cast_twice/int-in-float", "a = Cast <to = 1> (x)\ny = Cast <to = 7> (a)", "int8[N] x", "int64[N] y"),
    ("cast_twice/bool-through-int", "a = Cast <to = 7> (x)\ny = Cast <to = 1> (a)", "bool[N] x", V),
    ("cast_twice/near-narrowing", "a = Cast <to = 10> (x)\ny = Cast <to = 1> (a)", N, V),
    ("cast_twice/near-int64-through-float", "a = Cast <to = 1> (x)\ny = Cast <to = 7> (a)", "int64[N] x",
     "int64[N] y"),
    ("cast_twice/near-truth", "a = Cast <to = 9> (x)\ny = Cast <to = 1> (a)", N, V),
    ("cast_twice/near-inner-is-output", "a = Cast <to = 1> (x)\ny = Cast <to = 11> (a)", "float16[N] x",
     "double[N] y, float[N] a"),
    *((f"{rule}/{name}", f"a = {op} ({operands})\ny = Relu (a)", N, V, more)
      for rule, op, k in (("add_zero", "Add", 0), ("sub_zero", "Sub", 0), ("mul_one", "Mul", 1), ("div_one", "Div", 1))
      for name, operands, more in (
          ("scalar", f"x, {k}", {}), ("vector", f"x, {k}", dict(constants="vector")),
          ("node", f"x, {k}", dict(constants="node")), ("opset-11", f"x, {k}", dict(opset=11)),
          *([("swapped", f"{k}, x", {})] if op in ("Add", "Mul") else [("near-swapped", f"{k}, x", {})]),
          ("near-other", f"x, {k + 1}", {}), ("near-rank-grows", f"x, k", dict(
              weights=(f"float[1, 1] k = {{{k}}}",), y="float[1, N] y")),
          ("near-widens", "x, k", dict(weights=(f"float[2, 1] k = {{{k}, {k}}}",), y="float[2, N] y")),
          ("near-one-differs", "x, k", dict(weights=(f"float[2] k = {{{k}, 3}}",), x="float[2] x", y="float[2] y")),
          ("all-equal", "x, k", dict(weights=(f"float[2] k = {{{k}, {k}}}",), x="float[2] x", y="float[2] y")),
          ("near-not-constant", "x, k", dict(x=f"{N}, float k")))),
    ("add_zero/int", "a = Add (x, 0)\ny = Abs (a)", "int64[N] x", "int64[N] y", dict(kind="int64")),
    ("mul_one/float16", "a = Mul (x, 1)\ny = Relu (a)", "float16[N] x", "float16[N] y", dict(kind="float16")),
    ("mul_one/double", "a = Mul (x, 1)\ny = Relu (a)", "double[N] x", "double[N] y", dict(kind="double")),
    ("mul_one/near-overridable", "a = Mul (x, k)\ny = Relu (a)", f"{N}, float k = {{1}}", V),
    ("mul_one/ir-3-not-overridable", "a = Mul (x, k)\ny = Relu (a)", f"{N}, float k = {{1}}", V,
     dict(ir=3, opset=11)),
    ("transpose_twice/cycle", "a = Transpose <perm = [1, 2, 0]> (x)\ny = Transpose <perm = [1, 2, 0]> (a)", M,
     "float[C, A, B] y"),
    ("transpose_twice/other-order", "a = Transpose <perm = [1, 2, 0]> (x)\ny = Transpose <perm = [0, 2, 1]> (a)", M,
     "float[B, A, C] y"),
    ("transpose_twice/inverse", "a = Transpose <perm = [1, 2, 0]> (x)\nb = Transpose <perm = [2, 0, 1]> (a)\n"
     "y = Relu (b)", M, W),
    ("transpose_twice/three", "a = Transpose <perm = [1, 2, 0]> (x)\nb = Transpose <perm = [0, 2, 1]> (a)\n"
     "y = Transpose <perm = [1, 0, 2]> (b)", M, "float[A, B, C] y"),
    ("transpose_twice/default-perm", "a = Transpose (x)\ny = Transpose <perm = [1, 0, 2]> (a)", M, "float[B, C, A] y"),
    ("transpose_nothing/rank-3", "a = Transpose <perm = [0, 1, 2]> (x)\ny = Relu (a)", M, W),
    ("transpose_nothing/rank-1-default", "a = Transpose (x)\ny = Relu (a)", N, V),
    ("transpose_nothing/near-unit-dims", "a = Transpose <perm = [0, 2, 1]> (x)\ny = Relu (a)", "float[A, 1, 1] x",
     "float[A, 1, 1] y"),
    ("reshape_view/unknown-and-known", "a = Reshape (x, s)\ny = Reshape (a, t)", "float[B, S, 12] x", "float[U, 4] y",
     dict(weights=("int64[3] s = {0, -1, 3}", "int64[2] t = {-1, 4}"))),
    ("reshape_view/opset-11", "a = Reshape (x, s)\ny = Reshape (a, t)", "float[B, S, 12] x", "float[U, 4] y",
     dict(weights=("int64[3] s = {0, -1, 3}", "int64[2] t = {-1, 4}"), opset=11)),
    ("reshape_view/inner-not-constant", "s = Shape (z)\na = Reshape (x, s)\ny = Reshape (a, t)",
     "float[B, 12] x, float[12, B] z", "float[U] y", dict(weights=("int64[1] t = {-1}",))),
    ("reshape_view/near-zero-copies", "a = Reshape (x, s)\ny = Reshape (a, t)", "float[B, S, 12] x", "float[U, V] y",
     dict(weights=("int64[3] s = {-1, 0, 3}", "int64[2] t = {0, -1}"))),
    ("reshape_view/zero-copies-what-was-there", "a = Reshape (x, s)\ny = Reshape (a, t)", "float[B, S, 12] x",
     "float[B, V] y", dict(weights=("int64[3] s = {0, -1, 3}", "int64[2] t = {0, -1}"))),
    ("reshape_view/near-outer-not-constant", "t = Shape (z)\na = Reshape (x, s)\ny = Reshape (a, t)",
     "float[A, B] x, float[B, A] z", "float[B, A] y", dict(weights=("int64[1] s = {-1}",))),
    ("view_same/reshape-minus-one", "a = Reshape (x, s)\ny = Relu (a)", "float[B, 12] x", "float[B, 12] y",
     dict(weights=("int64[2] s = {-1, 12}",))),
    ("view_same/reshape-zeros", "a = Reshape (x, s)\ny = Relu (a)", M, W, dict(weights=("int64[3] s = {0, 0, -1}",))),
    ("view_same/reshape-own-shape", "s = Shape (x)\na = Reshape (x, s)\ny = Relu (a)", M, W),
    ("view_same/reshape-opset-11", "s = Shape (x)\na = Reshape (x, s)\ny = Relu (a)", M, W, dict(opset=11)),
    ("view_same/near-reshape-other", "a = Reshape (x, s)\ny = Relu (a)", "float[B, 12] x", "float[U, 6] y",
     dict(weights=("int64[2] s = {-1, 6}",))),
    ("view_same/near-reshape-two-unknown", "a = Reshape (x, s)\ny = Relu (a)", "float[A, B] x", "float[U, 3] y",
     dict(weights=("int64[2] s = {-1, 3}",), x="float[3, B] x")),
    ("view_same/expand-ones", "a = Expand (x, s)\ny = Relu (a)", M, W, dict(weights=("int64[2] s = {1, 1}",))),
    ("view_same/expand-own-shape", "s = Shape (x)\na = Expand (x, s)\ny = Relu (a)", M, W),
    ("view_same/near-expand-higher-rank", "a = Expand (x, s)\ny = Relu (a)", N, "float[1, N] y",
     dict(weights=("int64[2] s = {1, 1}",))),
    ("view_same/near-expand-widens", "a = Expand (x, s)\ny = Relu (a)", "float[1, 4] x", "float[3, 4] y",
     dict(weights=("int64[2] s = {3, 4}",))),
    *((f"{rule}/opset-{opset}", f"a = {first} <[{axes}]> (x)\nb = {second} <[{axes}]> (a)\ny = Relu (b)", x, y,
       dict(opset=opset))
      for opset in (11, 13, 21)
      for rule, first, second, axes, x, y in (
          ("unsqueeze_squeeze", "unsqueeze", "squeeze", "0, 2", "float[A, B] x", "float[A, B] y"),
          ("squeeze_unsqueeze", "squeeze", "unsqueeze", "1", "float[A, 1, B] x", "float[A, 1, B] y"))),
    ("unsqueeze_squeeze/negative-axis", "a = unsqueeze <[-1]> (x)\nb = squeeze <[1]> (a)\ny = Relu (b)", N, V),
    ("unsqueeze_squeeze/near-other-axis", "a = unsqueeze <[1]> (x)\nb = squeeze <[0]> (a)\ny = Relu (b)",
     "float[1, B] x", "float[1, B] y"),
    ("squeeze_unsqueeze/near-other-axis", "a = squeeze <[1]> (x)\nb = unsqueeze <[0]> (a)\ny = Relu (b)",
     "float[A, 1] x", "float[1, A] y"),
    ("view_same/flatten-default", "a = Flatten (x)\ny = Relu (a)", "float[A, B] x", "float[A, B] y"),
    ("view_same/flatten-negative", "a = Flatten <axis = -1> (x)\ny = Relu (a)", "float[A, B] x", "float[A, B] y"),
    ("view_same/flatten-axis-0", "a = Flatten <axis = 0> (x)\ny = Relu (a)", "float[1, B] x", "float[1, B] y"),
    ("view_same/near-flatten-rank-3", "a = Flatten (x)\ny = Relu (a)", M, "float[A, D] y"),
    ("not_not/two", "a = Not (x)\nb = Not (a)\ny = And (b, z)", "bool[N] x, bool[N] z", "bool[N] y"),
    ("not_not/three", "a = Not (x)\nb = Not (a)\ny = Not (b)", "bool[N] x", "bool[N] y"),
    ("not_not/near-inner-is-output", "a = Not (x)\nb = Not (a)\ny = And (b, z)", "bool[N] x, bool[N] z",
     "bool[N] y, bool[N] a"),
    ("not_not/near-to-output", "a = Not (x)\ny = Not (a)", "bool[N] x", "bool[N] y"),
    ("concat_one/one", "a = Concat <axis = 0> (x)\ny = Relu (a)", N, V),
    ("concat_one/negative", "a = Concat <axis = -1> (x)\ny = Relu (a)", M, W),
    ("concat_one/near-two", "a = Concat <axis = 0> (x, x)\ny = Relu (a)", N, "float[M] y"),
]


def cleanups():
    for name, spelling, x, y, *more in CLEANUP:
        more = dict(more[0]) if more else {}
        x, y = more.pop("x", x), more.pop("y", y)
        case(f"cleanup/{name}", spelling, x, y, **more)


# ---- Raising: Softmax before opset 13 takes all axes from `axis` on as one ----

def raises():
    for name, op, axis, x in (("last", "Softmax", "<axis = 2>", M), ("minus-one", "Softmax", "<axis = -1>", M),
                              ("default-rank-3", "Softmax", "", "float[A, B, 8] x"), ("default-rank-2", "Softmax", "", "float[A, B] x"),
                              ("first", "Softmax", "<axis = 0>", "float[2, 3, 4] x"),
                              ("minus-two", "LogSoftmax", "<axis = -2>", "float[2, B, 8] x"),
                              ("hardmax", "Hardmax", "<axis = 1>", "float[A, B, 8] x")):
        y = x.replace("] x", "] y")
        for opset in (11, 12):
            case(f"opset/softmax_13/{name}-{opset}", f"y = {op} {axis} (x)", x, y, opset=opset, args="--opset=17")
    case("opset/softmax_13/near-13", "y = Softmax <axis = 1> (x)", M, W, opset=13, args="--opset=20")


def stale():
    """The files that are not there, or not as they are made."""
    return [p for p, text in FILES.items() if not p.exists() or p.read_text() != text]


def main():
    for family in (layer_norms, gelus, rms_norms, grids, places, embeds, orders, skips, cleanups, raises):
        family()
    if "--check" in sys.argv:
        print("\n".join(f"{p.relative_to(HERE)} is not what make.py makes" for p in stale()) or "current")
        return 1 if stale() else 0
    for p in stale():
        p.parent.mkdir(parents=True, exist_ok=True)
        p.write_text(FILES[p])
    return 0


if __name__ == "__main__":
    sys.exit(main())
