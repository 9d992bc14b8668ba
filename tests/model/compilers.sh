#!/bin/bash
# SPDX-License-Identifier: MIT
#
# gcc takes the sources and the tests without a word (with -Wconversion and -Wshadow) as C11; other compilers: second.sh. Objects that
# need each other: no more than three in a circle, and those alone that ARCHITECTURE.md gives a reason for.
. tests/model/compiling.bash

# What gcc calls a conversion that may change a value; clang's idea of it is another one.
run compiles gcc -Wconversion -Wshadow
ok "gcc compiles all C sources as C11, with no warning" ends 0
run compiles_tests gcc -Wconversion -Wshadow
ok "gcc compiles the tests and the tools, with no warning" ends 0

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
done_testing
