# SPDX-License-Identifier: MIT
# For the end-to-end tests of the grader: tests/tap.bash, and submissions made from lesson 01.
. tests/tap.bash
# The grader's own private folders go here, so that what it leaves behind can be seen.
mkdir "$dir/tmp" && export TMPDIR=$dir/tmp
cleanup() { [ -z "${mounted:-}" ] || umount "$mounted"; }

# grade ARGUMENT...: output in $dir/out and $dir/err, status in $status.
grade() { run "$root/build/bin/grade" "$@"; }
# says for a text that may be broken into lines.
says_wrapped() { tr -s '\n ' ' ' < "$dir/out" | grep -qF -- "$1"; }
# Trouble with the environment: status 2, nothing on stdout, one line on stderr that has this in it.
trouble() {
    [ "$status" = 2 ] && [ ! -s "$dir/out" ] && [ "$(wc -l < "$dir/err")" = 1 ] && complains "$1"
}

solution=solutions/01-sync-vs-async.cu
# wrong NN-name/NAME: the path of a wrong answer, made whole (tests/edit).
wrong() { tests/edit show "tests/wrong/$1.diff" > "$dir/${1//\//-}.cu" && echo "$dir/${1//\//-}.cu"; }
# insert MARK TEXT: $dir/x.cu is the solution with TEXT as the first line of the region MARK.
insert() {
    MARK="//> $1" TEXT=$2 awk '{ print } index($0, ENVIRON["MARK"]) { print ENVIRON["TEXT"] }' "$solution" > "$dir/x.cu"
}
# The line of $dir/x.cu that has this in it.
line_of() { grep -nF -- "$1" "$dir/x.cu" | head -n 1 | cut -d: -f1; }
# Is the folder for temporary files as empty as before?
left_nothing() { [ -z "$(ls -A "$TMPDIR")" ]; }
