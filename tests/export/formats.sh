#!/bin/bash
# SPDX-License-Identifier: MIT
# A class's grades in the formats of others, each read back by somebody else's reader, whatever people are called.
. tests/export/export.bash

validated() {
    if ! has_npm ajv; then skip "$1" "no ajv (npm)"; return; fi
    ok "$1" prints_nothing eval 'node tests/export/validate.mjs tests/export/schemas.json "$dir/grades" 2> /dev/null'
}
junit() {
    if ! command -v xmllint > /dev/null; then skip "$1" "no xmllint"; return; fi
    ok "$1" xmllint --nonet --noout --schema tests/export/junit.xsd "$dir/grades/exports/junit.xml" 2> "$dir/err"
}

for level in all failures score; do
    grade_class --feedback "$level"
    ok "$level: a class is graded and exported" ends 0
    ok "$level: no export tells the seed, what was expected, what came out or what was printed" read_back leaks
    [ "$level" = all ] || ok "$level: none names a check that the level keeps" read_back failures
    validated "$level: grades.json, Gradescope's, Autolab's, Classroom's and PrairieLearn's are as their schemas say"
    junit "$level: junit.xml is as JUnit's schema says"
done

grade_class --feedback all
ok "the gradebook is read back as it was" read_back gradebook
ok "a worksheet of Moodle's, too" read_back moodle
ok "Canvas' import has its columns, and the assignment that Canvas has" \
    is "$(python3 tests/export/read.py "$dir/grades" canvas)" "Lesson 01: Sync and async: two moments (4711)"
python=python3      # Debian's has it, where another comes first
python3 -c 'import junitparser' 2> /dev/null || python=/usr/bin/python3
if "$python" -c 'import junitparser' 2> /dev/null; then
    ok "junit.xml is read back by junitparser, each check that failed" prints_nothing "$python" tests/export/read.py "$dir/grades" junit
else
    skip "junit.xml is read back by junitparser, each check that failed" "no junitparser (python3-junitparser)"
fi
ok "no cell is a formula or has a control character" read_back formulas
ok "Canvas' points possible and its test student are nobody" is "$(of 101 01 'len(all["students"])')" 4
ok "a check that failed is a failure in junit.xml, what did not build an error" \
    eval 'grep -q "<failure message=\"not so\" type=\"failure\">" "$dir/grades/exports/junit.xml" && grep -q "<error message=\"did not build\"" "$dir/grades/exports/junit.xml"'

cp -r "$dir/grades" "$dir/first"
run build/bin/exports "$dir/grades"
ok "made again from results.json they are the same bytes" eval 'ends 0 && diff -r "$dir/first" "$dir/grades"'
run build/bin/exports --format gradescope --student 103 "$dir/grades"
ok "one format of one student goes to stdout" cmp "$dir/out" "$dir/grades/exports/gradescope/103.json"
run build/bin/exports --format gradescope "$dir/grades"
ok "of several somebody must say whose" trouble "which student? --student="
run build/bin/exports --help
ok "each format is named with what it is for" \
    eval 'ends 0 && says "canvas         canvas.csv: for Canvas" && says "gradescope     gradescope/STUDENT.json: " && says "moodle         moodle/LESSON.csv: "'
check "the files that batch, exports and grade name in their help are there" \
    "$(for program in batch exports grade; do COLUMNS=200 build/bin/$program --help; done | grep -oE '[a-z]+(/[a-z_]+)+\.(h|c|md)' | sort -u |
        while read -r file; do [ -e "$file" ] || echo "there is no $file"; done)"
run build/bin/exports "$dir/nowhere"
ok "where nothing was graded it says what makes results" trouble "make grade writes it"

# What a reference has reached is 1, and what did not pass is 0.
ok "a solution has the whole of the reference's pace" is "$(of 103 01 'e["share"], [p["share"] for p in e["parts"]]')" "(1.0, [1.0, 1.0, 1.0, 1.0])"
ok "a part that did not pass has none of it" is "$(of 101 01 '[p["share"] for p in e["parts"]]')" "[1.0, 0.0, 1.0, 1.0]"
ok "what did not build has no share" is "$(of 104 01 'e["share"]')" None
# Who handed in what another did has the same timelines.
hand_in erik 01-sync-vs-async "$solution"
batch --seed 719320533 --lessons 1
ok "the same file of another student has its timelines, too" \
    eval 'ends 0 && [ "$(find "$dir/grades/attempts" -name "*.pictures" -path "*erik*" | wc -l)" = 1 ]'
done_testing
