/* SPDX-License-Identifier: MIT */
/*
 * nvToolsExt.h - NVTX's marks. The innermost range names what follows it in the timeline, as label_push does (streams.h).
 */
#ifndef NVTOOLSEXT_H_
#define NVTOOLSEXT_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
void label_push(const char *__name);
void label_pop(void);
#ifdef __cplusplus
}
#endif

#define NVTX_VERSION 3
enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 };
enum { NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2, NVTX_MESSAGE_TYPE_REGISTERED = 3 };
enum { NVTX_PAYLOAD_UNKNOWN = 0, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1, NVTX_PAYLOAD_TYPE_INT64 = 2, NVTX_PAYLOAD_TYPE_DOUBLE = 3 };

typedef uint64_t nvtxRangeId_t;
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

/* How many ranges are open on this thread. Labels nest as ranges do; one without a name would close another. */
static inline int *__nvtx_depth(void)
{
    static __thread int __depth;
    return &__depth;
}

static inline int nvtxRangePushA(const char *__name)
{
#ifndef NVTX_DISABLE
    label_push(__name && *__name ? __name : "range");
#endif
    (void)__name;
    return (*__nvtx_depth())++;
}

static inline int nvtxRangePop(void)
{
    if (*__nvtx_depth() == 0)
        return -1;
#ifndef NVTX_DISABLE
    label_pop();
#endif
    return --*__nvtx_depth();
}

static inline const char *__nvtx_name(const nvtxEventAttributes_t *__event)
{
    return __event && __event->messageType == NVTX_MESSAGE_TYPE_ASCII ? __event->message.ascii : "";
}
static inline int nvtxRangePushEx(const nvtxEventAttributes_t *__event) { return nvtxRangePushA(__nvtx_name(__event)); }
static inline void nvtxMarkA(const char *__name) { (void)__name; }
static inline void nvtxMarkEx(const nvtxEventAttributes_t *__event) { (void)__event; }
static inline nvtxRangeId_t nvtxRangeStartA(const char *__name) { (void)__name; return 1; }
static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *__event) { (void)__event; return 1; }
static inline void nvtxRangeEnd(nvtxRangeId_t __range) { (void)__range; }
static inline void nvtxNameOsThreadA(uint32_t __id, const char *__name) { (void)__id, (void)__name; }
static inline nvtxDomainHandle_t nvtxDomainCreateA(const char *__name) { (void)__name; return 0; }
static inline void nvtxDomainDestroy(nvtxDomainHandle_t __domain) { (void)__domain; }
static inline int nvtxDomainRangePushEx(nvtxDomainHandle_t __domain, const nvtxEventAttributes_t *__event) { (void)__domain; return nvtxRangePushEx(__event); }
static inline int nvtxDomainRangePop(nvtxDomainHandle_t __domain) { (void)__domain; return nvtxRangePop(); }
#define nvtxRangePush nvtxRangePushA
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA

#endif
