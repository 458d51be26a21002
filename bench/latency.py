#!/usr/bin/env python3
"""Latency in ONNX Runtime of what onnxrw and others make of four models.

    latency.py [--build build] [--minutes 14] [--tune-minutes 18] [--models bert,vit,resnet50,mobilenet]
               [--folder DIR] [--prepare] [--quick] [--update]

bert-base, vit-base, resnet50 and mobilenet are made from their configurations (make_bert.py,
make_vision.py). The runtime's own optimisations are on, for all of them:

    original      as it was made
    transformers  onnxruntime.transformers.optimizer, for the family
    ort           what the runtime saves when it has optimised the original
    onnxslim, onnxscript   their optimisers, where they are installed
    pack          onnxrw with the family's pack, --target ort-cpu
    tuned         onnxrw tune for this setting, with the session options that it found
    floor         the products, or convolutions, of the architecture alone

A round measures all forms of one setting (model, sizes, threads): `onnxrw bench` runs each in a fresh process
of its own. The setting that had the least time so far is the next, so that all have the same time, and those
of small models more rounds; at least three each (some ten minutes in all). Printed is the median over the rounds
of the ratio to the original in the same round. Processes of one graph differ, by being slower than they could
be: so "tuned" and the best of the others are also compared by the fastest process of each, which is also what
"best" goes by.

--folder keeps models, also those that were tuned, for another run, and --prepare ends when they are there, so that
tuning can take longer; --quick takes four layers, one round, and few seconds to tune. --update writes the table
into docs/performance.md. SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx

import docs
import make_bert
import make_vision

PEERS = ("transformers", "ort", "onnxslim", "onnxscript")
THREADS = (1, 2)
LEAST_ROUNDS = 3
VOCABULARY = 30522


class Case:
    def __init__(self, name, pack, family, sizes, share):
        self.name, self.pack, self.family, self.sizes = name, pack, family, sizes
        self.share = share  # of the time to tune, beside those of others

    def make(self, quick):
        layers = 4 if quick else 12
        if self.name == "bert":
            return make_bert.bert(layers, 768, 12, VOCABULARY, 17)
        return make_vision.vit(17, layers) if self.name == "vit" else make_vision.MODELS[self.name](17)

    def floor(self, quick):
        make = make_vision.FLOORS[self.name]
        return make(17, 4 if quick else 12) if self.family else make(17)

    def inputs(self, sizes):
        rng = np.random.default_rng(0)
        if self.name != "bert":
            return {"pixel_values": rng.standard_normal((sizes["batch"], 3, 224, 224), dtype=np.float32)}
        shape = sizes["batch"], sizes["sequence"]
        return {"input_ids": rng.integers(0, VOCABULARY, shape), "attention_mask": np.ones(shape, np.int64),
                "token_type_ids": np.zeros(shape, np.int64)}


IMAGES = [{"batch": 1}, {"batch": 8}]
CASES = [Case("bert", "bert", "bert", [{"batch": 1, "sequence": 128}, {"batch": 8, "sequence": 32}], 3),
         Case("vit", "vit", "vit", IMAGES, 3), Case("resnet50", "cnn", None, IMAGES, 1),
         Case("mobilenet", "cnn", None, IMAGES, 1)]


# --- forms of a model ------------------------------------------------------------------------------

def save_optimised(model, out, level):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
    options.optimized_model_filepath = out
    options.log_severity_level = 3
    onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return out


def by_transformers(case, model, out):
    from onnxruntime.transformers import optimizer
    if not case.family:
        return None
    # what its own opt_level=1 does, for which it wants torch
    basic = save_optimised(model, out, "ORT_ENABLE_BASIC")
    done = optimizer.optimize_model(basic, model_type=case.family, num_heads=12, hidden_size=768, opt_level=0)
    done.save_model_to_file(out)
    return out


def by_ort(case, model, out):
    return save_optimised(model, out, "ORT_ENABLE_ALL")


def by_onnxslim(case, model, out):
    import onnxslim
    onnx.save(onnxslim.slim(model), out)
    return out


def by_onnxscript(case, model, out):
    from onnxscript import optimizer, rewriter
    onnx.save(rewriter.rewrite(optimizer.optimize(onnx.load(model))), out)
    return out


def of_peer(name, case, model, out):
    """The path, or None where it is not installed or fails."""
    try:
        return out if os.path.exists(out) else globals()["by_" + name](case, model, out)
    except Exception as e:
        print(f"latency: {name} on {case.name}: {type(e).__name__}: {str(e)[:100]}", file=sys.stderr)
        return None


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"latency: {' '.join(map(str, command))}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def pack_of(tool, name):
    """The family's pack, or the one for all models where there is none yet."""
    there = subprocess.run([tool, "rules", "list", name], capture_output=True).returncode == 0
    return name if there else "auto"


