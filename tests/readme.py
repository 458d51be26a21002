#!/usr/bin/env python3
"""Does what README.md, examples/README.md and docs/tutorial.md show run as shown?

    readme.py ONNXRW

- every `build/onnxrw ...` command that the pages show on a line of its own exits with 0;
- the table in README.md is what the command of tools/try.sh prints;
- every page that they link to is there;
- every pack and rule that the pages show passes `rules check`, and `rules test` where it
  has examples.
SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGES = ["README.md", "examples/README.md", "docs/tutorial.md"]


def read(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        return f.read()


def blocks(text):
    return re.findall(r"^```\n(.*?)^```$", text, re.M | re.S)


def dead_links(page, text):
    folder = os.path.join(ROOT, os.path.dirname(page))
    links = [l for l in re.findall(r"\]\(([^)#:]+)\)", text)]
    return [f"{page}: links to {l}, which is not there" for l in links if not os.path.exists(os.path.join(folder, l))]


def run(args, cwd):
    p = subprocess.run(args, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return p.returncode, p.stdout


def place(tool, folder):
    """A folder that looks like the clone to a command: build/, examples/, my files."""
    os.makedirs(os.path.join(folder, "build"))
    os.symlink(tool, os.path.join(folder, "build", "onnxrw"))
    os.symlink(os.path.abspath(os.path.join(ROOT, "examples")), os.path.join(folder, "examples"))
    os.symlink(os.path.abspath(os.path.join(ROOT, "examples", "bert", "bert.onnx")), os.path.join(folder, "model.onnx"))


def main():
    tool, wrong, ran = os.path.abspath(sys.argv[1]), [], 0
    with tempfile.TemporaryDirectory() as tmp:
        place(tool, tmp)
        for page in PAGES:
            text = read(page)
            wrong += dead_links(page, text)
            for i, block in enumerate(b for b in blocks(text) if re.match(r"#|pack |rule ", b)):
                path = os.path.join(tmp, "my.rules")
                with open(path, "w") as f:
                    f.write(block)
                for verb in ["check"] + ["test"] * ("example {" in block):
                    code, out = run([tool, "rules", verb, path], tmp)
                    ran += 1
                    if code or verb == "check" and ": error:" in out:
                        wrong.append(f"{page}, rules {i}: rules {verb}: exit {code}\n{out}")
            for line in re.findall(r"^    (build/onnxrw .*)$", text, re.M):
                command = line.split("#")[0].replace("/tmp/", tmp + "/").split()
                code, out = run(command, tmp)
                ran += 1
                if code:
                    wrong.append(f"{page}: {line}: exit {code}\n{out}")
        with open(os.path.join(ROOT, "tools", "try.sh")) as f:
            command = f.read().strip().splitlines()[-1]
        code, out = run(command.split(), tmp)
        ran += 1
        if code or out.strip() not in [b.strip() for b in blocks(read("README.md"))]:
            wrong.append(f"README.md does not show what `{command}` prints (exit {code}):\n{out}")
    print("\n".join(wrong + [f"{ran} commands, {len(wrong)} not as shown"]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
