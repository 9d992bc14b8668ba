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
#include "simcc/process/temporary.h"
#include "trace/record/memory.h"

#define OBJECTS "OBJECTS"
#define PROGRAM "PROGRAM"
#define CXX_LIBRARY "libstdc++.so"

/* ---- what g++ would say to gold ---- */

/* Adds the file's path after a comma; false: g++ knows of none. */
static bool add_library(struct bytes *list, const char *name)
{
    struct words command = { 0 };
    struct bytes path;
    char *question;
    if (asprintf(&question, "-print-file-name=%s", name) < 0)
        trouble("no memory left");
    words_add_compiler(&command);
    words_add(&command, question);
    bool fine = process_run(&command, NULL, &path, STDOUT_FILENO);
    size_t length = fine && path.count > 0 ? path.count - 1 : 0;        /* without the newline */
    fine = memchr(path.at, '/', length) && !memchr(path.at, ',', length);
    bytes_add(list, ",", 1);
    bytes_add(list, path.at, length);
    memory_resize(path.at, 0);
    memory_resize(command.list, 0);
    free(question);
    return fine;
}

/* Takes the next word out of a line of g++ -###, where blanks part them, and those with other
 * characters stand in quotation marks. False: there is none. */
static bool word_of_line(const char **at, const char *end, char *word)
{
    bool quoted = false;
    while (*at < end && **at == ' ')
        ++*at;
    if (*at == end)
        return false;
    for (; *at < end && (quoted || **at != ' '); ++*at) {
        if (**at == '"') {
            quoted = !quoted;
            continue;
        }
        *at += **at == '\\' && *at + 1 < end;
        *word++ = **at;
    }
    *word = '\0';
    return true;
}

