/* SPDX-License-Identifier: MIT */
/* Variables of the device. [G] "__device__", "__constant__"; [H] cudaMemcpyToSymbol and its kin. */
#include "../rule.h"

__constant__ float coefficients[5];
__constant__ int scale = 3, offsets[2] = { 10, 20 };
__device__ int counter;
static __device__ double table[] = { 0.5, 1.5, 2.5 };
__device__ float *where_to;
__device__ __managed__ int both = 4;
__managed__ int alone;
namespace inside {
__device__ unsigned long long total = 7;
}
typedef int (*binary)(int, int);
template <typename T> struct pair { T a, b; };
__device__ pair<int> two = { 1, 2 };

__host__ __device__ int add(int a, int b)
{
    return a + b;
}

/* A stencil of five points, its coefficients in constant memory. */
__global__ void stencil(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 2 && i < n - 2) {
        float sum = 0;
        for (int k = -2; k <= 2; k++)
            sum += coefficients[k + 2] * in[i + k];
        out[i] = sum;
    }
}

__global__ void count(int n)
{
    if ((int)(blockIdx.x * blockDim.x + threadIdx.x) < n)
        atomicAdd(&counter, scale);
}

__global__ void use(int *p)
{
    p[0] = offsets[0] + offsets[1];
    p[1] = (int)(table[0] + table[1] + table[2]);
    p[2] = (int)inside::total;
    p[3] = two.a + two.b;
    p[4] = add(both, 1);
    *where_to = 1.25f;
    inside::total += 1;
}

static void copies()
{
    const int n = 1000;
    const float c[5] = { 1, 2, 3, 2, 1 };
    static float in[n], out[n];
    int wrong = 0;
    for (int i = 0; i < n; i++)
        in[i] = (float)(i % 7);
    float *d_in = on_device<float>(n), *d_out = on_device<float>(n);
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
    stencil<<<(n + 127) / 128, 128>>>(d_in, d_out, n);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 2; i < n - 2; i++)
        wrong += out[i] != in[i - 2] + 2 * in[i - 1] + 3 * in[i] + 2 * in[i + 1] + in[i + 2];
    rule(wrong == 0, "kernels read from constant memory what cudaMemcpyToSymbol put there");

    int seen = -1;
    CHECK(cudaMemcpyFromSymbol(&seen, counter, sizeof seen));
    rule(seen == 0, "a variable of the device begins with 0");
    count<<<3, 256>>>(700);
    CHECK(cudaMemcpyFromSymbol(&seen, counter, sizeof seen));
    rule(seen == 2100, "cudaMemcpyFromSymbol waits for the kernels before it");
    seen = 5;
    CHECK(cudaMemcpyToSymbol(offsets, &seen, sizeof seen, sizeof seen));
    float *f = on_device<float>(1), value = 0;
    CHECK(cudaMemcpyToSymbol(where_to, &f, sizeof f));
    int *d = on_device<int>(8), h[5];
    use<<<1, 1>>>(d);
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&value, f, sizeof value, cudaMemcpyDeviceToHost));
    rule(h[0] == 15, "an offset leads into an array");
    rule(h[1] == 4 && h[2] == 7 && h[3] == 3 && h[4] == 5, "variables have their initial values");
    rule(value == 1.25f, "a pointer may be a symbol");
}

static void asynchronous()
{
    cudaStream_t s = stream(cudaStreamNonBlocking), t = stream(cudaStreamNonBlocking);
    int *h = pinned<int>(2);
    h[0] = 42;
    busy<<<1, 1, 0, s>>>(LONG);
    rule(!is_long(took([&] { CHECK(cudaMemcpyToSymbolAsync(counter, h, sizeof *h, 0, cudaMemcpyHostToDevice, t)); })),
         "cudaMemcpyToSymbolAsync does not hold up the host");
    CHECK(cudaMemcpyFromSymbolAsync(h + 1, counter, sizeof *h, 0, cudaMemcpyDeviceToHost, t));
    CHECK(cudaStreamSynchronize(t));
    rule(h[1] == 42 && cudaStreamQuery(s) == cudaErrorNotReady, "it is ordered by its stream alone");
    CHECK(cudaStreamSynchronize(s));
    cudaStream_t blocking = stream();
    busy<<<1, 1, 0, blocking>>>(LONG);
    rule(is_long(took([&] { CHECK(cudaMemcpyToSymbol(counter, h, sizeof *h)); })),
         "cudaMemcpyToSymbol waits for kernels in blocking streams");     /* [M] */
}

static void questions()
{
    void *address = NULL, *plain = NULL;
    size_t bytes = 0;
    int value = 99;
    cudaPointerAttributes a;
    CHECK(cudaGetSymbolAddress(&address, inside::total));
    CHECK(cudaGetSymbolSize(&bytes, coefficients));
    rule(bytes == sizeof coefficients, "cudaGetSymbolSize gives all of an array's bytes");
    CHECK(cudaPointerGetAttributes(&a, address));
    rule(a.type == cudaMemoryTypeDevice, "a symbol's address is device memory");
    CHECK(cudaGetSymbolAddress(&plain, counter));
    CHECK(cudaMemcpy(plain, &value, sizeof value, cudaMemcpyHostToDevice));
    value = 0;
    CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    rule(value == 99, "cudaMemcpy takes a symbol's address");
    CHECK(cudaMemset(plain, 0, sizeof value));
    CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    rule(value == 0, "and so does cudaMemset");
    rule(cudaMemcpyToSymbol(counter, &value, 64) == cudaErrorInvalidValue, "more bytes than a symbol has are refused");
    rule(cudaMemcpyToSymbol(counter, &value, 4, 4) == cudaErrorInvalidValue, "an offset past its end is, too");
    rule(cudaMemcpyToSymbol(counter, &value, 4, 0, cudaMemcpyDeviceToHost) == cudaErrorInvalidMemcpyDirection,
         "a copy to a symbol does not lead to the host");
    value = 7;
    rule(cudaMemcpyToSymbol(alone, &value, sizeof value) == cudaSuccess && alone == 7,
         "a variable that is __managed__ and not __device__ is a symbol");
    rule(cudaMemcpyToSymbol(value, &value, 4) == cudaErrorInvalidSymbol, "a variable of the host is no symbol");
    forget_errors();
}

int main()
{
    warm_up(on_device<int>(4));
    copies();
    asynchronous();
    questions();
    return rules_end();
}
