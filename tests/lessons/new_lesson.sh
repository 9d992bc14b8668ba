#!/bin/bash
# SPDX-License-Identifier: MIT
# `make new-lesson` in a copy of the workbook: a lesson that works at once, and is whole once it is filled in.
. tests/grader/tap.bash
copy=$dir/copy
copy_tree "$copy"
cd "$copy" || exit 2
root=$copy
build() { make -s -j2 "$@" > "$dir/out" 2> "$dir/err"; status=$?; }

build new-lesson N=98 NAME=graph-memory
ok "a lesson's files are made" eval 'ends 0 && [ -s lessons/98-graph-memory/chapter.md ] && [ -s exercises/98-graph-memory.cu ]'
build new-lesson N=98 NAME=other
ok "a number that is taken is refused in a line" eval 'ends 2 && complains "lessons/98-graph-memory is there already"'
for bad in "N=0 NAME=x" "N=97 NAME=../x" "N=97 NAME=Big" "NAME=x" "N=97" "N=9x NAME=x"; do
    build new-lesson $bad
    ok "'$bad' is refused, and nothing made" eval 'ends 2 && complains "new-lesson: N" && [ -z "$(ls -d lessons/97* lessons/00* 2> /dev/null)" ]'
done

build build/bin/grade build/lessons/98-graph-memory/{driver.o,reference} build/tests/lessons/test_tables
ok "it is built without a change to any other file" ends 0
grade --seed 7 98 solutions/98-graph-memory.cu
ok "its solution passes" ends 0
grade --seed 7 98 exercises/98-graph-memory.cu
ok "its starter is not attempted" eval 'ends 1 && says "not attempted: 0 of 100"'
for file in tests/wrong/98-graph-memory/*.diff; do
    tests/edit show "$file" > "$dir/wrong.cu"
    grade --seed 7 --json "$dir/verdict.json" 98 "$dir/wrong.cu"
    wanted=$(sed -n 's,^fails: ,,p' "$file")
    failed=$(python3 -c 'import json, sys; print(*[c["id"] for c in json.load(open(sys.argv[1]))["checks"] if c["outcome"] == "failed"])' "$dir/verdict.json")
    ok "$(basename "$file") fails $wanted, and nothing else" [ "$failed" = "$wanted" ]
done

style=$(bash tests/front/style.sh 2>&1)
ok "its sources have the habits of the others" is "$(grep -A 20 '^not ok' <<< "$style")" ""
sentence="and are as make format leaves them"
if command -v clang-format-19 > /dev/null; then
    run tools/format --check lessons/98-*/*.{c,h,cu}
    ok "$sentence" ends 0
else
    skip "$sentence" "no clang-format-19 here"
fi

content() { LESSONS=98-graph-memory bash tests/lessons/content.sh > "$dir/content" 2>&1; grep '^not ok' "$dir/content" | grep 98-graph-memory; }
ok "until it is filled in, the content checks say where" \
    eval '[ "$(content | wc -l)" = 1 ] && grep -q "^# lessons/98-graph-memory/chapter.md:[0-9]*:.*FILL IN" "$dir/content"'
grep -rlZ 'FILL IN' lessons/98-* exercises/98-* solutions/98-* tests/wrong/98-* |
    xargs -0 sed -i 's/FILL IN: a picture of the problem/One stream for everything/; s/FILL IN[:.]* */Said by its author: /'
ok "filled in, they pass" [ -z "$(content)" ]
build build/bin/grade build/tests/lessons/test_tables
build/tests/lessons/test_tables > "$dir/out" 2>&1
status=$?
ok "and its table holds together with its chapter" ends 0
done_testing
