#!/bin/bash
# SPDX-License-Identifier: MIT
# make watch06, in a copy of this folder and with no terminal: a verdict after each way of saving, none without need.
. tests/tap.bash
copy=$dir/copy
watcher=
cleanup() { [ -z "$watcher" ] || kill "$watcher" 2> /dev/null; }
copy_tree "$copy"
cd "$copy" || exit 2
tests/edit all made || exit 2

# How many verdicts were given so far, each with what follows it?
verdicts() { grep -c '^Watching ' "$dir/out"; }
waits_for() {   # a number of verdicts: patiently, for other tests compile, too
    for ((k = 0; k < 600; k++)); do
        [ "$(verdicts)" -lt "$1" ] || return 0
        kill -0 "$watcher" 2> /dev/null || return 1
        sleep 0.1
    done
    return 1
}
last_score() { grep ' points (' "$dir/out" | tail -n 1; }

: > "$dir/out"                 # there is something to look at before the watcher has begun
build/bin/study watch 06 >> "$dir/out" 2> "$dir/err" < /dev/null &
watcher=$!
ok "it grades at once, and makes the copy if there is none" \
    eval 'waits_for 1 && [[ $(last_score) == "not attempted: 0 of 100"* ]] && cmp -s work/06-overlap.cu exercises/06-overlap.cu'

cat made/wrong/06-overlap/few-chunks.cu > work/06-overlap.cu
ok "a file that is written over is graded again" eval 'waits_for 2 && [[ $(last_score) == "wanting: "* ]]'
ok "and what has changed is said" grep -q '^Since last time: [0-9]* points more. Passes now:' "$dir/out"

cp solutions/06-overlap.cu work/.06-overlap.cu.swp
mv work/.06-overlap.cu.swp work/06-overlap.cu
ok "a file that takes the place of the other is graded" eval 'waits_for 3 && [[ $(last_score) == "passed: 100 of 100"* ]]'

# As several editors do: the old one away, the new one, its mode, again the same bytes.
mv work/06-overlap.cu work/06-overlap.cu~
cat exercises/06-overlap.cu > work/06-overlap.cu
chmod 600 work/06-overlap.cu
cat exercises/06-overlap.cu > work/06-overlap.cu
touch work/06-overlap.cu
ok "a file that was away for a moment is graded" eval 'waits_for 4 && [[ $(last_score) == "not attempted"* ]]'
touch work/06-overlap.cu
echo other > work/other.txt
cat made/wrong/06-overlap/one-stream.cu > work/06-overlap.cu
ok "a save that changes nothing, and another file, are no reason to grade" \
    eval 'waits_for 5 && [ "$(verdicts)" = 5 ] && [ "$(grep -c " points (" "$dir/out")" = 5 ]'

sed 's/^void breadth_first.*/&/; /^void depth_first/,/^{/s/^{/{ for (;;) ;/' solutions/06-overlap.cu > work/06-overlap.cu
for ((k = 0; k < 300; k++)); do [ -n "$(ls build/tmp 2> /dev/null)" ] && break; sleep 0.1; done
cp solutions/06-overlap.cu work/new && mv work/new work/06-overlap.cu
ok "a version that hangs is given up for the next one" eval 'waits_for 6 && [[ $(last_score) == "passed"* ]]'

kill -INT "$watcher"
wait "$watcher"
status=$?
watcher=
ok "Ctrl-C ends it" [ "$status" = 0 ]
ok "and nothing is left behind" [ -z "$(ls build/tmp)" ]
ok "nothing went wrong on the way" [ "$(grep -vc '^Made work/' "$dir/err")" = 0 ]

done_testing
