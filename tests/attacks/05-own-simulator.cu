// SPDX-License-Identifier: MIT
// Brings a function of the simulator's.
// expects: refused
// says: defines entry_note, a name of the runtime
//@ top
extern "C" __attribute__((used)) void entry_note(const void *) { }
