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

printf 'id,lesson,due\nbenc,01,2026-12-31\n' > "$dir/times.csv"
submissions=$dir/canvas.zip batch --lessons 1 --rubric "$dir/rubric.json" --times "$dir/times.csv"
ok "for who was given more time here, Canvas' mark is of another date and takes nothing off" \
    eval 'is "$(late benc)" "(0.0, \"Canvas'\'' mark in the name\")" && says "since the due date is the student'\''s own"'
printf 'id,lesson,handed in\nbenc,01,2026-01-10T11:00:00Z\n' > "$dir/times.csv"
submissions=$dir/canvas.zip batch --lessons 1 --rubric "$dir/rubric.json" --times "$dir/times.csv"
ok "and a time that the instructor gives counts instead of it" is "$(late benc)" "(0.0, 'the file of times')"

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

submissions=$dir/moodle.zip batch --lessons "1 2" --rubric "$dir/rubric.json" --roster "$dir/sheet.csv"
ok "of several lessons it would be wrong for all but one, and the report says so" \
    eval 'is "$(late "Participant 12")" "(0.0, '\''unknown'\'')" && says "Note: the roster has submission times, which are not used: Moodle'\''s worksheet is of one assignment, and 2"'
rubric ''
submissions=$dir/moodle.zip batch --lessons 1 --rubric "$dir/rubric.json" --roster "$dir/sheet.csv"
ok "and that nothing names the zone" says "which are not used: nothing says which time zone they are in"
rubric ', "zone": "+01:00"'
sed 's/Saturday, 10 January 2026, 12:59 PM/Samstag, 10. Januar 2026, 12:59/; s/Sunday, 11 January 2026, 1:30 PM/11.01.2026 13:30/' "$dir/sheet.csv" > "$dir/sheet-de.csv"
submissions=$dir/moodle.zip batch --lessons 1 --rubric "$dir/rubric.json" --roster "$dir/sheet-de.csv"
ok "one in German is read" is "$(late 'Participant 11') $(late 'Participant 12')" "(0.0, \"Moodle's worksheet\") (80.0, \"Moodle's worksheet\")"
sed 's/Saturday, 10 January 2026, 12:59 PM/lauantai 10. tammikuuta 2026, 12:59/' "$dir/sheet.csv" > "$dir/sheet-fi.csv"
submissions=$dir/moodle.zip batch --lessons 1 --rubric "$dir/rubric.json" --roster "$dir/sheet-fi.csv"
ok "a date that is not understood is named" says "1 of 2 submission times on the roster are not used: they are not dates such as '10 January 2026, 13:05', and the first is 'lauantai 10. tammikuuta 2026, 12:59'"

# Moodle's log: of each submission when it was last made.
log() {
    cat > "$dir/log.csv" <<CSV
Time,"User full name","Affected user","Event context",Component,"Event name",Description,Origin,"IP address"
"$1","Ben C",-,"$2","File submissions","A file has been uploaded.","The user with id '12' has uploaded a file.",web,192.0.2.1
"9/01/26, 10:00:00","Ben C",-,"$2",Assignment,"A submission has been submitted.","The user with id '12' has submitted.",web,192.0.2.1
"12/01/26, 10:00:00","Ben C",-,"$2",Assignment,"The status of the submission has been viewed.","x",web,192.0.2.1
"9/01/26, 11:00:00","Anna B",-,"$2",Assignment,"A submission has been submitted.","x",web,192.0.2.1
"25/01/26, 11:00:00","Test Teacher",-,"$2",Assignment,"A submission has been submitted.","x",web,192.0.2.1
CSV
    submissions=$dir/moodle.zip batch --lessons "${3:-1}" --rubric "$dir/rubric.json" --roster "$dir/sheet.csv" --times "$dir/log.csv"
}
log "11/01/26, 13:30:05" "Assignment: Lesson 01: Sync"
ok "Moodle's log says when each submission was last made" is "$(late 'Participant 11') $(late 'Participant 12')" "(0.0, \"Moodle's log\") (80.0, \"Moodle's log\")"
ok "and who is not of the class is named" says "1 submissions are by people who are not of the class: Test Teacher"
log "11/01/26, 13:30:05" "Assignment: Homework" "1 2"
ok "of several lessons an assignment that is called like none says nothing" \
    eval 'is "$(late "Participant 12")" "(0.0, '\''unknown'\'')" && says "the times of 2 files are not used: its assignments are not called as lessons are"'
log "11/01/26, 13:30:05" "Assignment: 01-sync-vs-async" "1 2"
ok "one that is called like a lesson is that one's" is "$(late 'Participant 12')" "(80.0, \"Moodle's log\")"
sed -i '/Teacher/d; s/"12\//"2\//' "$dir/log.csv"
submissions=$dir/moodle.zip batch --lessons 1 --rubric "$dir/rubric.json" --roster "$dir/sheet.csv" --times "$dir/log.csv"
ok "a log in which any date could be two is not used, and that is said" says "3 times are not used: they could be two dates, or are none that is known"

# Folders: a file's own time is that of a copy, unless the instructor says that it is not.
rm -rf "$dir/grades"
hand_in copied 01-sync-vs-async "$right"
mkdir -p "$class/submitted/notebook/01-sync-vs-async"
cp "$right" "$class/submitted/notebook/01-sync-vs-async/x.cu"
echo '2026-01-11 11:00:00.123456 UTC' > "$class/submitted/notebook/01-sync-vs-async/timestamp.txt"
mkdir -p "$dir/home/work"
(cd "$dir/home" && cp "$root/$right" work && touch -d '2026-01-10 13:00 UTC' work/01-sync-vs-async.cu && NAME=packer "$root/tools/submit" "$class" 0.1 01-sync-vs-async > /dev/null)
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
# git: when each file was last committed, without heeding what a repository is set up to start.
if command -v git > /dev/null; then
    mkdir -p "$dir/clones/anna" "$dir/clones/ben"
    (
        cd "$dir/clones/anna" && export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.org
        git init -q . && mkdir work && cp "$root/$right" work/ && echo x > notes.txt && git add . && GIT_COMMITTER_DATE=2026-01-11T13:00:00+0100 git commit -qm one
        echo y > notes.txt && git add . && GIT_COMMITTER_DATE=2026-01-20T13:00:00+0100 git commit -qm two
        printf '#!/bin/sh\necho "$0" >> "%s/started"\n' "$dir" > evil && chmod +x evil
        for key in gpg.program core.fsmonitor core.pager core.sshCommand core.hooksPath; do git config "$key" "$PWD/evil"; done
        git config log.showSignature true
    ) > /dev/null 2>&1
    run tools/git-times "$dir/clones"
    ok "when a file was last committed is told, and who has no repository" \
        eval 'ends 1 && is "$(tail -n +2 "$dir/out")" "\"anna\",01,2026-01-11T13:00:00+01:00" && complains "ben: no git repository" && [ ! -e "$dir/started" ]'
    rm -rf "$dir/grades" "$dir/clones/ben" && cp "$dir/out" "$dir/times.csv"
    rubric ''
    submissions=$dir/clones batch --lessons 1 --rubric "$dir/rubric.json" --times "$dir/times.csv"
    ok "as a file of times, it counts" is "$(late anna)" "(40.0, 'the file of times')"
else
    skip "when a file was last committed is told" "there is no git"
fi
printf 'id,due\r\nghost,2026-01-20\r\n' > "$dir/times.csv"
batch --lessons 1 --times "$dir/times.csv"
ok "a line about an unknown student is an error" trouble "line 2: no one is called 'ghost'"
done_testing
