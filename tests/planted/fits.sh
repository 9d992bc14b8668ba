#!/bin/bash
# SPDX-License-Identifier: MIT
# The bugs of tests/planted still fit the source: tests/planted/run, which takes long, can put them in.
. tests/tap.bash
for diff in tests/planted/*.diff; do
    name=$(basename "$diff" .diff)
    ok "$name fits" patch -p1 --dry-run --force --silent --fuzz=0 -i "$diff"
    ok "$name names the test that finds it" [ -f "$(sed -n '/^---/q; s/^finds: //p' "$diff")" ]
done
done_testing
