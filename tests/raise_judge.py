"""Is a raised model valid, and does it compute what it did? For raise_ops.py and raise.py.

The judges are onnx.checker in full, and ONNX Runtime with its optimisations off; where the
runtime lacks an operator at the newer opset, the reference evaluator of the onnx package.
SPDX-License-Identifier: Apache-2.0
"""
import subprocess
import warnings

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

import unoptimised

warnings.simplefilter("ignore")
LACKS = ("NOT_IMPLEMENTED", "No Op registered", "no kernel", "not implemented")


def run(model, feeds):
    """(outputs, None), or (None, why not); "lacks" where the runtime has no such operator."""
    try:
        s = unoptimised.session(model)
        names = {i.name for i in s.get_inputs()}
        return s.run(None, {k: v for k, v in feeds.items() if k in names}), None
    except Exception as e:  # of many classes
        text = str(e)
        return None, "lacks" if any(x in text for x in LACKS) else text[:200]


def refer(model, feeds):
    try:
        names = {i.name for i in model.graph.input}
        return ReferenceEvaluator(model).run(
            None, {k: v for k, v in feeds.items() if k in names}), None
    except Exception as e:
        return None, str(e)[:200]


def plain(x):
    """As an array that numpy compares, or a list of such."""
    if isinstance(x, (list, tuple)):
        return [plain(y) for y in x]
    if x is None:
        return None
    x = np.asarray(x)
    return x.astype(np.float64) if x.dtype.kind == "V" else x


def differs(a, b, rtol=1e-5):
    """What is different between two lists of results, or None."""
    a, b = plain(a), plain(b)
    if isinstance(a, list) or isinstance(b, list):
        if type(a) is not type(b) or len(a) != len(b):
            return "another number of values"
        return next((d for x, y in zip(a, b) if (d := differs(x, y, rtol))), None)
    if a is None or b is None:
        return None if a is b else "one is None"
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{a.dtype}{list(a.shape)} for {b.dtype}{list(b.shape)}"
    if a.dtype.kind != "f":
        return None if np.array_equal(a, b) else f"{a.ravel()[:6]} for {b.ravel()[:6]}"
    if a.dtype.itemsize == 2:
        rtol = max(rtol, 1e-2)
    x, y = a.astype(np.float64), b.astype(np.float64)
    scale = np.maximum(1, np.abs(y[np.isfinite(y)]).max(initial=0))
    close = np.isclose(x, y, rtol=rtol, atol=rtol * scale, equal_nan=True)
    return None if close.all() else f"{x[~close][:4]} for {y[~close][:4]}"


def invalid(model):
    try:
        onnx.checker.check_model(model, full_check=True)
        return None
    except Exception as e:
        return str(e).strip().splitlines()[-1][:200]


def raised(tool, pack, source, target, opset):
    """None, or why the tool does not raise the file."""
    done = subprocess.run([tool, "-q", "-r", pack, "--verify=off", f"--opset={opset}", "-o",
                           target, source], capture_output=True, text=True)
    return done.stderr.strip() or f"exit status {done.returncode}" if done.returncode else None
