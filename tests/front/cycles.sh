#!/bin/bash
# SPDX-License-Identifier: MIT
# Objects that need each other: no more than three in a circle, and those alone that ARCHITECTURE.md gives a reason for.
. tests/tap.bash
[ "${LONG:-0}" = 1 ] || skip_all "each source is compiled by itself: LONG=1 asks for it"

flags=(-std=c11 -D_GNU_SOURCE '-DWORKBOOK_VERSION=""' '-DSIMCC_CXX="g++"' -O1 -w -Icommon -I. -Icommon/sim/include)
trouble=$(find common grader -name '*.c' ! -path 'common/cupti/*' ! -path 'common/figure/*' | while read -r source; do
    visible=()
    [[ $source != common/sim/* ]] || visible=(-include sim/visible.h)
    "${CC:-gcc}" "${flags[@]}" "${visible[@]}" -c "$source" -o "$dir/${source//\//@}.o" 2>&1 || echo "$source"
done)
check "each source compiles by itself" "$trouble"
found=$(python3 -B tests/front/cycles.py "$dir" | sort)
reasons=$(sed -n '/^## Circles/,/^## Where/s/^| \([^|]*[^| ]\) *|.*/\1/p' ARCHITECTURE.md | sed 1d | sort)
ok "circles of objects are those that ARCHITECTURE.md gives a reason for" is "$found" "$reasons"
ok "none has more than three" is "$(awk 'NF > 3' <<< "$found")" ""
done_testing
