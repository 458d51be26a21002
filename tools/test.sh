#!/usr/bin/env bash
# Builds and runs every test, on a fresh Debian machine too.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh
cmake --preset dev >/dev/null
cmake --build --preset dev
ctest --test-dir build-dev --output-on-failure "$@"
