#!/bin/bash
# SPDX-License-Identifier: MIT
# Whoever waits at a terminal for longer than two seconds sees how far it is.
. tests/grader/tap.bash

insert moments '    for (;;) ;'
export TERM=xterm
if script -qec true /dev/null > /dev/null 2>&1 < /dev/null; then
    script -qec "build/bin/grade --time-limit 4 --width 80 01 $dir/x.cu" /dev/null > "$dir/out" 2> "$dir/err" < /dev/null
    ok "at a terminal a bar says how long a program has run, and may run" \
        grep -qE '\[#+>-+\] [23] of 4 s, running' "$dir/out"
    ok "and is wiped away before the report begins" grep -q $'running\r\033\\[K\033\\[1mLesson 01' "$dir/out"
else
    skip "at a terminal a bar says how long a program has run, and may run" "needs script, and a pseudo-terminal"
    skip "and is wiped away before the report begins" "needs script, and a pseudo-terminal"
fi
grade --time-limit 3 01 "$dir/x.cu"
ok "elsewhere there is none" [ ! -s "$dir/err" ]
done_testing
