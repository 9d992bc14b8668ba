/* SPDX-License-Identifier: MIT */
/*
 * sim_arithmetic.h - shifts and conversions as a GPU makes them (simcc/rewrite/arithmetic.c): both clamped.
 */
#ifndef SIM_INCLUDE_ARITHMETIC_H
#define SIM_INCLUDE_ARITHMETIC_H

#ifdef __cplusplus

#define SIM_INLINE static inline __attribute__((__always_inline__))

namespace __sim {

/* ---- conversions ---- */

/* Of a floating-point number to integers __T: the nearest that there is, and 0 for NaN. The limits are powers of 2, which
 * floating-point numbers hold exactly. */
template <typename __T> struct __integer {
    static const bool __negates = (__T)-1 < (__T)0;
    static const int __bits = 8 * sizeof(__T) - (__negates ? 1 : 0);
    static constexpr __T __most = (__T)(((((unsigned long long)1 << (__bits - 1)) - 1) << 1) + 1);
    static constexpr __T __least = __negates ? (__T)(-__most - 1) : (__T)0;
};

/* A GPU has no conversions to 8 and 16 bits: the number is one of 32 bits first, whose low bits count [nvcc]. */
template <typename __T, bool __small = sizeof(__T) < 4, bool __negates = __integer<__T>::__negates> struct __wide { typedef __T __type; };
template <typename __T> struct __wide<__T, true, true> { typedef int __type; };
template <typename __T> struct __wide<__T, true, false> { typedef unsigned __type; };

template <typename __T, typename __F> __attribute__((__no_sanitize__("float-cast-overflow"))) SIM_INLINE constexpr __T __clamped(__F __v)
{
    return __v != __v ? (__T)0
         : __v >= (__F)2 * (__F)((unsigned long long)1 << (__integer<__T>::__bits - 1)) ? __integer<__T>::__most
         : __v <= (__F)__integer<__T>::__least ? __integer<__T>::__least : (__T)__v;
}

template <typename __T, typename __F> struct __conversion {
    SIM_INLINE constexpr __T __of(const __F &__v) { return (__T)__v; }
};
template <typename __T> struct __conversion<__T, float> {
    SIM_INLINE constexpr __T __of(float __v) { return (__T)__clamped<typename __wide<__T>::__type>(__v); }
};
template <typename __T> struct __conversion<__T, double> {
    SIM_INLINE constexpr __T __of(double __v) { return (__T)__clamped<typename __wide<__T>::__type>(__v); }
};
template <typename __T> struct __conversion<__T, volatile float> : __conversion<__T, float> { };
template <typename __T> struct __conversion<__T, volatile double> : __conversion<__T, double> { };

/* What (int)x is converted to first. */
template <typename __T> struct __saturated {
    __T __v;
    template <typename __F> __attribute__((__always_inline__)) constexpr __saturated(const __F &__from) : __v(__conversion<__T, __F>::__of(__from)) { }
    __attribute__((__always_inline__)) constexpr operator __T() const { return __v; }
};
template <typename __T, typename __F> SIM_INLINE constexpr __T __to(const __F &__v) { return __conversion<__T, __F>::__of(__v); }

/* ---- shifts ---- */

struct __left_t { };
struct __right_t { };
static constexpr __left_t __left = { };
static constexpr __right_t __right = { };

template <typename __T> SIM_INLINE constexpr __T __shifted_left(__T __v, unsigned __by)
{
    return __by < 8 * sizeof __v ? (__T)((unsigned __int128)__v << __by) : (__T)0;
}
template <typename __T> SIM_INLINE constexpr __T __shifted_right(__T __v, unsigned __by)
{
    return __by < 8 * sizeof __v ? (__T)(__v >> __by) : __v < 0 ? (__T)-1 : (__T)0;
}
#define SIM_SHIFTED(__T, __U) \
    SIM_INLINE constexpr __T __shifted_left(__T __v, unsigned __by) { return __by < 8 * sizeof __v ? (__T)((__U)__v << __by) : (__T)0; }
SIM_SHIFTED(int, unsigned)
SIM_SHIFTED(unsigned, unsigned)
SIM_SHIFTED(long, unsigned long)
SIM_SHIFTED(unsigned long, unsigned long)
SIM_SHIFTED(long long, unsigned long long)
SIM_SHIFTED(unsigned long long, unsigned long long)
#undef SIM_SHIFTED

/* The left side, as C++ promotes it; what is no integer has an operator of its own. */
template <typename __T> struct __is_shifted { static const bool __is = __is_enum(__T); };
#define SIM_SHIFTS(__T) template <> struct __is_shifted<__T> { static const bool __is = true; };
SIM_SHIFTS(bool) SIM_SHIFTS(char) SIM_SHIFTS(signed char) SIM_SHIFTS(unsigned char) SIM_SHIFTS(short) SIM_SHIFTS(unsigned short)
SIM_SHIFTS(int) SIM_SHIFTS(unsigned) SIM_SHIFTS(long) SIM_SHIFTS(unsigned long) SIM_SHIFTS(long long) SIM_SHIFTS(unsigned long long)
SIM_SHIFTS(wchar_t) SIM_SHIFTS(char16_t) SIM_SHIFTS(char32_t) SIM_SHIFTS(__int128) SIM_SHIFTS(unsigned __int128)
#undef SIM_SHIFTS

template <typename __T, bool __number = __is_shifted<__T>::__is> struct __shift_left {
    const __T &__v;
    template <typename __B> SIM_INLINE constexpr auto __shift(const __T &__a, const __B &__by) -> decltype(__a << __by) { return __a << __by; }
};
template <typename __T, bool __number = __is_shifted<__T>::__is> struct __shift_right {
    const __T &__v;
    template <typename __B> SIM_INLINE constexpr auto __shift(const __T &__a, const __B &__by) -> decltype(__a >> __by) { return __a >> __by; }
};
template <typename __T> struct __shift_left<__T, true> {
    __T __v;
    template <typename __B> SIM_INLINE constexpr auto __shift(__T __a, const __B &__by) -> decltype(+__a) { return __shifted_left(+__a, (unsigned)__by); }
};
template <typename __T> struct __shift_right<__T, true> {
    __T __v;
    template <typename __B> SIM_INLINE constexpr auto __shift(__T __a, const __B &__by) -> decltype(+__a) { return __shifted_right(+__a, (unsigned)__by); }
};

template <typename __T> struct __unqualified { typedef __T __type; };
template <typename __T> struct __unqualified<volatile __T> { typedef __T __type; };

template <typename __T> SIM_INLINE constexpr __shift_left<typename __unqualified<__T>::__type> operator<<(const __T &__v, __left_t) { return { __v }; }
template <typename __T> SIM_INLINE constexpr __shift_right<typename __unqualified<__T>::__type> operator>>(const __T &__v, __right_t) { return { __v }; }
template <typename __T, bool __n, typename __B> SIM_INLINE constexpr auto operator<<(const __shift_left<__T, __n> &__a, const __B &__by)
    -> decltype(__shift_left<__T, __n>::__shift(__a.__v, __by)) { return __shift_left<__T, __n>::__shift(__a.__v, __by); }
template <typename __T, bool __n, typename __B> SIM_INLINE constexpr auto operator>>(const __shift_right<__T, __n> &__a, const __B &__by)
    -> decltype(__shift_right<__T, __n>::__shift(__a.__v, __by)) { return __shift_right<__T, __n>::__shift(__a.__v, __by); }

/* a <<=::__sim::__by= b */
template <typename __B> struct __count { const __B &__v; };
struct __by_t { template <typename __B> __attribute__((__always_inline__)) constexpr __count<__B> operator=(const __B &__v) const { return { __v }; } };
static constexpr __by_t __by = { };
template <typename __T, typename __B> SIM_INLINE constexpr __T &operator<<=(__T &__a, const __count<__B> &__c) { return __a = (__T)(__a << __left << __c.__v); }
template <typename __T, typename __B> SIM_INLINE constexpr __T &operator>>=(__T &__a, const __count<__B> &__c) { return __a = (__T)(__a >> __right >> __c.__v); }

}

#undef SIM_INLINE

#endif
#endif
