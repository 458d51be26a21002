#!/usr/bin/env python3
"""Exact output of the onnxrw command.

    run.py --onnxrw build/onnxrw [--update] [CASE.txt]...

A case is a text file beside this one, made of sections that start with `===`:

    Words about the case.
    === file a.txt        the lines up to the next section go into that file
    === run onnxrw parse a.txt -o a.onnx
    === exit 2            of that run; left out for 0
    === stdout            of that run; left out when empty
    === stderr

Runs take place in a folder of their own, one after the other, with the shell; `onnxrw` is
the build, $MODELS the folder tests/models, $PYTHON what runs this. Times and sizes of memory are shown as N.
A case whose first line says "(needs PACKAGE)" is left out where that Python package is not
installed. --update writes what came out into the cases. Exit status 1 when a case differs.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, difflib, importlib.util, os, pathlib, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent


def sections(text):
    """[(head, lines)]; the first head is empty: the words about the case."""
    out = [("", [])]
    for line in text.splitlines():
        if line.startswith("=== "):
            out.append((line[4:], []))
        else:
            out[-1][1].append(line)
    return out


def normal(text, folder):
    text = text.replace(str(folder), "TMP").replace(str(HERE.parent / "models"), "MODELS")
    text = text.replace(str(HERE.parent.parent), "SOURCE")
    text = re.sub(r'"/[^"]*/share/onnxrw/rules"', '"INSTALLED"', text)
    text = re.sub(r" +\d+\.\d ms", " N ms", text)
    return re.sub(r"\d+\.\d MiB", "N MiB", text)


def run(command, folder, env):
    done = subprocess.run(command, shell=True, cwd=folder, env=env, capture_output=True, timeout=60,
                          executable="/bin/bash", stdin=subprocess.DEVNULL)
    out = [f"=== run {command}"]
    if done.returncode:
        out.append(f"=== exit {done.returncode}")
    for name, data in (("stdout", done.stdout), ("stderr", done.stderr)):
        if data:
            text = normal(data.decode("utf-8", "backslashreplace"), folder)
            out += [f"=== {name}", text if text.endswith("\n") else text + "\n\\ no newline\n"]
            out[-1] = out[-1][:-1]
    return out


def actual(text, env):
    """The case with what comes out now in place of what is expected."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        for head, lines in sections(text):
            word, _, rest = head.partition(" ")
            if word == "run":
                out += run(rest, folder, env)
                continue
            if word in ("exit", "stdout", "stderr"):
                continue
            out += ([f"=== {head}"] if head else []) + lines
            if word == "file":
                path = pathlib.Path(folder) / rest
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("".join(line + "\n" for line in lines))
    return "\n".join(out) + "\n"


def can_run(text):
    needs = re.search(r"\(needs (\w+)\)", text.partition("\n")[0])
    return not needs or importlib.util.find_spec(needs[1]) is not None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    p.add_argument("--update", action="store_true")
    p.add_argument("cases", nargs="*")
    a = p.parse_args()
    env = dict(os.environ, MODELS=str(HERE.parent / "models"), LC_ALL="C", PYTHON=sys.executable,
               PATH=f"{pathlib.Path(a.onnxrw).resolve().parent}:{os.environ['PATH']}")
    env.pop("ONNXRW_RULES", None)
    cases = [pathlib.Path(c) for c in a.cases] or sorted(HERE.glob("*.txt"))
    wrong = 0
    for case in cases:
        wanted = case.read_text()
        if not can_run(wanted):
            print(f"{case.name} left out")
            continue
        got = actual(wanted, env)
        if got == wanted:
            continue
        wrong += 1
        sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), got.splitlines(True),
                                                   f"{case.name} wanted", f"{case.name} got"))
        if a.update:
            case.write_text(got)
    print(f"{len(cases)} cases, {wrong} {'updated' if a.update else 'wrong'}")
    return 1 if wrong and not a.update else 0


if __name__ == "__main__":
    sys.exit(main())
