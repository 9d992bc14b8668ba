/* SPDX-License-Identifier: MIT */
/* value.h - values in memory that streams write and wait for: cuStreamWriteValue32,
 * cuStreamWaitValue32. */
#ifndef SIM_RACE_VALUE_H
#define SIM_RACE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_how { VALUE_NONE, VALUE_WRITE, VALUE_AT_LEAST, VALUE_EQUAL, VALUE_AND, VALUE_NOR };

struct value {
    enum value_how how;
    unsigned bytes;                 /* 4 or 8 */
    void *at;
    uint64_t value;
};

/* Need it wait no longer? A write never has to. */
bool value_is_due(const struct value *value);
/* Writes it, or has seen it: what was done before it was written comes before what is done from now
 * on. */
void value_passes(const struct value *value);
/* The caller, host code, may have written values that operations wait for, or are going to wait
 * for. */
void value_by_host(void);

/* Operations that have begun and wait, in that order. */
struct awaited { struct value value; uint32_t node; };
size_t awaited_count(void);
const struct awaited *awaited_at(size_t i);
void awaited_add(struct value value, uint32_t node);
void awaited_remove(size_t i);

#endif
