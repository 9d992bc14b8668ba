#!/bin/bash
# SPDX-License-Identifier: MIT
# Who is who: two people of one name, a file beside an archive, and the one that counts.
. tests/batch/batch.bash
sum() { python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$dir/grades/results.json" "$1"; }
right=solutions/01-sync-vs-async.cu starter=exercises/01-sync-vs-async.cu

cp "$right" "$class/smithjohn_1013_501_01-sync-vs-async.cu"
cp "$starter" "$class/smithjohn_1014_502_01-sync-vs-async.cu"
batch --lessons 1
ok "without a roster two of one name are told apart by their numbers" \
    is "$(sum '[(s["id"], s["lessons"][0]["status"]) for s in r["students"]]')" "[('smithjohn (1013)', 'passed'), ('smithjohn (1014)', 'not attempted')]"
rm -rf "$dir/grades"
printf 'Student,ID,SIS User ID,SIS Login ID,Section\n"Smith, John",1013,s13,john1,A\n"Smith, John",1014,s14,john2,A\n' > "$dir/roster.csv"
batch --lessons 1 --roster "$dir/roster.csv"
ok "with one they are who they are" \
    eval 'ends 0 && is "$(sum "[(s[\"id\"], s[\"lessons\"][0][\"status\"]) for s in r[\"students\"]]")" "[('\''1013'\'', '\''passed'\''), ('\''1014'\'', '\''not attempted'\'')]"'
rm -rf "$dir/grades" "${class:?}"/*
hand_in "Smith, John" 01-sync-vs-async "$right"
hand_in john2 01-sync-vs-async "$right"
batch --lessons 1 --roster "$dir/roster.csv"
ok "a name that could be two people's is an error that names both" \
    eval 'ends 1 && complains "two people are called '\''Smith, John'\'': Smith, John (1013) and Smith, John (1014)"'
ok "the file is left out, and the others are graded" \
    eval 'says "left out: Smith, John/01-sync-vs-async.cu (two people" && is "$(status_of 1014 01)" passed && is "$(status_of 1013 01)" "not attempted"'
printf 'name\n"Smith, John"\n"Smith, John"\n' > "$dir/twice.csv"
batch --lessons 1 --roster "$dir/twice.csv"
ok "a roster that cannot tell two apart is an error" trouble "two people are called 'Smith, John'"

# A file by itself and one in an archive beside it, of the same time: the one by itself; and the loser is named.
rm -rf "$dir/grades" "${class:?}"/*
mkdir -p "$class/anna" "$class/ben" "$dir/packed"
cp "$starter" "$dir/packed/01-sync-vs-async.cu"
tar -czf "$class/anna/work.tar.gz" -C "$dir/packed" 01-sync-vs-async.cu
tar -czf "$class/ben/work.tar.gz" -C "$dir/packed" 01-sync-vs-async.cu
cp "$right" "$class/anna/01-sync-vs-async.cu"
cp "$right" "$class/ben/01-sync-vs-async.cu"
touch -d '2026-01-01 12:00' "$class"/anna/* "$class/ben/01-sync-vs-async.cu"
touch -d '2026-01-02 12:00' "$class/ben/work.tar.gz"
batch --lessons 1
ok "of one time the file by itself counts" is "$(status_of anna 01)" passed
ok "and the one in the archive is named, with the one that counts" \
    says "left out: anna/work.tar.gz: 01-sync-vs-async.cu (of this student's files for the lesson another counts: anna/01-sync-vs-async.cu)"
ok "of two times the newer counts" \
    eval 'is "$(status_of ben 01)" "not attempted" && says "left out: ben/01-sync-vs-async.cu (of this student'\''s files for the lesson another counts: ben/work.tar.gz"'
# Who handed something in to an earlier batch is of the class, where no roster says who is.
rm -rf "$dir/grades" "${class:?}"/*
hand_in anna 01-sync-vs-async "$right"
batch --lessons 1
rm -r "$class/anna"
hand_in ben 01-sync-vs-async "$starter"
batch --lessons 1
ok "without a roster those of earlier batches keep their grades, and are named" \
    eval 'ends 0 && is "$(status_of anna 01) $(status_of ben 01)" "passed not attempted" && says "Of earlier batches" && [ -s "$dir/grades/feedback/anna/01-sync-vs-async.txt" ]'
printf 'id\nben\n' > "$dir/roster.csv"
batch --lessons 1 --roster "$dir/roster.csv"
ok "with one the class is who is on it" is "$(sum '[s["id"] for s in r["students"]]')" "['ben']"
done_testing
