#!/bin/bash
# SPDX-License-Identifier: MIT
# What cannot be graded: one clear line on stderr and status 2.
. tests/grader/tap.bash

grade 77
ok "a lesson that is not there is named, with those that are" trouble "there is no lesson '77'; there are 01-"
grade nonsense
ok "so is a word that is no lesson" trouble "no lesson 'nonsense'"
grade 01 "$dir/missing.cu"
ok "a missing file is named" trouble "missing.cu does not exist"
: > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "an empty file is called empty" trouble "x.cu is empty"
head -c 3000 build/bin/grade > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a binary file is called no text" trouble "is not a text file"
printf 'int a;\n\n// caf\xe9\n' > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a line that is not UTF-8 is named" trouble "x.cu:3: not UTF-8 text"
{ echo '// build: -fplugin=x.so'; cat "$solution"; } > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "an unknown build option is named, with its line and those that are known" \
    trouble "x.cu:1: unknown build option '-fplugin=x.so'; known are --default-stream"
grade 01 "$dir"
ok "a folder is called a folder" trouble "is not a file but a folder"
mkfifo "$dir/pipe.cu"
grade 01 "$dir/pipe.cu"
ok "a pipe is not waited for" trouble "is not a file but a pipe"
rm "$dir/pipe.cu"
head -c 2000000 /dev/zero | tr '\0' 'x' > "$dir/x.cu"
grade 01 "$dir/x.cu"
ok "a huge file is refused" trouble "is too large"

grade 01 solutions/06-overlap.cu
ok "a file of another lesson is named as such" trouble "solutions/06-overlap.cu is a file of lesson 06, not of lesson 01"

cp "$solution" "$dir/x.cu"
grade --card voodoo2 01 "$dir/x.cu"
ok "an unknown card is named, with those that are" trouble "there is no card 'voodoo2'; there are h200,"
SEED=abc grade 01 "$dir/x.cu"
ok "a seed that is no number is refused" trouble "SEED wants a whole number"
grade --time-limit 0 01 "$dir/x.cu"
ok "a time limit of nothing is refused" trouble "--time-limit wants seconds"
grade --nonsense 01
ok "an unknown option is status 2" ends 2
grade
ok "no lesson at all is status 2" ends 2

mkdir "$dir/empty"
PATH=$dir/empty grade 01 "$dir/x.cu"
ok "a machine with no compiler is told so" trouble "g++"

# Root may write anywhere, but for one that has given that right up.
mkdir -m 555 "$dir/locked"
plain=()
[ "$(id -u)" != 0 ] || plain=(setpriv --bounding-set=-dac_override)
TMPDIR=$dir/locked "${plain[@]}" build/bin/grade 01 "$dir/x.cu" > "$dir/out" 2> "$dir/err"
status=$?
ok "a folder for temporary files that cannot be written is named" trouble "cannot write to $dir/locked: Permission denied"
grade --quiet --json "$dir/nowhere/v.json" 01 "$dir/x.cu"
ok "a report that cannot be written is named" trouble "cannot write $dir/nowhere/v.json"
mkfifo "$dir/pipe"
timeout 20 cat "$dir/pipe" > "$dir/piped" &
grade --quiet --json "$dir/pipe" 01 "$dir/x.cu"
wait $!
ok "what is no file is written into and stays what it is" eval '[ -p "$dir/pipe" ] && grep -q "\"version\"" "$dir/piped"'

build/bin/grade 01 "$dir/x.cu" > /dev/full 2> "$dir/err"
status=$?
: > "$dir/out"
ok "a report that finds no space is told" trouble "cannot write the report: No space left on device"

build/bin/grade 01 "$dir/x.cu" >&- 2> "$dir/err"
status=$?
ok "so is a report with nowhere to go" trouble "cannot write the report: Bad file descriptor"

sentence="a full disk is told, not blamed on the file"
mkdir "$dir/disk"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=96k tmpfs "$dir/disk" 2> /dev/null; then
    mounted=$dir/disk
    TMPDIR=$dir/disk grade 01 "$dir/x.cu"
    ok "$sentence" trouble "no space left in"
    TMPDIR=$dir/tmp grade --quiet --trace "$dir/disk/t.json" 01 "$dir/x.cu"
    head -c 200000 /dev/zero > "$dir/disk/fill" 2> /dev/null
    printf 'old\n' > "$dir/v.json"
    ln -s "$dir/disk" "$dir/via"
    grade --quiet --json "$dir/via/v.json" 01 "$dir/x.cu"
    ok "a verdict that finds no space leaves no half of a file" \
        eval 'trouble "cannot write" && [ -z "$(ls "$dir/disk" | grep v.json)" ]'
else
    skip "$sentence" "mounting a small file system takes root"
    skip "a verdict that finds no space leaves no half of a file" "mounting a small file system takes root"
fi

ok "nothing is left behind" left_nothing
done_testing
