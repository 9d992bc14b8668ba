#!/bin/bash
# SPDX-License-Identifier: MIT
# What surrounds the workbook may be odd: a path with spaces and quotes, no HOME, a work/ that is none, leftovers of
# graders that were killed, two makes at once. One clear line, or none at all; nothing lost.
set -u

above=$(mktemp -d) || exit 2
trap 'rm -rf "$above"' EXIT
copy="$above/a b'c\"d\$e (ü)"
mkdir "$copy"
count=0 failed=0
tar -c --exclude=./.git --exclude=./work --exclude=./build/tests --exclude=./build/obj/tests --exclude=./build/tmp . | tar -x -C "$copy"
cd "$copy" || exit 2

said= status=
try() { said=$("$@" 2>&1 < /dev/null); status=$?; }
check() {   # sentence, command...
    count=$((count + 1))
    local sentence=$1
    shift
    if "$@"; then
        echo "ok $count - $sentence"
    else
        failed=1
        echo "not ok $count - $sentence"
        printf 'status %s, said: %s\n' "$status" "$said" | sed 's/^/# /'
    fi
}
says() { [[ $said == *"$1"* ]]; }
one_line() { [ "$(grep -vc '^make: ' <<< "$said") $status" = '1 2' ] && says "$1"; }

printf 'a note of mine' > work
try make lesson01
check "a work that is a file gets one line" one_line 'cannot make work/'
check "and is left as it is" [ "$(cat work)" = 'a note of mine' ]
rm work

mkdir -p work/01-sync-vs-async.cu
try make lesson01
check "so does a folder in the place of the exercise" one_line 'is not a file but a folder'
rmdir work/01-sync-vs-async.cu

cp solutions/01-sync-vs-async.cu work/
mkdir -p build/tmp/grade-killed/deep build/tmp/grade-living build/tmp/another
touch build/tmp/grade-killed/deep/file
touch -d '2 hours ago' build/tmp/grade-killed build/tmp/grade-living build/tmp/another
exec 9< build/tmp/grade-living
flock 9
try env -u HOME make lesson01
check "a path with spaces, quotes and more, and no HOME, are no trouble" [ "$status" = 0 ]
check "what a killed grader left is gone" [ ! -e build/tmp/grade-killed ]
check "what a living one has is there, and so is what is nobody's" [ -d build/tmp/grade-living -a -d build/tmp/another ]
check "it leaves nothing itself" [ "$(ls build/tmp)" = $'another\ngrade-living' ]
exec 9<&-

try make progress
check "progress is kept there" says '27 of  27'
try make submit NAME=me
check "and handed in from there" [ "$status" = 0 -a -s build/submit/me.tar.gz ]

# From nothing, each in a build/ of its own name that both share.
mkdir -p build/two
for i in 1 2; do
    make -s B=build/two build/two/lib/libtrace.a build/two/cards.c build/two/lessons.c > "$above/$i" 2>&1 &
    makes[i]=$!
done
status=0
for i in 1 2; do wait "${makes[i]}" || status=$?; done
said=$(cat "$above/1" "$above/2")
objects=$(ar t build/two/lib/libtrace.a | wc -l)
check "two makes at once do not disturb each other" [ "$status" = 0 -a "$objects" = "$(ls build/two/unity/trace-*.c | wc -l)" ]
try make -q B=build/two build/two/lib/libtrace.a build/two/cards.c build/two/lessons.c
check "and all that they made is whole" [ "$status" = 0 -a -z "$(find build/two -name '*.*.[0-9]*')" ]

echo "1..$count"
exit $failed
