#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The random stream programs of tests/gpu/random, on the simulator: results, races, and whether a card that differs is found.
. tests/sim/sim.bash
here=tests/gpu/random
export PYTHONDONTWRITEBYTECODE=1 SIM_PROFILE=h200
build/bin/simcc -O1 -Icommon $here/player.cu -o "$dir/player" || exit 2
build/bin/simcc -O1 --hazards calls -Icommon $here/player.cu -o "$dir/quick" || exit 2

kinds='mixed copies small kernels pipelines queues pageable pitched memsets host pools graphs priorities managed threads defaults'
python3 $here/kinds.py --bytes 65536 4 $kinds > "$dir/programs"
run "$dir/player" 1 < "$dir/programs"
ok "64 programs are played" [ "$(grep -c . "$dir/out")" = 64 ]
check "each has the results of its operations one after another" "$(grep -v 'right$' "$dir/out")"
check "none has a hazard" "$(cat "$dir/err")"

python3 $here/kinds.py --bytes 65536 --drop 4 $kinds > "$dir/racy"
csplit -s -z -f "$dir/racy." -n 3 "$dir/racy" '/^program /' '{*}'
for file in "$dir"/racy.*; do
    "$dir/player" 1 < "$file" > "$dir/out" 2> "$dir/err"
    grep -q '^hazard: ' "$dir/err" || head -n 1 "$file"
done > "$dir/missed"
ok "64 programs have an edge too few" [ "$(ls "$dir"/racy.* | wc -l)" = 64 ]
check "a hazard is reported in each" "$(cat "$dir/missed")"

# The block goes to a smaller allocation while work of the larger one is in the queue.
printf '%s\n' 'program again-1' '# queues 8' 'stream free 0' 'buffer device 65536' 'buffer pool 52168' 'buffer pool 2408' '0 alloc 1 0' \
    '0 set 0 1 228 52168' '0 kernel 0 1 256 0 50149 1 0 615' '0 free 1 0' '0 alloc 2 0' '0 free 2 0' > "$dir/again"
run "$dir/player" 1 < "$dir/again"
check "a pool's block that is handed out again has room for the work before" "$(grep -v 'right$' "$dir/out"; cat "$dir/err")"

# A card whose copies to the device are slower: one copy shows it.
sed 's/^h2d_pinned .*/h2d_pinned 20000/' common/model/cards/h200.card > "$dir/slow.card"
cat > "$dir/program" << 'END'
program slow-1
# queues 8
stream free 0
stream free 0
buffer device 1048576
buffer pinned 1048576
buffer device 4096
0 copy 0 0 1 1048576
0 kernel 0 4 128 0 3000 -1 0 7
0 record 0 0
0 wait 1 0
0 kernel 1 8 256 0 2000 0 2 9
0 copy 1 1 0 1048576
END
run python3 $here/shrink.py "$dir/quick" "SIM_PROFILE=$dir/slow.card $dir/quick" < "$dir/program"
ok "a program is shrunk to the copy that differs" is "$(grep '^0 ' "$dir/out")" '0 copy 0 0 1 1048576'
run python3 $here/shrink.py "$dir/quick" "$dir/quick" < "$dir/program"
ok "what does not differ is not shown" [ ! -s "$dir/out" ]
"$dir/quick" < "$dir/program" > "$dir/simulator"
SIM_PROFILE=$dir/slow.card "$dir/quick" < "$dir/program" > "$dir/card"
run python3 $here/compare.py "$dir/simulator" "$dir/card" "$dir/card" "$dir/card"
ok "the table names it" grep -q '^| slow | 1 | [1-9].* slow-1: ' "$dir/out"
sed 's/right$/wrong/' "$dir/card" > "$dir/bad"
run python3 $here/compare.py "$dir/simulator" "$dir/card" "$dir/bad" "$dir/card"
ok "a wrong result is reported" eval 'ends 1 && says "slow-1: wrong on the card"'
done_testing
