/* SPDX-License-Identifier: MIT */
/* simcc_options.h - what simcc was asked to do: nvcc's words as far as they matter here. */
#ifndef SIMCC_OPTIONS_H
#define SIMCC_OPTIONS_H

#include <limits.h>

#include "simcc_process.h"

struct job {
    struct words compile;       /* options of both g++ that compile */
    struct words inputs;        /* files and libraries, in order */
    const char *output;
    const char *language;       /* -x, or NULL: the file's name tells */
    bool calls_only;            /* --hazards=calls: no second copy that sees loads and stores */
    bool one_core;              /* the address sanitizer is to see shared memory (rewrite.h) */
    bool only_compile, only_rewrite, has_level, has_debug;
    char include[PATH_MAX], common[PATH_MAX], lib[PATH_MAX];    /* with a slash at the end */
};

/* Ends simcc with status 2 for words that it does not know, 0 after --help and --version. */
void job_read(struct job *job, int argc, char **argv);

#endif
