#!/bin/bash
# SPDX-License-Identifier: MIT
# Each folder includes headers of its own and of those that ARCHITECTURE.md's table names, and of no others; no row names a later one.
. tests/tap.bash

rows=$(sed -n '/^## Who imports whom/,/^## Circles/s/^| \([a-z/]*\) | \([a-z/ ]*\)|.*/\1:\2/p' ARCHITECTURE.md | grep -v '^folder:')
ok "ARCHITECTURE.md has a table of folders" [ "$(wc -l <<< "$rows")" -gt 30 ]

# The folder that a row means by a short name: the one above it that ends so; the shortest, where several do.
folder() { grep -E "(^|/)$1\$" <<< "$above" | awk '{ print length, $0 }' | sort -n | head -n 1 | cut -d ' ' -f 2; }

above='' wrong=''
while IFS=: read -r room may; do
    allowed=" $room "
    for name in $may; do
        from=$(folder "$name")
        [ -n "$from" ] || wrong+="$room names $name, which is no folder above it"$'\n'
        allowed+="$from "
    done
    above+=$room$'\n'
    files=("$room"/*.[ch])
    [ "$room" != lessons ] || files=(lessons/*/*.[ch])
    while IFS=: read -r file from; do
        from=${from%/detail}           # what only headers include
        case $from in trace/* | model/* | model | sim/* | sim | simcc/* | simcc | cupti | figure) from=common/$from ;; esac
        [[ $allowed == *" $from "* ]] || wrong+="$file includes $from"$'\n'
    done < <(grep -HoE '^#include "(trace|model|sim|simcc|cupti|figure|grader)/[^"]*"' "${files[@]}" | sed 's/#include "//; s,/[^/]*"$,,')
done <<< "$rows"
check "folders include what their rows allow" "$wrong"

missing=$(find common grader -type f -name '*.[ch]' -printf '%h\n' | sort -u | grep -vE '/wasm$|include/|/include$|^common$' | grep -vxF "$(cut -d : -f 1 <<< "$rows")")
check "each folder of sources has a row" "$missing"
crowded=$(find common grader lessons -type f -printf '%h\n' | grep -v '/cards$' | sort | uniq -c | awk '$1 > 26 { print $2 " has " $1 " files" }')
check "no folder has more than 25 sources" "$crowded"
silent=$(while IFS=: read -r room may; do [ "$room" = lessons ] || [ -s "$room/README.md" ] || echo "$room"; done <<< "$rows")
check "each folder says what is in it" "$silent"
done_testing
