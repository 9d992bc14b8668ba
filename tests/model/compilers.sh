#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Every compiler takes the sources without a word: gcc and clang as C11; g++ and
# clang++ (it with LONG=1) take the headers, and both the model's own sources, as C++ too. Objects that need each other:
# no more than three in a circle, and those alone that ARCHITECTURE.md gives a reason for.
. tests/tap.bash

has() { command -v "$1" > /dev/null; }

flags=(-D_GNU_SOURCE '-DWORKBOOK_VERSION="0"' -Wall -Wextra -Werror -Icommon -I.)
# gcc's objects are looked at further down; the recorder and each lesson have names that others have, too.
mkdir "$dir/objects" "$dir/recorder"
compile='source=$1 made=$2 compiler=$3; shift 3
    case $source in common/cupti/*) made=${made%/*}/recorder ;; tests/*) made= ;;
    lessons/*) made=${made%/*}/$(echo "${source%/*}" | tr / @); mkdir -p "$made" ;; esac
    if [ "$compiler" = gcc ] && [ -n "$made" ]; then set -- -c -o "$made/$(echo "$source" | tr / @).o" "$@"; else set -- -fsyntax-only "$@"; fi
    exec "$compiler" -std=c11 "$@" "$source"'
syntax() {      # compiler, flags
    xargs -P "$(nproc)" -I '{}' sh -c "$compile" - '{}' "$dir/objects" "$1" "${flags[@]}" -Icommon/sim/include -Itests/cupti/fake "${@:2}"
}
compiles() {    # compiler, flags for what is no test and no lesson
    find common/sim -name '*.c' | syntax "$@" -include sim/visible.h &&
        { find common/{cupti,figure,model,simcc,trace} -name '*.c' ! -path '*/wasm/*'; ls grader/{,base,sandbox,run,judge,learner,report,grade}/*.c build/{cards,lessons}.c; } |
            syntax "$@" &&
        { ! tools/setup --has grade || printf '%s\n' grader/{export,batch/*}/*.c | syntax "$@"; } &&
        printf '%s\n' lessons/*/*.c tests/*/*.c | syntax "$1"
}

# Designators are C's as C++20 has them; unnamed fields are zero there too.
as_cxx=(-x c++ -std=c++20 "${flags[@]}" -Wno-missing-field-initializers)
model=(common/model/*.c build/cards.c common/trace/record/memory.c common/trace/order/{happens_before,hb_streams,hb_graph,hb_prune}.c)
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

# tools/make/build.mk (unity): in which groups they are compiled changes when a file comes or goes.
compiles_rooms() {
    local room files shown
    local instructors=()        # their libraries are not on every machine
    ! tools/setup --has grade || instructors=(grader/{export,batch/{,files,work,similar,results}}/)
    for room in common/{simcc,simcc/rewrite,model,trace/{record,order,draw}}/ common/sim/{,memory,race,host,kernel,poll,graph,api,api/memory,api/graph}/ \
        grader/{base,sandbox,run,judge,learner,report,grade}/ "${instructors[@]}" lessons/*/; do
        readarray -t files < <(grep -L '^int main(' "$room"*.c)
        [ "$room" != common/model/ ] || files+=(common/model/hosted/*.c)
        shown=()
        [[ $room != common/sim/* ]] || shown=(-include sim/visible.h)
        printf '#include "%s"\n' "${files[@]}" |
            gcc -std=c11 -fsyntax-only "${flags[@]}" -Icommon/sim/include "${shown[@]}" -x c - || return 1
    done
}
ok "names at file level are unique in their room" compiles_rooms

for compiler in gcc clang; do
    sentence="$compiler compiles all C sources as C11, with no warning"
    has $compiler || { skip "$sentence" "no $compiler here"; continue; }
    # What gcc calls a conversion that may change a value; clang's idea of it is another one.
    wider=()
    [ $compiler = clang ] || wider=(-Wconversion -Wshadow)
    run compiles $compiler "${wider[@]}"
    ok "$sentence" ends 0
done

circles=$(for folder in "$dir"/{objects,recorder,lessons@*}; do python3 -B tests/model/circles.py "$folder"; done | sort)
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
