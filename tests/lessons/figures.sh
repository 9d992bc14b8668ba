#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What chapters show of files and runs is what those say today.
set -u
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
count=0
nice make -s -k -j"$(nproc)" pictures > "$scratch/errors" 2>&1
for chapter in lessons/*/chapter.md; do
    count=$((count + 1))
    sentence="$chapter shows what its files and runs say (make figures)"
    drawn=build/book/pictures/$(basename "$(dirname "$chapter")")
    if [ -e "$drawn/drawn" ] && diff "$chapter" "$drawn/chapter.md" > "$scratch/diff"; then
        echo "ok $count - $sentence"
    else
        echo "not ok $count - $sentence"
        head -n 40 "$scratch/errors" "$scratch/diff" | sed 's/^/# /'
    fi
done
count=$((count + 1))
printf '```{.listing file="lessons/06-overlap/demo.cu" name="no such region"}\n```\n' > "$scratch/wrong.md"
if tools/figures "$scratch/wrong.md" > /dev/null 2> "$scratch/errors"; then
    echo "not ok $count - a region that is not there stops it"
else
    grep -q 'demo.cu has no region no such region' "$scratch/errors" && echo "ok $count - a region that is not there stops it" ||
        echo "not ok $count - a region that is not there stops it"
fi
echo "1..$count"
