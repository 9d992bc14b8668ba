#!/bin/bash
# SPDX-License-Identifier: MIT
# Every seed of the harnesses here, and all that was ever found by them, is read once more.
. tests/tap.bash
for folder in tests/fuzz/seeds/*/; do
    name=$(basename "$folder")
    program=${B:-build}/tests/fuzz/$name
    if [ ! -x "$program" ]; then
        skip "the seeds of $name are read" "it is not built here"
        continue
    fi
    run "$program" "$folder"*
    ok "the $(ls "$folder" | wc -l) seeds of $name are read, and its rules hold" ends 0
done
done_testing
