#!/bin/bash
# SPDX-License-Identifier: MIT
# The bugs of tests/planted still fit the source: tests/planted/run, which takes long, can put them in.
. tests/tap.bash
command -v git > /dev/null || skip_all "no git here"
wider=
for diff in tests/planted/*/*.diff; do
    name=$(basename "$diff" .diff)
    ok "$name fits" git apply --check "$diff"
    ok "$name names the test that finds it" [ -f "$(sed -n '/^---/q; s/^finds: //p' "$diff")" ]
    tried=$(sed -n '/^---/q; s/^with: //p' "$diff")
    [[ $tried != *LONG=* && $tried != *SEEDS=* && ($tried != *LESSONS=* || $tried = *SAMPLE=1*) ]] || wider+=" $name"
done
ok "all of them are found by what .ci/run tries" is "$wider" ""
done_testing
