#!/usr/bin/env python3
"""What compiled packs save at start-up, and what compiled programs could save while matching.

    bench/codegen.py [--build build] [--runs 40] [--layers 2000] [--update]

Start-up: onnxrw, and the first onnxrw of the build, which has no compiled packs and parses the
files, run in turn on a model of two nodes; medians of user and system time of the whole process.
Matching: an encoder of 100,000 nodes is labelled and bound under 1,000 rules (as bench/scale.py
makes them) and under bert.rules, with nothing else; the programs are run as they are, and with a
jump in front of each instruction, which doubles the work of dispatch and adds nothing else.
Build with `cmake --build build --target bench onnxrw_stage0`. --update writes the tables into
docs/codegen.md and docs/automaton.md. SPDX-License-Identifier: Apache-2.0
"""
import argparse, os, pathlib, re, statistics, subprocess, sys, tempfile

import docs
import scale

ROOT = pathlib.Path(__file__).resolve().parent.parent
SMALL = '<ir_version: 8, opset_import: ["" : 17]>\ng (float[2] x) => (float[2] y) { t = Neg(x)  y = Neg(t) }\n'


def cpu_seconds(args):
    pid = os.posix_spawn(args[0], [str(a) for a in args], os.environ)
    _, status, used = os.wait4(pid, 0)
    if status:
        sys.exit(f"codegen: {args[0]}: status {status}")
    return used.ru_utime + used.ru_stime


def start_up(build, folder, runs):
    text, model = folder / "small.txt", folder / "small.onnx"
    text.write_text(SMALL)
    subprocess.run([build / "onnxrw", "parse", text, "-o", model], check=True)
    lines = ["| pack | from files ms | compiled ms | ratio |", "|---|---:|---:|---:|"]
    for pack in ("auto", "bert"):
        times = {"onnxrw_stage0": [], "onnxrw": []}
        for _ in range(runs):
            for tool, got in times.items():
                got.append(cpu_seconds([build / tool, "-q", "-r", pack, "-o", folder / "out.onnx", model]))
        files, compiled = (statistics.median(t) * 1e3 for t in times.values())
        lines.append(f"| {pack} | {files:.1f} | {compiled:.1f} | {files / compiled:.1f} |")
    return lines


def matching(build, folder, layers):
    model = scale.encoder(folder, layers)
    rules = folder / "1000.rules"
    rules.write_text(scale.pack(1000))
    lines = ["| rules | label ms | bind ms | bind, each instruction dispatched twice | instructions | "
             "states worked out | dispatch, of label and bind |", "|---|---:|---:|---:|---:|---:|---:|"]
    for name, pack in (("1,000", rules), ("bert", ROOT / "rules" / "bert.rules")):
        out = subprocess.run([build / "bench" / "matching", pack, model, "10"], capture_output=True, text=True, check=True)
        label, bind, twice = map(float, re.match(r"label ([\d.]+) bind ([\d.]+) twice ([\d.]+)", out.stdout).groups())
        insns, misses = re.search(r"(\d+) instructions.*?(\d+)\s+states", out.stdout, re.S).groups()
        lines.append(f"| {name} | {label:.0f} | {bind:.0f} | {twice:.0f} | {int(insns):,} | {int(misses):,} | "
                     f"{max(0, twice - bind) / (label + bind):.0%} |")
    return lines


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", default="build", type=pathlib.Path)
    ap.add_argument("--runs", type=int, default=40)
    ap.add_argument("--layers", type=int, default=2000)
    ap.add_argument("--update", action="store_true")
    o = ap.parse_args()
    build = o.build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        start, match = start_up(build, pathlib.Path(folder), o.runs), matching(build, pathlib.Path(folder), o.layers)
    print(*start, "", *match, sep="\n")
    if o.update:
        docs.replace("codegen.md", "start", start)
        docs.replace("automaton.md", "dispatch", match)


if __name__ == "__main__":
    main()
