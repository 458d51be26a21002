#!/usr/bin/env python3
"""Wrong rules in a pack: --verify undoes them, and them alone.

    verify_modes.py --onnxrw build/onnxrw [--only PACK] [--models N | --all] [--corpus FOLDER]...
                    [--results FILE] [--jobs N]

Each pack of tests/verify_packs and tests/wrong has one rule that is wrong, called like the
pack, and is run in front of auto.rules and bert.rules on real models where it applies: N of
them, from all over the list, or all. With --verify=rewrites and --verify=model the result must
be right: valid for onnx.checker, and in ONNX Runtime, optimisations off, the same as the
original on the inputs stored beside it, within the tolerance of MANIFEST.tsv. Where it is
wrong without --verify, the rule must be named with its place; no other rule may be, and where
the rule is nowhere applied, every other one be applied as often as without it. Models that do
not run on inputs made up are verified on the stored ones. Those of tests/verify_packs must be
wrong on some model.

A whole run (--all) of 131 packs over some 430 models is some 3,000 cases, each a second of the
processor or less: which packs apply is found by running them together. With --results each case is a line of FILE
as soon as it is done, and one that has a line there is not run again.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, concurrent.futures, csv, functools, hashlib, os, pathlib, re, subprocess, sys, tempfile
import threading, time

try:
    import numpy as np, onnx
    import unoptimised
except ImportError:
    print("the onnx and onnxruntime packages are not installed")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE / "models"
OTHERS = ["auto.rules", "bert.rules"]
MODES = ["rewrites", "model"]
SECONDS = 600


def manifest(corpus):
    with open(corpus / "MANIFEST.tsv", newline="") as f:
        return {r["file"]: r for r in csv.DictReader(f, delimiter="\t")}


def rewrite(onnxrw, packs, model, out, *options):
    """(the process when it is done, {rule: how often it was applied})"""
    args = [onnxrw, *[a for p in packs for a in ("-r", str(p))], *options, "-o", out, model]
    try:
        done = subprocess.run(args, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        done = subprocess.CompletedProcess(args, -1, "", f"is not done in {SECONDS} s")
    table = re.findall(r"^  (\w+) +(\d+) +[+-]\d+$", done.stdout, re.M)
    return done, {name: int(n) for name, n in table}


def error(a, b):
    """The largest difference relative to max(1, |a|); infinite where they cannot be compared."""
    if not isinstance(a, np.ndarray) or a.dtype.kind in "OUS":
        return 0.0 if np.array_equal(np.asarray(a, object), np.asarray(b, object)) else np.inf
    if a.shape != b.shape or a.dtype != b.dtype:
        return np.inf
    a, b = a.astype(np.float64), b.astype(np.float64)
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return np.inf
    with np.errstate(all="ignore"):
        d = np.where((a == b) | np.isnan(a), 0, np.abs(a - b) / np.maximum(1, np.abs(a)))
    return float(d.max(initial=0))


@functools.lru_cache(8)
def expected(model):
    x = unoptimised.stored_inputs(model)
    return x, unoptimised.session(model).run(None, x)


JUDGED = {}  # (model, digest of a result) -> what is wrong with it


def judge(model, out, row):
    """What is wrong with the result, or None. Results are the same for many a pack."""
    key = model, hashlib.sha256(out.read_bytes()).digest()
    if key not in JUDGED:
        JUDGED[key] = judge_anew(model, out, row)
    return JUDGED[key]


def judge_anew(model, out, row):
    x, wanted = expected(model)
    try:
        if row["valid"] == "1":
            onnx.checker.check_model(str(out), full_check=True)
        got = unoptimised.session(out).run(None, x)
    except Exception as e:  # of the checker, or of the runtime
        return f"{type(e).__name__}: {str(e)[:200]}"
    worst = max(error(a, b) for a, b in zip(wanted, got))
    return None if worst <= float(row["tolerance"]) else f"error {worst:.2g}"


def uses(pack):
    """The packs that it takes in: they go in front then, too."""
    return tuple(re.findall(r'^use "[^"]+"$', pack.read_text(), re.M))


def without_rule(pack, folder):
    """What is run beside it."""
    if not uses(pack):
        return OTHERS
    rest = pathlib.Path(folder) / f"{pack.stem}-without.rules"
    rest.write_text("\n".join([re.search(r"^pack .*?^}$", pack.read_text(), re.M | re.S)[0], *uses(pack), ""]))
    return [rest, *OTHERS]


@functools.lru_cache(64)
def without(onnxrw, packs, model, mode):
    """(options of the mode, {rule: times}, rules that are blamed) of a run without a wrong rule."""
    options = [f"--verify={mode}"]
    done, applied = rewrite(onnxrw, packs, model, os.devnull, "--dry-run", *options)
    if mode == "model" and "inputs that were made up" in done.stderr:
        options.append(f"--inputs={model.with_suffix('.npz')}")
        done, applied = rewrite(onnxrw, packs, model, os.devnull, "--dry-run", *options)
    return options, applied, blamed(done)


def blamed(done):
    """{rule: file of its pack} of those that the warnings name."""
    return {m[2]: m[1] for m in re.finditer(r'(\w+\.rules):\d+:\d+: warning: rule "(\w+)"', done.stderr)}


def firing(a, packs, model):
    """Packs whose rule may be applied there. All are run together, then without those whose rule was
    applied, until none is: then each one left is by itself applied nowhere. Half of them at a time where
    they do not come to an end together."""
    if not packs:
        return []
    done, applied = rewrite(a.onnxrw, [*packs, *OTHERS], model, os.devnull, "--verify=off", "--dry-run")
    if done.returncode and len(packs) > 1:
        half = len(packs) // 2
        return firing(a, packs[:half], model) + firing(a, packs[half:], model)
    hits = [p for p in packs if done.returncode or applied.get(p.stem)]
    return hits + firing(a, [p for p in packs if p not in hits], model) if hits else []


def candidates(a, packs, model):
    """The same; a pack that uses others changes the order of rules, and is run by itself."""
    alone = [p for p in packs if uses(p)]
    hits = firing(a, [p for p in packs if p not in alone], model)
    return hits + [h for p in alone for h in firing(a, [p], model)]


def check_mode(a, pack, model, row, mode, harmful, folder):
    """What is wrong with one mode, or None."""
    out = pathlib.Path(folder) / f"{pack.stem}-{model.stem}.onnx"
    rule, beside = pack.stem, tuple(without_rule(pack, folder))
    options, wanted, always = without(a.onnxrw, beside, model, mode)
    done, applied = rewrite(a.onnxrw, [pack, *OTHERS], model, out, *options)
    problem = done.returncode == 0 and judge(model, out, row)
    out.unlink(missing_ok=True)
    others = {k: n for k, n in applied.items() if k != rule}
    if done.returncode:
        return f"{mode}: exit {done.returncode}: {done.stderr.strip()[-300:]}"
    if problem:
        return f"{mode}: {problem}"
    now = blamed(done)
    if harmful and now.pop(rule, None) != pack.name:
        return f"{mode}: the warning does not name the rule's place"
    innocent = sorted(now.keys() - always.keys() - {rule})
    if innocent:
        return f"{mode}: blames {', '.join(innocent)}"
    if rule not in applied and others != wanted:
        return f"{mode}: applied {others}, without the wrong rule {wanted}"


def check(a, pack, model, row, folder):
    """{effect of the rule: none, harmless, harmful; problems of both modes; seconds}"""
    out = pathlib.Path(folder) / f"{pack.stem}-{model.stem}.onnx"
    begin, case = time.monotonic(), {"pack": name(pack), "model": name(model)}
    done, applied = rewrite(a.onnxrw, [pack, *OTHERS], model, out, "--verify=off")
    harmful = bool(done.returncode or judge(model, out, row))
    out.unlink(missing_ok=True)
    case["effect"] = "harmful" if harmful else "harmless" if applied.get(pack.stem) else "none"
    modes = MODES if case["effect"] != "none" else []
    problems = [check_mode(a, pack, model, row, mode, harmful, folder) for mode in modes]
    text = " ".join("; ".join(filter(None, problems)).split())
    return {**case, "seconds": f"{time.monotonic() - begin:.1f}", "problems": text}


def name(path):
    """With its folder: packs of both folders may be called alike."""
    return f"{path.parent.name}/{path.stem}"


class Results:
    """What was found of each case: in a file, if there is one, to go on where a run was broken off."""

    FIELDS = ["pack", "model", "effect", "seconds", "problems"]

    def __init__(self, path):
        old = path.read_text().splitlines() if path and path.exists() else []
        self.path, self.lock = path, threading.Lock()
        self.at = {(c["pack"], c["model"]): c for c in (dict(zip(self.FIELDS, x.split("\t"))) for x in old)}

    def add(self, case):
        with self.lock:
            self.at[case["pack"], case["model"]] = case
            if case["problems"]:
                print(case["pack"], case["model"], case["problems"], flush=True)
            if self.path:
                with open(self.path, "a") as f:
                    f.write("\t".join(case[k] for k in self.FIELDS) + "\n")


def spread(cases, most):
    """At most so many models of a pack, from all over the list of them."""
    return cases if len(cases) <= most else [cases[i * len(cases) // most] for i in range(most)]


def find_cases(a, pool, packs):
    """[(model, row, its packs)]: where a pack's rule may be applied, of all corpora."""
    models = [(c / file, row) for c in a.corpus for file, row in manifest(c).items()]
    step = 1 if a.all else 1 + len(models) // 40
    asked = [[p for i, p in enumerate(packs) if k % step == i % step] for k in range(len(models))]
    hits = list(pool.map(lambda k: candidates(a, asked[k], models[k][0]), range(len(models))))
    chosen = set()
    for p in packs:
        where = [k for k in range(len(models)) if p in hits[k]]
        chosen |= {(p, k) for k in (where if a.all else spread(where, a.models))}
    return [(*m, [p for p in packs if (p, k) in chosen]) for k, m in enumerate(models)]


