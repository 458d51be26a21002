#!/usr/bin/env python3
"""Wrong rules in a pack: --verify undoes them, and them alone.

    verify_modes.py --onnxrw build/onnxrw [--only PACK] [--models N | --all] [--corpus FOLDER]...

Each pack of tests/verify_packs and tests/wrong has one rule that is wrong, called like the
pack, and is run in front of auto.rules and bert.rules on real models where it applies: N of
them, from all over the list, or all. With --verify=rewrites and --verify=model the result must
be right: valid for onnx.checker, and in ONNX Runtime, optimisations off, the same as the
original on the inputs stored beside it, within the tolerance of MANIFEST.tsv. Where it is
wrong without --verify, the rule must be named with its place; and where the rule is nowhere
applied, every other one be applied as often as without it. Models that do not run on inputs
made up are verified on the stored ones. Those of tests/verify_packs must be wrong on some
model.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, concurrent.futures, csv, functools, os, pathlib, re, subprocess, sys, tempfile

try:
    import numpy as np, onnx
    import unoptimised
except ImportError:
    print("the onnx and onnxruntime packages are not installed")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE / "models"
OTHERS = ["auto.rules", "bert.rules"]
# Open: a mean of squares rounded to few steps, a bias in which is not told from rounding on the few made-up
# values that are not beyond the largest step; and the whole differs by less than a quantised model may.
UNFOUND = {("quant_half", "llama-sdpa-dyn18__qdq-pc.onnx", "rewrites")}


def manifest(corpus):
    with open(corpus / "MANIFEST.tsv", newline="") as f:
        return {r["file"]: r for r in csv.DictReader(f, delimiter="\t")}


def rewrite(onnxrw, packs, model, out, *options):
    args = [a for p in packs for a in ("-r", str(p))]
    done = subprocess.run([onnxrw, *args, *options, "-o", out, model], capture_output=True, text=True, timeout=300)
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


def judge(model, out, row):
    """What is wrong with the result, or None."""
    x, wanted = expected(model)
    try:
        if row["valid"] == "1":
            onnx.checker.check_model(str(out), full_check=True)
        got = unoptimised.session(out).run(None, x)
    except Exception as e:  # of the checker, or of the runtime
        return f"{type(e).__name__}: {str(e)[:200]}"
    worst = max(error(a, b) for a, b in zip(wanted, got))
    return None if worst <= float(row["tolerance"]) else f"error {worst:.2g}"


def without_rule(pack, folder):
    """What is run beside it: the packs that it uses go in front then, too."""
    text = pack.read_text()
    uses = re.findall(r'^use "[^"]+"$', text, re.M)
    if not uses:
        return OTHERS
    rest = pathlib.Path(folder) / f"{pack.stem}-without.rules"
    rest.write_text("\n".join([re.search(r"^pack .*?^}$", text, re.M | re.S)[0], *uses, ""]))
    return [rest, *OTHERS]


def fires(a, pack, model):
    """The rules that are applied with the wrong one in front, when that one is."""
    done, applied = rewrite(a.onnxrw, [pack, *OTHERS], model, os.devnull, "--verify=off", "--dry-run")
    return applied if applied.get(pack.stem) else None


def check(a, case, folder):
    """(is the wrong rule harmful there, problems of both modes)"""
    pack, model, row = case
    out = pathlib.Path(folder) / f"{pack.stem}-{model.stem}.onnx"
    rule = pack.stem
    done, _ = rewrite(a.onnxrw, [pack, *OTHERS], model, out, "--verify=off")
    harmful = bool(done.returncode or judge(model, out, row))
    problems, beside = [], without_rule(pack, folder)
    for mode in ("rewrites", "model"):
        options = [f"--verify={mode}"]
        done, wanted = rewrite(a.onnxrw, beside, model, out, "--dry-run", *options)
        if mode == "model" and "inputs that were made up" in done.stderr:
            options.append(f"--inputs={model.with_suffix('.npz')}")
            _, wanted = rewrite(a.onnxrw, beside, model, out, "--dry-run", *options)
        out.unlink(missing_ok=True)
        done, applied = rewrite(a.onnxrw, [pack, *OTHERS], model, out, *options)
        place = re.search(rf"{re.escape(pack.name)}:\d+:\d+: warning: rule \"{rule}\"", done.stderr)
        others = {k: n for k, n in applied.items() if k != rule}
        if done.returncode:
            problems.append(f"{mode}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
        elif (rule, model.name, mode) in UNFOUND:
            problems += [] if judge(model, out, row) else [f"{mode}: is found now; UNFOUND says that it is not"]
        elif judge(model, out, row):
            problems.append(f"{mode}: {judge(model, out, row)}")
        elif harmful and not place:
            problems.append(f"{mode}: the warning does not name the rule's place")
        elif rule not in applied and others != wanted:
            problems.append(f"{mode}: applied {others}, without the wrong rule {wanted}")
    out.unlink(missing_ok=True)
    return harmful, [f"{rule} {model.name}: {p}" for p in problems]


def spread(cases, most):
    """At most so many models of a pack, from all over the list of them."""
    return cases if len(cases) <= most else [cases[i * len(cases) // most] for i in range(most)]


def find_cases(a, pool, packs):
    """Models of all corpora where each pack's rule is applied: [(pack, model, row)]."""
    models = [(c / file, row) for c in a.corpus for file, row in manifest(c).items()]
    found, step = [], 1 if a.all else 1 + len(models) // 40
    for i, pack in enumerate(packs):
        some = models[i % step::step]
        hits = pool.map(lambda m: fires(a, pack, m[0]), some)
        cases = [(pack, *m) for m, hit in zip(some, hits) if hit]
        found += cases if a.all else spread(cases, a.models)
    return found


def run_cases(a, pool, packs, folder):
    """(lines to print, number of cases, number of those that are wrong without --verify)"""
    lines, harmful = [], set()
    cases = find_cases(a, pool, packs)
    for case, (harm, problems) in zip(cases, pool.map(lambda c: check(a, c, folder), cases)):
        harmful |= {case[0].stem} if harm else set()
        for line in problems:
            print(line, flush=True)
        lines += problems
    lines += [f"{p.stem}: is wrong on no model, so it tests nothing" for p in packs
              if p.parent.name == "verify_packs" and p.stem not in harmful and MODELS in a.corpus]
    return lines, len(cases), len(harmful)


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
    a = p.parse_args()
    own = not a.corpus
    a.corpus = [c for c in a.corpus or [MODELS] if c.is_dir()]
    if not a.corpus:
        print("the corpora are not there")
        return 77
    packs = [p for folder in ("verify_packs", "wrong") for p in sorted((HERE / folder).glob(a.only + ".rules"))]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        lines, cases, harmful = run_cases(a, pool, packs, folder)
        others = on_error(a, folder) + with_inputs(a, folder) + wrong_raise(a, folder) if own else []
    print("\n".join(others + [f"{len(packs)} packs, {cases} cases, {harmful} packs do harm; {len(lines + others)} wrong"]))
    return 1 if lines or others or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
