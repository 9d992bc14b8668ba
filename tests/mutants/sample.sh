#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A few mutants of right answers of each lesson, always the same ones: the grader fails each, or a reason is written down
# (tests/mutants/README.md). All of them: tests/mutants/run.
. tests/tap.bash

run tests/mutants/run --sample "${SAMPLE:-3}" --jobs "${JOBS:-$(nproc)}"
ends 0 || ends 1 || check "mutants are made and judged" "$(seen)"
mv "$dir/out" "$dir/table"
for folder in lessons/[0-9][0-9]-*/; do
    lesson=$(basename "$folder")
    [ -e "$folder/check.c" ] || continue
    # Its line, and what follows that: those that pass without a reason. The column before the last counts them.
    sed -n "/^$lesson /,/^[0-9][0-9]-/p" "$dir/table" | sed '2,${/^[0-9][0-9]-/d}' > "$dir/out"
    ok "no sampled mutant of lesson ${lesson%%-*} passes without a reason" eval '[ "$(awk "NR == 1 { print \$(NF - 1) }" "$dir/out")" = 0 ]'
done
done_testing
