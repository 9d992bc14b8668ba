#!/bin/bash
# SPDX-License-Identifier: MIT
# What a former batch wrote for others and this one does not: gone, and nothing else with it.
. tests/export/export.bash

hand_in frida 03-events solutions/03-events.cu
grade_class --lessons "1 3"
students() { ls "$dir/grades/exports/$1" | sed 's/\..*//' | paste -sd' '; }
ok "everybody has files of their own" eval \
    'is "$(students gradescope)" "101 102 103 104 frida" && is "$(ls "$dir/grades/feedback" | paste -sd" ")" "101 102 103 104 frida"'
echo mine > "$dir/grades/exports/gradescope/notes.json"
echo mine > "$dir/grades/exports/mine.csv"
mkdir "$dir/grades/feedback/nobody" && echo mine > "$dir/grades/feedback/nobody/01-sync-vs-async.txt"
echo mine > "$dir/grades/feedback/frida/mine.txt"

rm -r "$class/frida"
sed -i '/^"=HYPERLINK/d' "$dir/roster.csv" && rm -r "$class/carl"
grade_class
ok "of who is gone no export stays" eval 'ends 0 && for format in gradescope autolab classroom prairielearn; do
    is "$(students $format | sed "s/ notes//")" "101 102 104" || exit 1; done'
ok "nor of a lesson that is gone" is "$(ls "$dir/grades/exports/moodle")" 01-sync-vs-async.csv
ok "nor feedback" is "$(cd "$dir/grades/feedback" && find . -type f | sort | paste -sd' ')" \
    "./101/01-sync-vs-async.txt ./102/01-sync-vs-async.txt ./104/01-sync-vs-async.txt ./frida/mine.txt ./nobody/01-sync-vs-async.txt"
ok "what is not ours stays" eval \
    '[ "$(cat "$dir/grades/exports/gradescope/notes.json" "$dir/grades/exports/mine.csv" "$dir/grades/feedback/nobody/01-sync-vs-async.txt" | sort -u)" = mine ]'
ok "and so does every attempt" eval '[ -n "$(ls "$dir"/grades/attempts/frida/03-events/*.json "$dir"/grades/attempts/103/*/*.json)" ]'

# A list that somebody has meddled with leads nowhere.
echo precious > "$dir/grades/precious" && ln -s precious "$dir/grades/exports/link"
python3 - "$dir/grades/batch/written-exports.json" "$dir" <<'PY'
import json, sys
names = json.load(open(sys.argv[1]))
json.dump(names + ["../precious", "gradescope/../../precious", sys.argv[2] + "/grades/precious", "link", "", 7], open(sys.argv[1], "w"))
PY
run build/bin/exports "$dir/grades"
ok "a list that leads elsewhere removes nothing" eval 'ends 0 && [ "$(cat "$dir/grades/precious")" = precious ] && [ -L "$dir/grades/exports/link" ]'
echo 'no list' > "$dir/grades/batch/written-exports.json"
run build/bin/exports "$dir/grades"
ok "a damaged one is made anew" eval 'ends 0 && python3 -c "import json, sys; sys.exit(len(json.load(open(sys.argv[1]))) < 10)" "$dir/grades/batch/written-exports.json"'
done_testing