def run_cases(a, pool, packs, folder):
    """(what is wrong, cases, rules that do harm)"""
    results = Results(a.results)

    def run_model(case):
        model, row, its = case
        for pack in its:
            if (name(pack), name(model)) not in results.at:
                results.add(check(a, pack, model, row, folder))

    list(pool.map(run_model, find_cases(a, pool, packs)))
    names = {name(p) for p in packs}
    cases = [c for c in results.at.values() if c["pack"] in names and c["effect"] != "none"]
    harmful = {c["pack"] for c in cases if c["effect"] == "harmful"}
    lines = [f"{c['pack']} {c['model']}: {c['problems']}" for c in cases if c["problems"]]
    lines += [f"{p.stem}: is wrong on no model, so it tests nothing" for p in packs
              if p.parent.name == "verify_packs" and name(p) not in harmful and MODELS in a.corpus]
    return lines, cases, harmful


def on_error(a, folder):
    """What cannot be verified is an error: inputs that the model does not run with."""
    model, out = MODELS / "bert-eager__ts14.onnx", pathlib.Path(folder) / "original.onnx"
    bad = pathlib.Path(folder) / "bad.npz"
    x = unoptimised.stored_inputs(model)
    np.savez(bad, **{k: np.full_like(v, 1 << 20) for k, v in x.items()})
    options = ["--verify=model", f"--inputs={bad}"]
    done, _ = rewrite(a.onnxrw, OTHERS, model, out, *options)
    problems = []
    if done.returncode != 1 or out.exists():
        problems.append(f"--on-error=fail: exit {done.returncode}, wanted 1 and no file")
    done, _ = rewrite(a.onnxrw, OTHERS, model, out, *options, "--on-error=original")
    if done.returncode or not out.exists() or out.read_bytes() != model.read_bytes():
        problems.append(f"--on-error=original: exit {done.returncode}, wanted 0 and a copy of the input")
    elif "warning" not in done.stderr:
        problems.append("--on-error=original: no warning")
    return problems


