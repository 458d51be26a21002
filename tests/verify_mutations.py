#!/usr/bin/env python3
"""The verifier beside onnx.checker (full), on valid models and on models with one fault.

    verify_mutations.py TOOL [--all] [--count N] [--seed S] [--shared FOLDER]

TOOL is the built tests/tools/verify. Models: those of tests/models, the node models of the
onnx package, with --all those of the shared folder too. Both judges must give the same
verdict, or the difference must be of a kind that is listed below and explained, under its
name, in docs/verifier.md. Each kind of difference is listed with the number of its cases.
Without --all, 800 faults of seed 1; with it, 12000.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import importlib.util
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import warnings

try:
    import onnx
    import corpora
    from onnx.backend.test import loader
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

import model_faults

HERE = pathlib.Path(__file__).resolve().parent
DOCS = HERE.parent / "docs" / "verifier.md"
MOST = 60_000  # bytes of a model that faults are put into
POOLS = "AveragePool|MaxPool|LpPool"

MORE = "more is computed"  # then ONNX Runtime is asked too
# The whole of what is said then; N is a number, Q a name, T what may be anything.
MORE_TEXTS = """\
Q is declared with another (type|shape): T, but computed as T
Q has N items(, wanted N( or N)?| for a tensor of rank N)
Q has the item N
Q has rank N, wanted N
Q names dimension N twice
Q of opset N does not (take|give) T
T do not (agree: N and N|broadcast)
N elements do not fit (N|a multiple of N)
N operands, wanted N and a multiple of N
(scores and targets|input and weight|the operands) have ranks N and N(, wanted T)?
(the |a )?[a-z ]+ has rank N, wanted N( or more| or N)?
a factor is a scalar, wanted rank N or more
attribute Q is no element type: N
axis N is not of a tensor of rank N
dimension N (of Q is negative T|is N, wanted N)
has N operands, its equation N terms
has the element type N, which is not known
operand N (has rank N, its term has N letters|Q has N items, wanted N( or N)?)
operand N Q (has rank N, wanted N( or N| or more)?|has N (items|elements), wanted (N|one))
operand N Q is T, (wanted T as (operand|output) N|which Q of opset N does not take)
output N is T or T, wanted one type
the (new shape has the item N|shape has N items, wanted N)
"""

# (name, what the checker says, what we say): both patterns must be found.
TAKEN = [  # we pass what the checker refuses
    ("order", "topologically sorted", "they are sorted"),
    ("operators that ONNX Runtime alone knows", "No Op registered for",
     "ONNX Runtime alone knows it"),
    ("missing import", "No opset import for domain|must specify opset_import",
     "the import is added"),
    ("ai.onnx", "No opset import for domain 'ai.onnx'", ""),
    ("graph name", "Field 'name' of 'graph'", "the graph has no name"),
    ("missing shape", "Field 'shape' of 'type'", "has no shape"),
    ("missing type", "Field 'type' of 'value_info'|Invalid tensor data type 0",
     "has no (element )?type"),
    ("newer version", "is higher than the checker", "newer than"),
    ("early IR version", "IR version < 3 cannot have opset_import|not in graph input",
     "which came with 3|is no graph input"),
    ("stale shape", "InferenceError", "is declared with another shape"),
    ("negative dimension", "InferenceError", "which is taken as unknown"),
    ("windows at the edge", rf"op_type:({POOLS}).*existing shape differ", ""),
    ("a list of one for a scalar",
     r"op_type:Loop[^(]*differ in rank: \(([01])\) vs \((?!\1)[01]\)", ""),
    ("rank above 64", r"differ in rank: \(\d{3,}\)", ""),
    ("types of RMSNormalization", "op_type:RMSNormalization.*inconsistent type", ""),
    ("bodies of the standard", r"op_type:MeanVarianceNormalization.*op_type:Constant", ""),
]
REFUSED = [  # we refuse what the checker passes
    ("operators of ONNX Runtime", "", "error: .*com.microsoft"),
    ("unknown operator", "", "has no operator"),
    ("size of data", "", r"error: (has \d+ (bytes|numbers|strings)|external data)"),
    ("values of attributes", "", r'error: attribute "\w+" (is "[^"]*"|has -?\d+), wanted'),
    ("reference outside of a function", "", "is in no function"),
    ("operands and outputs in pairs", "", "wanted (both or none|one of them)"),
    ("inputs and outputs of bodies", "", 'error: body "'),
    ("empty operand", "", r'error: operand \d+ \("\w+"\) is missing'),
    ("what runtimes do not look at", "", '"weights?" and "(scores|input)" do not agree'
     '|error: attribute "(nodes|leaf|class|target)_\\w+" has \\d+ items'),
    (MORE, "", None),  # one of MORE_TEXTS
]


# --- models -----------------------------------------------------------------------------

def backend_models():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [(case.name, case.model.SerializeToString())
                for case in loader.load_model_tests(kind="node")]


def files(folder):
    return [(str(p), p.read_bytes()) for p in sorted(folder.glob("*.onnx"))]


# --- judges -----------------------------------------------------------------------------

CRASH = "crashes"


def check_paths():
    """In a process of its own: a path a line in, a verdict a line out."""
    for line in sys.stdin:
        try:
            onnx.checker.check_model(json.loads(line), full_check=True)
            verdict = None
        except Exception as e:  # several classes, from more than one layer
            verdict = f"{type(e).__name__}: {e}"
        print(json.dumps(verdict), flush=True)


def judged(command, paths):
    """What a judge says of each model, a line each, or CRASH where one ends its process."""
    verdicts = []
    while len(verdicts) < len(paths):
        rest = "".join(json.dumps(p) + "\n" for p in paths[len(verdicts):])
        run = subprocess.run([sys.executable, *command], input=rest, text=True,
                             capture_output=True)
        verdicts += [json.loads(line) for line in run.stdout.splitlines()]
        if len(verdicts) < len(paths):
            verdicts.append(CRASH)
    return verdicts


def checker_says(paths):
    """For each model why the checker refuses it, or None, or CRASH."""
    return judged([__file__, "--judge"], paths)


def those_that_run(paths):
    """The models that ONNX Runtime runs to what they declare; none where it is missing."""
    if not importlib.util.find_spec("onnxruntime"):
        return set()
    verdicts = judged([str(HERE / "model_runs.py")], paths)
    return {p for p, v in zip(paths, verdicts) if v is True}


def run_tool(tool, paths):
    """[(exit code, lines)] of models."""
    found = []
    for i in range(0, len(paths), 400):
        run = subprocess.run([tool, *paths[i:i + 400]], capture_output=True, timeout=600)
        if run.returncode != 0:
            sys.exit(run.stderr.decode("utf-8", "replace")[-2000:])
        for line in run.stdout.decode("utf-8", "replace").splitlines():
            if line.startswith("    "):
                found[-1][1].append(line.strip())
            else:
                found.append((int(line.split(" ", 1)[0]), []))
    if len(found) != len(paths):
        sys.exit(f"{len(found)} verdicts on {len(paths)} models")
    return found


def in_contrib(model, said):
    """Is the first error about an operator of com.microsoft?"""
    named = re.search(r'node (?:of )?"((?:[^"\\]|\\.)*)" \(\w+\): error', said)
    for graph in model_faults.graphs(model.graph) if named else ():
        for n in graph.node:
            if named[1] in (n.name, *n.output) and n.domain == "com.microsoft":
                return True
    return False


def rounds_up(model):
    """Does the model have pooling with ceil_mode?"""
    return any(a.name == "ceil_mode" and a.i for g in model_faults.graphs(model.graph)
               for n in g.node for a in n.attribute)


def is_more(said):
    """Is the first error one of MORE_TEXTS?"""
    error = re.search("error: (.*)", said)
    for text in MORE_TEXTS.splitlines() if error else ():
        pattern = re.sub(r"\bN\b", r"-?\\d+", text).replace("Q", r'\(?"[^"]*"\)?')
        if re.fullmatch(re.sub(r"\bT\b", ".*", pattern), error[1]):
            return True
    return False


def kind_of(model, refused, checker, said):
    """The name of the kind of a difference, or None."""
    for name, checker_pattern, our_pattern in REFUSED if refused else TAKEN:
        if name == "operators of ONNX Runtime":
            if in_contrib(model, said):
                return name
        elif name == MORE:
            if is_more(said):
                return name
        elif name == "windows at the edge" and not rounds_up(model):
            continue
        elif re.search(checker_pattern, checker or "", re.S) and re.search(our_pattern, said):
            return name
    return None


# --- comparing --------------------------------------------------------------------------

class Comparison:
    def __init__(self, tool):
        self.tool, self.wrong = tool, 0
        self.kinds, self.verdicts = collections.Counter(), collections.Counter()

    def compare(self, cases, may_refuse=True):
        """cases: (words, path). Of models that are right, as far as anybody knows, none may
        be refused that the checker takes."""
        paths, doubtful = [c[1] for c in cases], []
        for (words, path), checker, (code, lines) in zip(cases, checker_says(paths),
                                                         run_tool(self.tool, paths)):
            if checker == CRASH:
                self.verdicts[CRASH] += 1
                continue
            self.verdicts["refused" if checker else "passed"] += 1
            if (code != 0) == (checker is not None):
                continue
            said = "\n".join(lines)
            kind = kind_of(onnx.load(path, load_external_data=False), code != 0, checker, said)
            if code and not may_refuse:
                kind = None
            difference = (f"{words}\n    onnx.checker: {checker or 'takes it'}\n    onnxrw: "
                          f"{'refuses' if code else 'takes'} it: {said[:300]}")
            if kind:
                self.kinds["refused" if code else "taken", kind] += 1
            else:
                self.unexplained(difference)
            if kind == MORE:
                doubtful.append((path, difference))
        self.ask_runtime(doubtful)

    def ask_runtime(self, doubtful):
        """What was refused because of what is computed must not run."""
        running = those_that_run([path for path, _ in doubtful])
        for path, difference in doubtful:
            if path in running:
                self.kinds["refused", MORE] -= 1
                self.unexplained(difference + "\n    ONNX Runtime runs it")

    def unexplained(self, difference):
        self.wrong += 1
        print(difference)

    def report(self):
        for (verdict, kind), count in sorted(self.kinds.items()):
            print(f"{count:6} {verdict}: {kind}")
        total = sum(self.verdicts.values())
        print(f"{total} models, of which onnx.checker refuses {self.verdicts['refused']} "
              f"and crashes on {self.verdicts[CRASH]}; "
              f"{sum(self.kinds.values())} differences of {len(self.kinds)} kinds, "
              f"{self.wrong} unexplained")


def write(folder, number, data):
    path = os.path.join(folder, f"{number:05}.onnx")
    with open(path, "wb") as f:
        f.write(data)
    return path


def on_disk(models, folder):
    """(name, path) of models, written where they are in no file."""
    return [(n, n if os.path.exists(n) else write(folder, i, d))
            for i, (n, d) in enumerate(models)]


def compare_faults(comparison, models, folder, count, draw):
    """Faults in models that the checker takes; one in five in a larger one."""
    small = [(n, d) for n, d in models if len(d) < MOST]
    verdicts = checker_says([p for _, p in on_disk(small, folder)])
    valid = [(n, onnx.load_from_string(d)) for (n, d), v in zip(small, verdicts) if not v]
    real = [m for m in valid if os.path.exists(m[0])]
    cases = []
    while len(cases) < count:
        name, model = draw.choice(real if draw.random() < 0.2 else valid)
        broken, fault = model_faults.faulty(model, draw)
        path = write(folder, len(cases), broken.SerializeToString())
        cases.append((f"{os.path.basename(name)}: {fault}", path))
    comparison.compare(cases)


def undocumented():
    text = DOCS.read_text()
    return [k[0] for k in TAKEN + REFUSED if f"\n### {k[0]}\n".lower() not in text.lower()]


def main():
    if sys.argv[1:] == ["--judge"]:
        return check_paths()
    p = argparse.ArgumentParser()
    p.add_argument("tool")
    p.add_argument("--all", action="store_true")
    p.add_argument("--count", type=int)
    p.add_argument("--seed", type=int, default=1)
    corpora.add_argument(p)
    a = p.parse_args()
    comparison = Comparison(a.tool)
    models = files(HERE / "models") + backend_models()
    with tempfile.TemporaryDirectory() as folder:
        comparison.compare(on_disk(models, folder), may_refuse=False)
        for name in ("corpus", "corpus-other", "bugs") if a.all else ():
            comparison.compare(on_disk(files(a.shared / name), folder), name == "bugs")
        count = a.count or (12000 if a.all else 800)
        compare_faults(comparison, models, folder, count, random.Random(a.seed))
    comparison.report()
    for kind in undocumented():
        print(f"docs/verifier.md does not explain: {kind}")
        comparison.wrong += 1
    return 1 if comparison.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
