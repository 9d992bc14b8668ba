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
echo "1..$count"
