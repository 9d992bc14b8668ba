/* SPDX-License-Identifier: MIT */
#include "sim/texture/texture.h"

#include "sim/api/api_call.h"
#include "sim/api/memory/array_area.h"
#include "sim/memory/allocation.h"
#include "sim/memory/because.h"
#include "trace/record/memory.h"

/* Where memory that a texture is made of begins, and its rows: at multiples of that many bytes
 * (cudaDeviceProp). */
enum { TEXTURE_ALIGNMENT = 512, TEXTURE_PITCH_ALIGNMENT = 32 };

static struct texels texels_of_format(const void *at, const struct cudaChannelFormatDesc *format)
{
    return (struct texels){ .at = (char *)(uintptr_t)at, .size = { 1, 1, 1 },
                            .element = format_bytes(format), .format = *format,
                            .channels = format_channels(format) };
}

static cudaError_t texels_of_array(struct api_call *e, cudaError_t status,
                                   const struct cudaResourceDesc *r, struct texels *t)
{
    const struct array *array;
    status = array_of(e, status, r->res.array.array, "resource's res.array.array", &array);
    if (status != cudaSuccess)
        return status == cudaErrorInvalidResourceHandle ? cudaErrorInvalidValue : status;
    *t = texels_of_format(array->at, &array->format);
    t->size = array_extent(array);
    t->pitch = array_pitch(array);
    t->kind = array->flags & (cudaArrayLayered | cudaArrayCubemap);
    return cudaSuccess;
}

static cudaError_t refuse_memory(struct api_call *e, cudaError_t status, const char *part,
                                 const void *at, size_t bytes, size_t element)
{
    status = REFUSE(e, status, element == 0, cudaErrorInvalidChannelDescriptor,
                    "the resource's res.%s.desc is not a valid format", part);
    status = REFUSE(
        e, status, (uintptr_t)at % TEXTURE_ALIGNMENT != 0, cudaErrorInvalidValue,
        "the resource's res.%s.devPtr does not lie at a multiple of %d bytes, as textureAlignment of cudaDeviceProp demands",
        part, (int)TEXTURE_ALIGNMENT);
    const struct words missing = words_of_missing(at, bytes);
    status = REFUSE(e, status, missing.text[0], cudaErrorInvalidValue,
                    "the resource's res.%s.devPtr is %s; the texture needs %zu bytes", part, missing.text,
                    bytes);
    return REFUSE(e, status, memory_kind_of(at, bytes) == MEM_PAGEABLE, cudaErrorInvalidValue,
                  "the resource's res.%s.devPtr is %s", part, words_of_memory(at).text);
}

static cudaError_t texels_of_line(struct api_call *e, cudaError_t status,
                                  const struct cudaResourceDesc *r, struct texels *t)
{
    *t = texels_of_format(r->res.linear.devPtr, &r->res.linear.desc);
    status = refuse_memory(e, status, "linear", t->at, r->res.linear.sizeInBytes, t->element);
    status = REFUSE(e, status, r->res.linear.sizeInBytes < t->element, cudaErrorInvalidValue,
                    "the resource's res.linear.sizeInBytes is %zu, and an "
                    "element has %zu",
                    r->res.linear.sizeInBytes, t->element);
    if (status == cudaSuccess)
        t->size.width = r->res.linear.sizeInBytes / t->element;
    return status;
}