def wrong_raise(a, folder):
    """A wrong rule of the pack "opset": the model stays at its opset, right, and rules that
    need no newer one are applied."""
    model, out = MODELS / "bert-eager__ts11.onnx", pathlib.Path(folder) / "raise.onnx"
    text = (HERE.parent / "rules/opset.rules").read_text()
    pack = pathlib.Path(folder) / "opset.rules"
    pack.write_text(text.replace("{ y = f <axis = -1> (x) }", "{ y = f <axis = -2> (x) }"))
    problems = []
    for mode in ("rewrites", "model"):
        done, applied = rewrite(a.onnxrw, [pack, *OTHERS], model, out, f"--verify={mode}")
        wrong = done.returncode or judge(model, out, manifest(MODELS)[model.name])
        if wrong or "softmax_13" in applied or not applied.get("gelu_erf") or "opset" not in done.stderr:
            problems.append(f"wrong raise, {mode}: {wrong}: {applied}: {done.stderr[-300:]}")
    done, _ = rewrite(a.onnxrw, [pack, *OTHERS], model, out, "--verify=model", "--opset=17")
    if done.returncode != 1:
        problems.append(f"wrong raise, --opset: exit {done.returncode}, wanted 1")
    return problems


def wrong_promise(a, folder):
    """A wrong rule that does no harm by itself, but says of a shape what is not so: it is blamed, not the
    steps that build on it."""
    model, out = pathlib.Path(folder) / "promise.onnx", pathlib.Path(folder) / "promised.onnx"
    onnx.save(onnx.parser.parse_model('''<ir_version: 8, opset_import: ["": 14]>
        g (float[1, B] x, float[C, B] y, float[C, B, 1] w) => (float[C, B] r, float[C, B] q) {
          s = Shape(y)  e = Expand(x, s)  r = Add(e, y)  q = Reshape(w, s)
        }'''), model)
    done, applied = rewrite(a.onnxrw, [HERE / "wrong/expand_any.rules", *OTHERS], model, out, "--verify=model")
    ok = blamed(done) == {"expand_any": "expand_any.rules"} and 'pass "' not in done.stderr
    return [] if ok else [f"wrong promise: exit {done.returncode}: {applied}: {done.stderr}"]


