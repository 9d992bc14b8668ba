#!/bin/bash
# SPDX-License-Identifier: MIT
# What is kept is what would come of it now: a lesson that was mended regrades it, earlier attempts too; and a disputed
# verdict is judged again from what results keep.
. tests/batch/batch.bash
right=solutions/01-sync-vs-async.cu starter=exercises/01-sync-vs-async.cu
# All that a batch needs, to be mended.
copy_program 01
program=$copy/build/bin/batch
keys() { find "$dir/grades/attempts" -name '*.json' -printf '%f\n' | sort; }

: | gcc -x c -c -o "$dir/empty.o" -
hand_in anna 01-sync-vs-async "$right"
batch --lessons 1
keys > "$dir/first"
batch --lessons 1
ok "the same again is not graded again" eval 'keys | cmp - "$dir/first"'
was=1
for part in lessons/01-sync-vs-async/lesson.h common/streams.h build/lib/libsim.a build/lessons/01-sync-vs-async/reference exercises/01-sync-vs-async.cu; do
    [ -e "$copy/$part" ] || { ok "$part is there" false; continue; }
    cp "$copy/$part" "$dir/kept"
    case $part in (*.h | *.cu) echo '// mended' >> "$copy/$part" ;; (*.a) ar q "$copy/$part" "$dir/empty.o" ;; (*) printf 'x' >> "$copy/$part" ;; esac
    batch --lessons 1
    now=$(keys | wc -l)
    ok "with another $part it is graded again, as the same attempt" eval '[ "$now" = $((was + 1)) ] && is "$(of anna 01 "e[\"status\"], e[\"attempt\"], e[\"attempts\"], e[\"current\"]")" "('\''passed'\'', 1, 1, True)"'
    was=$now
    cp "$dir/kept" "$copy/$part"
done
batch --lessons 1
ok "with the old ones back, the old verdict counts" is "$(keys | wc -l)" "$was"

# Of several attempts each is judged as now.
hand_in anna 01-sync-vs-async "$starter"
echo '{"regrade": "best"}' > "$dir/rubric.json"
batch --lessons 1 --rubric "$dir/rubric.json"
ok "of two attempts the best counts" is "$(of anna 01 'e["status"], e["attempt"], e["attempts"]')" "('passed', 1, 2)"
echo '// mended again' >> "$copy/lessons/01-sync-vs-async/lesson.h"
batch --lessons 1 --rubric "$dir/rubric.json"
ok "when a lesson is mended the earlier file is judged again, too" \
    is "$(of anna 01 'e["status"], e["attempt"], e["attempts"]') $(keys | wc -l)" "('passed', 1, 2) $((was + 3))"
# A mend that takes the points of the earlier one: no stale verdict may keep them.
sed -i '1i #error not any more' "$copy/lessons/01-sync-vs-async/lesson.h"
batch --lessons 1 --rubric "$dir/rubric.json"
ok "and no verdict of before counts beside it" is "$(of anna 01 'e["status"], e["score"]')" "('did not build', 0.0)"

# An appeal.
unset program
rm -rf "$dir/grades"
hand_in anna 01-sync-vs-async "$(wrong 01-sync-vs-async/blames-launch)"
batch --lessons 1
rm -rf "${class:?}/anna"
run build/bin/batch --replay anna/01 "$dir/grades"
ok "a disputed verdict is judged again from what results keep, bit for bit" eval 'ends 0 && says "the same verdict, all"'
key=$(of anna 01 'e["key"]')
sed -i 's/"points": 0,/"points": 1,/' "$dir/grades/attempts/anna/01-sync-vs-async/$key.json"
run build/bin/batch --replay "anna/01/$key" "$dir/grades"
ok "one that was changed by hand is another" eval 'ends 1 && says "another verdict"'
echo '// later' >> "$(echo "$dir"/grades/attempts/anna/01-sync-vs-async/*.cu)"
run build/bin/batch --replay anna/01 "$dir/grades"
ok "a file that was changed is not judged" trouble "has been changed since"
attempt=$(echo "$dir"/grades/attempts/anna/01-sync-vs-async/*.json)
git -C "$root" rev-parse HEAD > "$dir/commit" 2> /dev/null &&
    ok "an attempt knows the commit that judged it" grep -q "\"commit\": \"$(cat "$dir/commit")\"" "$attempt"

# A card from a file: programs in the sandbox read it, it is kept with the results, and another one is another verdict.
rm -rf "$dir/grades"
hand_in anna 01-sync-vs-async "$(wrong 01-sync-vs-async/blames-launch)"
mkdir "$dir/cards" && cp common/model/cards/h200.card "$dir/cards/mine.card"
(cd "$dir/cards" && batch --lessons 1 --card mine.card; exit "$status")
status=$?
ok "a card from a file judges as the one that it is a copy of" \
    eval 'ends 0 && is "$(of anna 01 "e[\"status\"], e[\"verdict\"][\"card\"]")" "('\''wrong'\'', '\''h200'\'')"'
sed -i 's/^# .*//' "$dir/cards/mine.card"
batch --lessons 1 --card "$dir/cards/mine.card"
ok "when the file has changed it is graded again" is "$(of anna 01 'e["attempts"], e["current"]') $(keys | wc -l)" "(1, True) 2"
echo '{"card": "./mine.card"}' > "$dir/cards/rubric.json"
batch --lessons 1 --rubric "$dir/cards/rubric.json"
ok "a rubric names one that lies beside it" eval 'ends 0 && is "$(keys | wc -l)" 2 && says "card mine-"'
rm -r "$dir/cards"
for key in $(keys); do
    run build/bin/batch --replay "anna/01/${key%.json}" "$dir/grades"
    ok "the verdict by ${key:0:6} is disputed when the file is gone, and is the same" eval 'ends 0 && says "the same verdict" && says "card mine-"'
done
sed -i 's/"ingredients": "./"ingredients": "-/; s/"commit": "[^"]*"/"commit": "0123456789abcdef0123456789abcdef01234567"/' "$dir"/grades/attempts/anna/*/*.json
run build/bin/batch --replay anna/01 "$dir/grades"
ok "one that other tools judged says which commit to check out" eval 'ends 0 && says "Next: git checkout 0123456789ab"'
run build/bin/batch --replay nobody/01 "$dir/grades"
ok "who has no verdict has none to dispute" trouble "there is no verdict on 01-sync-vs-async of nobody"
done_testing
