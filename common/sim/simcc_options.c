/* SPDX-License-Identifier: MIT */
#include "simcc_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What to do with an option and its value. */
static void take_compile(struct job *job, const char *option, const char *value)
{
    words_add(&job->compile, option);
    if (value)
        words_add(&job->compile, value);
}

static void take_link(struct job *job, const char *option, const char *value)
{
    words_add(&job->inputs, option);
    if (value)
        words_add(&job->inputs, value);
}

static void take_both(struct job *job, const char *option, const char *value)
{
    take_compile(job, option, value);
    take_link(job, option, value);
}

static void take_output(struct job *job, const char *option, const char *value)
{
    job->output = value ? value : option + 2;
}

static void take_only_compile(struct job *job, const char *option, const char *value)
{
    (void)option, (void)value;
    job->only_compile = true;
}

static void take_only_rewrite(struct job *job, const char *option, const char *value)
{
    (void)option, (void)value;
    job->only_rewrite = true;
}

static void take_language(struct job *job, const char *option, const char *value)
{
    job->language = value ? value : option + 2;
    if (strcmp(job->language, "cu") != 0 && strcmp(job->language, "c++") != 0)
        trouble("-x %s: cu and c++ are what it knows", job->language);
}

static void take_level(struct job *job, const char *option, const char *value)
{
    job->has_level = true;
    take_compile(job, option, value);
}

static void take_debug(struct job *job, const char *option, const char *value)
{
    job->has_debug = true;
    take_compile(job, option, value);
}

static void take_default_stream(struct job *job, const char *option, const char *value)
{
    const char *which = value ? value : strchr(option, '=') + 1;
    if (strcmp(which, "per-thread") == 0)
        words_add(&job->compile, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    else if (strcmp(which, "legacy") != 0)
        trouble("--default-stream %s: legacy and per-thread are what it knows", which);
}

static void take_hazards(struct job *job, const char *option, const char *value)
{
    static const char *const names[] = { [BOTH_BUILDS] = "all", [PLAIN_BUILD] = "calls", [INSTRUMENTED_BUILD] = "instrumented" };
    const char *which = value ? value : strchr(option, '=') + 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(which, names[i]) == 0) {
            job->builds = (enum builds)i;
            return;
        }
    trouble("--hazards %s: all, calls and instrumented are what it knows", which);
}

static void take_prelude(struct job *job, const char *option, const char *value)
{
    (void)option;
    job->new_prelude = value;
}

static void take_standard(struct job *job, const char *option, const char *value)
{
    (void)value;
    words_add(&job->compile, option + 1);       /* --std= is g++'s -std= */
}

/* The second copy of a program, which hazards are found with, has a sanitizer's instrumentation itself. */
static void take_flag(struct job *job, const char *option, const char *value)
{
    static const char sanitize[] = "-fsanitize=";
    if (strncmp(option, sanitize, sizeof sanitize - 1) == 0) {
        if (strstr(option, "thread"))
            trouble("%s: a simulated program's threads take turns, that finds nothing; hazards are reported without it", option);
        job->builds = PLAIN_BUILD;
        job->one_core |= strstr(option, "address") != NULL;
    }
    take_both(job, option, value);
}

/* -Xcompiler a,b,c: for g++ itself. */
static void take_pass_on(struct job *job, const char *option, const char *value)
{
    char *list = strdup(value ? value : strchr(option, '=') + 1), *rest = list;
    for (char *word; (word = strsep(&rest, ",")) != NULL;)
        take_flag(job, strdup(word), NULL);
    free(list);
}

static void take_nothing(struct job *job, const char *option, const char *value)
{
    (void)job, (void)option, (void)value;
}

