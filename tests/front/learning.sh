#!/bin/bash
# SPDX-License-Identifier: MIT
# What a learner does besides being graded, through make, in a copy of this folder: hints, progress,
# solution, reset, merge, submit.
. tests/tap.bash
copy=$dir/copy
cleanup() { [ -z "${mounted-}" ] || umount "$mounted"; }
copy_tree "$copy"
cd "$copy" || exit 2
tests/edit all made || exit 2        # not in build/: make clean is called

# What a command says on both, without line breaks at its end, is in $said.
try() { "$@" > "$dir/out" 2>&1 < /dev/null; status=$?; said=$(< "$dir/out"); }
says() { [[ $(tr -s '\n ' ' ' <<< "$said") == *"$1"* ]]; }
one_line() { [ "$(grep -vc '^make: ' <<< "$said") $status" = '1 2' ]; }
narrow() { ! grep -E '^.{81}' <<< "$said"; }
remembers() { grep -qE -- "$1" work/progress; }
wrong=made/wrong/06-overlap

for target in hint99 watch99 solution99 reset99 merge99 run99 hint; do
    try make "$target"
    ok "$target: a lesson that is not there gets one line" one_line
done

try make progress
ok "before anything was done, all is untouched and the first lesson is next" \
    eval 'says "untouched" && says "0 of" && says "Next: make lesson01" && [ ! -e work ]'
try make solution06
ok "there is no difference to a file that is not there" one_line
try make submit
ok "nothing to pack gets one line" one_line

# ---- progress ----

try make lesson06
ok "an untouched lesson is remembered as that" remembers '^06-overlap last 0/100 .*: not attempted$'
cp $wrong/few-chunks.cu work/06-overlap.cu
try make lesson06 SEED=7
ok "a verdict is remembered with points, version, seed and card" \
    remembers "^06-overlap last 9[0-9]/100 version $(cat VERSION) seed 7 card h200: wanting$"
ok "what has changed since the last time is said" \
    eval 'says "Since last time: " && says "points more. Passes now: \"the host buffers are pinned\" (part a)"'
ok "and where a hint is to be had" says "stuck? make hint06"
try make progress
ok "a lesson that is half done says which parts are, and which is next" \
    eval 'says "half done 91" && says "done: part a, b, d; next: part c" && says "Next: make lesson06" && narrow'
cp exercises/06-overlap.cu work/06-overlap.cu
try make lesson06
ok "the best verdict stays" eval 'remembers "^06-overlap best 9./100 .* seed 7 " && remembers "^06-overlap last 0/100 "'
echo 'int' >> work/06-overlap.cu
try make lesson06
ok "what no longer builds is said to" says "Since last time: it no longer builds."

cp solutions/06-overlap.cu work/06-overlap.cu
cp solutions/01-sync-vs-async.cu work/01-sync-vs-async.cu
try make -j2 lesson01 lesson06
ok "lessons that are graded at once are both remembered" \
    eval '[ "$status" = 0 ] && remembers "^01-.* best 100/100" && remembers "^06-.* best 100/100"'
printf '01-sync-vs-async best 27/27 version 0.1 seed 1 card h200: passed\nrubbish\n' > work/progress
try make progress
ok "a progress file that makes no sense is kept, begun anew, and told of in one line" \
    eval 'says "work/progress makes no sense in line 2: it is kept as work/progress.1" && grep -q rubbish work/progress.1 && [ ! -e work/progress ]'
printf 'a\0b\n' > work/progress
try make lesson01
ok "and does not keep a verdict from being remembered" \
    eval '[ "$status" = 0 ] && [ -e work/progress.2 ] && remembers "^01-.* best 100/100"'
printf '98-later best 3/4 version 9.9 seed 1 card h200: wanting\n' >> work/progress
try make lesson01
ok "a lesson that is not known here keeps its lines" remembers '^98-later best 3/4 version 9.9 seed 1 card h200: wanting$'

sentence="a full disk costs the memory, not the verdict"
if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=128k tmpfs small 2> /dev/null; then
    mounted=$copy/small
    cp -a work/. small/ && rm -rf work && ln -s small work
    head -c 200000 /dev/zero > small/fill 2> /dev/null
    cp small/progress before
    try make lesson01
    ok "$sentence" eval '[ "$status" = 0 ] && says "this is not remembered" && cmp -s before small/progress'
    rm work small/fill
    mkdir work && cp -a small/. work/
    umount "$mounted" && mounted=
