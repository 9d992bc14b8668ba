#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Every compiler takes the sources without a word: gcc (with -Wconversion and -Wshadow, the tests too) and clang as C11; g++ and
# clang++ (it with LONG=1) take the headers, and both the model's own sources, as C++ too. Objects that need each other:
# no more than three in a circle, and those alone that ARCHITECTURE.md gives a reason for.
. tests/tap.bash

has() { command -v "$1" > /dev/null; }

flags=(-D_GNU_SOURCE '-DWORKBOOK_VERSION="0"' -Wall -Wextra -Werror -Icommon -I.)
includes=(-I"$root/common" -I"$root" -I"$root/common/sim/include" -I"$root/tests/cupti/fake")
# The folders whose sources are compiled, of the programs and of the lessons.
rooms=(common/{cupti,figure,model,model/hosted,trace/{record,order,draw},simcc,simcc/rewrite{,/ptx}} grader grader/{base,sandbox,run,judge/termination,judge/shared,judge,learner,report,grade} build)
mapfile -t -O ${#rooms[@]} rooms < <(find common/sim -name '*.c' -printf '%h\n' | sort -u)
! tools/setup --has grade || rooms+=(grader/export grader/batch{,/files,/intake,/jobs,/similar,/results})
rooms+=(lessons/[0-9]*)
# A room at a time. With gcc to objects, which are looked at further down; with a second compiler as one unit, as
# tools/make/build.mk does: in which groups files are compiled changes when one comes or goes.
compile_room='
room=$1 compiler=$2 made=$3; shift 3
shown=; case $room in common/sim | common/sim/*) shown="-include sim/visible.h" ;; esac
if [ "$compiler" = gcc ]; then
    mkdir -p "$made" && cd "$made" && exec gcc -std=c11 -c $shown "$@" "$root/$room"/*.c
fi
[ "$room" != common/cupti ] || exec $compiler -std=c11 -fsyntax-only "$@" "$room"/*.c    # which a machine with CUPTI compiles file by file
printf "#include \"%s\"\n" $(grep -L "^int main(" "$room"/*.c) | $compiler -std=c11 -fsyntax-only $shown "$@" -x c - || exit
alone=$(grep -l "^int main(" "$room"/*.c) || exit 0
exec $compiler -std=c11 -fsyntax-only "$@" $alone'
compiles() {    # compiler, flags
    printf '%s\n' "${rooms[@]}" | root=$root xargs -P "$(nproc)" -I '{}' sh -c "$compile_room" - '{}' "$1" "$dir/objects/{}" \
        "${flags[@]}" "${includes[@]}" "${@:2}"
}
compiles_tests() {  # compiler, flags
    printf '%s\n' tests/*/*.c tests/{sim,grader}/*/*.c tests/sim/race/family/{known,random,text}.c tools/*.c tools/bench/*.c |
        xargs -P "$(nproc)" -n 16 "$1" -std=c11 -fsyntax-only "${flags[@]}" "${includes[@]}" "${@:2}"
}

# Designators are C's as C++20 has them; unnamed fields are zero there too.
as_cxx=(-x c++ -std=c++20 "${flags[@]}" -Wno-missing-field-initializers)
model=(common/model/*.c build/cards.c common/trace/record/memory.c common/trace/order/{happens_before,hb_streams,hb_graph,hb_queries,hb_prune}.c)
others() { printf '#include "%s"\n' $(printf '%s\n' common/trace/*/*.c "${model[@]}" "${model[@]}" | sort | uniq -u); }
takes_model() {
    others | gcc -std=c11 "${flags[@]}" -x c -c -o "$dir/others.o" - &&
        "$1" "${as_cxx[@]}" -o "$dir/cxx" "${model[@]}" -x none build/obj/tests/figure/native.o build/lib/libfigure.a \
        "$dir/others.o" &&
        "$dir/cxx" h200 c2050 < tests/figure/pipeline.calls > "$dir/cxx.out" &&
        build/tests/figure/native h200 c2050 < tests/figure/pipeline.calls | cmp - "$dir/cxx.out"
}

takes_headers() {
    printf '#include "%s"\n' common/*.h common/trace/*/*.h common/{model,figure}/*.h |
        xargs -d '\n' -n 1 -P "$(nproc)" sh -c 'echo "$1" | "$0" -x c++ -std=c++17 -D_GNU_SOURCE -Wall -Wextra -Werror \
            -Icommon -I. -Icommon/sim/include -fsyntax-only -' "$1"
}

# What gcc calls a conversion that may change a value; clang's idea of it is another one.
run compiles gcc -Wconversion -Wshadow
ok "gcc compiles all C sources as C11, with no warning" ends 0
second=clang
has clang || second='gcc -fsyntax-only'
run compiles "$second"
ok "$second compiles each room as one unit, with no warning: names at file level are unique there" ends 0
for compiler in gcc clang; do
    has $compiler || { skip "$compiler compiles the tests and the tools, with no warning" "no $compiler here"; continue; }
    run compiles_tests $compiler $([ $compiler = clang ] || echo -Wconversion -Wshadow)
    ok "$compiler compiles the tests and the tools, with no warning" ends 0
done

# Where a compiler brings the C library's checks by itself (Ubuntu's does), that of longjmp would not have guards that are left from other stacks.
guards() {
    gcc -std=c11 -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -include sim/visible.h "${flags[@]}" "${includes[@]}" -c -o "$dir/crash.o" common/sim/crash/crash.c &&
        nm "$dir/crash.o"
}
run guards
ok "guards are left by the plain longjmp, whatever the compiler brings" says 'U siglongjmp'

circles=$(python3 -B tests/model/circles.py "$dir/objects" common/cupti lessons/* | sort)
reasons=$(sed -n '/^## Circles/,/^## Where/s/^| \([^|]*[^| ]\) *|.*/\1/p' ARCHITECTURE.md | sed 1d | sort)
ok "circles of objects are those that ARCHITECTURE.md gives a reason for" is "$circles" "$reasons"
ok "none has more than three" is "$(awk 'NF > 3' <<< "$circles")" ""

for compiler in g++ clang++; do
    takes="$compiler takes each header by itself as C++"
    builds="$compiler builds the model as C++, and it says the same"
    has $compiler || { skip "$takes" "no $compiler here"; skip "$builds" "no $compiler here"; continue; }
    if [ $compiler = g++ ] || [ -n "${LONG-}" ]; then
        run takes_headers $compiler
        ok "$takes" ends 0
    fi
    run takes_model $compiler
    ok "$builds" ends 0
done
done_testing
