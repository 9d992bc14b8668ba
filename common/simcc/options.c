/* SPDX-License-Identifier: MIT */
#include "simcc/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "simcc/ignored.h"
#include "simcc/option_files.h"

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

static void take_language(struct job *job, const char *option, const char *value)
{
    job->language = value ? value : option + 2;
    if (strcmp(job->language, "cu") != 0 && strcmp(job->language, "c++") != 0 && strcmp(job->language, "c") != 0)
        trouble("-x %s: simcc knows cu, c++ and c", job->language);
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
        trouble("--default-stream %s: simcc knows legacy and per-thread", which);
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
    trouble("--hazards %s: simcc knows all, calls and instrumented", which);
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

/* option is followed by its value in g++'s form, for the rest of the run. */
static void add_joined(struct words *words, const char *option, const char *value)
{
    char *whole;
    if (asprintf(&whole, "%s%s", option, value) < 0)
        trouble("no memory left");
    words_add(words, whole);
}

static void take_next_standard(struct job *job, const char *option, const char *value)
{
    (void)option;
    add_joined(&job->compile, "-std=", value);
}

/* nvcc's long names of what g++ has a letter for: --include-path a,b */
static void take_long(struct job *job, const char *option, const char *value)
{
    static const struct { const char *name, *letter; bool links; } long_names[] = {
        { "--include-path", "-I", false }, { "--define-macro", "-D", false }, { "--undefine-macro", "-U", false },
        { "--optimize", "-O", false }, { "--library-path", "-L", true }, { "--library", "-l", true },
        { "--pre-include", "-include", false },
    };
    const char *equals = strchr(option, '=');
    char *list = strdup(value ? value : equals + 1), *rest = list;
    for (size_t i = 0; i < sizeof long_names / sizeof *long_names; i++) {
        if (strncmp(option, long_names[i].name, strlen(long_names[i].name)) != 0
            || (strcmp(long_names[i].name, "--library") == 0 && strncmp(option, "--library-", 10) == 0))
            continue;
        for (char *word; (word = strsep(&rest, ","));) {
            struct words *words = long_names[i].links ? &job->inputs : &job->compile;
            if (strlen(long_names[i].letter) > 2) {
                words_add(words, long_names[i].letter);
                words_add(words, strdup(word));
            } else {
                add_joined(words, long_names[i].letter, word);
            }
        }
        job->has_level |= strcmp(long_names[i].letter, "-O") == 0;
        break;
    }
    free(list);
}

static void take_dependencies(struct job *job, const char *option, const char *value)
{
    job->only_dependencies |= strcmp(option, "-M") == 0 || strcmp(option, "-MM") == 0;
    job->writes_dependencies |= strcmp(option, "-MD") == 0 || strcmp(option, "-MMD") == 0;
    job->names_dependencies |= strcmp(option, "-MF") == 0;
    job->names_target |= strcmp(option, "-MT") == 0 || strcmp(option, "-MQ") == 0;
    words_add(&job->dependencies, option);
    if (value)
        words_add(&job->dependencies, value);
}

static void take_long_dependencies(struct job *job, const char *option, const char *value)
{
    static const char *const names[][2] = {
        { "--generate-dependencies-with-compile", "-MD" }, { "--generate-nonsystem-dependencies-with-compile", "-MMD" },
        { "--generate-dependencies", "-M" }, { "--generate-nonsystem-dependencies", "-MM" },
        { "--dependency-output", "-MF" }, { "--generate-dependency-targets", "-MP" },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(option, names[i][0]) == 0)
            take_dependencies(job, names[i][1], value);
}

static void take_shared(struct job *job, const char *option, const char *value)
{
    (void)option, (void)value;
    job->shared = true;
    job->builds = PLAIN_BUILD;
}

static void take_run_arguments(struct job *job, const char *option, const char *value)
{
    char *list = strdup(value ? value : strchr(option, '=') + 1);
    for (char *word; (word = strsep(&list, ","));)
        words_add(&job->run_arguments, word);
}

static void take_absent(struct job *job, const char *option, const char *value)
{
    (void)job, (void)value;
    trouble("%s: simcc makes no GPU code, it compiles for this machine (book, \"What it does not do\")", option);
}

static void take_warnings_as_errors(struct job *job, const char *option, const char *value)
{
    const char *equals = strchr(option, '='), *kinds = value ? value : equals ? equals + 1 : "all-warnings";
    if (strstr(kinds, "all-warnings"))
        words_add(&job->compile, "-Werror");
}

/* The instrumented build of a program, which hazards are found with, has a sanitizer's instrumentation itself. */
static void take_flag(struct job *job, const char *option, const char *value)
{
    if (strncmp(option, "-fsanitize=", 11) == 0) {
        if (strstr(option, "thread"))
            trouble("%s: this would find nothing, because the threads of a simulated program take turns; hazards are reported without it", option);
        job->builds = PLAIN_BUILD;
        job->one_core |= strstr(option, "address") != NULL;
    }
    job->position_independent |= strcasecmp(option, "-fpic") == 0;
    job->linked_by_others |= strcasecmp(option, "-fpie") == 0;
    take_both(job, option, value);
}

/* -Xcompiler a,b,c: for g++ itself; a shell would part words by blanks, too. */
static void take_pass_on(struct job *job, const char *option, const char *value)
{
    char *list = strdup(value ? value : strchr(option, '=') + 1), *rest = list;
    for (char *word; (word = strsep(&rest, ", "));)
        if (*word != '\0')
            take_flag(job, strdup(word), NULL);
    free(list);
}

/* What nvcc defines where it is given this option. */
static void take_macro(struct job *job, const char *option, const char *value)
{
    static const char *const macros[][2] = {
        { "extended-lambda", "-D__CUDACC_EXTENDED_LAMBDA__=1" }, { "relaxed-constexpr", "-D__CUDACC_RELAXED_CONSTEXPR__=1" },
        { "-G", "-D__CUDACC_DEBUG__=1" }, { "-device-debug", "-D__CUDACC_DEBUG__=1" },
    };
    (void)value;
    for (size_t i = 0; i < sizeof macros / sizeof *macros; i++)
        if (strstr(option, macros[i][0])) {
            words_add(&job->compile, macros[i][1]);
            return;
        }
}

/* -rdc=true, -dc */
static void take_separate(struct job *job, const char *option, const char *value)
{
    const char *which = value ? value : strchr(option, '=') ? strchr(option, '=') + 1 : "true";
    job->only_compile |= !strstr(option, "rdc") && !strstr(option, "relocatable");
    if (strcmp(which, "true") == 0)
        words_add(&job->compile, "-D__CUDACC_RDC__=1");
}

static void take_directory(struct job *job, const char *option, const char *value)
{
    job->directory = value ? value : strchr(option, '=') + 1;
}

static void take_no_warnings(struct job *job, const char *option, const char *value)
{
    (void)option, (void)value;
    words_add(&job->compile, "-w");
}

/* A folder whose headers are the program's all the same: they may hold code of the device. */
static void take_system(struct job *job, const char *option, const char *value)
{
    take_compile(job, "-isystem", value ? value : strchr(option, '=') + 1);
    words_add(&job->systems, value ? value : strchr(option, '=') + 1);
}

static void take_list(struct job *job, const char *option, const char *value)
{
    static const int archs[] = { 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121 };
    (void)job, (void)value;
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        printf("%s_%d\n", strstr(option, "code") ? "sm" : "compute", archs[i]);
    exit(0);
}

static void take_dry_run(struct job *job, const char *option, const char *value)
{
    (void)job, (void)value;
    trouble("%s: simcc cannot list commands that it does not run, because each uses what the one before has made; -v shows them as they are run", option);
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
        for (const char *at = word; (at = strstr(at, prefixes[i])); at++)
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
    puts(simcc_help);
    exit(0);
}

static void take_version(struct job *job, const char *option, const char *value)
{
    (void)job, (void)option, (void)value;
    puts(simcc_version);
    exit(0);
}

static void take_long_debug(struct job *job, const char *option, const char *value)
{
    (void)option;
    take_debug(job, "-g", value);
}

/* -Xlinker=a,b: each for the linker. */
static void take_linker_options(struct job *job, const char *option, const char *value)
{
    char *list = strdup(value ? value : strchr(option, '=') + 1);
    for (char *word; (word = strsep(&list, ","));)
        add_joined(&job->inputs, "-Wl,", word);
}

static const struct option {
    struct spelling spelling;
    void (*take)(struct job *job, const char *option, const char *value);
} options[] = {
    { { "-optix-ir", ALONE }, take_absent },    { { "--optix-ir", ALONE }, take_absent },
    { { "-rdynamic", ALONE }, take_link },      { { "-static", ALONE }, take_link },
    { { "-odir", NEXT }, take_directory },      { { "--output-directory", NEXT }, take_directory },
    { { "-odir=", JOINED }, take_directory },   { { "--output-directory=", JOINED }, take_directory },
    { { "-o", EITHER }, take_output },          { { "--output-file", NEXT }, take_output },
    { { "-dc", ALONE }, take_separate },        { { "--device-c", ALONE }, take_separate },
    { { "--extended-lambda", ALONE }, take_macro }, { { "-extended-lambda", ALONE }, take_macro },
    { { "--expt-", JOINED }, take_macro },      { { "-expt-", JOINED }, take_macro },
    { { "-G", ALONE }, take_macro },            { { "--device-debug", ALONE }, take_macro },
    { { "--disable-warnings", ALONE }, take_no_warnings },
    { { "--list-gpu-arch", ALONE }, take_list }, { { "--list-gpu-code", ALONE }, take_list },
    { { "-arch-ls", ALONE }, take_list },       { { "-code-ls", ALONE }, take_list },
    { { "--dryrun", ALONE }, take_dry_run },    { { "-dryrun", ALONE }, take_dry_run },
    { { "-idirafter", EITHER }, take_compile },
    { { "--gpu-code=", JOINED }, take_arch },   { { "--gpu-code", NEXT }, take_arch },
    { { "-shared", ALONE }, take_shared },      { { "--shared", ALONE }, take_shared },
    { { "-run-args", NEXT }, take_run_arguments }, { { "--run-args", NEXT }, take_run_arguments },
    { { "--run-args=", JOINED }, take_run_arguments },
    { { "-ptx", ALONE }, take_absent },         { { "--ptx", ALONE }, take_absent },
    { { "-cubin", ALONE }, take_absent },       { { "--cubin", ALONE }, take_absent },
    { { "-fatbin", ALONE }, take_absent },      { { "--fatbin", ALONE }, take_absent },
    { { "-ltoir", ALONE }, take_absent },       { { "--ltoir", ALONE }, take_absent },
    { { "-MD", ALONE }, take_dependencies },    { { "-MMD", ALONE }, take_dependencies },
    { { "-MP", ALONE }, take_dependencies },    { { "-MM", ALONE }, take_dependencies },
    { { "-M", ALONE }, take_dependencies },     { { "-MF", NEXT }, take_dependencies },
    { { "-MT", NEXT }, take_dependencies },     { { "-MQ", NEXT }, take_dependencies },
    { { "--generate-dependencies", ALONE }, take_long_dependencies },
    { { "--generate-nonsystem-dependencies", ALONE }, take_long_dependencies },
    { { "--generate-dependencies-with-compile", ALONE }, take_long_dependencies },
    { { "--generate-nonsystem-dependencies-with-compile", ALONE }, take_long_dependencies },
    { { "--generate-dependency-targets", ALONE }, take_long_dependencies },
    { { "--dependency-output", NEXT }, take_long_dependencies },
    { { "--include-path=", JOINED }, take_long },   { { "--include-path", NEXT }, take_long },
    { { "--define-macro=", JOINED }, take_long },   { { "--define-macro", NEXT }, take_long },
    { { "--undefine-macro=", JOINED }, take_long }, { { "--undefine-macro", NEXT }, take_long },
    { { "--system-include=", JOINED }, take_system }, { { "--system-include", NEXT }, take_system },
    { { "-isystem=", JOINED }, take_system },       { { "-isystem", NEXT }, take_system },
    { { "--pre-include=", JOINED }, take_long },    { { "--pre-include", NEXT }, take_long },
    { { "--library-path=", JOINED }, take_long },   { { "--library-path", NEXT }, take_long },
    { { "--library=", JOINED }, take_long },        { { "--library", NEXT }, take_long },
    { { "--optimize=", JOINED }, take_long },       { { "--optimize", NEXT }, take_long },
    { { "-Werror=all-warnings", ALONE }, take_warnings_as_errors },
    { { "--Werror", NEXT }, take_warnings_as_errors }, { { "--Werror=", JOINED }, take_warnings_as_errors },
    { { "-std", NEXT }, take_next_standard },       { { "--std", NEXT }, take_next_standard },
    { { "--default-stream=", JOINED }, take_default_stream },
    { { "--default-stream", NEXT }, take_default_stream },
    { { "-default-stream=", JOINED }, take_default_stream },
    { { "-default-stream", NEXT }, take_default_stream },
    { { "--hazards=", JOINED }, take_hazards }, { { "--hazards", NEXT }, take_hazards },
    { { "--prelude", NEXT }, take_prelude },
    { { "-h", ALONE }, take_help },             { { "--help", ALONE }, take_help },
    { { "-v", ALONE }, take_verbose },          { { "--verbose", ALONE }, take_verbose },
    { { "--version", ALONE }, take_version },   { { "-V", ALONE }, take_version },
    { { "-Xcompiler=", JOINED }, take_pass_on },        { { "-Xcompiler", NEXT }, take_pass_on },
    { { "--compiler-options=", JOINED }, take_pass_on }, { { "--compiler-options", NEXT }, take_pass_on },
    { { "-Xlinker", NEXT }, take_linker_options },        { { "-Wl,", JOINED }, take_link },
    { { "-Xlinker=", JOINED }, take_linker_options }, { { "--linker-options=", JOINED }, take_linker_options },
    { { "--linker-options", NEXT }, take_linker_options },
    { { "--relocatable-device-code", NEXT }, take_separate }, { { "-rdc", NEXT }, take_separate },
    { { "-l", EITHER }, take_link },            { { "-L", EITHER }, take_link },
    { { "-include", NEXT }, take_compile },
    { { "-I", EITHER }, take_compile },         { { "-D", EITHER }, take_compile },
    { { "-U", EITHER }, take_compile },
    { { "-gencode=", JOINED }, take_arch },  { { "-gencode", NEXT }, take_arch },
    { { "--generate-code=", JOINED }, take_arch },   { { "--generate-code", NEXT }, take_arch },
    { { "-arch=", JOINED }, take_arch },     { { "-arch", NEXT }, take_arch },
    { { "--gpu-architecture=", JOINED }, take_arch }, { { "--gpu-architecture", NEXT }, take_arch },
    { { "-code=", JOINED }, take_arch },     { { "-code", NEXT }, take_arch },
    { { "-rdc=", JOINED }, take_separate },     { { "--relocatable-device-code=", JOINED }, take_separate },
    { { "-pg", ALONE }, take_both },
    { { "--debug", ALONE }, take_long_debug },
    { { "-x", EITHER }, take_language },        { { "-O", JOINED }, take_level },
    { { "-g", JOINED }, take_debug },           { { "--std=", JOINED }, take_standard },
    { { "-std=", JOINED }, take_compile },      { { "-pthread", ALONE }, take_both },
    { { "-W", JOINED }, take_compile },         { { "-w", ALONE }, take_compile }, { { "-fdebug-prefix-map=", JOINED }, take_compile },
    { { "-f", JOINED }, take_flag },            { { "-m", JOINED }, take_both },
};

static const struct option *find_option(const char *word)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (spelling_fits(&options[i].spelling, word))
            return &options[i];
    return NULL;
}

