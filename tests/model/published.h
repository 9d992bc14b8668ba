/* SPDX-License-Identifier: MIT */
/* The published times of the overlap demo: facts/published.txt. */
#ifndef TESTS_MODEL_PUBLISHED_H
#define TESTS_MODEL_PUBLISHED_H

#include <stdio.h>
#include <stdlib.h>

#include "demo.h"

enum { PUBLISHED_MOST = 32 };

struct published { char card[32]; struct demo ms; };

/* Started from the root of the project. What cannot be read ends the program. */
static inline size_t published_read(struct published *rows)
{
    FILE *in = fopen("facts/published.txt", "re");
    char line[256];
    size_t count = 0;
    while (in && fgets(line, sizeof line, in)) {
        struct published *r = &rows[count];
        if (line[0] == '#')
            continue;
        if (count == PUBLISHED_MOST
            || sscanf(line, "%31s %lf %lf %lf", r->card, &r->ms.sequential, &r->ms.depth,
                      &r->ms.breadth)
                   != 4) {
            fprintf(stderr, "facts/published.txt: %s", line);
            exit(2);
        }
        count++;
    }
    if (in)
        fclose(in);
    return count;
}

#endif
