/* SPDX-License-Identifier: MIT */
#include "judges.h"

#include <string.h>

bool judge_levels(const struct evidence *e, struct finding *f, const char *part)
{
    (void)part;
    for (size_t view = 0; view < e->views; view++) {
        const struct card *card = e->yours[view].card;
        const struct answers *a = exchange_output_of(e->exchange, view, OUT_ANSWERS, NULL);
        int least = (int)card->priority_least, greatest = (int)card->priority_greatest,
            count = least - greatest + 1;
        if (a->least == least && a->greatest == greatest && a->count == count)
            continue;
        f->view = view;
        expected(f, "least %d, greatest %d, and that is %d %s", least, greatest, count,
                 count == 1 ? "priority" : "priorities");
        seen(f, "least %d, greatest %d, %d", a->least, a->greatest, a->count);
        f->function = "find_levels";
        f->word = a->least == least && a->greatest == greatest ? "count"
                                                               : "cudaDeviceGetStreamPriorityRange";
        if (a->least == greatest && a->greatest == least && least != greatest)
            return why(
                f, "The two are the wrong way round: the greatest priority is the lowest number.");
        if (a->least == least && a->greatest == greatest && a->count < 1)
            return why(f,
                       "The greatest priority is the lower number. Subtract it from the other, and count both ends.");
        if (a->least == least && a->greatest == greatest && a->count == count - 1)
            return why(f,
                       "Count both ends: from 0 to -1 there are two, and where both are 0 there is one.");
        if (a->least == least && a->greatest == greatest)
            return why(f,
                       "The number of priorities is the difference of the two ends and one more, on each card: compute it from what "
                       "cudaDeviceGetStreamPriorityRange() has returned. %d is no such number here.",
                       a->count);
        return why(f,
                   "Every device has its own range. Ask for it: cudaDeviceGetStreamPriorityRange(&least, &greatest).");
    }
    return true;
}

/* The part's first call that asks a stream for its priority; ANY for none. */
static uint32_t asks_stream(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (strcmp(timeline_string(v->timeline, v->timeline->calls[i].name),
                   "cudaStreamGetPriority")
            == 0)
            return (uint32_t)i;
    return ANY;
}

bool judge_granted(const struct evidence *e, struct finding *f, const char *part)
{
    const int32_t *wish = exchange_input(e->exchange, IN_WISHES, NULL);
    for (size_t view = 0; view < e->views; view++) {
        const struct card *card = e->yours[view].card;
        const struct answers *a = exchange_output_of(e->exchange, view, OUT_ANSWERS, NULL);
        for (int k = 0; k < WISHES; k++) {
            int gets = card_priority(card, wish[k]);
            if (a->granted[k] == gets)
                continue;
            f->view = view;
            expected(f, "asked for %d, a stream gets %d: the range is %d to %d", wish[k], gets,
                     (int)card->priority_least, (int)card->priority_greatest);
            seen(f, "granted(%d) returned %d", wish[k], a->granted[k]);
            f->function = "granted";
            f->word = "cudaStreamCreateWithPriority";
            uint32_t asked = a->granted[k] == wish[k] ? asks_stream(&e->yours[view], part) : ANY;
            if (asked != ANY) {
                f->call = asked;
                return why(
                    f,
                    "A number outside the range is no error. It is silently moved to the nearest end, and cudaStreamGetPriority() has said so "
                    "here. Return what it puts into its second argument, and not `wish`.");
            }
            return why(
                f,
                a->granted[k] == wish[k]
                    ? "A number outside the range is no error. It is silently moved to the nearest end. Make the stream, and "
                      "ask it with cudaStreamGetPriority()."
                    : "Make a stream with that number and ask the stream what it has: cudaStreamGetPriority().");
        }
    }
    return true;
}

bool judge_numbers(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        const struct timeline *t = v->timeline;
        int least = (int)v->card->priority_least, greatest = (int)v->card->priority_greatest;
        struct selection s = in_part(v, part, 0);
        for (size_t i = s.first_call; i < s.end_call; i++) {
            const struct call *c = &t->calls[i];
            if (c->kind != CALL_STREAM_CREATE || c->status != 0
                || (c->flags & (STREAM_LEGACY | STREAM_PER_THREAD)) || c->priority == least
                || c->priority == greatest)
                continue;
            int gets = card_priority(v->card, c->priority);
            f->view = view;
            f->call = (uint32_t)i;
            expected(f,
                     "each priority that you ask for is one end of this device's range: %d or %d",
                     least, greatest);
            if (gets != c->priority) {
                seen(f, "%d was asked for, and %d was given, without an error", c->priority, gets);
                if (c->priority > least)
                    return why(f,
                               "The higher the number, the lower the priority: this asks for less than the least. The greatest is "
                               "the lowest number, as cudaDeviceGetStreamPriorityRange() gives it.");
                return why(f,
                           "This device does not have that number. It is moved into the range here, and on a card with more "
                           "priorities it would be in the middle. Ask the device: cudaDeviceGetStreamPriorityRange().");
            }
            seen(f, "%d was asked for: there are %d greater priorities and %d lower", gets,
                 gets - greatest, least - gets);
            if (gets != -1)
                return why(f,
                           "It is in the middle of the range, and a card with fewer priorities does not have it. Take the ends of "
                           "the range as cudaDeviceGetStreamPriorityRange() gives them: the least for the bulk, the greatest for "
                           "requests.");
            return why(f,
                       "On a card with two priorities this number is the greatest. On this card others go before it. Ask the "
                       "device: cudaDeviceGetStreamPriorityRange().");
        }
    }
    return true;
}
