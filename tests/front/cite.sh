#!/bin/bash
# SPDX-License-Identifier: MIT
#
# How the workbook is cited: CITATION.cff, CHANGELOG.md, the book's own data and VERSION say the same.
. tests/tap.bash

# The value of a key at the beginning of a line, without quotation marks.
value() { sed -n "s/^$2: *\"\{0,1\}\([^\"]*\)\"\{0,1\}$/\1/p" "$1"; }
same() { [ -n "$1" ] && [ "$1" = "$2" ] || echo "one says \"$1\", the other \"$2\""; }

version=$(cat VERSION) date=$(value book/book.yaml date)
check "the version to cite is the workbook's" "$(same "$(value CITATION.cff version)" "$version")"
check "the day to cite is the book's" "$(same "$(value CITATION.cff date-released)" "$date")"
check "the title to cite is the book's" "$(same "$(value CITATION.cff title)" "$(value book/book.yaml title): $(value book/book.yaml subtitle | sed 's/^./\l&/')")"
check "the authors to cite are the book's" "$(same "$(sed -n 's/^  - name: "\(.*\)"$/\1/p' CITATION.cff)" "$(value book/book.yaml author)")"
check "the changelog begins with this version and its day, or with what is to come and then with them" \
    "$(same "$(sed -n '/^## To come$/d; /^## /{s/^## //p;q}' CHANGELOG.md)" "$version, $(LC_ALL=C date -d "$date" '+%-d %B %Y')")"
done_testing
