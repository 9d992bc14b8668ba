#!/bin/bash
# SPDX-License-Identifier: MIT
# Gradescope's archive, unpacked, set up and run as Gradescope does it.
. tests/export/platforms.bash

grader=$dir/gradescope
pack gradescope LESSONS=1 SEED=7 FEEDBACK=failures
ok "Gradescope's archive is packed" ends 0
cp build/autograder/gradescope.zip "$dir/first.zip"
pack gradescope LESSONS=1 SEED=7 FEEDBACK=failures
ok "the same again is the same bytes" cmp "$dir/first.zip" build/autograder/gradescope.zip
mkdir -p "$grader/source" "$grader/submission" "$grader/results"
ok "it has setup.sh and run_autograder on top, and both can be run" \
    eval 'unzip -q build/autograder/gradescope.zip -d "$grader/source" && [ -x "$grader/source/setup.sh" ] && [ -x "$grader/source/run_autograder" ]'
cp "$grader/source/run_autograder" "$grader"
cp "$mistaken" "$grader/submission/mine.cu"
inside "$grader" /autograder /autograder/run_autograder
ok "before it is set up there is a result, too" eval 'schema gradescope < "$grader/results/results.json" && grep -q "not your fault" "$grader/results/results.json"'
# What a compiler makes of it is not optimized, which takes half as long.
inside "$grader" /autograder env CFLAGS=-O0 CXXFLAGS=-O0 /autograder/source/setup.sh
ok "setup.sh builds the workbook" ends 0
inside "$grader" /autograder /autograder/run_autograder
ok "run_autograder grades a submission" eval 'ends 0 && schema gradescope < "$grader/results/results.json"'
here gradescope "$grader/submission/mine.cu" 01-sync-vs-async > "$dir/wanted.json"
ok "as it is graded here" cmp "$dir/wanted.json" "$grader/results/results.json"
rm "$grader/submission/mine.cu"
inside "$grader" /autograder /autograder/run_autograder
ok "where nothing was handed in, that is the result" \
    eval '[ "$(value "$grader/results/results.json" "d[\"score\"]")" = 0.0 ] && grep -q "nothing was handed in" "$grader/results/results.json"'
mkdir "$dir/work" && cp "$solution" "$dir/work"
(cd "$dir" && ln -s "$root/tools" tools && NAME='Ann B' tools/submit "$dir/packed" 0.1 01-sync-vs-async > /dev/null)
cp "$dir"/packed/*.tar.gz "$grader/submission"
inside "$grader" /autograder /autograder/run_autograder
ok "what make submit packs is graded" [ "$(value "$grader/results/results.json" 'd["score"] == sum(t["max_score"] for t in d["tests"])')" = True ]
rm "$grader"/submission/*
cp "$mistaken" "$grader/submission/mine.cu"
inside "$grader" /autograder env SANDBOX=must /autograder/run_autograder
ok "where it must have a sandbox and this container builds none, the instructor is told so, and the student that it is not their fault" \
    eval 'complains "builds no sandbox" && grep -q "not your fault" "$grader/results/results.json"'
WORKBOOK=$root SANDBOX=must run "$grader/source/grade-one" gradescope "$grader/submission" "$dir/walled.json"
ok "with one it comes to the same" eval 'ends 0 && cmp "$dir/wanted.json" "$dir/walled.json"'

pack gradescope LESSONS=77
ok "a lesson that is not there is named" trouble "there is no lesson '77'"
pack nobody LESSONS=1
ok "and who is unknown" trouble "PLATFORM=gradescope"
done_testing
