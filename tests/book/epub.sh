#!/bin/bash
# SPDX-License-Identifier: MIT
. tests/book/built.bash
needs book java /usr/bin/epubcheck
check "epubcheck has nothing to say of the EPUB" \
    "$(java -jar /usr/bin/epubcheck build/book/streams-workbook.epub 2>&1 | grep -E '^(ERROR|FATAL|WARNING)')"
done_testing
