#!/usr/bin/env python3
"""The matcher with labels, without them and the brute-force matcher find the same matches.

    match_levels.py MATCH [--most N] [--packs NAME,...] [--plugin LIBRARY] [MODEL or FOLDER]...

MATCH (tests/tools/match.c) compares them at each node before and after a run of a pack, and
after each rewrite. The packs are those of the golden cases over their own models, and the
packs of rules/ over all of them; with models, the packs over those. The brute-force matcher
is asked in graphs of up to N nodes. Packs of LIBRARY are run as they were compiled there, and
must find what their files find. Exit status 1 when anything differs.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, pathlib, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent
RULES = HERE.parent / "rules"
GOLDEN = HERE / "golden"


def pack_of(case):
    for folder in (case, case.parent):
        if (folder / "pack.rules").exists():
            return folder / "pack.rules"
    name = case.relative_to(GOLDEN).parts[0] + ".rules"
    return RULES / "lib" / name if (RULES / "lib" / name).exists() else RULES / name


def golden_tasks(packs):
    cases = sorted(p.parent for p in GOLDEN.rglob("in.txt"))
    tasks = [(pack_of(case), case / "in.txt") for case in cases]
    return tasks + [(pack, case / "in.txt") for pack in packs for case in cases[::7]]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("match")
    p.add_argument("--most", type=int, default=60)
    p.add_argument("--plugin")
    p.add_argument("--packs", default="auto.rules,bert.rules")
    p.add_argument("models", nargs="*", type=pathlib.Path)
    o = p.parse_args()
    packs = o.packs.split(",")
    models = [m for x in o.models for m in (sorted(x.glob("*.onnx")) if x.is_dir() else [x])]
    tasks = [(pack, m) for pack in packs for m in models] if models else golden_tasks(packs)
    text = "".join(f"{pack}\t{model}\n" for pack, model in tasks)
    plugin = [o.plugin] if o.plugin else []
    done = subprocess.run([o.match, RULES, str(o.most), *plugin], input=text, capture_output=True, text=True)
    print(done.stdout + done.stderr, end="")
    sys.exit(done.returncode != 0)


if __name__ == "__main__":
    main()