static void add_arch(struct job *job, int arch)
{
    size_t i = 0;
    while (i < job->arch_count && job->archs[i] < arch)
        i++;
    if (job->arch_count == sizeof job->archs / sizeof *job->archs || (i < job->arch_count && job->archs[i] == arch))
        return;
    memmove(&job->archs[i + 1], &job->archs[i], (job->arch_count - i) * sizeof *job->archs);
    job->archs[i] = arch;
    job->arch_count++;
}

/* sm_90a, compute_80, arch=compute_75,code=[sm_75,compute_75]; native and all are the simulated card's. */
static void take_arch(struct job *job, const char *option, const char *value)
{
    static const char *const prefixes[] = { "sm_", "compute_" };
    const char *word = value ? value : strchr(option, '=') + 1;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        for (const char *at = word; (at = strstr(at, prefixes[i])) != NULL; at++)
            if (atoi(at + strlen(prefixes[i])) > 0)
                add_arch(job, atoi(at + strlen(prefixes[i])));
}

static void take_verbose(struct job *job, const char *option, const char *value)
{
    (void)job, (void)option, (void)value;
    process_show();
}

static void take_help(struct job *job, const char *option, const char *value)
{
    (void)job, (void)option, (void)value;
    puts("simcc FILE.cu … [-o PROGRAM] [-c] [-E] [-I DIR] [-D NAME[=VALUE]] [-L DIR] [-l NAME] [-O LEVEL] [-g]\n"
         "      [-std=STANDARD] [-x cu|c++] [--default-stream legacy|per-thread] [-Xcompiler OPTIONS]\n"
         "      [--hazards all|calls|instrumented] [-v]\n"
         "Compiles CUDA C++ to a program that runs on a simulated device. SIM_PROFILE=card chooses the device\n"
         "when the program runs. It reports hazards on stderr; SIM_HAZARDS=0 turns that off, and --hazards calls\n"
         "makes programs that look at copies and memsets alone, in less time; so does -fsanitize=address,undefined,\n"
         "with which g++ finds mistakes in kernels and elsewhere. --hazards instrumented makes programs that look at\n"
         "every load and store in every run, in half the time to compile and several times the time to run.\n"
         "-E shows the text that goes to g++, -v the commands that are run. Options that choose an architecture say what\n"
         "__CUDA_ARCH__ is in code of the device (the last of several; 900 without any).\n"
         "SIM_CORES=n spreads the blocks of each kernel over n cores of this machine. One is the default: there the same\n"
         "program does the same in every run, even one whose blocks race; on several, one whose blocks do not.");
    exit(0);
}

static void take_version(struct job *job, const char *option, const char *value)
{
    (void)job, (void)option, (void)value;
    puts("simcc " WORKBOOK_VERSION);
    exit(0);
}

enum form { ALONE, JOINED, NEXT, EITHER };     /* where its value is: -c, -O2, -x cu, -I dir or -Idir */

