#!/usr/bin/env python3
"""Large graphs of every form of bench/make_graph.py, on a small stack.

    large.py ONNXRW

The command rewrites each, and must not be ended by a signal: nothing may recurse along a
graph. What comes out has the nodes that it should have.
SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NODES = 20000
STACK = 512 << 10  # with sanitizers
#        form: (nodes asked for, nodes left)
FORMS = {"random": (NODES, None), "chain": (NODES, None), "users": (NODES, NODES), "operands": (NODES, NODES),
         "equal": (NODES, NODES // 2 + 1), "siblings": (NODES // 10, None), "nested": (30, None)}


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for form, (n, wanted) in FORMS.items():
            model = pathlib.Path(folder) / f"{form}.onnx"
            subprocess.run([sys.executable, HERE.parent / "bench/make_graph.py", form, str(n), model], check=True)
            done = subprocess.run([sys.argv[1], "-r", "bert", "-o", model.with_suffix(".out"), model],
                                  preexec_fn=small_stack, capture_output=True, text=True)
            left = re.search(r"now (\d+)", done.stdout)
            ok = done.returncode == 0 and left and (wanted is None or abs(int(left[1]) - wanted) <= 1)
            wrong += not ok
            if not ok:
                print(f"{form}: exit {done.returncode}: {done.stdout}{done.stderr}")
    print(f"{len(FORMS)} forms, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
