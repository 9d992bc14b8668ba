/* SPDX-License-Identifier: MIT */
/*
 * What goes with the command.
 *
 * DESIGN
 * Small copies to the device are written into the command by the host, in the call: they come to
 * the device beside whatever the copy engine does, and do not slow it. On an H200 these are copies
 * from pageable memory of up to 64 KiB (card->inline_pageable) and asynchronous ones from pinned
 * memory of up to 24 KiB into an idle stream (inline_bytes), of up to 1 KiB into one that is busy,
 * too (inline_busy). A stream is idle where the host has waited for all in it, or where there has
 * been nothing since but such copies, long enough ago.
 *
 * A small pinned copy into a busy stream takes the device inline_busy_ns in place of inline_ns: 100
 * of 4 B in a row take an H200 2.3 us each, as long as one after a kernel.
 *
 * The memory for commands, of each hardware queue, goes round: the first inline_ring bytes of it
 * that a program writes are written at inline_written, and the same again at inline_rewritten. On
 * an H200 the first 64 calls for 64 KiB in one stream take 16 us each, all later ones 8; 100 copies
 * of 16 KiB over 8 streams take 5.4 us each, over 3 streams 4.8 and, when 4 MiB have gone through
 * each, 4.2.
 */
#include "model/state.h"

/* Measured of copies in one piece, in streams; nothing else is taken for one. */
static bool is_in_one_piece(const struct call *c)
{
    return !(c->flags & GRAPH_NODE) && c->rows == 0;
}

bool goes_with_command(const struct card *card, const struct call *c, bool is_free)
{
    if (c->kind != CALL_COPY || !is_in_one_piece(c) || c->dst_kind != MEM_DEVICE)
        return false;
    bool pinned = c->src_kind == MEM_PINNED && c->flags & CALL_ASYNC,
         pageable = c->src_kind == MEM_PAGEABLE;
    int64_t most = pinned     ? is_free ? card->inline_bytes : card->inline_busy
                   : pageable ? card->inline_pageable
                              : 0;
    return most > 0 && c->bytes <= (uint64_t)most;
}

bool is_small_set(const struct card *card, const struct call *c)
{
    bool managed = c->dst_kind == MEM_MANAGED;      /* even 8 bytes of it are a kernel's work [M] */
    return c->kind == CALL_SET && is_in_one_piece(c) && !managed && card->inline_set_bytes > 0
           && c->bytes <= (uint64_t)card->inline_set_bytes;
}

int64_t time_at(uint64_t bytes, int64_t speed)
{
    const uint64_t most = UINT64_C(1) << 50, rate = (uint64_t)speed;
    if (bytes > most)
        bytes = most;
    /* bytes / (MB/s) are microseconds; times 1000 without losing the rest. */
    return (int64_t)(bytes / rate * 1000 + bytes % rate * 1000 / rate);
}

int64_t command_time(const struct card *card, const struct call *c, bool is_free)
{
    int64_t fixed = c->src_kind == MEM_PINNED && !is_free ? card->inline_busy_ns : card->inline_ns;
    return fixed + time_at(c->bytes, card->inline_read);
}

int64_t command_cost(struct model *m, const struct call *c)
{
    const struct card *card = m->card;
    if (c->stream >= m->state->stream_count)
        return card->inline_call;       /* a record that does not know the stream */
    uint64_t *written = &m->state->devices[m->state->streams[c->stream].device]
                             .written[queue_of(m, c->stream, QUEUE_KERNELS)];
    uint64_t ring = (uint64_t)card->inline_ring, first = ring == 0         ? c->bytes
                                                         : *written < ring ? ring - *written
                                                                           : 0;
    if (first > c->bytes)
        first = c->bytes;
    *written += c->bytes;
    return card->inline_call + time_at(first, card->inline_written)
           + (first < c->bytes ? time_at(c->bytes - first, card->inline_rewritten) : 0);
}
