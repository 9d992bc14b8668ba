#!/bin/bash
# SPDX-License-Identifier: MIT
# What version 0.1 of 22 November 2026 left behind is still read: a learner's folder in the middle of the course, an instructor's
# results. (A log of that day: tests/trace/test_log.c.)
. tests/tap.bash
old=$root/tests/front/old

# A workbook with nothing in it but what is read here.
mkdir -p "$dir/book/build/bin" && cp build/bin/study "$dir/book/build/bin" && ln -s "$root"/{lessons,exercises,solutions} "$dir/book"
was=$old/work
cp -r "$was" "$dir/book"
cd "$dir/book" || exit 2

try build/bin/study progress
ok "progress knows what was done, with points" eval '[ "$status" = 0 ] && [[ $said == *"100 of 100"* && $said == *"91"* ]]'
cp work/06-overlap.cu mine.cu
try build/bin/study merge 06
ok "the exercise's changes are merged into a copy of that day, which is put aside beside the older one" \
    eval '[ "$status" = 0 ] && grep -q "^// My notes" work/06-overlap.cu && cmp work/kept/06-overlap.2.cu mine.cu && cmp work/kept/06-overlap.1.cu "$was/kept/06-overlap.1.cu"'
try build/bin/study reset 06
ok "and it is begun anew" eval '[ "$status" = 0 ] && cmp work/06-overlap.cu "$root/exercises/06-overlap.cu" && [ -e work/kept/06-overlap.3.cu ]'
ok "what was remembered stays, line for line" cmp work/progress "$was/progress"

cd "$root" || exit 2
build/bin/exports --help > "$dir/out" 2>&1 || { skip "an instructor's old results are read" "there is no build/bin/exports"; done_testing; }
cp -r "$old/grades" "$dir"
ok "these results have no grade, as later ones do" eval '! grep -q "\"grade\"" "$dir/grades/results.json"'
run build/bin/exports "$dir/grades"
ok "exports are made of an instructor's old results" ends 0
ok "with the scores of that day" is "$(cut -d , -f 1,5,6,8 "$dir/grades/exports/gradebook.csv" | tr -d '\r' | tail -n 3)" \
    $'"anna",100,100,"passed"\n"bert",97,97,"wanting"\n"carl",0,,"not attempted"'
ok "and the page" grep -q 'Anna Ångström' "$dir/grades/class.html"
done_testing
