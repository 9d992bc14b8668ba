#!/bin/bash
# SPDX-License-Identifier: MIT
# A learner's path through make, in a copy of this folder: nobody's work/ is touched.
set -u

copy=$(mktemp -d) || exit 2
trap 'rm -rf "$copy"' EXIT
count=0 failed=0
tar -c --exclude=./.git --exclude=./work --exclude=./build/tests --exclude=./build/tmp --exclude=./build/book . | tar -x -C "$copy"
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

needed='The workbook needs Linux and GNU make 4.3 or newer'
one_line_needed() { [ "$status" = 2 ] && [ "$(wc -l <<< "$said")" = 1 ] && says "$needed, and this is $1"; }
for old in 3.81 3.82 4.0 4.1 4.2.1; do
    try make MAKE_VERSION=$old list
    check "GNU make $old gets one line" one_line_needed "Linux with $old"
done
for new in 4.3 4.4.1 4.10 4.20.1 5.0; do
    try make MAKE_VERSION=$new list
    check "GNU make $new goes on" [ "$status" = 0 ]
done
mkdir elsewhere && printf '#!/bin/sh\necho Darwin\n' > elsewhere/uname && chmod +x elsewhere/uname
try env PATH="$PWD/elsewhere:$PATH" make list
check "and so does another system" one_line_needed Darwin
printf '#!/bin/sh\nexit 1\n' > elsewhere/python3 && chmod +x elsewhere/python3 && rm elsewhere/uname
mkdir work && cp solutions/13-*.cu work
try env PATH="$PWD/elsewhere:$PATH" make lesson13
check "without a whole python3 a lesson's Python part is not judged, which is no failure" \
    eval '[ "$status" = 0 ] && says "The Python part is not judged here, the C part alone: there is no whole python3." && says "passed: 100 of 100"'
rm -r work
if command -v bmake > /dev/null; then
    try bmake list
    check "BSD's make is told, too" eval '[ "$status" != 0 ] && says "$needed" && [ "$(wc -l <<< "$said")" -le 3 ]'
else
    count=$((count + 1))
    echo "ok $count - BSD's make is told, too # SKIP no bmake here"
fi

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

try make demo06
check "demo06 runs the four-stream demo on each card" [ "$status $(grep -c '^V2, breadth first  *[0-9]' <<< "$said")" = '0 6' ]
try make demo06 SIM_PROFILE=c2050
check "or on the one that is named" [ "$status $(grep -c '^V2, breadth first  *7[.]' <<< "$said")" = '0 1' ]

rm -rf build
printf 'in the way' > build
try make lesson06
check "a build/ that cannot be written gets one line" [ "$(grep -vc '^make: ' <<< "$said") $status" = '1 2' ]
check "work/ outlives it all" cmp -s solutions/06-overlap.cu work/06-overlap.cu

echo "1..$count"
exit $failed
