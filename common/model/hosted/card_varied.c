/* SPDX-License-Identifier: MIT */
#include "model/hosted/card_varied.h"

#include <string.h>

struct card card_slowed(const struct card *card, unsigned times)
{
    struct card slow = *card;
    for (size_t i = 0; i < card_key_count(); i++) {
        const struct card_key *key = card_key_at(i);
        const char *unit;
        if (!card_key_of_device(key, &unit))
            continue;
        int64_t *value = (int64_t *)((char *)&slow + key->offset);
        if (strcmp(unit, "ns") == 0)
            *value *= times;
        else
            *value = *value > times ? *value / times : *value > 0;
    }
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
