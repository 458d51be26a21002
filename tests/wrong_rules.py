#!/usr/bin/env python3
"""Are rules that are wrong on purpose found by `rules test`?

    wrong_rules.py --onnxrw build/onnxrw [--seed N] [NAME]...

Each file of tests/wrong/ is a pack of one rule that is wrong in a way in which rules get
wrong: an axis, an operand order, a condition that is missing; those that a comment gives
to another optimiser are what that one does, or did. Each must be found within 60 seconds,
by a counter-example that `rules test` writes. Exit status 1 when one is not found, 77
without ONNX Runtime.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, os, pathlib, re, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 60


def find(onnxrw, path, seed, keep):
    """(what was found or None, seconds, all that was printed)"""
    begin = time.monotonic()
    run = subprocess.run([onnxrw, "rules", "test", "--jobs=1", f"--seed={seed}", f"--keep={keep}", path],
                         capture_output=True, text=True, timeout=10 * SECONDS)
    text = run.stdout + run.stderr
    if "only examples were run" in text:
        print("ONNX Runtime is not installed")
        sys.exit(77)
    found = re.search(r'error: rule "(\w+)" is wrong: (.*)', run.stderr)
    kept = keep / f"{path.stem}.onnx"
    ok = run.returncode == 1 and found and found[1] == path.stem and kept.stat().st_size > 0
    return found[2] if ok else None, time.monotonic() - begin, text


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("names", nargs="*")
    o = p.parse_args()
    paths = [x for x in sorted((HERE / "wrong").glob("*.rules")) if not o.names or x.stem in o.names]
    missed = 0
    with tempfile.TemporaryDirectory() as keep:
        for path in paths:
            what, seconds, text = find(os.path.abspath(o.onnxrw), path, o.seed, pathlib.Path(keep))
            if what and seconds <= SECONDS:
                continue
            missed += 1
            print(f"{path.stem}: not found in {seconds:.1f} s\n{text}")
    print(f"{len(paths)} wrong rules, {missed} not found")
    sys.exit(1 if missed or not paths else 0)


if __name__ == "__main__":
    main()
