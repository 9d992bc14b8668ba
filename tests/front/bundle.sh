#!/bin/bash
# SPDX-License-Identifier: MIT
# A bundle grades where the libraries' headers are missing and PATH has a compiler and make alone.
. tests/tap.bash
seen() { echo "status $status"; tail -n 20 "$dir/said"; }
if [ -z "$(echo 'int main(void) { return 0; }' | ${CC:-gcc} -static -xc -o "$dir/static" - -ljansson 2>&1 || echo no)" ]; then :; else
    skip "a bundle is packed" "there is no static libjansson"
    done_testing
fi

made() { make -s bundle > "$dir/said" 2>&1; }
ok "a bundle is packed" made
tar -xzf build/streams-workbook-*-bundle.tar.gz -C "$dir" 2> "$dir/said"
cd "$dir"/streams-workbook-*-bundle || exit 2

# Nothing but these; and no header of a library that is not the compiler's own.
mkdir "$dir/bin"
for tool in gcc g++ cc1 cc1plus as ld ar make bash sh addr2line awk basename cat chmod cmp cp cut date diff diff3 dirname expr find \
    grep head id install ln ls mkdir mktemp mv printf rm rmdir sed sha256sum gzip sort tail tar test touch tr uname wc; do
    path=$(type -P "$tool") && ln -s "$path" "$dir/bin/$tool"
done
hidden=()
if bwrap --dev-bind / / true 2> /dev/null; then
    hidden=(bwrap --dev-bind / /)
    for header in jansson cmocka archive seccomp; do
        [ ! -e "/usr/include/$header.h" ] || hidden+=(--ro-bind /dev/null "/usr/include/$header.h")
    done
fi
try() { env -i PATH="$dir/bin" HOME="$dir" BACKEND=sim "${hidden[@]/#bwrap/$(type -P bwrap)}" "$@" > "$dir/said" 2>&1; status=$?; }

try make lesson01
ok "it grades a starter" grep -q '^not attempted: 0 of' "$dir/said"
ok "and compiles nothing of its own but headers, once" eval \
    '! grep -Eq "^ +(CC|LINK|AR|SIMCC) " "$dir/said" && [ "$(echo build/lib/prelude/*/calls)" = build/lib/prelude/Og+g/calls ]'
# Headers are precompiled where they are needed first. By the same rule the others would be made, and are there already.
for made in "$root"/build/lib/prelude/*; do
    [ -e "build/lib/prelude/${made##*/}" ] || cp -al "$made" build/lib/prelude 2> /dev/null || cp -a "$made" build/lib/prelude
done
cp solutions/06-overlap.cu work/06-overlap.cu
try make SEED=1 lesson06
ok "it grades a solution" eval '[ "$status" = 0 ] && grep -q "^passed: 100 of 100" "$dir/said"'
try make progress
ok "it remembers" grep -q '1 of [0-9]* lessons done' "$dir/said"


# Each verb, on untouched starters: what it ends with, and what it says. watch ends when its reader does. LONG=1: with each
# lesson; without it, most with a short one, one that runs on several cards, and one with a part in Python.
rm -rf work
said_of() { tr -s '\n ' ' ' < "$dir/said" | grep -q -- "$1" && ! grep -qi 'no such\|nonexistent\|missing\|no rule\|not found' "$dir/said"; }
verb() {    # name status phrase lesson...
    local n wrong=
    for n in "${@:4}"; do
        try make "$1$n"
        [ "$status" = "$2" ] && said_of "${3//NN/$n}" || wrong+=" $1$n"
        [ -z "$wrong" ] || break
    done
    ok "$1: ${*:4}" [ -z "$wrong" ]
}
watches() {     # lesson
    env -i PATH="$dir/bin" HOME="$dir" BACKEND=sim "$(type -P timeout)" 60 make "watch$1" 2>&1 | sed '/^Watching /q' > "$dir/said"
    [ "${PIPESTATUS[0]}" = 0 ] && said_of 'not attempted: 0 of.*Watching '
}
lessons=()
for path in lessons/[0-9][0-9]-*; do lessons+=("${path:8:2}"); done
verb lesson 2 'Made work/NN-.*not attempted: 0 of' "${lessons[@]}"
[ -n "${LONG-}" ] || lessons=(01 06 13)
verb run 0 . "${lessons[@]}"
verb hint 0 'TODO at work/NN-' "${lessons[@]}"
verb solution 2 'has not passed yet' "${lessons[@]}"
verb reset 0 'is as in the starter' "${lessons[@]}"
verb merge 0 'Nothing has changed' "${lessons[@]}"
for lesson in "${lessons[@]}"; do
    ok "watch: $lesson" watches "$lesson"
done
try make submit NAME=me
ok "the work is packed" [ -s build/submit/me.tar.gz ]
try make list
ok "lessons are listed" said_of 'make lesson14 '
try make
ok "and what can be made" grep -q 'make lesson06 ' "$dir/said"
for goal in check book 'grade SUBMISSIONS=work' profile; do
    try make $goal
    ok "make ${goal%% *}: what takes the whole workbook says so in one line" eval \
        '[ "$status" = 2 ] && [ "$(grep -vc "^make: \|^  WRITE \|^  HEADERS " "$dir/said")" = 1 ] && said_of "takes the whole workbook"'
done
ok "what a program in Python is judged with is there" [ -x build/bin/nodes ]

try build/bin/simcc -o "$dir/program" tests/sim/rules/streams/order.cu -Icommon
[ -e tests/sim/rules/streams/order.cu ] || try build/bin/simcc -o "$dir/program" "$(ls tests/sim/rules/*/*.cu | head -n 1)" -Icommon
ok "simcc compiles a program" [ "$status" = 0 ]
for goal in simcc demo06 "install DESTDIR=$dir/there"; do
    try make $goal
    ok "make ${goal%% *}" [ "$status" = 0 ]
done
ok "what is installed is there" [ -x "$dir/there/usr/local/bin/simcc" ]
try make clean
ok "make clean leaves what cannot be made again" eval 'said_of "Nothing to clean" && [ -x build/bin/grade ]'

# With nvcc and a card, made up as in tests/grader/grade/gpu.sh.
mkdir "$dir/toolkit" && cp "$root/tests/grader/toolkit/nvcc" "$dir/toolkit" && echo "$root" > "$dir/toolkit/root"
: > "$dir/recorder.so"
there=(PATH="$PATH" BACKEND=both NVCC="$dir/toolkit/nvcc" RECORDER="$dir/recorder.so" GPU_FOLDER="$dir/gpu")
on_both() { try "$(type -P env)" "${there[@]}" make SEED=1 lesson03; }
asks_card() { tr -s '\n ' ' ' < "$dir/said" | grep -qF 'Judged on the NVIDIA H200 (real) of this machine as well'; }
cp solutions/03-events.cu work/03-events.cu
on_both
ok "where there are nvcc and a card it judges on both" eval '[ "$status" = 0 ] && asks_card && grep -q "^passed: 100 of 100" "$dir/said"'
ok "and compiles for the card alone" eval 'grep -q "NVCC  " "$dir/said" && ! grep -Eq " (CC|LINK|AR|SIMCC)  " "$dir/said"'
tests/edit show tests/wrong/03-events/a-twice.diff > work/03-events.cu
on_both
ok "and finds a wrong answer wanting" eval '[ "$status" != 0 ] && asks_card && grep -q "FAIL .*each stage is launched once" "$dir/said"'
done_testing
