/* SPDX-License-Identifier: MIT */
/*
 * simcc - compiles CUDA C++ for machines with no GPU.
 *
 *   simcc x.cu -o x
 *
 * Takes nvcc's arguments that matter; those that choose an architecture are
 * ignored. Each .cu goes through g++ -E, rewrite.h and g++ again; programs are
 * linked with the simulator. Exit status: 0 done, 1 the source has errors, 2
 * anything else.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rewrite.h"
#include "simcc_process.h"
#include "trace/memory.h"

struct job {
    struct words compile;       /* options of both g++ that compile */
    struct words inputs;        /* files and libraries, in order */
    const char *output;
    const char *language;       /* -x, or NULL: the file's name tells */
    bool only_compile, only_rewrite, has_level, has_debug;
    char include[PATH_MAX], common[PATH_MAX], lib[PATH_MAX];    /* with a slash at the end */
};

/* ---- options ---- */

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

static void take_standard(struct job *job, const char *option, const char *value)
{
    (void)value;
    words_add(&job->compile, option + 1);       /* --std= is g++'s -std= */
}

/* -Xcompiler a,b,c: for g++ itself. */
static void take_pass_on(struct job *job, const char *option, const char *value)
{
    char *list = strdup(value ? value : strchr(option, '=') + 1), *rest = list;
    for (char *word; (word = strsep(&rest, ",")) != NULL;)
        take_both(job, strdup(word), NULL);
    free(list);
}

static void take_nothing(struct job *job, const char *option, const char *value)
{
    (void)job, (void)option, (void)value;
}

static void take_help(struct job *job, const char *option, const char *value)
{
    (void)job, (void)option, (void)value;
    puts("simcc FILE.cu … [-o PROGRAM] [-c] [-E] [-I DIR] [-D NAME[=VALUE]] [-L DIR] [-l NAME] [-O LEVEL] [-g]\n"
         "      [-std=STANDARD] [-x cu|c++] [--default-stream legacy|per-thread] [-Xcompiler OPTIONS]\n"
         "Compiles CUDA C++ to a program that runs on a simulated device. SIM_PROFILE=card chooses the device\n"
         "when the program runs. -E shows the text that goes to g++. Options that choose an architecture are ignored.");
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
    { "-h", ALONE, take_help },             { "--help", ALONE, take_help },
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
    { "-gencode=", JOINED, take_nothing },  { "-gencode", NEXT, take_nothing },
    { "--generate-code=", JOINED, take_nothing },   { "--generate-code", NEXT, take_nothing },
    { "-arch=", JOINED, take_nothing },     { "-arch", NEXT, take_nothing },
    { "--gpu-architecture=", JOINED, take_nothing }, { "--gpu-architecture", NEXT, take_nothing },
    { "-code=", JOINED, take_nothing },     { "-code", NEXT, take_nothing },
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
    { "-f", JOINED, take_both },            { "-m", JOINED, take_both },
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

static void read_arguments(struct job *job, int argc, char **argv)
{
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
}

/* ---- files ---- */

static bool ends_with(const char *word, const char *ending)
{
    size_t length = strlen(word), tail = strlen(ending);
    return length > tail && strcmp(word + length - tail, ending) == 0;
}

static bool is_cxx(const char *path)
{
    return ends_with(path, ".cpp") || ends_with(path, ".cc") || ends_with(path, ".cxx");
}

static bool is_source(const struct job *job, const char *word)
{
    if (word[0] == '-')
        return false;
    return ends_with(word, ".cu") || is_cxx(word) || (job->language && !ends_with(word, ".o") && !ends_with(word, ".a"));
}

static bool is_object(const char *word)
{
    return ends_with(word, ".o") || ends_with(word, ".a") || ends_with(word, ".so") || strstr(word, ".so.");
}

static void must_be_text(const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0)
        trouble("%s: %s", path, strerror(errno));
    if (!S_ISREG(s.st_mode))
        trouble("%s: not a file", path);
    FILE *in = fopen(path, "r");
    if (!in)
        trouble("%s: %s", path, strerror(errno));
    bool blank = true;
    for (int c; (c = fgetc(in)) != EOF;) {
        if (c == '\0')
            trouble("%s: not a text", path);
        blank &= c == ' ' || c == '\n' || c == '\t' || c == '\r';
    }
    fclose(in);
    if (blank)
        trouble("%s: the file is empty", path);
}

