#!/usr/bin/env python3
"""Whole-process time and peak memory of onnxrw beside cp and a plain protobuf-c program.

    whole_process.py --build build [--runs 15] [--model MODEL.onnx] [--folder DIR]

Makes a BERT of 436 MB from its configuration (make_bert.py; LayerNormalization written
out) unless a model is given. The commands run in turn, A B C D A B C D ..., outputs on
the same file system; a ratio is taken within each turn, and the median is printed:

    cp          cp --reflink=never
    protobuf-c  unpack, pack and write (bench/protobuf_roundtrip.c)
    onnxrw      -r bert.rules, weights copied
    share       -r bert.rules --weights=share

Peak memory is the high-water mark of the resident set as the kernel keeps it (VmHWM),
polled until the process ends. Exit status 1 when a run fails or its output is missing;
this program judges nothing else.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def peak_mb(pid):
    try:
        with open(f"/proc/{pid}/status") as f:
            return next((int(line.split()[1]) / 1024 for line in f if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


def run(cmd, out):
    """Seconds of one run; the output is removed before and must be there after."""
    if os.path.exists(out):
        os.unlink(out)
    start = time.perf_counter()
    done = subprocess.run(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - start
    if done.returncode or not os.path.exists(out):
        sys.exit(f"whole_process: {' '.join(cmd)}: exit {done.returncode}: {done.stderr}")
    return seconds


def measure_peak(cmd, out):
    """Peak resident set in MB of a run of its own (polling would disturb a timed one)."""
    if os.path.exists(out):
        os.unlink(out)
    p, peak = subprocess.Popen(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL), 0
    while p.poll() is None:
        peak = max(peak, peak_mb(p.pid))
    return peak


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--build", default="build")
    ap.add_argument("--runs", type=int, default=15)
    ap.add_argument("--model")
    ap.add_argument("--folder", help="where model and outputs go (default: a temporary folder)")
    a = ap.parse_args()
    with tempfile.TemporaryDirectory(dir=a.folder) as folder:
        model = os.path.abspath(a.model) if a.model else os.path.join(folder, "bert.onnx")
        if not a.model:
            subprocess.run([sys.executable, os.path.join(HERE, "make_bert.py"), model], check=True)
        # share refers to weights beside its output, so every output lies beside the model
        out = lambda name: os.path.join(os.path.dirname(model), f".bench-{name}.onnx")
        tool = os.path.join(a.build, "onnxrw")
        trip = os.path.join(a.build, "bench", "protobuf_roundtrip")
        commands = {
            "cp": ["cp", "--reflink=never", model, out("cp")],
            "protobuf-c": [trip, model, out("protobuf-c")],
            "onnxrw": [tool, "-q", "-r", "bert.rules", "-o", out("onnxrw"), model],
            "share": [tool, "-q", "-r", "bert.rules", "--weights=share", "-o", out("share"), model],
        }
        try:
            for name, cmd in commands.items():
                run(cmd, out(name))
            turns = [{name: run(cmd, out(name)) for name, cmd in commands.items()} for _ in range(a.runs)]
            print(f"{os.path.getsize(model) / 1e6:.0f} MB model, {a.runs} interleaved turns, "
                  "medians (smallest to largest)")
            print(f"{'':<12}{'seconds':>24}{'ratio to cp':>24}{'beyond cp, ms':>16}{'peak MB':>10}")
            for name, cmd in commands.items():
                secs = sorted(t[name] for t in turns)
                ratio = sorted(t[name] / t["cp"] for t in turns)
                beyond = statistics.median(t[name] - t["cp"] for t in turns) * 1000
                med = statistics.median
                print(f"{name:<12}{f'{med(secs):.3f} ({secs[0]:.3f}-{secs[-1]:.3f})':>24}"
                      f"{f'{med(ratio):.2f} ({ratio[0]:.2f}-{ratio[-1]:.2f})':>24}{beyond:>16.0f}"
                      f"{measure_peak(cmd, out(name)):>10.1f}")
        finally:
            for name in commands:
                if os.path.exists(out(name)):
                    os.unlink(out(name))


if __name__ == "__main__":
    main()
