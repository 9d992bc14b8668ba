#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What chapters show of files and runs is what those say today. (What they show of the grader: messages.sh.)
. tests/tap.bash
run nice make -s -k -j"$(nproc)" pictures
for chapter in lessons/*/chapter.md book/back/0-*.md; do
    name=${chapter%/chapter.md} name=${name##*/} name=${name#0-} name=${name%.md}
    drawn=build/book/pictures/$name
    check "$chapter shows what its files and runs say (make figures)" \
        "$([ -e "$drawn/drawn" ] && diff "build/book/blocks/$name.md" "$drawn/taken.md" 2>&1 || seen)"
done
printf '```{.listing file="lessons/06-overlap/demos/demo.cu" name="no such region"}\n```\n' > "$dir/wrong.md"
run tools/figures "$dir/wrong.md"
ok "a region that is not there stops it" eval '! ends 0 && complains "demo.cu has no region no such region"'
# What a page shows of Python, or of a library that simcc has not, was run on a card; here it is at least Python.
for program in book/back/demos/*.py; do
    run python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' "$program"
    ok "$program is Python" ends 0
done
done_testing
