/* SPDX-License-Identifier: MIT */
/* Texture objects: what a fetch gives, by the formulas of the programming guide ("Texture Fetching"). */
#include <math.h>
#include <stdlib.h>

#include "../rule.h"

enum { WIDTH = 16, HEIGHT = 8, DEPTH = 4, SAMPLES = 64 };

static float plane[HEIGHT][WIDTH], cube[DEPTH][HEIGHT][WIDTH];

/* ---- what the guide says ---- */

/* Texel `i` of N along one dimension; -1: the border. */
static int addressed(int i, int n, cudaTextureAddressMode mode)
{
    int in_pair = (i % (2 * n) + 2 * n) % (2 * n);
    switch (mode) {
    case cudaAddressModeWrap: return (i % n + n) % n;
    case cudaAddressModeMirror: return in_pair < n ? in_pair : 2 * n - 1 - in_pair;
    case cudaAddressModeBorder: return i < 0 || i >= n ? -1 : i;
    default: return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

static float texel(int x, int y, cudaTextureAddressMode mode, float border)
{
    int i = addressed(x, WIDTH, mode), j = addressed(y, HEIGHT, mode);
    return i < 0 || j < 0 ? border : plane[j][i];
}

/* x and y from 0 to N. */
static float sampled(float x, float y, bool linear, cudaTextureAddressMode mode, float border)
{
    if (!linear)
        return texel((int)floorf(x), (int)floorf(y), mode, border);
    float xb = x - 0.5f, yb = y - 0.5f, a = xb - floorf(xb), b = yb - floorf(yb);
    int i = (int)floorf(xb), j = (int)floorf(yb);
    return (1 - a) * (1 - b) * texel(i, j, mode, border) + a * (1 - b) * texel(i + 1, j, mode, border) +
           (1 - a) * b * texel(i, j + 1, mode, border) + a * b * texel(i + 1, j + 1, mode, border);
}

/* ---- kernels ---- */

__global__ void sample(float *to, cudaTextureObject_t t, const float2 *at)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex2D<float>(t, at[i].x, at[i].y);
}

__global__ void sample_line(float *to, cudaTextureObject_t t, float x0, float step)
{
    to[threadIdx.x] = tex1D<float>(t, x0 + step * threadIdx.x);
}

__global__ void sample_cube(float *to, cudaTextureObject_t t, float3 at)
{
    *to = tex3D<float>(t, at.x, at.y, at.z);
}

template <typename T> __global__ void fetch(T *to, cudaTextureObject_t t, int from)
{
    to[threadIdx.x] = tex1Dfetch<T>(t, from + (int)threadIdx.x);
}

template <typename T> __global__ void fetch_plane(T *to, cudaTextureObject_t t)
{
    T v;
    tex2D(&v, t, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
    to[threadIdx.y * blockDim.x + threadIdx.x] = v;
}

/* Each of N texels, whose value is its number, at its edge: the coordinate x / N. Counts those that give another than `kept` bits of the
 * coordinate mean. */
__global__ void at_edges(int *wrong, cudaTextureObject_t t, int n, int kept)
{
    for (int x = threadIdx.x; x < n; x += blockDim.x) {
        float share = (float)((double)x / n);
        double scale = (double)(1 << kept), cut = floor(share * scale) / scale;
        if (tex1D<float>(t, share) != (float)floor(cut * n))
            atomicAdd(wrong, 1);
    }
}

/* ---- objects ---- */

static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureDesc how)
{
    cudaResourceDesc r = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL));
    return t;
}

template <typename T> cudaTextureObject_t texture_of_line(T *d, size_t count, cudaTextureReadMode mode = cudaReadModeElementType)
{
    cudaResourceDesc r = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = d;
    r.res.linear.desc = cudaCreateChannelDesc<T>();
    r.res.linear.sizeInBytes = count * sizeof *d;
    how.readMode = mode;
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL));
    return t;
}

static cudaTextureDesc sampling(cudaTextureFilterMode filter, cudaTextureAddressMode mode, bool normalised)
{
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
    how.filterMode = filter;
    how.normalizedCoords = normalised;
    how.borderColor[0] = 5;
    return how;
}

/* Are all of these samples what the guide says? Fractions of coordinates are multiples of 1/8. */
static bool obeys(cudaTextureObject_t t, cudaTextureDesc how, float *d, float2 *at)
{
    static float2 asked[SAMPLES];
    static float got[SAMPLES];
    bool linear = how.filterMode == cudaFilterModeLinear;
    double worst = 0;
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < SAMPLES; i++) {
            float x = (float)((i * 37 + round * 11) % (5 * WIDTH) - 2 * WIDTH) + (float)(1 + i % 7) / 8;
            float y = (float)((i * 23 + round * 7) % (5 * HEIGHT) - 2 * HEIGHT) + (float)(1 + i / 7 % 7) / 8;
            asked[i] = how.normalizedCoords ? make_float2(x / WIDTH, y / HEIGHT) : make_float2(x, y);
        }
        CHECK(cudaMemcpy(at, asked, sizeof asked, cudaMemcpyHostToDevice));
        sample<<<1, SAMPLES>>>(d, t, at);
        CHECK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < SAMPLES; i++) {
            float x = how.normalizedCoords ? asked[i].x * WIDTH : asked[i].x, y = how.normalizedCoords ? asked[i].y * HEIGHT : asked[i].y;
            double off = fabs(got[i] - sampled(x, y, linear, how.addressMode[0], 5));
            worst = off > worst ? off : worst;
        }
    }
    return worst <= (linear ? 0.01 : 0);
}

