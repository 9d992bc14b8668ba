#!/bin/bash
# SPDX-License-Identifier: MIT
# build/bin/timeline: the picture of any program that simcc built.
. tests/grader/tap.bash

timeline() { run "$root/build/bin/timeline" "$@"; }
tells() { ends 2 && [ "$(wc -l < "$dir/err")" = 1 ] && complains "$1"; }

cat > "$dir/two.cu" << 'X'
#include <stdio.h>
#include "streams.h"
__global__ void first(void) { kernel_cost(3000000); }
__global__ void second(void) { kernel_cost(1000000); }
int main(int argc, char **argv)
{
    label_push("one");
    first<<<1, 1>>>();
    label_push("within");
    label_pop();
    label_pop();
    label_push("two");
    second<<<1, 1>>>();
    label_pop();
    cudaDeviceSynchronize();
    printf("hello %s\n", argc > 1 ? argv[1] : "nobody");
    return 7;
}
X
build/bin/simcc -Icommon -o "$dir/two" "$dir/two.cu" || exit 2

timeline "$dir/two" --there
ok "a program runs with its own arguments and prints what it prints" says "hello --there"
ok "its picture follows" says "kernel"
ok "its exit status is handed on" ends 7
ok "of kernels that declare what they take the legend says no more" not says "computes"
echo '__global__ void k() { } int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }' > "$dir/bare.cu"
build/bin/simcc -o "$dir/bare" "$dir/bare.cu" || exit 2
timeline "$dir/bare"
ok "of others it says what their time does not depend on" says "a kernel's time does not depend on how much it computes"
timeline --label one --svg "$dir/one.svg" "$dir/two"
ok "a label picks what it encloses" grep -q 'first' "$dir/one.svg"
ok "and no more" not grep -q second "$dir/one.svg"
timeline --label three "$dir/two"
ok "a label that is not there is named" tells "no label 'three'"
timeline "$dir/nothing"
ok "a program that is not there is named" tells "cannot run $dir/nothing"
timeline /bin/true
ok "a program that simcc did not build is told apart" tells "was it built by simcc?"
timeline --card voodoo2 "$dir/two"
ok "an unknown card is named" tells "no card 'voodoo2'"

grade --seed 1 --quiet --log "$dir/log" 06 "$root/solutions/06-overlap.cu"
timeline --part a --width 100 "$dir/log"
cp "$dir/out" "$dir/h200"
ok "a log of the grader is drawn" says "D2H copy"
timeline --part a --width 100 --card c1060 "$dir/log"
ok "on another card it is another picture" not cmp -s "$dir/out" "$dir/h200"
head -c 8 "$dir/log" > "$dir/cut"
printf '\377\377\177' >> "$dir/cut"
timeline "$dir/cut"
ok "a damaged log is refused" tells "is damaged"
timeline --ascii --label two "$dir/two"
ok "plain ASCII is plain ASCII" bash -c "! LC_ALL=C grep -q '[^ -~]' '$dir/out'"
done_testing
