# SPDX-License-Identifier: MIT
# For the end-to-end tests of the grader: TAP, a folder of their own, submissions made from lesson 01.
# Source it from the repository's root; end with `done_testing`.
set -u
unset NVCC RECORDER GPU_FOLDER SEED SIM_PROFILE NO_COLOR CLICOLOR_FORCE FORCE_COLOR COLUMNS
export LC_ALL=C.UTF-8 BACKEND=sim
root=$PWD
dir=$(mktemp -d) || exit 2
# The grader's own private folders go here, so that what it leaves behind can be seen.
mkdir "$dir/tmp" && export TMPDIR=$dir/tmp
cleanup() { [ -z "${mounted:-}" ] || umount "$mounted"; rm -rf "$dir"; }
trap cleanup EXIT

count=0
# ok SENTENCE COMMAND...: the command's status decides.
ok() {
    local sentence=$1
    shift
    count=$((count + 1))
    if "$@"; then
        echo "ok $count - $sentence"
    else
        echo "not ok $count - $sentence"
        printf '# status %s\n' "${status-}"
        sed 's/^/# out: /' "$dir/out" | head -40
        sed 's/^/# err: /' "$dir/err" | head -10
    fi
}
skip() { count=$((count + 1)); echo "ok $count - $1 # SKIP $2"; }
done_testing() { echo "1..$count"; }

# grade ARGUMENT...: output in $dir/out and $dir/err, status in $status.
grade() {
    "$root/build/bin/grade" "$@" > "$dir/out" 2> "$dir/err"
    status=$?
}
says() { grep -qF -- "$1" "$dir/out"; }
# The same for a text that may be broken into lines.
says_wrapped() { tr -s '\n ' ' ' < "$dir/out" | grep -qF -- "$1"; }
says_not() { ! grep -qF -- "$1" "$dir/out"; }
complains() { grep -qF -- "$1" "$dir/err"; }
# Trouble with the environment: status 2, nothing on stdout, one line on stderr that has this in it.
trouble() {
    [ "$status" = 2 ] && [ ! -s "$dir/out" ] && [ "$(wc -l < "$dir/err")" = 1 ] && complains "$1"
}
ends() { [ "$status" = "$1" ]; }

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
not() { ! "$@"; }
left_nothing() { [ -z "$(ls -A "$TMPDIR")" ]; }
