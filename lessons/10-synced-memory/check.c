/* SPDX-License-Identifier: MIT */
/*
 * check.c - lesson 10: what is played, and what is asked of it.
 *
 * DESIGN
 * Nothing here is a matter of time. After each call the block's state is looked
 * at, inside each call memory and transfers are counted, and everything is held
 * against the state table (blocks.c). The judges are in states.c, owners.c and
 * push.c.
 */
#include "blocks.h"

static void prepare(struct exchange *x, struct random *r)
{
    walk_table(x, r, false);
    walk_others(x, r);
    walk_table(x, r, true);
    *(struct settings *)exchange_add_input(x, sizeof(struct settings)) =
        (struct settings){ (uint32_t)random_next(r) };
    for (int play = 0; play < PLAYS; play++)
        exchange_add_output(x, STEPS_MAX * sizeof(struct made));
    exchange_add_output(x, sizeof(struct totals));
    exchange_add_output(x, sizeof(struct right));
}

static const struct part parts[] = {
    { "a", "four states", "states" },
    { "b", "memory of the caller", "set" },
    { "c", "a push", "push" },
    { "d", "the right device", "here" },
};

#define READ_STATES "Two copies and a state"
#define READ_LAZY "Lazy allocation"
#define READ_OWN "Ownership"
#define READ_PUSH "Sent ahead"
#define READ_HERE "On which device?"

#define NAME_TRANSFERS "exactly the transfers that are needed"
#define NAME_BYTES "each access finds what was written last"
#define NAME_BACK "all that was taken is given back"

JUDGE(judge_own); JUDGE(judge_lazy); JUDGE(judge_sides); JUDGE(judge_transfers);
JUDGE(judge_arrived); JUDGE(judge_zeros); JUDGE(judge_bytes); JUDGE(judge_given_back);
JUDGE(judge_stream); JUDGE(judge_host_goes_on); JUDGE(judge_right_device); JUDGE(judge_stays);

