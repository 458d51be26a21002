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

from processes import most_mb, run, spread

HERE = os.path.dirname(os.path.abspath(__file__))


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
                secs, ratio = [t[name] for t in turns], [t[name] / t["cp"] for t in turns]
                beyond = statistics.median(t[name] - t["cp"] for t in turns) * 1000
                print(f"{name:<12}{spread(secs, 3):>24}{spread(ratio):>24}{beyond:>16.0f}"
                      f"{most_mb(cmd, out(name), 'VmHWM'):>10.1f}")
        finally:
            for name in commands:
                if os.path.exists(out(name)):
                    os.unlink(out(name))


if __name__ == "__main__":
    main()
