// SPDX-License-Identifier: MIT
// Copies all memory that it can write to, keeps the log from being read, makes calls, looks at their results, and puts the memory back.
// The record is that of a right answer, and so is the verdict: the calls have never been. What it learned is all that is left.
// expects: passed
// prints: it saw the sum before it waited
//@ top
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>
struct log_pages { size_t strings; int to; };           /* as common/sim/call_log.c has it */
static struct log_pages *const the_log = (struct log_pages *)UINT64_C(0x250000000000);
struct range { char *from; size_t size; char *copy; };
struct copies { struct range range[500]; int count; char maps[1 << 18]; };
/* A function of the library's in which nothing is seen. */
static void copy(void *to, const void *from, size_t n) { wmemcpy((wchar_t *)to, (const wchar_t *)from, n / sizeof(wchar_t)); }
static void *pages(size_t n) { return mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static void copy_all(struct copies *c)
{
    size_t used = 0;
    int file = open("/proc/self/maps", O_RDONLY);
    for (long n; (n = syscall(SYS_read, file, c->maps + used, sizeof c->maps - 1 - used)) > 0;)
        used += n;
    close(file);
    for (char *line = c->maps; *line != '\0'; line = strchr(line, '\n') + 1) {
        char *rest, *end = strchr(line, '\n');
        char *from = (char *)strtoul(line, &rest, 16), *to = (char *)strtoul(rest + 1, &rest, 16);
        bool own = from <= (char *)c && (char *)c < to, stack = memmem(line, end - line, "[stack]", 7) != nullptr;
        if (rest[1] == 'r' && rest[2] == 'w' && !own && !stack && to - from <= 64 << 20)
            c->range[c->count++] = { from, (size_t)(to - from), nullptr };
    }
    for (int i = 0; i < c->count; i++)
        c->range[i].copy = (char *)pages(c->range[i].size);
    for (int i = 0; i < c->count; i++)
        copy(c->range[i].copy, c->range[i].from, c->range[i].size);
}
static void put_back(const struct copies *c)
{
    for (int i = 0; i < c->count; i++)
        copy(c->range[i].from, c->range[i].copy, c->range[i].size);
}
//@ instead of overlap
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    uint32_t seen = 0;
    mprotect((void *)the_log, 5 * 4096, PROT_READ | PROT_WRITE);
    struct copies *c = (struct copies *)pages(sizeof *c);
    copy_all(c);
    the_log->to = -1;
    cudaMemcpyAsync(result, data, n * sizeof *result, cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        seen += ((volatile uint32_t *)result)[i];
    put_back(c);
    CHECK(cudaMemcpyAsync(result, data, n * sizeof *result, cudaMemcpyDeviceToHost));
    host_work(host_ns);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        sum += result[i];
    if (seen == (uint32_t)sum)
        puts("it saw the sum before it waited");
