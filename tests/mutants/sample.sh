#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A few mutants of right answers of each lesson, always the same ones: the grader fails each, or a reason is written down
# (tests/mutants/README.md). All of them: tests/mutants/run.
. tests/tap.bash

for folder in lessons/[0-9][0-9]-*/; do
    lesson=$(basename "$folder")
    [ -e "$folder/check.c" ] || continue
    run tests/mutants/run --lesson "${lesson%%-*}" --sample "${SAMPLE:-3}" --jobs "${JOBS:-$(nproc)}"
    ok "no sampled mutant of lesson ${lesson%%-*} passes without a reason" ends 0
done
done_testing
