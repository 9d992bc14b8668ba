/* SPDX-License-Identifier: MIT */
/*
 * figure.h - what was measured on an H200, beside what the simulator takes for it.
 *
 * The measured figures: NVIDIA H200, driver 580.159, CUDA 13.0, PCIe 5.0 host, in two sessions in November 2026. The
 * card's file is made from the second. What is the host's own part differed between them: such figures say both. Each
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

/* The same of what was `least` in one session and `most` in the other. */
static inline void figure(const char *what, double least, double most, double got, const char *unit, double share)
{
    char sentence[200];
    snprintf(sentence, sizeof sentence, "%s: %.4g %s, measured %.4g and %.4g", what, got, unit, least, most);
    rule(got >= least * (1 - share) && got <= most * (1 + share), sentence);
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
