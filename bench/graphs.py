#!/usr/bin/env python3
"""How a whole run grows with the graph, on graphs of several forms, and other tools beside it.

    bench/graphs.py [--build build] [--runs 3] [--nodes 1000,10000,100000,1000000]
                    [--forms encoder,random,chain,...] [--peers 1000,3000,10000]
                    [--limit 60] [--folder DIR] [--update]

The encoder is that of make_bert.py, the others those of make_graph.py (of siblings a tenth of
the nodes: each has two bodies). The pack is bert. Each process gets a stack of 256 KiB.
Commands run in turn, medians are printed: of the whole process the time that it took, and the
time that it had a processor (which other work on the machine does not add to); the peak of
memory; the exponents are slopes of logarithms, from the first size and from the last but one.

Other tools run over the encoder and the random graph, in Python as their authors provide them:
onnxslim, and onnxscript's rewriter with its own rules; beyond --limit seconds of a processor
they are ended, and larger graphs are not tried. --update writes the tables into docs/performance.md. Exit
status 1 when a run fails.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import importlib.util
import math
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import docs

HERE = pathlib.Path(__file__).resolve().parent
NODES_OF_A_LAYER = 50
STACK = 256 << 10
FORMS = ["encoder", "random", "chain", "users", "equal", "operands", "siblings"]
PEERS = {
    "onnxslim": "import onnx, onnxslim; onnx.save(onnxslim.slim(onnx.load(sys.argv[1])), sys.argv[2])",
    "onnxscript": "import onnx_ir, onnxscript.rewriter as r\n"
                  "onnx_ir.save(r.rewrite(onnx_ir.load(sys.argv[1])), sys.argv[2])",
}


def graph(folder, form, nodes):
    path = folder / f"{form}{nodes}.onnx"
    if form == "encoder":
        layers = max(1, nodes // NODES_OF_A_LAYER)
        sizes = ["--hidden=8", "--heads=2", "--vocab=50", "--opset=17", f"--layers={layers}"]
        command = [HERE / "make_bert.py", *sizes, path]
    else:
        command = [HERE / "make_graph.py", form, str(nodes // 10 if form == "siblings" else nodes), path]
    subprocess.run([sys.executable, *command], check=True)
    return path


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))


def measure(command, prepare):
    """(what it printed, {whole, cpu, peak}) in ms and MiB; None when it was ended or failed."""
    start = time.perf_counter()
    p = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         preexec_fn=prepare)
    out = p.stdout.read()
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode:
        return out, None
    return out, dict(whole=(time.perf_counter() - start) * 1e3, cpu=(used.ru_utime + used.ru_stime) * 1e3,
                     peak=used.ru_maxrss / 1024)


def run(tool, model):
    out, got = measure([tool, "--time", "-r", "bert", "-o", model.with_suffix(".out"), model], small_stack)
    if got is None:
        sys.exit(f"graphs: {model.name}: {out}")
    got.update({k: float(v) for k, v in re.findall(r"^  (\w+) +([\d.]+) ms", out, re.M)})
    got["nodes"] = int(re.search(r": (\d+) nodes?(?:,| )", out)[1])
    return got


def medians(runs):
    return {k: statistics.median(r[k] for r in runs) for k in runs[0]}


def exponent(a, b, key):
    return math.log(b[key] / a[key]) / math.log(b["nodes"] / a["nodes"])


def own_table(tool, folder, forms, sizes, runs):
    stages = ["read", "infer", "rewrite", "write"]
    lines = ["| graph | nodes | " + " | ".join(s + " ms" for s in stages)
             + " | whole process ms | processor ms | peak MiB |", "|---" + "|---:" * (len(stages) + 4) + "|"]
    slopes = []
    for form in forms:
        models = {n: graph(folder, form, n) for n in sizes}
        all_runs = {n: [] for n in sizes}
        for _ in range(runs):
            for n, m in models.items():
                all_runs[n].append(run(tool, m))
        got = [medians(all_runs[n]) for n in sizes]
        for g in got:
            lines.append(f"| {form} | {g['nodes']:,.0f} | " + " | ".join(f"{g[s]:,.0f}" for s in stages)
                         + f" | {g['whole']:,.0f} | {g['cpu']:,.0f} | {g['peak']:,.0f} |")
            print(lines[-1], flush=True)
        if len(got) > 1:
            slopes.append([form] + [f"{exponent(got[k], got[-1], key):.2f}" for key in ("cpu", "peak")
                                    for k in (0, -2)])
        for m in models.values():
            m.unlink()
            m.with_suffix(".out").unlink()
    if slopes:
        last = f"from {sizes[-2]:,}"
        lines += ["", f"Exponents of growth up to {sizes[-1]:,} nodes:", "",
                  f"| graph | processor time from {sizes[0]:,} | {last} | memory from {sizes[0]:,} | {last} |",
                  "|---|---:|---:|---:|---:|"] + [f"| {' | '.join(s)} |" for s in slopes]
    return lines


def peer_row(name, script, models, limit):
    cells, peaks, gone = [], [], False
    seconds = lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    for m in models:
        got = None
        if not gone:
            out, got = measure([sys.executable, "-c", "import sys\n" + script, m, m.with_suffix(".peer")], seconds)
            if got is None:
                print(f"graphs: {name} on {m.name}: {(out.strip().splitlines() or ['ended'])[-1]}", flush=True)
        gone = got is None
        cells.append(f"{got['cpu']:,.0f}" if got else "-")
        peaks.append(f"{got['peak']:,.0f}" if got else "-")
    return cells, peaks


def peer_table(tool, folder, sizes, limit):
    lines = ["| graph | tool | " + " | ".join(f"{n:,} nodes: ms, MiB" for n in sizes) + " |",
             "|---|---" + "|---:" * len(sizes) + "|"]
    known = {k: v for k, v in PEERS.items() if importlib.util.find_spec(k)}
    for form in ("encoder", "random"):
        models = [graph(folder, form, n) for n in sizes]
        own = [run(tool, m) for m in models]
        rows = {"onnxrw -r bert": ([f"{g['cpu']:,.0f}" for g in own], [f"{g['peak']:,.0f}" for g in own])}
        for name, script in known.items():
            rows[name] = peer_row(name, script, models, limit)
        for name, (cells, peaks) in rows.items():
            lines.append(f"| {form} | {name} | " + " | ".join(f"{c}, {p}" for c, p in zip(cells, peaks)) + " |")
            print(lines[-1], flush=True)
    return lines + ["", f"Processor time of the whole process, one run each; -: ended after {limit} s."]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", default="build")
    ap.add_argument("--runs", type=int, default=3)
    numbers = lambda text: [int(n) for n in text.split(",") if n]
    ap.add_argument("--nodes", type=numbers, default=[1000, 10000, 100000, 1000000])
    ap.add_argument("--forms", type=lambda text: text.split(","), default=FORMS)
    ap.add_argument("--peers", type=numbers, default=[1000, 3000, 10000])
    ap.add_argument("--limit", type=int, default=60, help="seconds that another tool may take")
    ap.add_argument("--folder", help="where models and outputs go (default: a temporary folder)")
    ap.add_argument("--update", action="store_true")
    a = ap.parse_args()
    tool = pathlib.Path(a.build).resolve() / "onnxrw"
    with tempfile.TemporaryDirectory(dir=a.folder) as folder:
        lines = own_table(tool, pathlib.Path(folder), a.forms, a.nodes, a.runs) if a.nodes else []
        if a.peers:
            lines += [""] + peer_table(tool, pathlib.Path(folder), a.peers, a.limit)
    print(*lines, sep="\n")
    if a.update:
        docs.replace("performance.md", "graphs", lines)


if __name__ == "__main__":
    main()
