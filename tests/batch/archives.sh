#!/bin/bash
# SPDX-License-Identifier: MIT
# What comes in as archives and folders of other people's making: layouts, and attacks 33 to 36.
. tests/batch/batch.bash
touch "$dir/outside"
mkdir "$dir/elsewhere"

# pack OUT: a Python script on stdin that fills `t`, a tar (OUT.tar*), or `z`, a zip; `cu` is a solution's bytes.
pack() {
    OUT=$1 python3 -c "
import io, os, sys, tarfile, zipfile, time
cu = open('solutions/01-sync-vs-async.cu', 'rb').read()
out = os.environ['OUT']
def member(name, data=b'', kind=tarfile.REGTYPE, link='', t=None):
    i = tarfile.TarInfo(name); i.size = len(data); i.type = kind; i.linkname = link; i.mtime = 1000000000
    if kind in (tarfile.CHRTYPE, tarfile.BLKTYPE): i.devmajor, i.devminor = 1, 3
    t.addfile(i, io.BytesIO(data))
exec(sys.stdin.read())
"
}
# graded STUDENT: its status in lesson 01.
graded() { status_of "$1" 01; }
left_out() { grep -qF -- "left out: $1" "$dir/out"; }

pack "$dir/nasty.tar.gz" <<'PY'
with tarfile.open(out, 'w:gz') as t:
    member('honest/01-sync-vs-async.cu', cu, t=t)
    member('../../../up/01-sync-vs-async.cu', cu, t=t)
    member('/abs/01-sync-vs-async.cu', cu, t=t)
    member('linked', kind=tarfile.SYMTYPE, link=os.path.dirname(out) + '/elsewhere', t=t)
    member('linked/01-sync-vs-async.cu', cu, t=t)
    member('symlink/01-sync-vs-async.cu', kind=tarfile.SYMTYPE, link='/etc/passwd', t=t)
    member('pipe/01-sync-vs-async.cu', kind=tarfile.FIFOTYPE, t=t)
    member('device/01-sync-vs-async.cu', kind=tarfile.CHRTYPE, t=t)
    member('hard/01-sync-vs-async.cu', kind=tarfile.LNKTYPE, link='honest/01-sync-vs-async.cu', t=t)
    member('twice/01-sync-vs-async.cu', b'int first;', t=t)
    member('twice/01-sync-vs-async.cu', cu, t=t)
    member('-rf/01-sync-vs-async.cu', cu, t=t)
    member('new\nline\x1b[31m/01-sync-vs-async.cu', cu, t=t)
    member("=cmd|' C calc'!A0/01-sync-vs-async.cu", cu, t=t)
    member('large/01-sync-vs-async.cu', b'/' * (3 << 20), t=t)
    member('honest/notes.txt', b'x', t=t)
    member('01-sync-vs-async.cu', cu, t=t)
    member('somebody/essay.cu', b'int x;', t=t)
PY
submissions=$dir/nasty.tar.gz batch --lessons 1
ok "an archive of nasty names is graded" ends 0
ok "a file in it like any other passed" is "$(graded honest)" passed
ok "names with .. and absolute ones are left out, and lead nowhere" \
    eval 'left_out "../../../up/01-sync-vs-async.cu (its path leads out" && left_out "/abs/01-sync-vs-async.cu (its path leads out" && [ ! -e /abs ] && [ ! -e "$dir/../up" ]'
ok "a symlinked folder leads nowhere" eval 'is "$(graded linked)" passed && [ -z "$(ls "$dir/elsewhere")" ]'
for kind in symlink pipe device hard; do
    ok "a $kind in an archive is refused" eval "is \"\$(graded $kind)\" refused && of $kind 01 'e[\"reason\"]' | grep -q 'hand in'"
