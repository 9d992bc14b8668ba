#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Textures and surfaces: what is seen of them, and why a call is refused. What they hold is tests/sim/rules' to ask.
. tests/sim/sim.bash

says() { # WORDS: the latest program has one hazard, which says them
    [ "$(hazards)" = 1 ] && grep -q "^hazard: .*$1" "$dir/err"
}

build textures << 'EOC'
#include "streams.h"
enum { WIDTH = 16, HEIGHT = 8 };
__global__ void sample(float *to, cudaTextureObject_t t) { *to = tex2D<float>(t, 3.5f, 2.5f); }     // sample
__global__ void fetch(float *to, cudaTextureObject_t t) { *to = tex1Dfetch<float>(t, 1); }          // fetch
__global__ void put(cudaSurfaceObject_t s, int x) { surf2Dwrite(1.0f, s, x, 2); }                   // put
__global__ void get(float *to, cudaSurfaceObject_t s, int x) { *to = surf2Dread<float>(s, x, 2); }  // get
__global__ void slow(long long ns) { kernel_cost(ns); }
int main(int, char **argv)
{
    float *pinned, *d, *line, *more;
    cudaArray_t array, bare, fresh, whole;
    cudaStream_t a, b;
    cudaTextureObject_t t, of_line, unmade = 0x777, other;
    cudaSurfaceObject_t s, of_bare;
    cudaChannelFormatDesc real = cudaCreateChannelDesc<float>(), integer = cudaCreateChannelDesc<int>();
    cudaResourceDesc r = {}, l = {}, p = {};
    cudaTextureDesc how = {};
    CHECK(cudaMallocHost(&pinned, 4 * WIDTH * HEIGHT));
    memset(pinned, 0, 4 * WIDTH * HEIGHT);
    CHECK(cudaMalloc(&d, 4096));
    CHECK(cudaMalloc(&line, 4096));
    CHECK(cudaMemset(line, 0, 4096));
    CHECK(cudaMallocArray(&array, &real, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&bare, &real, WIDTH, HEIGHT));
    CHECK(cudaMallocArray(&fresh, &real, WIDTH, HEIGHT));
    CHECK(cudaMallocArray(&whole, &integer, WIDTH, HEIGHT));
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, pinned, 4 * WIDTH, 4 * WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL));
    CHECK(cudaCreateSurfaceObject(&s, &r));
    p.resType = cudaResourceTypePitch2D;
    p.res.pitch2D = { line, real, 8, 8, 64 };
    l.resType = cudaResourceTypeLinear;
    l.res.linear = { line, real, 4096 };
    CHECK(cudaCreateTextureObject(&of_line, &l, &how, NULL));
    switch (atoi(argv[1])) {
    /* The texel sampled, and one beside it, copied meanwhile. */
    case 1: CHECK(cudaMemcpy2DToArrayAsync(array, 12, 2, pinned, 64, 4, 1, cudaMemcpyDefault, a)); sample<<<1, 1, 0, b>>>(d, t); break;
    case 2: CHECK(cudaMemcpy2DToArrayAsync(array, 16, 2, pinned, 64, 4, 1, cudaMemcpyDefault, a)); sample<<<1, 1, 0, b>>>(d, t); break;
    case 3: put<<<1, 1, 0, a>>>(s, 12); sample<<<1, 1, 0, b>>>(d, t); break;
    case 4: put<<<1, 1, 0, a>>>(s, 16); sample<<<1, 1, 0, b>>>(d, t); break;
    case 5: CHECK(cudaMemset3DAsync(make_cudaPitchedPtr(line, 64, 64, 1), 0, make_cudaExtent(8, 1, 1), a)); fetch<<<1, 1, 0, b>>>(d, of_line); break;
    case 6: put<<<1, 1, 0, a>>>(s, 12); CHECK(cudaMemcpy2DFromArrayAsync(pinned, 64, array, 0, 2, 64, 1, cudaMemcpyDefault, b)); break;
    case 7: r.res.array.array = fresh; CHECK(cudaCreateTextureObject(&other, &r, &how, NULL)); sample<<<1, 1>>>(d, other); break;
    case 8: sample<<<1, 1, 0, a>>>(d, t); CHECK(cudaFreeArray(array)); break;
    /* The kernel ends. */
    case 10: CHECK(cudaFreeArray(array)); sample<<<1, 1>>>(d, t); CHECK(cudaDeviceSynchronize()); break;
    case 11: CHECK(cudaDestroyTextureObject(t)); sample<<<1, 1>>>(d, t); CHECK(cudaDeviceSynchronize()); break;
    case 12: slow<<<1, 1>>>(1000000); sample<<<1, 1>>>(d, t); CHECK(cudaDestroyTextureObject(t)); CHECK(cudaDeviceSynchronize()); break;
    case 13: sample<<<1, 1>>>(d, unmade); CHECK(cudaDeviceSynchronize()); break;
    case 14: sample<<<1, 1>>>(d, of_line); CHECK(cudaDeviceSynchronize()); break;
    case 15: fetch<<<1, 1>>>(d, t); CHECK(cudaDeviceSynchronize()); break;
    case 16: put<<<1, 1>>>(s, 64); CHECK(cudaDeviceSynchronize()); break;
    case 17: put<<<1, 1>>>(s, 3); CHECK(cudaDeviceSynchronize()); break;
    case 18: get<<<1, 1>>>(d, s, -4); CHECK(cudaDeviceSynchronize()); break;
    case 19: CHECK(cudaDestroySurfaceObject(s)); put<<<1, 1>>>(s, 4); CHECK(cudaDeviceSynchronize()); break;
    case 20: CHECK(cudaFree(line)); fetch<<<1, 1>>>(d, of_line); CHECK(cudaDeviceSynchronize()); break;
    /* Calls are refused. */
    case 30: CHECK(cudaCreateTextureObject(&t, NULL, &how, NULL)); break;
    case 31: CHECK(cudaFreeArray(array)); CHECK(cudaCreateTextureObject(&t, &r, &how, NULL)); break;
    case 32: l.res.linear.devPtr = line + 1; CHECK(cudaCreateTextureObject(&t, &l, &how, NULL)); break;
    case 33: l.res.linear.sizeInBytes = 4100; CHECK(cudaCreateTextureObject(&t, &l, &how, NULL)); break;
    case 34: CHECK(cudaHostAlloc(&more, 64, 0)); l.res.linear.devPtr = NULL; CHECK(cudaCreateTextureObject(&t, &l, &how, NULL)); break;
    case 35: p.res.pitch2D.pitchInBytes = 40; CHECK(cudaCreateTextureObject(&t, &p, &how, NULL)); break;
    case 36: r.resType = (cudaResourceType)1; CHECK(cudaCreateTextureObject(&t, &r, &how, NULL)); break;
    case 37: r.res.array.array = whole; how.filterMode = cudaFilterModeLinear; CHECK(cudaCreateTextureObject(&t, &r, &how, NULL)); break;
    case 38: how.sRGB = 1; CHECK(cudaCreateTextureObject(&t, &r, &how, NULL)); break;
    case 39: CHECK(cudaCreateTextureObject(&t, &r, &how, (cudaResourceViewDesc *)&how)); break;
    case 40: CHECK(cudaDestroyTextureObject(t));
             CHECK(cudaDestroyTextureObject(t)); break;
    case 41: CHECK(cudaDestroyTextureObject(0)); break;
    case 42: r.res.array.array = bare; CHECK(cudaCreateSurfaceObject(&of_bare, &r)); break;
    case 43: CHECK(cudaCreateSurfaceObject(&of_bare, &l)); break;
    case 44: CHECK(cudaDestroySurfaceObject(t)); break;
    case 45: how.addressMode[1] = (cudaTextureAddressMode)7; CHECK(cudaCreateTextureObject(&t, &r, &how, NULL)); break;
    case 46: CHECK(cudaGetTextureObjectTextureDesc(&how, s)); break;
    }
    CHECK(cudaDeviceSynchronize());
}
EOC
line() { grep -nF -- "$1" "$dir/textures.cu" | head -n 1 | cut -d: -f1; }
where() { echo "textures.cu:$(line "$1")"; }
none() { ends 0 && [ "$(hazards)" = 0 ]; }
play textures 1
ok "a copy to a texel and a kernel that samples it, in no order, are a hazard" \
    says "cudaMemcpy2DToArrayAsync in stream .*$(where 'case 1:'): kernel sample in stream .*reads them too"
