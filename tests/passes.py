#!/usr/bin/env python3
"""The whole-graph passes on the models of tests/models, judged by ONNX Runtime.

    tests/passes.py RUN_PASSES [MODEL ...]

RUN_PASSES (tests/tools/run_passes.c) rewrites each model with every pass alone and with
all of them; the checker must accept the result, interface and outputs must be the same.
Exit 77: cannot tell.
"""

# SPDX-License-Identifier: Apache-2.0
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
ALONE = ["dedupe", "shapes", "fold", "transpose", "casts", "cse", "dce"]
TOGETHER = ",".join(ALONE)
# By how much an output may differ, relative to the larger of 1 and itself: constants are
# computed by other code than the runtime's.
TOLERANCE = 1e-6

try:
    import numpy as np
    import onnx
    import unoptimised
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(SKIPPED)


def fault(path):
    """What the checker finds, or None."""
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as e:
        return str(e)
    return None


def interface(s):
    return [[(v.name, v.type, v.shape) for v in vs] for vs in (s.get_inputs(), s.get_outputs())]


def feed_of(path):
    return {k: v.astype(object) if v.dtype.kind == "U" else v for k, v in unoptimised.stored_inputs(path).items()}


def difference(want, got):
    """What is different between two outputs, or None."""
    if isinstance(want, (list, dict)) or want.dtype.kind not in "fiub":
        return None if str(want) == str(got) else "values differ"
    if want.shape != got.shape or want.dtype != got.dtype:
        return f"{got.dtype}{got.shape} for {want.dtype}{want.shape}"
    if np.allclose(got, want, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
        return None
    return f"values differ by {np.abs(got.astype(float) - want.astype(float)).max():.2g}"


def problems(tool, path, passes, out):
    done = subprocess.run([tool, passes, path, out], capture_output=True, text=True)
    if done.returncode:
        return [f"exit {done.returncode}: {done.stderr.strip()}"]
    if fault(out) and not fault(path):  # some models are not quite valid
        return [fault(out)]
    before, after = unoptimised.session(path), unoptimised.session(out)
    if interface(before) != interface(after):
        return ["interface changed"]
    feed = feed_of(path)
    pairs = zip(before.run(None, feed), after.run(None, feed), strict=True)
    return [d for d in (difference(w, g) for w, g in pairs) if d]


def main():
    tool, *models = sys.argv[1:]
    paths = [pathlib.Path(m) for m in models] or sorted((HERE / "models").glob("*.onnx"))
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            for passes in [*ALONE, TOGETHER]:
                found = problems(tool, path, passes, pathlib.Path(folder) / "out.onnx")
                wrong += bool(found)
                for problem in found:
                    print(f"{path.name}: {passes}: {problem}")
    print(f"{len(paths)} models, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
