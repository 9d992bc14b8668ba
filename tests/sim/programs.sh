#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs in the manner of those that people learn CUDA from: each compiles with
# no warning, says that its results are right and has no hazard. Those that time kernels with loops are told what such times are.
. tests/sim/sim.bash

compiles() { run build/bin/simcc -Wall -Werror "$1" -o "$dir/program"; ends 0; }
timed=' matmul multi_copy priorities '
is_right() { # NAME
    local notes=0
    [[ $timed == *" $1 "* ]] && notes=1
    play program
    [ "$(grep -c "^note: a kernel's virtual time " "$dir/err")" = $notes ] && [ "$(wc -l < "$dir/err")" = $notes ] &&
        ends 0 && grep -q '^right' "$dir/out" && ! grep -qE 'no faster|one by one|did not count|no time' "$dir/out" && [ "$(wc -l < "$dir/out")" = 1 ]
}
for source in tests/sim/programs/*.cu; do
    ok "$(basename "$source" .cu): $(sed -n '2s|^/\* \(.*\) \*/$|\1|p' "$source")" eval 'compiles "$source" && is_right "$(basename "$source" .cu)"'
done
done_testing
