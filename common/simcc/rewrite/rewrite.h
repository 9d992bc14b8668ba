/* SPDX-License-Identifier: MIT */
/*
 * rewrite.h - CUDA C++ to C++, on the tokens of a preprocessed text.
 *
 * What stands in the program, and in the line below it what becomes of it:
 *
 *   __global__ void k(int n) { … }
 *       __global__ goes; the body becomes a closure that holds the arguments,
 *       { ::__sim::__body("k", [=]() mutable { … }); }, or __body<1> with a loop (sim_launch.h)
 *       { ::__sim::__body("k", [=]() mutable { … }, [=](struct sim_touches &) { … }); } where it
 * shows what it touches (disjoint.c)
 *       { ::__sim::__body("k", [=]() mutable { … }, ::__sim::__cut_at_barriers()*[=]{ … }); } where
 * it can be cut at its barriers (cut/cut.h)
 *   k<<<grid, block>>>(n)
 *       (::sim_configure_at(grid, block), k(n))
 *   threadIdx.x, in code of the device
 *       ::__sim::__own(threadIdx.x) (own.c)
 *   __shared__ float x[32];
 *       static thread_local float x[32]; and a note: poison it once a block (sim_block.h)
 *   extern __shared__ float x[];
 *       float (*const x) = ::__sim::__dynamic_shared();
 *   __device__ int x;
 *       int x; and a variable whose initialiser makes x known (symbol.h)
 *   asm("mov.u64 %0, %%globaltimer;" : "=l"(x))
 *       (x)=::sim_register_globaltimer(); a few more registers
 *   cudaFree(p)
 *       (::sim_at(__builtin_FILE(), __builtin_LINE()), cudaFree(p))
 *   cudaStreamQuery(s);
 *       ::sim_unread where nothing looks at what it returns; ::sim_half_read where an error counts
 *       as "done", or ends the function without a report (unread.h)
 *   __global__ void k(int n) {
 *       { (void)&::__sim::__known<void(*)(int n), k>::__is; makes its address known
 *       (sim_function.h); k<T, N> in a template
 *   (void *)k
 *       (void *)::__sim::__address(k), for what cannot be named in that way
 *   x.func = (void *)f
 *       x.func = (void *)::__sim::__address(f)
 *   cudaLaunchKernel((void *)f, …)
 *       the same, whatever f is
 *
 * So a launch is an ordinary call: conversions, deduction and default arguments
 * are the compiler's, and arguments are copied at the launch. No line is added or
 * taken away, so that messages keep the learner's lines.
 *
 * Which names are calls of the runtime is learnt from the declarations in our
 * own headers. Nothing inside system headers is changed.
 */
#ifndef SIMCC_REWRITE_REWRITE_H
#define SIMCC_REWRITE_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

struct spaces;

#define CUT_BEGINS "\001sim_cut("
#define CUT_ENDS "\002)"

/* What a text is besides: */
struct rewrite_how {
    const char *const *theirs;  /* folders of system headers that are the program's (-isystem),
                                  NULL-terminated; NULL: none */
    bool one_core; /* blocks never run side by side: shared memory is an ordinary variable then,
                    * which the address sanitizer can watch */
    bool judged; /* what the instrumented build could not see is refused (unseen.c); no other source
                  * of the program's names its kernels, or asks a graph for them (address.c) */
    bool cuts; /* kernels are cut at their barriers: what that adds is between these signs */
    struct spaces **spaces; /* functions are marked, and this is set to what is known of them
                               (space/space.h), or to NULL; NULL: they are not */
};

/* `own`: the folders of our own headers, each with a slash at its end, NULL-terminated;
 * line markers lose them, so that messages name <cuda_runtime.h> and not where it lies.
 * `calls`: what rewrite_calls said of headers that are precompiled and therefore not in the text;
 * "": none are. Returns the new text (malloc), zero-terminated; *out_length is its length. *refused
 * (malloc): what is wrong with the program, FILE:LINE: error: SENTENCE, one a line; NULL: nothing.
 */
char *rewrite(const char *text, size_t length, const char *const *own, const char *calls,
              struct rewrite_how how, size_t *out_length, char **refused);

/* The sentence that says so; the mistake is after the last ) of its line. */
extern const char rewrite_semicolon[];

/* The calls of the runtime that our own headers in this text declare, one a line (malloc). */
char *rewrite_calls(const char *text, size_t length, const char *const *own);

#endif
