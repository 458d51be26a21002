"""ONNX Runtime as the judge of tests: what a model computes with all optimisations off.
SPDX-License-Identifier: Apache-2.0
"""
import pathlib

import numpy as np
import onnx
import onnxruntime


def session(model):
    """Of a model, or of a file: one thread, and nothing printed."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    source = model.SerializeToString() if isinstance(model, onnx.ModelProto) else str(model)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def stored_inputs(path):
    """{name: array} of the file X.npz that lies beside a model X.onnx."""
    data = np.load(pathlib.Path(path).with_suffix(".npz"), allow_pickle=True)
    return {k[3:]: data[k] for k in data.files if k.startswith("in:")}
