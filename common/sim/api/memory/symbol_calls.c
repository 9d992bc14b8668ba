/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "sim/api/api_call.h"
#include "sim/api/memory/copy.h"
#include "sim/include/detail/sim_block.h"
#include "sim/memory/because.h"
#include "sim/memory/symbol.h"
#include "sim/race/access.h"

int sim_symbol(void *at, size_t bytes, const char *name)
{
    symbol_add(at, bytes, name, false);
    access_variables((uint64_t)(uintptr_t)at, bytes);
    return 0;
}

int sim_constant(void *at, size_t bytes, const char *name)
{
    symbol_add(at, bytes, name, true);
    access_variables((uint64_t)(uintptr_t)at, bytes);
    return 0;
}

int sim_managed_variable(void *at, size_t bytes, const char *name)
{
    symbol_add_managed(at, bytes, name);
    return 0;
}

static cudaError_t refuse_no_symbol(struct api_call *e, cudaError_t status, const struct symbol *s)
{
    return REFUSE(
        e, status, !s, cudaErrorInvalidSymbol,
        "the argument symbol is not a __device__, __constant__ or __managed__ variable that is known here");
}

static bool is_within(const struct symbol *s, size_t count, size_t offset, bool known)
{
    return s && known && offset <= s->bytes && count <= s->bytes - offset;
}

/* Of a call that is_within refuses; `known`: the direction is one that leads to (from) the device.
 */
static cudaError_t not_within(const char *name, const struct symbol *s, size_t count, size_t offset,
                              bool known)
{
    struct api_call e;
    cudaError_t status = refuse_no_symbol(&e, api_open(&e, CALL_OTHER, name), s);
    status =
        REFUSE(&e, status, offset > s->bytes || count > s->bytes - offset, cudaErrorInvalidValue,
               "%zu bytes from byte %zu on are more than the variable %s has: %zu", count, offset,
               s->name, s->bytes);
    return api_finish(&e, REFUSE(&e, status, !known, cudaErrorInvalidMemcpyDirection,
                                 "the direction, kind, is one that does not go %s the device",
                                 strstr(name, "From") ? "from" : "to"));
}

static cudaError_t to(const char *name, const void *symbol, const void *src, size_t count,
                      size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream, uint32_t flags)
{
    bool known = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice
                 || kind == cudaMemcpyDefault;
    if (!is_within(symbol_known(symbol), count, offset, known))
        return not_within(name, symbol_known(symbol), count, offset, known);
    return copy_bytes(name, symbol_known(symbol)->at + offset, src, count, kind, stream, flags);
}

static cudaError_t from(const char *name, void *dst, const void *symbol, size_t count,
                        size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream,
                        uint32_t flags)
{
    bool known = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice
                 || kind == cudaMemcpyDefault;
    if (!is_within(symbol_known(symbol), count, offset, known))
        return not_within(name, symbol_known(symbol), count, offset, known);
    return copy_bytes(name, dst, symbol_known(symbol)->at + offset, count, kind, stream, flags);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind)
{
    return to("cudaMemcpyToSymbol", symbol, src, count, offset, kind, NULL, 0);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return to("cudaMemcpyToSymbolAsync", symbol, src, count, offset, kind, stream, CALL_ASYNC);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind)
{
    return from("cudaMemcpyFromSymbol", dst, symbol, count, offset, kind, NULL, 0);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return from("cudaMemcpyFromSymbolAsync", dst, symbol, count, offset, kind, stream, CALL_ASYNC);
}

static cudaError_t look_at_symbol(const char *name, const void *answer, const struct symbol *s)
{
    struct api_call e;
    cudaError_t status = refuse_null(&e, api_open(&e, CALL_OTHER, name), answer,
                                     "first argument, where the answer goes");
    return api_finish(&e, refuse_no_symbol(&e, status, s));
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    const struct symbol *s = symbol_known(symbol);
    if (s && address)
        *address = s->at;
    return look_at_symbol("cudaGetSymbolAddress", address, s);
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    const struct symbol *s = symbol_known(symbol);
    if (s && bytes)
        *bytes = s->bytes;
    return look_at_symbol("cudaGetSymbolSize", bytes, s);
}
