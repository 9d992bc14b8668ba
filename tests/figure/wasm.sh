#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The model in a page: built for WebAssembly with no C library, it says what it says here.
set -u
cd "$(dirname "$0")/../.." || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

cards="h200 rtx2070s k20c c2050 c1060 h200 none"
calls=tests/figure/pipeline.calls

count=0
ok() {      # sentence command...
    local sentence=$1
    shift
    count=$((count + 1))
    if "$@" > "$scratch/said" 2>&1; then
        echo "ok $count - $sentence"
    else
        echo "not ok $count - $sentence"
        head -n 20 "$scratch/said" | sed 's/^/# /'
    fi
}
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }
has() { command -v "$1" > /dev/null; }

# shellcheck disable=SC2086
build/tests/figure/native $cards < $calls > "$scratch/native"
drawn() { grep -c '^<svg' "$scratch/native"; grep '^<svg' "$scratch/native" | sort -u | wc -l; tail -n 1 "$scratch/native"; }
ok "a figure forgets the one before: the same card, the same picture" \
    diff <(drawn) <(printf '6\n5\nno such card\n')

builds="clang builds model, timeline and drawing for wasm32 with no C library"
same="in WebAssembly they give the timeline and the picture that they give here, byte for byte"
if ! has clang || ! has wasm-ld; then
    skip "$builds" "no clang or no wasm-ld (lld) here"
    skip "$same" "no clang or no wasm-ld (lld) here"
else
    ok "$builds" tools/wasm "$scratch/figure.wasm"
    in_page() {
        # shellcheck disable=SC2086
        node tests/figure/show.mjs "$scratch/figure.wasm" $cards < $calls > "$scratch/page" && cmp "$scratch/native" "$scratch/page"
    }
    if has node; then ok "$same" in_page; else skip "$same" "no node here"; fi
fi

# ---- figures to play with (book/explore) ----

begins="figures to play with begin as the run that their chapter shows, to the nanosecond"
plays="each goes on to both ends of every control, and all that is queued ends"
in_chapters="each stands in the chapter whose program it plays"
begin_as_runs() {
    local name program label card
    while IFS=$'\t' read -r name program label card; do
        build/bin/simcc -Icommon -o "$scratch/program" "$program" || return 1
        SIM_PROFILE=$card CUDA_MODULE_LOADING=EAGER SIM_HAZARDS=0 WORKBOOK_LOG=3 "$scratch/program" 3> "$scratch/log" > /dev/null
        build/tests/figure/spans "$card" "$label" < "$scratch/log" > "$scratch/ran" && [ -s "$scratch/ran" ] || return 1
        node tests/figure/explore.mjs "$scratch/figure.wasm" begin "$name" | diff "$scratch/ran" - || { echo "$name differs"; return 1; }
    done < "$scratch/figures"
    [ "$(wc -l < "$scratch/figures")" -ge 5 ]
}
all_end() {
    node tests/figure/explore.mjs "$scratch/figure.wasm" all > "$scratch/all" || return 1
    awk -F '\t' '$4 < 1 || $5 != 0 || $6 != "true" || $7 == "" || /NaN|undefined/ { print; bad = 1 } END { exit bad || NR < 50 }' "$scratch/all"
}
stand_in_chapters() {
    local name program label card
    while IFS=$'\t' read -r name program label card; do
        grep -qF "{.timeline program=\"$program\" card=\"$card\" label=\"$label\" explore=\"$name\"" lessons/*/chapter.md ||
            { echo "no chapter has $name"; return 1; }
    done < "$scratch/figures"
}
if [ ! -e "$scratch/figure.wasm" ] || ! has node; then
    for sentence in "$begins" "$plays" "$in_chapters"; do skip "$sentence" "no clang, no wasm-ld or no node here"; done
else
    node tests/figure/explore.mjs "$scratch/figure.wasm" programs > "$scratch/figures"
    ok "$begins" begin_as_runs
    ok "$plays" all_end
    ok "$in_chapters" stand_in_chapters
fi
echo "1..$count"
