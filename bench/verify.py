#!/usr/bin/env python3
"""What --verify costs on a BERT of 436 MB.

    verify.py --build build [--runs 5] [--model MODEL.onnx] [--folder DIR] [--limit 5]

Runs `onnxrw -r bert.rules` with --verify=structure, rewrites and model in turn, results not
written (--dry-run), and prints the median time and what was verified. Exit status 1 when
--verify=rewrites takes longer than --limit seconds or finds anything wrong or unchecked.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MODES = ("structure", "rewrites", "model")


def run(build, mode, model):
    """Seconds, and the line that says what was verified."""
    start = time.perf_counter()
    done = subprocess.run([f"{build}/onnxrw", "-r", "bert.rules", f"--verify={mode}", "--dry-run", model],
                          capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"verify: --verify={mode}: exit {done.returncode}: {done.stderr}")
    said = re.search(r"verified by (.*)", done.stdout)
    return seconds, said.group(1) if said else ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--build", default="build")
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("--model")
    p.add_argument("--folder", default=tempfile.gettempdir())
    p.add_argument("--limit", type=float, default=5)
    a = p.parse_args()
    with tempfile.TemporaryDirectory(dir=a.folder) as folder:
        model = a.model or os.path.join(folder, "bert.onnx")
        if not a.model:
            subprocess.run([sys.executable, f"{HERE}/make_bert.py", model], check=True)
        times, said = {m: [] for m in MODES}, {}
        for _ in range(a.runs):
            for mode in MODES:
                seconds, said[mode] = run(a.build, mode, model)
                times[mode].append(seconds)
    for mode in MODES:
        print(f"{mode:10} {statistics.median(times[mode]):7.2f} s  {said[mode]}")
    clean = re.search(r"\b0 wrong, 0 unchecked", said["rewrites"])
    sys.exit(0 if clean and statistics.median(times["rewrites"]) <= a.limit else 1)


if __name__ == "__main__":
    main()
