/* SPDX-License-Identifier: MIT */
#include "simcc/inputs.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool ends_with(const char *word, const char *suffix)
{
    size_t length = strlen(word), tail = strlen(suffix);
    return length > tail && strcmp(word + length - tail, suffix) == 0;
}

bool is_cxx(const char *path)
{
    return ends_with(path, ".cpp") || ends_with(path, ".cc") || ends_with(path, ".cxx");
}

bool is_c(const struct job *job, const char *path)
{
    return job->language ? strcmp(job->language, "c") == 0 : ends_with(path, ".c");
}

bool is_source(const struct job *job, const char *word)
{
    if (word[0] == '-')
        return false;
    return ends_with(word, ".cu") || is_cxx(word) || is_c(job, word)
           || (job->language && !ends_with(word, ".o") && !ends_with(word, ".a"));
}

static bool is_object(const char *word)
{
    return ends_with(word, ".o") || ends_with(word, ".a") || ends_with(word, ".so")
           || strstr(word, ".so.");
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
    bool there = stat(path, &s) == 0,
         special = there && !S_ISREG(s.st_mode);   /* /dev/null is written, not replaced */
    if (there && S_ISDIR(s.st_mode))
        trouble("%s: cannot be written: it is a folder", path);
    if (special && access(path, W_OK) != 0)
        trouble("%s: cannot be written: %s", path, strerror(errno));
    if (!special && access(folder, W_OK) != 0)
        trouble("%s: cannot be written: %s: %s", path, folder, strerror(errno));
}

/* `-o x.cu` for `-o x` would cost its author the source. */
static void must_be_another(const struct job *job)
{
    struct stat out, in;
    if (stat(job->output, &out) != 0)
        return;
    for (size_t i = 0; i < job->inputs.count; i++)
        if (stat(job->inputs.list[i], &in) == 0 && in.st_dev == out.st_dev
            && in.st_ino == out.st_ino)
            trouble("-o %s: that is what is to be compiled", job->output);
}

void check_inputs(const struct job *job)
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
            trouble("%s: neither .cu, .cpp, .c, .o nor .a", word);
        } else if (access(word, R_OK) != 0) {
            trouble("%s: %s", word, strerror(errno));
        }
    }
    if (files == 0 && job->archive)
        trouble("-lib: no file to put into it");
    if (files == 0)
        trouble("no file to compile (simcc --help)");
    if (job->only_compile && job->output && sources > 1)
        trouble("-c -o %s: several files cannot become one object", job->output);
    if (job->output) {
        must_be_writable(job->output);
        must_be_another(job);
    }
}

/* The header is there before the first line of the program, with nvcc too. */
void warn_of_late_macro(const struct job *job, const char *source)
{
    static const char macro[] = "CUDA_API_PER_THREAD_DEFAULT_STREAM";
    for (size_t i = 0; i < job->compile.count; i++)
        if (strstr(job->compile.list[i], macro))
            return;             /* it was not left to the file */
    FILE *in = fopen(source, "r");
    char *line = NULL;
    size_t room = 0;
    for (int number = 1; in && getline(&line, &room, in) > 0; number++) {
        char directive[16] = "", name[sizeof macro + 1] = "";
        if (sscanf(line, " # %15s %35s", directive, name) == 2 && strcmp(directive, "define") == 0
            && strcmp(name, macro) == 0)
            fprintf(
                stderr,
                "%s:%d: warning: %s comes too late here: cuda_runtime.h is read before the first line; "
                "compile with --default-stream per-thread\n",
                source, number, macro);
    }
    free(line);
    if (in)
        fclose(in);
}

bool file_says(const char *path, const char *word)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    ssize_t length = in ? getdelim(&text, &room, '\0', in) : 0;
    bool found = length > 0 && strstr(text, word);
    free(text);
    if (in)
        fclose(in);
    return found;
}