play textures 2
ok 'a copy to the texel beside it is none' none
play textures 3
ok 'so is a store through a surface' says "$(where 'case 3:'): kernel put .*kernel sample"
play textures 4
ok 'a store beside it is none' none
play textures 5
ok 'so is a memset of linear memory that is fetched meanwhile' says "cudaMemset3DAsync .*$(where 'case 5:'): kernel fetch"
play textures 6
ok 'so is a copy out of an array that a kernel writes' says "$(where 'case 6:'): kernel put .*cudaMemcpy2DFromArrayAsync"
play textures 7
ok 'texels that nobody has written are told of' grep -q "$(where '// sample').*\(nothing has written\|never\|no one\)" "$dir/err"
play textures 8
ok 'an array that is freed under a kernel is told of' grep -q "^\(hazard\|note\): .*kernel sample .*gives them back" "$dir/err"

# ends_with CASE SENTENCE WORDS…: the kernel ends, and these words are said
ends_with() {
    play textures "$1"
    wanted=("${@:3}")
    ok "$2" eval 'ends 1 && for words in "${wanted[@]}"; do complains "$words" || exit 1; done'
}
ends_with 10 'a texture whose array was freed is a fault' "why: kernel sample, launched in line $(line 'case 10'), touched " 'memory that cudaFreeArray in line'
ends_with 11 'so is one that was destroyed' 'tex2D: 0x' 'is not a texture object: cudaDestroyTextureObject has destroyed it, before this kernel ran' \
    "why: kernel sample, launched in line $(line 'case 11'), failed while it ran"
