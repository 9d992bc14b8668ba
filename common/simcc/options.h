/* SPDX-License-Identifier: MIT */
/* options.h - what simcc was asked to do: nvcc's words as far as they matter here. */
#ifndef SIMCC_OPTIONS_H
#define SIMCC_OPTIONS_H

#include <limits.h>

#include "simcc/process/process.h"

/* A plain build, one that is instrumented to see its own loads and stores (instrumented.h), or the
 * two together. */
enum builds { BOTH_BUILDS, PLAIN_BUILD, INSTRUMENTED_BUILD };

struct job {
    struct words compile;       /* options of both g++ that compile */
    struct words inputs;        /* files and libraries, in order */
    struct words systems;       /* folders of -isystem */
    const char *output;
    const char *directory;      /* -odir, or NULL */
    const char *language;       /* -x, or NULL: the file's name tells */
    const char *new_prelude;    /* --prelude: the folder to make one in (prelude.h); NULL */
    enum builds builds;         /* --hazards */
    bool judged;                /* --judged: all loads and stores are to be seen (rewrite.h) */
    bool one_core;              /* the address sanitizer is to see shared memory (rewrite.h) */
    int archs[16];              /* -arch, -gencode: 75, 90, …, ascending */
    size_t arch_count;
    struct words dependencies;  /* -MD, -MF and the like, for g++ -E */
    bool writes_dependencies, names_dependencies, names_target;
    bool shared; /* -shared: a library, without the simulator, which the program has */
    bool position_independent;  /* -fPIC */
    bool linked_by_others;      /* -fPIE: not by simcc, whose programs lie at a fixed place. No
                                   default for -c: g++ takes no precompiled header for it then */
    bool archive, device_link;  /* -lib, -dlink */
    bool runs;                  /* -run: what was made, with these arguments */
    struct words run_arguments;
    bool tries;                 /* with another standard than was asked for, to see what it says */
    bool only_compile, only_rewrite, only_dependencies, has_level, has_debug;
    char include[PATH_MAX], common[PATH_MAX], lib[PATH_MAX];    /* with a slash at the end */
    char prelude[2 * PATH_MAX]; /* the folder of the one that is used, "" for none */
};

/* Ends simcc with status 2 for words that it does not know, 0 after --help and --version. */
void job_read(struct job *job, int argc, char **argv);

#endif
