"""Writes the seed corpora of the fuzz targets: for `model` small models that together have
every message of the format, for `check` models of all operators, valid and with one fault.

    make_seeds.py FOLDER        the corpora are FOLDER/model and FOLDER/check

SPDX-License-Identifier: Apache-2.0
"""
import glob
import os
import random
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import onnx  # noqa: E402

import model_faults  # noqa: E402
import roundtrip  # noqa: E402
import verify_mutations  # noqa: E402

MOST = 8 << 10  # bytes of a seed: small ones are mutated more
SMALL = 2 << 10


def write(folder, models):
    os.makedirs(folder, exist_ok=True)
    for name, data in models.items():
        with open(os.path.join(folder, name + ".onnx"), "wb") as f:
            f.write(data)


def whole_format():
    models = {"rich": roundtrip.rich_model().SerializeToString(),
              "unknown": roundtrip.with_unknown(roundtrip.rich_model()).SerializeToString(),
              "small": roundtrip.with_graph(lambda g: None)}
    models.update((f"bad-{name}", data) for name, data, _ in roundtrip.malformed_cases()
                  if len(data) < MOST)
    return models


def operators():
    """One small model of each operator, and the same with a fault."""
    draw, models, seen = random.Random(1), {}, set()
    for name, data in verify_mutations.backend_models():
        model = onnx.load_from_string(data)
        op = model.graph.node[0].op_type
        if len(data) > SMALL or op in seen:
            continue
        seen.add(op)
        broken, _ = model_faults.faulty(model, draw)
        models[name] = data
        models[name + "-fault"] = broken.SerializeToString()
    return models


def main():
    corpora = sys.argv[1]
    folder = os.path.join(corpora, "model")
    write(folder, whole_format())
    write(os.path.join(corpora, "check"), operators())
    for path in sorted(glob.glob(os.path.join(HERE, "..", "models", "*.onnx"))):
        if os.path.getsize(path) < MOST:
            shutil.copy(path, folder)


if __name__ == "__main__":
    main()
