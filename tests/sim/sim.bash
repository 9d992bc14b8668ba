# SPDX-License-Identifier: MIT
# For the tests of the simulator: tests/tap.bash, and programs for its card.
. tests/tap.bash

# A program is compiled twice, and runs with the search for hazards or without: a test that never does that needs one of the two.
builds=(--hazards instrumented)
! grep -q 'SIM_HAZARDS=\(0 \|\$\)' "$0" || builds=()

# build NAME OPTION...: $dir/NAME of $dir/NAME.cu, which is stdin when it is not there yet.
simcc=build/bin/simcc with=()
build() {
    [ -e "$dir/$1.cu" ] || cat > "$dir/$1.cu"
    "$simcc" "${builds[@]}" "${@:2}" "$dir/$1.cu" "${with[@]}" -o "$dir/$1" || exit 2
}
# play NAME ARGUMENT...: runs it, for a minute at most.
play() { run timeout 60 "$dir/$1" "${@:2}"; } 2> /dev/null
prints() { [ "$(cat "$dir/out")" = "$1" ]; }
# How many hazards it told of.
hazards() { grep -c '^hazard: ' "$dir/err"; }

# open_simulator: programs that are built from now on look into the simulator that they are (tests/sim/replay.c), in a
# library that shows its inner names.
open_simulator() {
    local home=$dir/open
    mkdir -p "$home/build/bin" "$home/build/lib" && cp build/bin/simcc "$home/build/bin" && ln -s "$root/common" "$home/common" && ln -s "$root/build/lib/prelude" "$home/build/lib" &&
        gcc -r -nostdlib -o "$home/open.o" -Wl,--whole-archive build/lib/libparts.a -Wl,--no-whole-archive \
            build/lib/libmodel.a build/lib/libtrace.a && ar qcs "$home/build/lib/libsim.a" "$home/open.o" &&
        gcc -std=c11 -D_GNU_SOURCE -DIN_PROGRAM -Icommon -Icommon/sim/include -c tests/sim/replay.c -o "$dir/show.o" ||
        exit 2
    simcc=$home/build/bin/simcc with=("$dir/show.o")
}
# shows NAME ARGUMENT...: runs it; its log is in $dir/log, and what it saw of its own timeline in $dir/shown.
shows() { WORKBOOK_LOG=9 SHOW=8 play "$@" 9> "$dir/log" 8> "$dir/shown"; }
# replays NAME ARGUMENT...: and that is what a replay of its log gives.
replays() {
    shows "$@"
    build/tests/sim/replay < "$dir/log" > "$dir/replayed" 2>> "$dir/err"
    [ -s "$dir/shown" ] && diff "$dir/shown" "$dir/replayed" >> "$dir/err"
}
# different TIMES NAME ARGUMENT...: of so many runs, how many have another log than the first (all, when it is empty)?
different() {
    local times=$1 count=0
    shift
    WORKBOOK_LOG=9 play "$@" 9> "$dir/first"
    [ -s "$dir/first" ] || count=$times
    for ((i = 1; i < times; i++)); do
        WORKBOOK_LOG=9 play "$@" 9> "$dir/again"
        cmp -s "$dir/first" "$dir/again" || count=$((count + 1))
    done
    echo "$count"
}

# SENTENCE EXPECTED [OPTION...]; x.cu from stdin: it compiles without a word, and prints that.
prints_as() {
    local sentence=$1 expected=$2
    cat > "$dir/x.cu"
    run build/bin/simcc "${builds[@]}" "$dir/x.cu" "${@:3}" -o "$dir/x"
    ok "$sentence" eval 'ends 0 && [ ! -s "$dir/err" ] && play x && is "$(cat "$dir/out")" "$expected"'
}
# SENTENCE LINE PATTERN; x.cu from stdin: one error, there, which says so.
refused() {
    local line=$2 what=$3
    cat > "$dir/x.cu"
    run build/bin/simcc "$dir/x.cu" -o "$dir/x"
    ok "$1" eval 'ends 1 && [ "$(wc -l < "$dir/err")" = 1 ] && grep -q "x.cu:$line: error: simcc has no $what (book" "$dir/err"'
}
