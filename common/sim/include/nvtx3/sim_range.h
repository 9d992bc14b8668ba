/* SPDX-License-Identifier: MIT */
/*
 * sim_range.h - ranges and marks of host threads, for NVTX's headers. A text is given as itself, or by its number (sim_range_text).
 */
#ifndef NVTX3_SIM_RANGE_H
#define NVTX3_SIM_RANGE_H

#ifdef __cplusplus
extern "C" {
#endif

/* __domain: a text's number, 0 for the default one. __name: NULL where the text `__text` is meant. __color: 0xrrggbb, negative for none. */
struct sim_range { unsigned __domain; const char *__name; unsigned __text; int __color; };

unsigned sim_range_text(const char *__s);                           /* 0 for "" and NULL */
int sim_range_push(const struct sim_range *__r);                    /* how many were open in this thread and domain */
int sim_range_pop(unsigned __domain);                               /* how many still are; -1: there was none */
unsigned long long sim_range_start(const struct sim_range *__r);    /* its number, from 1 */
void sim_range_end(unsigned long long __range);
void sim_range_mark(const struct sim_range *__r);

#ifdef __cplusplus
}
#endif
#endif
