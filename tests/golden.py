#!/usr/bin/env python3
"""Golden tests of rules: a graph before and after, as ONNX text, proved by numbers.

    golden.py --onnxrw build/onnxrw [--update] [--only GLOB]...

A case is a folder tests/golden/PACK/RULE/CASE with

    in.txt   the model before, as ONNX text
    out.txt  what `onnxrw print` says of the model after a run of the pack
    args     further arguments of that run, if any

PACK is that of rules/ or rules/lib/, or the file pack.rules in the case's folder or the one
above it, whose RULE is then a feature of the language, or in the folder passes a pass. The texts are compared exactly. Then
judges that share no code with onnxrw look at both models: onnx.checker in full; inputs and
outputs of the same names, order and types; and ONNX Runtime, all optimisations off, on
random inputs of several shapes, where both must agree as far as the classes of the rules
that were applied promise. RULE must have been applied, in a case near-* it must not.
--update writes out.txt anew and prints what changed. The in.txt of families of cases are
written by golden/make.py. Exit status 1 when a case fails, 77 without the Python packages.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, concurrent.futures, difflib, fnmatch, functools, pathlib, re, shlex
import subprocess, sys, tempfile

try:
    import numpy as np, onnx, onnxruntime as ort
    from onnx.reference import ReferenceEvaluator
    import unoptimised
except ImportError:
    print("the onnx and onnxruntime packages are not installed")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
RULES = HERE.parent / "rules"
GOLDEN = HERE / "golden"
SIZES = ([3, 2, 5, 4, 7], [1, 6, 2, 3, 4], [2, 1, 1, 1, 1]) # of symbolic dimensions, a set a try
BOUND = {onnx.TensorProto.FLOAT: 1e-5, onnx.TensorProto.DOUBLE: 1e-5,
         onnx.TensorProto.FLOAT16: 2.0 ** -8, onnx.TensorProto.BFLOAT16: 2.0 ** -5}


class Wrong(Exception):
    pass


def pack_of(case):
    for folder in (case, case.parent):
        if (folder / "pack.rules").exists():
            return folder / "pack.rules"
    name = case.relative_to(GOLDEN).parts[0] + ".rules"
    return RULES / "lib" / name if (RULES / "lib" / name).exists() else RULES / name


def onnxrw(a, *arguments):
    done = subprocess.run([a.onnxrw, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise Wrong(f"onnxrw {arguments[0]}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


@functools.cache
def classes(a_onnxrw, pack):
    """{rule: class} of a pack and those that it uses."""
    done = subprocess.run([a_onnxrw, "rules", "list", pack], capture_output=True, text=True)
    if done.returncode:
        raise Wrong(f"rules list: {done.stderr}")
    return {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()}


def run(a, case, folder):
    """The model before, the model after, the text after, the rules applied."""
    before, after = folder / "in.onnx", folder / "out.onnx"
    onnxrw(a, "parse", case / "in.txt", "-o", before)
    args = shlex.split((case / "args").read_text()) if (case / "args").exists() else []
    table = onnxrw(a, "-r", pack_of(case), *args, "-o", after, before)
    applied = re.findall(r"^  ((?:pass )?\w+) +[1-9]\d* +[-+]?\d+$", table, re.M)
    return onnx.load(before), onnx.load(after), onnxrw(a, "print", "--all", after), applied


def interface(model):
    held = {t.name for t in model.graph.initializer}
    return ([(v.name, v.type.SerializeToString(deterministic=True)) for v in model.graph.input if v.name not in held],
            [(v.name, v.type.SerializeToString(deterministic=True)) for v in model.graph.output])


def random_inputs(model, rng, sizes):
    held, symbols, out = {t.name for t in model.graph.initializer}, {}, {}
    for v in model.graph.input:
        if v.name in held:
            continue
        t = v.type.tensor_type
        shape = [d.dim_value if d.HasField("dim_value")
                 else symbols.setdefault(d.dim_param or len(symbols), sizes[len(symbols) % len(sizes)])
                 for d in t.shape.dim]
        kind = onnx.helper.tensor_dtype_to_np_dtype(t.elem_type)
        if kind == np.bool_:
            out[v.name] = np.asarray(rng.random(shape) < 0.5)
        elif kind.kind in "iu":
            out[v.name] = rng.integers(0, 3, shape).astype(kind)
        else:
            out[v.name] = np.asarray(rng.normal(0.3, 1.5, shape)).astype(kind)
    return out


def by_reference(model):
    reference = ReferenceEvaluator(model)
    return lambda feeds: reference.run(None, feeds)


def evaluator(model):
    """Runs in ONNX Runtime; by the reference of the standard what that has no kernels for."""
    if any(v.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16 for v in model.graph.input):
        return by_reference(model)
    try:
        session = unoptimised.session(model)
        return lambda feeds: session.run(None, feeds)
    except ort.capi.onnxruntime_pybind11_state.NotImplemented:
        return by_reference(model)


def coarsest(model):
    """The bound of the coarsest element type in the model: it is what rounding can do."""
    types = {t.data_type for t in model.graph.initializer}
    types |= {v.type.tensor_type.elem_type for v in model.graph.input}
    types |= {a.i for n in model.graph.node if n.op_type == "Cast" for a in n.attribute if a.name == "to"}
    return max(BOUND.get(t, 0) for t in [onnx.TensorProto.FLOAT, *types])


def compare(name, want, got, bound):
    want, got = np.asarray(want), np.asarray(got)
    if want.dtype != got.dtype or want.shape != got.shape:
        raise Wrong(f"{name} was {want.dtype}{list(want.shape)}, is {got.dtype}{list(got.shape)}")
    if want.dtype.kind in "biuSUO" or not bound:
        if not np.array_equal(want, got, equal_nan=want.dtype.kind == "f"):
            raise Wrong(f"{name} is not equal bit for bit")
        return
    w, g = want.astype(np.float64), got.astype(np.float64)
    with np.errstate(invalid="ignore"):
        off = np.abs(w - g) / np.maximum(1, np.abs(w))
    off = np.where((w == g) | (np.isnan(w) & np.isnan(g)), 0, off)
    if not (off <= bound).all():
        raise Wrong(f"{name} differs by {np.max(off):.3g}, more than {bound:.3g}")


def judge(before, after, kinds):
    for name, model in (("in", before), ("out", after)):
        try:
            onnx.checker.check_model(model, full_check=True)
        except Exception as e: # the checker raises several unrelated classes
            raise Wrong(f"{name} is not valid: {e}")
    if interface(before) != interface(after):
        raise Wrong("inputs or outputs changed")
    if "approx" in kinds:
        return
    bound = coarsest(before) if "float" in kinds else 0
    try:
        first, second = evaluator(before), evaluator(after)
        for seed, sizes in enumerate(SIZES):
            feeds = random_inputs(before, np.random.default_rng(seed), sizes)
            for v, want, got in zip(before.graph.output, first(feeds), second(feeds), strict=True):
                compare(v.name, want, got, bound)
    except Wrong:
        raise
    except Exception as e:
        raise Wrong(f"cannot be run: {e}")


def check_applied(case, applied):
    rule = case.parent.name if pack_of(case).name != "pack.rules" else None
    found = rule in applied if rule else bool(applied)
    if found == case.name.startswith("near-"):
        raise Wrong(f"applied: {', '.join(applied) or 'nothing'}")


def test(a, case):
    """What is to be printed, and whether the case is wrong."""
    name, said = case.relative_to(GOLDEN), []
    with tempfile.TemporaryDirectory() as folder:
        try:
            before, after, text, applied = run(a, case, pathlib.Path(folder))
            golden = case / "out.txt"
            want = golden.read_text() if golden.exists() else ""
            if want != text:
                said += difflib.unified_diff(want.splitlines(True), text.splitlines(True),
                                             f"{name} wanted", f"{name} got")
                if a.update:
                    golden.write_text(text)
            wrong = want != text and not a.update
            known = classes(a.onnxrw, pack_of(case))
            judge(before, after, {known.get(r, "exact" if r.startswith("pass ") else "float") for r in applied})
            check_applied(case, applied)
        except Wrong as e:
            said.append(f"{name}: {e}\n")
            wrong = True
    return "".join(said), wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    p.add_argument("--update", action="store_true")
    p.add_argument("--only", action="append", default=[], help="cases whose path fits, * for anything")
    a = p.parse_args()
    cases = sorted(f.parent for f in GOLDEN.rglob("in.txt"))
    if a.only:
        cases = [c for c in cases if any(fnmatch.fnmatch(str(c.relative_to(GOLDEN)), g) for g in a.only)]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for said, failed in pool.map(functools.partial(test, a), cases):
            sys.stdout.write(said)
            wrong += failed
    print(f"{len(cases)} cases, {wrong} wrong")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
