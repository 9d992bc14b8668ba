#!/bin/bash
# SPDX-License-Identifier: MIT
# Whose the files of a class are, and of which lesson: tests/batch/people.c says.
. tests/tap.bash
[ -x build/tests/batch/people ] || skip_all "what a class is graded with is not built (make check builds it)"
CMOCKA_MESSAGE_OUTPUT=TAP build/tests/batch/people
