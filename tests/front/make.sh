#!/bin/bash
# SPDX-License-Identifier: MIT
# A learner's path through make, in a copy of this folder: nobody's work/ is touched.
set -u

copy=$(mktemp -d) || exit 2
trap 'rm -rf "$copy"' EXIT
count=0 failed=0
tar -c --exclude=./.git --exclude=./work --exclude=./build/tests --exclude=./build/tmp . | tar -x -C "$copy"
cd "$copy" || exit 2

said= status=
try() { said=$("$@" 2>&1 < /dev/null); status=$?; }
check() {   # sentence, command...
    count=$((count + 1))
    local sentence=$1
    shift
    if "$@"; then
        echo "ok $count - $sentence"
    else
        failed=1
        echo "not ok $count - $sentence"
        printf 'status %s, said: %s\n' "$status" "$said" | sed 's/^/# /'
    fi
}
says() { [[ $said == *"$1"* ]]; }

try make
check "make alone lists what can be made" says 'make lesson06'

try make -q all
check "nothing is made twice" [ "$status" = 0 ]

try make lesson99
check "a lesson that is not there gets one line" [ "$(grep -vc '^make: ' <<< "$said") $status" = '1 2' ]

try make lesson06
check "the first time, the starter is copied to work/" cmp -s exercises/06-overlap.cu work/06-overlap.cu
check "and an untouched starter is not attempted" says 'not attempted'
check "which is no success" [ "$status" = 2 ]

cp solutions/06-overlap.cu work/
try make lesson06
check "a right answer passes" [ "$status" = 0 ]
check "and is not overwritten" cmp -s solutions/06-overlap.cu work/06-overlap.cu

try make lesson06 SEED=7 SIM_PROFILE=c2050 JSON=verdict.json
check "SEED, SIM_PROFILE and JSON reach the grader" \
    [ "$(grep -c '"seed": 7,$\|"card": "c2050",$' verdict.json)" -ge 2 ]

try make lesson06 SIM_PROFILE=abacus
check "a card that is not there gets one line" [ "$(grep -vc '^make: ' <<< "$said") $status" = '1 2' ]

try make run06
check "run06 runs it and gives no points" [ "$status" = 0 -a "$(grep -c points <<< "$said")" = 0 ]

rm -rf build
printf 'in the way' > build
try make lesson06
check "a build/ that cannot be written gets one line" [ "$(grep -vc '^make: ' <<< "$said") $status" = '1 2' ]
check "work/ outlives it all" cmp -s solutions/06-overlap.cu work/06-overlap.cu

echo "1..$count"
exit $failed
