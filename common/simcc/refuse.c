/* SPDX-License-Identifier: MIT */
#include "simcc/refuse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simcc/rewrite/rewrite.h"
#include "trace/record/memory.h"

/* Headers and names by what they begin with; a * at the end of a name: by the whole of it. */
static const struct { const char *what, *beginnings; } absent[] = {
    { "Thrust", "thrust/ thrust*" },
    { "CUB", "cub/ cub*" },
    { "cuRAND", "curand" },
    { "cuBLAS", "cublas" },
    { "cuFFT", "cufft" },
    { "cuSPARSE", "cusparse" },
    { "cuSOLVER", "cusolver" },
    { "cuDNN", "cudnn" },
    { "NPP", "npp" },
    { "NCCL", "nccl" },
    { "NVML", "nvml" },
    { "nvJPEG", "nvjpeg" },
    { "CUTLASS", "cutlass cute/" },
    { "NVRTC, which compiles while a program runs", "nvrtc" },
    { "modules, which are loaded while a program runs", "cuModule CUmodule cuLink cuLibrary CUlibrary cudaLibrary cudalibrary cudaKernel_t* cuFuncGetModule "
      "cuGetProcAddress cudaGetDriverEntryPoint cudaDriverEntryPoint cudaEnableDefault* cudaEnableLegacyStream* cudaEnablePerThreadDefaultStream* "
      "cudaJit CU_JIT cudaPreferBinary* cudaPreferPtx*" },
    { "tensor cores", "mma.h wmma* nvcuda" },
    { "texture and surface references, which CUDA 12 removed (objects do the same)", "texture* surface* textureReference surfaceReference "
      "texture_fetch_functions.h* surface_functions.h* cuda_texture_types.h* cuda_surface_types.h* cudaBindTexture cudaBindSurface "
      "cudaUnbindTexture cudaGetTextureReference cudaGetSurfaceReference cudaGetTextureAlignmentOffset cudaTextureType cudaSurfaceType" },
    { "mipmaps", "cudaMallocMipmappedArray cudaFreeMipmappedArray cudaMipmapped cudaGetMipmapped tex1DLod tex2DLod tex3DLod tex1DGrad "
      "tex2DGrad tex3DGrad tex1DLayeredLod tex2DLayeredLod tex1DLayeredGrad tex2DLayeredGrad texCubemapLod texCubemapGrad texCubemapLayeredLod "
      "texCubemapLayeredGrad" },
    { "gathers from textures", "tex2Dgather cudaArrayTextureGather" },
    { "sparse arrays, or arrays of several planes", "cudaArraySparse cudaArrayGetSparse cudaArrayGetMemoryRequirements cudaArrayDeferredMapping "
      "cudaArrayColorAttachment cudaArrayGetPlane cudaArrayMemoryRequirements" },
    { "other views of a texture's array", "cudaResourceView cudaResViewFormat cudaGetTextureObjectResourceView" },
    { "formats of this name", "cudaChannelFormatKind" },
    { "questions for a texture's limits", "cudaDeviceGetTexture" },
    { "textures and surfaces of the driver API", "cuTex cuSurf cuArray cuMipmappedArray CUarray CUtex CUsurf CUmipmapped CUDA_ARRAY CUDA_RESOURCE "
      "CUDA_TEXTURE" },
    { "graphics", "cuda_gl_interop.h cudaGL cuda_d3d cudaD3D cuda_egl cudaEGL cuda_vdpau cudaVDPAU cudaGraphics cuGraphics cuda_vulkan" },
    { "memory and events of other processes in the driver API", "cuIpc cuMemPoolExport cuMemPoolImport" },
    { "memory that other machines reach", "cudaMemFabric" },
    { "memory and semaphores of other libraries", "cudaImportExternal cudaExternal cudaDestroyExternal cudaSignalExternal cudaWaitExternal cuImportExternal "
      "cuExternal" },
    { "virtual memory management", "cuMemMap cuMemUnmap cuMemCreate cuMemRelease cuMemAddress cuMemSetAccess cuMemExport cuMemImport "
      "cuMemGetAllocationGranularity CUmemGeneric" },
    { "copies of volumes between devices or in batches", "cudaMemcpy3DPeer cudaMemcpy3DBatch cudaMemcpy3DWithAttributes" },
    { "graph nodes of this kind", "cudaGraphAddExternal cudaGraphExternal cudaGraphNodeParams "
      "cudaGraphChildGraphOwnership cudaGraphDeviceNode "
      "cudaKernelNodeParamsV2 cudaMemcpyNodeParams" },
    { "thread block clusters of a preferred size", "cudaLaunchAttributePreferredCluster" },
    { "copies of an address to several blocks of a cluster", "__cluster_map_shared_multicast*" },
    { "attribute of launches of this name", "cudaLaunchAttribute cudaStreamAttr cudaKernelNodeAttr" },
    { "cooperative launches across devices", "cudaLaunchCooperativeKernelMulti this_multi_grid* multi_grid_group* cudaLaunchParams*" },
    { "vote or shuffle without _sync, as cards from compute capability 7.0 on have none", "__ballot* __any* __all* __shfl* __shfl_up* __shfl_down* "
      "__shfl_xor*" },
    { "runtime call of this name", "cudaSetValidDevices* cudaInitDevice* cudaDeviceFlushGPUDirectRDMAWrites* "
      "cudaFuncGetName* cudaOccupancyMaxPotentialBlockSizeWithFlags* "
      "cudaGetFuncBySymbol* cudaGetKernel* cudaDeviceRegisterAsyncNotification* "
      "cudaCoredump cudaDeviceGetHostAtomic "
      "cudaDeviceGetP2PAtomic cudaDeviceGetNvSci cudaDeviceUnregister cudaFuncGetParamInfo* cudaGetExportTable* cudaGraphExecExternal "
      "cudaGraphKernelNode "
      "cudaKernelSetAttribute cudaLogs cudaMemDiscard cudaMemPrefetchBatch cudaMemGetDefaultMemPool* cudaMemGetMemPool* cudaMemSetMemPool* "
      "cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags*" },
    { "enumerator or type of the runtime of this name", "cudaAsync cudaAtomic cudaCGScope cudaDevAttrReserved cudaFlushGPUDirectRDMAWrites "
      "cudaFormatMode cudaSurfaceFormatMode cudaInitDeviceFlags cudaLogLevel cudaLogIterator "
      "cudaMemAllocationType cudaMemPoolCreateUsage cudaMemcpyOperand cudaMemcpy3DOperand "
      "cudaNvSci cudaOffset3D cudaPeerAccessDefault* cudaRound" },
    { "device function of this name", "__h __low __high __float2half __double2half __float2bfloat __halves2 __isGridConstant* __cvta_ __dp2a_ norm* normf* rnorm* rnormf* "
      "cyl_bessel_i __v __pm0* __pm1* __pm2* __pm3* __barrier_sync __fmaf_ieee __double2ull_r __float2ull_r __ull2 make_double4_ make_long4_ "
      "make_ulong4_ __nv_ptx __pipeline" },
    { "copies in bulk, and barriers that count bytes", "barrier_arrive_tx* barrier_expect_tx* barrier_native_handle* memcpy_async_tx* cp_async_bulk" },
    { "the device's runtime", "cudaGetCurrentGraphExec* cudaLaunchDevice cudaGetParameterBuffer cudaStreamGraph" },
    { "driver API call of this name", "cuCtx cuDevice cuMem cuStream cuEvent cuFunc cuGraph cuPointer cuOccupancy cuMulticast cuTensorMap cuGreenCtx "
      "cuProfiler cuParam cuLaunch cuWait cuKernel CU_" },
    { "enumerator of the driver API of this name", "CUDA_GRAPH_ CUDA_COOPERATIVE CUDA_EXTERNAL CUDA_NVSCI CIG_ NVCL_" },
    { "types of the data of libraries", "CUDA_R_ CUDA_C_ CUDA_EMULATION cudaDataType cudaEmulation library_types.h* MAJOR_VERSION* MINOR_VERSION* "
      "PATCH_LEVEL*" },
    { "numbers of 6 and of 4 bits, and powers of two (e8m0)", "cuda_fp6 cuda_fp4 __nv_fp6 __nv_fp4 "
      "__nv_fp8_e8m0* __nv_fp8x2_e8m0* __nv_fp8x4_e8m0* __nv_cvt_e8m0 __nv_cvt_float_to_e8m0* __nv_cvt_double_to_e8m0* "
      "__nv_cvt_bfloat16raw_to_e8m0* __nv_cvt_float2_to_e8m0x2* __NV_E2M1* __NV_E2M3* __NV_E3M2*" },
    { "question about the type of a lambda", "__nv_is_extended" },
    { "header of libcu++ of this name", "cuda/ nv/target" },
    { "header of the toolkit of this name", "driver_functions.h* cuda_awbarrier cuda_occupancy.h* "
      "cudaProfiler.h* fatbinary_section.h* crt/ cooperative_groups/" },
};

