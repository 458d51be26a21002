#!/usr/bin/env python3
"""Is every LayerNormalization and every Gelu of the BERT family fused?

    coverage.py --onnxrw build/onnxrw [--update]

What a model must have follows from its architecture and configuration alone (ARCHITECTURE
below), never from what a matcher finds. Runs bert.rules for both targets over every file
of those architectures in tests/models, and in ../shared/corpus where that is there, and
compares with docs/coverage.md; --update writes that page (only where the corpus is there).
Exit status 1 when something is not fused, or the page is not current.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import os
import subprocess
import sys
import tempfile

import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "docs", "coverage.md")
FOLDERS = [os.path.join(HERE, "models"), os.path.join(HERE, "..", "..", "shared", "corpus")]
LAYERS = 2  # of every model here
# architecture: norms in front of the layers, norms a layer, activations a layer
ARCHITECTURE = {
    "bert": (1, 2, 1),        # embeddings; attention and output of a layer; intermediate
    "roberta": (1, 2, 1),
    "distilbert": (1, 2, 1),  # embeddings; sa_layer_norm, output_layer_norm; ffn
    "albert": (1, 2, 1),      # embeddings; attention, full_layer_layer_norm; ffn, weights shared
}
NORMS = ("LayerNormalization", "SkipLayerNormalization", "EmbedLayerNormalization")
GELUS = ("Gelu", "FastGelu", "BiasGelu", "QuickGelu")


def expected(name):
    before, norms, gelus = ARCHITECTURE[name.split("-")[0].split("__")[0]]
    return before + LAYERS * norms, LAYERS * gelus


def found(tool, model, target, out):
    subprocess.run([tool, "-q", "-r", "bert.rules", "--target", target, "-o", out, model], check=True)
    ops = collections.Counter(n.op_type for n in onnx.load(out, load_external_data=False).graph.node)
    return sum(ops[o] for o in NORMS), sum(ops[o] for o in GELUS)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--onnxrw", required=True)
    ap.add_argument("--update", action="store_true")
    a = ap.parse_args()
    files = {}
    for folder in FOLDERS:
        for f in os.listdir(folder) if os.path.isdir(folder) else []:
            if f.endswith(".onnx") and f.split("-")[0].split("__")[0] in ARCHITECTURE and "-tr-" not in f and "__tr-" not in f:
                files.setdefault(f, os.path.join(folder, f))
    lines, missing = [], 0
    with tempfile.TemporaryDirectory() as tmp:
        for f in sorted(files):
            want = expected(f)
            got = [found(a.onnxrw, files[f], t, os.path.join(tmp, f)) for t in ("ort", "onnx")]
            missing += sum(g != want for g in got)
            lines.append(f"| {f[:-5]} | {want[0]} | {got[0][0]} | {got[1][0]} | {want[1]} | {got[0][1]} | {got[1][1]} |\n")
            if any(g != want for g in got):
                print(f"{f}: {want} expected, {got} found")
    page = ("# What is fused in the BERT family\n\n"
            "Made by `tests/coverage.py --update`. Expected numbers follow from the architecture and its\n"
            "configuration (norms in front of the layers, plus layers times norms a layer; layers times\n"
            "activations a layer), found ones are counted in the written models: LayerNormalization and\n"
            "SkipLayerNormalization, EmbedLayerNormalization; Gelu, FastGelu and BiasGelu.\n\n"
            "| file | norms expected | `--target ort` | `--target onnx` | gelus expected | `--target ort` | `--target onnx` |\n"
            "|---|---|---|---|---|---|---|\n" + "".join(lines))
    if a.update:
        with open(PAGE, "w") as f:
            f.write(page)
    elif os.path.exists(PAGE):
        with open(PAGE) as f:
            have = f.read().splitlines(True)
        stale = [l for l in lines if l not in have]
        if stale:
            print("docs/coverage.md is not current:\n" + "".join(stale))
            missing += 1
    print(f"{len(files)} models, {missing} with something missing")
    sys.exit(1 if missing or not files else 0)


if __name__ == "__main__":
    main()
