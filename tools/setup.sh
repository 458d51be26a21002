#!/usr/bin/env bash
# Installs what the build and the tests need on a Debian machine: compilers, flex, bison,
# protobuf-c, zlib, CUnit by apt; a virtual environment .venv with the Python packages that the
# tests compare with. Does nothing that is done already. Run as root, or with sudo there.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(gcc g++ cmake ninja-build pkg-config flex bison protobuf-c-compiler libprotobuf-c-dev
          zlib1g-dev)
[ "${1:-}" = build ] || packages+=(libcunit1-dev clang libclang-rt-14-dev valgrind python3-venv)

missing=()
for p in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
done
if [ ${#missing[@]} -gt 0 ]; then
    sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get update -q
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
fi
[ "${1:-}" = build ] && exit 0

want=$(sha256sum < tests/requirements.txt)
if [ "$(cat .venv/requirements.sum 2>/dev/null)" != "$want" ]; then
    python3 -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check -r tests/requirements.txt
    echo "$want" > .venv/requirements.sum
fi
