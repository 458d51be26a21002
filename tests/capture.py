#!/usr/bin/env python3
"""Rules that `onnxrw capture` makes of real subgraphs: do they load, and match there?

    capture.py --onnxrw build/onnxrw [--shared ../shared] [--places 50] [--seed 0] [-v]

Subgraphs of up to 15 nodes are chosen from the models, always the same ones: a node, what it
is made from, and so on, as far as chance goes. Of each captured rule is asked that

* `rules check` finds neither error nor warning, and `rules fmt` nothing to change,
* its example holds (`rules test`),
* `explain` says that it matches at the very node it was made from, and is not refused there.

Some subgraphs cannot be rules: a node has a body, calls a function, is of an unknown domain,
or a path leaves and comes back. That must be said, with a remedy; such places are not counted.
The models are those of ../shared/corpus where it is there, else those of tests/models.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import onnx

import corpora

HERE = pathlib.Path(__file__).resolve().parent
MOST_NODES = 15
MOST_VAIN = 4  # chosen places that cannot be rules, to one that can


def graphs(model):
    """The main graph and all bodies."""
    todo = [model.graph]
    for g in todo:
        yield g
        todo += [a.g for n in g.node for a in n.attribute if a.type == onnx.AttributeProto.GRAPH]


def choose(graph, r):
    """(inputs, outputs, number of nodes) of a part of the graph; of every fourth two outputs."""
    makers = {o: n for n in graph.node for o in n.output if o}
    known = {i.name for i in graph.initializer} | {n.output[0] for n in graph.node if n.op_type == "Constant"}
    root = r.choice([n for n in graph.node if n.op_type != "Constant"])
    outputs = [r.choice([o for o in root.output if o])]
    inside, edge = [root], [i for i in root.input if i and i not in known]
    while edge and len(inside) < MOST_NODES and r.random() < 0.9:
        value = edge.pop(r.randrange(len(edge)))
        node = makers.get(value)
        if node is None or r.random() < 0.15:
            edge.append(value)
            if node is None and all(e not in makers for e in edge):
                break
            continue
        if any(node is n for n in inside):
            continue
        inside.append(node)
        edge += [i for i in node.input if i and i not in known]
    if r.random() < 0.25:
        outputs.append(r.choice([o for o in r.choice(inside).output if o]))
    made = {o for n in inside for o in n.output}
    inputs = sorted({i for n in inside for i in n.input if i and i not in made and i not in known})
    return inputs, sorted(set(outputs)), len(inside)


def run(*args):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def matches(answer):
    """Does the rule match at the node that was asked for, and is not refused?"""
    return any(fate["verdict"] == "matches" for rule in json.loads(answer) for fate in rule["nearest"])


def check(onnxrw, model, rules):
    """What is wrong with a captured rule, or None."""
    code, _, err = run(onnxrw, "rules", "check", rules)
    if code or err:
        return f"rules check: {err}"
    code, out, err = run(onnxrw, "rules", "fmt", "--dry-run", rules)
    if code or out:
        return f"rules fmt would change it {err}"
    code, out, err = run(onnxrw, "rules", "test", "--count=0", rules)
    if code:
        return f"rules test: {out}{err}"
    if "1 examples" not in out:
        return f"no example: {out}"
    # The names in the head are those that are left when equal nodes have become one.
    outputs = rules.read_text().partition("\n")[0].partition(", to ")[2].split(", ")
    answers = [run(onnxrw, "explain", "--json", "-r", rules, "--node", o, model) for o in outputs]
    if any(code for code, _, _ in answers) or not any(matches(out) for _, out, _ in answers):
        return f"explain: {answers}"[:2000]
    return None


def try_place(a, model, graph, r, folder):
    """None where no rule can be, else what is wrong, or ""."""
    inputs, outputs, n = choose(graph, r)
    if not inputs:
        return None
    rules = folder / "captured.rules"
    names, results = (",".join(i.replace(",", "\\,") for i in part) for part in (inputs, outputs))
    code, _, err = run(a.onnxrw, "capture", "-q", "--inputs", names, "--outputs", results, "-o", rules, model)
    if code == 2 and "help: " in err:
        if a.verbose:
            print("none", err.splitlines()[0])
        return None
    place = f"{model.name}: {n} nodes, --inputs {names} --outputs {results}"
    if code or err:
        return f"{place}\n  capture: exit {code}: {err}"
    wrong = check(a.onnxrw, model, rules)
    if wrong:
        return f"{place}\n  {wrong}\n{rules.read_text()}"
    if a.verbose:
        print("ok", place)
    return ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True, type=pathlib.Path)
    corpora.add_argument(p)
    p.add_argument("--corpus", default="corpus")
    p.add_argument("--places", type=int, default=50)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("-v", "--verbose", action="store_true")
    a = p.parse_args()
    models = sorted((a.shared / a.corpus).glob("*.onnx")) or sorted((HERE / "models").glob("*.onnx"))
    r = random.Random(a.seed)
    r.shuffle(models)
    good = wrong = vain = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(a.places * MOST_VAIN):
            model = models[i % len(models)]
            usable = [g for g in graphs(onnx.load(model, load_external_data=False)) if any(
                n.op_type != "Constant" for n in g.node)]
            if good + wrong == a.places or not usable:
                continue
            said = try_place(a, model, r.choice(usable), r, pathlib.Path(folder))
            vain += said is None
            good += said == ""
            wrong += bool(said)
            if said:
                print(said)
    print(f"{good} captured rules match where they come from, {wrong} are wrong; "
          f"{vain} places cannot be rules")
    return 1 if wrong or good < a.places else 0


if __name__ == "__main__":
    sys.exit(main())