static cudaError_t texels_of_rows(struct api_call *e, cudaError_t status,
                                  const struct cudaResourceDesc *r, struct texels *t)
{
    size_t row = 0, bytes = 0, width = r->res.pitch2D.width, height = r->res.pitch2D.height,
           pitch = r->res.pitch2D.pitchInBytes;
    *t = texels_of_format(r->res.pitch2D.devPtr, &r->res.pitch2D.desc);
    bool fits = width > 0 && height > 0 && !__builtin_mul_overflow(width, t->element, &row)
                && !__builtin_mul_overflow(height - 1, pitch, &bytes)
                && !__builtin_add_overflow(bytes, row, &bytes);
    status = REFUSE(e, status, !fits, cudaErrorInvalidValue,
                    "the resource's res.pitch2D is %zu elements x %zu rows", width, height);
    status = refuse_memory(e, status, "pitch2D", t->at, bytes, t->element);
    status = REFUSE(
        e, status, pitch % TEXTURE_PITCH_ALIGNMENT != 0 || pitch < row, cudaErrorInvalidValue,
        "the resource's res.pitch2D.pitchInBytes is %zu: it must be a multiple of %d, as texturePitchAlignment of cudaDeviceProp "
        "demands, and at least the %zu of a row",
        pitch, (int)TEXTURE_PITCH_ALIGNMENT, row);
    t->size.width = width;
    t->size.height = height;
    t->pitch = pitch;
    return status;
}

static cudaError_t texels_of(struct api_call *e, cudaError_t status,
                             const struct cudaResourceDesc *r, struct texels *t)
{
    if (status != cudaSuccess)
        return status;
    switch (r->resType) {
    case cudaResourceTypeArray: return texels_of_array(e, status, r, t);
    case cudaResourceTypeLinear: return texels_of_line(e, status, r, t);
    case cudaResourceTypePitch2D: return texels_of_rows(e, status, r, t);
    default:
        return because(&e->call, cudaErrorInvalidValue,
                       "the resource's resType is %d; the simulator has cudaResourceTypeArray, "
                       "cudaResourceTypeLinear and cudaResourceTypePitch2D",
                       (int)r->resType);
    }
}

static cudaError_t refuse_sampling(struct api_call *e, cudaError_t status, const struct texture *t)
{
    const struct cudaTextureDesc *how = &t->how;
    for (int i = 0; i < 3; i++)
        status = REFUSE(e, status, (unsigned)how->addressMode[i] > cudaAddressModeBorder,
                        cudaErrorInvalidValue, "addressMode[%d] is %d, which is not a valid one", i,
                        (int)how->addressMode[i]);
    status =
        REFUSE(e, status, (unsigned)how->filterMode > cudaFilterModeLinear, cudaErrorInvalidValue,
               "filterMode is %d, which is not a valid one", (int)how->filterMode);
    status = REFUSE(e, status, (unsigned)how->readMode > cudaReadModeNormalizedFloat,
                    cudaErrorInvalidValue, "readMode is %d, which is not a valid one",
                    (int)how->readMode);
    status = REFUSE(e, status, how->sRGB, cudaErrorNotSupported,
                    "sRGB is set, and the simulator has no such conversion");
    status = REFUSE(e, status, how->seamlessCubemap, cudaErrorNotSupported,
                    "seamlessCubemap is set, and the simulator filters each face by itself");
    bool filters =
        how->filterMode == cudaFilterModeLinear && t->resource.resType != cudaResourceTypeLinear;
    return REFUSE(
        e, status, filters && !texture_is_real(t), cudaErrorInvalidFilterSetting,
        "filterMode is cudaFilterModeLinear, and what is read are integers: with cudaReadModeNormalizedFloat those of 8 and 16 bits "
        "become float");
}

/* ---- objects: numbers for the program, handles here ---- */

static const struct objects { struct handles *handles; const char *what, *destroy; }
    texture_objects = { &textures, "texture", "cudaDestroyTextureObject" },
    surface_objects = { &surfaces, "surface", "cudaDestroySurfaceObject" };

/* NULL where the status is no success, or is none any more. */
static void *object_of(struct api_call *e, cudaError_t *status, const struct objects *o,
                       unsigned long long object, const char *argument)
{
    const void *handle = (const void *)(uintptr_t)object;
    void *found = handle_find(o->handles, handle);
    *status = REFUSE(e, *status, !found, cudaErrorInvalidValue, "the %s, is not a %s object: %s",
                     argument, o->what, words_of_handle(o->handles, handle, o->destroy).text);
    return *status == cudaSuccess ? found : NULL;
}

