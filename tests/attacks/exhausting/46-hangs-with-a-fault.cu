// SPDX-License-Identifier: MIT
// One check fails, and a destructor hangs: it is wrong, and the check is named.
// expects: wrong
// says: part b: not so: no call is undefined, and the program looks at what each one returns; then The program was stopped after part c, called once more
//@ top
struct hangs { ~hangs() { for (volatile int spin = 1; spin;) { } } };
static hangs at_the_end;
//@ in overlap
    cudaDeviceSynchronize();
