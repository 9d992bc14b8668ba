/* SPDX-License-Identifier: MIT */
#include "simcc/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simcc/inputs.h"
#include "simcc/instrumented.h"
#include "simcc/product.h"
#include "simcc/temporary.h"
#include "trace/record/memory.h"

/* Is there a program of this name? */
static bool in_path(const char *program)
{
    char *folders = strdup(getenv("PATH")), *rest = folders, path[PATH_MAX];
    bool found = false;
    for (char *folder; !found && (folder = strsep(&rest, ":")) != NULL;)
        found = snprintf(path, sizeof path, "%s/%s", folder, program) < (int)sizeof path && access(path, X_OK) == 0;
    free(folders);
    return found;
}

/* gold, where there is one, in a third of the plain linker's time: of a small program's link most is reading libstdc++.
 * NULL: there is none, or the user has named another. (lld takes as long as gold, and says otherwise what is missing.) */
static const char *linker(const struct words *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        if (strncmp(objects->list[i], "-fuse-ld=", 9) == 0)
            return NULL;
    return in_path("ld.gold") ? "-fuse-ld=gold" : NULL;
}

/* `quiet`: what the linker says is not shown; the link of the other build shows it. */
static bool link_to(const struct job *job, const struct words *objects, const char *program, bool quiet)
{
    char library[PATH_MAX + 16];
    struct words command = { 0 };
    const char *fast = linker(objects);
    words_add_compiler(&command);
    if (fast)
        words_add(&command, fast);
    words_add(&command, "-no-pie");
    words_add(&command, "-Wl,-z,relro,-z,now");     /* what leads to functions is read-only when main begins */
    words_add_all(&command, objects);
    snprintf(library, sizeof library, "%slibsim.a", job->lib);
    if (access(library, R_OK) != 0)
        trouble("%s is missing: make simcc", library);
    words_add(&command, "-Wl,--whole-archive");
    words_add(&command, library);
    words_add(&command, "-Wl,--no-whole-archive");
    words_add(&command, "-o");
    words_add(&command, program);
    struct bytes messages;
    bool fine = process_run(&command, NULL, &messages, STDERR_FILENO);
    if (!fine && !quiet)
        look_for_full_disk(&messages);
    if (!quiet)
        fwrite(messages.at, 1, messages.count, stderr);
    memory_resize(command.list, 0);
    memory_resize(messages.at, 0);
    return fine;
}

/* The instrumented build of each object that has both, the rest as they are. False: none has both. */
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

bool link_program(const struct job *job, const struct words *objects)
{
    const char *program = temporary_name(), *copy = NULL;
    struct words instrumented = { 0 };
    pid_t child = -1;
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
