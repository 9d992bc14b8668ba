#!/bin/bash
# SPDX-License-Identifier: MIT
# A trace is written while the log is read: of 10^6 operations in the memory of a few thousand, and the same as at once.
set -u
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
count=0
ok() { # sentence, command...
    local sentence=$1
    shift
    count=$((count + 1))
    if "$@"; then
        echo "ok $count - $sentence"
    else
        echo "not ok $count - $sentence"
        head -5 "$scratch/errors" | sed 's/^/# /'
    fi
}

build/tests/grader/long_log 20000 > "$scratch/short.log"
build/bin/timeline --quiet --trace "$scratch/pieces.json" "$scratch/short.log" > "$scratch/out" 2> "$scratch/errors"
ok "--quiet draws nothing" [ "$? $(wc -c < "$scratch/out")" = "0 0" ]
events() { # kind of event: how many are in the trace
    grep -c "\"cat\":\"$1\"" "$scratch/pieces.json"
}
ok "each call is in the trace once" [ "$(events call)" = $((4 + 20000 + 20)) ]
ok "so is each operation" [ "$(events kernel) $(events H2D)" = "6667 13333" ]
ok "they have numbers of their own" [ "$(grep -o '"ph":"s".*"id":[0-9]*' "$scratch/pieces.json" | sort -u | wc -l)" = 20000 ]
build/bin/timeline --trace "$scratch/drawn.json" "$scratch/short.log" > "$scratch/out" 2> "$scratch/errors"
ok "a picture beside it changes nothing in it" cmp -s "$scratch/pieces.json" "$scratch/drawn.json"
ok "and is drawn" grep -q 'stream 3' "$scratch/out"

# Kilobytes of address space that are enough; sanitizers reserve far more.
nm build/bin/timeline 2> /dev/null | grep -q __asan_init && sentence="# skip under sanitizers" || sentence=
little=65536
long_trace() {
    (ulimit -v $little && exec build/bin/timeline "$@" --trace /dev/null "$scratch/long.log") > "$scratch/out" 2> "$scratch/errors"
}
if [ -z "$sentence" ]; then
    build/tests/grader/long_log 1000000 > "$scratch/long.log"
    ok "the trace of 10^6 operations is written in 64 MiB of address space" long_trace --quiet
    needs_more() { ! long_trace; }
    ok "which would not do for all of them at once" needs_more
else
    ok "the trace of 10^6 operations is written in 64 MiB of address space $sentence" true
fi
echo "1..$count"