static void must_be_writable(const char *path)
{
    char copy[PATH_MAX];
    struct stat s;
    snprintf(copy, sizeof copy, "%s", path);
    const char *folder = dirname(copy);
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
        trouble("%s: cannot be written: it is a folder", path);
    if (access(folder, W_OK) != 0)
        trouble("%s: cannot be written: %s: %s", path, folder, strerror(errno));
}

static void check_inputs(const struct job *job)
{
    size_t files = 0, sources = 0;
    for (size_t i = 0; i < job->inputs.count; i++) {
        const char *word = job->inputs.list[i];
        if (word[0] == '-' || (i > 0 && strcmp(job->inputs.list[i - 1], "-L") == 0))
            continue;
        files++;
        if (is_source(job, word)) {
            sources++;
            must_be_text(word);
        } else if (!is_object(word)) {
            trouble("%s: neither .cu, .cpp, .o nor .a", word);
        } else if (access(word, R_OK) != 0) {
            trouble("%s: %s", word, strerror(errno));
        }
    }
    if (files == 0)
        trouble("no file to compile (simcc --help)");
    if (job->only_compile && job->output && sources > 1)
        trouble("-c -o %s: several files cannot become one object", job->output);
    if (job->output)
        must_be_writable(job->output);
}

/* Headers and libraries lie where simcc does: build/bin, build/lib, common. */
static void find_home(struct job *job)
{
    char self[PATH_MAX - 64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        trouble("cannot find where it lies: /proc: %s", strerror(errno));
    self[n] = '\0';
    char *bin = dirname(self), root[PATH_MAX];
    char up[PATH_MAX];
    snprintf(up, sizeof up, "%s/../..", bin);
    if (!realpath(up, root) || strlen(root) + 32 > PATH_MAX)
        trouble("cannot find where it lies: %s", bin);
    snprintf(job->common, sizeof job->common, "%.*s/common/", PATH_MAX - 32, root);
    snprintf(job->include, sizeof job->include, "%.*s/common/sim/include/", PATH_MAX - 32, root);
    snprintf(job->lib, sizeof job->lib, "%.*s/build/lib/", PATH_MAX - 32, root);
    if (access(job->include, R_OK) != 0)
        trouble("its headers are not in %s: build it where it lies", job->include);
}

/* ---- compiling ---- */

static char temporary[64];      /* folder of objects on their way to the linker */

static void remove_temporary(void)
{
    if (temporary[0] == '\0')
        return;
    char path[128];
    for (int i = 0; i < 1000; i++) {
        snprintf(path, sizeof path, "%s/%d.o", temporary, i);
        if (unlink(path) != 0)
            break;
    }
    rmdir(temporary);
}

static void interrupted(int signal_number)
{
    remove_temporary();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void make_temporary(void)
{
    const char *folder = getenv("TMPDIR");
    snprintf(temporary, sizeof temporary, "%s/simcc-XXXXXX", folder && strlen(folder) < 40 ? folder : "/tmp");
    if (!mkdtemp(temporary)) {
        temporary[0] = '\0';
        trouble("cannot make a folder in %s: %s", folder ? folder : "/tmp", strerror(errno));
    }
    atexit(remove_temporary);
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], interrupted);
}

