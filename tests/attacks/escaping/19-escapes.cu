// SPDX-License-Identifier: MIT
// Prints what moves a terminal's cursor, in its output and in a label.
// expects: passed
//@ top
#include <cstdio>
//@ in overlap
    printf("\033[2J\033]0;owned\007\033]8;;http://example.com\007click\033[31m\r\b\b\xc2\x9b" "31m\n");
    label_push("\033[2J\033]0;owned\007");
    label_pop();
