#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The book is made of the chapters, and of nothing that is out of date. (Its PDF: paper.sh.)
. tests/book/built.bash
needs site

check "every link of every page leads to a place that is there, every id is there once, nothing is fetched" \
    "$(python3 tests/book/site.py links "$site")"
check "every call in a table leads to its place in the index" "$(python3 tests/book/site.py calls "$site")"
check "what is to be read elsewhere has an address, links to the guide and the reference their section" "$(python3 tests/book/site.py sources "$site")"
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
# Calls of an index that do not say what they order.
untold() { tr '\n' ' ' < "$1" | sed 's/<dt/\n<dt/g' | grep '^<dt' | grep -v '<b>Orders:</b> *[^ .]' | grep -o 'id="cu[^"]*"'; }
check "every call that a lesson speaks of says in the index what it orders (its chapter's table of calls, or book/calls.tsv)" \
    "$(untold "$site/calls.html")"
check "every lesson says what it needs and what its reader is able to do afterwards, and answers its question" \
    "$(for l in lessons/[0-9][0-9]-*/chapter.md; do
           grep -q '^<!-- needs: \([0-9][0-9] \?\)\+ -->$\|^<!-- needs: nothing -->$' "$l" || echo "$l has no <!-- needs: ... -->"
           grep -q '^<!-- able to: [a-z].* -->$' "$l" || echo "$l has no <!-- able to: ... -->"
           ! grep -q '^## Predict' "$l" || grep -q '^<!-- answer: .*?$' "$l" || echo "$l has no <!-- answer: ... -->"
       done)"
# Where the file of a chapter gives its answer away: a heading, a figure or a paragraph after the answer's comment has begun.
early() { awk '/^<!-- answer: / { from = FNR } from && ended { print FILENAME ":" FNR ": " $0; exit } from && / -->$/ { ended = 1 }' "$1"; }
check "the answer to a lesson's question is the last thing in its file, after the picture" \
    "$(for l in lessons/[0-9][0-9]-*/chapter.md; do early "$l"; done
       printf '%s\n' '<!-- answer: x?' '' 'y. -->' '' '```{.timeline program="p" card="h200"}' '```' > "$dir/early.md"
       [ -n "$(early "$dir/early.md")" ] || echo "one that stands above a picture is not found out")"

check "the times that lesson 06 calls ours are those of the model, within a hundredth" \
    "$(awk -F'|' 'NR == FNR { split($0, w, " "); of[w[1]] = $0; next }
           /^\| (Tesla|RTX|H200)/ { card = tolower($2); gsub(/tesla|[^0-9a-z]/, "", card); sub(/rtx2070super/, "rtx2070s", card) }
           /^\| +\| ours/ {
               split(of[card], want, " "); seen++
               for (i = 2; i <= 4; i++) { n = split($(i + 2), got, "/"); d = got[n] / want[i] - 1; if (d > .01 || d < -.01) print card ": " $0 }
           }
           END { if (seen != 5) print seen + 0 " cards" }' build/book/ours.txt lessons/06-overlap/chapter.md)"

# A book of one chapter in a folder of its own: whether it is made, and what it says. again: the one that is there.
small=$dir/small
again() {   # text of the chapter
    printf '%s\n' "$1" > "$small/lessons/03-events/chapter.md"
    sed '/^[A-Z][a-z]* pages after the lessons/,/^$/d' book/front/2-map.md > "$small/2-map.md"        # not in it
    said=$(BOOK=$small BOOK_VERSION=0 BOOK_FRONT=$small/2-map.md BOOK_LESSONS=$small/lessons/03-events/chapter.md \
        BOOK_BACK='book/back/4-answers.md book/back/5-glossary.md book/back/6-calls.md' \
        BOOK_EXPLORE='' pandoc --lua-filter=book/filter/book.lua -f markdown -t plain --metadata-file=book/book.yaml -o /dev/null \
        /dev/null 2>&1) || { echo "$said"; return 1; }
}
makes() {   # text of the chapter
    rm -rf "$small" && mkdir -p "$small/site" "$small/cache" "$small/lessons/03-events"
    cp build/book/ours.txt "$small" && ln -s "$PWD/build/book/pictures" "$small"
    again "$1"
}
stops() {   # text of the chapter, pattern
    said=$(makes "$1") && { echo "it did not stop"; return; }
    grep -q "make book: .*$2" <<< "$said" || echo "$said"
}
has() {     # page, pattern...
    local page=$small/site/$1
    shift
    for pattern; do tr '\n' ' ' < "$page" | grep -q "$pattern" || echo "$page has no $pattern"; done
}