#define FLAG(member) offsetof(struct job, member)

/* Options that say one thing. False: this is none. */
static bool switch_on(struct job *job, const char *word)
{
    static const struct { const char *spelling; size_t flag; } switches[] = {
        { "-c", FLAG(only_compile) }, { "--compile", FLAG(only_compile) }, { "-dw", FLAG(only_compile) },
        { "--device-w", FLAG(only_compile) }, { "-dlink", FLAG(device_link) }, { "--device-link", FLAG(device_link) },
        { "-lib", FLAG(archive) }, { "--lib", FLAG(archive) }, { "-run", FLAG(runs) }, { "--run", FLAG(runs) },
        { "-E", FLAG(only_rewrite) }, { "--judged", FLAG(judged) },
        { "-forward-unknown-to-host-compiler", FLAG(linked_by_others) },
        { "--forward-unknown-to-host-compiler", FLAG(linked_by_others) },
    };
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (strcmp(word, switches[i].spelling) == 0) {
            *(bool *)((char *)job + switches[i].flag) = true;
            return true;
        }
    return false;
}

/* ---- all of them ---- */

static bool forwards_unknown(const struct words *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (strstr(all->list[i], "-forward-unknown-"))
            return true;
    return false;
}

/* -Werror all-warnings is nvcc's, -Werror alone g++'s. */
static bool takes_kinds(const char *word, const char *next)
{
    static const char *const kinds[] = { "all-warnings", "cross-execution-space-call", "reorder", "default-stream-launch", "ext-lambda-captures-this",
                                         "deprecated-declarations" };
    for (size_t i = 0; next && strcmp(word, "-Werror") == 0 && i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(next, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

/* The value of an option that is the next word. */
static const char *value_of(const char *word, const struct words *all, size_t *i)
{
    if (*i + 1 == all->count)
        trouble("%s: its value is missing", word);
    return all->list[++*i];
}

static void read_word(struct job *job, const struct words *all, size_t *i, bool forward)
{
    const char *word = all->list[*i], *next = *i + 1 < all->count ? all->list[*i + 1] : NULL;
    if (takes_kinds(word, next)) {
        take_warnings_as_errors(job, word, value_of(word, all, i));
        return;
    }
    const struct spelling *ignored = ignored_find(word);
    if (ignored && spelling_takes_next(ignored, word))
        value_of(word, all, i);
    if (ignored || switch_on(job, word))
        return;
    const struct option *option = find_option(word);
    if (option)
        option->take(job, word, spelling_takes_next(&option->spelling, word) ? value_of(word, all, i) : NULL);
    else if (forward)
        take_flag(job, word, NULL);
    else
        trouble("unknown option %s (simcc --help)", word);
}

void job_read(struct job *job, int argc, char **argv)
{
    enum { H200 = 90 };
    struct words given = { 0 }, all = { 0 };
    for (int i = 1; i < argc; i++)
        words_add(&given, argv[i]);
    option_files_expand(&all, &given);
    bool forward = forwards_unknown(&all);
    for (size_t i = 0; i < all.count; i++)
        if (all.list[i][0] != '-')
            words_add(&job->inputs, all.list[i]);
        else
            read_word(job, &all, &i, forward);
    if (job->arch_count == 0)
        add_arch(job, H200);
    free(given.list);
    free(all.list);
}