/* What is for collect2 alone, or leads to libraries, which are named by their files. */
static bool is_left_out(const char *word)
{
    static const char *const beginnings[] = { "-plugin-opt=", "-fuse-ld=", "-L" };
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(word, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static void write_words(FILE *out, const char *line, const char *end)
{
    char *word = memory_resize(NULL, (size_t)(end - line) + 1);
    word_of_line(&line, end, word);        /* collect2 */
    fputs("-nostdlib\n", out);
    while (word_of_line(&line, end, word))
        if (strcmp(word, "-plugin") == 0)
            word_of_line(&line, end, word);
        else if (!is_left_out(word))
            fprintf(out, "%s\n", word);
    memory_resize(word, 0);
}

void link_write_words(const char *path)
{
    static const char *const files[] = { CXX_LIBRARY, "libm.so",       "libgcc_s.so.1", "libgcc.a",
                                         "libc.so",   "libgcc_s.so.1", "libgcc.a" };
    struct words command = { 0 };
    struct bytes inside = { 0 }, said;
    bool known = true;
    bytes_add(&inside, "-Wl," OBJECTS, strlen("-Wl," OBJECTS));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        known = known && add_library(&inside, files[i]);
    bytes_add(&inside, "", 1);
    const char *const words[] = { "-###", "-fuse-ld=gold", "-no-pie", "-Wl,-z,relro,-z,now",
                                  "-nodefaultlibs", inside.at, "-o", PROGRAM };
    words_add_compiler(&command);
    WORDS_ADD_LIST(&command, words);
    known = known && process_run(&command, NULL, &said, STDERR_FILENO);
    const char *at = known ? memmem(said.at, said.count, "/collect2", 9) : NULL;
    const char *end = at ? memchr(at, '\n', (size_t)(said.at + said.count - at)) : NULL;
    FILE *out = end ? fopen(path, "w") : NULL;
    if (out)
        write_words(out, at, end);
    if (out && fclose(out) != 0)
        unlink(path);
    if (known)
        memory_resize(said.at, 0);
    memory_resize(inside.at, 0);
    memory_resize(command.list, 0);
}

/* Adds the words that follow the linker's name. False: there are none. *text: where they lie, for
 * free(). */
static bool add_words(struct words *command, const char *path, const struct words *objects,
                      bool c_alone, const char *program, char **text)
{
    char *line;
    size_t room = 0;
    FILE *in = fopen(path, "r");
    bool found = in && getdelim(text, &room, '\0', in) > 0;
    for (char *rest = *text; found && (line = strsep(&rest, "\n")) && *line != '\0';)
        if (strcmp(line, OBJECTS) == 0)
            words_add_all(command, objects);
        else if (!c_alone || !ends_with(line, "/" CXX_LIBRARY))
            words_add(command, strcmp(line, PROGRAM) == 0 ? program : line);
    if (in)
        fclose(in);
    return found;
}

/* ---- programs ---- */

/* Is there a program of this name? Then *path is its own. */
static bool in_path(const char *program, char path[PATH_MAX])
{
    char *folders = strdup(getenv("PATH")), *rest = folders;
    bool found = false;
    for (char *folder; !found && (folder = strsep(&rest, ":"));)
        found = snprintf(path, PATH_MAX, "%s/%s", folder, program) < PATH_MAX
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
    char path[PATH_MAX];
    for (size_t i = 0; i < objects->count; i++)
        if (strncmp(objects->list[i], "-fuse-ld=", 9) == 0)
            return NULL;
    for (size_t i = 0; i < sizeof fast_linkers / sizeof *fast_linkers; i++)
        if (in_path(fast_linkers[i].program, path))
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

static bool are_objects(const struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (words->list[i][0] == '-' || !ends_with(words->list[i], ".o"))
            return false;
    return true;
}

/* Reading the C++ library takes the linker a third of its time, and of the exercises hardly one
 * needs it. */
static bool need_c_alone(const struct words *objects)
{
    for (size_t i = 0; i < objects->count; i++)
        if (names_cxx_library(objects->list[i]))
            return false;
    return true;
}

/* The simulator's library, as a whole. `direct`: said to the linker, and not to g++. */
static void add_simulator(struct words *command, const struct job *job, bool direct)
{
    size_t for_gcc = direct ? strlen("-Wl,") : 0;
    static char library[PATH_MAX + 16]; /* as long as the command */
    snprintf(library, sizeof library, "%slibsim.a", job->lib);
    if (access(library, R_OK) != 0)
        trouble("%s is missing: make simcc", library);
    if (job->shared)                    /* which finds it in the program that uses the library */
        return;
    words_add(command, &"-Wl,--whole-archive"[for_gcc]);
    words_add(command, library);
    words_add(command, &"-Wl,--no-whole-archive"[for_gcc]);
}

/* fast NULL: by the plain one. */
static bool link_by(const struct fast_linker *fast, const struct job *job,
                    const struct words *objects, const char *program, bool quiet, bool c_alone,
                    struct bytes *messages)
{
    static const char *const c_libraries[] = { "-nodefaultlibs", "-lm", "-lgcc_s", "-lgcc",
                                               "-lc", "-lgcc_s", "-lgcc" };
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
    add_simulator(&command, job, false);
    for (size_t i = 0; c_alone && i < sizeof c_libraries / sizeof *c_libraries; i++)
        words_add(&command, c_libraries[i]);
    words_add(&command, "-o");
    words_add(&command, program);
    bool fine = process_run(&command, NULL, messages, STDERR_FILENO);
    memory_resize(command.list, 0);
    return fine;
}

static const char *words_of_linker(const struct job *job)
{
    static char path[3 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", job->prelude, LINK_WORDS);
    return path;
}

static bool link_directly(const struct job *job, const struct words *objects, const char *program,
                          bool c_alone, struct bytes *messages)
{
    struct words command = { 0 }, inputs = { 0 };
    char linker[PATH_MAX], *text = NULL;
    bool fine = in_path(fast_linkers[0].program, linker);
    words_add(&command, fine ? linker : fast_linkers[0].program);
    /* To map more than it reads is a tenth to a sixth of its time. */
    words_add(&command, "--no-map-whole-files");
    words_add_all(&inputs, objects);
    add_simulator(&inputs, job, true);
    fine = fine && add_words(&command, words_of_linker(job), &inputs, c_alone, program, &text)
           && process_run(&command, NULL, messages, STDERR_FILENO);
    free(text);
    memory_resize(inputs.list, 0);
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
    struct bytes messages = { 0 };
    const struct fast_linker *fast = find_fast_linker(objects);
    /* Who wants to see how it is linked sees all libraries. With anything but objects, who knows
     * what it needs. */
    bool simple = !job->shared && !process_is_shown() && are_objects(objects);
    bool c_alone = simple && need_c_alone(objects);
    bool direct = simple && fast == &fast_linkers[0] && *job->prelude != '\0'
                  && access(words_of_linker(job), R_OK) == 0;
    bool fine = direct ? link_directly(job, objects, program, c_alone, &messages)
                       : link_by(fast, job, objects, program, quiet, c_alone, &messages);
    if (!fine && (c_alone || direct)) {
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