def tuned(tool, setting, model, out, seconds):
    case, report = setting["case"], out[:-len(".onnx")] + ".json"
    if not os.path.exists(report):
        dims = [a for name, n in setting["sizes"].items() for a in ("--dim", f"{name}={n}")]
        run(tool, "tune", "-q", "-r", pack_of(tool, case.pack), "--time", seconds, "--threads", setting["threads"],
            *dims, "-o", out, model)
    with open(report, encoding="utf-8") as f:
        found = json.load(f)
    print(f"latency: tuned {case.name} {setting['sizes']} {setting['threads']}: {found['ratio']['is']:.3f}, taken: "
          f"{[c['name'] for c in found['choices'] if c['end'] == 'taken']}, complete: {found['complete']}",
          file=sys.stderr)
    return list(found["session"]["config"].values())


def path_of(a, folder, case, form):
    return os.path.join(folder, f"{case.name}{'-quick' if a.quick else ''}-{form}.onnx")


def forms(a, tool, case, folder):
    """{name: (path, optimisers of the runtime that are off)}, the original first: all that are one for all settings."""
    path = lambda form: path_of(a, folder, case, form)
    for form, make in (("original", case.make), ("floor", case.floor)):
        if not os.path.exists(path(form)):
            onnx.save(make(a.quick), path(form))
    original = path("original")
    found = {"original": (original, [])}
    for name in PEERS:
        made = of_peer(name, case, original, path(name))
        if made:
            found[name] = (made, [])
    run(tool, "-q", "-r", pack_of(tool, case.pack), "--target", "ort-cpu", "-o", path("pack"), original)
    found["pack"] = (path("pack"), [])
    found["floor"] = (path("floor"), [])
    return found


def settings_of(a, tool, case, folder, seconds):
    """All settings of a case, each with its forms; `seconds` to tune each."""
    made, found = forms(a, tool, case, folder), []
    for i, sizes in enumerate(case.sizes):
        npz = os.path.join(folder, f"{case.name}-{i}.npz")
        np.savez(npz, **case.inputs(sizes))
        for threads in THREADS:
            setting = dict(case=case, sizes=sizes, threads=threads, npz=npz, rounds=[], spent=0)
            out = path_of(a, folder, case, f"tuned-{i}-{threads}")
            setting["forms"] = made | {"tuned": (out, tuned(tool, setting, made["original"][0], out, seconds))}
            found.append(setting)
    return found


# --- measuring -------------------------------------------------------------------------------------

def one_round(tool, made, npz, threads):
    """{form: seconds of a run}; a form that does not run is left out from then on."""
    command = [tool, "bench", "--json", "--runs", "1", "--threads", str(threads), "--inputs", npz]
    for path, off in made.values():
        command += [path] + [a for names in off for a in ("--disable", names)]
    done = subprocess.run(command, capture_output=True, text=True)
    guilty = [name for name, (path, _) in made.items() if f"{path}: error: does not run" in done.stderr]
    if done.returncode and guilty:
        print(f"latency: {done.stderr.strip()}", file=sys.stderr)
        del made[guilty[0]]
        return one_round(tool, made, npz, threads)
    if done.returncode:
        sys.exit(f"latency: {' '.join(command)}: exit {done.returncode}: {done.stderr}")
    return {name: m["seconds"][0] for name, m in zip(made, json.loads(done.stdout)["models"])}


