#!/bin/bash
# SPDX-License-Identifier: MIT
# A zero is a statement: who handed in nothing has an empty cell, a zero or an excuse, as the instructor says.
. tests/batch/batch.bash
hand_in anna 01-sync-vs-async solutions/01-sync-vs-async.cu
hand_in ben 01-sync-vs-async exercises/01-sync-vs-async.cu
printf 'id,name\nanna,Anna\nben,Ben\ncarl,Carl\n' > "$dir/roster.csv"
# cells: of anna, ben and carl, in Canvas' table, Moodle's and the gradebook.
cells() {
    python3 - "$dir/grades/exports" <<'PY'
import csv, sys
read = lambda name: list(csv.reader(open("%s/%s" % (sys.argv[1], name), encoding="utf-8-sig", newline="")))
cell = lambda rows, at: [r[at] and "EX" if r[at] == "EX" else r[at] and ("0" if float(r[at]) == 0 else "all") for r in rows]
print(cell(read("canvas.csv")[2:], 5), cell(read("moodle/01-sync-vs-async.csv")[1:], 4), cell(read("gradebook.csv")[1:], 5))
PY
}
batch --lessons 1 --roster "$dir/roster.csv"
ok "by default a cell is empty where nothing was handed in, and a starter handed in has a zero" \
    is "$(cells)" "['all', '0', ''] ['all', '0', ''] ['all', '0', '']"
ok "the report sums up all zeros and their causes before they are exported" \
    eval 'says "Zeros: 2 of 3 grades" && says "handed in as it was given out: ben 01" && says "nothing was handed in: carl 01" && [ "$(grep -n "^Zeros" "$dir/out" | cut -d: -f1)" -lt "$(grep -n "^Results" "$dir/out" | cut -d: -f1)" ]'
echo '{"missing": "zero"}' > "$dir/rubric.json"
batch --lessons 1 --roster "$dir/roster.csv" --rubric "$dir/rubric.json"
ok "or a zero" is "$(cells)" "['all', '0', '0'] ['all', '0', '0'] ['all', '0', '0']"
echo '{"missing": "excused"}' > "$dir/rubric.json"
batch --lessons 1 --roster "$dir/roster.csv" --rubric "$dir/rubric.json"
ok "or an excuse, which Canvas knows" is "$(cells)" "['all', '0', 'EX'] ['all', '0', ''] ['all', '0', '']"
# The total is of what has a grade.
totals() { python3 -c 'import json, sys; print([s["total"] for s in json.load(open(sys.argv[1]))["students"]])' "$dir/grades/exports/grades.json"; }
printf 'id,lesson,excused\nben,02,yes\n' > "$dir/times.csv"
batch --lessons "1 2" --roster "$dir/roster.csv" --times "$dir/times.csv"
ok "what nothing was handed in for, and what is excused, is no part of a total" is "$(totals)" "[100.0, 0.0, None]"
ok "an empty cell, where there is none" eval 'sed 1d "$dir/grades/exports/gradebook.csv" | cut -d, -f5 | paste -sd "|" | grep -qFx "100|0|"'
echo '{"missing": "zero"}' > "$dir/rubric.json"
batch --lessons "1 2" --roster "$dir/roster.csv" --times "$dir/times.csv" --rubric "$dir/rubric.json"
ok "unless it is a zero: then it counts" is "$(totals)" "[50.0, 0.0, 0.0]"
echo '{"missing": "nothing"}' > "$dir/rubric.json"
batch --lessons 1 --roster "$dir/roster.csv" --rubric "$dir/rubric.json"
ok "and nothing else" trouble '"missing" is one of "empty", "zero", "excused"'
done_testing
