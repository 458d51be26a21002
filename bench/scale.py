#!/usr/bin/env python3
"""How matching grows with the number of rules, and a run with the number of nodes.

    bench/scale.py [--build build] [--runs 5] [--layers 2000] [--rules 10,100,1000,10000]
                   [--nodes 1000,10000,100000,1000000] [--folder DIR] [--update]

Rules: packs of 10, 100, 1,000 and 10,000 rules over one encoder of 100,000 nodes
(make_bert.py), and others over a random graph of as many (make_graph.py). Ten rules are in every pack, and what they do must be the same at every size.
The others are real rules varied: another constant, another perm, axis or dtype, operators in
another order. All their operators are in the graph, no two have the same pattern, and none
matches. Nodes: the pack bert over encoders of other sizes; the exponent is the slope of the
logarithms between the first and the last. The commands run in turn, medians are printed.
--update writes the tables into docs/performance.md. Exit status 1 when a run fails or
the packs do not do the same.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import itertools
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

import docs
import make_graph

HERE = pathlib.Path(__file__).resolve().parent
HIDDEN, HEADS, VOCAB, OPSET = 8, 2, 50, 17
NODES_OF_A_LAYER = 50

# --- packs -----------------------------------------------------------------------------

BASE = """
pack scale "rules for a benchmark" {
  version 1.0
  opset ai.onnx >= 17
}

pattern mean (v) = ReduceMean <axes = [-1], keepdims = 1> (v)

rule layer_norm {
  match {
    d = Sub(x, mean(x))
    y = Div(d, Sqrt(mean(Pow(d, 2)) + eps)) * scale + bias
  }
  where { const scalar eps; shape(scale) == [dim(x, -1)]; shape(bias) == [dim(x, -1)]; }
  emit { y = LayerNormalization <axis = -1, epsilon = value(eps)> (x, scale, bias) }
  class float
}
rule gelu {
  match { y = prod{x, 0.5, Erf(Div(x, 1.41421356)) + 1} }
  emit { y = com.microsoft.Gelu(x) }
  class float
  target ort
}
rule drop_identity: Identity(x) => x
rule neg_neg: Neg(Neg(x)) => x
rule relu_relu: Relu(Relu(x)) => Relu(x)
rule turn_nothing: Transpose <perm = [0, 1, 2, 3]> (x) => x
rule add_neg: Add(x, Neg(y)) => Sub(x, y)
rule sub_neg: Sub(x, Neg(y)) => Add(x, y)
rule div_root: Div(x, Sqrt(x)) => Sqrt(x)
rule erf_neg: Erf(Neg(x)) => Neg(Erf(x))
"""
UNARY = ["Sqrt", "Erf", "Softmax <axis = -1>", "Transpose <perm = [0, 2, 1, 3]>",
         "ReduceMean <axes = [-1], keepdims = 1>"]
BINARY = ["Add", "Sub", "Mul", "Div", "MatMul", "Pow"]


def gelu(r):
    """Another divisor, another half."""
    c, half = round(r.uniform(1.5, 90), 3), round(r.uniform(0.6, 90), 3)
    return f"prod{{x, {half}, Erf(Div(x, {c})) + 1}}"


def scores(r):
    """Another scale, another axis, another layout of the key."""
    perm = r.sample(range(4), 4)
    if perm == [0, 2, 3, 1]:
        return None
    c, axis = round(r.uniform(3, 90), 3), r.choice([-1, 1, 2, 3])
    return (f"Softmax <axis = {axis}> (Div(MatMul(x, Transpose <perm = {perm}> (_)), {c}) + _)")


def heads(r):
    """Another number of heads, another layout."""
    perm = r.sample(range(4), 4)
    shape = [0, 0, r.randint(3, 64), r.randint(5, 128)]
    return f"Transpose <perm = {perm}> (Reshape(MatMul(x, _) + _, {shape}))"


def variance(r):
    """Another exponent, another epsilon, mean over another axis."""
    p, eps = r.randint(3, 90), f"{r.uniform(0.01, 0.9):.4f}"
    return (f"Sqrt(ReduceMean <axes = [-1], keepdims = 1> (Pow(Sub(x, ReduceMean "
            f"<axes = [{r.choice([0, 1, 2, -1])}], keepdims = 1> (x)), {p})) + {eps})")


def mask(r):
    """Another element type, another fill."""
    return (f"Mul(Sub({r.choice([1, 2, 3])}, Cast <to = {r.choice(['float16', 'double', 'int32'])}> "
            f"(Unsqueeze(x, {[r.randint(0, 3), r.randint(4, 6)]}))), {-r.randint(1, 99999)})")


def chain(r):
    """Operators of the graph in an order that it does not have: none follows itself there."""
    text, first = "x", r.choice(UNARY + BINARY)
    ops = [first, first] + [r.choice(UNARY + BINARY) for _ in range(r.randint(2, 3))]
    for op in reversed(ops):
        if op in UNARY:
            text = f"{op} ({text})"
        else:
            text = f"{op}({text}, _)" if r.random() < 0.5 else f"{op}(_, {text})"
    return None if first in ("Add", "Mul", "MatMul") else text


RANDOM_BASE = """
pack scale "rules for a random graph" {
  version 1.0
  opset ai.onnx >= 17
}

