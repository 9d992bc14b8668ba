#!/bin/bash
# SPDX-License-Identifier: MIT
# A reader that has gone away (make … | head, a pager that was left) is no trouble: nothing is said of it, and the status
# is what it would have been. In a copy of this folder.
. tests/tap.bash
copy=$dir/copy
copy_tree "$copy"
cd "$copy" || exit 2

# Runs a command whose reader is gone before it begins: $status, and what it says on stderr in $said.
unread() {  # command...
    rm -f status
    { sleep 0.2; "$@" 2> said; echo $? > status; } < /dev/null | true
    status=$(cat status) said=$(cat said)
}
quiet() { [ "$status" = 0 ] && [ -z "$said" ]; }

cp -r solutions work
for target in help list lesson06 hint06 run06 'solution01 FORCE=1' progress submit reset06 merge06; do
    [ "$target" != 'solution01 FORCE=1' ] || cp exercises/01-sync-vs-async.cu work
    unread make $target
    ok "make $target" quiet
done
cp tests/wrong/06-overlap/one-stream.cu work/06-overlap.cu
unread make lesson06
ok "a verdict that is not read is the verdict all the same" \
    eval '[ "$status" = 2 ] && [ "$(grep -v "^make: .*Error 1$" <<< "$said")" = "" ]'
rm build/obj/unity/common-trace-record-1.o build/lib/libtrace.a
unread make build/lib/libtrace.a
ok "what is built is built" eval 'quiet && [ -e build/lib/libtrace.a ]'
unread timeout 60 build/bin/study watch 06
ok "nobody reads: watch ends" quiet

unread build/bin/grade --json - 06 solutions/06-overlap.cu
ok "a verdict as JSON" quiet
unread build/bin/grade --quiet --trace /dev/stdout --svg /dev/stdout --html /dev/stdout 06 solutions/06-overlap.cu
ok "files that are pipes" quiet
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
ok "the timeline of a program that talks" quiet
unread build/bin/timeline --quiet --trace trace.json ./talks
ok "or its trace alone" eval 'quiet && [ -s trace.json ]'
unread build/bin/simcc -E talks.cu
ok "simcc's text" quiet
unread make install DESTDIR="$PWD/there"
ok "what is installed is installed" eval 'quiet && [ -e there/usr/local/bin/simcc ]'
if [ -x build/bin/batch ]; then
    mkdir -p class/anna && cp solutions/01-sync-vs-async.cu class/anna
    build/bin/batch --no-sandbox --lessons 01 --seed 7 --out grades class > said 2>&1
    for target in exports leaderboard; do
        unread make $target
        ok "make $target" quiet
    done
else
    skip "make exports, make leaderboard" "there is no build/bin/batch"
fi

done_testing
