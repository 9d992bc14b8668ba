#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The model in a page: built for WebAssembly with no C library, it says what it says here.
. tests/tap.bash

cards="h200 rtx2070s k20c c2050 c1060 h200 none"
calls=tests/figure/pipeline.calls

has() { command -v "$1" > /dev/null; }

# shellcheck disable=SC2086
build/tests/figure/native $cards < $calls > "$dir/native"
drawn() { grep -c '^<svg' "$dir/native"; grep '^<svg' "$dir/native" | sort -u | wc -l; tail -n 1 "$dir/native"; }
run diff <(drawn) <(printf '12\n5\nno such card\n')
ok "a figure forgets the one before: the same card, the same picture" ends 0
# Length, axis, busiest engine (bits), how long it works: a line for each card.
busiest() { awk '/^<svg/ { drawing = 1 } !drawing && NF == 4 { print ($4 > 0 && $4 <= $1 && $2 >= $1 ? $3 : "wrong: " $0) } /^<\/svg>/ { drawing = 0 }' "$dir/native"; }
run diff <(busiest | paste -sd ' ') <(echo "8 8 8 8 12 8")
ok "the busiest engine is one that works no longer than the device; a card with one copy engine has one for both directions" ends 0

builds="clang builds model, timeline and drawing for wasm32 with no C library"
same="in WebAssembly they give the timeline and the picture that they give here, byte for byte"
if ! has clang || ! has wasm-ld; then
    skip "$builds" "no clang or no wasm-ld (lld) here"
    skip "$same" "no clang or no wasm-ld (lld) here"
else
    run tools/wasm "$dir/figure.wasm"
    ok "$builds" ends 0
    in_page() {
        # shellcheck disable=SC2086
        node tests/figure/show.mjs "$dir/figure.wasm" $cards < $calls > "$dir/page" && cmp "$dir/native" "$dir/page"
    }
    if has node; then run in_page; ok "$same" ends 0; else skip "$same" "no node here"; fi
fi

# ---- figures to play with (book/explore) ----

begins="figures to play with begin as the run that their chapter shows, to the nanosecond"
plays="each goes on to both ends of every control and to what it proposes, all that is queued ends, and something is said of it"
truly="kernels that wait for pages are not said to work, and what a prefetch saves is said of the card, too"
in_chapters="each stands in the chapter whose program it plays"
begin_as_runs() {
    local name program label card
    while IFS=$'\t' read -r name program label card; do
        build/bin/simcc --hazards calls -Icommon -o "$dir/program" "$program" || return 1
        SIM_PROFILE=$card CUDA_MODULE_LOADING=EAGER SIM_HAZARDS=0 WORKBOOK_LOG=3 "$dir/program" 3> "$dir/log" > /dev/null
        build/tests/figure/spans "$card" "$label" < "$dir/log" > "$dir/ran" && [ -s "$dir/ran" ] || return 1
        node tests/figure/explore.mjs "$dir/figure.wasm" begin "$name" | diff "$dir/ran" - || { echo "$name differs"; return 1; }
    done < "$dir/figures"
    [ "$(wc -l < "$dir/figures")" -ge 5 ]
}
all_end() {
    node tests/figure/explore.mjs "$dir/figure.wasm" all > "$dir/all" || return 1
    awk -F '\t' '$4 < 1 || $5 != 0 || $6 != "true" || $7 == "" || /NaN|undefined/ { print; bad = 1 } END { exit bad || NR < 50 }' "$dir/all"
}
stand_in_chapters() {
    local name program label card
    while IFS=$'\t' read -r name program label card; do
        grep -qF "{.timeline program=\"$program\" card=\"$card\" label=\"$label\" explore=\"$name\"" lessons/*/chapter.md ||
            { echo "no chapter has $name"; return 1; }
    done < "$dir/figures"
}
if [ ! -e "$dir/figure.wasm" ] || ! has node; then
    for sentence in "$begins" "$plays" "$truly" "$in_chapters"; do skip "$sentence" "no clang, no wasm-ld or no node here"; done
else
    node tests/figure/explore.mjs "$dir/figure.wasm" programs > "$dir/figures"
    run begin_as_runs
    ok "$begins" ends 0
    run all_end
    ok "$plays" ends 0
    check "$truly" "$(node tests/figure/explore.mjs "$dir/figure.wasm" pages 2>&1)"
    run stand_in_chapters
    ok "$in_chapters" ends 0
fi
done_testing