static const struct option {
    const char *spelling;
    enum form form;
    void (*take)(struct job *job, const char *option, const char *value);
} options[] = {
    { "-o", EITHER, take_output },
    { "-c", ALONE, take_only_compile },     { "--compile", ALONE, take_only_compile },
    { "-dc", ALONE, take_only_compile },    { "-E", ALONE, take_only_rewrite },
    { "--default-stream=", JOINED, take_default_stream },
    { "--default-stream", NEXT, take_default_stream },
    { "-default-stream=", JOINED, take_default_stream },
    { "-default-stream", NEXT, take_default_stream },
    { "--hazards=", JOINED, take_hazards }, { "--hazards", NEXT, take_hazards },
    { "--prelude", NEXT, take_prelude },
    { "-h", ALONE, take_help },             { "--help", ALONE, take_help },
    { "-v", ALONE, take_verbose },          { "--verbose", ALONE, take_verbose },
    { "--version", ALONE, take_version },   { "-V", ALONE, take_version },
    { "-Xcompiler=", JOINED, take_pass_on },        { "-Xcompiler", NEXT, take_pass_on },
    { "--compiler-options=", JOINED, take_pass_on }, { "--compiler-options", NEXT, take_pass_on },
    { "-Xlinker", NEXT, take_link },        { "-Wl,", JOINED, take_link },
    { "-lineinfo", ALONE, take_nothing },   { "-lcudart_static", ALONE, take_nothing },
    { "-lcudart", ALONE, take_nothing },    { "-lcuda", ALONE, take_nothing },
    { "-l", EITHER, take_link },            { "-L", EITHER, take_link },
    { "-include", NEXT, take_compile },     { "-isystem", NEXT, take_compile },
    { "-I", EITHER, take_compile },         { "-D", EITHER, take_compile },
    { "-U", EITHER, take_compile },
    { "-gencode=", JOINED, take_arch },  { "-gencode", NEXT, take_arch },
    { "--generate-code=", JOINED, take_arch },   { "--generate-code", NEXT, take_arch },
    { "-arch=", JOINED, take_arch },     { "-arch", NEXT, take_arch },
    { "--gpu-architecture=", JOINED, take_arch }, { "--gpu-architecture", NEXT, take_arch },
    { "-code=", JOINED, take_arch },     { "-code", NEXT, take_arch },
    { "-rdc=", JOINED, take_nothing },      { "--relocatable-device-code=", JOINED, take_nothing },
    { "-Xptxas=", JOINED, take_nothing },   { "-Xptxas", NEXT, take_nothing },
    { "-maxrregcount=", JOINED, take_nothing },     { "-maxrregcount", NEXT, take_nothing },
    { "-ccbin=", JOINED, take_nothing },    { "-ccbin", NEXT, take_nothing },
    { "-cudart=", JOINED, take_nothing },   { "-cudart", NEXT, take_nothing },
    { "--cudart=", JOINED, take_nothing },  { "-t", NEXT, take_nothing },
    { "-diag-suppress=", JOINED, take_nothing },    { "-diag-suppress", NEXT, take_nothing },
    { "-use_fast_math", ALONE, take_nothing },      { "--use_fast_math", ALONE, take_nothing },
    { "--generate-line-info", ALONE, take_nothing }, { "-G", ALONE, take_nothing },
    { "-extended-lambda", ALONE, take_nothing },    { "--extended-lambda", ALONE, take_nothing },
    { "--expt-", JOINED, take_nothing },    { "-expt-", JOINED, take_nothing },
    { "-Wno-deprecated-gpu-targets", ALONE, take_nothing },
    { "-m64", ALONE, take_nothing },
    { "-x", EITHER, take_language },        { "-O", JOINED, take_level },
    { "-g", JOINED, take_debug },           { "--std=", JOINED, take_standard },
    { "-std=", JOINED, take_compile },      { "-pthread", ALONE, take_both },
    { "-W", JOINED, take_compile },         { "-w", ALONE, take_compile },
    { "-f", JOINED, take_flag },            { "-m", JOINED, take_both },
};

static const struct option *find_option(const char *word)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *spelling = options[i].spelling;
        bool prefix = options[i].form == JOINED || options[i].form == EITHER;
        if (prefix ? strncmp(word, spelling, strlen(spelling)) == 0 : strcmp(word, spelling) == 0)
            return &options[i];
    }
    return NULL;
}

void job_read(struct job *job, int argc, char **argv)
{
    enum { H200 = 90 };
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            words_add(&job->inputs, argv[i]);
            continue;
        }
        const struct option *option = find_option(argv[i]);
        if (!option)
            trouble("unknown option %s (simcc --help)", argv[i]);
        bool separate = option->form == NEXT ||
                        (option->form == EITHER && strcmp(argv[i], option->spelling) == 0);
        if (separate && i + 1 == argc)
            trouble("%s: its value is missing", argv[i]);
        const char *spelled = argv[i];
        option->take(job, spelled, separate ? argv[++i] : NULL);
    }
    if (job->arch_count == 0)
        add_arch(job, H200);
}
