#!/usr/bin/env python3
"""Are the packs of the repository free of findings, and is each id explained?

usage: rules_check.py ONNXRW
`rules check` must have nothing to say of rules/; examples and near misses must come out right in the pack of
the family too, where other rules go on with what one gives; a run says the most important of a pack;
docs/diagnostics.md must have a section for each id, with the title that `rules explain` prints;
each must be seen in a golden text. docs/rules.md must name the rules and passes that there are,
and all rules of the packs that it is about.
SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def run(onnxrw, *args):
    return subprocess.run([onnxrw, "rules", *args], capture_output=True, text=True)


def packs(onnxrw):
    for path in sorted((ROOT / "rules").rglob("*.rules")):
        done = run(onnxrw, "check", str(path))
        if done.returncode or done.stderr:
            yield f"{path.name}: {done.stderr}"
    for path in sorted((ROOT / "rules").glob("*.rules")):
        done = run(onnxrw, "test", "--count", "0", str(path))
        if done.returncode:
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


MODEL = '<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Exp (x) }'
RULES = """
rule any: Exp(x) => Tanh(x)
rule special: Exp(x) => Sin(x) { where { rank(x) == 2 } }
rule one: Sub(x, Relu(y)) => Add(x, y)
rule nothing: Relu(x) => x { where { rank(x) == 2; rank(x) >= 3 } }
rule guarded: Log(x) => Sin(x) { where { rank(x) == 2 } }
rule m { match { m = Relu(x) | c  y = Max(m, x, c) } where { const m } emit { y = x } }
"""


def brief(onnxrw):
    """A run says what matters of a pack from a file, and nothing of one that has no faults."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "m.txt").write_text(MODEL)
        subprocess.run([onnxrw, "parse", folder / "m.txt", "-o", folder / "m.onnx"], check=True)

        def told(rules, *args):
            (folder / "p.rules").write_text(rules)
            done = subprocess.run([onnxrw, *args, "-r", folder / "p.rules", "-o", folder / "o.onnx", folder / "m.onnx"],
                                  capture_output=True, text=True)
            return done.returncode, re.findall(r"^.*(?:warning|error|help): .*$", done.stderr.replace(name + "/", ""), re.M)
        said = told(RULES)
        wanted = (0, ['p.rules:5:52: warning: "nothing" can never match: this contradicts what is said before [R001]',
                      'p.rules:3:6: warning: "special" is never applied: "any" matches wherever it does [R011]',
                      'help: "onnxrw rules check p.rules" says more, 1 other finding among it'])
        if said != wanted:
            yield f"a run says {said} of a pack"
        if told(RULES, "-q") != (0, []):
            yield "a run says something in spite of -q"
        if told("rule any: Exp(x) => Tanh(x)\n") != (0, []):
            yield "a run says something of a pack without faults"
        code = told(RULES.replace("rule m {", "rule m { # allow R003\n"))[1][-1]
        if code != 'help: "onnxrw rules check p.rules" says more':
            yield f"what is allowed is counted: {code}"


def rule_names(paths):
    return {n for p in paths for n in re.findall(r"^rule (\w+)", p.read_text("utf-8"), re.M)}


def table():
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    passes = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "passes.md").read_text("utf-8"), re.M)
    named = set(re.findall(r"`(\w+)`", page))
    for name in sorted(named - rule_names((ROOT / "rules").rglob("*.rules")) - set(passes)):
        yield f"docs/rules.md names \"{name}\", which is no rule and no pass"
    about = [ROOT / "rules" / "lib" / f"{p}.rules" for p in set(re.findall(r"\[(\w+)\](?!\()", page))]
    for name in sorted(rule_names(about) - named):
        yield f"docs/rules.md does not name rule \"{name}\""


def main():
    wrong = [*packs(sys.argv[1]), *ids(sys.argv[1]), *brief(sys.argv[1]), *table()]
    print("\n".join(wrong) or "no findings")
    sys.exit(1 if wrong else 0)


main()
