#!/bin/bash
# SPDX-License-Identifier: MIT
# A learner's path through make, in a copy of this folder: nobody's work/ is touched.
. tests/tap.bash
copy=$dir/copy
copy_tree "$copy"
cd "$copy" || exit 2

says() { [[ $said == *"$1"* ]]; }

needed='The workbook needs Linux and GNU make 4.3 or newer'
one_line_needed() { [ "$status" = 2 ] && [ "$(wc -l <<< "$said")" = 1 ] && says "$needed, and this is $1"; }
for old in 3.81 3.82 4.0 4.1 4.2.1; do
    try make MAKE_VERSION=$old list
    ok "GNU make $old gets one line" one_line_needed "Linux with $old"
done
for new in 4.3 4.4.1 4.10 4.20.1 5.0; do
    try make MAKE_VERSION=$new list
    ok "GNU make $new goes on" [ "$status" = 0 ]
done
mkdir elsewhere && printf '#!/bin/sh\necho Darwin\n' > elsewhere/uname && chmod +x elsewhere/uname
try env PATH="$PWD/elsewhere:$PATH" make list
ok "and so does another system" one_line_needed Darwin
printf '#!/bin/sh\nexit 1\n' > elsewhere/python3 && chmod +x elsewhere/python3 && rm elsewhere/uname
mkdir work && cp solutions/13-*.cu work
try env PATH="$PWD/elsewhere:$PATH" make lesson13
ok "without a whole python3 a lesson's Python part is not judged, which is no failure" \
    eval '[ "$status" = 0 ] && says "Only the C part is judged here: the Python part needs a complete python3." && says "passed: 100 of 100"'
rm -r work
if command -v bmake > /dev/null; then
    try bmake list
    ok "BSD's make is told, too" eval '[ "$status" != 0 ] && says "$needed" && [ "$(wc -l <<< "$said")" -le 3 ]'
else
    skip "BSD's make is told, too" "no bmake here"
fi

try make
ok "make alone lists what can be made" says 'make lesson06'
ok "on a screen of 24 by 80, with room for the prompt" is "$(awk 'length > 80 { print } END { print NR <= 23 }' <<< "$said")" 1

try make -q all
ok "nothing is made twice" [ "$status" = 0 ]

# Before each verdict.
printf '#!/bin/sh\nfor file; do :; done\necho "$file" >> asked\nexec %s "$@"\n' "$(command -v sed)" > elsewhere/sed && chmod +x elsewhere/sed
env PATH="$PWD/elsewhere:$PATH" make -n lesson01 > said 2>&1
ok "make starts no process for solutions without build options" is "$(sort -u asked)" "$(grep -l '^ *// build:' solutions/*.cu)"
rm elsewhere/sed

# What a learner waits for in a fresh clone, before the first verdict.
first=$(make -n V=1 B=none lesson01 2> /dev/null)
one=$(basename lessons/01-*)
makes() { grep -Eo -- "-o none/[^ ]*$1[.][$][$]" <<< "$first" | sed 's,^-o none/,,; s,[.][$][$]$,,' | sort; }
ok "a first lesson takes two programs, simcc and a grader of its own" is "$(makes 'bin/[^ ]*')" $'bin/grade-01\nbin/simcc'
ok "and of the lessons one: checks, driver and solution" is "$(makes '[0-9][0-9]-[a-z-]*(-[0-9]|/driver|/reference)[.]o')" \
    "$(printf '%s\n' "lessons/$one/driver.o" "lessons/$one/reference.o" "obj/unity/$one-1.o")"
ok "nothing that classes, figures, tests and maintainers alone need" is "$(makes '[^ ]*(batch|export|figure|tests|tools|study|timeline)[^ ]*')" ""
ok "one set of precompiled headers" is "$(grep -o -- '--prelude [^ $]*' <<< "$first")" '--prelude none/lib/prelude/Og+g.'
ok "each object once, and no more than 44" eval '[ "$(makes "[.]o" | wc -l)" -le 44 ] && is "$(makes "[.]o" | uniq -d)" ""'
steps=$(make -n B=none lesson01 2> /dev/null | grep -o '\[%3d/[0-9]*\]')
ok "the steps are as many as it says" is "$(sort -u <<< "$steps")" "[%3d/$(wc -l <<< "$steps")]"

