#!/usr/bin/env bash
# Runs the fuzz targets of the preset fuzz, two at a time, each for so many seconds (30),
# from the seeds that a target has (tests/fuzz/NAME; saved.py makes those of check and
# model) and what earlier runs have found in build-fuzz/corpus.
# The random seed is fixed, so that a run differs from another in its length only; longer
# runs with other seeds are for people: FUZZ_SEED=0 takes a new one each time.
# What libFuzzer says is in build-fuzz/NAME.log; inputs that fail are in build-fuzz/crashes.
set -euo pipefail
cd "$(dirname "$0")/../.."
export seconds=${1:-30} seed=${FUZZ_SEED:-1}
python=$([ -x .venv/bin/python ] && echo .venv/bin/python || echo python3)

fuzz() {
    local name=${1##*/fuzz_} seeds=()
    mkdir -p "build-fuzz/corpus/$name" build-fuzz/crashes
    [ -d "tests/fuzz/$name" ] && seeds=("tests/fuzz/$name")
    if "$1" -max_total_time="$seconds" -seed="$seed" -timeout=20 -rss_limit_mb=2048 \
        -artifact_prefix="build-fuzz/crashes/$name-" \
        "build-fuzz/corpus/$name" "${seeds[@]}" >"build-fuzz/$name.log" 2>&1; then
        echo "fuzz_$name: $(grep '^Done' "build-fuzz/$name.log")"
    else
        echo "fuzz_$name: FAILED"
        tail -n 60 "build-fuzz/$name.log"
        return 1
    fi
}
export -f fuzz

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
"$python" tests/fuzz/make_seeds.py build-fuzz/corpus
printf '%s\0' build-fuzz/tests/fuzz_* | xargs -0 -P 2 -n 1 bash -c 'fuzz "$0"'
