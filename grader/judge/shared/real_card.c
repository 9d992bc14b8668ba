/* SPDX-License-Identifier: MIT */
#include "grader/judge/shared/real_card.h"

#include <stdio.h>
#include <string.h>

#include "grader/base/text.h"
#include "trace/order/recorded.h"
#include "trace/record/memory.h"

static const struct card *card_titled(const char *title)
{
    for (size_t i = 0; i < card_count(); i++)
        if (strcmp(card_at(i)->title, title) == 0)
            return card_at(i);
    return card_at(0);
}

void real_card(struct card *card, const struct timeline *log)
{
    const struct call *device = recorded_device(log, 0);
    const char *name = device ? timeline_string(log, device->name) : "GPU";
    char *title = text_harmless(name, strlen(name));
    *card = *card_titled(title);
    snprintf(card->name, sizeof card->name, REAL_CARD);
    snprintf(card->title, sizeof card->title, "%.38s (real)", title);
    memory_resize(title, 0);
    card->devices = 1;
    while (recorded_device(log, (uint32_t)card->devices))
        card->devices++;
    if (!device)
        return;
    card->sms = device->machine.multiprocessors > 0 ? device->machine.multiprocessors : card->sms;
    card->copy_engines =
        device->machine.copy_engines > 0 ? device->machine.copy_engines : card->copy_engines;
    card->major = device->machine.capability > 0 ? device->machine.capability / 10 : card->major;
    card->minor = device->machine.capability > 0 ? device->machine.capability % 10 : card->minor;
    card->managed = (device->flags & DEVICE_MANAGED) != 0;
    card->concurrent_managed = (device->flags & DEVICE_CONCURRENT_MANAGED) != 0;
}
