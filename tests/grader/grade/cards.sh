#!/bin/bash
# SPDX-License-Identifier: MIT
# A lesson that is run on several cards: each run counts, with its own outputs, log and end.
. tests/grader/tap.bash

solution=solutions/08-priorities.cu

grade 08 "$solution"
ok "a right answer passes on all of them" ends 0

sed 's,l->count = .*,volatile int steps = l->least - l->greatest; l->count = 1 + steps * (steps / steps);,' "$solution" > "$dir/x.cu"
grade 08 "$dir/x.cu"
ok "a crash on one of them crashed" eval 'ends 1 && says "crashed: "'
ok "and is told with its card, part and line" \
    says_wrapped "in part a, on the card Tesla C2050, at $dir/x.cu:$(grep -n steps "$dir/x.cu" | cut -d: -f1)"
ok "no part that it did not reach everywhere is judged" eval 'says "0 of 100 points"'

sed 's,l->count = .*,l->count = 6;,' "$solution" > "$dir/x.cu"
SIM_PROFILE=rtx2070s grade --json "$dir/v.json" 08 "$dir/x.cu"
ok "outputs are those of each card's own run" eval 'ends 1 && says_wrapped "on card Tesla K20c"'
ok "the JSON names the card" grep -q '"card": "k20c"' "$dir/v.json"
SIM_PROFILE=k20c grade 08 "$dir/x.cu"
ok "the card asked for is looked at first" eval 'ends 1 && ! says "on card"'

tests/edit show tests/styles/08-priorities/wave-by-wave.diff | sed 's,first < b->tiles; first,first <= b->tiles; first,' > "$dir/x.cu"
grade 08 "$dir/x.cu"
ok "where the tiles are a whole number of waves, one launch too many has no blocks" \
    eval 'ends 1 && says_wrapped "has 0 blocks in x"'

SIM_PROFILE=c2050 grade --run 08 "$dir/x.cu"
ok "who only runs a program runs it on one" eval 'ends 0 && says "Tesla C2050" && ! says "K20c"'

# One hardware queue keeps functions in order that nothing else does: the program runs on such a card with more queues, too.
tests/edit show tests/wrong/07-callbacks/c-counts-only.diff > "$dir/x.cu"
for card in c1060 c2050; do
    SIM_PROFILE=$card SEED=5 grade 07 "$dir/x.cu"
    ok "$card: what one queue alone keeps in order is found" eval 'ends 1 && says_wrapped "with a queue for each stream" && says "no slot is filled while"'
    SIM_PROFILE=$card SEED=2 grade 07 solutions/07-callbacks.cu
    ok "and the solution passes" ends 0
done
done_testing