check "a page that does not change keeps its time; one whose text or listing does is written again" \
    "$(cp lessons/03-events/demos/timing.cu "$dir"
       text() { printf '# T\n\n%s\n\n```{.listing file="%s" name="clock"}\n%s\n```\n' "$1" "$dir/timing.cu" "$(sed -n '/\/\/> clock/,/\/\/< clock/{//!p}' lessons/03-events/demos/timing.cu | sed 's/^    //')"; }
       written() { (cd "$small/site" && find . -name '*.html' -newermt @9 | sort | paste -sd ' '); touch -d @1 "$small"/site/*; }
       makes "$(text one)"
       written > /dev/null
       again "$(text one)"; [ -z "$(written)" ] || echo "made again, something is written"
       again "$(text two)"; got=$(written); [ "$got" = "./03-events.html ./print.html" ] || echo "another word writes $got"
       sed -i '1s/$/ \/\/ x/' "$dir/timing.cu"
       again "$(text two)"; got=$(written); [ "$got" = "./03-events.html" ] || echo "another line of a file writes $got")"
check "a call that no table tells of is found out" \
    "$(makes '# T

`cudaFree` and `cudaStreamGetFlags`'
       [ "$(untold "$small/site/calls.html")" = 'id="cudaStreamGetFlags"' ] || echo "found are: $(untold "$small/site/calls.html")")"
check "a call that a chapter's table tells of is in the index by that" \
    "$(makes '# T

| call | when it returns | what it orders |
|---|---|---|
| `cudaMalloc` | slowly | nothing |
| `cudaStreamGetFlags` | early | the same |'
       has calls.html '<dt id="cudaStreamGetFlags">.*Returns:</b> early.*Orders:</b> nothing')"
check "a chapter that says nothing of itself is on the map, and its answer is what its first paragraph says" \
    "$(makes '# T

## What the machine did

```
x
```

Seven.

Eight.'
       has map.html 'Lesson 03' && has answers.html '>03: T</h2> *<p>Seven. <a href="03-events.html#what-the-machine-did">')"
check "a chapter that needs a lesson that is not there stops it" "$(stops '<!-- needs: 77 -->

# T' 'it needs 77')"
check "a term leads to the glossary where it is met first, and only there" \
    "$(makes '# Pinned memory

Two pinned memories, "pinned memory", a pinned memory.'
       has 03-events.html 'Two pinned memories, “pinned memory”, a <a [^>]*href="glossary.html#term-pinned-memory"'
       makes '# T

Pinned memory, and pinned memory.'
       has 03-events.html '<p><a [^>]*href="glossary.html#term-pinned-memory"[^>]*>Pinned memory</a>, and pinned memory.</p>')"
check "a source that the text names leads to its address, a section's title to the section" \
    "$(makes '# T

See "Lazy Loading" and "The end", not "the end".

## The end'
       has 03-events.html 'See <a href="https://docs.nvidia.com/[^"]*lazy-loading.html#lazy-loading">“Lazy Loading”</a> and <a href="#the-end">“The end”</a>, not “the end”')"
check "every call in a table is a link, in the text the first one" \
    "$(makes '# T

`cudaFree` and `cudaFree`.

| call | and |
|---|---|
| `cudaFree(p)` | `cudaFree`, `free` |'
       has 03-events.html 'cudaFree</code></a> and <code>cudaFree</code>' '<td[^>]*><a href="calls.html#cudaFree" class="call"><code>cudaFree(p)</code></a></td>' \
           '<td[^>]*><a href="calls.html#cudaFree" class="call"><code>cudaFree</code></a>, <code>free</code></td>')"
check "a link to a figure says its number" \
    "$(makes '# T

[This](#fig-x), [figure](#fig-x).

```{.timeline program="lessons/03-events/demos/timing.cu" card="h200" label="with stops" #fig-x caption="What *is* it?"}
```'
       has 03-events.html '<a href="#fig-x">This</a> (Figure 3.1), <a href="#fig-x">Figure 3.1</a>' \
           'Figure 3.1.</span> What <em>is</em> it? <span class="from"><code>timing.cu</code>, on a simulated NVIDIA H200')"
check "a link to a heading that is not there stops it" "$(stops '# T

[x](#no-such)' 'the link to #no-such leads nowhere')"
check "a link to a chapter that is not there stops it" "$(stops '# T

[x](../99-none/chapter.md)' 'the link to ../99-none/chapter.md leads nowhere')"
check "a region that is not there stops it" "$(stops '# T

```{.listing file="lessons/03-events/demos/timing.cu" name="none"}
```' 'timing.cu has no region none')"
check "a listing that is not what its file says stops it" "$(stops '# T

```{.listing file="lessons/03-events/demos/timing.cu" name="clock"}
int x;
```' 'timing.cu: a chapter does not show region clock as it is now')"
check "a link to a figure that is not there stops it" "$(stops '# T

[figure](#fig-none)' 'the link to #fig-none leads nowhere')"
check "a callout of no known kind stops it" "$(stops '# T

> [!SHOUT]
> x' 'there is no callout')"

if command -v hunspell > /dev/null && [ -e /usr/share/hunspell/en_GB.dic ]; then
    check "every word of the prose is in the dictionary or in tests/book/words" \
        "$(python3 tests/book/site.py words "$site"/[!p]*.html "$site/published.html" | sort -u | hunspell -d en_GB -l -p "$PWD/tests/book/words" | sort -u)"
else
    skip "every word of the prose is in the dictionary or in tests/book/words" "there is no hunspell with en_GB"
fi
done_testing
