#!/bin/bash
# SPDX-License-Identifier: MIT
# kill -9 at thirty moments of a batch: nothing is lost, nothing graded twice, and what is there is what it would be.
. tests/batch/batch.bash

hand_in anna 01-sync-vs-async solutions/01-sync-vs-async.cu
hand_in ben 01-sync-vs-async exercises/01-sync-vs-async.cu
hand_in bea 01-sync-vs-async exercises/01-sync-vs-async.cu
insert errors '    *(volatile int *)16 = 1;'
hand_in dora 01-sync-vs-async "$dir/x.cu"
echo 'int x = ;' > "$dir/x.cu"
hand_in emil 01-sync-vs-async "$dir/x.cu"
printf 'a\0b' > "$dir/x.cu"
hand_in finn 01-sync-vs-async "$dir/x.cu"
hand_in gert 01-sync-vs-async "$(wrong 01-sync-vs-async/blames-launch)"

batch --lessons 1
ok "a class is graded without a break" ends 0
ok "two students with the same file get the same, each their own" \
    eval 'is "$(of ben 01 "e[\"verdict\"]")" "$(of bea 01 "e[\"verdict\"]")" && is "$(status_of bea 01)" "not attempted" && [ -s "$dir/grades/feedback/bea/01-sync-vs-async.txt" ]'
mv "$dir/grades" "$dir/whole"

# tree FOLDER: all that a batch leaves, but for its notes of the work at hand.
tree() { (cd "$1" 2> /dev/null && find attempts -type f -name '*.json' -exec sha256sum {} +) | sort; }
tree "$dir/whole" > "$dir/right"
attempts=$(wc -l < "$dir/right")

# A moment each: so long after the start, or so long after the so-manieth attempt was there.
RANDOM=4711 moments=0 damaged=0 lost=0 again=0 ended=0
: > "$dir/kept"
while [ "$moments" -lt 30 ]; do
    build/bin/batch --seed 7 -o "$dir/grades" --lessons 1 "$class" > /dev/null 2>&1 & it=$!
    there=$(find "$dir/grades/attempts" -name '*.json' 2> /dev/null | wc -l)
    sleep "0.$(printf %03d $((RANDOM % 400)))"
    if [ $((RANDOM % 2)) = 0 ]; then
        for ((i = 0; i < 200; i++)); do
            [ "$(find "$dir/grades/attempts" -name '*.json' 2> /dev/null | wc -l)" -le "$there" ] && kill -0 "$it" 2> /dev/null || break
            sleep 0.02
        done
    fi
    kill -KILL "$it" 2> /dev/null || ended=$((ended + 1))
    wait "$it" 2> /dev/null
    moments=$((moments + 1))
    tree "$dir/grades" > "$dir/now"
    comm -23 "$dir/now" "$dir/right" | grep -q . && damaged=$((damaged + 1))
    comm -23 "$dir/kept" "$dir/now" | grep -q . && lost=$((lost + 1))
    (cd "$dir/grades/attempts" && find . -name '*.json' -printf '%p %i\n') 2> /dev/null | sort > "$dir/places.now"
    [ ! -e "$dir/places" ] || [ -z "$(comm -23 "$dir/places" "$dir/places.now")" ] || again=$((again + 1))
    cp "$dir/now" "$dir/kept"
    cp "$dir/places.now" "$dir/places"
    if [ "$(wc -l < "$dir/now")" = "$attempts" ] && [ $((RANDOM % 3)) != 0 ]; then     # from the beginning
        rm -rf "$dir/grades/attempts" "$dir/places"
        : > "$dir/kept"
    fi
done 2> /dev/null
echo "# $ended of $moments had ended before"
ok "no attempt was ever there in part, or another than it would be" is "$damaged" 0
ok "none that was there was lost" is "$lost" 0
ok "none was graded twice" is "$again" 0
ok "most of the moments were in the middle" [ "$ended" -lt 15 ]
batch --lessons 1
tree "$dir/grades" > "$dir/now"
ok "started again, it ends, with the same attempts" eval 'ends 0 && diff "$dir/right" "$dir/now"'
ok "and the same results, feedback and exports, byte for byte" \
    eval 'for it in results.json report.txt feedback submissions exports class.html leaderboard.html; do diff -r "$dir/whole/$it" "$dir/grades/$it" || return; done'
# Killed while results, feedback and exports are written: each file is what it was, or what it is to be. All is graded, and another
# rubric makes all of them anew.
echo '{"lessons": {"01": {"points": 7}}}' > "$dir/rubric.json"
cp -r "$dir/grades" "$dir/other"
run build/bin/batch --seed 7 -o "$dir/other" --lessons 1 --rubric "$dir/rubric.json" "$class"
written="results.json report.txt class.html leaderboard.html exports feedback"
mixed=0 during=0 export_kills=${LONG:+30}
export_kills=${export_kills:-6}
for ((i = 0; i < export_kills; i++)); do
    rubric=(--rubric "$dir/rubric.json")
    [ $((i % 2)) = 0 ] || rubric=()
    was=$(stat -c %i "$dir/grades/results.json")
    build/bin/batch --seed 7 -o "$dir/grades" --lessons 1 "${rubric[@]}" "$class" > /dev/null 2>&1 & it=$!
    while kill -0 "$it" 2> /dev/null && [ "$(stat -c %i "$dir/grades/results.json" 2> /dev/null)" = "$was" ]; do sleep 0.01; done
    sleep "0.0$(printf %02d $((RANDOM % 60)))"
    kill -KILL "$it" 2> /dev/null && during=$((during + 1))
    wait "$it" 2> /dev/null
    for file in $(cd "$dir/grades" && find $written -type f ! -name '*.new-*' 2> /dev/null); do
        cmp -s "$dir/grades/$file" "$dir/whole/$file" || cmp -s "$dir/grades/$file" "$dir/other/$file" || { mixed=$((mixed + 1)); echo "# $file"; }
    done
    [ "$(cd "$dir/grades" && find $written -type f ! -name '*.new-*' | wc -l)" = "$(cd "$dir/whole" && find $written -type f | wc -l)" ] || mixed=$((mixed + 1))
done 2> /dev/null
echo "# $during of $export_kills while they were written"
ok "killed while exports are written, each of them is there, and whole" is "$mixed" 0
ok "some of the kills came in the middle" [ "$during" -gt 0 ]
batch --lessons 1
ok "and the same command brings all of them to the same state" \
    eval 'for it in $written; do diff -r "$dir/whole/$it" "$dir/grades/$it" || return; done'
ok "nothing half written is left among them" eval '[ -z "$(find "$dir/grades" -name "*.new-*")" ]'
ok "and no stage" left_nothing
done_testing