/* The text that goes to g++; false when g++ -E found an error. */
static bool rewritten(const struct job *job, const char *source, struct bytes *out)
{
    struct words command = { 0 };
    struct bytes text;
    static const char *const begin[] = { "g++", "-E", "-D__SIMCC__=1", "-D__CUDACC__=1",
                                         "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0" };
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        words_add(&command, begin[i]);
    words_add_all(&command, &job->compile);
    words_add(&command, "-isystem");
    words_add(&command, job->include);
    words_add(&command, "-isystem");
    words_add(&command, job->common);
    bool cuda = job->language ? strcmp(job->language, "cu") == 0 : !is_cxx(source);
    if (cuda) {
        words_add(&command, "-include");
        words_add(&command, "cuda_runtime.h");
    }
    words_add(&command, "-x");
    words_add(&command, "c++");
    words_add(&command, source);
    bool fine = process_run(&command, NULL, &text);
    memory_resize(command.list, 0);
    if (fine) {
        const char *own[] = { job->include, job->common, NULL };
        out->at = rewrite(text.at, text.count, own, &out->count);
    }
    memory_resize(text.at, 0);
    return fine;
}

static bool compile(const struct job *job, const char *source, const char *object)
{
    struct bytes text;
    if (!rewritten(job, source, &text))
        return false;
    if (job->only_rewrite) {
        fwrite(text.at, 1, text.count, stdout);
        memory_resize(text.at, 0);
        return true;
    }
    struct words command = { 0 };
    words_add(&command, "g++");
    words_add_all(&command, &job->compile);
    static const char *const rest[] = { "-fno-pie", "-fno-diagnostics-show-caret", "-fno-show-column",
                                        "-x", "c++-cpp-output", "-c", "-", "-o" };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        words_add(&command, rest[i]);
    words_add(&command, object);
    bool fine = process_run(&command, &text, NULL);
    memory_resize(command.list, 0);
    memory_resize(text.at, 0);
    return fine;
}

static bool link_program(const struct job *job, const struct words *objects)
{
    static const char *const libraries[] = { "libsim.a", "libmodel.a", "libtrace.a" };
    char path[3][PATH_MAX + 16];
    struct words command = { 0 };
    words_add(&command, "g++");
    words_add(&command, "-no-pie");
    words_add_all(&command, objects);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s%s", job->lib, libraries[i]);
        if (access(path[i], R_OK) != 0)
            trouble("%s is missing: make simcc", path[i]);
        if (i == 0)
            words_add(&command, "-Wl,--whole-archive");
        words_add(&command, path[i]);
        if (i == 0)
            words_add(&command, "-Wl,--no-whole-archive");
    }
    words_add(&command, "-o");
    words_add(&command, job->output ? job->output : "a.out");
    bool fine = process_run(&command, NULL, NULL);
    memory_resize(command.list, 0);
    return fine;
}

/* x.cu compiled alone becomes ./x.o. */
static const char *object_name(const char *source, char *out, size_t size)
{
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", source);
    char *name = basename(copy), *dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    snprintf(out, size, "%.*s.o", (int)size - 3, name);
    return out;
}

static bool compile_only(const struct job *job)
{
    bool fine = true;
    for (size_t i = 0; i < job->inputs.count; i++) {
        char object[PATH_MAX];
        const char *source = job->inputs.list[i];
        if (is_source(job, source))
            fine &= compile(job, source, job->output ? job->output : object_name(source, object, sizeof object));
    }
    return fine;
}

static bool compile_and_link(const struct job *job)
{
    struct words objects = { 0 };
    bool fine = true;
    int count = 0;
    make_temporary();
    for (size_t i = 0; i < job->inputs.count; i++) {
        const char *word = job->inputs.list[i];
        if (!is_source(job, word)) {
            words_add(&objects, word);
            continue;
        }
        char *object;
        if (asprintf(&object, "%s/%d.o", temporary, count++) < 0)
            abort();
        fine = fine && compile(job, word, object);
        words_add(&objects, object);
    }
    return fine && link_program(job, &objects);
}

int main(int argc, char **argv)
{
    struct job job = { 0 };
    read_arguments(&job, argc, argv);
    check_inputs(&job);
    find_home(&job);
    if (!job.has_level)
        words_add(&job.compile, "-O1");
    if (!job.has_debug)
        words_add(&job.compile, "-g");
    bool fine = job.only_compile || job.only_rewrite ? compile_only(&job) : compile_and_link(&job);
    return fine ? 0 : 1;
}
