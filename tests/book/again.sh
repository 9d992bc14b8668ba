#!/bin/bash
# SPDX-License-Identifier: MIT
set -u
. tests/book/built.bash
needs
again=$(mktemp -d) || exit 2
trap 'rm -rf "$again"' EXIT
# The drawings are taken over: that runs are the same every time is tested elsewhere.
cp -r build/book/pictures build/book/ours.txt build/book/figure-wasm.js "$again" && find "$again" -type f -exec touch {} +
said=$(make -s book book="$again" 2>&1) || echo "# $said"
check "made again, site, EPUB and PDF are the same bytes" \
    "$(diff -rq build/book/site "$again/site"; for f in epub pdf; do cmp build/book/streams-workbook.$f "$again/streams-workbook.$f"; done)"
ends
