// SPDX-License-Identifier: MIT
// Brings a function of the simulator's.
// expects: refused
// says: defines sim_configure, a name of the runtime
//@ top
extern "C" __attribute__((used)) void own_one(const void *) asm("sim_configure");
extern "C" __attribute__((used)) void own_one(const void *) { }
