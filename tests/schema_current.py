#!/usr/bin/env python3
"""Are the generated tables of ir/ what their scripts make today? Exit 77: cannot tell.

    tests/schema_current.py

Skipped where the wheels are missing or not those of tests/requirements.txt; after a change
of the versions there, run the scripts of tools/ and commit what they write.
"""

# SPDX-License-Identifier: Apache-2.0
import difflib
import pathlib
import sys

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parent.parent


def wheels():
    """The versions that are asked for, or a reason why not to go on."""
    try:
        import onnx
        import onnxruntime
    except ImportError as e:
        return str(e)
    here = {"onnx": onnx.__version__, "onnxruntime": onnxruntime.__version__}
    for line in (ROOT / "tests/requirements.txt").read_text().split():
        name, _, version = line.partition("==")
        if version and here.get(name, version) != version:
            return f"{name} is {here[name]}, the tables are made from {version}"
    return None


def compare(path, now):
    committed = (ROOT / path).read_text()
    if committed == now:
        print(f"{path}: current")
        return True
    diff = difflib.unified_diff(committed.splitlines(), now.splitlines(), path, "now",
                                lineterm="")
    print("\n".join(list(diff)[:40]))
    print(f"{path}: not current; run its script in tools/")
    return False


def main():
    reason = wheels()
    if reason:
        print(f"skipped: {reason} (tools/setup.sh installs what is needed)")
        return SKIPPED
    sys.path.insert(0, str(ROOT / "tools"))
    import gen_params
    import gen_runtime
    import gen_schema

    current = [compare("ir/schema/schema_table.inc", gen_schema.generate()),
               compare("ir/schema/param_table.inc", gen_params.generate()),
               compare("ir/schema/runtime_table.inc", gen_runtime.generate())]
    return 0 if all(current) else 1


if __name__ == "__main__":
    sys.exit(main())
