#!/bin/bash
# SPDX-License-Identifier: MIT
# A class from a folder to results: each status apart, nothing graded twice, nothing lost.
. tests/batch/batch.bash

hand_in anna 01-sync-vs-async solutions/01-sync-vs-async.cu
hand_in anna 03-events solutions/03-events.cu
hand_in ben 01-sync-vs-async exercises/01-sync-vs-async.cu
hand_in ben 03-events "$(wrong 03-events/a-twice)"
insert overlap '    for (volatile int spin = 1; spin;) { }'
hand_in carl 01-sync-vs-async "$dir/x.cu"
insert errors '    *(volatile int *)16 = 1;'
hand_in dora 01-sync-vs-async "$dir/x.cu"
echo 'int x = ;' | cat solutions/01-sync-vs-async.cu - > "$dir/x.cu"
hand_in emil 01-sync-vs-async "$dir/x.cu"
hand_in emil 03-events solutions/01-sync-vs-async.cu
printf 'a\0b' > "$dir/x.cu"
hand_in finn 01-sync-vs-async "$dir/x.cu"

batch --time-limit 2 --lessons "1 3"
ok "a class is graded" ends 0
ok "a solution passed, with all points" eval 'is "$(of anna 01 "e[\"status\"], e[\"score\"] == e[\"max\"]")" "('\''passed'\'', True)"'
ok "a starter is not attempted" is "$(status_of ben 01)" "not attempted"
ok "a wrong answer is wrong, and says what of" \
    eval 'is "$(status_of ben 03)" wrong && of ben 03 "e[\"reason\"]" | grep -q "part b: not so: each stage is launched once"'
ok "an endless loop timed out, in its part" \
    eval 'is "$(status_of carl 01)" "timed out" && of carl 01 "e[\"reason\"]" | grep -q "in part b, at 01-sync-vs-async.cu:"'
ok "a crash crashed, at its line" \
    eval 'is "$(status_of dora 01)" crashed && of dora 01 "e[\"reason\"]" | grep -q "in part c, called with other inputs, at 01-sync-vs-async.cu:"'
ok "what is no program did not build, with the error" \
    eval 'is "$(status_of emil 01)" "did not build" && of emil 01 "e[\"reason\"]" | grep -q "01-sync-vs-async.cu:.*error: expected"'
ok "a file of another lesson is refused" eval 'is "$(of emil 03 "e[\"status\"], e[\"reason\"]")" "('\''refused'\'', '\''it is a file of lesson 01'\'')"'
ok "what is no text is refused" eval 'is "$(status_of finn 01)" refused && of finn 01 "e[\"reason\"]" | grep -q "not a text file"'
ok "what was not handed in is not attempted" is "$(of finn 03 'e["status"], e["reason"], e["attempt"]')" "('not attempted', 'nothing was handed in', 0)"
ok "each verdict has its version, seed, card and backend" is "$(of carl 01 '[e["verdict"][k] for k in ("seed", "card", "backend")]')" "[7, 'h200', 'simulator']"
ok "and no trace of it is left where it ran" left_nothing

cp "$dir/grades/results.json" "$dir/first.json"
find "$dir/grades/attempts" -type f -printf '%p %T@\n' | sort > "$dir/before"
batch --time-limit 2 --lessons "1 3"
find "$dir/grades/attempts" -type f -printf '%p %T@\n' | sort > "$dir/after"
ok "the same again is not graded again" cmp -s "$dir/before" "$dir/after"
mv "$dir/grades" "$dir/old"
batch --time-limit 2 --lessons "1 3"
ok "graded elsewhere it gives the same bytes" eval 'ends 0 && cmp "$dir/first.json" "$dir/grades/results.json"'

# What cannot be graded leaves the grade that is there.
hand_in anna 03-events "$(wrong 03-events/a-twice)"
copy_program 01 03
rm "$copy/build/lessons/03-events/reference"
program=$copy/build/bin/batch batch --time-limit 2 --lessons "1 3"
ok "what cannot be run says why" eval 'ends 1 && [ -n "$(ls "$dir"/grades/attempts/anna/03-events/*.trouble)" ]'
ok "and leaves the grade that was there" is "$(of anna 03 'e["status"], e["attempt"], e["attempts"], e["current"]')" "('passed', 1, 1, False)"
batch --time-limit 2 --lessons "1 3"
ok "the next batch takes it up" is "$(of anna 03 'e["status"], e["attempt"], e["attempts"], e["current"]')" "('wrong', 2, 2, True)"
echo '{"regrade": "best"}' > "$dir/rubric.json"
batch --time-limit 2 --lessons "1 3" --rubric "$dir/rubric.json"
ok "the best attempt counts where the rubric says so" is "$(of anna 03 'e["status"], e["attempt"], e["current"]')" "('passed', 1, False)"
ok "a second batch in the same folder is turned away" \
    eval 'exec 8> "$dir/grades/batch/lock"; flock 8; batch; exec 8>&-; trouble "another batch works in"'
done_testing
