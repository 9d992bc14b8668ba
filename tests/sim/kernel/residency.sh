#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Which blocks lie beside which on an SM: the simulator says what an H200 said of 1,672 pairs of kernels.
. tests/sim/sim.bash
ok 'tests/gpu/residency.cu compiles' "$simcc" -Icommon -o "$dir/residency" tests/gpu/residency.cu
SIM_HAZARDS=0 SIM_PROFILE=h200 "$dir/residency" > "$dir/simulated"
# The card's two odd ones, which its run before did not have.
grep -v '^#' facts/h200-residency.txt | awk '/^ +0 +1 +2/ { table++ } table == 2 && $1 == 113 { gsub(/\./, "+") } { print }' > "$dir/measured"
check 'the same pairs run at the same time' "$(diff "$dir/simulated" "$dir/measured")"
ok 'of both kinds there are hundreds' eval '[ "$(grep -o + "$dir/measured" | wc -l)" -gt 500 ] && [ "$(grep -o "[.]" "$dir/measured" | wc -l)" -gt 500 ]'
done_testing
