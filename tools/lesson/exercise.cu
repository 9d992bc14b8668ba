/* SPDX-License-Identifier: MIT */
/*
 * Lesson @NN@: FILL IN what it is about, in one line.
 *
 * Grade it:  make lesson@NN@        Run it:  make run@NN@
 * Read:      lessons/@FOLDER@/chapter.md; lesson.h beside it is the contract.
 */
#include "lesson.h"

enum { THREADS = 256 };

/*
 * (a) There and back, in a stream of your own.
 */
void run_through(const unsigned *in, unsigned *out, unsigned *data, int n, long long kernel_ns)
{
    //> through
@starter    /* TODO
@starter     * - FILL IN: bullets in the imperative, each naming a call.
@starter     * - Make a stream with cudaStreamCreate(), and queue there: cudaMemcpyAsync(), twice<<<>>>(), cudaMemcpyAsync().
@starter     * - Wait with cudaStreamSynchronize(), and give the stream back with cudaStreamDestroy().
@starter     */
@starter    (void)in, (void)out, (void)data, (void)n, (void)kernel_ns;
@solved    cudaStream_t stream;
@solved    CHECK(cudaStreamCreate(&stream));
@solved    CHECK(cudaMemcpyAsync(data, in, n * sizeof *data, cudaMemcpyHostToDevice, stream));
@solved    twice<<<@GRID@, THREADS, 0, stream>>>(data, n, kernel_ns);
@solved    CHECK(cudaGetLastError());
@solved    CHECK(cudaMemcpyAsync(out, data, n * sizeof *data, cudaMemcpyDeviceToHost, stream));
@waits    CHECK(cudaStreamSynchronize(stream));
@destroys    CHECK(cudaStreamDestroy(stream));
    //< through
}
