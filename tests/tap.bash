# SPDX-License-Identifier: MIT
#
# Sourced by tests that are scripts, from the root of the repository: what they all need.
#
#   ok SENTENCE COMMAND...    a test: it passes when the command succeeds (`eval '...'` for several)
#   ok SENTENCE is GOT WANTED a test: two texts are the same
#   say STATUS SENTENCE       a test: STATUS is that of a command which has succeeded
#   check SENTENCE PROBLEMS   a test: the text of what is wrong is empty
#   skip SENTENCE REASON      a test that cannot be tried here
#   skip_all REASON           none of them can be: ends the script
#   done_testing              the plan; last line of a script, whose status then says whether a test failed
#
# A failed test shows its problems, or, for ok and say, $status, $said and the first lines of $dir/out and $dir/err.
# $dir is the script's own folder, removed at its end, and $root the repository. cleanup() is called before that.
set -u
unset NVCC RECORDER GPU_FOLDER SEED SIM_PROFILE NO_COLOR CLICOLOR_FORCE FORCE_COLOR COLUMNS
export LC_ALL=C.UTF-8 BACKEND=sim
root=$PWD
# A script that copies this folder does so in memory, if it may: disks take their time for thousands of files.
in_memory=
[ ! -d "${IN_MEMORY-}" ] || ! grep -q copy_tree "$0" || in_memory=$IN_MEMORY
dir=$(mktemp -d ${in_memory:+-p "$in_memory"}) || exit 2
cleanup() { :; }
trap 'cleanup; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM HUP

tap_count=0 tap_failed=0
# Ends a test: its sentence, and what is wrong.
report() {
    tap_count=$((tap_count + 1))
    if [ -z "$2" ]; then
        echo "ok $tap_count - $1"
    else
        tap_failed=1
        echo "not ok $tap_count - $1"
        head -n 40 <<< "$2" | sed 's/^/# /'
    fi
}
seen() {
    echo "status ${status-}${said:+, said: $said}"
    [ ! -s "$dir/out" ] || head -n 40 "$dir/out" | sed 's/^/out: /'
    [ ! -s "$dir/err" ] || head -n 10 "$dir/err" | sed 's/^/err: /'
}
say() { if [ "$1" = 0 ]; then report "$2" ''; else report "$2" "$(seen)"; fi; }
ok() { "${@:2}"; say $? "$1"; }
check() { report "$1" "$2"; }
skip() { tap_count=$((tap_count + 1)); echo "ok $tap_count - $1 # SKIP $2"; }
skip_all() { echo "1..0 # SKIP $1"; exit 0; }
done_testing() { echo "1..$tap_count"; exit $tap_failed; }

# A copy of this folder to try things in, as somebody has it who has built it. Precompiled headers, 50 MB each, are linked
# where they can be: nothing writes into one that is there.
copy_tree() {   # folder
    mkdir -p "$1" && tar -c --exclude=./.git --exclude=./work --exclude=./build/{tests,tmp,book,npm,lib/prelude} . | tar -x -C "$1" || return
    cp -al build/lib/prelude "$1/build/lib" 2> /dev/null || cp -a build/lib/prelude "$1/build/lib"
}

# try COMMAND...: all it says in $said, status in $status.
said= status=
try() { said=$("$@" 2>&1 < /dev/null); status=$?; }
# run COMMAND...: output in $dir/out and $dir/err, status in $status.
run() { "$@" > "$dir/out" 2> "$dir/err"; status=$?; }
ends() { [ "$status" = "$1" ]; }
says() { grep -qF -- "$1" "$dir/out"; }
says_not() { ! says "$1"; }
complains() { grep -qF -- "$1" "$dir/err"; }
not() { ! "$@"; }
is() { [ "$1" = "$2" ] || { echo "# got '$1', wanted '$2'"; false; }; }