else
    skip "$sentence" "mounting a small file system takes root"
fi

# ---- a part at a time ----

# The starter with one region of the solution.
awk -v name=moments '
    FNR == 1 { solution = NR == 1 }
    $1 == "//<" && $2 == name { inside = 0; if (!solution) printf "%s", region }
    inside && solution { region = region $0 "\n" }
    !solution && !inside
    $1 == "//>" && $2 == name { inside = 1 }' solutions/01-sync-vs-async.cu exercises/01-sync-vs-async.cu > work/01-sync-vs-async.cu
try make lesson01
ok "who does part (a) alone gets its points and is told where to go on" \
    eval 'says "PASS 24/24 Part a" && says "wanting: 24 of 100" &&
        says "Next: part b (work while the kernel runs): do what the TODO at work/01-sync-vs-async.cu:$(grep -n "//> overlap" work/01-sync-vs-async.cu | cut -d: -f1) says"'

# ---- hints ----

rm -f work/progress
cp $wrong/one-stream.cu work/06-overlap.cu
try make hint06
ok "the first hint is a question, of the check that fails" \
    eval '[ "$status" = 0 ] && says "Part a, \"depth first overlaps" && says "1 of 3 What could run" && says_not "2 of 3" && narrow'
try make hint06
ok "the second points to the paragraph and shows it" \
    eval 'says "2 of 3 lessons/06-overlap/chapter.md:" && says "You can issue these operations by chunk, depth first, as above" && says_not "3 of 3" && narrow'
try make hint06
ok "the third is the call" eval 'says "3 of 3 One loop over the STREAMS chunks" && says "the last hint" && narrow'
cp $wrong/missing-wait.cu work/06-overlap.cu
try make hint06
ok "another check that fails begins with its own first hint" eval 'says "1 of 3 Which call makes the host wait" && says_not "2 of 3"'
try make hint06
ok "a row of a table is shown under the names of its columns" says 'call: cudaStreamSynchronize(stream) when it returns: when all of stream is done'
cp exercises/06-overlap.cu work/06-overlap.cu
try make hint06
ok "what is untouched is not hinted at, but pointed to" says "its TODO at work/06-overlap.cu:$(grep -n '//> buffers' work/06-overlap.cu | cut -d: -f1)"
echo 'int' >> work/06-overlap.cu
try make hint06
ok "nor what does not build" says "does not compile yet"

# ---- solution, reset ----

cp $wrong/one-stream.cu work/06-overlap.cu
try make solution06
ok "the solution is not shown before the lesson has passed" eval '[ "$status" = 2 ] && says "has not passed yet" && says_not "stream[k]"'
try make solution06 FORCE=1
ok "but with FORCE=1" eval '[ "$status" = 0 ] && says "+++ solutions/06-overlap.cu"'
cp solutions/06-overlap.cu work/06-overlap.cu
try make lesson06
cp $wrong/one-stream.cu work/06-overlap.cu
try make solution06
ok "and when it has passed once" eval '[ "$status" = 0 ] && says "+++ solutions/06-overlap.cu"'

try make reset06
ok "reset brings the starter back and keeps the work" \
    eval 'cmp -s work/06-overlap.cu exercises/06-overlap.cu && cmp -s work/kept/06-overlap.1.cu $wrong/one-stream.cu'
cp $wrong/missing-wait.cu work/06-overlap.cu
try make reset06
ok "and never writes over what was kept" \
    eval 'cmp -s work/kept/06-overlap.1.cu $wrong/one-stream.cu && cmp -s work/kept/06-overlap.2.cu $wrong/missing-wait.cu'
try make reset06
ok "where nothing was done, nothing is kept" [ ! -e work/kept/06-overlap.3.cu ]

# ---- a lesson that changes ----

cp exercises/06-overlap.cu before && sed -i 's/^    CHECK(cudaGetLastError());/&\n    CHECK(cudaDeviceSynchronize());/' exercises/06-overlap.cu
try make lesson06
ok "what the starter has more than the copy that nobody has touched is no attempt" says "not attempted: 0 of 100 points"
cp before exercises/06-overlap.cu
sed -i 's/^\/\/> pipeline/\/\/ A new remark.\n&/' exercises/06-overlap.cu
sed 's/dst = malloc/&/; s/^\/\/> buffers/\/\/ Mine.\n&/' work/06-overlap.cu > mine && cp mine work/06-overlap.cu
try make lesson06
ok "a lesson that changed meanwhile says so in one line" \
    eval '[ "$(grep -c "has changed since you took your copy" <<< "$said")" = 1 ] && says "make merge06" && cmp -s mine work/06-overlap.cu'
