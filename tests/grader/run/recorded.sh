#!/bin/bash
# SPDX-License-Identifier: MIT
# The record of a run says what the simulator said of it: spans, times, edges, for the solutions of all lessons but 15: no record says
# when a dependent launch has stopped waiting.
. tests/grader/tap.bash

same() {
    grade --quiet --seed 1 --log "$dir/log" "$1" "solutions/$1.cu"
    ends 0 && build/tests/grader/run/recorder compare < "$dir/log" > "$dir/out"
}
for solution in solutions/*.cu; do
    lesson=$(basename "$solution" .cu)
    [ "$lesson" != 15-dependent-launches ] || continue
    ok "$lesson: a record has the same spans and edges as the run that it was made from" same "$lesson"
done
done_testing