ends_with 12 'and one that is destroyed before its kernel runs' 'cudaDestroyTextureObject has destroyed it, before this kernel ran'
ends_with 13 'and one that nobody made' 'tex2D: 0x777 is not a texture object: cudaCreateTextureObject makes them'
ends_with 14 'tex2D does not read linear memory' 'tex2D: the texture object was made of cudaResourceTypeLinear, which tex1Dfetch reads'
ends_with 15 'tex1Dfetch reads nothing else' 'tex1Dfetch: the texture object was not made of cudaResourceTypeLinear'
ends_with 16 'a store outside a surface ends the kernel' 'surf2Dwrite: (64, 2, 0) lies outside the surface, which has 64 bytes x 8 rows x 1 slices'
ends_with 17 'so does one between two elements' 'surf2Dwrite: x is 3, which is not a multiple of the 4 bytes that it reads or writes: x counts bytes' \
    cudaErrorMisalignedAddress
ends_with 18 'and a load outside' 'surf2Dread: (-4, 2, 0) lies outside the surface'
ends_with 19 'and a surface that was destroyed' 'is not a surface object: cudaDestroySurfaceObject has destroyed it'
ends_with 20 'and linear memory that was freed' 'memory that cudaFree in line'

why() {
    play textures "$1"
    wanted=$3
    ok "$2" eval 'ends 1 && complains "    why: " && complains "$wanted"'
}
why 30 'a texture is made of something' 'the second argument, pResDesc, is NULL'
why 31 'and of an array that there is' "the resource's res.array.array, is not an array: it was destroyed by cudaFreeArray in line"
why 32 'linear memory begins where textures may' "the resource's res.linear.devPtr does not lie at a multiple of 512 bytes"
why 33 'and is as long as is said' "the resource's res.linear.devPtr is device memory (cudaMalloc in line $(line 'cudaMalloc(&line')), with 4096 bytes from there on; the texture needs 4100"
why 34 'and there' "the resource's res.linear.devPtr is NULL"
why 35 'rows begin where they may' "the resource's res.pitch2D.pitchInBytes is 40: it must be a multiple of 32"
why 36 'mipmaps are refused' "the resource's resType is 1; the simulator has cudaResourceTypeArray, cudaResourceTypeLinear and cudaResourceTypePitch2D"
why 37 'integers are not filtered' 'filterMode is cudaFilterModeLinear, and what is read are integers'
why 38 'sRGB is refused' 'sRGB is set, and the simulator has no such conversion'
why 39 'views are refused' 'the simulator has no views of textures'
why 40 'a texture object is destroyed once' "the argument, texObject, is not a texture object: it was destroyed by cudaDestroyTextureObject in line $(line 'case 40')"
why 41 'NULL is not a texture object' 'the argument, texObject, is not a texture object: it is NULL (cudaCreateTextureObject makes texture objects)'
why 42 'a surface is made of an array for that' 'the array was made without cudaArraySurfaceLoadStore'
why 43 'and of nothing else' "the resource's resType is 2; a surface is made of an array"
why 44 'a texture is no surface' 'the argument, surfObject, is not a surface object: no call returned it'
why 45 'an address mode is one of four' 'addressMode[1] is 7, which is not a valid one'
why 46 'a surface is no texture' 'the second argument, texObject, is not a texture object'