/* Does the name begin with one of these? */
static bool is_one(const char *name, size_t length, const char *beginnings)
{
    for (const char *at = beginnings; *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");
        bool whole = at[size - 1] == '*';
        size_t need = whole ? size - 1 : size;
        if (length >= need && memcmp(name, at, need) == 0 && (!whole || length == need))
            return true;
        at += size;
    }
    return false;
}

static const char *what_is(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        if (is_one(name, length, absent[i].beginnings))
            return absent[i].what;
    return NULL;
}

/* The name in an error: a header that is not there, or what stands first in quotes. */
static const char *missing_name(const char *message, const char *end, size_t *length)
{
    static const char no_file[] = ": No such file or directory";
    const char *at = memmem(message, (size_t)(end - message), no_file, sizeof no_file - 1);
    if (at) {
        *length = (size_t)(at - message);
        return message;
    }
    static const char *const quotes[] = { "\u2018", "'" };
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
        at = memmem(message, (size_t)(end - message), quotes[i], strlen(quotes[i]));
        if (!at)
            continue;
        at += strlen(quotes[i]);
        static const char *const words[] = { "struct ", "enum ", "class ", "const ",
                                             "cooperative_groups::" };
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if ((size_t)(end - at) > strlen(words[k])
                && memcmp(at, words[k], strlen(words[k])) == 0)
                at += strlen(words[k]);
        for (*length = 0;
             at + *length < end && (isalnum((unsigned char)at[*length]) || at[*length] == '_');)
            ++*length;
        return *length > 0 ? at : NULL;
    }
    return NULL;
}

