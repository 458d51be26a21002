#!/usr/bin/env python3
"""Quantising what onnxrw wrote: attention stays fused.

    quantise.py ONNXRW

examples/bert is rewritten, shapes are inferred into it, and ONNX Runtime's quantisers go over it, as
docs/attention.md says: weights alone, QDQ and QOperator. What comes out runs, near the original, with
its products quantised and each attention still one operator.
SPDX-License-Identifier: Apache-2.0
"""
import collections, logging, pathlib, subprocess, sys, tempfile

try:
    import numpy as np, onnx
    import unoptimised
    from onnxruntime.quantization import (CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic,
                                          quantize_static)
except ImportError:
    print("the onnx and onnxruntime packages are not installed")
    sys.exit(77)

MODEL = pathlib.Path(__file__).resolve().parent.parent / "examples" / "bert" / "bert.onnx"
BLOCKS = 2
NEAR = 0.2  # of numbers around 1, with 8 bits


class Once(CalibrationDataReader):
    def __init__(self, x):
        self.left = [x]

    def get_next(self):
        return self.left.pop() if self.left else None


def by_format(form):
    return lambda source, out, x: quantize_static(source, out, Once(x), quant_format=form)


WAYS = {
    "weights": (lambda source, out, x: quantize_dynamic(source, out, weight_type=QuantType.QInt8), "MatMulInteger"),
    "QDQ": (by_format(QuantFormat.QDQ), "QuantizeLinear"),
    "QOperator": (by_format(QuantFormat.QOperator), "QLinearMatMul"),
}


def inputs():
    n = np.random.default_rng(0)
    known = {"input_ids": n.integers(0, 50, (2, 7))}
    return {i.name: known.get(i.name, np.ones((2, 7))).astype(np.int64) for i in onnx.load(MODEL).graph.input}


def main():
    logging.disable(logging.WARNING)
    x, failures = inputs(), 0
    was = unoptimised.session(MODEL).run(None, x)
    with tempfile.TemporaryDirectory() as folder:
        fused, inferred, out = (str(pathlib.Path(folder) / f"{n}.onnx") for n in ("fused", "inferred", "out"))
        subprocess.run([sys.argv[1], "-q", "-o", fused, MODEL], check=True)
        subprocess.run([sys.argv[1], "infer", "-q", "-o", inferred, fused], check=True)
        for name, (quantise, product) in WAYS.items():
            quantise(inferred, out, x)
            ops = collections.Counter(n.op_type for n in onnx.load(out).graph.node)
            error = max(float(np.abs(a - b).max()) for a, b in zip(was, unoptimised.session(out).run(None, x)))
            good = ops["Attention"] == BLOCKS and ops[product] >= 2 * BLOCKS and 0 < error < NEAR
            failures += not good
            print(f"{name}: {ops['Attention']} Attention, {ops[product]} {product}, error {error:.2g}{'' if good else ': WRONG'}")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
