/* SPDX-License-Identifier: MIT */
#include "model/hosted/card_varied.h"

struct card card_slowed(const struct card *card, unsigned times)
{
    struct card slow = *card;
    int64_t *const longer[] = {
        &slow.block_ns,       &slow.copy_ns,         &slow.copy_back_ns, &slow.kernel_ns,
        &slow.graph_ns,       &slow.graph_kernel_ns, &slow.inline_ns,    &slow.inline_busy_ns,
        &slow.depend_ns,      &slow.prefetch_ns,     &slow.fault_device, &slow.peer_ns,
        &slow.peer_staged_ns, &slow.peer_depend_ns,  &slow.process_ns,   &slow.record_ns,
        &slow.turn_ns,
    };
    int64_t *const narrower[] = {
        &slow.h2d_pinned,   &slow.d2h_pinned,   &slow.h2d_pageable, &slow.h2d_uncached,
        &slow.d2h_pageable, &slow.d2d,          &slow.memset,       &slow.inline_read,
        &slow.prefetch_h2d, &slow.prefetch_d2h, &slow.peer,         &slow.peer_staged,
    };
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        *longer[i] *= times;
    for (size_t i = 0; i < sizeof narrower / sizeof *narrower; i++)
        *narrower[i] = *narrower[i] > times ? *narrower[i] / times : *narrower[i] > 0;
    slow.slower = times;
    return slow;
}

bool card_is_narrow(const struct card *card)
{
    return card->max_queues == 1;
}

struct card card_widened(const struct card *card)
{
    struct card wide = *card;
    wide.queues = wide.max_queues = wide.concurrent_grids = CARD_QUEUES;
    wide.copies_in_issue_order = wide.copies_signal_in_queue = 0;
    return wide;
}
