#!/bin/bash
# SPDX-License-Identifier: MIT
# Lateness: what each platform's times mean, where they come from, and that nothing is taken off where nothing is known.
. tests/batch/batch.bash
right=solutions/01-sync-vs-async.cu
late() { of "$1" 01 'e["late_percent"], e["time_from"]'; }
rubric() { printf '{"late": {"per_day": 40, "most": 80, "until": "10d"%s}, "lessons": {"01": {"due": "2026-01-10T12:00:00Z"}}}' "$1" > "$dir/rubric.json"; }

# Canvas writes all entries with the time of the download (add_attachment_to_zip in lib/content_zipper.rb gives none).
python3 - "$dir" <<'PY'
import sys, zipfile
cu = open('solutions/01-sync-vs-async.cu', 'rb').read()
for name, names in (('canvas', ['annab_11_501_01-sync-vs-async.cu', 'benc_LATE_12_502_01-sync-vs-async.cu']),
                    ('moodle', ['Anna B_11_assignsubmission_file/01-sync-vs-async.cu', 'Ben C_12_assignsubmission_file/01-sync-vs-async.cu'])):
    with zipfile.ZipFile('%s/%s.zip' % (sys.argv[1], name), 'w') as z:
        for it in names: z.writestr(zipfile.ZipInfo(it, (2026, 3, 1, 12, 0, 0)), cu)
PY
rubric ''
submissions=$dir/canvas.zip batch --lessons 1 --rubric "$dir/rubric.json"
ok "Canvas' times are those of the download: only its mark counts" \
    is "$(late annab) $(late benc)" "(0.0, \"Canvas' mark in the name\") (40.0, \"Canvas' mark in the name\")"
ok "the report says where times come from" says "2    Canvas' mark in the name"

rm -rf "$dir/grades"
cat > "$dir/sheet.csv" <<'CSV'
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed","Last modified (submission)","Last modified (grade)","Feedback comments"
"Participant 11","Anna B",a@example.org,"Submitted for grading - ",,100.00,Yes,"Saturday, 10 January 2026, 12:59 PM",-,
"Participant 12","Ben C",b@example.org,"Submitted for grading - ",,100.00,Yes,"Sunday, 11 January 2026, 1:30 PM",-,
CSV
submissions=$dir/moodle.zip batch --lessons 1 --rubric "$dir/rubric.json" --roster "$dir/sheet.csv"
ok "Moodle's zip says nothing of times" is "$(late 'Participant 12')" "(0.0, 'unknown')"
rubric ', "zone": "+01:00"'
submissions=$dir/moodle.zip batch --lessons 1 --rubric "$dir/rubric.json" --roster "$dir/sheet.csv"
ok "its worksheet does, when the rubric names the zone" is "$(late 'Participant 11') $(late 'Participant 12')" "(0.0, \"Moodle's worksheet\") (80.0, \"Moodle's worksheet\")"

# Folders: a file's own time is that of a copy, unless the instructor says that it is not.
rm -rf "$dir/grades"
hand_in copied 01-sync-vs-async "$right"
mkdir -p "$class/submitted/notebook/01-sync-vs-async"
cp "$right" "$class/submitted/notebook/01-sync-vs-async/x.cu"
echo '2026-01-11 11:00:00.123456 UTC' > "$class/submitted/notebook/01-sync-vs-async/timestamp.txt"
mkdir -p "$dir/home/work"
cp "$right" "$dir/home/work/"
touch -d '2026-01-10 13:00 UTC' "$dir/home/work/01-sync-vs-async.cu"
(cd "$dir/home" && NAME=packer "$root/tools/submit" "$class" 0.1 01-sync-vs-async > /dev/null)
touch -d '2026-03-01' "$class/copied/01-sync-vs-async.cu"
mkdir "$dir/forger" && cp "$right" "$dir/forger" && echo '2026-01-01 11:00:00.0 UTC' > "$dir/forger/timestamp.txt"
tar -czf "$class/forger.tar.gz" -C "$dir" forger
rubric ''
batch --lessons 1 --rubric "$dir/rubric.json"
ok "a timestamp in a student's own archive is the student's word" is "$(late forger)" "(0.0, \"the file's own time\")"
ok "a file's own time takes nothing off" is "$(late copied)" "(0.0, \"the file's own time\")"
ok "and the report says that it would" says "not counted"
ok "nbgrader's timestamp.txt is known" is "$(late notebook)" "(40.0, \"nbgrader's timestamp.txt\")"
ok "make submit writes no time: the same work is the same bytes" is "$(late packer)" "(0.0, \"the file's own time\")"
rubric ', "times": "files"'
batch --lessons 1 --rubric "$dir/rubric.json"
ok "where the rubric says so, a file's own time counts" is "$(late copied)" "(100.0, \"the file's own time\")"

# The instructor's word counts more than all of them, and needs no grading anew.
find "$dir/grades/attempts" -name '*.json' -printf '%p %T@\n' | sort > "$dir/before"
printf 'id,lesson,handed in,due,excused\ncopied,01,2026-01-10T11:00:00Z,,\nnotebook,,,2026-01-20,No\npacker,01,,,yes\n' > "$dir/times.csv"
batch --lessons 1 --rubric "$dir/rubric.json" --times "$dir/times.csv"
find "$dir/grades/attempts" -name '*.json' -printf '%p %T@\n' | sort > "$dir/after"
ok "a file of times overrides it, with due dates of one's own" is "$(late copied) $(late notebook)" "(0.0, 'the file of times') (0.0, \"nbgrader's timestamp.txt\")"
ok "and nothing is graded again for that" cmp -s "$dir/before" "$dir/after"
ok "who is excused has no zero: the lesson does not count" is "$(of packer 01 'e["status"], e["score"]')" "('excused', 0.0)"
ok "and of whom it says no, that one counts" is "$(of notebook 01 'e["status"]')" passed
ok "Canvas is told so" eval 'grep -q "^\"packer\",.*,EX.$" "$dir/grades/exports/canvas.csv"'
printf 'id,due\r\nghost,2026-01-20\r\n' > "$dir/times.csv"
batch --lessons 1 --times "$dir/times.csv"
ok "a line about an unknown student is an error" trouble "line 2: no student is called 'ghost'"
done_testing
