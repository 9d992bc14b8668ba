#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A second compiler takes the sources without a word, clang the tests, too; g++ and clang++ (it with LONG=1) take the headers, and
# both the model's own sources, as C++.
. tests/model/compiling.bash

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

second=clang
has clang || second='gcc -fsyntax-only'
run compiles "$second"
ok "$second compiles each room as one unit, with no warning: names at file level are unique there" ends 0
if has clang; then
    run compiles_tests clang
    ok "clang compiles the tests and the tools, with no warning" ends 0
else
    skip "clang compiles the tests and the tools, with no warning" "no clang here"
fi

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
