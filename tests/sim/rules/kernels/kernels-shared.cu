/* SPDX-License-Identifier: MIT */
/* Shared memory and barriers: what a block's threads tell each other. [G] "Shared Memory", "Synchronization Functions". */
#include "../rule.h"

__global__ void reverse(int *p, int n)
{
    __shared__ int all[64];
    int t = threadIdx.x;
    all[t] = p[t];
    __syncthreads();
    p[t] = all[n - t - 1];
}

__global__ void reverse_dynamic(int *p, int n)
{
    extern __shared__ int own[];
    int t = threadIdx.x;
    own[t] = p[t];
    __syncthreads();
    p[t] = own[n - t - 1];
}

extern __shared__ __align__(16) unsigned char of_all[];

/* Two arrays in one piece of dynamic memory. */
__global__ void two_arrays(int *p, double *q, int n)
{
    double *doubles = reinterpret_cast<double *>(of_all);
    int *ints = reinterpret_cast<int *>(doubles + n);
    int t = threadIdx.x;
    doubles[t] = q[t];
    ints[t] = p[t];
    __syncthreads();
    p[t] = (int)doubles[(t + 1) % n];
    q[t] = ints[(t + 1) % n];
}

/* The tree of every course: a sum a block. */
template <typename T, int SIZE> __global__ void sum(const T *in, T *out, int n)
{
    __shared__ T part[SIZE];
    int t = threadIdx.x, i = blockIdx.x * SIZE + t;
    part[t] = i < n ? in[i] : T(0);
    __syncthreads();
    for (int stride = SIZE / 2; stride > 0; stride /= 2) {
        if (t < stride)
            part[t] += part[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

const int TILE = 16;

__global__ void transpose(const float *in, float *out, int wide, int high)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < wide && y < high)
        tile[threadIdx.y][threadIdx.x] = in[y * wide + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < high && y < wide)
        out[y * high + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        a_tile[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        b_tile[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

/* Hillis and Steele: every sum from the beginning on, in two buffers. */
__global__ void scan(int *p)
{
    extern __shared__ int buffer[];
    int n = blockDim.x, t = threadIdx.x, from = 0;
    buffer[t] = p[t];
    __syncthreads();
    for (int step = 1; step < n; step *= 2, from = 1 - from) {
        int value = buffer[from * n + t];
        if (t >= step)
            value += buffer[from * n + t - step];
        buffer[(1 - from) * n + t] = value;
        __syncthreads();
    }
    p[t] = buffer[from * n + t];
}

__global__ void rows(int *p)
{
    extern __shared__ int row[][4];
    row[threadIdx.y][threadIdx.x] = p[4 * threadIdx.y + threadIdx.x];
    __syncthreads();
    p[4 * threadIdx.y + threadIdx.x] = row[blockDim.y - 1 - threadIdx.y][3 - threadIdx.x];
}

__device__ int neighbour(int value)
{
    __shared__ int values[128];
    values[threadIdx.x] = value;
    __syncthreads();
    int next = values[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    return next;
}

__global__ void twice_round(int *p)
{
    p[threadIdx.x] = neighbour(neighbour(p[threadIdx.x]));
}

__global__ void count(int *p)
{
    int t = threadIdx.x;
    int odd = __syncthreads_count(t % 2), all = __syncthreads_and(t < 100), any = __syncthreads_or(t == 99);
    int none = __syncthreads_or(t == 100), not_all = __syncthreads_and(t != 7);
    p[t] = odd == 50 && all && any && !none && !not_all;
}

/* Since Volta a barrier waits for the threads that have not ended [G]. */
__global__ void some_leave(int *p, int n)
{
    __shared__ int last;
    int t = threadIdx.x;
    if (t >= n)
        return;
    if (t == n - 1)
        last = t;
    __syncthreads();
    p[t] = last;
}

__global__ void late(int *p, long long ns)
{
    kernel_cost(ns);
    __shared__ int value;
    if (threadIdx.x == blockDim.x - 1)
        value = blockIdx.x + 1;
    __syncthreads();
    p[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

template <typename T> static void up(T *device, const T *host, int n)
{
    CHECK(cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice));
}

template <typename T> static void down(T *host, const T *device, int n)
{
    CHECK(cudaMemcpy(host, device, n * sizeof(T), cudaMemcpyDeviceToHost));
}

static void reversals()
{
    int *d = on_device<int>(64), h[64], wrong = 0;
    for (int i = 0; i < 64; i++)
        h[i] = i;
    up(d, h, 64);
    reverse<<<1, 64>>>(d, 64);
    down(h, d, 64);
    for (int i = 0; i < 64; i++)
        wrong += h[i] != 63 - i;
    rule(wrong == 0, "threads read after a barrier what others wrote before it");
    reverse_dynamic<<<1, 64, 64 * sizeof(int)>>>(d, 64);
    down(h, d, 64);
    for (int i = 0; i < 64; i++)
        wrong += h[i] != i;
    rule(wrong == 0, "dynamic shared memory is as large as the launch says");
    rows<<<1, dim3(4, 16), 64 * sizeof(int)>>>(d);
    down(h, d, 64);
    for (int i = 0; i < 64; i++)
        wrong += h[i] != 63 - i;
    rule(wrong == 0, "dynamic shared memory may have rows");
    for (int i = 0; i < 64; i++)
        h[i] = i;
    up(d, h, 64);
    double *q = on_device<double>(64), g[64];
    for (int i = 0; i < 64; i++)
        g[i] = 100 + i;
    up(q, g, 64);
    two_arrays<<<1, 64, 64 * (sizeof(int) + sizeof(double))>>>(d, q, 64);
    down(h, d, 64);
    down(g, q, 64);
    for (int i = 0; i < 64; i++)
        wrong += h[i] != 100 + (i + 1) % 64 || g[i] != (i + 1) % 64;
    rule(wrong == 0, "a kernel divides its dynamic shared memory as it likes");
}

static void sums()
{
    const int n = 10000, size = 256, blocks = (n + size - 1) / size;
    static int in[n], out[blocks];
    static double in_double[n], out_double[blocks];
    int *d_in = on_device<int>(n), *d_out = on_device<int>(blocks), total = 0, expected = 0;
    double *q_in = on_device<double>(n), *q_out = on_device<double>(blocks), total_double = 0;
    for (int i = 0; i < n; i++) {
        in[i] = i * 7 % 13;
        in_double[i] = in[i] / 4.0;
        expected += in[i];
    }
    up(d_in, in, n);
    up(q_in, in_double, n);
    sum<int, size><<<blocks, size>>>(d_in, d_out, n);
    sum<double, size><<<blocks, size>>>(q_in, q_out, n);
    down(out, d_out, blocks);
    down(out_double, q_out, blocks);
    for (int i = 0; i < blocks; i++) {
        total += out[i];
        total_double += out_double[i];
    }
    rule(total == expected, "a tree of additions in shared memory sums what it should");
    rule(total_double == expected / 4.0, "each instance of a template has shared memory of its own type");
}

static void matrices()
{
    const int wide = 50, high = 37, n = 48;
    static float a[n * n], b[n * n], c[n * n];
    float *d_a = on_device<float>(n * n), *d_b = on_device<float>(n * n), *d_c = on_device<float>(n * n);
    int wrong = 0;
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i % 17);
        b[i] = (float)(i % 5 - 2);
    }
    up(d_a, a, n * n);
    up(d_b, b, n * n);
    transpose<<<dim3((wide + TILE - 1) / TILE, (high + TILE - 1) / TILE), dim3(TILE, TILE)>>>(d_a, d_c, wide, high);
    down(c, d_c, n * n);
    for (int y = 0; y < high; y++)
        for (int x = 0; x < wide; x++)
            wrong += c[x * high + y] != a[y * wide + x];
    rule(wrong == 0, "a transpose through tiles transposes, ragged edges too");
    multiply<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(d_a, d_b, d_c, n);
    down(c, d_c, n * n);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float expected = 0;
            for (int k = 0; k < n; k++)
                expected += a[y * n + k] * b[k * n + x];
            wrong += c[y * n + x] != expected;
        }
    rule(wrong == 0, "a product of matrices through tiles is right");
}

static void others()
{
    int *d = on_device<int>(1024), h[1024], wrong = 0, expected = 0;
    for (int i = 0; i < 1024; i++)
        h[i] = i % 10;
    up(d, h, 1024);
    scan<<<1, 1024, 2 * 1024 * sizeof(int)>>>(d);
    down(h, d, 1024);
    for (int i = 0; i < 1024; i++)
        wrong += h[i] != (expected += i % 10);
    rule(wrong == 0, "a scan over a full block sums from the beginning on");
    for (int i = 0; i < 100; i++)
        h[i] = i;
    up(d, h, 100);
    twice_round<<<1, 100>>>(d);
    down(h, d, 100);
    for (int i = 0; i < 100; i++)
        wrong += h[i] != (i + 2) % 100;
    rule(wrong == 0, "a device function has shared memory and barriers too");
    count<<<1, 100>>>(d);
    down(h, d, 100);
    for (int i = 0; i < 100; i++)
        wrong += h[i] != 1;
    rule(wrong == 0, "barriers count and combine what the threads say");
    some_leave<<<1, 128>>>(d, 77);
    down(h, d, 77);
    for (int i = 0; i < 77; i++)
        wrong += h[i] != 76;
    rule(wrong == 0, "a barrier does not wait for threads that have ended");
    late<<<3, 64>>>(d, 1000);
    down(h, d, 192);
    for (int i = 0; i < 192; i++)
        wrong += h[i] != i / 64 + 1;
    rule(wrong == 0, "a kernel with a declared cost has barriers too");
}

int main()
{
    reversals();
    sums();
    matrices();
    others();
    return rules_end();
}
