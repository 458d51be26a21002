#!/usr/bin/env python3
"""Packs of families leave as few nodes as auto.rules on the models of their family.

    family_packs.py --onnxrw build/onnxrw [--shared FOLDER] [--every N]

Over the models of this repository, and each Nth of the corpora where they are there, for two targets.
Whether results are right is for others to judge.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, functools, pathlib, re, subprocess, sys
import corpora

HERE = pathlib.Path(__file__).resolve().parent
FAMILIES = {"bert": "bert", "vit": "vit", "clip": "vit", "swin": "vit", "t5": "t5", "bart-whisper": "whisper", "gpt2": "gpt2",
            "llama": "llama"}  # pack -> part of a name


@functools.cache
def nodes_left(onnxrw, pack, target, model):
    done = subprocess.run([onnxrw, "--dry-run", "-r", f"{pack}.rules", "--target", target, model],
                          capture_output=True, text=True)
    found = re.search(r"(\d+) nodes(?:, now (\d+))?", done.stdout + done.stderr)
    if done.returncode or not found:
        sys.exit(f"{model}: {pack}: {done.stderr}")
    return int(found[2] or found[1])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    p.add_argument("--every", type=int, default=5)
    corpora.add_argument(p)
    a = p.parse_args()
    own = sorted((HERE / "models").glob("*.onnx"))
    others = sorted(m for f in ("corpus", "corpus-other") for m in (a.shared / f).glob("*.onnx"))
    compared = worse = 0
    for pack, part in FAMILIES.items():
        for model in [m for m in own if part in m.name] + [m for m in others if part in m.name][:: a.every]:
            for target in ("ort", "onnx"):
                mine, least = (nodes_left(a.onnxrw, k, target, model) for k in (pack, "auto"))
                compared += 1
                if mine > least:
                    worse += 1
                    print(f"{model.name} for {target}: {mine} nodes by {pack}, {least} by auto")
    print(f"{compared} compared, {worse} worse")
    return compared == 0 or worse > 0


if __name__ == "__main__":
    sys.exit(main())
