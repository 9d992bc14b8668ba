/* SPDX-License-Identifier: MIT */
/*
 * sim_at_once.h - SIM_AT_ONCE(type): the return type of a function template that functions of these headers call.
 *
 * g++ instantiates what such a function calls at the end of each program, precompiled headers or not: some 130 functions,
 * half the time that a short program takes to compile. A template whose return type is deduced is instantiated where
 * it is called, and then lies in the precompiled header.
 */
#ifndef SIM_INCLUDE_AT_ONCE_H
#define SIM_INCLUDE_AT_ONCE_H

#if __cplusplus >= 201402L
#define SIM_AT_ONCE(__type) auto
#else
#define SIM_AT_ONCE(__type) __type
#endif

#endif
