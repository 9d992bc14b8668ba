/* SPDX-License-Identifier: MIT */
#include "sim/host/turns.h"

#include "sim/sim.h"

/* One time in PAUSES; from SHORTEST on, each LENGTH eight times the one before: from less than a
 * call takes to more than kernels do. */
enum { PAUSES = 4, LENGTHS = 5, SHORTEST = 1000 };

static uint64_t state;          /* 0: not looked at yet */
static bool wanted;

bool turns_wanted(void)
{
    if (state == 0) {
        unsigned seed = environment_number("SIM_TURNS", UINT32_MAX);
        wanted = seed > 0;
        state = seed + UINT64_C(0x9e3779b97f4a7c15);
    }
    return wanted;
}

unsigned turns_draw(unsigned count)
{
    if (!turns_wanted() || count < 2)
        return 0;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407); /* Knuth, MMIX */
    return (unsigned)((state >> 33) % count);
}

int64_t turns_pause(void)
{
    if (!turns_wanted() || turns_draw(PAUSES) != 0)
        return 0;
    return (int64_t)SHORTEST << 3 * turns_draw(LENGTHS);
}

int64_t turns_late(void)
{
    return turns_wanted() ? (int64_t)SHORTEST << 3 * (1 + turns_draw(LENGTHS - 1)) : 0;
}
