/* SPDX-License-Identifier: MIT */
/*
 * sim_own.h - which thread it is, read and set without a word to the search.
 *
 * simcc writes __own(threadIdx.x) for threadIdx.x in code of the device. Every thread reads its number, and nothing is to be
 * told of that: an instruction of the assembler's is not looked at.
 *
 * In front of an instruction g++ tells the assembler the name of its file as it is, and the assembler takes a " in it for the
 * name's end: so the file has a name of its own here, whatever folder the workbook is in.
 */
#ifndef SIM_INCLUDE_OWN_H
#define SIM_INCLUDE_OWN_H

#line 15 "sim_own.h"
static inline __attribute__((__always_inline__)) unsigned int __own(const unsigned int &__number)
{
    unsigned int __value;
    if (!__instrumented)
        return __number;
    __asm__("movl %1, %0" : "=r"(__value) : "m"(__number));
    return __value;
}
static inline __attribute__((__always_inline__)) unsigned int __own(unsigned int &__number)
{
    return __own(static_cast<const unsigned int &>(__number));
}
static inline __attribute__((__always_inline__)) void __is_thread(unsigned int x)
{
    if (__instrumented)
        __asm__ volatile("movl %1, %0" : "=m"(threadIdx.x) : "r"(x) : "memory");
    else
        threadIdx.x = x;
}

#endif
