/* SPDX-License-Identifier: MIT */
/*
 * nvtx3.hpp - NVTX's ranges and marks for C++ (nvToolsExt.h). Categories and payloads are taken, and nothing shows them.
 */
#ifndef NVTX3_HPP
#define NVTX3_HPP

#include <stdint.h>
#include <string>

#include "nvToolsExt.h"

namespace nvtx3 {

struct rgb {
    uint8_t red, green, blue;
    constexpr rgb(uint8_t __red, uint8_t __green, uint8_t __blue) noexcept : red(__red), green(__green), blue(__blue) {}
};
struct argb : rgb {
    uint8_t alpha;
    constexpr argb(uint8_t __alpha, uint8_t __red, uint8_t __green, uint8_t __blue) noexcept : rgb(__red, __green, __blue), alpha(__alpha) {}
};
struct color {
    uint32_t __value;
    constexpr explicit color(uint32_t __argb) noexcept : __value(__argb) {}
    constexpr color(rgb __c) noexcept : __value((uint32_t)__c.red << 16 | (uint32_t)__c.green << 8 | __c.blue) {}
    constexpr color(argb __c) noexcept : color((rgb)__c) {}
};
struct category { constexpr explicit category(uint32_t) noexcept {} };
struct payload { template <typename __T> constexpr explicit payload(__T) noexcept {} };
template <typename __D> struct named_category_in : category {
    named_category_in(uint32_t __id, const char *) noexcept : category(__id) {}
};

class domain {
public:
    struct global { static constexpr const char *name = ""; };
};
typedef named_category_in<domain::global> named_category;

class message {
    std::string __text;

public:
    message(const char *__t) : __text(__t ? __t : "") {}
    message(const std::string &__t) : __text(__t) {}
    const char *__name() const noexcept { return __text.c_str(); }
};
template <typename __D> struct registered_string_in : message { using message::message; };
typedef registered_string_in<domain::global> registered_string;

/* A domain's handle: those that give it no name of type char are the default one. */
static inline nvtxDomainHandle_t __domain_of(const char *__name) { return nvtxDomainCreateA(__name); }
static inline nvtxDomainHandle_t __domain_of(const wchar_t *) { return 0; }

/* Of what it is made, in any order, the message and the color count. */
class event_attributes {
    message __message = "";
    int32_t __color_type = NVTX_COLOR_UNKNOWN;
    uint32_t __color = 0;
    template <typename __T, typename... __Rest> void __take(const __T &, const __Rest &...__rest) { __take(__rest...); }
    template <typename... __Rest> void __take(const message &__m, const __Rest &...__rest) { __message = __m; __take(__rest...); }
    template <typename... __Rest> void __take(const char *__m, const __Rest &...__rest) { __message = message(__m); __take(__rest...); }
    template <typename... __Rest> void __take(const std::string &__m, const __Rest &...__rest) { __message = message(__m); __take(__rest...); }
    template <typename... __Rest> void __take(const color &__c, const __Rest &...__rest) { __color_type = NVTX_COLOR_ARGB; __color = __c.__value; __take(__rest...); }
    template <typename... __Rest> void __take(const rgb &__c, const __Rest &...__rest) { __take(color(__c), __rest...); }
    template <typename... __Rest> void __take(const argb &__c, const __Rest &...__rest) { __take(color(__c), __rest...); }
    void __take() {}

public:
    event_attributes() {}
    template <typename __T, typename... __Rest> explicit event_attributes(const __T &__first, const __Rest &...__rest) { __take(__first, __rest...); }
    const char *__name() const noexcept { return __message.__name(); }
    /* NVTX's own, as long as this object is there. */
    nvtxEventAttributes_t __get() const noexcept
    {
        nvtxEventAttributes_t __e = {};
        __e.version = NVTX_VERSION;
        __e.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        __e.colorType = __color_type;
        __e.color = __color;
        __e.messageType = NVTX_MESSAGE_TYPE_ASCII;
        __e.message.ascii = __name();
        return __e;
    }
};

template <typename __D = domain::global> class scoped_range_in {
    void __push(const event_attributes &__a)
    {
        nvtxEventAttributes_t __e = __a.__get();
        nvtxDomainRangePushEx(__domain_of(__D::name), &__e);
    }

public:
    explicit scoped_range_in(const event_attributes &__a) { __push(__a); }
    template <typename... __A> explicit scoped_range_in(const __A &...__a) { __push(event_attributes(__a...)); }
    scoped_range_in() { __push(event_attributes()); }
    ~scoped_range_in() { nvtxDomainRangePop(__domain_of(__D::name)); }
    scoped_range_in(const scoped_range_in &) = delete;
    scoped_range_in &operator=(const scoped_range_in &) = delete;
};
typedef scoped_range_in<> scoped_range;
typedef scoped_range_in<> thread_range;

struct range_handle {
    nvtxRangeId_t __id = 0;
    range_handle() noexcept {}
    explicit range_handle(nvtxRangeId_t __i) noexcept : __id(__i) {}
};
template <typename __D = domain::global> range_handle start_range_in(const event_attributes &__a)
{
    nvtxEventAttributes_t __e = __a.__get();
    return range_handle(nvtxDomainRangeStartEx(__domain_of(__D::name), &__e));
}
template <typename __D = domain::global, typename... __A> range_handle start_range_in(const __A &...__a) { return start_range_in<__D>(event_attributes(__a...)); }
static inline range_handle start_range(const event_attributes &__a) { return start_range_in<>(__a); }
template <typename... __A> range_handle start_range(const __A &...__a) { return start_range_in<>(event_attributes(__a...)); }
template <typename __D = domain::global> void end_range_in(range_handle __r) { nvtxRangeEnd(__r.__id); }
static inline void end_range(range_handle __r) { nvtxRangeEnd(__r.__id); }
template <typename __D = domain::global> class unique_range_in {
    range_handle __range;

public:
    explicit unique_range_in(const event_attributes &__a) : __range(start_range_in<__D>(__a)) {}
    template <typename... __A> explicit unique_range_in(const __A &...__a) : __range(start_range_in<__D>(event_attributes(__a...))) {}
    unique_range_in() : __range(start_range_in<__D>(event_attributes())) {}
    unique_range_in(unique_range_in &&__other) noexcept : __range(__other.__range) { __other.__range = range_handle(); }
    unique_range_in &operator=(unique_range_in &&__other) noexcept
    {
        range_handle __mine = __range;
        __range = __other.__range;
        __other.__range = __mine;       /* it ends with the other one */
        return *this;
    }
    unique_range_in(const unique_range_in &) = delete;
    unique_range_in &operator=(const unique_range_in &) = delete;
    ~unique_range_in()
    {
        if (__range.__id != 0)
            nvtxRangeEnd(__range.__id);
    }
};
typedef unique_range_in<> unique_range;
template <typename __D = domain::global> void mark_in(const event_attributes &__a)
{
    nvtxEventAttributes_t __e = __a.__get();
    nvtxDomainMarkEx(__domain_of(__D::name), &__e);
}
template <typename __D = domain::global, typename... __A> void mark_in(const __A &...__a) { mark_in<__D>(event_attributes(__a...)); }
static inline void mark(const event_attributes &__a) { mark_in<>(__a); }
template <typename... __A> void mark(const __A &...__a) { mark_in<>(event_attributes(__a...)); }

}

#define NVTX3_V1_FUNC_RANGE_IN(__D) ::nvtx3::scoped_range_in<__D> const __nvtx3_range(__func__)
#define NVTX3_FUNC_RANGE_IN(__D) NVTX3_V1_FUNC_RANGE_IN(__D)
#define NVTX3_FUNC_RANGE() NVTX3_V1_FUNC_RANGE_IN(::nvtx3::domain::global)
#define NVTX3_FUNC_RANGE_IF_IN(__D, __c) NVTX3_V1_FUNC_RANGE_IN(__D)
#define NVTX3_FUNC_RANGE_IF(__c) NVTX3_FUNC_RANGE()

#endif
