#!/usr/bin/env python3
"""Do the folders depend one way, and only through public headers?

cli -> api -> lint -> judge, codegen -> matcher -> dsl, ir -> base; cli -> capture -> ir. A folder reads of another one only the
headers that its public header names: `ir/ir.h` and what that includes, `dsl/dsl.h` and
`dsl/rule.h`, `matcher/matcher.h`. dsl knows of ir only operator schemas, parameters, the
types they are made of, and the names of passes; codegen describes the compiled form of rules,
which is the matcher's own. Prints each include that breaks this and exits with 1.
SPDX-License-Identifier: Apache-2.0
"""
import glob
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
MAY = {
    "base": set(),
    "ir": {"base"},
    "dsl": {"base", "ir"},
    "matcher": {"base", "ir", "dsl", "include"},
    "codegen": {"base", "ir", "dsl", "matcher"},
    "capture": {"base", "ir"},
    "judge": {"base", "ir", "dsl", "matcher"},
    "lint": {"base", "ir", "dsl", "matcher", "judge"},
    "api": {"base", "ir", "dsl", "matcher", "judge", "lint", "codegen", "include"},
    "cli": {"base", "ir", "dsl", "matcher", "judge", "lint", "codegen", "capture", "api", "include"},
}
DSL_SEES = {"ir/schema.h", "ir/param.h", "ir/type.h", "ir/attr.h", "ir/pass.h"}
CODEGEN_SEES = {"matcher/auto.h", "matcher/insn.def"}
INCLUDE = re.compile(r'^#include "([a-z_]+)/([^"]+)"', re.M)


def includes(path):
    with open(path, encoding="utf-8") as f:
        return [f"{folder}/{name}" for folder, name in INCLUDE.findall(f.read())]


def public(folder):
    head = os.path.join(ROOT, folder, folder + ".h")
    if folder == "base" or not os.path.exists(head):
        return None  # everything
    return {f"{folder}/{folder}.h", *(i for i in includes(head) if i.startswith(folder + "/"))}


def main():
    wrong, files = [], 0
    for folder, may in MAY.items():
        for path in sorted(glob.glob(os.path.join(ROOT, folder, "**", "*.[chly]"), recursive=True)):
            files += 1
            for name in includes(path):
                other = name.split("/")[0]
                where = os.path.relpath(path, ROOT)
                if other == folder or other not in MAY and other != "include":
                    continue
                if folder == "codegen" and name in CODEGEN_SEES:
                    continue
                if other not in may:
                    wrong.append(f"{where}: includes {name}, but {folder} may not know {other}")
                elif public(other) is not None and name not in public(other):
                    wrong.append(f"{where}: includes {name}, which is private to {other}")
                elif folder == "dsl" and other == "ir" and name not in DSL_SEES:
                    wrong.append(f"{where}: includes {name}, but dsl knows only schemas and types")
    print("\n".join(wrong + [f"{files} files, {len(wrong)} wrong includes"]))
    sys.exit(1 if wrong or not files else 0)


if __name__ == "__main__":
    main()
