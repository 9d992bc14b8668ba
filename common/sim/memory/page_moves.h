/* SPDX-License-Identifier: MIT */
/* page_moves.h - what has become of managed pages and was not told yet; for residency.c alone. */
#ifndef SIM_MEMORY_PAGE_MOVES_H
#define SIM_MEMORY_PAGE_MOVES_H

#include "sim/sim.h"

/* Migrations are noted by this function (note.h). */
void page_moves_begin(size_t (*note)(struct call *c));
/* `flags`: MIGRATE_…; `pc`: the host's instruction. */
void page_moves_add(uintptr_t at, uint64_t bytes, bool to_host, uint32_t flags, const void *pc);
/* The page comes with a prefetch that ends then. */
void page_moves_wait(uintptr_t at, int64_t until, const void *pc);
/* All that was added was this kernel's doing, memset's or copy's: returns how many ns it takes. */
int64_t page_moves_of_node(uint32_t node);
/* It was the host's. */
void page_moves_of_host(void);
/* Tells of a prefetch. */
void page_moves_of_prefetch(uint32_t node, uintptr_t at, uint64_t bytes, bool to_host);

#endif