done
ok "of members of the same name the last counts" is "$(graded twice)" passed
ok "a name with a dash in front is a name" eval 'is "$(graded -rf)" passed && [ -d "$dir/grades/attempts/%2Drf" ]'
ok "control characters in a name are shown, and move nothing" \
    eval 'ls "$dir/grades/attempts" | grep -q "^new%0Aline" && ! ls "$dir/grades/attempts" | LC_ALL=C grep -q "[[:cntrl:]]"'
ok "a name that a table would compute is one folder" eval 'ls "$dir/grades/attempts" | grep -q "^%3Dcmd"'
ok "a file that is too large is refused" eval 'is "$(of large 01 "e[\"status\"], e[\"reason\"]")" "('\''refused'\'', '\''it is too large'\'')"'
ok "what is nobody's, or no lesson's, is listed" eval 'left_out "01-sync-vs-async.cu (no student" && left_out "somebody/essay.cu (no lesson"'

rm -rf "$dir/grades"
pack "$dir/bomb.zip" <<'PY'
inner = io.BytesIO()
with zipfile.ZipFile(inner, 'w', zipfile.ZIP_DEFLATED) as z:
    z.writestr('zero.bin', bytes(200 << 20))
    z.writestr('late/01-sync-vs-async.cu', cu)
many = io.BytesIO()
with zipfile.ZipFile(many, 'w') as z:
    for i in range(3000): z.writestr('f%d' % i, b'')
with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
    z.writestr('bomber/work.zip', inner.getvalue())
    z.writestr('crowd.zip', many.getvalue())
    z.writestr('broken/work.tar.gz', b'\x1f\x8b no such thing')
    z.writestr('honest/01/main.cu', cu)
PY
submissions=$dir/bomb.zip batch --lessons 1
ok "an archive that unpacks without end is left out, and nobody else" \
    eval 'ends 0 && left_out "bomber/work.zip (the archive unpacks to more" && is "$(graded honest)" passed'
ok "so is one with too many files, and a damaged one" \
    eval 'left_out "crowd.zip (the archive has too many" && left_out "broken/work.tar.gz (the archive is damaged"'

# The layouts.
rm -rf "$dir/grades"
pack "$dir/layouts.zip" <<'PY'
def packed(who):
    b = io.BytesIO()
    with tarfile.open(fileobj=b, mode='w:gz') as t:
        member(who + '/01-sync-vs-async.cu', cu, t=t)
        member(who + '/submission', b'streams-workbook 0.1\nname ' + who.encode() + b'\nlesson 01-sync-vs-async\n', t=t)
    return b.getvalue()
with zipfile.ZipFile(out, 'w') as z:
    z.writestr('submitted/nb/lesson01/anything.cu', cu)
    z.writestr('Moodle Person_4711_assignsubmission_file_/01-sync-vs-async.cu', cu)
    z.writestr('Packed Person_4712_assignsubmission_file_/whoever.tar.gz', packed('whoever'))
    z.writestr('smithanna_815_99_01-sync-vs-async.cu', b'int older;')
    z.writestr('smithanna_815_100_01-sync-vs-async-2.cu', cu)
    z.writestr('revised_817_103_01-sync-vs-async.cu', b'int older;')
    z.writestr('revised_817_102_01-sync-vs-async-2.cu', cu)
    z.writestr('uploaded_818_99_01-sync-vs-async.cu', b'int older;')
    z.writestr('uploaded_818_100_01-sync-vs-async.cu', cu)
    z.writestr('latecomer_LATE_816_101_01-sync-vs-async.cu', cu)
    z.writestr('tarred.tar.gz', packed('another'))
    z.writestr('plain-01-sync-vs-async.cu', cu)
    z.writestr('01-anna/01-sync-vs-async.cu', cu)
PY
cat > "$dir/roster.csv" <<'CSV'
"Student","ID","Email","Section"
"Smith, Anna",s815,anna@example.org,"A, evening"
"Person, Moodle",Participant 4711,m@example.org,B
"Nobody, Came",s999,nc@example.org,B
CSV
submissions=$dir/layouts.zip batch --lessons 1 --roster "$dir/roster.csv" --rubric <(echo '{"late": {"per_day": 10}}')
for student in nb "Participant 4711" "Packed Person" s815 revised uploaded latecomer tarred plain 01-anna; do
    ok "$student's file is found" is "$(graded "$student")" passed
