#!/usr/bin/env python3
"""Are the packs of the repository free of findings, and is each id explained?

usage: rules_check.py ONNXRW
`rules check` must have nothing to say of rules/; docs/diagnostics.md must have a section for
each id, with the title that `rules explain` prints; each must be seen in a golden text.
SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def run(onnxrw, *args):
    return subprocess.run([onnxrw, "rules", *args], capture_output=True, text=True)


def packs(onnxrw):
    for path in sorted((ROOT / "rules").rglob("*.rules")):
        done = run(onnxrw, "check", str(path))
        if done.returncode or done.stderr:
            yield f"{path.name}: {done.stderr}"


def ids(onnxrw):
    page = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    known = re.findall(r"^DIAG_ID\((\d+), ", (ROOT / "base" / "diag_ids.def").read_text("utf-8"), re.M)
    seen = "".join(p.read_text("utf-8") for d in ("diag", "lint") for p in (HERE / d).glob("*.txt"))
    for number in map(int, known):
        word = f"R{number:03}"
        title = run(onnxrw, "explain", word).stdout.split("\n")[0]
        if f"\n## {title}\n" not in page:
            yield f"docs/diagnostics.md has no section \"{title}\""
        if f"[{word}]" not in seen:
            yield f"no golden text has {word}"
    sections = re.findall(r"^## R(\d+)", page, re.M)
    if sections != [f"{int(n):03}" for n in known]:
        yield "docs/diagnostics.md has other sections than there are ids"


def main():
    wrong = [*packs(sys.argv[1]), *ids(sys.argv[1])]
    print("\n".join(wrong) or "no findings")
    sys.exit(1 if wrong else 0)


main()
