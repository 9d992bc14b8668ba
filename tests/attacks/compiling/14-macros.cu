// SPDX-License-Identifier: MIT
// Macros that double their argument thirty times.
// expects: did not build
// says: The compiler was stopped
//@ top
#define D0(x) x x
#define D1(x) D0(D0(x))
#define D2(x) D1(D1(x))
#define D3(x) D2(D2(x))
#define D4(x) D3(D3(x))
#define D5(x) D4(D4(x))
int many = 0 D5(+ 1);
