#!/bin/bash
# SPDX-License-Identifier: MIT
# Names beyond ASCII, in every encoding that archives are made in, and the account of what came in.
. tests/batch/batch.bash

# pack OUT: a Python script on stdin that fills archives; `cu` is a solution's bytes.
pack() {
    OUT=$1 python3 -c "
import io, os, sys, struct, tarfile, zipfile, zlib, unicodedata
cu = open('solutions/01-sync-vs-async.cu', 'rb').read()
out = os.environ['OUT']
def raw_zip(entries):
    # (name in bytes, flags, data, extra): Python writes none but ASCII, CP437 and UTF-8 by itself.
    body, table = b'', b''
    for name, flags, data, extra in entries:
        head = struct.pack('<HHHHHIIIHH', 20, flags, 0, 0, 0x5921, zlib.crc32(data), len(data), len(data), len(name), len(extra))
        table += b'PK\1\2' + struct.pack('<H', 20) + head + struct.pack('<HHHII', 0, 0, 0, 0, len(body)) + name + extra
        body += b'PK\3\4' + head + name + extra + data
    end = struct.pack('<HHHHIIH', 0, 0, len(entries), len(entries), len(table), len(body), 0)
    return body + table + b'PK\5\6' + end
def member(t, name, data=b'', kind=tarfile.REGTYPE, link=''):
    i = tarfile.TarInfo(name); i.size = len(data); i.type = kind; i.linkname = link; i.mtime = 1000000000
    if kind in (tarfile.CHRTYPE, tarfile.BLKTYPE): i.devmajor, i.devminor = 1, 3
    t.addfile(i, io.BytesIO(data))
exec(sys.stdin.read())
"
}
# sum EXPRESSION: a Python expression over all results, `r`.
sum() { python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$dir/grades/results.json" "$1"; }
people() { sum '"|".join(sorted(s["id"] for s in r["students"] if s["lessons"][0]["status"] == "passed"))'; }
adds_up() { sum '"yes" if r["intake"]["met"] == r["intake"]["graded"] + r["intake"]["left_out"] + r["intake"]["companions"] else r["intake"]'; }

pack "$dir/utf8.zip" <<'PY'
with zipfile.ZipFile(out, 'w') as z:
    for who in ('Zoë', '王小明', 'bob'): z.writestr(who + '/01-sync-vs-async.cu', cu)
PY
printf 'id,name\nz1,Zoë Straße\nw1,王小明\nb1,Bob B\nn1,Nobody Came\n' > "$dir/roster.csv"
LC_ALL=C submissions=$dir/utf8.zip batch --lessons 1
ok "a zip with the flag of UTF-8 is read in any locale" is "$(people)" "Zoë|bob|王小明"
ok "and what came in is what was graded" is "$(adds_up) $(sum 'r["intake"]["met"]')" "yes 3"

# One class, each of another system's making.
rm -rf "$dir/grades"
pack "$dir/all.zip" <<'PY'
rows = []
for encoding, who in (('cp437', ['Zoë', 'Jörg']), ('cp1252', ['Größe Müller', 'José Ñandú']), ('gb18030', ['王小明', '张伟']), ('cp932', ['田中太郎'])):
    rows += [((w + '/01-sync-vs-async.cu').encode(encoding), 0, cu, b'') for w in who]
rows.append(((unicodedata.normalize('NFD', 'Renée Åström') + '/01-sync-vs-async.cu').encode(), 0x800, cu, b''))
rows.append(('Łukasz Żak/01-sync-vs-async.cu'.encode(), 0, cu, b''))
# Info-ZIP: the name for old programs in its place, the right one behind it.
plain, real = b'?????/01-sync-vs-async.cu', 'Дарья/01-sync-vs-async.cu'.encode()
rows.append((plain, 0, cu, struct.pack('<HHBI', 0x7075, 5 + len(real), 1, zlib.crc32(plain)) + real))
open(out, 'wb').write(raw_zip(rows))
PY
submissions=$dir/all.zip batch --lessons 1
ok "names in CP437, CP1252, GB18030, Shift-JIS, UTF-8, decomposed and with Info-ZIP's own field are read" \
    is "$(people)" "Größe Müller|José Ñandú|Jörg|Renée Åström|Zoë|Łukasz Żak|Дарья|张伟|王小明|田中太郎"
ok "each guess is named" eval 'for it in CP437 CP1252 GB18030 Shift-JIS; do says "read as $it, which is a guess" || return; done'
ok "and stands in the results" is "$(sum 'sorted(e["encoding"] + " " + str(e["names"]) for e in r["encodings"])')" "['CP1252 2', 'CP437 2', 'GB18030 2', 'Shift-JIS 1']"

# Other code pages: where nobody is known each looks like itself, and where somebody is, the one that makes the name is right.
rm -rf "$dir/grades"
pack "$dir/pages.zip" <<'PY'
rows = []
for encoding, who in (('big5', '陳大文'), ('cp949', '김철수'), ('cp866', 'Иван Петров'), ('cp1251', 'Анна Смирнова'), ('koi8-r', 'Дарья Иванова'), ('cp1250', 'Łukasz Żak'),
                      ('cp852', 'Jiří Novák'), ('cp1253', 'Γιώργος'), ('cp932', 'ﾀﾅｶ'), ('cp1254', 'Gülşah Işık'), ('euc_jp', '山田太郎'), ('cp1255', 'דוד לוי')):
    rows.append(((who + '/01-sync-vs-async.cu').encode(encoding), 0, cu, b''))
open(out, 'wb').write(raw_zip(rows))
PY
submissions=$dir/pages.zip batch --lessons 1
ok "Big5, EUC-KR, CP866, CP1251, KOI8-R, CP1250, CP852, CP1253 and narrow kana are guessed" \
    eval 'for it in 陳大文 김철수 "Иван Петров" "Анна Смирнова" "Дарья Иванова" "Łukasz Żak" "Jiří Novák" Γιώργος ﾀﾅｶ; do is "$(status_of "$it" 01)" passed || return; done'
rm -rf "$dir/grades"
printf 'id,name\n1,陳大文\n2,김철수\n3,Петров Иван\n4,Анна Смирнова\n5,Дарья Иванова\n6,"Żak, Łukasz"\n7,Jiří Novák\n8,Γιώργος\n9,ﾀﾅｶ\n10,Gülşah Işık\n11,山田太郎\n12,דוד לוי\n' > "$dir/roster.csv"
submissions=$dir/pages.zip batch --lessons 1 --roster "$dir/roster.csv"
ok "with a roster, Turkish, EUC-JP and Hebrew as well: the page is right that makes a name on it" is "$(people)" "1|10|11|12|2|3|4|5|6|7|8|9"

# A roster of macOS and a folder of Linux mean the same people; Excel's is in CP1252.
rm -rf "$dir/grades"
hand_in "$(python3 -c 'import unicodedata; print(unicodedata.normalize("NFD", "Renée Åström"))')" 01-sync-vs-async solutions/01-sync-vs-async.cu
hand_in zoë 01-sync-vs-async solutions/01-sync-vs-async.cu
printf 'id;name\nr1;Renée Åström\nz1;ZOË\n' | iconv -t CP1252 > "$dir/excel.csv"
batch --lessons 1 --roster "$dir/excel.csv"
ok "a roster that is not UTF-8 is read, and that is said" says "excel.csv is not UTF-8: it was read as CP1252"
ok "people are met by their names' normal form, small or large" is "$(people)" "r1|z1"
rm -rf "$dir/grades" "${class:?}"/*
for it in 'MÜLLER, STRASSE' ＡＮＮＡ İPEK; do hand_in "$it" 01-sync-vs-async solutions/01-sync-vs-async.cu; done
printf 'id,name\n1,"Straße Müller"\n2,anna\n3,ipek\n' > "$dir/roster.csv"
batch --lessons 1 --roster "$dir/roster.csv"
ok "and a sharp s is two, a wide letter a letter, an i an i" is "$(people)" "1|2|3"

# What is not graded is named, and spoils nothing that lies beside it.
rm -rf "$dir/grades"
pack "$dir/nasty.tar" <<'PY'
with tarfile.open(out, 'w') as t:
    own = io.BytesIO()
    with tarfile.open(fileobj=own, mode='w') as i:
        member(i, '01-sync-vs-async.cu', cu)
        member(i, '../victim/01-sync-vs-async.cu', b'int x;')
        member(i, '/victim/01-sync-vs-async.cu', b'int x;')
        member(i, 'inner.zip', b'PK')
        member(i, 'README.txt', b'hello')
    member(t, 'mallory.tar', own.getvalue())
    member(t, 'victim/01-sync-vs-async.cu', cu)
    for name in ('../victim/01-sync-vs-async.cu', '/victim/01-sync-vs-async.cu', 'a/../victim/01-sync-vs-async.cu'): member(t, name, b'int x;')
    member(t, 'victim/submissions/01-sync-vs-async.cu', kind=tarfile.SYMTYPE, link='/etc/passwd')
    member(t, 'victim/src/01-sync-vs-async.cu', kind=tarfile.FIFOTYPE)
    member(t, 'victim/exercises/01-sync-vs-async.cu', kind=tarfile.CHRTYPE)
    member(t, 'victim/submission/01-sync-vs-async.cu', kind=tarfile.LNKTYPE, link='mallory.tar')
    member(t, 'victim/._01-sync-vs-async.cu', b'\0\5\26\7Mac OS X')
    member(t, '__MACOSX/victim/._01-sync-vs-async.cu', b'\0\5\26\7Mac OS X')
    member(t, 'victim/notes.txt', b'x')
    member(t, 'essayist/essay.cu', b'x')
    member(t, 'empty.tar', b'\0' * 10240)
    member(t, 'C:/victim/01-sync-vs-async.cu', b'int x;')
    member(t, 'd:\\victim\\01-sync-vs-async.cu', b'int x;')
    member(t, 'victim/kept/01-sync-vs-async.cu', b'int x;')
    for i in range(30): member(t, 'victim/note%02d.txt' % i)
    member(t, 'stranger/01-sync-vs-async.cu', cu)
    member(t, 'early/02-stream-queues.cu', cu)
PY
printf 'id\nvictim\nmallory\nessayist\nempty\nearly\nabsent\n' > "$dir/roster.csv"
submissions=$dir/nasty.tar batch --lessons 1 --roster "$dir/roster.csv"
ok "a good file beside all that is graded" is "$(people)" "mallory|stranger|victim"
ok "each of the others is named with its reason" eval '
    for it in "../victim/01-sync-vs-async.cu (its path leads out" "/victim/01-sync-vs-async.cu (its path leads out" "a/../victim/01-sync-vs-async.cu (its path" \
        "mallory.tar: ../victim/01-sync-vs-async.cu (its path" "mallory.tar: /victim/01-sync-vs-async.cu (its path" "mallory.tar: inner.zip (an archive in an archive" \
        "mallory.tar: README.txt (it is no .cu file" "victim/submissions/01-sync-vs-async.cu (it is a symbolic link" "victim/src/01-sync-vs-async.cu (it is a pipe" \
        "victim/exercises/01-sync-vs-async.cu (it is a device" "victim/submission/01-sync-vs-async.cu (it is a hard link" "victim/._01-sync-vs-async.cu (macOS" \
        "__MACOSX/victim/._01-sync-vs-async.cu (macOS" "victim/notes.txt (it is no .cu" "essayist/essay.cu (no lesson" "empty.tar (the archive is empty" \
        "early/02-stream-queues.cu (its lesson is not graded now" \
        "C:/victim/01-sync-vs-async.cu (its path leads out" "victim/kept/01-sync-vs-async.cu (put aside by"; do says "left out: $it" || { echo "# $it"; return 1; }; done'
ok "and what came in is what was graded and what was left out" is "$(adds_up) $(sum 'r["intake"]["graded"], len(r["strays"])')" "yes (3, 50)"
ok "more than twenty of one reason are counted, and all are in the file" \
    eval 'says "left out: 12 more (it is no .cu file" && is "$(grep -c "left out: victim/note[0-9]" "$dir/grades/report.txt")" 30 && grep -q "left out: d:.victim" "$dir/grades/report.txt"'
ok "who handed in something else is told what" eval 'of essayist 01 "e[\"reason\"]" | grep -qF "left out: essayist/essay.cu" && of empty 01 "e[\"reason\"]" | grep -q "the archive is empty"'
ok "who is not on the roster is named, and who may be waiting for that" \
    eval 'says "Not on the roster, so that their grades go to no platform: 1" && says "  stranger" && says "On the roster, with nothing handed in: 4" && says "  absent, "'
ok "and that is no success" eval 'ends 1 && complains "1 person is not on the roster"'
ok "who handed in nothing is not told so for certain as long as a file is nobody's" \
    is "$(of absent 01 'e["reason"], e["grade"]')" "('nothing was handed in under this name, but 1 file for the lesson came from people who are not on the roster', 'none')"
echo '{"missing": "zero"}' > "$dir/zero.json"
submissions=$dir/nasty.tar batch --lessons 1 --roster "$dir/roster.csv" --rubric "$dir/zero.json"
ok "nor gets a zero" eval 'is "$(of absent 01 "e[\"grade\"]") $(of victim 01 "e[\"grade\"]")" "none points" && is "$(sum "[s[\"total\"] for s in r[\"students\"] if s[\"id\"] == \"absent\"]")" "[None]"'
echo stranger >> "$dir/roster.csv"
submissions=$dir/nasty.tar batch --lessons 1 --roster "$dir/roster.csv" --rubric "$dir/zero.json"
ok "when everybody is known, who handed in nothing gets what the rubric says" \
    eval 'ends 0 && is "$(of absent 01 "e[\"reason\"], e[\"grade\"]")" "('\''nothing was handed in'\'', '\''points'\'')"'
done_testing
