#!/usr/bin/env python3
"""The pages that `onnxrw rules doc` makes of the repository's packs.

usage: rules_doc.py ONNXRW
Each rule of a file is a section with its source; one with an example has two pictures, whose
arrows go between what they declare, and which differ. LayerNormalization stands in the second
picture of layer_norm alone. -o writes the same; rules of used packs are shown with --all.
SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = re.compile(r"```mermaid\nflowchart TD\n(.*?)```", re.S)
NODE = re.compile(r'^  ([inov]\d+)(?:\[".*"\]|\(\[".*"\]\)|\[/".*"/\])$')
ARROW = re.compile(r'^  ([inv]\d+)(\[/".*"/\])? -->(?:\|\w+\|)? ([no]\d+)$')


def run(onnxrw, *args):
    return subprocess.run([onnxrw, "rules", *map(str, args)], capture_output=True, text=True, check=True).stdout


def picture_faults(picture):
    declared = set()
    for line in picture.splitlines():
        if arrow := ARROW.match(line):
            declared |= {arrow[1]} if arrow[2] else set()
            if not {arrow[1], arrow[3]} <= declared:
                yield f"an arrow to or from nowhere: {line}"
        elif node := NODE.match(line):
            declared.add(node[1])
        else:
            yield f"no line of a flowchart: {line}"


def sections(page):
    parts = re.split(r"^### (\w+)\n", page, flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def page_faults(path, page):
    text = path.read_text(encoding="utf-8")
    names = re.findall(r"^rule (\w+)", text, re.M)
    found = sections(page)
    if sorted(found) != sorted(names):
        yield f"other sections than rules: {set(found) ^ set(names)}"
    for name in set(names) & set(found):
        section, pictures = found[name], PICTURE.findall(found[name])
        source = re.search(rf"^rule {name}\b.*?(?=^rule |\Z)", text, re.M | re.S)[0]
        has_example = re.search(r'^  example ("[^"]*" )?\{', source, re.M)
        if len(pictures) != (2 if has_example else 0) or (has_example and pictures[0] == pictures[1]):
            yield f"{name}: {len(pictures)} pictures, or twice the same"
        if f"```\nrule {name}" not in section or "example {" in section:
            yield f"{name}: no source, or its examples too"
        yield from (f"{name}: {fault}" for picture in pictures for fault in picture_faults(picture))


def norm_faults(page):
    before, after = PICTURE.findall(sections(page)["layer_norm"])
    if '["LayerNormalization<br/>axis = -1' not in after or "LayerNormalization" in before:
        yield "layer_norm: the pictures do not show what it does"
    if "* keepdims: `keepdims = 1` does not hold" not in page:
        yield "layer_norm: its near miss is not told"


def command_faults(onnxrw, folder):
    out = pathlib.Path(folder) / "page.md"
    bert = ROOT / "rules/bert.rules"
    run(onnxrw, "doc", bert, "-o", out)
    if out.read_text(encoding="utf-8") != run(onnxrw, "doc", bert):
        yield "-o writes something else"
    everything = sections(run(onnxrw, "doc", "--all", bert))
    listed = run(onnxrw, "list", bert).split("\n")
    if {line.split()[0] for line in listed if line.strip()} != set(everything):
        yield "--all does not show all"


def main():
    onnxrw, faults = sys.argv[1], []
    for path in sorted((ROOT / "rules").rglob("*.rules")):
        page = run(onnxrw, "doc", path)
        faults += [f"{path.name}: {fault}" for fault in page_faults(path, page)]
        faults += norm_faults(page) if path.name == "norm.rules" else []
    with tempfile.TemporaryDirectory() as folder:
        faults += command_faults(onnxrw, folder)
    print("\n".join(faults) or "every rule is shown")
    sys.exit(1 if faults else 0)


main()
