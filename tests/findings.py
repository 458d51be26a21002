"""Findings of a test that goes on after the first, and commands run.
SPDX-License-Identifier: Apache-2.0
"""
import subprocess

wrong = []


def check(ok, *what):
    if not ok:
        wrong.append(" ".join(str(w) for w in what))


def run(*args, **kw):
    return subprocess.run([str(a) for a in args], capture_output=True, text=True, **kw)
