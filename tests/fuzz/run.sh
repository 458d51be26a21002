#!/usr/bin/env bash
# Runs the fuzz targets of the preset fuzz, each for so many seconds (30), from the seeds
# that a target has and what earlier runs have found in build-fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-30}
python=$([ -x .venv/bin/python ] && echo .venv/bin/python || echo python3)
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
"$python" tests/fuzz/make_seeds.py build-fuzz/corpus/model
for target in build-fuzz/tests/fuzz_*; do
    name=${target##*/fuzz_}
    mkdir -p "build-fuzz/corpus/$name" "build-fuzz/crashes"
    seeds=(); [ -d "tests/fuzz/$name" ] && seeds=("tests/fuzz/$name")
    "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="build-fuzz/crashes/$name-" "build-fuzz/corpus/$name" "${seeds[@]}"
done
