#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Answers just within a limit and just beyond it: each has one verdict, whatever the seed and the card.
. tests/tap.bash
tests/edit all 2>&1 | sed 's/^/# /'      # one that does not fit is not there to be judged
answers=(
    "tests/styles/06-overlap/four-chunks passed:"
    "tests/styles/06-overlap/fourteen-chunks passed:"
    "tests/wrong/06-overlap/three-chunks wanting: c-busy"
    "tests/wrong/06-overlap/fifteen-chunks wanting: c-busy"
    "tests/wrong/06-overlap/sixteen-chunks wanting: c-busy"
)
for number in "${!answers[@]}"; do
    file=${answers[number]%% *}
    echo "$number $(basename "$(dirname "$file")") build/${file#tests/}.cu 1 10"
done | build/bin/seeds "${JOBS:-$(nproc)}" > "$dir/verdicts" 2> "$dir/errors"
for number in "${!answers[@]}"; do
    said=$(awk -F '\t' -v number="$number" '$1 == number { print $2 }' "$dir/verdicts" | sort -u)
    check "${answers[number]} with every seed" "$([ "$said" = "${answers[number]#* }" ] || echo "it said: $said" | cat - "$dir/errors")"
done
done_testing
