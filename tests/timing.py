#!/usr/bin/env python3
"""onnxrw bench and onnxrw tune on a small model: what they write, and that it is right.

    timing.py --onnxrw build/onnxrw

No time is asserted: that JSON has its form, that figures belong together, that the model that
tune writes is valid, gives what the original gives and is what its report says, and what goes
wrong with which status. SPDX-License-Identifier: Apache-2.0
"""
import argparse, json, os, pathlib, signal, subprocess, sys, tempfile

try:
    import numpy as np
    import onnx
    import onnxruntime
    import unoptimised
except ImportError as e:
    print(f"timing: skipped: {e}")
    sys.exit(77)

MODEL = pathlib.Path(__file__).resolve().parent / "models" / "bert-eager__ts14.onnx"
SIZES = ["--dim", "batch=1", "--dim", "seq=8"]
DISABLE = "optimization.disable_specified_optimizers"
wrong = []


def check(ok, *what):
    if not ok:
        wrong.append(" ".join(str(w) for w in what))


def run(*args):
    return subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=300)


def is_ratio(r):
    return set(r) == {"is", "low", "high", "sure"} and 0 < r["low"] <= r["is"] <= r["high"]


def outputs(path):
    ids = (np.arange(16) % 7).reshape(2, 8)
    return unoptimised.session(path).run(None, {"input_ids": ids, "attention_mask": np.int64(ids != 3), "token_type_ids": ids % 2})


def ops(path):
    return {n.op_type for n in onnx.load(path).graph.node}


def bench(onnxrw, folder):
    done = run(onnxrw, "bench", "--json", "--runs", 2, *SIZES, MODEL, MODEL, "--disable", "BiasGeluFusion,GeluFusionL2")
    check(done.returncode == 0 and not done.stderr, "bench", done)
    found = json.loads(done.stdout)
    check(found["runtime"] == onnxruntime.__version__ and found["threads"] == 1, found)
    check([i["dims"] for i in found["inputs"]] == [[1, 8]] * 3 and found["file"] is None, found)
    check([m["disabled"] for m in found["models"]] == [None, "BiasGeluFusion;GeluFusionL2"], found)
    for m in found["models"]:
        check(m["path"] == str(MODEL) and m["differs"] is None and is_ratio(m["ratio"]), m)
        check(len(m["seconds"]) == 2 and 0 < m["fastest"] <= min(m["seconds"]), m)
    check(found["models"][0]["ratio"]["is"] == 1, found)
    done = run(onnxrw, "bench", "--json", "--runs", 1, "--inputs", MODEL.with_suffix(".npz"), MODEL, MODEL)
    check(done.returncode == 0 and json.loads(done.stdout)["file"].endswith(".npz"), done)
    short = folder / "short.onnx"
    m = onnx.load(MODEL)
    del m.graph.output[1:]
    onnx.save(m, short)
    done = run(onnxrw, "bench", "--runs", 1, *SIZES, MODEL, short)
    check(done.returncode == 0 and "warning" in done.stderr and "has no name" in done.stderr or
          len(onnx.load(MODEL).graph.output) == 1, done)


def tune(onnxrw, folder):
    out = folder / "out.onnx"
    done = run(onnxrw, "tune", "-v", "-r", "bert.rules", "--time", 10, *SIZES, "-o", out, MODEL)
    check(done.returncode == 0, "tune", done)
    found = json.loads(out.with_suffix(".json").read_text())
    check(found["model"] == str(MODEL) and found["output"] == str(out), found["model"])
    check(found["target"] in ("ort", "ort-cpu", "onnx", None) and found["packs"] == ["bert.rules"], found["target"])
    check(found["session"]["intra_op_num_threads"] == 1, found["session"])
    off = [c["name"] for c in found["choices"] if c["kind"] == "optimiser" and c["end"] == "taken"]
    check(found["session"]["config"] == ({DISABLE: ";".join(off)} if off else {}), found["session"], off)
    check(is_ratio(found["ratio"]) and len(found["seconds"]) == 2, found["ratio"])
    tried = sum(c["end"] != "untried" for c in found["choices"])
    check(done.stderr.count("tune: ") == tried, "a line for each choice", done.stderr, tried)
    for c in found["choices"]:
        check(c["end"] in ("untried", "alike", "failed", "kept", "taken"), c)
        check((c["ratio"] is None) == (c["processes"] == 0) and (c["ratio"] is None or is_ratio(c["ratio"])), c)
        check(bool(c["rules"]) == (c["kind"] == "group"), c)
        if c["end"] == "taken":
            check(c["ratio"]["high"] < 1 and c["ratio"]["sure"], c)
    kinds = [c["kind"] for c in found["choices"]]
    check({"target", "optimiser", "group", "rules"} == set(kinds), kinds)
    check(found["complete"] == all(c["end"] != "untried" for c in found["choices"]), found["complete"])
    model = onnx.load(out)
    onnx.checker.check_model(model, full_check=True) if found["target"] == "onnx" else onnx.checker.check_model(model)
    count = sum(n.op_type != "Constant" for n in model.graph.node)
    check(found["nodes"][1] == count, found["nodes"], count)
    for a, b in zip(outputs(MODEL), outputs(out)):
        check(np.allclose(a, b, rtol=3e-5, atol=3e-5), "tune changes the output")


