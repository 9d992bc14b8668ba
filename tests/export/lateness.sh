#!/bin/bash
# SPDX-License-Identifier: MIT
# A platform's own lateness: left to it, or taken from what it says of the one submission.
. tests/batch/batch.bash
mkdir -p "$dir/autograder/submission" "$dir/beside"
cp tools/autograders/grade-one "$dir/beside"
cp solutions/01-sync-vs-async.cu "$dir/autograder/submission/mine.cu"
echo '{"late": {"per_day": 10, "times": "files"}, "lessons": {"01": {"points": 10, "due": "2020-01-01T00:00:00Z"}}}' > "$dir/beside/rubric.json"
# metadata DUE OWN: as Gradescope's documentation shows it.
metadata() {
    cat > "$dir/autograder/submission_metadata.json" <<JSON
{ "id": 123456, "created_at": "2026-07-01T14:22:32.365935-07:00",
  "assignment": { "due_date": "$1", "group_size": null, "group_submission": false, "id": 25828, "course_id": 1234, "late_due_date": null,
    "release_date": "2026-06-02T00:00:00.000000-07:00", "title": "Lesson 1", "total_points": "20.0" },
  "submission_method": "upload",
  "users": [ { "email": "student@example.com", "id": 1234, "name": "Student User"$2 } ], "previous_submissions": [] }
JSON
}
score() {
    WORKBOOK=$root LESSONS=1 SEED=7 LATE=$1 run "$dir/beside/grade-one" gradescope "$dir/autograder/submission" "$dir/result.json"
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["score"])' "$dir/result.json"
}
metadata 2026-06-30T23:00:00.000000-07:00 ''
ok "by default lateness is the platform's: no time of a copy takes anything off" is "$(score platform)" 10.0
ok "LATE=rubric takes off what the rubric says, by Gradescope's date" is "$(score rubric)" 9.0
metadata 2026-06-30T23:00:00.000000-07:00 ', "assignment": { "due_date": "2026-07-02T23:00:00.000000-07:00" }'
ok "an extension of the student's own counts" is "$(score rubric)" 10.0
metadata 2026-06-30T23:00:00.000000-07:00 ' }, { "email": "other@example.com", "id": 1235, "name": "Other User", "assignment": { "due_date": "2026-07-02T23:00:00.000000-07:00" }'
ok "and of a group's, anybody's" is "$(score rubric)" 10.0
metadata 2026-06-28T12:00:00-07:00 ''
ok "days are counted" is "$(score rubric)" 6.0
# A student is told of each of their files that is not graded.
mkdir "$dir/autograder/submission/kept"
echo 'int helper;' > "$dir/autograder/submission/zhelper.cu"
echo x > "$dir/autograder/submission/notes.txt"
cp solutions/01-sync-vs-async.cu "$dir/autograder/submission/kept/01-sync-vs-async.cu"
ln -s /etc/passwd "$dir/autograder/submission/linked.cu"
truncate -s 100M "$dir/autograder/submission/huge.cu"
ok "of several files the one with the lesson's regions counts" is "$(score platform)" 10.0
ok "and the others are named, with the reasons" \
    eval 'for it in "notes.txt (it is no .cu file" "zhelper.cu (of this student" "kept/01-sync-vs-async.cu (put aside by" "linked.cu (it is a symbolic link" "huge.cu (it is too large"; do
        grep -qF "Not graded: $it" <(python3 -c "import json, sys; print(json.load(open(sys.argv[1]))[\"output\"])" "$dir/result.json") || { echo "# $it"; return 1; }; done'
rm -r "$dir"/autograder/submission/{kept,zhelper.cu,notes.txt,linked.cu,huge.cu}
echo '{"created_at": "soon"}' > "$dir/autograder/submission_metadata.json"
ok "what is no such file is the instructor's trouble, and no fault of the student's" \
    eval '[ "$(score rubric)" = 0 ] && grep -q "not your fault" "$dir/result.json" && complains "no created_at"'
done_testing
