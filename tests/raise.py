#!/usr/bin/env python3
"""Models of the corpora raised to 17, 20, 23 and 28: valid, and the same results.

    raise.py --onnxrw build/onnxrw [--shared ../shared] [--all] [--update] [--only GLOB]

The judges are those of raise_judge.py, on the inputs stored beside each model; a model that was
not valid before need not be so after. Without --all a dozen models are taken; with it
onnx.version_converter is judged beside, and --update writes the table in docs/opsets.md. Exit 77:
the corpora, which are not part of the repository, or the packages are not there.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import concurrent.futures
import csv
import fnmatch
import multiprocessing
import pathlib
import sys
import tempfile

try:
    import onnx
    from onnx import version_converter
    import corpora
    import raise_judge as judge
    import unoptimised
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parent / "docs/opsets.md"
MARKS = ("<!-- made by tests/raise.py --all --update -->\n", "<!-- end of raise.py -->\n")
OPSETS = (17, 20, 23, 28)
FEW = 12
SECONDS = 60


def opset_of(model):
    return next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 0)


def rows(a):
    for corpus in ("corpus", "corpus-other"):
        with open(a.shared / corpus / "MANIFEST.tsv", newline="") as f:
            found = [r for r in csv.DictReader(f, delimiter="\t") if fnmatch.fnmatch(r["file"], a.only)]
        if not a.all:
            found = found[:: max(1, len(found) * 2 // FEW)]
        for r in found:
            yield a.shared / corpus / r["file"], float(r["tolerance"]), r["valid"] == "1"


def verdict(raised, feeds, want, tolerance, was_valid):
    """"equal", "valid" (the runtime lacks an operator), or what is wrong."""
    why = judge.invalid(raised)
    if why and was_valid:
        return f"invalid: {why}"
    got, why = judge.run(raised, feeds)
    if got is None:
        return "valid" if why == "lacks" or want is None else f"does not run: {why}"
    d = want and judge.differs(got, want, tolerance)
    return f"differs: {d}" if d else "equal"


def convert(path, target, opset):
    onnx.save(version_converter.convert_version(onnx.load(path), opset), target)


def converted(path, folder, opset, *how):
    """The converter may end its process, so it has one of its own."""
    target = f"{folder}/converted.onnx"
    pathlib.Path(target).unlink(missing_ok=True)
    child = multiprocessing.get_context("fork").Process(target=convert, args=(str(path), target, opset))
    child.start()
    child.join(SECONDS)
    if child.is_alive():
        child.kill()
    return "refused" if child.exitcode else verdict(onnx.load(target), *how)


def one(a, path, tolerance, was_valid):
    """[(opset, what of onnxrw, what of the converter)]"""
    model = onnx.load(path)
    feeds = unoptimised.stored_inputs(path)
    want, _ = judge.run(str(path), feeds)
    was_valid = was_valid and not judge.invalid(model)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        pack, target = f"{folder}/nothing.rules", f"{folder}/raised.onnx"
        pathlib.Path(pack).write_text('pack nothing "nothing" { }\n')
        for opset in OPSETS:
            if not 7 <= opset_of(model) < opset:
                continue
            how = feeds, want, tolerance, was_valid
            why = judge.raised(a.onnxrw, pack, str(path), target, opset)
            ours = f"refused: {why}" if why else verdict(onnx.load(target), *how)
            found.append((opset, ours, converted(path, folder, opset, *how) if a.all else None))
    return found


def table(counts):
    lines = ["| to | models | onnxrw: equal | valid, the runtime lacks an operator | refused or wrong |"
             " version_converter: equal | valid | refused or wrong |", "|---|---|---|---|---|---|---|---|"]
    for opset in OPSETS:
        cells = [str(counts[opset, who, what]) for who in ("onnxrw", "converter")
                 for what in ("equal", "valid", "wrong")]
        lines.append(f"| {opset} | {counts[opset, 'onnxrw', 'all']} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    corpora.add_argument(p)
    p.add_argument("--all", action="store_true")
    p.add_argument("--update", action="store_true")
    p.add_argument("--only", default="*")
    a = p.parse_args()
    if not (a.shared / "corpus/MANIFEST.tsv").exists():
        print(f"no corpora in {a.shared}")
        return 77
    counts, failed = collections.Counter(), 0
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        jobs = [(path, pool.submit(one, a, path, t, v)) for path, t, v in rows(a)]
        for path, job in jobs:
            for opset, ours, theirs in job.result():
                counts[opset, "onnxrw", "all"] += 1
                for who, what in (("onnxrw", ours), ("converter", theirs)):
                    counts[opset, who, what if what in ("equal", "valid") else "wrong"] += what is not None
                if ours not in ("equal", "valid"):
                    failed += 1
                    print(f"{path.name} -> {opset}: {ours}", flush=True)
    print(table(counts), end="")
    if a.all and a.update:
        text = DOCS.read_text()
        begin, end = text.index(MARKS[0]) + len(MARKS[0]), text.index(MARKS[1])
        DOCS.write_text(text[:begin] + table(counts) + text[end:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
