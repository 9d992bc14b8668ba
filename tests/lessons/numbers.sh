#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What chapters say in numbers between their pictures is what facts, runs and files say (numbers_said.py, numbers.tsv).
. tests/tap.bash
export PYTHONDONTWRITEBYTECODE=1

# The first tests are its own.
run python3 tests/lessons/numbers_said.py
sed '/^1\.\./d' "$dir/out"
cat "$dir/err"
tap_count=$(grep -c '^\(not \)\?ok' "$dir/out")
ends 0 || tap_failed=1

found() { ! ends 0 && says "$1"; }
# A table of one line is found out.
finds() {   # sentence line text
    printf '%b\n' "$2" > "$dir/table"
    run python3 tests/lessons/numbers_said.py "$dir/table"
    ok "$1" found "$3"
}
finds "a number that is not its source's is found" '10\tEach kernel takes # ms\t0.3' 'the chapter says 0.2, its source 0.3'
finds "a number that nobody vouches for is found" '10\tEach kernel takes # ms\t0.2' 'Pinned copies ran at 55 GB/s'
finds "words that the chapter does not say are found" '10\tEach kernel takes # weeks\t3' 'the chapter says this 0 times'
finds "words that do not hold any more are found" '10\tEight launches, three copies.\t[4 5] 3' '3 is not from 4 to 5'
done_testing
exit $status
