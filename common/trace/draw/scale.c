/* SPDX-License-Identifier: MIT */
#include "trace/draw/scale.h"

#include <stdio.h>

int64_t time_unit(int64_t length)
{
    int64_t unit = 1;
    while (unit < 1000000000 && length >= 1000 * unit)
        unit *= 1000;
    return unit;
}

int64_t time_step(int64_t length, unsigned most)
{
    int64_t step = 1;
    for (unsigned i = 0; length / step > most && step < INT64_MAX / 5; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;        /* 1, 2, 5, 10, … */
    return step;
}

const char *time_text(char out[TIME_TEXT], int64_t ns, int64_t unit)
{
    const char *name = unit == 1 ? "ns" : unit == 1000 ? "us" : unit == 1000000 ? "ms" : "s";
    int digits = unit == 1 ? 0 : unit == 1000 ? 3 : unit == 1000000 ? 6 : 9;
    long long rest = ns % unit;
    while (digits > 0 && rest % 10 == 0) {
        rest /= 10;
        digits--;
    }
    if (digits > 0)
        snprintf(out, TIME_TEXT, "%lld.%0*lld %s", (long long)(ns / unit), digits, rest, name);
    else
        snprintf(out, TIME_TEXT, "%lld %s", (long long)(ns / unit), name);
    return out;
}

const char *time_about(char out[TIME_TEXT], int64_t ns)
{
    int64_t unit = time_unit(ns), last = unit / 1000;
    if (last > 1 && ns < INT64_MAX - last)
        ns = (ns + last / 2) / last * last;
    return time_text(out, ns, unit);
}

unsigned scale_x(int64_t at, int64_t length, unsigned size)
{
    while (length > INT64_C(1) << 40) {     /* sizes stay far below 2^20 */
        length >>= 1;
        at >>= 1;
    }
    if (length <= 0 || at <= 0)
        return 0;
    return at >= length ? size : (unsigned)((2 * at * size + length) / (2 * length));
}
