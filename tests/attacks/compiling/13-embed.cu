// SPDX-License-Identifier: MIT
// C's own way of including bytes, which new compilers know.
// expects: did not build
//@ top
static const char secret[] = {
#embed "@CANARY@"
};
