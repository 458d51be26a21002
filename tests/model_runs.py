"""Which models ONNX Runtime runs to results of the declared types and shapes.

    model_runs.py < PATHS       a path a line in, as JSON; a line out: true, or null where it
                                does not run, or gives something else than is declared

Operands are made from the declared types of the inputs. As a program of its own, because
models that are wrong may end its process, or keep it busy.

SPDX-License-Identifier: Apache-2.0
"""
import json
import signal
import sys

import numpy
import onnx
import unoptimised

SECONDS = 10
MOST = 1 << 20  # elements of an input


def operand(info):
    """Ones, of 2 where a dimension is not known."""
    t = info.type.tensor_type
    shape = [d.dim_value if d.HasField("dim_value") else 2 for d in t.shape.dim]
    if not info.type.HasField("tensor_type") or numpy.prod(shape, dtype=float) > MOST:
        raise ValueError("no such operand")
    dtype = onnx.helper.tensor_dtype_to_np_dtype(t.elem_type)
    return numpy.ones(shape, dtype)


def is_as_declared(value, info):
    if not info.type.HasField("tensor_type") or not isinstance(value, numpy.ndarray):
        return False
    t = info.type.tensor_type
    declared = onnx.helper.tensor_dtype_to_np_dtype(t.elem_type)
    if value.dtype != declared and value.dtype != object:
        return False
    return not t.HasField("shape") or len(t.shape.dim) == value.ndim and all(
        not d.HasField("dim_value") or d.dim_value == n
        for d, n in zip(t.shape.dim, value.shape))


def runs(path):
    graph = onnx.load(path).graph
    constants = {i.name for i in graph.initializer}
    operands = {i.name: operand(i) for i in graph.input if i.name not in constants}
    results = unoptimised.session(path).run(None, operands)
    return all(is_as_declared(v, o) for v, o in zip(results, graph.output))


def main():
    for line in sys.stdin:
        signal.alarm(SECONDS)
        try:
            verdict = runs(json.loads(line)) or None
        except Exception:  # of many classes: it does not run
            verdict = None
        signal.alarm(0)
        print(json.dumps(verdict), flush=True)


if __name__ == "__main__":
    main()
