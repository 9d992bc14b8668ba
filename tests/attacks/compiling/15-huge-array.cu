// SPDX-License-Identifier: MIT
// An initialised array of two gigabytes.
// expects: did not build, refused
//@ top
int huge[1 << 29] = { 1 };
//@ in overlap
    sum += huge[n];
