#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs in the manner of those that people learn CUDA from: each compiles with
# no warning, says that its results are right and has no hazard.
. tests/sim/sim.bash

compiles() { run build/bin/simcc -Wall -Werror "$1" -o "$dir/program"; ends 0; }
is_right() {
    play program
    ends 0 && grep -q '^right' "$dir/out" && ! grep -qE 'no faster|one by one|did not count|no time' "$dir/out" && [ "$(wc -l < "$dir/out")" = 1 ] && [ ! -s "$dir/err" ]
}
for source in tests/sim/programs/*.cu; do
    ok "$(basename "$source" .cu): $(sed -n '2s|^/\* \(.*\) \*/$|\1|p' "$source")" eval 'compiles "$source" && is_right'
done
done_testing