# ---- what only the simulator is asked ----

build values << 'EOC'
#include <cuda_fp16.h>
#include "streams.h"
enum { SIZE = 8 };
template <typename T> __global__ void twice(T *to, cudaTextureObject_t t) { to[threadIdx.x] = tex1Dfetch<T>(t, threadIdx.x); }
template <typename T> __global__ void through(cudaSurfaceObject_t s) { T v = surf1Dread<T>(s, threadIdx.x * sizeof v); surf1Dwrite(v, s, (SIZE + threadIdx.x) * sizeof v); }
__global__ void cube(cudaSurfaceObject_t s, cudaTextureObject_t t, float *to)
{
    surf3Dwrite(surf3Dread<short>(s, 2, 1, 1) + 1, s, 4, 3, 2);
    to[0] = tex3D<short>(t, 2, 3, 2);
}
__global__ void halves(float2 *to, cudaTextureObject_t t) { to[threadIdx.x] = tex1D<float2>(t, threadIdx.x + 1.0f); }
__global__ void between(float *to, cudaTextureObject_t t, float x) { *to = tex1D<float>(t, x); }
static int wrong;
static cudaTextureObject_t texture(cudaResourceDesc r, cudaTextureFilterMode filter)
{
    cudaTextureDesc how = {}, same;
    cudaTextureObject_t t;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = cudaAddressModeClamp;
    how.filterMode = filter;
    CHECK(cudaCreateTextureObject(&t, &r, &how, NULL));
    CHECK(cudaGetTextureObjectTextureDesc(&same, t));
    wrong += memcmp(&same, &how, sizeof how) != 0;
    return t;
}
static cudaResourceDesc of_array(cudaArray_t a)
{
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}
/* Linear memory, managed, and an array: what is read is what was written. */
template <typename T> void try_type()
{
    T *from, *to, back[SIZE];
    cudaArray_t array;
    cudaSurfaceObject_t s;
    cudaResourceDesc r = {};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    CHECK(cudaMallocManaged(&from, SIZE * sizeof(T)));
    CHECK(cudaMallocManaged(&to, SIZE * sizeof(T)));
    for (size_t i = 0; i < SIZE * sizeof(T); i++)
        ((unsigned char *)from)[i] = (unsigned char)(100 + 29 * i);
    r.resType = cudaResourceTypeLinear;
    r.res.linear = { from, format, SIZE * sizeof(T) };
    cudaTextureObject_t t = texture(r, cudaFilterModePoint);
    twice<<<1, SIZE>>>(to, t);
    CHECK(cudaDeviceSynchronize());
    wrong += memcmp(from, to, SIZE * sizeof(T)) != 0;
    CHECK(cudaMallocArray(&array, &format, 2 * SIZE, 0, cudaArraySurfaceLoadStore));
    r = of_array(array);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, from, SIZE * sizeof(T), SIZE * sizeof(T), 1, cudaMemcpyDefault));
    CHECK(cudaCreateSurfaceObject(&s, &r));
    through<T><<<1, SIZE>>>(s);
    CHECK(cudaMemcpy2DFromArray(back, sizeof back, array, sizeof back, 0, sizeof back, 1, cudaMemcpyDefault));
    wrong += memcmp(from, back, sizeof back) != 0;
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}
#define TRY(T, E) try_type<E>(), try_type<T##1>(), try_type<T##2>(), try_type<T##4>()
int main(int argc, char **argv)
{
    try_type<char>(), TRY(char, signed char), TRY(uchar, unsigned char), TRY(short, short), TRY(ushort, unsigned short), TRY(int, int);
    TRY(uint, unsigned), TRY(float, float);
    printf("%d\n", wrong);

    float2 *d, back[SIZE];
    __half2 pairs[SIZE];
    cudaArray_t array, box;
    cudaChannelFormatDesc halves_of = cudaCreateChannelDescHalf2(), small = cudaCreateChannelDesc<short>();
    CHECK(cudaMalloc(&d, sizeof back));
    CHECK(cudaMallocArray(&array, &halves_of, SIZE));
    for (int i = 0; i < SIZE; i++)
        pairs[i] = __floats2half2_rn(i * 0.25f, i - 3.0f);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, pairs, sizeof pairs, sizeof pairs, 1, cudaMemcpyHostToDevice));
    halves<<<1, SIZE>>>(d, texture(of_array(array), cudaFilterModeLinear));
    CHECK(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    printf("%g %g %g %g\n", back[0].x, back[0].y, back[6].x, back[7].y);

    static short cells[3][4][SIZE];
    for (int i = 0; i < 3 * 4 * SIZE; i++)
        cells[i / SIZE / 4][i / SIZE % 4][i % SIZE] = i;
    CHECK(cudaMalloc3DArray(&box, &small, make_cudaExtent(SIZE, 4, 3), cudaArraySurfaceLoadStore));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(cells, sizeof cells[0][0], SIZE, 4);
    p.dstArray = box;
    p.extent = make_cudaExtent(SIZE, 4, 3);
    p.kind = cudaMemcpyHostToHost;      /* an array is on the device, whatever that says */
    CHECK(cudaMemcpy3D(&p));
    cudaSurfaceObject_t s;
    cudaResourceDesc r = of_array(box);
    CHECK(cudaCreateSurfaceObject(&s, &r));
    cube<<<1, 1>>>(s, texture(r, cudaFilterModePoint), (float *)d);
    CHECK(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    printf("%g\n", back[0].x);

    /* Through a capture: the graph copies to the array, the kernel after it samples it. */
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaTextureObject_t t = texture(of_array(array), cudaFilterModeLinear);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, pairs, sizeof pairs, sizeof pairs, 1, cudaMemcpyHostToDevice, stream));
    halves<<<1, SIZE, 0, stream>>>(d, t);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    pairs[0] = pairs[1] = __floats2half2_rn(9, 9);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    printf("%g %g\n", back[0].x, back[1].x);

    /* Fractions have 8 bits. */
    cudaArray_t two;
    cudaChannelFormatDesc real = cudaCreateChannelDesc<float>();
    const float ends[] = { 0, 256 }, at[] = { 0.8f, 1.499f, 0.501f };
    CHECK(cudaMallocArray(&two, &real, 2));
    CHECK(cudaMemcpy2DToArray(two, 0, 0, ends, 8, 8, 1, cudaMemcpyHostToDevice));
    t = texture(of_array(two), cudaFilterModeLinear);
    for (int i = 0; i < 3; i++)
        between<<<1, 1>>>((float *)d + i, t, at[i]);
    CHECK(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    printf("%g %g %g\n", back[0].x, back[0].y, back[1].x);
    if (argc > 1)
        tex2D<float>(t, 1, 2);
}
EOC
play values
ok 'all types come through textures and surfaces as they are; numbers of 16 bits, three dimensions, graphs and fractions of 8 bits do' prints '0
0.125 -2.5 1.625 4
42
9 4.75
77 256 0'
ok 'and no hazard is told of' eval 'ends 0 && [ "$(hazards)" = 0 ]'
play values on-the-host
ok 'the host that samples a texture is told so' eval '! ends 0 && complains "tex2D"'

# ---- replays ----

open_simulator
mv "$dir/textures" "$dir/plain" && build textures
ok 'the log of a program with textures says what its replay gives' replays textures 2

done_testing
