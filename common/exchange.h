/* SPDX-License-Identifier: MIT */
/*
 * exchange.h - how inputs get to a driver and outputs back: two blocks of memory.
 *
 * The grader makes both (memfd), fills and seals the first, poisons the second
 * and gives the child their descriptors. Layout of each: struct exchange_block,
 * then the slots, each 64-byte aligned. A slot has a fixed size that the
 * lesson's check chose; what is in it is the lesson's own affair.
 */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <stdint.h>

#define EXCHANGE_MAGIC 0x31584557u
#define EXCHANGE_SLOTS 32
/* Environment variables that hold the descriptors' numbers. */
#define EXCHANGE_INPUT "WORKBOOK_INPUT"
#define EXCHANGE_OUTPUT "WORKBOOK_OUTPUT"
#define EXCHANGE_LOG "WORKBOOK_LOG"     /* the pipe for the log of calls (trace/record/log.h) */
/* The key that authenticates the log (trace/record/authenticated_log.h); taken out of the
 * environment before the program begins. */
#define EXCHANGE_KEY "WORKBOOK_KEY"
/* Memory (trace/record/log_tail.h) for what the log's pipe has not got yet. Not where the program
 * is a stranger's: what has gone through a pipe nobody takes back. */
#define EXCHANGE_TAIL "WORKBOOK_TAIL"
/* Set where the program is a stranger's: the log's pages can be written to only while the log is.
 */
#define EXCHANGE_GUARD "WORKBOOK_GUARD"

struct exchange_block {
    uint32_t magic, count;
    struct { uint64_t offset, bytes; } slot[EXCHANGE_SLOTS];
};

#endif