rule neg_neg: Neg(Neg(x)) => x
rule abs_abs: Abs(Abs(x)) => Abs(x)
rule abs_neg: Abs(Neg(x)) => Abs(x)
rule add_neg: Add(x, Neg(y)) => Sub(x, y)
rule sub_neg: Sub(x, Neg(y)) => Add(x, y)
rule mul_neg: Mul(Neg(x), Neg(y)) => Mul(x, y)
rule max_same: Max(x, x) => x
rule abs_exp: Abs(Exp(x)) => Exp(x)
rule abs_sigmoid: Abs(Sigmoid(x)) => Sigmoid(x)
rule mul_abs: Mul(Abs(x), Abs(y)) => Abs(Mul(x, y))
"""


def tree(r):
    """Operators of the random graph, three or four deep, as they stand there, beside a number,
    which it does not have: above all the others or, every other time, below them."""
    number, text = round(r.uniform(0.01, 90), 3), "x"
    ops = [r.choice(RANDOM_UNARY + RANDOM_BINARY) for _ in range(r.randint(3, 4))]
    low = r.random() < 0.5
    if low:
        text = f"{r.choice(RANDOM_BINARY)}(x, {number})"
    for op in ops:
        text = f"{op}({text})" if op in RANDOM_UNARY else f"{op}({text}, _)"
    return text if low else f"{r.choice(RANDOM_BINARY)}({text}, {number})"


RANDOM_UNARY, RANDOM_BINARY = make_graph.UNARY, make_graph.BINARY
ENCODER_KINDS, RANDOM_KINDS = [gelu, scores, heads, variance, mask, chain], [tree]


def pack(n, base=BASE, makers=ENCODER_KINDS):
    """The rules of `base` and others up to n; a larger pack begins with the smaller one."""
    r, seen, text = random.Random(0), set(), [base]
    kinds = itertools.cycle(makers)
    while len(seen) < n - base.count("\nrule "):
        pattern = next(kinds)(r)
        if pattern and pattern not in seen:
            seen.add(pattern)
            text.append(f"rule more{len(seen)}: {pattern} => Relu(x)\n")
    return "".join(text)


# --- runs ------------------------------------------------------------------------------


def encoder(folder, layers):
    path = folder / f"encoder{layers}.onnx"
    sizes = dict(layers=layers, hidden=HIDDEN, heads=HEADS, vocab=VOCAB, opset=OPSET)
    args = [f"--{k}={v}" for k, v in sizes.items()]
    subprocess.run([sys.executable, HERE / "make_bert.py", *args, path], check=True)
    return path


def random_graph(folder, nodes):
    path = folder / f"random{nodes}.onnx"
    subprocess.run([sys.executable, HERE / "make_graph.py", "random", str(nodes), path], check=True)
    return path


def run(tool, rules, model):
    """What --time and -v say of one run."""
    out = model.with_suffix(".out")
    start = time.perf_counter()
    done = subprocess.run([tool, "-v", "--time", "-r", rules, "-o", out, model], capture_output=True, text=True)
    whole = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"scale: exit {done.returncode}: {done.stderr}")
    out.unlink()
    got = {k: float(v) for k, v in re.findall(r"^  (\w+) +([\d.]+) ms", done.stdout, re.M)}
    counts = re.search(r"(\d+) nodes visited, (\d+) candidates, (\d+) tests", done.stdout)
    nodes = re.search(r"(\d+) nodes?, now", done.stdout)
    applied = re.findall(r"^  (\w+) +(\d+) +[+-]\d+ +\d+$", done.stdout, re.M)
    peak = re.search(r"at most ([\d.]+) MiB", done.stdout)
    got.update(whole=whole * 1e3, nodes=int(nodes[1]), candidates=int(counts[2]), tests=int(counts[3]),
               peak=float(peak[1]), applied=sorted(a for a in applied if a[1] != "0"))
    return got


def in_turn(runs, jobs):
    """{key: medians} of jobs run one after the other, `runs` times."""
    all_runs = {key: [] for key in jobs}
    for _ in range(runs):
        for key, job in jobs.items():
            all_runs[key].append(job())
    return {key: {k: statistics.median(g[k] for g in got) if k != "applied" else got[0][k]
                  for k in got[0]} for key, got in all_runs.items()}


def by_rules(tool, folder, model, sizes, runs, base, kinds):
    for n in sizes:
        (folder / f"{n}.rules").write_text(pack(n, base, kinds))
    got = in_turn(runs, {n: (lambda n=n: run(tool, folder / f"{n}.rules", model)) for n in sizes})
    first = got[sizes[0]]
    if any(g["applied"] != first["applied"] for g in got.values()) or not first["applied"]:
        sys.exit(f"scale: the packs do not do the same: { {n: g['applied'] for n, g in got.items()} }")
    lines = [f"{first['nodes']:,.0f} nodes; in every pack "
             + ", ".join(f"{name} was applied {int(n):,} times" for name, n in first["applied"]) + ".", "",
             "| rules | rewrite ms | to the first | candidates a node | tests a node | parse and compile ms |",
             "|---:|---:|---:|---:|---:|---:|"]
    for n, g in got.items():
        lines.append(f"| {n:,} | {g['rewrite']:,.0f} | {g['rewrite'] / first['rewrite']:.2f} | "
                     f"{g['candidates'] / g['nodes']:.2f} | {g['tests'] / g['nodes']:.1f} | {g['rules']:,.1f} |")
    return lines


def exponent(a, b, key):
    return math.log(b[key] / a[key]) / math.log(b["nodes"] / a["nodes"])


def by_nodes(tool, folder, sizes, runs):
    models = {n: encoder(folder, max(1, n // NODES_OF_A_LAYER)) for n in sizes}
    got = in_turn(runs, {n: (lambda n=n: run(tool, "bert", models[n])) for n in sizes})
    stages = ["read", "infer", "rewrite", "write"]
    lines = ["| nodes | " + " | ".join(s + " ms" for s in stages) + " | whole process ms | peak MiB |",
             "|---:" * (len(stages) + 3) + "|"]
    for g in got.values():
        lines.append(f"| {g['nodes']:,.0f} | " + " | ".join(f"{g[s]:,.1f}" for s in stages)
                     + f" | {g['whole']:,.0f} | {g['peak']:,.1f} |")
    if len(sizes) > 1:
        a, b = list(got.values())[:: len(sizes) - 1]
        lines += ["", f"From {a['nodes']:,.0f} to {b['nodes']:,.0f} nodes the time grows with exponent "
                  f"{exponent(a, b, 'whole'):.2f}, memory with {exponent(a, b, 'peak'):.2f}."]
    return lines


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", default="build")
    ap.add_argument("--runs", type=int, default=5)
    ap.add_argument("--layers", type=int, default=2000)
    numbers = lambda text: [int(n) for n in text.split(",") if n]
    ap.add_argument("--rules", type=numbers, default=[10, 100, 1000, 10000])
    ap.add_argument("--nodes", type=numbers, default=[1000, 10000, 100000, 1000000])
    ap.add_argument("--folder", help="where models, packs and outputs go (default: a temporary folder)")
    ap.add_argument("--update", action="store_true")
    a = ap.parse_args()
    tool, lines = pathlib.Path(a.build).resolve() / "onnxrw", []
    with tempfile.TemporaryDirectory(dir=a.folder) as folder:
        folder = pathlib.Path(folder)
        if a.rules:
            lines += by_rules(tool, folder, encoder(folder, a.layers), a.rules, a.runs, BASE,
                              ENCODER_KINDS) + ["", "The same over a random graph:", ""]
            lines += by_rules(tool, folder, random_graph(folder, a.layers * NODES_OF_A_LAYER), a.rules, a.runs,
                              RANDOM_BASE, RANDOM_KINDS) + [""]
            print(*lines, sep="\n", flush=True)
        if a.nodes:
            more = by_nodes(tool, folder, a.nodes, a.runs)
            print(*more, sep="\n")
            lines += more
    if a.update:
        docs.replace("performance.md", "scale", lines)


if __name__ == "__main__":
    main()