# What a lesson's driver and solution are made of, and how: after a git pull both are made anew if any of it has changed.
lessons=(lessons/[0-9][0-9]-*)
made_anew() { make -n V=1 all 2> /dev/null | grep -Eo -- "-o build/$1[.][$][$]" | sort -u | wc -l; }
all_anew() { is "$(made_anew 'lessons/[^/]*/driver.o') $(made_anew 'lessons/[^/]*/reference.o')" "${#lessons[@]} ${#lessons[@]}"; }
touched() {     # what file condition
    local then
    then=$(stat -c %y "$2") && touch "$2"
    ok "$1 is newer: drivers and solutions are made anew" "${@:3}"
    touch -d "$then" "$2"
}
edited() {      # what file edit condition
    cp -p "$2" before && sed -i "$3" "$2"
    ok "$1 has changed: made anew" eval '! cmp -s before "$2" && "${@:4}"'
    mv before "$2"
}
touched "a header of all drivers" common/slots.h all_anew
touched "a header that the simulator offers" common/sim/include/cuda_runtime_api.h all_anew
touched "the rewriter" common/simcc/rewrite/rewrite.c all_anew
one_anew() { is "$(made_anew 'lessons/[^/]*/(driver|reference).o')" 2; }
touched "one lesson's header" lessons/06-overlap/lesson.h one_anew
edited "an option of lessons" tools/make/sources.mk 's/^lesson_options := .*/& -DX/' all_anew
edited "an option in the rule for drivers" tools/make/build.mk 's/ -Ilessons.* -c -o /&-DX /' all_anew
edited "how a driver's lines are named" tools/make/build.mk 's/^from_here = /&-DX /' all_anew
headers_anew() { [ "$(make -n V=1 all 2> /dev/null | grep -o -- '--prelude [^ ]*' | sort -u | wc -l)" = 5 ]; }
edited "an option of precompiled headers" tools/make/sources.mk 's/^options_O2+g := .*/& -DX/' headers_anew
c_anew() { [ "$(made_anew 'obj/[^ ]*.o')" -gt 50 ]; }
edited "how C is compiled" Makefile "s/^compile_c .*/& -DX/" c_anew


try make lesson99
ok "a lesson that is not there gets one line" [ "$(grep -vc '^make: ' <<< "$said") $status" = '1 2' ]

try make lesson06
ok "the first time, the starter is copied to work/" cmp -s exercises/06-overlap.cu work/06-overlap.cu
ok "and an untouched starter is not attempted" says 'not attempted'
ok "which is no success" [ "$status" = 2 ]

cp solutions/06-overlap.cu work/
try make lesson06
ok "a right answer passes" [ "$status" = 0 ]
ok "and is not overwritten" cmp -s solutions/06-overlap.cu work/06-overlap.cu

try make lesson06 SEED=7 SIM_PROFILE=c2050 JSON=verdict.json
ok "SEED, SIM_PROFILE and JSON reach the grader" \
    [ "$(grep -c '"seed": 7,$\|"card": "c2050",$' verdict.json)" -ge 2 ]

try make lesson06 SIM_PROFILE=abacus
ok "a card that is not there gets one line" [ "$(grep -vc '^make: ' <<< "$said") $status" = '1 2' ]

try make run06
ok "run06 runs it and gives no points" [ "$status" = 0 -a "$(grep -c points <<< "$said")" = 0 ]

try make demo06
ok "demo06 runs the four-stream demo on each card" [ "$status $(grep -c '^V2, breadth first  *[0-9]' <<< "$said")" = '0 6' ]
try make demo06 SIM_PROFILE=c2050
ok "or on the one that is named" [ "$status $(grep -c '^V2, breadth first  *7[.]' <<< "$said")" = '0 1' ]

rm -rf build
printf 'in the way' > build
try make lesson06
ok "a build/ that cannot be written gets one line" [ "$(grep -vc '^make: ' <<< "$said") $status" = '1 2' ]
ok "work/ outlives it all" cmp -s solutions/06-overlap.cu work/06-overlap.cu

done_testing
