#!/usr/bin/env bash
# Builds onnxrw and rewrites the real model in examples/bert with the pack for its family.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build
cmake --preset release >/dev/null
cmake --build --preset release
build/onnxrw -r bert.rules -o build/bert.opt.onnx examples/bert/bert.onnx
