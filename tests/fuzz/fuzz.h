/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h - for the harnesses here: each gives a stranger's bytes to one reader.
 *
 * A harness is a LLVMFuzzerTestOneInput, which libFuzzer drives (`make fuzz`).
 * Built without it (no FUZZING), the program reads the files that its command
 * names, each once: so what was found stays a test (seeds.sh).
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* A rule that must hold for any bytes. */
#define HOLDS(rule) \
    do { \
        if (!(rule)) { \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #rule); \
            abort(); \
        } \
    } while (0)

/* A file in memory with these bytes, by its name; the same one each time. */
static inline const char *fuzz_file(const uint8_t *bytes, size_t count)
{
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (ftruncate(file, 0) != 0 || pwrite(file, bytes, count, 0) != (ssize_t)count)
        abort();
    return path;
}

#ifndef FUZZING
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *in = fopen(argv[i], "rb");
        if (!in) {
            perror(argv[i]);
            return 2;
        }
        size_t room = 1 << 22, count;
        uint8_t *all = malloc(room);
        count = fread(all, 1, room, in);
        fclose(in);
        uint8_t *bytes =
            malloc(count); /* of just their size, so that sanitizers see a step beyond it */
        for (size_t k = 0; k < count; k++)
            bytes[k] = all[k];
        free(all);
        LLVMFuzzerTestOneInput(bytes, count);
        free(bytes);
    }
    return 0;
}
#endif

#endif
