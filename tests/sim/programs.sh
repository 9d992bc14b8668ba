#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs in the manner of those that people learn CUDA from: each compiles with
# no warning, says that its results are right and has no hazard.
set -u
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
number=0
for source in tests/sim/programs/*.cu; do
    number=$((number + 1))
    name=$(basename "$source" .cu)
    what=$(sed -n '2s|^/\* \(.*\) \*/$|\1|p' "$source")
    if build/bin/simcc -Wall -Werror "$source" -o "$scratch/$name" > "$scratch/said" 2>&1 &&
        timeout 60 "$scratch/$name" > "$scratch/said" 2>&1 && grep -q '^right' "$scratch/said" &&
        ! grep -qE 'no faster|one by one|did not count|no time' "$scratch/said" &&
        [ "$(wc -l < "$scratch/said")" = 1 ]; then
        echo "ok $number - $name: $what"
    else
        echo "not ok $number - $name: $what"
        head -n 20 "$scratch/said" | sed 's/^/# /'
    fi
done
echo "1..$number"
