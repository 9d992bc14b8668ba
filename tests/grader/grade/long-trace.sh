#!/bin/bash
# SPDX-License-Identifier: MIT
# A trace is written while the log is read: of 10^6 operations in the memory of a few thousand, and the same as at once.
. tests/tap.bash

build/tests/grader/grade/long_log 20000 > "$dir/short.log"
run build/bin/timeline --quiet --trace "$dir/pieces.json" "$dir/short.log"
ok "--quiet draws nothing" [ "$status $(wc -c < "$dir/out")" = "0 0" ]
events() { # kind of event: how many are in the trace
    grep -c "\"cat\":\"$1\"" "$dir/pieces.json"
}
ok "each call is in the trace once" [ "$(events call)" = $((4 + 20000 + 20)) ]
ok "so is each operation" [ "$(events kernel) $(events H2D)" = "6667 13333" ]
ok "they have numbers of their own" [ "$(grep -o '"ph":"s".*"id":[0-9]*' "$dir/pieces.json" | sort -u | wc -l)" = 20000 ]
run build/bin/timeline --trace "$dir/drawn.json" "$dir/short.log"
ok "a picture beside it changes nothing in it" cmp -s "$dir/pieces.json" "$dir/drawn.json"
ok "and is drawn" says "stream 3"

# Kilobytes of address space that are enough; sanitizers reserve far more.
little=65536
long_trace() {
    (ulimit -v $little && exec build/bin/timeline "$@" --trace /dev/null "$dir/long.log") > "$dir/out" 2> "$dir/err"
}
if ! nm build/bin/timeline 2> /dev/null | grep -q __asan_init; then
    build/tests/grader/grade/long_log 1000000 > "$dir/long.log"
    ok "the trace of 10^6 operations is written in 64 MiB of address space" long_trace --quiet
    ok "which would not do for all of them at once" not long_trace
else
    skip "the trace of 10^6 operations is written in 64 MiB of address space" "under sanitizers"
fi
done_testing
