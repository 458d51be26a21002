#!/usr/bin/env python3
"""Does `rules test` make instances of rules about any operator?

    operator_instances.py --onnxrw build/onnxrw [--seed N] [OPERATOR...]

For each operator of the standard (and some of com.microsoft) a rule is written that is right
whatever the operator does, `Identity(Op(x, ...)) => Op(x, ...)`; each must be compared in
ONNX Runtime some times. So what can never be exercised is a weakness of the generator.
Exit status 1 when one fails, 77 without ONNX or ONNX Runtime.
SPDX-License-Identifier: Apache-2.0
"""
import argparse, pathlib, re, subprocess, sys, tempfile

try:
    import onnx.defs
except ImportError:
    print("onnx is not installed")
    sys.exit(77)

OPSETS = range(13, 24)
COUNT = 10  # instances of each that must have been compared
# Results of unknown size, which no other node provably has; bodies; what is random; strings,
# sequences and optional values. MaxRoiPool and RoiAlign have no kernel that suits.
LEFT_OUT = set("""Bernoulli BlackmanWindow Compress Constant Dropout DynamicQuantizeLinear
GlobalLpPool HammingWindow HannWindow If ImageDecoder Loop MaxRoiPool MelWeightMatrix
Multinomial NonMaxSuppression NonZero OptionalGetElement OptionalHasElement RandomNormal
RandomNormalLike RandomUniform RandomUniformLike Range RoiAlign Scan SequenceMap STFT
TfIdfVectorizer TopK Unique""".split())
FEW = {"Attention": 1, "CenterCropPad": 1, "MaxUnpool": 5, "DFT": 5, "Resize": 5}
MICROSOFT = {
    "Attention": "x, w, b, m?", "BiasGelu": "x, b", "DynamicQuantizeMatMul": "a, b, s, z?, c?",
    "FastGelu": "x, b?", "FusedConv": "x, w, b?", "FusedMatMul": "a, b",
    "MatMulIntegerToFloat": "a, b, s, t, y?, z?, c?", "MultiHeadAttention": "q, k, v, b?, m?, s?",
    "QGemm": "a, s, z, b, t, y, c?, u, v", "QLinearAdd": "a, s, z, b, t, y, u, v",
    "QLinearSigmoid": "x, s, z, t, y", "QuickGelu": "x", "RotaryEmbedding": "x, i, c, s",
    "SkipLayerNormalization": "x, y, g, b?, c?",
    "SkipSimplifiedLayerNormalization": "x, y, g, b?"}
LINE = re.compile(r"^(ok|FAIL|none) +(\w+) +(\d+) compared", re.M)


def operand(i, formal):
    kind = str(formal.option).rsplit(".", 1)[-1].lower()
    return "..xs" if "variadic" in kind else f"x{i}?" if "optional" in kind else f"x{i}"


def is_tensor(formal):
    return any(t.startswith("tensor(") and "string" not in t for t in formal.types)


def rule(name, operands, clauses):
    call = lambda text: f"{name} <..params> ({text})"
    return (f"rule p_{name.rsplit('.', 1)[-1]}_{'.' in name:d}: Identity({call(operands)}) => "
            f"{call(operands.replace('?', ''))} {{ {clauses} }}\n")


def standard():
    newest = {}
    for s in onnx.defs.get_all_schemas_with_history():
        if s.domain == "" and s.since_version in range(1, OPSETS.stop):
            newest[s.name] = max(newest.get(s.name, s), s, key=lambda s: s.since_version)
    for name, s in sorted(newest.items()):
        if name in LEFT_OUT or s.deprecated or not is_tensor(s.outputs[0]):
            continue
        if s.inputs and not is_tensor(s.inputs[0]):
            continue
        late = f"where {{ opset >= {s.since_version} }}" if s.since_version > OPSETS[0] else ""
        yield name, rule(name, ", ".join(operand(i, f) for i, f in enumerate(s.inputs)), late)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--onnxrw", required=True)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("names", nargs="*")
    o = p.parse_args()
    rules = [*standard(), *((n, rule("com.microsoft." + n, x, "target ort")) for n, x in MICROSOFT.items())]
    text = "".join(r for n, r in rules if not o.names or n in o.names)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "operators.rules")
        path.write_text(f"pack operators {{ opset ai.onnx >= {OPSETS[0]} <= {OPSETS[-1]} }}\n{text}")
        command = [o.onnxrw, "rules", "test", f"--count={COUNT}", f"--seed={o.seed}", str(path)]
        run = subprocess.run(command, capture_output=True, text=True)
    if "only examples were run" in run.stderr:
        print("ONNX Runtime is not installed")
        sys.exit(77)
    seen = LINE.findall(run.stdout)
    bad = [line for line in seen if line[0] != "ok" or int(line[2]) < FEW.get(line[1][2:-2], COUNT)]
    for how, name, n in bad:
        print(f"{name[2:-2]}: {how}, {n} compared")
    if run.returncode not in (0, 1) or len(seen) != text.count("\n"):
        print(run.stdout + run.stderr)
    print(f"{len(seen)} operators, {len(bad)} hardly exercised")
    sys.exit(1 if bad or len(seen) != text.count("\n") else 0)


if __name__ == "__main__":
    main()
