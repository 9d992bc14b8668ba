#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The PDF: what stands on which of its pages.
. tests/book/built.bash
needs book pdftotext
pdf=build/book/streams-workbook.pdf
pdftotext -bbox "$pdf" "$dir/boxes"
check "no word of the PDF stands outside of its page's margins" \
    "$(awk -F'"' '/<page/ { n++; w = $2 } /<word/ && ($2 < 50 || $6 > w - 50) { print "page " n ": " $0 }' "$dir/boxes")"
# A page's chapter: the left words of its head. Squared paper goes from its heading to the foot.
check "no page within a chapter of the PDF is empty by a fifth" \
    "$(awk -F'"' -v top=68 -v foot=779 '
           /<page/ { n++; delete used }
           /<word/ && $4 < 60 && $2 < 200 { chapter[n] = chapter[n] $9 }
           /<word/ { for (y = int($4); y <= ($9 ~ />Draw</ ? foot : $8); y++) used[y] }
           /<.page/ { for (y = from = top; y <= foot; y++) if (y in used) from = y; else if (y - from > empty[n]) empty[n] = y - from }
           END { for (i = 1; i < n; i++) if (chapter[i] == chapter[i + 1] && empty[i] > (foot - top) / 5) print "page " i ": " empty[i] " points" }' \
           "$dir/boxes")"
check "the PDF's contents have page numbers, and its pages running heads" \
    "$(pdftotext -f 2 -l 5 -layout "$pdf" - | grep -q '^ *03 .*[. ]\+[0-9]\+$' || echo "no number behind lesson 03"
       pdftotext -layout "$pdf" - | tr -d '\f' | grep -q '^ *03 [A-Z].*    *[A-Z]' || echo "no head of lesson 03")"
check "the index of calls and references to sections have page numbers" \
    "$(pdftotext -layout "$pdf" "$dir/pages.txt"
       grep -q 'Taught in lesson 03, “The calls” (p\. [0-9]*); also in 01 (p\. [0-9]*)' "$dir/pages.txt" || echo "none in the index"
       grep -q 'Never recorded, recorded again” (p\. [0-9]*)' "$dir/pages.txt" || echo "none at a reference")"
check "what the grader says is split between no two pages of the PDF" "$(python3 tests/book/paper.py verdicts "$dir/pages.txt" lessons/*/chapter.md)"
check "a lesson that the text of the PDF mentions has the number of its page" "$(python3 tests/book/paper.py lessons "$dir/pages.txt")"
check "the index of subjects has page numbers, and each term of the glossary" \
    "$(grep -q '“Why pinned” (p\. [0-9]*)' "$dir/pages.txt" || echo "none at what lesson 02 teaches"
       sed -n 's/^<dt id="term-\([^"]*\)".*/\1/p' "$site/glossary.html" | while read -r term; do
           grep -q "id=\"subject-$term\"" "$site/subjects.html" || echo "$term is not in the index"
       done)"
check "the PDF names its author, and is tagged" \
    "$(pdfinfo "$pdf" > "$dir/about"
       grep -q '^Author: .*contributors$' "$dir/about" && grep -q '^Tagged: *yes$' "$dir/about" || cat "$dir/about")"

# References to pages before and after, over page breaks.
{
    echo "<!DOCTYPE html><html lang=en><head><title>Small</title><link rel=stylesheet href='file://$site/print.css'></head><body>"
    for n in {1..5}; do
        echo "<section class=chapter id=s$n><h1>Chapter $n</h1>"
        for m in {1..5}; do echo "<p>$(printf 'See <a href="#s%s">another</a>, or not. ' $m{,,,,}{,,,,})</p><pre><code>x = $m</code></pre>"; done
        echo '</section>'
    done
} > "$dir/small.html"
check "the PDF has the bytes that WeasyPrint makes when it is left alone" \
    "$(export SOURCE_DATE_EPOCH=0
       weasyprint -q --pdf-variant pdf/ua-1 "$dir/small.html" "$dir/alone.pdf" 2>&1
       book/tools/pdf -q "$dir/small.html" "$dir/ours.pdf" 2>&1
       cmp "$dir/alone.pdf" "$dir/ours.pdf" 2>&1
       [ "$(pdftotext "$dir/ours.pdf" - | tr '\n' ' ' | grep -o 'another (p. [0-9]*)' | sort -u | wc -l)" = 5 ] || echo "not five pages are named")"
done_testing
