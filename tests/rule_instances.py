#!/usr/bin/env python3
"""Do all rules of all packs pass on graphs generated from their own patterns?

    rule_instances.py --onnxrw build/onnxrw [--seed N] [--count N]

Of each rule of rules/ at least N (200) generated graphs must have been compared in ONNX
Runtime, and each alternative, operand order, block of emit and both sides of each
condition must have been seen.
Exit status 1 when one fails, 77 without ONNX Runtime.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, pathlib, re, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINE = re.compile(r"^(ok|FAIL|none) +(\w+) +(\d+) compared", re.M)


def check(onnxrw, path, count, seed):
    """(rules tried, what is wrong)"""
    command = [onnxrw, "rules", "test", f"--count={count}", f"--seed={seed}", str(path)]
    run = subprocess.run(command, capture_output=True, text=True)
    if "only examples were run" in run.stderr:
        print("ONNX Runtime is not installed")
        sys.exit(77)
    rules = LINE.findall(run.stdout)
    few = [name for how, name, compared in rules if how != "ok" or int(compared) < count]
    scarce = re.search(r"(\d+) alternatives or sides of conditions hardly seen", run.stdout)
    bad = run.returncode != 0 or few or (rules and (not scarce or scarce[1] != "0"))
    return len(rules), run.stdout + run.stderr if bad else ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--count", type=int, default=200)
    o = p.parse_args()
    rules = wrong = 0
    for path in sorted((ROOT / "rules").glob("**/*.rules")):
        n, text = check(o.onnxrw, path, o.count, o.seed)
        rules += n
        wrong += bool(text)
        print(text, end="")
    print(f"{rules} rules, {wrong} packs with something wrong")
    sys.exit(1 if wrong or not rules else 0)


if __name__ == "__main__":
    main()