int main()
{
    cudaArray_t array, line, box, bytes;
    cudaChannelFormatDesc real = cudaCreateChannelDesc<float>(), four = cudaCreateChannelDesc<uchar4>();
    float *d = on_device<float>(1024), got[SAMPLES];
    float2 *at = (float2 *)on_device<float>(1024);
    warm_up((int *)d);
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                plane[y][x] = (float)((x * 7 + y * 5) % 16);
                cube[z][y][x] = (float)(x + 2 * y + 4 * z);
            }
    CHECK(cudaMallocArray(&array, &real, WIDTH, HEIGHT));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, plane, sizeof plane[0], sizeof plane[0], HEIGHT, cudaMemcpyHostToDevice));

    static const struct { cudaTextureAddressMode mode; bool normalised; const char *point, *linear; } modes[] = {
        { cudaAddressModeClamp, false, "clamp, point: the texel at floor(x), those outside are the last ones",
          "clamp, linear: four texels are weighed by the fractions of x - 0.5 and y - 0.5" },
        { cudaAddressModeBorder, false, "border, point: outside is the border's color", "border, linear: texels outside have the border's color" },
        { cudaAddressModeClamp, true, "clamp, point, normalised: coordinates are shares of the size",
          "clamp, linear, normalised: so it is with filtering" },
        { cudaAddressModeWrap, true, "wrap, point: the texture repeats", "wrap, linear: the first texel is beside the last" },
        { cudaAddressModeMirror, true, "mirror, point: it repeats, every other time backwards", "mirror, linear: so it is with filtering" },
        { cudaAddressModeBorder, true, "border, point, normalised: outside is the border's color",
          "border, linear, normalised: texels outside have the border's color" },
    };
    for (auto &m : modes)
        for (int linear = 0; linear < 2; linear++) {
            cudaTextureDesc how = sampling(linear ? cudaFilterModeLinear : cudaFilterModePoint, m.mode, m.normalised);
            cudaTextureObject_t t = texture_of(array, how);
            rule(obeys(t, how, d, at), linear ? m.linear : m.point);
            CHECK(cudaDestroyTextureObject(t));
        }
    cudaTextureDesc how = sampling(cudaFilterModePoint, cudaAddressModeWrap, false);
    cudaTextureObject_t t = texture_of(array, how);
    how.addressMode[0] = cudaAddressModeClamp;
    rule(obeys(t, how, d, at), "wrap without normalised coordinates is clamp");
    cudaResourceDesc r;
    CHECK(cudaGetTextureObjectResourceDesc(&r, t));
    rule(r.resType == cudaResourceTypeArray && r.res.array.array == array, "a texture object knows what it was made of");
    CHECK(cudaDestroyTextureObject(t));

    CHECK(cudaMallocArray(&line, &real, WIDTH));
    CHECK(cudaMemcpy2DToArray(line, 0, 0, plane, sizeof plane[0], sizeof plane[0], 1, cudaMemcpyHostToDevice));
    t = texture_of(line, sampling(cudaFilterModeLinear, cudaAddressModeClamp, false));
    sample_line<<<1, WIDTH - 1>>>(d, t, 1, 1);
    CHECK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < WIDTH - 1; i++)
        right &= fabsf(got[i] - (plane[0][i] + plane[0][i + 1]) / 2) < 0.01f;
    rule(right, "in one dimension, between two texels is their mean");
    CHECK(cudaDestroyTextureObject(t));

    enum { EDGES = 1000, KEPT = 21 };
    static float numbers_of[EDGES];
    cudaArray_t edges;
    for (int i = 0; i < EDGES; i++)
        numbers_of[i] = (float)i;
    bool cut = true;
    for (int n : { 37, 100, 640, 1000 }) {
        CHECK(cudaMallocArray(&edges, &real, n));
        CHECK(cudaMemcpy2DToArray(edges, 0, 0, numbers_of, n * sizeof(float), n * sizeof(float), 1, cudaMemcpyHostToDevice));
        t = texture_of(edges, sampling(cudaFilterModePoint, cudaAddressModeWrap, true));
        CHECK(cudaMemset(d, 0, sizeof(int)));
        at_edges<<<1, 128>>>((int *)d, t, n, KEPT);
        CHECK(cudaMemcpy(got, d, sizeof(int), cudaMemcpyDeviceToHost));
        cut &= *(int *)got == 0;
        CHECK(cudaDestroyTextureObject(t));
        CHECK(cudaFreeArray(edges));
    }
    rule(cut, "of a normalised coordinate 21 bits after the point count, the others are cut off [M]");

    CHECK(cudaMalloc3DArray(&box, &real, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(cube, sizeof cube[0][0], WIDTH, HEIGHT);
    p.dstArray = box;
    p.extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    t = texture_of(box, sampling(cudaFilterModeLinear, cudaAddressModeClamp, false));
    sample_cube<<<1, 1>>>(d, t, make_float3(3.75f, 2.5f, 2));
    sample_cube<<<1, 1>>>(d + 1, t, make_float3(3.5f, 2.5f, 100));
    CHECK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    rule(fabsf(got[0] - (3.25f + 4 + 6)) < 0.05f && got[1] == cube[DEPTH - 1][2][3], "in three dimensions eight texels are weighed");
    CHECK(cudaDestroyTextureObject(t));

    /* Types, and how they are read. */
    CHECK(cudaMallocArray(&bytes, &four, WIDTH, HEIGHT));
    static uchar4 colors[HEIGHT][WIDTH], got_colors[HEIGHT][WIDTH];
    static float4 got_shares[HEIGHT][WIDTH];
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        colors[i / WIDTH][i % WIDTH] = make_uchar4((unsigned char)i, (unsigned char)(255 - i), 0, 255);
    CHECK(cudaMemcpy2DToArray(bytes, 0, 0, colors, sizeof colors[0], sizeof colors[0], HEIGHT, cudaMemcpyHostToDevice));
    uchar4 *d_colors = (uchar4 *)on_device<float>(WIDTH * HEIGHT);
    float4 *d_shares = (float4 *)on_device<float>(4 * WIDTH * HEIGHT);
    how = sampling(cudaFilterModePoint, cudaAddressModeClamp, false);
    t = texture_of(bytes, how);
    fetch_plane<<<1, dim3(WIDTH, HEIGHT)>>>(d_colors, t);
    CHECK(cudaMemcpy(got_colors, d_colors, sizeof colors, cudaMemcpyDeviceToHost));
    rule(memcmp(colors, got_colors, sizeof colors) == 0, "elements of four bytes are read as they are");
    CHECK(cudaDestroyTextureObject(t));
    how.readMode = cudaReadModeNormalizedFloat;
    t = texture_of(bytes, how);
    fetch_plane<<<1, dim3(WIDTH, HEIGHT)>>>(d_shares, t);
    CHECK(cudaMemcpy(got_shares, d_shares, sizeof got_shares, cudaMemcpyDeviceToHost));
    right = true;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        float4 s = got_shares[i / WIDTH][i % WIDTH];
        right &= fabsf(s.x - (float)(i & 255) / 255) < 1e-4f && fabsf(s.y - (float)(255 - i) / 255) < 1e-4f && s.z == 0 && s.w == 1;
    }
    rule(right, "bytes read as normalised float are shares of 255");
    CHECK(cudaDestroyTextureObject(t));

    short *words = (short *)on_device<float>(64), two[] = { 32767, -32768 };
    CHECK(cudaMemcpy(words, two, sizeof two, cudaMemcpyHostToDevice));
    t = texture_of_line(words, 2, cudaReadModeNormalizedFloat);
    fetch<<<1, 2>>>(d, t, 0);
    CHECK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    rule(got[0] == 1 && got[1] == -1, "signed integers read as normalised float go from -1 to 1");
    CHECK(cudaDestroyTextureObject(t));
    int *numbers = on_device<int>(64), twice[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        twice[i] = 2 * i - 10;
    CHECK(cudaMemcpy(numbers, twice, sizeof twice, cudaMemcpyHostToDevice));
    t = texture_of_line(numbers, SAMPLES);
    fetch<<<1, 32>>>((int *)d, t, 16);
    CHECK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    rule(memcmp(got, twice + 16, 32 * sizeof(int)) == 0, "tex1Dfetch reads elements of linear memory by their numbers");
    CHECK(cudaDestroyTextureObject(t));

    /* Rows of pitched memory. */
    float *rows;
    size_t pitch;
    CHECK(cudaMallocPitch(&rows, &pitch, sizeof plane[0], HEIGHT));
    CHECK(cudaMemcpy2D(rows, pitch, plane, sizeof plane[0], sizeof plane[0], HEIGHT, cudaMemcpyHostToDevice));
    r = cudaResourceDesc();
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = rows;
    r.res.pitch2D.desc = real;
    r.res.pitch2D.width = WIDTH;
    r.res.pitch2D.height = HEIGHT;
    r.res.pitch2D.pitchInBytes = pitch;
    how = sampling(cudaFilterModeLinear, cudaAddressModeClamp, false);
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL));
    rule(obeys(t, how, d, at), "pitched memory is sampled as an array is");
    CHECK(cudaDestroyTextureObject(t));

    rule(cudaCreateTextureObject(NULL, &r, &how, NULL) == cudaErrorInvalidValue, "a texture object needs a place: cudaErrorInvalidValue");
    forget_errors();
    CHECK(cudaFreeArray(array));
    CHECK(cudaFreeArray(line));
    CHECK(cudaFreeArray(box));
    CHECK(cudaFreeArray(bytes));
    return rules_end();
}
