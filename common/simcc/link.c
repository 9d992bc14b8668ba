/* SPDX-License-Identifier: MIT */
#include "simcc/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simcc/inputs.h"
#include "simcc/instrumented.h"
#include "simcc/product.h"
#include "simcc/refuse.h"
#include "simcc/temporary.h"
#include "trace/record/memory.h"

/* Is there a program of this name? */
static bool in_path(const char *program)
{
    char *folders = strdup(getenv("PATH")), *rest = folders, path[PATH_MAX];
    bool found = false;
    for (char *folder; !found && (folder = strsep(&rest, ":"));)
        found = snprintf(path, sizeof path, "%s/%s", folder, program) < (int)sizeof path
                && access(path, X_OK) == 0;
    free(folders);
    return found;
}

/* Those that take a third of the plain linker's time: of a small program's link most is reading
 * libstdc++. Of gold all is as of the plain one. The others have a place of their own for a
 * program, unless they are told (a sandbox guards what lies there), and words of their own for what
 * is missing. */
#define OTHER "-Wl,--image-base=0x400000"
static const struct fast_linker { const char *program, *option, *other; } fast_linkers[] = {
    { "ld.gold", "-fuse-ld=gold", NULL }, { "ld.lld", "-fuse-ld=lld", OTHER },
    { "ld.mold", "-fuse-ld=mold", OTHER },
};

/* The first that is there. NULL: there is none, or the user has named another. */
static const struct fast_linker *find_fast_linker(const struct words *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        if (strncmp(objects->list[i], "-fuse-ld=", 9) == 0)
            return NULL;
    for (size_t i = 0; i < sizeof fast_linkers / sizeof *fast_linkers; i++)
        if (in_path(fast_linkers[i].program))
            return &fast_linkers[i];
    return NULL;
}

/* A file by the name of NVIDIA's runtime (tools/make/sources.mk), which is linked as a whole below.
 */
static bool is_stand_in(const char *word)
{
    const char *slash = strrchr(word, '/');
    return slash && strncmp(slash, "/libcuda", 8) == 0 && ends_with(word, ".a");
}

/* Has the file a name of the C++ library's in it? Where one is missed, the link without that
 * library fails, and is made anew with it. */
static bool names_cxx_library(const char *path)
{
    static const char *const beginnings[] = { "_ZS", "_ZNS", "_Zn", "_Zd", "__cxa_", "__gxx_" };
    struct bytes object = { 0 };
    char part[65536];
    size_t n;
    FILE *in = fopen(path, "r");
    while (in && (n = fread(part, 1, sizeof part, in)) > 0)
        bytes_add(&object, part, n);
    if (in)
        fclose(in);
    bool found = object.count == 0;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        found |= memmem(object.at, object.count, beginnings[i], strlen(beginnings[i])) != NULL;
    memory_resize(object.at, 0);
    return found;
}

/* Reading the C++ library takes the linker a third of its time, and of the exercises hardly one
 * needs it. With anything but objects, who knows. */
static bool needs_c_alone(const struct words *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i][0] == '-' || !ends_with(objects->list[i], ".o")
            || names_cxx_library(objects->list[i]))
            return false;
    return true;
}

/* fast NULL: by the plain one. */
static bool link_by(const struct fast_linker *fast, const struct job *job,
                    const struct words *objects, const char *program, bool quiet, bool c_alone,
                    struct bytes *messages)
{
    static const char *const c_libraries[] = { "-nodefaultlibs", "-lm", "-lgcc_s", "-lgcc",
                                               "-lc", "-lgcc_s", "-lgcc" };
    char library[PATH_MAX + 16];
    struct words command = { 0 };
    words_add_compiler(&command);
    if (fast)
        words_add(&command, fast->option);
    if (fast && fast->other)
        words_add(&command, fast->other);
    words_add(&command, job->shared ? "-shared" : "-no-pie");
    words_add(&command,
              "-Wl,-z,relro,-z,now"); /* what leads to functions is read-only when main begins */
    for (size_t i = 0; i < objects->count; i++)
        if (job->shared || !is_stand_in(objects->list[i]))
            words_add(&command, objects->list[i]);
    if (process_is_shown()
        && !quiet) { /* a build system reads there where libraries are looked for */
        static char folder[PATH_MAX + 2];
        snprintf(folder, sizeof folder, "-L%s", job->lib);
        words_add(&command, folder);
        words_add(&command, "-v");
    }
    snprintf(library, sizeof library, "%slibsim.a", job->lib);
    if (access(library, R_OK) != 0)
        trouble("%s is missing: make simcc", library);
    if (!job->shared) {                 /* which finds the simulator in the program that uses it */
        words_add(&command, "-Wl,--whole-archive");
        words_add(&command, library);
        words_add(&command, "-Wl,--no-whole-archive");
    }
    for (size_t i = 0; c_alone && i < sizeof c_libraries / sizeof *c_libraries; i++)
        words_add(&command, c_libraries[i]);
    words_add(&command, "-o");
    words_add(&command, program);
    bool fine = process_run(&command, NULL, messages, STDERR_FILENO);
    memory_resize(command.list, 0);
    return fine;
}

