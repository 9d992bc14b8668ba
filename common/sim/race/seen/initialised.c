/* SPDX-License-Identifier: MIT */
#include "sim/race/seen/initialised.h"

#include <string.h>
#include <sys/mman.h>

/* Memory of devices lies there; what the host reaches, too, lies above. */
static const uint64_t WITH_BITS = ALLOCATION_SPAN / 3;

uint64_t initialised_span;
bool initialised_by_many, initialised_in_common;

static bool has_bits(uint64_t at, uint64_t bytes)
{
    uint64_t from = at - ALLOCATION_LOW;
    return from < initialised_span && bytes <= initialised_span - from;
}

static unsigned char *byte_of(uint64_t at)
{
    return INITIALISED_BITS + (at - ALLOCATION_LOW) / 8;
}

/* Bits up to there, and one page more: short accesses are looked up four bytes at a time. */
static void extend(uint64_t end)
{
    const uint64_t step = 8 * SYSTEM_PAGE;
    uint64_t wanted = (end - ALLOCATION_LOW + step - 1) / step * step,
             had = initialised_span > 0 ? initialised_span / 8 + SYSTEM_PAGE : 0;
    if (wanted <= initialised_span)
        return;
    void *more =
        mmap(INITIALISED_BITS + had, wanted / 8 + SYSTEM_PAGE - had, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (more != MAP_FAILED)
        initialised_span = wanted;
}

/* Bits [from, to) of a byte, whose others may be somebody else's to put. */
static void put_some(unsigned char *byte, unsigned from, unsigned to, bool value)
{
    unsigned char bits = (unsigned char)((0xffu << from) & (0xffu >> (8 - to)));
    if (value)
        __atomic_fetch_or(byte, bits, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(byte, (unsigned char)~bits, __ATOMIC_RELAXED);
}

static void put_bits(uint64_t at, uint64_t bytes, bool value)
{
    uint64_t end = at + bytes, whole = (at + 7) / 8 * 8;
    if (bytes == 0)
        return;
    if (end < whole) {
        put_some(byte_of(at), at % 8, end % 8, value);
        return;
    }
    if (at < whole)
        put_some(byte_of(at), at % 8, 8, value);
    memset(byte_of(whole), value ? 0xff : 0, (end - whole) / 8);
    if (end % 8 != 0)
        put_some(byte_of(end), 0, end % 8, value);
}

void initialised_new(uint64_t at, uint64_t bytes)
{
    if (at - ALLOCATION_LOW >= WITH_BITS)
        return;
    uint64_t new_from = ALLOCATION_LOW + initialised_span;
    extend(at + bytes);
    if (at >= new_from || !has_bits(at, bytes))
        return;
    uint64_t old = at + bytes <= new_from ? bytes : new_from - at;
    const uint64_t step = 8 * SYSTEM_PAGE;
    uint64_t first = (at - ALLOCATION_LOW + step - 1) / step * step,
             last = (at + old - ALLOCATION_LOW) / step * step;
    if (first >= last) {
        put_bits(at, old, false);
        return;
    }
    put_bits(at, ALLOCATION_LOW + first - at, false);
    madvise(INITIALISED_BITS + first / 8, (last - first) / 8, MADV_DONTNEED);
    put_bits(ALLOCATION_LOW + last, at + old - ALLOCATION_LOW - last, false);
}

void initialised_mark(uint64_t at, uint64_t bytes)
{
    if (has_bits(at, bytes))
        put_bits(at, bytes, true);
}

static bool bit(uint64_t at)
{
    return *byte_of(at) >> at % 8 & 1;
}

uint64_t initialised_until(uint64_t at, uint64_t most)
{
    if (!has_bits(at, most - at))
        return at - ALLOCATION_LOW >= WITH_BITS && most - ALLOCATION_LOW <= ALLOCATION_SPAN ? most
                                                                                            : 0;
    uint64_t word = at / 64 * 64, bits, several[8];
    for (; word < most; word += 64) {
        for (; word >= at && most - word >= 64 * 8; word += 64 * 8) {
            memcpy(several, byte_of(word), sizeof several);
            bits = several[0] & several[1] & several[2] & several[3] & several[4] & several[5]
                   & several[6] & several[7];
            if (~bits != 0)
                break;
        }
        if (word >= most)
            break;
        memcpy(&bits, byte_of(word), sizeof bits);
        if (word < at)
            bits |= (UINT64_C(1) << at % 64) - 1;
        if (~bits != 0)
            return word + (uint64_t)__builtin_ctzll(~bits);
    }
    return most;
}

bool initialised_any(uint64_t at, uint64_t bytes)
{
    if (!has_bits(at, bytes))
        return true;
    for (; bytes > 0; at++, bytes--) {
        for (; at % 64 == 0 && bytes >= 64; at += 64, bytes -= 64) {
            uint64_t word;
            memcpy(&word, byte_of(at), sizeof word);
            if (word != 0)
                return true;
        }
        if (bytes > 0 && bit(at))
            return true;
        if (bytes == 0)
            break;
    }
    return false;
}

void initialised_copy(uint64_t dst, uint64_t src, uint64_t bytes)
{
    if (!has_bits(dst, bytes))
        return;
    if (!has_bits(src, bytes)) {
        put_bits(dst, bytes, true);
        return;
    }
    for (; bytes > 0; dst++, src++, bytes--) {
        for (; dst % 8 == 0 && src % 8 == 0 && bytes >= 8; dst += 8, src += 8, bytes -= 8)
            *byte_of(dst) = *byte_of(src);
        if (bytes == 0)
            return;
        put_bits(dst, 1, bit(src));
    }
}