static const struct check checks[] = {
    { .id = "a-own", .part = "a", .kind = HYGIENE, .points = 3,
      .name = "nothing is given back twice or too early", .judge = judge_own, .read = READ_OWN,
      .hints = { "Which line took this memory, and has it been given back before?",
                 "goes back once",
                 "if (m->own_device) CHECK(cudaFree(m->device)); in synced_fini(), and the same for the host's side." } },
    { .id = "a-states", .part = "a", .kind = OUTPUT, .points = 8,
      .name = "after each call the block is in the state of the table", .needs = "a-own",
      .judge = judge_states, .read = READ_STATES,
      .hints = { "Which side had the newest bytes before this call, and which has them after it?",
                 "Reading makes nothing stale",
                 "In synced_write_host(): synced_read_host(m), then m->head = AT_HOST." } },
    { .id = "a-lazy", .part = "a", .kind = HYGIENE, .points = 5,
      .name = "memory is allocated on the side asked for, when it is first needed",
      .needs = "a-states", .judge = judge_lazy, .read = READ_LAZY,
      .hints = { "Has anything asked for the block on this side by now?", "pointer is still NULL",
                 "if (!m->device) CHECK(cudaMalloc(&m->device, m->bytes)); in synced_read_device()." } },
    { .id = "a-sides",
      .part = "a",
      .kind = HYGIENE,
      .points = 4,
      .name = "each side has memory of the right kind",
      .needs = "a-lazy",
      .judge = judge_sides,
      .read = READ_LAZY,
      .hints = { "Where does the host memory of a pinned block come from, and where does that of any other block?",
                 "Host memory is",
                 "CHECK(m->pinned ? cudaMallocHost(&m->host, m->bytes) : heap_take(&m->host, m->bytes))." } },
    { .id = "a-transfers", .part = "a", .kind = HYGIENE, .points = 8, .name = NAME_TRANSFERS,
      .needs = "a-lazy", .judge = judge_transfers, .read = READ_STATES,
      .hints = { "Which side is stale before this call, and which one is asked for?",
                 "when the side asked for is stale",
                 "if (m->head == AT_DEVICE) CHECK(cudaMemcpy(m->host, m->device, m->bytes, cudaMemcpyDeviceToHost)); and the mirror of it." } },
    { .id = "a-zeros", .part = "a", .kind = OUTPUT, .points = 3, .name = "a new block is all zeros",
      .needs = "a-lazy a-sides a-transfers", .judge = judge_zeros, .read = READ_LAZY,
      .hints = { "What is in memory that has just been allocated?", "whatever was there before",
                 "if (m->head == UNINITIALIZED) memset(m->host, 0, m->bytes), and cudaMemset() on the device." } },
    { .id = "a-arrived", .part = "a", .kind = ORDER, .points = 4,
      .name = "what is copied has arrived when the call returns", .needs = "a-transfers",
      .judge = judge_arrived, .read = READ_STATES,
      .hints = { "What does the caller do with the pointer on the next line?", "when the bytes",
                 "cudaMemcpy(), or cudaStreamSynchronize() after cudaMemcpyAsync()." } },
    { .id = "a-bytes", .part = "a", .kind = OUTPUT, .points = 4, .name = NAME_BYTES,
      .needs = "a-sides a-transfers a-zeros a-arrived", .judge = judge_bytes, .read = READ_STATES,
      .hints = { "Where does this transfer come from, and where does it go?",
                 "when the side asked for is stale",
                 "cudaMemcpy(m->device, m->host, m->bytes, cudaMemcpyHostToDevice): the whole block, to its beginning." } },
    { .id = "a-hazard", .part = "a", .kind = HAZARD, .points = 3,
      .name = "host and device do not touch the same bytes at once", .needs = "a-bytes",
      .judge = judge_hazards, .read = READ_STATES,
      .hints = { "Which copy may still be under way when the caller writes?", "when the bytes",
                 "cudaMemcpy(), or cudaStreamSynchronize() after cudaMemcpyAsync()." } },
    { .id = "a-back", .part = "a", .kind = HYGIENE, .points = 2, .name = NAME_BACK,
      .needs = "a-lazy", .judge = judge_given_back, .read = READ_OWN,
      .hints = { "What has the block taken that synced_fini() does not give back?",
                 "goes back once",
                 "cudaFreeHost(m->host) or heap_give(m->host), and cudaFree(m->device), in synced_fini()." } },
    { ERRORS("a", 1, "*") },

    { .id = "b-own", .part = "b", .kind = HYGIENE, .points = 6,
      .name = "nothing that others own is freed, and nothing twice", .needs = "a-own a-lazy",
      .judge = judge_own, .read = READ_OWN,
      .hints = { "What has taken this memory, and what gives it back?",
                 "gives back what the block has taken",
                 "if (m->own_host) CHECK(m->pinned ? cudaFreeHost(m->host) : heap_give(m->host)); then m->own_host = false." } },
    { .id = "b-states", .part = "b", .kind = OUTPUT, .points = 4,
      .name = "what is set holds the newest bytes", .needs = "b-own a-states",
      .judge = judge_states, .read = READ_OWN,
      .hints = { "Which side has the newest bytes after new ones were set on this side?",
                 "newest, whatever the state was before",
                 "m->head = AT_HOST in synced_set_host(), m->head = AT_DEVICE in synced_set_device()." } },
    { .id = "b-same", .part = "b", .kind = OUTPUT, .points = 4,
      .name = "the memory that was set is used itself", .needs = "b-own a-sides",
      .judge = judge_sides, .read = READ_OWN,
      .hints = { "Do you return the address that the caller has set?", "the caller's own address",
                 "m->host = data; in synced_set_host(), and no memcpy()." } },
    { .id = "b-transfers", .part = "b", .kind = HYGIENE, .points = 4, .name = NAME_TRANSFERS,
      .needs = "b-states b-same a-transfers", .judge = judge_transfers, .read = READ_OWN,
      .hints = { "Are these bytes needed on the other side yet?",
                 "newest, whatever the state was before",
                 "Nothing in synced_set_host(): the next synced_read_device() copies, by cudaMemcpy()." } },
    { .id = "b-bytes", .part = "b", .kind = OUTPUT, .points = 3, .name = NAME_BYTES,
      .needs = "b-transfers a-bytes", .judge = judge_bytes, .read = READ_OWN,
      .hints = { "A side has been set: into whose memory does a write on it go?",
                 "the caller's own address",
                 "m->host = data; in synced_set_host(), m->device = data; in synced_set_device()." } },
    { .id = "b-back", .part = "b", .kind = HYGIENE, .points = 2, .name = NAME_BACK,
      .needs = "b-same a-back", .judge = judge_given_back, .read = READ_OWN,
      .hints = { "What had the block allocated on this side, before other memory was set there?",
                 "If that memory had been set",
                 "if (m->own_device) CHECK(cudaFree(m->device)); in synced_set_device(), before m->device = data." } },
    { RACES("b", 3, "* a-hazard", READ_OWN, "newest, whatever the state was before") },
    { ERRORS("b", 1, "*") },

    { .id = "c-own", .part = "c", .kind = HYGIENE, .points = 1,
      .name = "nothing is given back too early", .needs = "a-own a-lazy b-own b-states "
               "b-same",
      .judge = judge_own,
      .read = READ_PUSH,
      .hints = { "What does a copy in a queue need until its turn has come?", "holds addresses",
                 "Give nothing back in synced_push(): cudaFree() is for synced_fini()." } },
    { .id = "c-states", .part = "c", .kind = OUTPUT, .points = 3,
      .name = "a push counts as a transfer at once, and only a block that is AT_HOST is pushed",
      .needs = "c-own a-states", .judge = judge_states, .read = READ_PUSH,
      .hints = { "In which states does the device need nothing from the host?",
                 "has something to push",
                 "if (m->head != AT_HOST) return; and m->head = SYNCED after cudaMemcpyAsync()." } },
    { .id = "c-lazy", .part = "c", .kind = HYGIENE, .points = 1,
      .name = "memory is allocated for what is sent, and for nothing else",
      .needs = "c-states a-lazy", .judge = judge_lazy, .read = READ_LAZY,
      .hints = { "Does a push that has nothing to send need memory on the device?",
                 "pointer is still NULL",
                 "if (m->head != AT_HOST) return; before cudaMalloc() in synced_push()." } },
    { .id = "c-transfers", .part = "c", .kind = HYGIENE, .points = 3, .name = NAME_TRANSFERS,
      .needs = "c-lazy a-transfers", .judge = judge_transfers, .read = READ_PUSH,
      .hints = { "What is sent, and how much of it?", "has something to push",
                 "One cudaMemcpyAsync(m->device, m->host, m->bytes, cudaMemcpyHostToDevice, stream)." } },
    { .id = "c-stream", .part = "c", .kind = ORDER, .points = 3,
      .name = "the copy is in the stream that was given", .needs = "c-transfers",
      .judge = judge_stream, .read = READ_PUSH,
      .hints = { "In which stream does the caller go on?", "in that stream",
                 "The last parameter of cudaMemcpyAsync() is the stream." } },
    { .id = "c-async",
      .part = "c", .kind = OVERLAP, .points = 4, .name = "the host goes on at once",
      .needs = "c-stream", .judge = judge_host_goes_on, .read = READ_PUSH,
      .hints = { "What is the stream doing when the push is made, and does the host wait for that?",
                 "A push takes the device side if",
                 "cudaMemcpyAsync(), and no cudaStreamSynchronize() after it." } },
    { .id = "c-bytes", .part = "c", .kind = OUTPUT, .points = 1, .name = NAME_BYTES,
      .needs = "c-stream a-bytes", .judge = judge_bytes, .read = READ_PUSH,
      .hints = { "Where does the copy come from, and where does it go?", "in that stream",
                 "cudaMemcpyAsync(m->device, m->host, m->bytes, cudaMemcpyHostToDevice, stream)." } },
    { .id = "c-back", .part = "c", .kind = HYGIENE, .points = 1, .name = NAME_BACK,
      .needs = "c-transfers a-back", .judge = judge_given_back, .read = READ_PUSH,
      .hints = { "How is synced_fini() to know that synced_push() has taken memory?",
                 "takes the device side",
                 "m->own_device = true after cudaMalloc() in synced_push()." } },
    { RACES("c", 2, "* a-hazard", READ_PUSH, "in that stream") },
    { ERRORS("c", 1, "*") },

    { .id = "d-here", .part = "d", .kind = OUTPUT, .points = 4,
      .name = "a block is used on its own device only", .judge = judge_right_device,
      .read = READ_HERE, .hints = { "Which two things can be on another device than the block?",
                 "A caller that sets a pointer",
                 "cudaGetDevice(&current), and cudaPointerGetAttributes(&attributes, m->device) if m->device is not NULL." } },
    { .id = "d-stays", .part = "d", .kind = HYGIENE, .points = 2, .name = "to look changes nothing",
      .judge = judge_stays, .read = READ_HERE,
      .hints = { "Which device is the current one after your question?", "A thread's calls",
                 "cudaGetDevice(), and no cudaSetDevice()." } },
    { RACES("d", 1, "* d-stays", READ_HERE, "A thread's calls") },
    { ERRORS("d", 1, "*") },
};

static const char *const run_on[] = { "dual", NULL };
/* On a machine with one device every block is on the right one. */
static const char simulated[] = "d-here d-stays";

const struct lesson lesson_10 = {
    .number = 10,
    .folder = "10-synced-memory",
    .title = "SyncedMemory: one block, two sides",
    .parts = parts, .part_count = sizeof parts / sizeof *parts,
    .checks = checks, .check_count = sizeof checks / sizeof *checks,
    .prepare = prepare, .run_on = run_on, .simulated = simulated,
};
