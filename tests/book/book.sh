#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The book is made of the chapters, and of nothing that is out of date.
set -u
. tests/book/built.bash
needs
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

check "every link of every page leads to a place that is there, every id is there once, nothing is fetched" \
    "$(python3 tests/book/site.py links "$site")"
check "every lesson has a page, and every page is in the contents of every other" \
    "$(for l in lessons/[0-9][0-9]-*/chapter.md; do l=$(basename "$(dirname "$l")")
           for page in "$site"/*.html; do
               [[ $page = */print.html ]] || grep -q "href=\"$l.html\"" "$page" || echo "$page does not lead to $l"
           done
       done)"
check "every drawing has a title and a description of its own" \
    "$(for page in "$site"/0*.html; do
           drawn=$(grep -c '<svg [^>]*aria-labelledby="\(t-[^" ]*\)-title' "$page")
           titled=$(grep -c '<title id="t-[^"]*">Figure [0-9]*\.[0-9]*: ' "$page") told=$(grep -c '<desc id="t-[^"]*">[0-9]' "$page")
           [ "$drawn" -gt 0 ] && [ "$drawn" = "$titled" ] && [ "$drawn" = "$told" ] || echo "$page: $drawn, $titled titles, $told descriptions"
       done)"
check "every timeline of a chapter is drawn in the book" \
    "$(for chapter in lessons/*/chapter.md; do
           wanted=$(grep -c '^```{[^}]*\.timeline ' "$chapter") page=$site/$(basename "$(dirname "$chapter")").html
           [ "$wanted" = "$(grep -c '<svg [^>]*class="drawing t-' "$page")" ] || echo "$chapter has $wanted timelines, $page others"
       done)"
check "every call that a lesson speaks of says in the index what it orders (book/calls.tsv)" \
    "$(tr '\n' ' ' < "$site/calls.html" | sed 's/<dt/\n<dt/g' | grep '^<dt' | grep -v '<b>Orders</b>' | grep -o 'id="cuda[^"]*"')"
check "every lesson has a line in book/lessons.tsv, and an answer at the back" \
    "$(for l in lessons/[0-9][0-9]-*/chapter.md; do n=${l#lessons/}
           grep -q "^${n:0:2}	" book/lessons.tsv || echo "book/lessons.tsv has no ${n:0:2}"
           grep -q '^## Predict' "$l" && ! grep -q "^## ${n:0:2}: " book/back/4-answers.md && echo "4-answers.md has no ${n:0:2}"
       done)"

# A book of one chapter in a folder of its own; what it says when it stops.
stops() {   # text of the chapter, pattern
    local BOOK=$scratch/wrong
    rm -rf "$BOOK" && mkdir -p "$BOOK/site" "$BOOK/lessons/03-events" && printf '%s\n' "$1" > "$BOOK/lessons/03-events/chapter.md"
    cp build/book/ours.txt "$BOOK" && cp -r build/book/pictures "$BOOK"
    said=$(BOOK=$BOOK BOOK_VERSION=0 BOOK_FRONT='' BOOK_LESSONS=$BOOK/lessons/03-events/chapter.md BOOK_BACK=book/back/6-calls.md \
        BOOK_EXPLORE='' pandoc --lua-filter=book/filter/book.lua -f markdown -t epub3 -M title=x -o "$BOOK/x.epub" /dev/null 2>&1) &&
        { echo "it did not stop"; return; }
    grep -q "make book: .*$2" <<< "$said" || echo "$said"
}
check "a link to a heading that is not there stops it" "$(stops '# T

[x](#no-such)' 'the link to #no-such leads nowhere')"
check "a link to a chapter that is not there stops it" "$(stops '# T

[x](../99-none/chapter.md)' 'the link to ../99-none/chapter.md leads nowhere')"
check "a region that is not there stops it" "$(stops '# T

```{.listing file="lessons/03-events/timing.cu" name="none"}
```' 'timing.cu has no region none')"
check "a listing that is not what its file says stops it" "$(stops '# T

```{.listing file="lessons/03-events/timing.cu" name="clock"}
int x;
```' 'timing.cu: a chapter does not show region clock as it is now')"
check "a callout of no known kind stops it" "$(stops '# T

> [!SHOUT]
> x' 'there is no callout')"

if command -v hunspell > /dev/null && [ -e /usr/share/hunspell/en_GB.dic ]; then
    check "every word of the prose is in the dictionary or in tests/book/words" \
        "$(python3 tests/book/site.py words "$site"/[!p]*.html "$site/published.html" | sort -u | hunspell -d en_GB -l -p "$PWD/tests/book/words" | sort -u)"
else
    count=$((count + 1))
    echo "ok $count - every word of the prose is in the dictionary or in tests/book/words # SKIP there is no hunspell with en_GB"
fi

if command -v pdftotext > /dev/null; then
    pdf=build/book/streams-workbook.pdf
    pdftotext -bbox "$pdf" "$scratch/boxes"
    check "no word of the PDF stands outside of its page's margins" \
        "$(awk -F'"' '/<page/ { n++; w = $2 } /<word/ && ($2 < 50 || $6 > w - 50) { print "page " n ": " $0 }' "$scratch/boxes")"
    check "the PDF's contents have page numbers, and its pages running heads" \
        "$(pdftotext -f 2 -l 5 -layout "$pdf" - | grep -q '^ *03 .*[. ]\+[0-9]\+$' || echo "no number behind lesson 03"
           pdftotext -layout "$pdf" - | tr -d '\f' | grep -q '^ *03 [A-Z].*    *[A-Z]' || echo "no head of lesson 03")"
fi
ends
