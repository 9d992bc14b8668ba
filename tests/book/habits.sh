#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Habits that make English read as translated stay out of what people read: chapters, pages, messages, contracts,
# starters, help texts and facts. A word that is right where it stands says so in a comment after it: <!-- habit -->.
. tests/tap.bash

# What lies behind something is a place, also in a queue; what comes after something is an order.
work='(cop(y|ies)|kernels?|launch(es)?|waits?|events?|functions?|calls?|prefetch(es)?|memsets?|push)'
habits="whoever|somebody|nobody|so many|so much (more|later|longer)|(queued|recorded|issued|right|stands?) behind"
habits+="|behind (the|a|an|its|each|that) $work|behind other work"
habits+="|(kernels?|cop(y|ies)|launch(es|ed)?|functions?|calls?|queued|made|sent|put|starts?|begins?) behind (it|them)"
habits+="|in front of (the|a|its) $work|the dear part|asked for and not|of which [a-z]+ (is|are|can)|sees to (it|that)|by turns"
habits+="|(as|so) late as it can be|still at it|without walls"
# Our own words are spelled -ise; what CUDA calls so keeps its spelling, in code or in quotation marks.
stems='synchron|serial|initial|special|recogn|organ|optim|prioriti|minim|maxim|util|general|normal|visual|summar|emphas'
spellings="(un|de|re)?($stems)iz(e|es|ed|ing)"

# The prose of Markdown, each line with its place: no blocks, no code, no quotations.
prose() {
    awk 'FNR == 1 { block = 0 } /^```/ { block = !block; next } /<!-- habit -->/ { next }
         !block { gsub(/`[^`]*`/, "`code`"); gsub(/"[^"]*"/, "\"quoted\""); print FILENAME ":" FNR ": " $0 }' "$@"
}
found() { prose "$@" | grep -Ei ": .*\b($habits|$spellings)\b"; }
# Messages are string literals.
said() { grep -noE '"([^"\\]|\\.)*"' "$@" /dev/null | grep -Ei ":.*\b($habits)\b"; }
# Other text, line by line.
written() { grep -nEi "\b($habits)\b" "$@" /dev/null; }

check "no habit of translated English is in a chapter or a page" \
    "$(found README.md ARCHITECTURE.md CHANGELOG.md book/front/*.md book/back/*.md lessons/[0-9]*/chapter.md facts/*.md \
           tests/README.md tests/wrong/README.md tests/mutants/README.md)"
check "nor in what the checks and programs say" \
    "$(said lessons/*/*.c grader/*.h grader/*/*.c grader/*/*/*.c common/trace/order/*.c common/simcc/*.c common/simcc/*/*.c)"
check "nor in contracts, starters, solutions and the programs of the chapters" \
    "$(written lessons/[0-9]*/*.{h,cu} exercises/* solutions/*)"
check "nor in what make says of its targets" "$(grep -hE '^## ' Makefile tools/make/*.mk | written -)"
check "nor in facts and cards" "$(written facts/*.json tools/facts/*.{cu,h} common/model/cards/*.card common/model/card.h)"

printf '%s\n' 'Queue it behind the kernel.' '```' 'somebody' '```' 'The sink is behind the wall, and work waits behind it.' 'Whoever calls `nobody` waits.' \
    'The kernels behind it.' 'Behind other work.' 'It is serialized.' '"API synchronize"' > "$dir/page.md"
check "a habit is found out, in prose alone" "$([ "$(found "$dir/page.md" | cut -d: -f2 | tr '\n' ' ')" = '1 6 7 8 9 ' ] || found "$dir/page.md")"
printf '%s\n' 'why(f, "Queue it behind the prefetch.");  /* nobody */' > "$dir/check.c"
check "in messages, too" "$([ "$(said "$dir/check.c" | wc -l)" = 1 ] || said "$dir/check.c")"
check "and in help texts" "$(echo '## x: for somebody' | written - | grep -q somebody || echo "not found")"
done_testing