def measure(a, tool, settings, end):
    least = 1 if a.quick else LEAST_ROUNDS
    while True:
        wanting = [s for s in settings if len(s["rounds"]) < least]
        if not wanting and (a.quick or time.monotonic() >= end):
            return
        s = min(wanting or settings, key=lambda s: s["spent"])
        begin = time.monotonic()
        s["rounds"].append(one_round(tool, s["forms"], s["npz"], s["threads"]))
        s["spent"] += time.monotonic() - begin


def ratio(s, form, to):
    both = [r[form] / r[to] for r in s["rounds"] if form in r and to in r]
    return statistics.median(both) if both else None


def fastest(s, form):
    return min((r[form] for r in s["rounds"] if form in r), default=None)


# --- the table -------------------------------------------------------------------------------------

def cell(x):
    return f"{x:.2f}" if x else "–"


def row(s):
    best = min((p for p in ("original",) + PEERS if fastest(s, p)), key=lambda p: fastest(s, p))
    ms = statistics.median(r["original"] for r in s["rounds"]) * 1e3
    to_best = lambda form: f"{cell(ratio(s, form, best))} ({cell(fastest(s, form) / fastest(s, best))})"
    columns = [s["case"].name, ", ".join(f"{k} {v}" for k, v in s["sizes"].items()), str(s["threads"]), str(len(s["rounds"])), f"{ms:.1f}"]
    columns += [cell(ratio(s, f, "original")) for f in PEERS + ("pack", "tuned", "floor")]
    return columns + [best, to_best("tuned"), to_best("pack"), cell(ratio(s, "tuned", "floor"))]


def table(settings):
    import onnxruntime
    head = ["model", "sizes", "threads", "rounds", "original, ms", *PEERS, "pack", "tuned", "floor", "best other", "tuned to it",
            "pack to it", "tuned to floor"]
    lines = [f"ONNX Runtime {onnxruntime.__version__}, {os.cpu_count()} processors ({platform.machine()}). "
             f"Ratios to the original, medians; in parentheses of the fastest processes.",
             "",
             "| " + " | ".join(head) + " |", "|---|---|" + "---:|" * 10 + "---|---:|---:|---:|"]
    return lines + ["| " + " | ".join(row(s)) + " |" for s in settings]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default="build")
    p.add_argument("--minutes", type=float, default=14)
    p.add_argument("--tune-minutes", type=float, default=18)
    p.add_argument("--models", default=",".join(c.name for c in CASES))
    p.add_argument("--folder")
    p.add_argument("--prepare", action="store_true")
    p.add_argument("--quick", action="store_true")
    p.add_argument("--update", action="store_true")
    return p.parse_args()


def main():
    a = arguments()
    end = time.monotonic() + a.minutes * 60
    tool = os.path.join(a.build, "onnxrw")
    cases = [c for c in CASES if c.name in a.models.split(",")]
    with tempfile.TemporaryDirectory() as own:
        folder = a.folder or own
        os.makedirs(folder, exist_ok=True)
        shares = sum(c.share * len(c.sizes) * len(THREADS) for c in cases)
        settings = []
        for case in cases:
            seconds = 10 if a.quick else a.tune_minutes * 60 * case.share / shares
            settings += settings_of(a, tool, case, folder, seconds)
        if a.prepare:
            return
        measure(a, tool, settings, end)
        lines = table(settings)
    print("\n".join(lines))
    if a.update:
        docs.replace("performance.md", "latency", lines)


if __name__ == "__main__":
    main()
