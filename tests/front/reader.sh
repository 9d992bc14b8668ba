#!/bin/bash
# SPDX-License-Identifier: MIT
# A reader that has gone away (make … | head, a pager that was left) is no trouble: nothing is said of it, and the status
# is what it would have been. In a copy of this folder.
set -u

copy=$(mktemp -d) || exit 2
trap 'rm -rf "$copy"' EXIT
count=0 failed=0
tar -c --exclude=./.git --exclude=./work --exclude=./build/tests --exclude=./build/tmp --exclude=./build/book . | tar -x -C "$copy"
cd "$copy" || exit 2

# Runs a command whose reader is gone before it begins: $status, and what it says on stderr in $said.
unread() {  # command...
    rm -f status
    { sleep 0.2; "$@" 2> said; echo $? > status; } < /dev/null | true
    status=$(cat status) said=$(cat said)
}
check() {   # sentence, command...
    count=$((count + 1))
    if "${@:2}"; then
        echo "ok $count - $1"
    else
        failed=1
        echo "not ok $count - $1"
        printf 'status %s, said: %s\n' "$status" "$said" | sed 's/^/# /'
    fi
}
quiet() { [ "$status" = 0 ] && [ -z "$said" ]; }

cp -r solutions work
for target in help list lesson06 hint06 run06 'solution01 FORCE=1' progress submit reset06 merge06; do
    [ "$target" != 'solution01 FORCE=1' ] || cp exercises/01-sync-vs-async.cu work
    unread make $target
    check "make $target" quiet
done
cp tests/wrong/06-overlap/one-stream.cu work/06-overlap.cu
unread make lesson06
check "a verdict that is not read is the verdict all the same" \
    eval '[ "$status" = 2 ] && [ "$(grep -v "^make: .*Error 1$" <<< "$said")" = "" ]'
rm build/obj/unity/common-trace-record-1.o build/lib/libtrace.a
unread make build/lib/libtrace.a
check "what is built is built" eval 'quiet && [ -e build/lib/libtrace.a ]'
unread timeout 60 build/bin/study watch 06
check "nobody reads: watch ends" quiet

unread build/bin/grade --json - 06 solutions/06-overlap.cu
check "a verdict as JSON" quiet
unread build/bin/grade --quiet --trace /dev/stdout --svg /dev/stdout --html /dev/stdout 06 solutions/06-overlap.cu
check "files that are pipes" quiet
cat > talks.cu << 'END'
#include <cstdio>
int main()
{
    void *p;
    cudaMalloc(&p, 4);
    for (int i = 0; i < 100000; i++)
        puts("a line that nobody reads");
    return cudaFree(p);
}
END
build/bin/simcc talks.cu -o talks || exit 2
unread build/bin/timeline ./talks
check "the timeline of a program that talks" quiet
unread build/bin/timeline --quiet --trace trace.json ./talks
check "or its trace alone" eval 'quiet && [ -s trace.json ]'
unread build/bin/simcc -E talks.cu
check "simcc's text" quiet

echo "1..$count"
exit $failed
