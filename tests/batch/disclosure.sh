#!/bin/bash
# SPDX-License-Identifier: MIT
# What students are told at each level, and what a machine without a sandbox says.
. tests/batch/batch.bash

hand_in_leaks
told=$dir/grades/feedback/anna/01-sync-vs-async.txt

batch --lessons 1 --feedback all
ok "all: every check is told" eval 'grep -q "^  passed  .*part a" "$told" && grep -q "^  failed  .*part b: the sum" "$told"'
ok "with the question, the line and what to read" eval 'grep -q "Read \"Asking and getting\"" "$told" && grep -q "?$" "$told"'
ok "no level tells what was expected, what came out, or what the program printed" \
    eval '! grep -qE "expected|seen|input [0-9]|seed|dead0" "$told" "$dir/grades/feedback/ben/01-sync-vs-async.txt"'
ok "a crash has its part and line, and no address" eval 'grep -q "It ended too early, in part b, at or after line" "$dir/grades/feedback/ben/01-sync-vs-async.txt"'
batch --lessons 1 --feedback failures
ok "failures: what passed is left out" eval '! grep -q "^  passed" "$told" && grep -q "^  failed" "$told"'
batch --lessons 1 --feedback score
ok "score: points and nothing else" eval 'is "$(wc -l < "$told")" 2 && grep -q "^wrong: .* of .* points$" "$told"'
ok "the instructor has it all" eval 'grep -q "input [0-9]" "$dir/grades/results.json" && grep -q "\"expected\": \"" "$dir/grades/results.json"'
ok "nothing was graded twice for that" is "$(find "$dir/grades/attempts" -name '*.json' | wc -l)" 2

# Without namespaces.
mv "$dir/grades" "$dir/walled"
inside() { run bwrap --dev-bind / / --unshare-user --disable-userns -- "$root/build/bin/batch" --seed 7 -o "$dir/grades" --lessons 1 "$@" "$class"; }
inside
ok "a machine that builds no sandbox says so, and what can be done" eval 'trouble "this machine builds no sandbox" && complains "--no-sandbox"'
ok "and runs nothing" eval '[ -z "$(find "$dir/grades/attempts" -name "*.json" 2> /dev/null)" ]'
inside --no-sandbox --feedback score
ok "told so, it grades without" eval 'ends 0 && says "no sandbox"'
ok "to the same bytes" cmp "$dir/walled/results.json" "$dir/grades/results.json"

batch --lessons 77
ok "a lesson that is not there is named" trouble "there is no lesson '77'"
batch --rubric "$dir/none.json"
ok "a rubric that is not there, too" eval 'ends 2 && complains "none.json"'
program=$root/build/bin/batch class=$dir/empty
mkdir -p "$class"
batch
ok "a folder with nothing in it says what would be" trouble "nothing in it is a lesson's file"
done_testing
