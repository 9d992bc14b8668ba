/* SPDX-License-Identifier: MIT */
/*
 * nvtx3.hpp - NVTX's marks for C++: ranges that end with their scope name what follows them in the timeline (nvToolsExt.h). Domains, colors,
 * categories and payloads are taken, and nothing shows them.
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
    constexpr explicit color(uint32_t) noexcept {}
    constexpr color(rgb) noexcept {}
    constexpr color(argb) noexcept {}
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

/* Of what it is made, in any order, the message counts. */
class event_attributes {
    message __message = "";
    template <typename __T, typename... __Rest> void __take(const __T &, const __Rest &...__rest) { __take(__rest...); }
    template <typename... __Rest> void __take(const message &__m, const __Rest &...__rest) { __message = __m; __take(__rest...); }
    template <typename... __Rest> void __take(const char *__m, const __Rest &...__rest) { __message = message(__m); __take(__rest...); }
    template <typename... __Rest> void __take(const std::string &__m, const __Rest &...__rest) { __message = message(__m); __take(__rest...); }
    void __take() {}

public:
    event_attributes() {}
    template <typename __T, typename... __Rest> explicit event_attributes(const __T &__first, const __Rest &...__rest) { __take(__first, __rest...); }
    const char *__name() const noexcept { return __message.__name(); }
};

template <typename __D = domain::global> class scoped_range_in {
    const event_attributes __attributes;    /* its name is asked for until the range ends */

public:
    explicit scoped_range_in(const event_attributes &__a) : __attributes(__a) { nvtxRangePushA(__attributes.__name()); }
    template <typename... __A> explicit scoped_range_in(const __A &...__a) : __attributes(__a...) { nvtxRangePushA(__attributes.__name()); }
    scoped_range_in() { nvtxRangePushA(""); }
    ~scoped_range_in() { nvtxRangePop(); }
    scoped_range_in(const scoped_range_in &) = delete;
    scoped_range_in &operator=(const scoped_range_in &) = delete;
};
typedef scoped_range_in<> scoped_range;
typedef scoped_range_in<> thread_range;

struct range_handle { nvtxRangeId_t __id; };
template <typename __D = domain::global, typename... __A> range_handle start_range_in(const __A &...) { return range_handle{ nvtxRangeStartA("") }; }
template <typename... __A> range_handle start_range(const __A &...__a) { return start_range_in<>(__a...); }
template <typename __D = domain::global> void end_range_in(range_handle __r) { nvtxRangeEnd(__r.__id); }
static inline void end_range(range_handle __r) { nvtxRangeEnd(__r.__id); }
template <typename __D = domain::global> class unique_range_in {
public:
    template <typename... __A> explicit unique_range_in(const __A &...) {}
};
typedef unique_range_in<> unique_range;
template <typename __D = domain::global, typename... __A> void mark_in(const __A &...__a) { nvtxMarkA(event_attributes(__a...).__name()); }
template <typename... __A> void mark(const __A &...__a) { mark_in<>(__a...); }

}

#define NVTX3_V1_FUNC_RANGE_IN(__D) ::nvtx3::scoped_range_in<__D> const __nvtx3_range(__func__)
#define NVTX3_FUNC_RANGE_IN(__D) NVTX3_V1_FUNC_RANGE_IN(__D)
#define NVTX3_FUNC_RANGE() NVTX3_V1_FUNC_RANGE_IN(::nvtx3::domain::global)
#define NVTX3_FUNC_RANGE_IF_IN(__D, __c) NVTX3_V1_FUNC_RANGE_IN(__D)
#define NVTX3_FUNC_RANGE_IF(__c) NVTX3_FUNC_RANGE()

#endif
