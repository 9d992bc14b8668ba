#!/bin/bash
# SPDX-License-Identifier: MIT
# Records and results that a hostile program could hand in: the judges come to a verdict, whatever is in them. RECORDS=n of each lesson
# (LONG=1: 1000).
. tests/tap.bash

records=40
[ -z "${LONG-}" ] || records=1000
for folder in lessons/[0-9][0-9]-*/; do
    lesson=$(basename "$folder")
    run build/bin/forged "${RECORDS:-$records}" "$lesson"
    ok "$lesson: the judges come to an end with each forged record" ends 0
done
done_testing
