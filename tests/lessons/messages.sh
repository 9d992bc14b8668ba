#!/bin/bash
# SPDX-License-Identifier: MIT
#
# What chapters show of the grader's words is what it says of those wrong answers today.
. tests/tap.bash
run nice make -s -k -j"$(nproc)" messages
for chapter in lessons/*/chapter.md; do
    name=${chapter%/chapter.md} name=${name##*/}
    check "$chapter shows what the grader says (make figures)" \
        "$([ -e "build/messages/$name.taken" ] && diff "build/messages/$name.md" "build/messages/$name.taken" 2>&1 || seen)"
done
done_testing
