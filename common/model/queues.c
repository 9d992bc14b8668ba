/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A device has some hardware queues for its multiprocessors, and for each direction as many
 * channels for copies. A stream gets the next of each when its first work of that kind comes, not
 * when it is made: of nine streams on an H200 with eight queues, two that are used never share one.
 *
 * In a hardware queue stands what the multiprocessors' front end does or starts: kernels, memsets
 * and copies inside the device, copies that came with the command, events with a time, host
 * functions. With one queue for all, each of these after a kernel of 200 us holds up another
 * stream's kernel until that is over. An event without a time, a wait for an event and a copy to
 * the host do not; such a copy holds up other streams' copies to the host, in its channel.
 * (facts/h200b-random.tsv, probe-q1-…, probe-share….)
 *
 * A queue whose first waits for something outside of it - a copy engine's work, an event of another
 * stream - looks for it again and again, and the queues that do so take turns of turn_ns: it sees
 * what it waits for later by one for each other such queue, but that which brought it. Fifty
 * kernels, each after an event of the one before, take an H200 0.1 us longer each in two streams
 * than in one, and 1.2 us in four; to fork and join costs 8 us eight wide (facts/h200-fidelity.tsv,
 * facts/h200b-fidelity.tsv).
 *
 * All these lists are in order of issue, and the first holds up the rest while it waits. A graph's
 * nodes stand in none of them: its copies that are ready are in a list of their own. A copy engine
 * goes on with the channel that it has as long as the first there is ready, whatever else was
 * issued before, and takes what was issued first when it is not.
 */
#include "model/state.h"

void queues_init(struct device *d, unsigned count)
{
    for (unsigned q = 0; q < CARD_QUEUES; q++)
        d->queues[q].count = d->queues[q].head = 0;
    d->queue_count = count;
}

void queues_fini(struct device *d)
{
    for (unsigned q = 0; q < CARD_QUEUES; q++)
        fifo_fini(&d->queues[q]);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < CHANNELS; i++)
            fifo_fini(&d->channels[lane][i]);
}

unsigned queue_of(struct model *m, uint32_t stream, enum queue_kind which)
{
    struct stream_state *s = &m->state->streams[stream];
    struct device *d = &m->state->devices[s->device];
    if (s->queue[which] == NO_QUEUE)
        s->queue[which] = d->queues_given[which]++ % d->queue_count;
    return s->queue[which];
}

bool stands_in_queue(const struct model *m, uint32_t node)
{
    const struct operation *op = operation(m, node);
    uint32_t engine = m->timeline->spans[node].engine;
    if (op->in_graph)
        return false;
    if (engine == ENGINE_KERNEL || op->queued_to_signal)
        return true;
    return !m->card->copies_in_issue_order
           && (op->with_command || engine == ENGINE_MEMSET || engine == ENGINE_D2D
               || engine == ENGINE_HOST_FUNC || is_timed_event(m, node));
}

static bool is_ready(const struct model *m, const struct fifo *f)
{
    return !fifo_empty(f) && operation(m, fifo_front(f))->state == READY;
}

/* Does the queue ask for something outside of it? */
static bool asks(const struct model *m, const struct fifo *f)
{
    return !fifo_empty(f) && operation(m, fifo_front(f))->state == WAITING
           && waits_outside(m, fifo_front(f));
}

static bool is_of_queue(const struct model *m, uint32_t node, const struct device *d, unsigned q)
{
    const struct stream_state *s = &m->state->streams[m->timeline->spans[node].stream];
    return d == &m->state->devices[s->device] && s->queue[QUEUE_KERNELS] == q;
}

int64_t queue_turns(const struct model *m, uint32_t node, uint32_t before)
{
    const struct device *d = &m->state->devices[m->timeline->spans[node].device];
    int64_t others = 0;
    if (m->card->turn_ns == 0 || operation(m, node)->in_graph)
        return 0;
    for (unsigned q = 0; q < d->queue_count; q++)
        others += !is_of_queue(m, node, d, q) && !is_of_queue(m, before, d, q)
                  && asks(m, &d->queues[q]);
    return others * m->card->turn_ns;
}

void queue_update(struct model *m, struct device *d, unsigned q)
{
    uint32_t bit = UINT32_C(1) << q;
    d->queues_ready = is_ready(m, &d->queues[q]) ? d->queues_ready | bit : d->queues_ready & ~bit;
}

void channel_update(struct model *m, struct device *d, unsigned lane, unsigned i)
{
    uint64_t bit = UINT64_C(1) << i;
    d->channels_ready[lane] = is_ready(m, &d->channels[lane][i]) ? d->channels_ready[lane] | bit
                                                                 : d->channels_ready[lane] & ~bit;
}

void channel_add(struct model *m, struct device *d, unsigned lane, uint32_t node)
{
    unsigned i = operation(m, node)->queue;
    fifo_push_in_order(&d->channels[lane][i], node);
    channel_update(m, d, lane, i);
}

uint32_t channel_take(struct model *m, struct device *d, unsigned lane)
{
    uint64_t ready = d->channels_ready[lane];
    if (ready == 0)
        return NO_NODE;
    unsigned best = d->last_channel[lane];
    if (!(ready >> best & 1)) {
        best = (unsigned)__builtin_ctzll(ready);
        for (uint64_t left = ready & (ready - 1); left != 0; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctzll(left);
            if (fifo_front(&d->channels[lane][i]) < fifo_front(&d->channels[lane][best]))
                best = i;
        }
    }
    uint32_t node = fifo_front(&d->channels[lane][best]);
    fifo_pop(&d->channels[lane][best]);
    channel_update(m, d, lane, best);
    d->last_channel[lane] = best;
    return node;
}
