#!/bin/bash
# SPDX-License-Identifier: MIT
# A term: four platforms' archives, late, resubmitted, shared, renamed and excused work, a rubric and a lesson changed in the
# middle, people with new names, kills, a full disk; the gradebook is the one computed by hand (term.py). 12 students; LONG=1: 120, each with a file of their own,
# and 20 kills.
. tests/batch/batch.bash
students=${LONG:+120} kills=${LONG:+20}
students=${students:-12} kills=${kills:-2} term=$dir/term
mkdir "$term"
for lesson in 01-sync-vs-async/blames-launch 02-stream-queues/blocking-copies 03-events/a-twice; do
    cp "$(wrong "$lesson")" "$term/wrong-${lesson%%/*}.cu"
done
# What share of a lesson's points each kind earns, as the grader of single files says.
points=$term/points.json
for lesson in 01-sync-vs-async 02-stream-queues 03-events; do
    for kind in "solution solutions/$lesson.cu" "starter exercises/$lesson.cu" "wrong $term/wrong-$lesson.cu"; do
        cp "${kind#* }" "$dir/$lesson.cu"
        build/bin/grade --seed 7 --json "$dir/verdict.json" "${lesson%%-*}" "$dir/$lesson.cu" > /dev/null 2>&1
        echo "$lesson ${kind%% *} $(python3 -c 'import json, sys; v = json.load(open(sys.argv[1])); print(sum(c["points"] for c in v["checks"]), sum(c["max_points"] for c in v["checks"]))' "$dir/verdict.json")"
    done
done | python3 -c '
import json, sys
share = {}
for line in sys.stdin:
    lesson, kind, earned, most = line.split()
    share.setdefault(lesson, {})[kind] = int(earned) / int(most)
json.dump(share, sys.stdout)' > "$points"
python3 tests/batch/term.py make "$term" "$students" "${LONG:+1}"
prints_none() { local said; said=$("$@" 2>&1); [ -z "$said" ] || { head -n 20 <<< "$said" | sed 's/^/# /'; false; }; }
ok "the importers that it is compared with take nothing that is wrong" prints_none python3 tests/batch/term.py strict "$term"
by_hand() { prints_none python3 tests/batch/term.py compare "$term" "$dir/grades" "$1" "$points"; }
stage=1
roster=$term/roster-1.csv
week() { submissions=$1 batch --lessons "1 2 3" --roster "$roster" --times "$term/times.csv" --rubric "$term/rubric-$stage.json"; }
accounted() {
    python3 tests/batch/term.py table "$dir/grades" | sed 's/^/#   /'
    python3 -c 'import json, sys; i = json.load(open(sys.argv[1]))["intake"]; sys.exit(i["met"] + i["shared"] != i["graded"] + i["left_out"] + i["companions"] or i["graded"] == 0)' \
        "$dir/grades/results.json"
}

# Killed again and again in the first week, and then left to end.
RANDOM=4711
for ((k = 0; k < kills; k++)); do
    build/bin/batch --seed 7 -o "$dir/grades" --lessons "1 2 3" --roster "$roster" --times "$term/times.csv" --rubric "$term/rubric-1.json" "$term/canvas-1.zip" > /dev/null 2>&1 & it=$!
    sleep "$((RANDOM % 2)).$(printf %03d $((RANDOM % 1000)))"
    kill -KILL "$it" 2> /dev/null
    wait "$it" 2> /dev/null
done 2> /dev/null
week "$term/canvas-1.zip"
ok "Canvas' archive is graded after $kills kills" eval 'ends 0 && accounted'
week "$term/moodle.zip"
ok "Moodle's, with a note beside each file that is named" eval 'ends 0 && accounted && says "notes.txt (it is no .cu file"'
week "$term/nbgrader"
ok "nbgrader's folder" eval 'ends 0 && accounted'
week "$term/gradescope.zip"
ok "Gradescope's, each file of two people's" eval 'ends 0 && accounted && says "for others of a group" && says "build.log (it is no .cu file"'
roster=$term/roster-2.csv
week "$term/canvas-2.zip"
ok "Canvas' again, with new attempts, and people with new names" eval 'ends 0 && accounted'
ok "the gradebook is the one computed by hand" by_hand 1
find "$dir/grades/attempts" -name '*.json' -printf '%p %T@\n' | sort > "$dir/before"
stage=2
week "$term/canvas-2.zip"
find "$dir/grades/attempts" -name '*.json' -printf '%p %T@\n' | sort > "$dir/after"
ok "another rubric in the middle: computed by hand, and nothing is graded again" eval 'by_hand 2 && ! by_hand 1 > /dev/null && cmp -s "$dir/before" "$dir/after"'
run build/bin/batch --replay 1000/01 "$dir/grades"
ok "a disputed verdict is judged again, bit for bit" eval 'ends 0 && says "the same verdict"'

# A lesson is mended: all that can count is judged anew, and says the same here.
copy_program 01 02 03
echo '// mended' >> "$copy/lessons/01-sync-vs-async/lesson.h"
program=$copy/build/bin/batch week "$term/canvas-2.zip"
fresh=$(comm -13 <(cut -d ' ' -f 1 "$dir/before") <(find "$dir/grades/attempts" -name '*.json' | sort) | sed 's,.*/\([^/]*\)/[^/]*$,\1,' | sort | uniq -c | tr -s ' ')
ok "a mended lesson is judged again, and no other" eval 'ends 0 && by_hand 2 && [[ $fresh == " "*" 01-sync-vs-async" ]]'

# A disk that fills, where one can be made.
if unshare -m true 2> /dev/null && mkdir "$dir/small"; then
    run unshare -m bash -c 'mount -t tmpfs -o size=200k,mode=711 tmpfs "$1/small" || exit 77
        again() { build/bin/batch --seed 7 -o "$1/small" --lessons "1 2 3" --roster "$1/term/roster-1.csv" --times "$1/term/times.csv" --rubric "$1/term/rubric-2.json" "$1/term/canvas-1.zip" > "$1/said" 2>&1; }
        again "$1"; first=$?
        mount -o remount,size=200m "$1/small"
        again "$1"; second=$?
        [ "$first" != 0 ] && grep -q . "$1/said" && [ "$second" = 0 ] && cp "$1/small/exports/canvas.csv" "$1/small.csv"' - "$dir"
    full=$status
    if [ "$full" = 77 ]; then
        skip "a disk that fills costs nobody a grade" "no tmpfs can be mounted"
    else
        mv "$dir/grades" "$dir/term.grades"
        roster=$term/roster-1.csv
        week "$term/canvas-1.zip"
        status=$full
        ok "a disk that fills costs nobody a grade: the same command goes on when there is room" eval 'ends 0 && cmp "$dir/small.csv" "$dir/grades/exports/canvas.csv"'
        rm -rf "$dir/grades" && mv "$dir/term.grades" "$dir/grades"
    fi
else
    skip "a disk that fills costs nobody a grade" "no file system can be mounted here"
fi
done_testing
