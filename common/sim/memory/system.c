/* SPDX-License-Identifier: MIT */
/* What has the system itself touch memory, which meets no protection (residency.h) but an error:
 * the C library's names, defined here, win over its own. */
#include <stdio.h>
#include <unistd.h>

#include "sim/memory/residency.h"
#include "sim/real.h"

ssize_t read(int file, void *to, size_t bytes)
{
    residency_touch((uintptr_t)to, bytes, true);
    return real()->read(file, to, bytes);
}

ssize_t pread(int file, void *to, size_t bytes, off_t offset)
{
    residency_touch((uintptr_t)to, bytes, true);
    return real()->pread(file, to, bytes, offset);
}

ssize_t write(int file, const void *from, size_t bytes)
{
    residency_touch((uintptr_t)from, bytes, false);
    return real()->write(file, from, bytes);
}

ssize_t pwrite(int file, const void *from, size_t bytes, off_t offset)
{
    residency_touch((uintptr_t)from, bytes, false);
    return real()->pwrite(file, from, bytes, offset);
}

size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict file)
{
    residency_touch((uintptr_t)to, size * count, true);
    return real()->fread(to, size, count, file);
}

size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict file)
{
    residency_touch((uintptr_t)from, size * count, false);
    return real()->fwrite(from, size, count, file);
}
