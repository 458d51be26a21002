#!/usr/bin/env python3
"""What docs/rules.md says is done, each with a small model: the operators that are left.

    rows.py --onnxrw build/onnxrw [--only GLOB]

tests/rows.txt has the graphs. Each is run through auto.rules; the operators of the result must be
those behind =>, and the judges of golden.py (onnx.checker in full, ONNX Runtime with all
optimisations off) must find that nothing else changed. And docs/rules.md names all rules of the
packs that it is about, and none that there is not.
Exit status 1 when one is wrong, 77 without the Python packages.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, concurrent.futures, fnmatch, functools, pathlib, re, shlex, sys, tempfile

import golden
import onnx

HERE = pathlib.Path(__file__).resolve().parent
IR = {7: 3, 9: 4, 10: 5, 15: 8, 17: 8, 18: 8}


def rows(text):
    """(name, text of the graph, arguments, operators)"""
    for part in re.split(r"^== ", text, flags=re.M)[1:]:
        name, body = part.split("\n", 1)
        body, left = re.split(r"^=>", body, maxsplit=1, flags=re.M)
        args = re.findall(r"^-- (.*)\n", body, re.M)
        opset = int((re.findall(r"<opset (\d+)>", body) or [17])[0])
        graph = re.sub(r"^-- .*\n|<opset \d+>", "", body, flags=re.M)
        head = f'<ir_version: {IR[opset]}, opset_import: ["" : {opset}]>\ng '
        yield name, head + graph, shlex.split(" ".join(args)), left.split("\n", 1)[0].split()


def test(a, row):
    name, graph, args, wanted = row
    with tempfile.TemporaryDirectory() as folder:
        text, before, after = (pathlib.Path(folder) / f for f in ("in.txt", "in.onnx", "out.onnx"))
        text.write_text(graph)
        try:
            golden.onnxrw(a, "parse", text, "-o", before)
            golden.onnxrw(a, "-r", golden.RULES / "auto.rules", "--target", "onnx", *args, "-o", after, before)
            first, second = onnx.load(before), onnx.load(after)
            left = sorted(n.op_type for n in second.graph.node if n.op_type != "Constant")
            if left != sorted(wanted):
                return f"{name}: left are {' '.join(left)}, not {' '.join(wanted)}"
            golden.judge(first, second, {"approx"} if args else {"float"})
        except golden.Wrong as e:
            return f"{name}: {e}"


# Packs of which docs/rules.md names every rule.
WHOLE = ("cleanup", "parts", "expand", "shapes", "einsum", "views", "image", "arith", "conv", "conv_activation",
         "final")


def documented():
    """What is wrong with the names in docs/rules.md."""
    docs, lib = HERE.parent / "docs", golden.RULES / "lib"
    told = set(re.findall(r"`(\w+)`", (docs / "rules.md").read_text()))
    rules = {p.stem: set(re.findall(r"^rule (\w+)", p.read_text(), re.M)) for p in lib.glob("*.rules")}
    known = set().union(*rules.values(), re.findall(r"`(\w+)`", (docs / "passes.md").read_text()))
    named = {name for name in told if "_" in name or name in known}
    yield from (f"docs/rules.md: there is no {name}" for name in sorted(named - known))
    for pack in WHOLE:
        yield from (f"docs/rules.md does not name {name} [{pack}]" for name in sorted(rules[pack] - told))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    p.add_argument("--only", default="*")
    a = p.parse_args()
    all_rows = [r for r in rows((HERE / "rows.txt").read_text()) if fnmatch.fnmatch(r[0], a.only)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [*documented()] + [said for said in pool.map(functools.partial(test, a), all_rows) if said]
    print("\n".join(wrong + [f"{len(all_rows)} rows, {len(wrong)} wrong"]))
    return 1 if wrong or not all_rows else 0


if __name__ == "__main__":
    sys.exit(main())
