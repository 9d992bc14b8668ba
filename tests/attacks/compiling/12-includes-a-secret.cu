// SPDX-License-Identifier: MIT
// Lets the compiler quote a file of the machine's.
// expects: did not build
//@ top
#include "@CANARY@"
#include "/etc/passwd"
#include "/etc/shadow"
