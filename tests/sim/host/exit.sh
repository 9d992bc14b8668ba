#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The end of a program that has not waited for its work.
. tests/sim/sim.bash

# As on an H100: host functions that are due within 0.2 ms of the end of main still run, one after 1 ms does not, nor does any after _exit.
cat > "$dir/x.cu" << 'EOF'
#include <unistd.h>
__global__ void works(long long ns) { long long from = clock64(); while (clock64() - from < ns * 2) ; printf("works\n"); }
void says(void *what) { puts((const char *)what); fflush(stdout); }
int main(int count, char **arguments) {
    cudaStream_t s;
    long long us = atoi(arguments[1]);
    cudaStreamCreate(&s);
    if (us > 0) works<<<1, 1, 0, s>>>(us * 1000);
    cudaLaunchHostFunc(s, says, (void *)"first");
    cudaLaunchHostFunc(s, says, (void *)"second");
    cudaStreamDestroy(s);
    if (count > 2) _exit(0);
}
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x 0
ok 'host functions that are due still run when main has returned' eval 'prints $'"'first\nsecond'"' && [ ! -s "$dir/err" ]'
play x 20000
ok 'later ones do not, which is told' eval 'prints "" && complains "x.cu:8: kernel works in stream 1, and 2 operations after it, may be cut off, and anything that it prints is lost: the program ends without waiting for them"'
play x 0 exit
ok 'nor does any after _exit' eval 'prints "" && complains "x.cu:9: cudaLaunchHostFunc in stream 1, and 1 operation after it, may be cut off: "'
prints_as 'there is nothing to tell of a program that waits' 'works' << 'EOF'
__global__ void works() { printf("works\n"); }
int main() { works<<<1, 1>>>(); cudaDeviceSynchronize(); }
EOF

# Nothing else of the C++ library is in it, and it is linked without.
prints_as 'a static variable in a function begins once, at the first call' '3 3 7' << 'EOF'
static int first(int n)
{
    static int kept = n;
    return kept;
}
int main()
{
    int a = first(3), b = first(4);
    static int other = a + 4;
    printf("%d %d %d\n", a, b, other);
}
EOF

done_testing
