#!/bin/bash
# SPDX-License-Identifier: MIT
# Objects that need each other: no more than three in a circle, and those that ARCHITECTURE.md gives a reason for.
. tests/tap.bash

if [ "${LONG:-0}" != 1 ]; then
    skip "no object needs itself over more than two others" "LONG=1 asks for it: each source is compiled by itself"
    done_testing
fi
objects=$scratch/objects
mkdir -p "$objects"
sources=$(find common grader -name '*.c' ! -path 'common/cupti/*' ! -path 'common/figure/*')
flags=(-std=c11 -D_GNU_SOURCE -DWORKBOOK_VERSION='""' -DSIMCC_CXX='"g++"' -O1 -w -Icommon -I. -Icommon/sim/include)
export objects
compile() { "${CC:-gcc}" "$@" -c "$source" -o "$objects/${source//\//@}.o"; }
trouble=$(for source in $sources; do
    visible=(); [[ $source != common/sim/* ]] || visible=(-include sim/visible.h)
    compile "${flags[@]}" "${visible[@]}" 2>&1 || echo "$source"
done)
ok "each source compiles by itself" [ -z "$trouble" ]
found=$(python3 -B tests/front/cycles.py "$objects")
said=$(sed -n '/^## Circles/,/^## /s/^| \([^|]*[^| ]\) *|.*/\1/p' ARCHITECTURE.md | tail -n +3)
is "circles of objects are those of ARCHITECTURE.md" "$found" "$said"
done_testing
