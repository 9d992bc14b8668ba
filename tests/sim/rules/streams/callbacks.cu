/* SPDX-License-Identifier: MIT */
/* cudaStreamAddCallback, and what streams tell of themselves. [H] is the comments of cuda_runtime_api.h 13.0.
 * hazards: 1, that it looks before it has waited. */
#include "../rule.h"

struct seen {
    cudaStream_t stream;
    cudaError_t status, inside;
    int value, *pinned, calls;
};

static void look(cudaStream_t stream, cudaError_t status, void *data)
{
    struct seen *s = (struct seen *)data;
    void *p;
    s->stream = stream;
    s->status = status;
    s->value = *(volatile int *)s->pinned;
    s->inside = cudaMalloc(&p, 4);
    s->calls++;
}

static void works(cudaStream_t, cudaError_t, void *)
{
    host_work(LONG);
}

int main()
{
    int *h = pinned<int>(4), *d = on_device<int>(4), *m, device = -1;
    warm_up(d);
    cudaStream_t s = stream(cudaStreamNonBlocking), t = stream();
    struct seen seen = { NULL, cudaErrorUnknown, cudaSuccess, 0, h, 0 };

    put<<<1, 1, 0, s>>>(h, 5, LONG);
    CHECK(cudaStreamAddCallback(s, look, &seen, 0));
    put<<<1, 1, 0, s>>>(h, 6, 0);
    rule(seen.calls == 0, "adding a callback does not wait");
    CHECK(cudaStreamSynchronize(s));
    rule(seen.calls == 1 && seen.value == 5 && h[0] == 6, "a callback runs once, after earlier work of its stream and before later [H]");
    rule(seen.stream == s && seen.status == cudaSuccess, "it is told the stream, and that all is well [H]");
    rule(seen.inside == cudaErrorNotPermitted, "CUDA calls in it: cudaErrorNotPermitted [M]");

    CHECK(cudaStreamAddCallback(s, works, NULL, 0));
    rule(!is_long(took([&] { CHECK(cudaStreamSynchronize(t)); })) && is_long(took([&] { CHECK(cudaStreamSynchronize(s)); })),
         "its own stream waits for it, another does not");
    rule(cudaStreamAddCallback(s, look, &seen, 1) == cudaErrorInvalidValue, "its flags must be 0: cudaErrorInvalidValue [M]");
    rule(cudaStreamAddCallback(s, NULL, &seen, 0) == cudaErrorInvalidValue, "it must be there: cudaErrorInvalidValue");
    forget_errors();

    unsigned long long first = 0, second = 0, again = 0;
    CHECK(cudaStreamGetId(s, &first));
    CHECK(cudaStreamGetId(t, &second));
    CHECK(cudaStreamGetId(s, &again));
    rule(first != second && first == again, "every stream has an id of its own [H]");
#if CUDART_VERSION >= 12080
    rule(cudaStreamGetDevice(s, &device) == cudaSuccess && device == 0, "a stream knows its device");
#endif
    unsigned flags = 77;
    int priority = 77;
    rule(cudaStreamGetFlags(0, &flags) == cudaSuccess && flags == cudaStreamDefault &&
             cudaStreamGetPriority(0, &priority) == cudaSuccess && priority == 0,
         "the default stream has flags and priority 0");

    CHECK(cudaMallocManaged(&m, 4096));
    rule(cudaStreamAttachMemAsync(s, m) == cudaSuccess && cudaStreamAttachMemAsync(s, m, 4096, cudaMemAttachGlobal) == cudaSuccess &&
             cudaStreamAttachMemAsync(0, m, 0, cudaMemAttachHost) == cudaSuccess,
         "managed memory is attached whole: its length or 0 [H]");
    rule(cudaStreamAttachMemAsync(s, m, 64) != cudaSuccess, "not a part of it [H]");
    rule(cudaStreamAttachMemAsync(0, m, 0, cudaMemAttachSingle) != cudaSuccess, "not to the default stream alone [H]");
    rule(cudaStreamAttachMemAsync(s, m, 0, 7) == cudaErrorInvalidValue, "not with flags that do not exist");
    rule(cudaStreamAttachMemAsync(s, d) == cudaErrorInvalidValue, "and nothing but managed memory: cudaErrorInvalidValue");
    forget_errors();
    return rules_end();
}
