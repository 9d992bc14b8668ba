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
    *(struct settings *)exchange_add_input(x, sizeof(struct settings)) = (struct settings){ (uint32_t)random_next(r) };
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
    { "a-own", "a", HYGIENE, 3, "nothing is given back twice or too early", NULL, judge_own, READ_OWN, {
      "Which line took this memory, and has it been given back before?", "goes back once",
      "if (m->own_device) CHECK(cudaFree(m->device)); in synced_fini(), and the same for the host's side." } },
    { "a-states", "a", OUTPUT, 8, "after each call the block is in the state of the table", "a-own", judge_states, READ_STATES, {
      "Which side had the newest bytes before this call, and which has them after it?", "Read the table by rows",
      "In synced_write_host(): synced_read_host(m), then m->head = AT_HOST." } },
    { "a-lazy", "a", HYGIENE, 5, "memory is allocated on the side asked for, when it is first needed", "a-states", judge_lazy, READ_LAZY, {
      "Has anything asked for the block on this side by now?", "a pointer that is NULL",
      "if (!m->device) CHECK(cudaMalloc(&m->device, m->bytes)); in synced_read_device()." } },
    { "a-sides", "a", HYGIENE, 4, "each side has memory of the right kind", "a-lazy", judge_sides, READ_LAZY, {
      "Where does the host memory of a pinned block come from, and where does that of any other block?", "two kinds of host memory",
      "CHECK(m->pinned ? cudaMallocHost(&m->host, m->bytes) : heap_take(&m->host, m->bytes))." } },
    { "a-transfers", "a", HYGIENE, 8, NAME_TRANSFERS, "a-lazy", judge_transfers, READ_STATES, {
      "Which side is stale before this call, and which one is asked for?", "is stale, and never else",
      "if (m->head == AT_DEVICE) CHECK(cudaMemcpy(m->host, m->device, m->bytes, cudaMemcpyDeviceToHost)); and the mirror of it." } },
    { "a-zeros", "a", OUTPUT, 3, "a new block is all zeros", "a-lazy a-sides", judge_zeros, READ_LAZY, {
      "What is in memory that has just been allocated?", "whatever was there before",
      "if (m->head == UNINITIALIZED) memset(m->host, 0, m->bytes), and cudaMemset() on the device." } },
    { "a-arrived", "a", ORDER, 4, "what is copied has arrived when the call returns", "a-transfers", judge_arrived, READ_STATES, {
      "What does the caller do with the pointer on the next line?", "comes back when the bytes are there",
      "cudaMemcpy(), or cudaStreamSynchronize() after cudaMemcpyAsync()." } },
    { "a-bytes", "a", OUTPUT, 4, NAME_BYTES, "a-sides a-transfers a-zeros a-arrived", judge_bytes, READ_STATES, {
      "Where does this transfer come from, and where does it go?", "is stale, and never else",
      "cudaMemcpy(m->device, m->host, m->bytes, cudaMemcpyHostToDevice): the whole block, to its beginning." } },
    { "a-hazard", "a", HAZARD, 3, "host and device do not touch the same bytes at once", "a-bytes", judge_hazards, READ_STATES, {
      "Which copy may still be under way when the caller writes?", "comes back when the bytes are there",
      "cudaMemcpy(), or cudaStreamSynchronize() after cudaMemcpyAsync()." } },
    { "a-back", "a", HYGIENE, 2, NAME_BACK, "a-lazy", judge_given_back, READ_OWN, {
      "What has the block taken that synced_fini() does not give back?", "goes back once",
      "cudaFreeHost(m->host) or heap_give(m->host), and cudaFree(m->device), in synced_fini()." } },
    { ERRORS("a", 1, "*") },

    { "b-own", "b", HYGIENE, 6, "nothing that others own is freed, and nothing twice", "a-own a-lazy", judge_own, READ_OWN, {
      "What has taken this memory, and what gives it back?", "has taken it gives it back",
      "if (m->own_host) CHECK(m->pinned ? cudaFreeHost(m->host) : heap_give(m->host)); then m->own_host = false." } },
    { "b-states", "b", OUTPUT, 4, "what is set holds the newest bytes", "b-own a-states", judge_states, READ_OWN, {
      "Which side has the newest bytes after new ones were set on this side?", "the newest there is",
      "m->head = AT_HOST in synced_set_host(), m->head = AT_DEVICE in synced_set_device()." } },
    { "b-same", "b", OUTPUT, 4, "the memory that was set is used itself", "b-own a-sides", judge_sides, READ_OWN, {
      "Do you return the address that the caller has set?", "the caller's own address",
      "m->host = data; in synced_set_host(), and no memcpy()." } },
    { "b-transfers", "b", HYGIENE, 4, NAME_TRANSFERS, "b-states b-same a-transfers", judge_transfers, READ_OWN, {
      "Are these bytes needed on the other side yet?", "the newest there is",
      "Nothing in synced_set_host(): the next synced_read_device() copies, by cudaMemcpy()." } },
    { "b-bytes", "b", OUTPUT, 3, NAME_BYTES, "b-transfers a-bytes", judge_bytes, READ_OWN, {
      "A side has been set: into whose memory does a write on it go?", "the caller's own address",
      "m->host = data; in synced_set_host(), m->device = data; in synced_set_device()." } },
    { "b-back", "b", HYGIENE, 2, NAME_BACK, "b-same a-back", judge_given_back, READ_OWN, {
      "What had the block allocated on this side, before other memory was set there?", "what it had there before",
      "if (m->own_device) CHECK(cudaFree(m->device)); in synced_set_device(), before m->device = data." } },
    { RACES("b", 3, "* a-hazard", READ_OWN, "the newest there is") },
    { ERRORS("b", 1, "*") },

    { "c-own", "c", HYGIENE, 1, "nothing is given back too early", "a-own a-lazy", judge_own, READ_PUSH, {
      "What does a copy in a queue need until its turn has come?", "holds addresses",
      "Give nothing back in synced_push(): cudaFree() is for synced_fini()." } },
    { "c-states", "c", OUTPUT, 3, "a push counts as a transfer at once, and only a block that is AT_HOST is pushed", "c-own a-states", judge_states,
      READ_PUSH, {
      "In which states does the device need nothing from the host?", "has something to push",
      "if (m->head != AT_HOST) return; and m->head = SYNCED after cudaMemcpyAsync()." } },
    { "c-lazy", "c", HYGIENE, 1, "memory is allocated for what is sent, and for nothing else", "c-states a-lazy", judge_lazy, READ_LAZY, {
      "Does a push that has nothing to send need memory on the device?", "a pointer that is NULL",
      "if (m->head != AT_HOST) return; before cudaMalloc() in synced_push()." } },
    { "c-transfers", "c", HYGIENE, 3, NAME_TRANSFERS, "c-lazy a-transfers", judge_transfers, READ_PUSH, {
      "What is sent, and how much of it?", "has something to push",
      "One cudaMemcpyAsync(m->device, m->host, m->bytes, cudaMemcpyHostToDevice, stream)." } },
    { "c-stream", "c", ORDER, 3, "the copy is in the stream that was given", "c-transfers", judge_stream, READ_PUSH, {
      "In which stream does the caller go on?", "in that stream",
      "The last parameter of cudaMemcpyAsync() is the stream." } },
    { "c-async", "c", OVERLAP, 4, "the host goes on at once", "c-stream", judge_host_goes_on, READ_PUSH, {
      "What is the stream doing when the push is made, and does the host wait for that?", "comes back at once",
      "cudaMemcpyAsync(), and no cudaStreamSynchronize() after it." } },
    { "c-bytes", "c", OUTPUT, 1, NAME_BYTES, "c-stream a-bytes", judge_bytes, READ_PUSH, {
      "Where does the copy come from, and where does it go?", "in that stream",
      "cudaMemcpyAsync(m->device, m->host, m->bytes, cudaMemcpyHostToDevice, stream)." } },
    { "c-back", "c", HYGIENE, 1, NAME_BACK, "c-transfers a-back", judge_given_back, READ_PUSH, {
      "How is synced_fini() to know that synced_push() has taken memory?", "takes the device side",
      "m->own_device = true after cudaMalloc() in synced_push()." } },
    { RACES("c", 2, "* a-hazard", READ_PUSH, "in that stream") },
    { ERRORS("c", 1, "*") },

    { "d-here", "d", OUTPUT, 4, "a block is used on its own device only", NULL, judge_right_device, READ_HERE, {
      "Which two things can be on another device than the block?", "A caller that sets a pointer",
      "cudaGetDevice(&current), and cudaPointerGetAttributes(&attributes, m->device) if m->device is not NULL." } },
    { "d-stays", "d", HYGIENE, 2, "to look changes nothing", NULL, judge_stays, READ_HERE, {
      "Which device is the current one after your question?", "belongs to the host thread",
      "cudaGetDevice(), and no cudaSetDevice()." } },
    { RACES("d", 1, "* d-stays", READ_HERE, "belongs to the host thread") },
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