/* What has been told of already. */
struct said { const char *what[sizeof absent / sizeof *absent]; size_t count; };

static bool is_news(struct said *s, const char *what)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->what[i] == what)
            return false;
    if (what)
        s->what[s->count++] = what;
    return what;
}

bool refuse_undefined(const struct bytes *messages)
{
    static const char words[] = "undefined reference to ";
    const char *end = messages->at + messages->count;
    struct said said = { .count = 0 };
    for (const char *at = messages->at;
         at < end && (at = memmem(at, (size_t)(end - at), words, sizeof words - 1));) {
        at += sizeof words - 1;
        at += strspn(at, "`'\"");
        size_t length = strcspn(at, "'(\n\"");
        const char *what = what_is(at, length);
        if (!is_news(&said, what))
            continue;
        fprintf(stderr, "error: simcc has no %s: %.*s (book, \"What it does not do\")\n", what,
                (int)length, at);
    }
    return said.count > 0;
}

bool refuse_missing(const struct bytes *messages)
{
    const char *end = messages->at + messages->count;
    struct said said = { .count = 0 };
    for (const char *line = messages->at, *next; line < end; line = next) {
        static const char *const words[] = { ": error: ", ": fatal error: " };
        const char *line_end = memchr(line, '\n', (size_t)(end - line)), *at = NULL;
        line_end = line_end ? line_end : end;
        next = line_end < end ? line_end + 1 : end;
        size_t length = 0, skip = 0;
        for (size_t i = 0; i < sizeof words / sizeof *words && !at; i++) {
            at = memmem(line, (size_t)(line_end - line), words[i], strlen(words[i]));
            skip = strlen(words[i]);
        }
        const char *name = at ? missing_name(at + skip, line_end, &length) : NULL,
                   *what = name ? what_is(name, length) : NULL;
        if (!is_news(&said, what))
            continue;
        fprintf(stderr, "%.*s: error: simcc has no %s: %.*s (book, \"What it does not do\")\n",
                (int)(at - line), line, what, (int)length, name);
    }
    return said.count > 0;
}

