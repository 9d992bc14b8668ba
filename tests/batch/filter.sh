#!/bin/bash
# SPDX-License-Identifier: MIT
# What the filters of system calls refuse: tests/batch/filter.c says.
. tests/tap.bash
[ -x build/tests/batch/filter ] || skip_all "what a class is graded with is not built (make check builds it)"
CMOCKA_MESSAGE_OUTPUT=TAP build/tests/batch/filter
