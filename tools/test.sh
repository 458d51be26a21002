#!/usr/bin/env bash
# Everything that CI checks, on a fresh Debian machine too. Arguments go to the last ctest,
# that of the build with sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."
step() { echo "== $* ($SECONDS s)"; }

tools/setup.sh

step "clang, release: no warnings"
cmake --preset release -B build-clang -DCMAKE_C_COMPILER=clang >/dev/null
cmake --build build-clang

step "clang, fuzz targets: 30 s each"
tests/fuzz/run.sh 30

step "gcc, release: real models, where they are"
cmake --preset release >/dev/null
cmake --build --preset release
ctest --test-dir build --output-on-failure -L slow

step "gcc, address and undefined behaviour sanitizers: the tests"
cmake --preset dev >/dev/null
cmake --build --preset dev
ctest --test-dir build-dev --output-on-failure -j2 -LE slow "$@"
