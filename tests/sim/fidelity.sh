#!/bin/bash
# SPDX-License-Identifier: MIT
# What the simulator's times are worth: beside those of an H200, and measured as a card is. LONG=1: on more cards.
. tests/tap.bash

card=facts/h200-fidelity.tsv known=tests/gpu/fidelity/known
tests/gpu/fidelity/run simulator > "$dir/simulator" 2> "$dir/err"
build/gpu/compare "$card" "$dir/simulator" "$known" "$dir/picture.svg" > "$dir/out" 2>> "$dir/err"
say $? "the simulator's times are those of an H200 within their limits"
ok "in at least 40 scenarios" [ "$(grep -v '^#' "$card" | cut -f 1 | sort -u | wc -l)" -ge 40 ]
ok "a picture shows them all" [ "$(grep -c '<circle' "$dir/picture.svg")" = "$(grep -vc '^#' "$card")" ]

# compare finds what is wrong. SENTENCE, status, awk program for the card's lines [for the known ones].
finds() {
    awk -F '\t' -v OFS='\t' "/^#/ { print; next } $3" "$card" > "$dir/card"
    awk -F '\t' -v OFS='\t' "${4:-{ print \}}" "$known" > "$dir/known"
    run build/gpu/compare "$dir/card" "$dir/simulator" "$dir/known"
    ok "$1" ends "$2"
}
slower='{ for (i = 3; i <= 5; i++) $i *= 1.3 }'
finds "a variant that takes a third longer on the card is found" 1 "\$1 == \"both ways at once\" && \$2 == \"16 MiB\" $slower { print }"
finds "two that stand the other way round on the card are found" 1 \
    "\$1 == \"pipeline, balanced\" && \$2 ~ /^(1|16) chunks, [14] streams, depth/ { \$3 = \$4 = \$5 = \$2 ~ /^16/ ? 2000 : 700 } { print }"
finds "a card that takes a tenth longer for all is found" 1 '{ for (i = 3; i <= 5; i++) $i *= 1.1; print }'
finds "what is listed but does not differ is found" 1 '{ print }' '{ print } END { print "a kernel and a wait", "*", "no reason" }'
finds "a variant that the simulator has not is told" 2 '{ print } END { print "x", "y", 1, 1, 1 }'

# The program that measures cards finds the simulator's again: within a twenty-fifth, or 60 ns where that is more.
again() { # card, a file
    SIM_PROFILE=$1 tools/facts/run simulator "$dir/facts.json" "$dir/facts" > "$dir/table" 2> "$dir/err" &&
        build/bin/profile "$dir/facts.json" > "$dir/found.card" 2>> "$dir/err" || return 1
    awk '
        function apart(a, b) { return a > b ? a - b : b - a }
        $2 !~ /^-?[0-9]+$/ || NF < 2 { next }
        NR == FNR { is[$1] = $2; next }
        $1 in is {
            count++
            limit = (is[$1] < 0 ? -is[$1] : is[$1]) / 25
            if ($1 ~ /(_ns|^(call|graph|load|pool)_.*)$/ && limit < 60) limit = 60
            if (apart($2, is[$1]) > limit) { print $1 ": " $2 ", not " is[$1]; wrong++ }
        }
        END { exit wrong > 0 || count < 40 }' "$1" "$dir/found.card" > "$dir/out"
}
cards=h200
[ -z "${LONG-}" ] || cards+=' c2050 c1060 k20c rtx2070s rtx3090'
for card in $cards; do
    cp "common/model/cards/$card.card" "$dir/own.card"
    [ "$card" != h200 ] || printf '%s\n' 'quick_depend_ns 2450' 'set_ns 400' 'call_d2d 1000' >> "$dir/own.card"
    ok "measured as a card is, $card has the numbers of its profile" again "$dir/own.card"
done
ok "with a source for each" [ "$(grep -c '"source": "' "$dir/facts.json")" = "$(grep -c '"value": ' "$dir/facts.json")" ]
ok "and tables of what no number says" grep -q '^| cudaFree | holds up host and device |' "$dir/table"
done_testing