/* ---- what the rewriter refuses ---- */

/* The ) that closes the line's first launch; without a launch, the line's last ). */
static const char *launch_end(const char *line)
{
    const char *at = strstr(line, ">>>");
    int depth = 0;
    for (at = at ? at : ""; *at; at++)
        if ((depth += (*at == '(') - (*at == ')')) == 0 && *at == ')')
            return at;
    return strrchr(line, ')');
}

/* Where a ; is missing: the line as it was written, and the place after its launch. */
static void show_location(const char *file, long number)
{
    FILE *in = fopen(file, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t length = 0;
    while (in && number > 0 && (length = getline(&line, &room, in)) > 0)
        number--;
    const char *last = in && number == 0 && length > 0 ? launch_end(line) : NULL;
    if (last) {
        int column = (int)(last - line) + 1;
        fprintf(stderr, "    %.*s\n    ", (int)strcspn(line, "\r\n"), line);
        for (int i = 0; i < column; i++)
            fputc(line[i] == '\t' ? '\t' : ' ', stderr);
        fputs("^\n", stderr);
    }
    free(line);
    if (in)
        fclose(in);
}

void refuse_print(char *refused)
{
    for (char *line, *rest = refused; (line = strsep(&rest, "\n")) && *line;) {
        char *file_end = strstr(line, ": error: "), *colon = file_end;
        fprintf(stderr, "%s\n", line);
        if (!file_end || strcmp(file_end + strlen(": error: "), rewrite_semicolon) != 0)
            continue;
        while (colon > line && *--colon != ':')
            ;
        *colon = '\0';
        show_location(line, strtol(colon + 1, NULL, 10));
    }
}

/* ---- calls between host and device ---- */

static size_t count_of(const struct bytes *text, const char *word)
{
    size_t count = 0, length = strlen(word);
    const char *end = text->at + text->count;
    for (const char *at = text->at; at < end && (at = memmem(at, (size_t)(end - at), word, length));
         at += length)
        count++;
    return count;
}

bool refuse_same_words(const struct bytes *host, const struct bytes *device)
{
    static const char *const words[] = { "__device__", "__host__" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (count_of(host, words[i]) != count_of(device, words[i]))
            return false;
    return true;
}

void refuse_options(struct words *command)
{
    static const char *const options[] = { "-Wvla", "-Wno-error=vla",
                                           "-Wno-error=deprecated-declarations" };
    size_t kept = 0;
    bool quiet = false;         /* then no warning is an error, either */
    for (size_t i = 0; i < command->count; i++)
        quiet = quiet || strcmp(command->list[i], "-w") == 0;
    for (size_t i = 0; i < command->count; i++)
        if (!quiet || (strcmp(command->list[i], "-w") != 0
                       && strncmp(command->list[i], "-Werror", strlen("-Werror")) != 0))
            command->list[kept++] = command->list[i];
    command->count = kept;
    WORDS_ADD_LIST(command, options);
}

bool refuse_calls(const struct words *options, struct spaces *spaces, struct bytes *messages)
{
    struct spaces_shown shown = { true, false };
    char *refused;
    for (size_t i = 0; i < options->count; i++) {
        const char *option = options->list[i];
        shown.warnings = shown.warnings && strcmp(option, "-w") != 0;
        shown.arrays = shown.arrays || strcmp(option, "-Wvla") == 0 || strstr(option, "pedantic");
    }
    if (!spaces || messages->count == 0)
        return false;
    char *rest =
        spaces_refuse(spaces, messages->at, messages->count, shown, &messages->count, &refused);
    memory_resize(messages->at, 0);
    messages->at = rest;
    if (refused)
        fputs(refused, stderr);
    bool any = refused;
    memory_resize(refused, 0);
    return any;
}
