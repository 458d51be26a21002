"""Where the corpora of real models are, which are not part of the repository.
SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib

BESIDE = pathlib.Path(__file__).resolve().parent.parent.parent / "shared"


def add_argument(parser):
    """--shared: the folder, by default $ONNXRW_SHARED or the one beside the clone."""
    parser.add_argument("--shared", type=pathlib.Path, default=pathlib.Path(os.environ.get("ONNXRW_SHARED", BESIDE)))
