/* SPDX-License-Identifier: MIT */
#include "simcc/instrumented.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/race/instrumented.h"

/* The assembler then takes the one symbol for the other, the compiler's own calls included. */
const char instrumented_text[] =
    "\nasm(\""
    "memcpy=sim_seen_memcpy\\n" "memmove=sim_seen_memmove\\n" "memset=sim_seen_memset\\n"
    "memcmp=sim_seen_memcmp\\n" "memchr=sim_seen_memchr\\n" "strlen=sim_seen_strlen\\n"
    "strcpy=sim_seen_strcpy\\n" "strncpy=sim_seen_strncpy\\n" "strcmp=sim_seen_strcmp\\n"
    "strncmp=sim_seen_strncmp\\n" "fread=sim_seen_fread\\n" "fwrite=sim_seen_fwrite\\n"
    "read=sim_seen_read\\n" "write=sim_seen_write\\n" "free=sim_seen_free\\n" "realloc=sim_seen_realloc\\n"
    "malloc=sim_seen_malloc\\n" "calloc=sim_seen_calloc\\n" "_Znwm=sim_seen_new\\n" "_Znam=sim_seen_new_array\\n"
    "_ZdlPv=sim_seen_delete\\n" "_ZdlPvm=sim_seen_delete_sized\\n"
    "_ZdaPv=sim_seen_delete_array\\n" "_ZdaPvm=sim_seen_delete_array_sized"
    "\");\n";

void instrumented_options(struct words *command)
{
    static const char *const options[] = { 
        "-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0", "--param", "tsan-distinguish-volatile=1", "-Wno-tsan",
        /* Else short ones become instructions that nothing is told of. */
        "-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset", "-fno-builtin-memcmp",
        "-fno-builtin-strcpy", "-fno-builtin-strncpy", "-fno-builtin-strcmp", "-fno-builtin-strncmp",
        "-fno-builtin-strlen",
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        words_add(command, options[i]);
}

static FILE *must_open(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (!file)
        trouble("%s: %s", path, strerror(errno));
    return file;
}

static void copy_bytes(FILE *from, FILE *to, uint64_t bytes, const char *path)
{
    char buffer[65536];
    while (bytes > 0) {
        size_t n = fread(buffer, 1, bytes < sizeof buffer ? (size_t)bytes : sizeof buffer, from);
        if (n == 0)
            break;
        fwrite(buffer, 1, n, to);
        bytes -= n;
    }
    if (bytes > 0 || ferror(to) || fflush(to) != 0)
        trouble("%s: %s", path, strerror(errno));
}

void instrumented_append(const char *file, const char *copy)
{
    FILE *from = must_open(copy, "r"), *to = must_open(file, "a");
    fseek(from, 0, SEEK_END);
    struct instrumented_tail_tail tail = { (uint64_t)ftell(from), INSTRUMENTED_TAIL_MAGIC };
    rewind(from);
    copy_bytes(from, to, tail.bytes, file);
    fwrite(&tail, sizeof tail, 1, to);
    if (fclose(to) != 0)
        trouble("%s: %s", file, strerror(errno));
    fclose(from);
    unlink(copy);
}

bool instrumented_extract(const char *file, const char *copy)
{
    struct instrumented_tail_tail tail;
    FILE *from = fopen(file, "r");
    if (!from)
        return false;
    bool found = fseek(from, -(long)sizeof tail, SEEK_END) == 0 && fread(&tail, sizeof tail, 1, from) == 1 &&
                 tail.magic == INSTRUMENTED_TAIL_MAGIC && fseek(from, -(long)(sizeof tail + tail.bytes), SEEK_END) == 0;
    if (found) {
        FILE *to = must_open(copy, "w");
        copy_bytes(from, to, tail.bytes, copy);
        fclose(to);
    }
    fclose(from);
    return found;
}