done
ok "what Canvas marks as late costs a day" is "$(of latecomer 01 'e["late_percent"], e["score"] * 10 == e["max"] * 9')" "(10.0, True)"
ok "who is on the roster and handed in nothing is there" is "$(of s999 01 'e["status"]')" "not attempted"
ok "the roster's name and section are in the results" eval 'grep -q "\"A, evening\"" "$dir/grades/results.json" && grep -q "\"Smith, Anna\"" "$dir/grades/results.json"'

# What `make submit` writes, as it is.
rm -rf "$dir/grades"
mkdir -p "$dir/home/work" "$dir/handed"
cp solutions/01-sync-vs-async.cu "$dir/home/work"
(cd "$dir/home" && NAME="Ada Lovelace" "$root/tools/submit" "$dir/handed" 0.1 01-sync-vs-async > /dev/null)
submissions=$dir/handed batch --lessons 1
ok "a file of make submit is read as it is" is "$(graded Ada_Lovelace)" passed


# Its sums are compared.
rm -rf "$dir/grades" "$dir/handed"
mkdir "$dir/handed"
cp solutions/02-stream-queues.cu solutions/03-events.cu "$dir/home/work"
for who in changed added lost truthful; do
    (cd "$dir/home" && NAME=$who "$root/tools/submit" "$dir/handed" 0.1 01-sync-vs-async 02-stream-queues > /dev/null)
    mkdir "$dir/$who" && tar -xzf "$dir/handed/$who.tar.gz" -C "$dir/$who"
done
echo '// later' >> "$dir/changed/changed/01-sync-vs-async.cu"
cp solutions/03-events.cu "$dir/added/added"
rm "$dir/lost/lost/02-stream-queues.cu"
for who in changed added lost; do tar -czf "$dir/handed/$who.tar.gz" -C "$dir/$who" "$who"; done
mv "$dir/truthful/truthful" "$dir/handed/unpacked"
submissions=$dir/handed batch --lessons "1 2 3"
ok "a file that is not what SHA256SUMS says is refused, and the others are not" \
    eval 'is "$(graded changed)" refused && of changed 01 "e[\"reason\"]" | grep -q "changed or damaged after" && is "$(status_of changed 02)" passed'
ok "so is one that was added" eval 'is "$(status_of added 03)" refused && of added 03 "e[\"reason\"]" | grep -q "does not name it" && is "$(graded added)" passed'
ok "one that is gone is listed" left_out "lost.tar.gz: lost/02-stream-queues.cu (its SHA256SUMS names it"
ok "what is as it was is graded, packed and unpacked" eval 'is "$(graded truthful)" passed && is "$(graded unpacked)" passed && is "$(graded lost)" passed'

# 36: links in a folder.
rm -rf "$dir/grades"
mkdir -p "$class/linker" "$class/honest"
ln -s "$dir/outside" "$class/linker/01-sync-vs-async.cu"
ln -s /etc "$class/etc"
mkfifo "$class/honest/02-stream-queues.cu"
cp solutions/01-sync-vs-async.cu "$class/honest/"
mkdir -p "$dir/grades/attempts" "$dir/elsewhere"
batch --lessons "1 2"
ok "a link and a pipe in a folder are refused" \
    eval 'is "$(graded linker)" refused && is "$(status_of honest 02)" refused && is "$(graded honest)" passed'
ok "nothing was written through a link" eval '[ ! -s "$dir/outside" ] && [ -z "$(ls -A "$dir/elsewhere")" ]'
submissions=$dir/nowhere batch
ok "what is not there is said in a line" trouble "nowhere: No such file"
printf 'no archive' > "$dir/none.zip"
submissions=$dir/none.zip batch
ok "what is no archive, too" trouble "none.zip: "
done_testing
