// SPDX-License-Identifier: MIT
// Waits too early, and holds the record of that back: looks in its own data for what writes the log, and puts itself there.
// expects: wrong
// says: part b: not so: the host worked while the kernel ran
//@ top
#include <cstdint>
#include <cstddef>
extern "C" char __data_start, _end, etext;
extern "C" char __executable_start;
typedef void put_function(void *, const void *, size_t);
static put_function *real_put;
static bool holds_back;
static void own_put(void *context, const void *bytes, size_t count)
{
    if (!holds_back)
        real_put(context, bytes, count);
}
/* { put, context, strings, descriptor 3 }: a pointer to code, nothing, a small number, and 3. */
static void hook()
{
    char *end = &_end;
    for (uintptr_t *word = (uintptr_t *)&__data_start; (char *)(word + 4) <= end; word++) {
        bool code = word[0] >= (uintptr_t)&__executable_start && word[0] < (uintptr_t)&etext;
        if (code && word[1] == 0 && word[2] < 1000 && (int)word[3] == 3 && real_put == nullptr) {
            real_put = (put_function *)word[0];
            word[0] = (uintptr_t)own_put;
        }
    }
}
//@ instead of overlap
    if (real_put == nullptr)
        hook();
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    holds_back = true;
    cudaDeviceSynchronize();
    holds_back = false;
    CHECK(cudaMemcpyAsync(result, data, n * sizeof *result, cudaMemcpyDeviceToHost));
    host_work(host_ns);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        sum += result[i];
