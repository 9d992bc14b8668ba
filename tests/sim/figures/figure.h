/* SPDX-License-Identifier: MIT */
/*
 * figure.h - what was measured on an H200, beside what the simulator takes for it.
 *
 * The measured figures: one NVIDIA H200, driver 580.159, CUDA 13.0, PCIe 5.0 host. Each
 * says how far off the simulator may be; where that is more than a tenth, the line says why.
 */
#ifndef FIGURE_H
#define FIGURE_H

#include "../rules/rule.h"

/* Is `got` within so much of what was measured? share 0.1: a tenth. */
static inline void figure(const char *what, double measured, double got, const char *unit, double share)
{
    char sentence[200];
    snprintf(sentence, sizeof sentence, "%s: %.4g %s, measured %.4g", what, got, unit, measured);
    rule(got >= measured * (1 - share) && got <= measured * (1 + share), sentence);
}

static inline double ms(long long ns)
{
    return (double)ns / 1e6;
}

static inline double us(long long ns)
{
    return (double)ns / 1e3;
}

#endif
