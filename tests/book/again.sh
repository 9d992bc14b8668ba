#!/bin/bash
# SPDX-License-Identifier: MIT
# The book is made again, byte for byte: with LONG=1 alone, as it takes as long as the book.
. tests/book/built.bash
[ -n "${LONG-}" ] || skip_all "the whole book is made twice: LONG=1 asks for it"
needs book
again=$dir/again
mkdir "$again"
# The drawings are taken over: that runs are the same every time is tested elsewhere. So is how chapters fill their pages,
# which takes as long as the PDF, but for the first lesson's: it is laid out anew.
cp -r build/book/pictures build/book/ours.txt build/book/figure-wasm.js "$again" && find "$again" -type f -exec touch {} +
awk '/^\/\* / { block = $0; next } block != "" { anew = /"01-sync/; if (!anew) print block; block = "" } !anew' build/book/fitted.css > "$again/fitted.css"
touch -d @0 "$again/fitted.css"
made="epub pdf"
problems=$(cmp -s build/book/fitted.css "$again/fitted.css" && echo "no chapter is to be laid out anew"
    said=$(make -s "$again/fitted.css" $(printf "$again/streams-workbook.%s " $made) book="$again" 2>&1) || echo "$said"
    diff -rq build/book/site "$again/site"
    cmp build/book/fitted.css "$again/fitted.css"
    for f in $made; do cmp build/book/streams-workbook.$f "$again/streams-workbook.$f"; done)
check "made again, site, $made are the same bytes" "$problems"
done_testing
