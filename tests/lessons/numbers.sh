#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What chapters say in numbers between their pictures is what facts, runs and files say (numbers_said.py, numbers.tsv).
set -u
export PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

python3 tests/lessons/numbers_said.py > "$scratch/said" || status=1
sed '/^1\.\./d' "$scratch/said"
count=$(grep -c '^\(not \)\?ok' "$scratch/said") status=${status-0}

# A table of one line is found out.
finds() {   # sentence line pattern
    count=$((count + 1))
    printf '%b\n' "$2" > "$scratch/table"
    if python3 tests/lessons/numbers_said.py "$scratch/table" > "$scratch/said" || ! grep -q "$3" "$scratch/said"; then
        status=1
        echo "not ok $count - $1"
        sed 's/^/# /' "$scratch/said"
    else
        echo "ok $count - $1"
    fi
}
finds "a number that is not its source's is found" '10\tEach kernel takes # ms\t0.3' 'the chapter says 0.2, its source 0.3'
finds "a number that nobody vouches for is found" '10\tEach kernel takes # ms\t0.2' 'pinned copies went at 55 GB/s'
finds "words that the chapter does not say are found" '10\tEach kernel takes # weeks\t3' 'the chapter says this 0 times'
finds "words that do not hold any more are found" '10\tEight launches, three copies.\t[4 5] 3' '3 is not from 4 to 5'
echo "1..$count"
exit $status