def with_inputs(a, folder):
    """The model's own inputs, as --inputs."""
    model, out = MODELS / "bert-eager__ts14.onnx", pathlib.Path(folder) / "inputs.onnx"
    done, applied = rewrite(a.onnxrw, OTHERS, model, out, "--verify=model", f"--inputs={model.with_suffix('.npz')}")
    ok = done.returncode == 0 and "on 1 set of inputs, 0 steps left out" in done.stdout and applied
    return [] if ok else [f"--inputs: exit {done.returncode}: {done.stdout}{done.stderr}"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    p.add_argument("--only", default="*")
    p.add_argument("--corpus", type=pathlib.Path, action="append", help="instead of tests/models; may be repeated")
    p.add_argument("--models", type=int, default=2, help="at most so many for each pack")
    p.add_argument("--all", action="store_true", help="every model where the rule is applied")
    p.add_argument("--results", type=pathlib.Path, help="a file of cases that were run: they are not run again")
    p.add_argument("--jobs", type=int, default=2)
    a = p.parse_args()
    own = not a.corpus
    a.corpus = [c for c in a.corpus or [MODELS] if c.is_dir()]
    if not a.corpus:
        print("the corpora are not there")
        return 77
    packs = [p for folder in ("verify_packs", "wrong") for p in sorted((HERE / folder).glob(a.only + ".rules"))]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        lines, cases, harmful = run_cases(a, pool, packs, folder)
        single = [on_error, with_inputs, wrong_raise, wrong_promise] if own else []
        lines += [line for f in single for line in f(a, folder)]
    print("\n".join(lines + [f"{len(packs)} packs, {len({c['pack'] for c in cases})} applied, "
                             f"{len(harmful)} do harm; {len(cases)} cases, {len(lines)} wrong"]))
    return 1 if lines or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
