/* SPDX-License-Identifier: MIT */
#include "driver.h"

#include <pthread.h>
#include <string.h>

#include "sim/race/access.h"
#include "sim/race/left_threads.h"

#include "sim/call_log.h"
#include "sim/host/note.h"
#include "slots.h"

const void *driver_input(int slot, size_t *bytes)
{
    static struct exchange_block *known;
    return slots_at(slots_block(EXCHANGE_INPUT, PROT_READ, &known, sim_trouble), slot, bytes);
}

void *driver_output(int slot, size_t *bytes)
{
    static struct exchange_block *known;
    return slots_at(slots_block(EXCHANGE_OUTPUT, PROT_READ | PROT_WRITE, &known, sim_trouble), slot,
                    bytes);
}

/* ---- a second process: a thread ---- */

static pthread_t other;

static void *run_other(void *unused)
{
    (void)unused;
    sim.two_processes = true;
    thread_self()->process = 1;
    driver_other();
    return NULL;
}

void *driver_shared(void)
{
    static _Alignas(64) char bytes[DRIVER_SHARED];
    return bytes;
}

void driver_other_begins(void)
{
    if (pthread_create(&other, NULL, run_other, NULL) != 0)
        sim_trouble("no thread for the second process");
}

void driver_other_ends(void)
{
    pthread_join(other, NULL);
}

void driver_delays_question(long long ns)
{
    thread_self()->late_ns = ns;
}

void driver_peek(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

void driver_device_makes(const void *at, size_t bytes)
{
    sim_lock();
    access_before_call();
    access_device_makes((uintptr_t)at, bytes);
    sim_unlock();
}

void driver_part(const char *part)
{
    sim_lock();
    access_before_call();
    left_threads_tell();
    if (part)           /* an error that was not checked stays with the part that made it */
        thread_self()->last = cudaSuccess;
    note(&(struct call){ .kind = CALL_PART, .name = call_string(part ? part : "") });
    sim_unlock();
}
