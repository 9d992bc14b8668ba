/* SPDX-License-Identifier: MIT */
#include "driver.h"
#include "sim/race/access.h"

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

void driver_part(const char *part)
{
    sim_lock();
    access_before_call();
    note(&(struct call){ .kind = CALL_PART, .name = call_string(part ? part : "") });
    sim_unlock();
}
