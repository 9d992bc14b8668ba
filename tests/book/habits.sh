#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Habits that make English read as translated stay out of chapters, pages and messages. A word that is right where it
# stands says so in a comment after it: <!-- habit -->.
. tests/tap.bash

# What lies behind something is a place; what comes after something is an order.
habits='whoever|somebody|nobody|so many|(queued|recorded|right|stands?) behind|behind (the|a|an|its|each|that) (copy|kernel|launch|wait|event|function|call)'
habits+='|in front of (the|a|its) (copy|kernel|launch|wait|event)|the dear part|asked for and not|of which [a-z]+ (is|are|can)|sees to (it|that)'

# The prose, with its line numbers: no blocks, no code.
prose() { awk '/^```/ { block = !block; next } !block { gsub(/`[^`]*`/, "`code`"); print FILENAME ":" FNR ": " $0 }' "$1"; }
found() { for file; do prose "$file" | grep -Ei ": .*\\b($habits)\\b" | grep -v '<!-- habit -->'; done; }

edited=(README.md CHANGELOG.md book/front/*.md book/back/*.md lessons/[0-9]*/chapter.md)
check "no habit of translated English is in a chapter or a page" "$(found "${edited[@]}")"
# Messages are string literals.
said() { for file; do grep -noE '"([^"\\]|\\.)*"' "$file" | grep -Ei ":.*\b($habits)\b" | sed "s|^|$file:|"; done; }
check "nor in what the checks say" "$(said lessons/*/*.c grader/judge/*.c grader/check.h common/trace/order/*.c)"
printf '%s\n' 'Queue it behind the kernel.' '```' 'somebody' '```' 'The sink is behind the wall.' 'Whoever calls `nobody` waits.' > "$dir/page.md"
check "a habit is found out, in prose alone" "$([ "$(found "$dir/page.md" | cut -d: -f2 | tr '\n' ' ')" = '1 6 ' ] || found "$dir/page.md")"
printf '%s\n' 'why(f, "Queue it behind the kernel.");  /* nobody */' > "$dir/check.c"
check "in messages, too" "$([ "$(said "$dir/check.c" | wc -l)" = 1 ] || said "$dir/check.c")"
done_testing
