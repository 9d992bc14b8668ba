/* SPDX-License-Identifier: MIT */
#include "trace/record/log.h"

#include "trace/record/memory.h"

/* The fields of struct call in the order of the mask's bits. */
enum form { PLAIN32, SIGNED32, PLAIN64, SIGNED64, STRING32, NODE32 };

static const struct { size_t offset; enum form form;
} fields[] = {
#define FIELD(name, form) { offsetof(struct call, name), form }
    FIELD(name, STRING32),      FIELD(file, STRING32),      FIELD(line, PLAIN32),
    FIELD(thread, PLAIN32),     FIELD(status, SIGNED32),    FIELD(begin, SIGNED64),
    FIELD(end, SIGNED64),       FIELD(device, PLAIN32),     FIELD(stream, PLAIN32),
    FIELD(event, PLAIN32),      FIELD(flags, PLAIN32),      FIELD(priority, SIGNED32),
    FIELD(dst, PLAIN64),        FIELD(src, PLAIN64),        FIELD(bytes, PLAIN64),
    FIELD(dst_kind, PLAIN32),   FIELD(src_kind, PLAIN32),   FIELD(grid[0], PLAIN32),
    FIELD(grid[1], PLAIN32),    FIELD(grid[2], PLAIN32),    FIELD(block[0], PLAIN32),
    FIELD(block[1], PLAIN32),   FIELD(block[2], PLAIN32),   FIELD(shared, PLAIN32),
    FIELD(cost, SIGNED64),      FIELD(message, STRING32),   FIELD(node, NODE32),
    FIELD(dst_device, PLAIN32), FIELD(src_device, PLAIN32), FIELD(rows, PLAIN32),
    FIELD(dst_pitch, PLAIN64),  FIELD(src_pitch, PLAIN64),  FIELD(caller, PLAIN64),
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

/* ---- varints ---- */

struct bytes { unsigned char *at; size_t count; };

static void put_varint(struct bytes *b, uint64_t value)
{
    do {
        unsigned char low = value & 0x7f;
        value >>= 7;
        b->at[b->count++] = (unsigned char)(low | (value != 0 ? 0x80 : 0));
    } while (value != 0);
}

/* False when the bytes end first or the number has more than 64 bits. */
static bool get_varint(const unsigned char **at, const unsigned char *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (*at == end)
            return false;
        unsigned char byte = *(*at)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* ---- one field to a number and back; 0 is left out of the record ---- */

static uint64_t zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t v)
{
    return (int64_t)((v >> 1) ^ (v & 1 ? UINT64_MAX : 0));
}

static uint64_t get_field(const struct call *c, unsigned i)
{
    const void *at = (const char *)c + fields[i].offset;
    switch (fields[i].form) {
    case SIGNED32: return zigzag(*(const int32_t *)at);
    case PLAIN64: return *(const uint64_t *)at;
    case SIGNED64: return zigzag(*(const int64_t *)at);
    case NODE32: return (uint32_t)(*(const uint32_t *)at + 1u);     /* NO_NODE becomes 0 */
    default: return *(const uint32_t *)at;
    }
}

static void set_field(struct call *c, unsigned i, uint64_t value, const struct log_reader *r)
{
    void *at = (char *)c + fields[i].offset;
    switch (fields[i].form) {
    case SIGNED32: *(int32_t *)at = (int32_t)unzigzag(value); break;
    case PLAIN64: *(uint64_t *)at = value; break;
    case SIGNED64: *(int64_t *)at = unzigzag(value); break;
    case NODE32: *(uint32_t *)at = (uint32_t)value - 1u; break;
    case STRING32: *(uint32_t *)at = value < r->string_count ? r->string_number[value] : 0; break;
    default: *(uint32_t *)at = (uint32_t)value; break;
    }
}

/* ---- writing ---- */

static void put_record(struct log_writer *w, const unsigned char *payload, size_t count)
{
    unsigned char head[10];
    struct bytes b = { head, 0 };
    put_varint(&b, count);
    w->put(w->context, head, b.count);
    w->put(w->context, payload, count);
}

void log_begin(struct log_writer *w)
{
    w->strings = 0;
    w->put(w->context, LOG_MAGIC, sizeof LOG_MAGIC - 1);
}

static void write_string(struct log_writer *w, const char *s)
{
    unsigned char payload[LOG_RECORD_MAX];
    payload[0] = 0;
    size_t count = 1;
    while (*s != '\0' && count < sizeof payload)
        payload[count++] = (unsigned char)*s++;
    put_record(w, payload, count);
}

void log_write(struct log_writer *w, const struct timeline *t, const struct call *c)
{
    for (; w->strings < t->string_count; w->strings++)
        write_string(w, timeline_string(t, (uint32_t)w->strings));
    unsigned char payload[12 + 10 * FIELDS];
    struct bytes b = { payload, 0 };
    uint64_t mask = 0;
    for (unsigned i = 0; i < FIELDS; i++)
        if (get_field(c, i) != 0)
            mask |= UINT64_C(1) << i;
    put_varint(&b, c->kind + 1u);
    put_varint(&b, mask);
    for (unsigned i = 0; i < FIELDS; i++)
        if (mask >> i & 1)
            put_varint(&b, get_field(c, i));
    put_record(w, payload, b.count);
}

/* ---- reading: everything that comes may be a stranger's ---- */

void log_reader_init(struct log_reader *r)
{
    memory_zero(r, sizeof *r);
}

void log_reader_fini(struct log_reader *r)
{
    memory_resize(r->string_number, 0);
    memory_zero(r, sizeof *r);
}

static void read_record(struct log_reader *r, struct timeline *t, const unsigned char *at,
                        const unsigned char *end)
{
    uint64_t kind, mask, value;
    if (!get_varint(&at, end, &kind) || kind > CALL_KINDS) {
        r->error = "a record of no known kind";
        return;
    }
    if (kind == 0) {
        r->string_number = memory_grow(r->string_number, r->string_count, &r->string_capacity,
                                       sizeof *r->string_number);
        r->string_number[r->string_count++] =
            timeline_intern(t, (const char *)at, (size_t)(end - at));
        return;
    }
    struct call c;
    memory_zero(&c, sizeof c);
    c.kind = (uint32_t)kind - 1;
    c.node = NO_NODE;
    if (!get_varint(&at, end, &mask) || mask >> FIELDS != 0) {
        r->error = "a record with unknown fields";
        return;
    }
    for (unsigned i = 0; i < FIELDS; i++) {
        if (!(mask >> i & 1))
            continue;
        if (!get_varint(&at, end, &value)) {
            r->error = "a record that ends too soon";
            return;
        }
        set_field(&c, i, value, r);
    }
    if (at != end || c.kind >= CALL_KINDS) {
        r->error = "a record that is too long";
        return;
    }
    timeline_add_call(t, &c);
}

/* Takes one whole record off the front of the bytes; false when there is none yet. */
static bool take(struct log_reader *r, struct timeline *t, const unsigned char **at,
                 const unsigned char *end)
{
    enum { MAGIC = sizeof LOG_MAGIC - 1 };
    if (!r->begun) {
        if (end - *at < MAGIC)
            return false;
        for (int i = 0; i < MAGIC; i++)
            if ((*at)[i] != (unsigned char)LOG_MAGIC[i])
                r->error = "not a log";
        *at += MAGIC;
        r->begun = true;
        return !r->error;
    }
    const unsigned char *body = *at;
    uint64_t length;
    if (!get_varint(&body, end, &length)) {
        if (end - *at >= 10)
            r->error = "a length that is no number";
        return false;
    }
    if (length > LOG_RECORD_MAX) {
        r->error = "a record that is too long";
        return false;
    }
    if ((uint64_t)(end - body) < length)
        return false;
    *at = body + length;
    read_record(r, t, body, *at);
    return !r->error;
}

void log_read(struct log_reader *r, struct timeline *t, const void *bytes, size_t count)
{
    const unsigned char *from = bytes, *from_end = from + count;
    while (!r->error && from != from_end) {
        size_t room = sizeof r->partial - r->partial_count;
        size_t piece = (size_t)(from_end - from) < room ? (size_t)(from_end - from) : room;
        memory_copy(r->partial + r->partial_count, from, piece);
        r->partial_count += piece;
        from += piece;

        const unsigned char *at = r->partial, *end = r->partial + r->partial_count;
        while (take(r, t, &at, end))
            ;
        size_t rest = (size_t)(end - at);
        for (size_t i = 0; i < rest; i++)
            r->partial[i] = at[i];
        r->partial_count = rest;
    }
}
