#!/usr/bin/env python3
"""Does `rules test` tell which conditions turn matches down, and which never do?

    conditions_seen.py --onnxrw build/onnxrw

A condition that others in front of it imply is named; so is one that fails only where one in
front of it does. One that chooses between two matches of the same nodes is none of them, and
one that a rule asks behind a maker is counted like any other.
Exit status 1 when one fails, 77 without ONNX Runtime.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, pathlib, re, subprocess, sys, tempfile

HEAD = 'pack seen { opset ai.onnx >= 13 }\n'
IMPLIED = HEAD + """
rule implied: Neg(Neg(x)) => x { where { rank(x) == 2; rank(x) >= 1 } }
"""
TOGETHER = HEAD + """
rule together: Neg(Neg(x)) => x { where { rank(x) == 2; dim(x, 1) == dim(x, 1) || rank(x) != 2 } }
"""
GOOD = HEAD + """
rule one_order: Mul(x, const z) => x { where { rank(z) == 0; value(z) == 1; rank(x) > 0 } class exact }
"""
BEHIND = HEAD + """
operator _twice(x) = Neg(Neg(x))
phase make { make }
phase take { take }
rule make { match { y = Neg(Neg(x)) } emit { y = _twice(x) } }
rule take { match { y = _twice(x) } where { rank(x) >= 1; rank(x) >= 0; dim(x, 0) > 2 } emit { y = Identity(x) } }
"""
WARNED = re.compile(r":(\d+):(\d+): warning: condition turned a match down (\d+) times")


def run(onnxrw, folder, text):
    path = folder / "seen.rules"
    path.write_text(text)
    done = subprocess.run([onnxrw, "rules", "test", "-v", "--count=40", "--jobs=1", str(path)],
                          capture_output=True, text=True)
    if "only examples were run" in done.stderr:
        print("ONNX Runtime is not installed")
        sys.exit(77)
    lines = text.split("\n")
    warned = [lines[int(row) - 1][int(column) - 1:].split(";")[0].split("}")[0].strip()
              for row, column, _ in WARNED.findall(done.stderr)]
    counts = {what.strip(): int(false) + int(unknown) for false, unknown, what in
              re.findall(r"^ +(\d+) false, (\d+) unknown: (.*)$", done.stdout, re.M)}
    return warned, counts, done.stdout + done.stderr


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    o = p.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        for text, never in ((IMPLIED, ["rank(x) >= 1"]),
                            (TOGETHER, ["dim(x, 1) == dim(x, 1) || rank(x) != 2"]),
                            (GOOD, []), (BEHIND, ["rank(x) >= 0"])):
            warned, counts, said = run(o.onnxrw, pathlib.Path(name), text)
            rare = [what for what, n in counts.items() if n < 5]
            if warned != never or rare != never or len(counts) == len(never):
                print(f"warned of {warned}, counted {counts}, wanted {never}\n{text}{said}")
                wrong += 1
    print(f"{wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