def rules_that_lose(onnxrw, folder):
    """A rule that puts ten Sin in front of each Cos, and one that makes a model wrong."""
    text = folder / "m.txt"
    text.write_text('<ir_version: 8, opset_import: ["" : 17]>\n'
                    "g (float[N, 4096] x) => (float[N, 4096] y) { a = Cos(x) b = Neg(a) y = Neg(b) }")
    slow = folder / "slow.rules"
    chain = "x"
    for i in range(10):
        chain = f"Sin({chain})"
    slow.write_text(f"rule slow: Cos(x) => Cos(x + 0.000001 * {chain}) {{ class float shapes by rule }}\n"
                    "rule neg_neg: Neg(Neg(x)) => x\n")
    model, out = folder / "m.onnx", folder / "m.tuned.onnx"
    check(run(onnxrw, "parse", "-o", model, text).returncode == 0, "parse")
    done = run(onnxrw, "tune", "-r", slow, "--verify=model", "--time", 90, "--dim", "N=64", model)
    check(done.returncode == 0, done)
    found = json.loads(out.with_suffix(".json").read_text())
    check("Sin" not in ops(out), "what loses was kept", done.stdout, done.stderr)
    taken = [c for c in found["choices"] if c["end"] == "taken"]
    check(taken and (found["target"] is None or set(found["without"]) == {r for c in taken for r in c["rules"]}), found)
    bad = folder / "bad.rules"
    bad.write_text("rule bad: Neg(Neg(x)) => Neg(x)\n")
    done = run(onnxrw, "tune", "-r", bad, "--verify=model", "--time", 4, "--dim", "N=1", "-o", out, model)
    check("gives something else" in done.stderr, done)
    check(done.returncode == 0 and [n.op_type for n in onnx.load(out).graph.node].count("Neg") == 2, done, ops(out))


def errors(onnxrw, folder):
    out = folder / "none.onnx"
    for status, message, args in (
            (2, "pip install onnxruntime", ["--ort", "/not/there.so", MODEL]),
            (2, 'no input has a dimension "sequence"', ["--dim", "sequence=3", MODEL]),
            (3, "cannot be read", [folder / "missing.onnx"]),
            (3, "damaged", [folder / "damaged.onnx"]),
            (2, "two files", ["-o", "-", MODEL]),
            (2, "on the CPU", ["--target", "ort-cuda", "-"]),
            (2, "on the CPU", ["--target", "ort-cuda", MODEL]),
            (2, "it takes seconds", ["--time", "soon", MODEL]),
            (2, "no pack", ["-D", "nothing=1", "--time", 2, MODEL]),
            (2, "argument is missing", [])):
        (folder / "damaged.onnx").write_bytes(MODEL.read_bytes()[:1000])
        done = run(onnxrw, "tune", "-o", out, *args)
        check(done.returncode == status and message in done.stderr, "tune", args, done)
    done = run(onnxrw, "tune", "-")
    check(done.returncode == 2 and "two files" in done.stderr, done)
    done = run(onnxrw, "bench", MODEL, "-")
    check(done.returncode == 2 and "takes files" in done.stderr, done)
    with open(MODEL, "rb") as f:
        done = subprocess.run([onnxrw, "tune", "-q", "--time", "3", *SIZES, "-o", str(folder / "piped.onnx"), "-"],
                              stdin=f, capture_output=True, text=True, timeout=120)
    check(done.returncode == 0 and (folder / "piped.onnx").exists() and (folder / "piped.json").exists(), done)
    check(not out.exists() and not out.with_suffix(".json").exists(), "an error left output")
    for bad in (folder / "no" / "such.onnx", folder / "taken.onnx"):  # found out before anything is tried
        (folder / "taken.json").mkdir(exist_ok=True)
        done = run(onnxrw, "tune", "--time", 2, *SIZES, "-o", bad, MODEL)
        check(done.returncode == 4 and "cannot be written" in done.stderr and "tune:" not in done.stderr, done)
        check(not bad.exists(), bad)


def interrupted(onnxrw, folder):
    here = folder / "interrupted"
    here.mkdir()
    out = here / "o.onnx"
    p = subprocess.Popen([onnxrw, "tune", *SIZES, "-o", str(out), str(MODEL)], stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True)
    p.stderr.readline()  # a choice was made
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=60)
    check(p.returncode == -signal.SIGINT and not list(here.iterdir()), p.returncode, list(here.iterdir()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--onnxrw", default="build/onnxrw")
    onnxrw = os.path.abspath(parser.parse_args().onnxrw)
    if run(onnxrw, "bench", "--runs", 1, *SIZES, MODEL, MODEL).returncode == 2:
        print("timing: skipped: the command finds no ONNX Runtime")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        for part in (bench, tune, rules_that_lose, errors, interrupted):
            part(onnxrw, pathlib.Path(folder))
    for w in wrong[:20]:
        print("wrong:", w)
    print(f"timing: {len(wrong)} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
