#!/bin/bash
# SPDX-License-Identifier: MIT
# Each folder includes headers of its own and of those that ARCHITECTURE.md's table names, and of no others.
. tests/tap.bash

rooms=$(sed -n '/^## Who imports whom/,/^## Where to put/s/^| \([a-z/]*\) | \([a-z ]*\)|.*/\1:\2/p' ARCHITECTURE.md | grep -v '^folder:')
ok "ARCHITECTURE.md has a table of folders" [ "$(wc -l <<< "$rooms")" -gt 5 ]
while IFS=: read -r room may; do
    allowed=" $(basename "$room") $may "
    files=("$room"/*.[ch])
    [ "$room" != lessons ] || files=(lessons/*/*.[ch])
    wrong=$(grep -HoE '^#include "(trace|model|sim|cupti|figure|grader/batch|grader/export|grader)/' "${files[@]}" |
        sed 's/#include "//; s/\/$//' | sort -u | while IFS=: read -r file from; do
            [[ $allowed == *" ${from##*/} "* ]] || echo "# $file includes $from"
        done)
    [ -z "$wrong" ] || echo "$wrong"
    ok "$room includes ${may:-nothing }and itself" [ -z "$wrong" ]
done <<< "$rooms"
done_testing
