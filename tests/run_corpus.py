#!/usr/bin/env python3
"""Real models and fault cases, judged by tools that share no code with onnxrw.

    run_corpus.py --onnxrw build/onnxrw [--shared ../shared] [--only GLOB] [--update]

The corpora are not part of the repository: where the folder is missing, the test is skipped
(exit 77). Each line of expected_failures.txt, `SUITE CASE`, is a case that fails today; any
other failure is one, and so is a listed case that passes: the list may only shrink.
--update rewrites it from this run. With --only, the rest of the list is not judged.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, concurrent.futures, csv, fnmatch, os, pathlib, subprocess, sys, tempfile

import corpora

HERE = pathlib.Path(__file__).resolve().parent
LIST = HERE / "expected_failures.txt"
HEAD = "# Cases of run_corpus.py that fail; the list may only shrink.\n"
RUNS = [(corpus, packs, target, opset) for corpus in ("corpus", "corpus-other")
        for packs, target, opset in (("auto", "ort", None), ("auto", "onnx", 23), ("bert", "ort", None),
                                     ("bert", "onnx", None))]


def command(a, opset, folder):
    """onnxrw as score.py can call it: a raise is an option that it does not have."""
    if not opset:
        return a.onnxrw
    path = pathlib.Path(folder) / "onnxrw"
    path.write_text(f'#!/bin/sh\nexec "{os.path.abspath(a.onnxrw)}" "$@" --opset {opset}\n')
    path.chmod(0o755)
    return path


def score(a, run):
    """{case: problem} of one corpus, pack and target."""
    corpus, packs, target, opset = run
    with tempfile.NamedTemporaryFile(suffix=".tsv") as tsv, tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, a.shared / "tools/score.py", "--onnxrw", command(a, opset, folder), "--corpus", a.shared / corpus,
             "--packs", packs, "--target", target, "--only", a.only, "--tsv", tsv.name],
            capture_output=True, text=True)
        last = (done.stdout.strip() or done.stderr.strip()).splitlines()[-1]
        print(f"{corpus} {packs} {target}{opset or ''}: {last}", flush=True)
        with open(tsv.name, newline="") as f:
            rows = list(csv.DictReader(f, delimiter="\t"))
    suite = f"{corpus}/{packs}/{target}{opset or ''}"
    if not rows and "no model" not in last:
        return {f"{suite} *": last}
    return {f"{suite} {r['file'][:-5]}": r["problem"] for r in rows if r["problem"]}


def bugs(a):
    done = subprocess.run([sys.executable, a.shared / "tools/bugs.py", "--onnxrw", a.onnxrw],
                          capture_output=True, text=True)
    lines = done.stdout.strip().splitlines() or [done.stderr.strip()]
    print(f"bugs: {lines[-1]}", flush=True)
    return {f"bugs {line.split()[0]}": line[45:].strip() for line in lines[:-1]
            if fnmatch.fnmatch(line.split()[0], a.only)}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    corpora.add_argument(p)
    p.add_argument("--only", default="*")
    p.add_argument("--update", action="store_true")
    a = p.parse_args()
    if not (a.shared / "tools/score.py").exists():
        print(f"no corpora in {a.shared}")
        return 77
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        parts = [pool.submit(score, a, r) for r in RUNS] + [pool.submit(bugs, a)]
        found = {k: v for part in parts for k, v in part.result().items()}
    listed = {line.strip() for line in LIST.read_text().splitlines() if line and line[0] != "#"}
    if a.only != "*":
        listed = {x for x in listed if fnmatch.fnmatch(x.split()[1], a.only)}
    if a.update:
        LIST.write_text(HEAD + "".join(f"{x}\n" for x in sorted(found)))
    for case in sorted(set(found) - listed):
        print(f"fails: {case}: {found[case]}")
    for case in sorted(listed - set(found)):
        print(f"passes, so take it off the list: {case}")
    return 0 if a.update or set(found) == listed else 1


if __name__ == "__main__":
    sys.exit(main())
