"""Writes the seed corpus of the fuzz target for models: small models that together have
every message of the format.

    make_seeds.py FOLDER

SPDX-License-Identifier: Apache-2.0
"""
import glob
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import roundtrip  # noqa: E402

MOST = 8 << 10  # bytes of a seed: small ones are mutated more


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    models = {"rich": roundtrip.rich_model().SerializeToString(),
              "unknown": roundtrip.with_unknown(roundtrip.rich_model()).SerializeToString(),
              "small": roundtrip.with_graph(lambda g: None)}
    models.update((f"bad-{name}", data) for name, data, _ in roundtrip.malformed_cases()
                  if len(data) < MOST)
    for name, data in models.items():
        with open(os.path.join(folder, name + ".onnx"), "wb") as f:
            f.write(data)
    for path in sorted(glob.glob(os.path.join(HERE, "..", "models", "*.onnx"))):
        if os.path.getsize(path) < MOST:
            shutil.copy(path, folder)


if __name__ == "__main__":
    main()