try make progress
ok "progress says it, too" says "changed since you took your copy: make merge06"
try make merge06
ok "merge brings the change in and keeps yours" \
    eval '[ "$status" = 0 ] && grep -q "A new remark" work/06-overlap.cu && grep -q "// Mine" work/06-overlap.cu && cmp -s mine work/kept/06-overlap.3.cu'
try make lesson06
ok "then it is said no more" says_not "has changed since"
sed -i 's/A new remark/A newer remark/' exercises/06-overlap.cu
sed -i 's/A new remark/My remark/' work/06-overlap.cu
try make merge06
ok "where both changed the same lines both stand there, marked" \
    eval '[ "$status" = 2 ] && grep -q "^<<<<<<<" work/06-overlap.cu && grep -q "My remark" work/06-overlap.cu && says "look for <<<<<<<"'
cp solutions/06-overlap.cu work/06-overlap.cu
try make reset06
cp solutions/06-overlap.cu work/06-overlap.cu
sed -i '0,/TODO/s/TODO.*/& (in other words)/; $a\
\
void newer(void)\
{\
    //> newer\
    /* TODO */\
    //< newer\
}' exercises/06-overlap.cu
try make merge06
ok "a new part comes without conflict into a solved file, and new words do not touch what is solved" \
    eval '[ "$status" = 0 ] && grep -q "//> newer" work/06-overlap.cu && ! grep -q "^<<<<<<<\|TODO (\|in other words" work/06-overlap.cu &&
        says "worded differently now" && says "exercises/06-overlap.cu"'
echo '// more' >> lessons/06-overlap/lesson.h
try make lesson06
ok "a contract that changed says so, too" says "lessons/06-overlap/lesson.h has changed"

cp exercises/13-pytorch-streams.py work/
try build/bin/study reset 13
sed -i 's/^    produce(x)$/    produce(x)  # mine/' work/13-pytorch-streams.py
sed -i 's/two waits are missing here/something is missing here, twice/; s/these are in ordinary memory/the batches are in ordinary memory/' exercises/13-pytorch-streams.py
try make lesson13
ok "a part in Python that changed says so" says "exercises/13-pytorch-streams.py has changed since you took your copy: \`make merge13\`"
try make merge13
ok "and is merged: new words where nothing was done, yours elsewhere" \
    eval '[ "$status" = 0 ] && grep -q "the batches are in ordinary" work/13-pytorch-streams.py && grep -q "# mine" work/13-pytorch-streams.py &&
        says "work/13-pytorch-streams.py has the change in it"'
rm work/13-* work/.base/13-*

# ---- submit ----

cp solutions/06-overlap.cu work/06-overlap.cu
touch -d yesterday work/*.cu
try make submit NAME='Ana Example'
sum=$(sha256sum < build/submit/Ana_Example.tar.gz)
touch work/*.cu
umask 077
try make submit NAME='Ana Example'
ok "the same work packs into the same bytes" [ "$(sha256sum < build/submit/Ana_Example.tar.gz)" = "$sum" ]
mkdir there && tar -xzf build/submit/Ana_Example.tar.gz -C there
ok "what is packed is the work, who did it, and with which version" \
    eval 'cmp -s there/Ana_Example/06-overlap.cu work/06-overlap.cu && diff -q there/Ana_Example/submission <(
        printf "streams-workbook %s\nname Ana Example\nlesson 01-sync-vs-async\nlesson 06-overlap\n" "$(cat VERSION)")'
ok "and its sums are right" eval '(cd there/Ana_Example && sha256sum --quiet -c SHA256SUMS)'
ln -sf /etc/hostname work/06-overlap.cu
try make submit
ok "a link is not packed" eval 'one_line && says "is no regular file"'
try make submit NAME=$'a\tb'
ok "nor under a name that is none" one_line
ok "nothing is left behind" [ -z "$(ls build/tmp)" ]

if command -v git > /dev/null; then
    git init -q . && git add -A
    ok "what is a learner's is none of git's business" [ -z "$(git ls-files work build)" ]
else
    skip "what is a learner's is none of git's business" "needs git"
fi

cp work/progress remembered
make -s clean > /dev/null
ok "make clean takes nothing of what was remembered away" cmp -s remembered work/progress
done_testing
