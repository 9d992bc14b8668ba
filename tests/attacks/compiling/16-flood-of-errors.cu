// SPDX-License-Identifier: MIT
// Ten thousand errors.
// expects: did not build
//@ top
#define A x y z; x y z; x y z; x y z; x y z; x y z; x y z; x y z; x y z; x y z;
#define B A A A A A A A A A A
#define C B B B B B B B B B B
C C C C C C C C C C