static cudaError_t destroy_object(const struct objects *o, unsigned long long object,
                                  const char *argument)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, o->destroy);
    void *found = object_of(&e, &status, o, object, argument);
    if (found) {
        e.call.dst = object;
        handle_take_back(o->handles, (void *)(uintptr_t)object);
        memory_resize(found, 0);
    }
    return api_finish(&e, status);
}

/* ---- textures ---- */

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *how,
                                    const struct cudaResourceViewDesc *view)
{
    struct api_call e;
    cudaError_t status = refuse_null(&e, api_open(&e, CALL_OTHER, "cudaCreateTextureObject"),
                                     object, "first argument, pTexObject");
    status = refuse_null(&e, status, resource, "second argument, pResDesc");
    status = refuse_null(&e, status, how, "third argument, pTexDesc");
    status = REFUSE(
        &e, status, view, cudaErrorNotSupported,
        "the fourth argument, pResViewDesc, is not NULL; the simulator has no views of textures");
    if (status != cudaSuccess)
        return api_finish(&e, status);
    struct texture t = { .resource = *resource, .how = *how };
    status = refuse_sampling(&e, texels_of(&e, status, resource, &t.texels), &t);
    if (status != cudaSuccess)
        return api_finish(&e, status);
    struct texture *made = memory_resize(NULL, sizeof *made);
    *made = t;
    *object = e.call.dst = (uintptr_t)handle_give(&textures, made);
    return api_finish(&e, status);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    return destroy_object(&texture_objects, object, "argument, texObject");
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaTextureObject_t object)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaGetTextureObjectResourceDesc");
    status = refuse_null(&e, status, resource, "first argument, pResDesc");
    const struct texture *t =
        object_of(&e, &status, &texture_objects, object, "second argument, texObject");
    if (t)
        *resource = t->resource;
    return api_finish(&e, status);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *how, cudaTextureObject_t object)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaGetTextureObjectTextureDesc");
    status = refuse_null(&e, status, how, "first argument, pTexDesc");
    const struct texture *t =
        object_of(&e, &status, &texture_objects, object, "second argument, texObject");
    if (t)
        *how = t->how;
    return api_finish(&e, status);
}

/* ---- surfaces ---- */

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                    const struct cudaResourceDesc *resource)
{
    struct api_call e;
    cudaError_t status = refuse_null(&e, api_open(&e, CALL_OTHER, "cudaCreateSurfaceObject"),
                                     object, "first argument, pSurfObject");
    status = refuse_null(&e, status, resource, "second argument, pResDesc");
    status =
        REFUSE(&e, status, resource->resType != cudaResourceTypeArray, cudaErrorInvalidValue,
               "the resource's resType is %d; a surface is made of an array, cudaResourceTypeArray",
               (int)resource->resType);
    struct surface s = { .resource =
                             status == cudaSuccess ? *resource : (struct cudaResourceDesc){ 0 } };
    if (status == cudaSuccess)
        status = texels_of_array(&e, status, resource, &s.texels);
    status = REFUSE(&e, status,
                    !(array_find(resource->res.array.array)->flags & cudaArraySurfaceLoadStore),
                    cudaErrorInvalidValue, "the array was made without cudaArraySurfaceLoadStore");
    if (status != cudaSuccess)
        return api_finish(&e, status);
    struct surface *made = memory_resize(NULL, sizeof *made);
    *made = s;
    *object = e.call.dst = (uintptr_t)handle_give(&surfaces, made);
    return api_finish(&e, status);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    return destroy_object(&surface_objects, object, "argument, surfObject");
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaSurfaceObject_t object)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaGetSurfaceObjectResourceDesc");
    status = refuse_null(&e, status, resource, "first argument, pResDesc");
    const struct surface *s =
        object_of(&e, &status, &surface_objects, object, "second argument, surfObject");
    if (s)
        *resource = s->resource;
    return api_finish(&e, status);
}
