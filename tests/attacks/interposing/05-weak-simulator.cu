// SPDX-License-Identifier: MIT
// Brings a weak one.
// expects: refused
// says: defines sim_launch, a name of the runtime
//@ top
extern "C" __attribute__((used, weak)) void *weak_one() asm("sim_launch");
extern "C" __attribute__((weak)) void *weak_one() { return nullptr; }
