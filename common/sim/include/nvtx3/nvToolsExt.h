/* SPDX-License-Identifier: MIT */
/*
 * nvToolsExt.h - NVTX's ranges and marks. Timelines draw them, and the innermost range of a thread names what follows it, as label_push does
 * (streams.h). Categories, payloads and names of threads are taken, and nothing shows them.
 */
#ifndef NVTOOLSEXT_H_
#define NVTOOLSEXT_H_

#include <stddef.h>
#include <stdint.h>

#include "sim_range.h"

#define NVTX_VERSION 3
#define NVTX_NO_PUSH_POP_TRACKING (-2)
enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 };
enum { NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2, NVTX_MESSAGE_TYPE_REGISTERED = 3 };
enum { NVTX_PAYLOAD_UNKNOWN = 0, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1, NVTX_PAYLOAD_TYPE_INT64 = 2, NVTX_PAYLOAD_TYPE_DOUBLE = 3 };

typedef uint64_t nvtxRangeId_t;
/* Both stand for a text: the domain's name, the string. */
typedef struct nvtxDomain_st *nvtxDomainHandle_t;
typedef struct nvtxString_st *nvtxStringHandle_t;
typedef union nvtxMessageValue_t { const char *ascii; const wchar_t *unicode; nvtxStringHandle_t registered; } nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union { uint64_t ullValue; int64_t llValue; double dValue; uint32_t uiValue; int32_t iValue; float fValue; } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

static inline struct sim_range __nvtx_named(const char *__name)
{
    struct sim_range __r = { 0, __name ? __name : "", 0, -1 };
    return __r;
}

static inline struct sim_range __nvtx_range(nvtxDomainHandle_t __domain, const nvtxEventAttributes_t *__e)
{
    struct sim_range __r = __nvtx_named(__e && __e->messageType == NVTX_MESSAGE_TYPE_ASCII ? __e->message.ascii : "");
    __r.__domain = (unsigned)(uintptr_t)__domain;
    if (__e && __e->messageType == NVTX_MESSAGE_TYPE_REGISTERED) {
        __r.__name = 0;
        __r.__text = (unsigned)(uintptr_t)__e->message.registered;
    }
    if (__e && __e->colorType == NVTX_COLOR_ARGB)
        __r.__color = (int)(__e->color & 0xffffff);
    return __r;
}

#ifdef NVTX_DISABLE
static inline int __nvtx_push(struct sim_range __r) { (void)__r; return NVTX_NO_PUSH_POP_TRACKING; }
static inline int __nvtx_pop(unsigned __domain) { (void)__domain; return NVTX_NO_PUSH_POP_TRACKING; }
static inline nvtxRangeId_t __nvtx_start(struct sim_range __r) { (void)__r; return 0; }
static inline void __nvtx_end(nvtxRangeId_t __range) { (void)__range; }
static inline void __nvtx_mark(struct sim_range __r) { (void)__r; }
#else
static inline int __nvtx_push(struct sim_range __r) { return sim_range_push(&__r); }
static inline int __nvtx_pop(unsigned __domain) { return sim_range_pop(__domain); }
static inline nvtxRangeId_t __nvtx_start(struct sim_range __r) { return sim_range_start(&__r); }
static inline void __nvtx_end(nvtxRangeId_t __range) { sim_range_end(__range); }
static inline void __nvtx_mark(struct sim_range __r) { sim_range_mark(&__r); }
#endif

static inline int nvtxRangePushA(const char *__name) { return __nvtx_push(__nvtx_named(__name)); }
static inline int nvtxRangePushEx(const nvtxEventAttributes_t *__event) { return __nvtx_push(__nvtx_range(0, __event)); }
static inline int nvtxRangePop(void) { return __nvtx_pop(0); }
static inline nvtxRangeId_t nvtxRangeStartA(const char *__name) { return __nvtx_start(__nvtx_named(__name)); }
static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *__event) { return __nvtx_start(__nvtx_range(0, __event)); }
static inline void nvtxRangeEnd(nvtxRangeId_t __range) { __nvtx_end(__range); }
static inline void nvtxMarkA(const char *__name) { __nvtx_mark(__nvtx_named(__name)); }
static inline void nvtxMarkEx(const nvtxEventAttributes_t *__event) { __nvtx_mark(__nvtx_range(0, __event)); }

static inline nvtxDomainHandle_t nvtxDomainCreateA(const char *__name) { return (nvtxDomainHandle_t)(uintptr_t)sim_range_text(__name); }
static inline void nvtxDomainDestroy(nvtxDomainHandle_t __domain) { (void)__domain; }
static inline nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t __domain, const char *__s)
{
    (void)__domain;
    return (nvtxStringHandle_t)(uintptr_t)sim_range_text(__s);
}
static inline int nvtxDomainRangePushEx(nvtxDomainHandle_t __domain, const nvtxEventAttributes_t *__event) { return __nvtx_push(__nvtx_range(__domain, __event)); }
static inline int nvtxDomainRangePop(nvtxDomainHandle_t __domain) { return __nvtx_pop((unsigned)(uintptr_t)__domain); }
static inline nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t __domain, const nvtxEventAttributes_t *__event) { return __nvtx_start(__nvtx_range(__domain, __event)); }
static inline void nvtxDomainRangeEnd(nvtxDomainHandle_t __domain, nvtxRangeId_t __range) { (void)__domain; __nvtx_end(__range); }
static inline void nvtxDomainMarkEx(nvtxDomainHandle_t __domain, const nvtxEventAttributes_t *__event) { __nvtx_mark(__nvtx_range(__domain, __event)); }

static inline void nvtxInitialize(const void *__reserved) { (void)__reserved; }
static inline void nvtxNameOsThreadA(uint32_t __id, const char *__name) { (void)__id, (void)__name; }
static inline void nvtxNameCategoryA(uint32_t __category, const char *__name) { (void)__category, (void)__name; }
static inline void nvtxDomainNameCategoryA(nvtxDomainHandle_t __domain, uint32_t __category, const char *__name) { (void)__domain, (void)__category, (void)__name; }
#define nvtxRangePush nvtxRangePushA
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA

#endif
