/* SPDX-License-Identifier: MIT */
#include "simcc/prelude.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simcc/compile.h"
#include "simcc/instrumented.h"
#include "simcc/link.h"
#include "simcc/rewrite/marker.h"
#include "simcc/rewrite/rewrite.h"
#include "simcc/process/temporary.h"
#include "trace/record/memory.h"

#define HEADER "prelude.h"

/* ---- which one ---- */

/* Does the option leave the headers as they are? Those that take a word say so in *takes. */
static bool is_harmless(const char *option, bool *takes)
{
    static const char *const prefixes[] = { "-I", "-isystem", "-D",
                                            "-W", "-w",       "-fdebug-prefix-map=" };
    *takes =
        strcmp(option, "-I") == 0 || strcmp(option, "-isystem") == 0 || strcmp(option, "-D") == 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(option, prefixes[i], strlen(prefixes[i])) == 0)
            return !strstr(option, "CUDA_API_PER_THREAD_DEFAULT_STREAM");
    return false;
}

static int by_spelling(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* -g, -g1, -g2: how much is said for debuggers is no part of a precompiled header. */
static const char *name_of(const char *option)
{
    bool debug =
        option[0] == '-' && option[1] == 'g' && strspn(option + 2, "12") == strlen(option + 2);
    return debug ? "g" : option + strspn(option, "-");
}

/* What the options are called: O2+g. */
static void name_options(const struct words *options, char *out, size_t size)
{
    struct words those = { 0 };
    for (size_t i = 0; i < options->count; i++) {
        bool takes;
        if (!is_harmless(options->list[i], &takes))
            words_add(&those, options->list[i]);
        i += takes;
    }
    if (those.count > 0)
        qsort(those.list, those.count, sizeof *those.list, by_spelling);
    *out = '\0';
    for (size_t i = 0, n = 0; i < those.count && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i > 0 ? "+" : "", name_of(those.list[i]));
    for (char *c = out; (c = strchr(c, '='));)
        *c = '-';               /* make has no such names */
    memory_resize(those.list, 0);
}

void prelude_find(struct job *job)
{
    char name[256];
    name_options(&job->compile, name, sizeof name);
    int n = snprintf(job->prelude, sizeof job->prelude, "%sprelude/%s", job->lib, name);
    bool usable =
        n < (int)sizeof job->prelude && !strpbrk(name, "/\"\\") && !strpbrk(job->lib, "\"\\");
    if (!usable || access(job->prelude, R_OK | X_OK) != 0)
        *job->prelude = '\0';
}

/* ---- using it ---- */

static const char *file_of(const struct job *job, const char *name)
{
    static char path[3 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", job->new_prelude ? job->new_prelude : job->prelude, name);
    return path;
}

/* The line with which g++ -E says that it has used one, at its name. */
static const char *mention(const struct bytes *text)
{
    static const char before[] = "\n#pragma GCC pch_preprocess \"";
    const char *at =
        text->count > 0 ? memmem(text->at, text->count, before, sizeof before - 1) : NULL;
    return at ? at + sizeof before - 1 : NULL;
}

void prelude_include(struct words *command, const struct job *job)
{
    words_add(command, "-include");
    if (*job->prelude == '\0') {
        words_add(command, "cuda_runtime.h");
    } else {
        static char header[3 * PATH_MAX];       /* as long as the command */
        snprintf(header, sizeof header, "%s", file_of(job, HEADER));
        words_add(command, header);
        words_add(command, "-fpch-preprocess");
    }
}

bool prelude_used(const struct bytes *text)
{
    return mention(text);
}

char *prelude_calls(const struct job *job)
{
    char *calls = NULL;
    size_t room = 0;
    FILE *in = *job->prelude != '\0' ? fopen(file_of(job, "calls"), "r") : NULL;
    if (*job->prelude != '\0' && (!in || getdelim(&calls, &room, '\0', in) < 0))
        trouble("%s: %s", file_of(job, "calls"), strerror(errno));
    if (in)
        fclose(in);
    return calls ? calls : strdup("");
}

struct bytes prelude_choose(const struct job *job, const struct bytes *text, bool instrumented)
{
    struct bytes out = { 0 };
    const char *name = *job->prelude != '\0' ? mention(text) : NULL, *rest = text->at;
    const char *end = text->at + text->count, *which = instrumented_which(instrumented);
    if (name) {
        const char *path = file_of(job, instrumented ? "instrumented.gch" : "plain.gch");
        rest = strchr(name, '"');
        bytes_add(&out, text->at, (size_t)(name - text->at));
        bytes_add(&out, path, strlen(path));
    }
    /* Nothing may stand before a precompiled header. */
    const char *line = memchr(rest, '\n', (size_t)(end - rest));
    line = line ? line + 1 : end;
    bytes_add(&out, rest, (size_t)(line - rest));
    bytes_add(&out, which, strlen(which));
    bytes_add(&out, line, (size_t)(end - line));
    return out;
}

bool prelude_refused(const struct job *job, const struct bytes *messages)
{
    static const char suffix[] = ".gch";
    return *job->prelude != '\0'
           && memmem(messages->at, messages->count, suffix, sizeof suffix - 1);
}

/* ---- what headers define, apart from what they declare ---- */

static bool begins(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The end of the note, number or text in quotation marks that begins here; `at`, when none does. */
static const char *skip(const char *at, const char *end)
{
    const char *from = at;
    if (begins(at, end, "/*")) {
        const char *close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
        return close ? close + 2 : end;
    }
    if (begins(at, end, "//")) {
        while (at < end && (*at != '\n' || at[-1] == '\\'))
            at++;
    } else if (*at == '"' || *at == '\'') {
        for (at++; at < end && *at != *from && *at != '\n'; at++)
            at += *at == '\\' && at + 1 < end;
        at += at < end && *at == *from;
    } else if (isdigit((unsigned char)*at)) {
        while (at < end && (in_name(*at) || *at == '.' || *at == '\''))
            at++;
    }
    return at;
}

/* Adds a line with all names in the text. g++ passes it by, and keeps the names. */
static void add_names(struct bytes *out, const char *at, size_t count)
{
    static const char word[] = "#pragma simcc ";
    const char *end = at + count, *next;
    char *line = memory_resize(NULL, count + 1), *to = line;
    for (; at < end; at = next) {
        next = skip(at, end);
        if (next > at)
            continue;
        while (next < end && in_name(*next))
            next++;
        if (next > at) {
            memcpy(to, at, (size_t)(next - at));
            to += next - at;
            *to++ = ' ';
        } else {
            next++;
        }
    }
    bytes_add(out, word, sizeof word - 1);
    bytes_add(out, line, (size_t)(to - line));
    bytes_add(out, "\n", 1);
    memory_resize(line, 0);
}

static void add_names_of_file(struct bytes *out, const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    ssize_t length = in ? getdelim(&text, &room, '\0', in) : -1;
    if (length > 0)
        add_names(out, text, (size_t)length);
    free(text);
    if (in)
        fclose(in);
}

/* Takes out of `text`, which g++ -E -dD has made of headers, what they define: the text of a file
 * `name` that defines the same, at the same lines, and declares nothing. After that come all names
 * that the headers have: g++ must not use the file, precompiled, where one of them is a macro of
 * the command line, whatever the headers would make of it. */
static struct bytes take_macros(struct bytes *text, const char *name)
{
    struct bytes macros = { 0 }, names = { 0 };
    char *kept = text->at, *end = text->at + text->count, *next;
    char path[PATH_MAX], back[PATH_MAX + 16];
    int inside = 0;             /* of so many headers */
    snprintf(back, sizeof back, "# 1 \"%s\" 2\n", name);
    for (char *line = text->at; line < end; line = next) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        newline = newline ? newline : end - 1;
        next = newline + 1;
        bool defines = begins(line, next, "#define ") || begins(line, next, "#undef ");
        struct marker marker = { 0 };
        bool keeps = marker_read(line, next, &marker) || defines;
        if (marker.begins) {
            marker_path(&marker, path, sizeof path);
            add_names_of_file(&names, path);
        }
        inside += marker.begins - marker.returns;
        if (marker.returns && inside == 0)
            bytes_add(&macros, back, strlen(back));
        else if (inside > 0)    /* what is left out leaves its line */
            bytes_add(&macros, keeps ? line : "\n", keeps ? (size_t)(next - line) : 1);
        char *from = defines ? newline : line;
        memmove(kept, from, (size_t)(next - from));
        kept += next - from;
    }
    if (kept < end)
        *kept = '\0';
    text->count = (size_t)(kept - text->at);
    static const char system_header[] = "# 1 \"names\" 1 3\n";    /* of which g++ asks less */
    bytes_add(&macros, system_header, sizeof system_header - 1);
    bytes_add(&macros, names.at, names.count);
    add_names(&macros, text->at, text->count);
    bytes_add(&macros, back, strlen(back));
    memory_resize(names.at, 0);
    return macros;
}

/* ---- making it ---- */

static void must(struct words *command, struct bytes *out)
{
    if (!process_run(command, NULL, out, STDOUT_FILENO))
        trouble("%s cannot be made", "the prelude");
    memory_resize(command->list, 0);
    *command = (struct words){ 0 };
}

static void write_file(const char *path, const char *text, size_t count)
{
    FILE *out = fopen(path, "w");
    if (!out || fwrite(text, 1, count, out) < count || fclose(out) != 0)
        trouble("%s: %s", path, strerror(errno));
}

static void write_calls(const struct job *job, const struct bytes *text)
{
    const char *own[] = { job->include, job->common, NULL };
    char *calls = rewrite_calls(text->at, text->count, own);
    write_file(file_of(job, "calls"), calls, strlen(calls));
    memory_resize(calls, 0);
}

static void precompile_as(struct words *command, const char *source, const char *name)
{
    words_add(command, "-x");
    words_add(command, "c++-header");
    words_add(command, source);
    words_add(command, "-o");
    words_add(command, name);
    must(command, NULL);
}

/* What the headers define, for g++ -E: all that they declare would be read there to no end. */
static void precompile_macros(const struct job *job, struct bytes *text)
{
    struct words command = { 0 };
    char *header = strdup(file_of(job, HEADER));
    struct bytes macros = take_macros(text, header);
    write_file(header, macros.at, macros.count);
    memory_resize(macros.at, 0);
    preprocess_options(&command, job);
    precompile_as(&command, header, file_of(job, HEADER ".gch"));
    free(header);
}

/* The headers as they are in one of the builds, precompiled by way of the file `source`. */
static void precompile(const struct job *job, bool instrumented, const char *source,
                       const char *name)
{
    struct words command = { 0 };
    struct bytes text, rewritten;
    preprocess_options(&command, job);
    if (instrumented)
        instrumented_options(&command);
    prelude_include(&command, job);
    static const char *const to_text[] = { "-E", "-x", "c++", "/dev/null" };
    if (!instrumented)
        words_add(&command, "-dD");
    WORDS_ADD_LIST(&command, to_text);
    must(&command, &text);
    if (!instrumented)
        precompile_macros(job, &text);
    if (!rewrite_text(job, &text, "", &rewritten, NULL))
        trouble("%s cannot be made", name);
    write_file(source, rewritten.at, rewritten.count);
    if (!instrumented)
        write_calls(job, &text);
    compile_options(&command, job, instrumented);
    precompile_as(&command, source, file_of(job, name));
    memory_resize(text.at, 0);
    memory_resize(rewritten.at, 0);
}

void prelude_make(struct job *job)
{
    if (mkdir(job->new_prelude, 0777) != 0 && errno != EEXIST)
        trouble("%s: %s", job->new_prelude, strerror(errno));
    const char *source[] = { temporary_name(), temporary_name() };
    pid_t child = process_beside();
    if (child == 0) {
        precompile(job, true, source[1], "instrumented.gch");
        _exit(0);
    }
    precompile(job, false, source[0], "plain.gch");
    link_write_words(file_of(job, LINK_WORDS));
    if (process_join(child) != 0)
        trouble("%s cannot be made", file_of(job, "instrumented.gch"));
}
