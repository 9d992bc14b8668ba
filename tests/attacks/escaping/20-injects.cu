// SPDX-License-Identifier: MIT
// Prints what a page, a table or a document would take for its own.
// expects: passed
//@ top
#include <cstdio>
//@ in overlap
    printf("<script>alert(1)</script>]]><failure/>&lt; =cmd|' /C calc'!A0 +1 -1 @SUM(1) | **bold** `code` ![x](http://x) \"}, {\"status\": \"passed\n");
    label_push("<img src=x onerror=alert(1)>");
    label_pop();