/* A fast linker that gives up for a reason of its own. Gold does on aarch64, where what it mends
 * about some processors (erratum 843419) does not fit what it has laid out. */
static bool gave_up(const struct fast_linker *fast, const struct bytes *messages)
{
    static const char internal[] = "internal error";
    return fast->other
           || (messages->count > 0
               && memmem(messages->at, messages->count, internal, sizeof internal - 1));
}

/* `quiet`: what the linker says is not shown; the link of the other build shows it. */
static bool link_to(const struct job *job, const struct words *objects, const char *program,
                    bool quiet)
{
    struct bytes messages;
    const struct fast_linker *fast = find_fast_linker(objects);
    /* Who wants to see how it is linked sees all libraries. */
    bool c_alone = !job->shared && !process_is_shown() && needs_c_alone(objects);
    bool fine = link_by(fast, job, objects, program, quiet, c_alone, &messages);
    if (!fine && c_alone) {
        memory_resize(messages.at, 0);
        fine = link_by(fast, job, objects, program, quiet, false, &messages);
    }
    if (!fine && fast && gave_up(fast, &messages)) {
        memory_resize(messages.at, 0);
        fine = link_by(NULL, job, objects, program, quiet, false, &messages);
    }
    if (!fine && !quiet)
        look_for_full_disk(&messages);
    if (!quiet && (fine || !refuse_undefined(&messages)))
        fwrite(messages.at, 1, messages.count, stderr);
    memory_resize(messages.at, 0);
    return fine;
}

/* The instrumented build of each object that has both, the rest as they are. False: none has both.
 */
static bool instrumented_objects(const struct words *objects, struct words *out)
{
    bool any = false;
    for (size_t i = 0; i < objects->count; i++) {
        const char *word = objects->list[i];
        const char *copy = ends_with(word, ".o") && word[0] != '-' ? temporary_name() : NULL;
        bool has = copy && instrumented_extract(word, copy);
        words_add(out, has ? copy : word);
        any |= has;
    }
    return any;
}

/* What a build system reads who links, and with which libraries, as it reads nvcc's last line
 * (CMake). */
static void show_link(const struct job *job, const struct words *objects)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!process_is_shown() || n < 0)
        return;
    fprintf(stderr, "#$ %.*s", (int)n, self);
    for (size_t i = 0; i < objects->count; i++)
        fprintf(stderr, " %s", objects->list[i]);
    fprintf(stderr, " \"-L%s\" -lcudadevrt -lcudart_static -o %s\n", job->lib,
            job->output ? job->output : "a.out");
}

bool link_archive(const struct job *job, const struct words *objects)
{
    struct words command = { 0 };
    const char *made = temporary_name();
    char *library;
    if (asprintf(&library, "%s.a", made) < 0)
        trouble("no memory left");
    words_add(&command, "ar");
    words_add(&command, "qcs");
    words_add(&command, library);
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i][0] != '-')
            words_add(&command, objects->list[i]);
    bool fine = process_run(&command, NULL, NULL, STDOUT_FILENO);
    if (fine)
        product_deliver(library, job->output ? job->output : "a.a");
    memory_resize(command.list, 0);
    return fine;
}

bool link_nothing(const struct job *job)
{
    struct words command = { 0 };
    const char *made = temporary_name();
    static const char *const words[] = { "-x", "c++", "-c", "/dev/null", "-o" };
    words_add_compiler(&command);
    WORDS_ADD_LIST(&command, words);
    words_add(&command, made);
    bool fine = process_run(&command, NULL, NULL, STDOUT_FILENO);
    if (fine)
        product_deliver(made, job->output ? job->output : "a_dlink.o");
    memory_resize(command.list, 0);
    return fine;
}

bool link_program(const struct job *job, const struct words *objects)
{
    const char *program = temporary_name(), *copy = NULL;
    struct words instrumented = { 0 };
    pid_t child = -1;
    show_link(job, objects);
    bool any = job->builds != PLAIN_BUILD && instrumented_objects(objects, &instrumented);
    if (any && job->builds == BOTH_BUILDS) {
        copy = temporary_name();
        child = process_beside();
        if (child == 0)
            _exit(link_to(job, &instrumented, copy, true) ? 0 : 1);
    }
    bool fine = link_to(job, any && !copy ? &instrumented : objects, program, false);
    if (copy && process_join(child) == 0 && fine)
        instrumented_append(program, copy);
    if (fine)
        product_deliver(program, job->output ? job->output : "a.out");
    memory_resize(instrumented.list, 0);
    return fine;
}
