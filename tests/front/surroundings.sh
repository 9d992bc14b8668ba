#!/bin/bash
# SPDX-License-Identifier: MIT
# What surrounds the workbook may be odd: a path with spaces and quotes, no HOME, a work/ that is none, leftovers of
# graders that were killed, two makes at once. One clear line, or none at all; nothing lost.
. tests/tap.bash
copy="$dir/a b'c\"d\$e (ü)"
copy_tree "$copy"
cd "$copy" || exit 2

# What a command says on both, without line breaks at its end, is in $said.
try() { "$@" > "$dir/out" 2>&1 < /dev/null; status=$?; said=$(< "$dir/out"); }
says() { [[ $said == *"$1"* ]]; }
one_line() { [ "$(grep -vc '^make: ' <<< "$said") $status" = '1 2' ] && says "$1"; }

printf 'a note of mine' > work
try make lesson01
ok "a work that is a file gets one line" one_line 'cannot make work/'
ok "and is left as it is" [ "$(cat work)" = 'a note of mine' ]
rm work

mkdir -p work/01-sync-vs-async.cu
try make lesson01
ok "so does a folder in the place of the exercise" one_line 'is not a file but a folder'
rmdir work/01-sync-vs-async.cu

cp solutions/01-sync-vs-async.cu work/
mkdir -p build/tmp/grade-killed/deep build/tmp/grade-living build/tmp/another
touch build/tmp/grade-killed/deep/file
touch -d '2 hours ago' build/tmp/grade-killed build/tmp/grade-living build/tmp/another
exec 9< build/tmp/grade-living
flock 9
try env -u HOME make lesson01
ok "a path with spaces, quotes and more, and no HOME, are no trouble" [ "$status" = 0 ]
ok "what a killed grader left is gone" [ ! -e build/tmp/grade-killed ]
ok "what a living one has is there, and so is what is nobody's" [ -d build/tmp/grade-living -a -d build/tmp/another ]
ok "it leaves nothing itself" [ "$(ls build/tmp)" = $'another\ngrade-living' ]
exec 9<&-

try make progress
ok "progress is kept there" says '100 of 100'
try make submit NAME=me
ok "and handed in from there" [ "$status" = 0 -a -s build/submit/me.tar.gz ]

# From nothing, each in a build/ of its own name that both share.
mkdir -p build/two
for i in 1 2; do
    make -s B=build/two build/two/lib/libtrace.a build/two/cards.c build/two/lessons.c > "$dir/$i" 2>&1 &
    makes[i]=$!
done
status=0
for i in 1 2; do wait "${makes[i]}" || status=$?; done
said=$(cat "$dir/1" "$dir/2")
objects=$(ar t build/two/lib/libtrace.a | wc -l)
ok "two makes at once do not disturb each other" [ "$status" = 0 -a "$objects" = "$(ls build/two/unity/common-trace-*.c | wc -l)" ]
try make -q B=build/two build/two/lib/libtrace.a build/two/cards.c build/two/lessons.c
ok "and all that they made is whole" [ "$status" = 0 -a -z "$(find build/two -name '*.*.[0-9]*')" ]

done_testing
