/* SPDX-License-Identifier: MIT */
#include "model/card.h"

#include "model/card_files.h"
#include "trace/record/memory.h"

/* What a number may be. Upper ends keep the model's sums far from their own. */
static const struct { const char *unit; int64_t least, most; const char *error; } kinds[] = {
    { .unit = "text", .error = "the text is empty or too long" },
    { .unit = "", .least = 1, .most = 100000, .error = "the value is not between 1 and 100000" },
    { .unit = "queues", .least = 1, .most = CARD_QUEUES, .error = "the value is not between 1 and 32" },
    { .unit = "devices", .least = 1, .most = CARD_DEVICES, .error = "the value is not between 1 and 8" },
    { .unit = "count", .most = 100000, .error = "the value is not between 0 and 100000" },
    { .unit = "digits", .most = INT64_C(999999999999), .error = "the value has more than 12 digits" },
    { .unit = "0 or 1", .most = 1, .error = "the value is not 0 or 1" },
    { .unit = "priority", .least = -1000, .most = 1000, .error = "the value is not between -1000 and 1000" },
    { .unit = "bytes", .least = 1, .most = 1000000000, .error = "the value is not between 1 and 1000000000" },
    { .unit = "size", .most = 1000000000, .error = "the value is not between 0 and 1000000000" },
    { .unit = "MiB", .least = 1, .most = 1000000000, .error = "the value is not between 1 and 1000000000" },
    { .unit = "KiB", .most = 1000000000, .error = "the value is not between 0 and 1000000000" },
    { .unit = "MHz", .least = 1, .most = 100000, .error = "the value is not between 1 and 100000" },
    { .unit = "MB/s", .least = 1, .most = 1000000000, .error = "the value is not between 1 and 1000000000" },
    { .unit = "permille", .least = 1000, .most = 10000, .error = "the value is not between 1000 and 10000" },
    { .unit = "ns", .most = 1000000000, .error = "the value is not between 0 and 1000000000" },
};

/* What need not be there has no `missing`. */
static const struct { struct card_key key; const char *missing; } keys[] = {
#define TEXT(field) { { #field, "text", NULL, offsetof(struct card, field) }, "no line for '" #field "'" },
#define KEY(field, unit, group) { { #field, unit, group, offsetof(struct card, field) }, "no line for '" #field "'" },
#define OPTIONAL(field, unit, group) { { #field, unit, group, offsetof(struct card, field) }, NULL },
    CARD_KEYS(TEXT, KEY, OPTIONAL)
#undef TEXT
#undef KEY
#undef OPTIONAL
};
enum { KEYS = sizeof keys / sizeof keys[0] };

size_t card_key_count(void)
{
    return KEYS;
}

const struct card_key *card_key_at(size_t index)
{
    return &keys[index].key;
}

struct piece { const char *at; size_t length; };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct piece trim(struct piece p)
{
    while (p.length > 0 && is_space(*p.at))
        p.at++, p.length--;
    while (p.length > 0 && is_space(p.at[p.length - 1]))
        p.length--;
    return p;
}

/* Takes what stands before `stop` (or all) off the front of *rest. */
static struct piece take_until(struct piece *rest, bool (*stop)(char))
{
    struct piece p = { rest->at, 0 };
    while (p.length < rest->length && !stop(rest->at[p.length]))
        p.length++;
    rest->at += p.length;
    rest->length -= p.length;
    return p;
}

static bool is_newline(char c) { return c == '\n'; }
static bool is_hash(char c) { return c == '#'; }

static bool same(struct piece p, const char *s)
{
    size_t i = 0;
    while (i < p.length && s[i] != '\0' && s[i] == p.at[i])
        i++;
    return i == p.length && s[i] == '\0';
}

static size_t text_length(const char *s)
{
    size_t length = 0;
    while (s[length] != '\0')
        length++;
    return length;
}

static bool parse_number(struct piece p, int64_t *value)
{
    bool negative = p.length > 0 && *p.at == '-';
    if (negative)
        p.at++, p.length--;
    if (p.length == 0 || p.length > 15)
        return false;
    *value = 0;
    for (size_t i = 0; i < p.length; i++) {
        if (p.at[i] < '0' || p.at[i] > '9')
            return false;
        *value = *value * 10 + (p.at[i] - '0');
    }
    if (negative)
        *value = -*value;
    return true;
}

/* ---- the built-in cards, parsed when first asked for; one may be like those before it ---- */

enum { MOST_CARDS = 32 };
static struct card cards[MOST_CARDS];
static size_t parsed;
static bool parsing;

size_t card_count(void)
{
    return card_file_count < (size_t)MOST_CARDS ? card_file_count : (size_t)MOST_CARDS;
}

const struct card *card_at(size_t index)
{
    parsing = true;
    while (parsed < card_count()) {
        size_t line;
        const char *error;
        const struct card_file *file = &card_files[parsed];
        if (!card_parse(&cards[parsed], file->text, file->length, &line, &error))
            __builtin_trap();           /* a test parses every built-in card */
        parsed++;
    }
    parsing = false;
    return index < parsed ? &cards[index] : NULL;
}

static const struct card *find(struct piece name)
{
    if (!parsing)
        card_at(0);
    for (size_t i = 0; i < parsed; i++)
        if (same(name, cards[i].name))
            return &cards[i];
    return NULL;
}

const struct card *card_find(const char *name)
{
    return find((struct piece){ name, text_length(name) });
}

/* ---- reading ---- */

static int64_t number_of(const struct card *card, size_t key)
{
    return *(const int64_t *)((const char *)card + keys[key].key.offset);
}

bool card_key_of_device(const struct card_key *key, const char **unit)
{
    static const char word[] = "device ";
    size_t length = sizeof word - 1;
    bool of_device =
        text_length(key->unit) > length && same((struct piece){ key->unit, length }, word);
    *unit = of_device ? key->unit + length : key->unit;
    return of_device;
}

static const char *parse_value(struct card *card, size_t key, struct piece value)
{
    size_t kind = 0;
    const char *unit;
    card_key_of_device(&keys[key].key, &unit);
    while (!same((struct piece){ unit, text_length(unit) }, kinds[kind].unit))
        kind++;
    char *field = (char *)card + keys[key].key.offset;
    if (kind == 0) {
        if (value.length == 0 || value.length >= CARD_TEXT)
            return kinds[kind].error;
        memory_copy(field, value.at, value.length);
        field[value.length] = '\0';
        return NULL;
    }
    int64_t *number = (int64_t *)field;
    if (!parse_number(value, number))
        return "the value is not a whole number with no unit";
    return *number < kinds[kind].least || *number > kinds[kind].most ? kinds[kind].error : NULL;
}

/* `line_of`: by key, the line that gave it, 0 for none yet. */
static const char *parse_line(struct card *card, struct piece line, size_t number, size_t *line_of,
                              bool *alike)
{
    struct piece rest = trim(take_until(&line, is_hash));
    if (rest.length == 0)
        return NULL;
    struct piece key = take_until(&rest, is_space);
    struct piece value = trim(rest);
    bool first = !*alike;
    for (size_t k = 0; k < KEYS; k++)
        first = first && line_of[k] == 0;
    if (same(key, "like")) {
        const struct card *base = first ? find(value) : NULL;
        if (!first)
            return "'like' comes first";
        if (!base)
            return "no card of that name stands before this one";
        *card = *base;
        *alike = true;
        return NULL;
    }
    for (size_t k = 0; k < KEYS; k++) {
        if (!same(key, keys[k].key.name))
            continue;
        if (line_of[k] != 0)
            return "this key was given before";
        line_of[k] = number;
        return parse_value(card, k, value);
    }
    return "no card has such a key";
}

/* What one key makes need others. */
static const char *parse_inline(const struct card *card, const size_t *line_of, size_t *error_line)
{
    bool any = card->inline_bytes > 0 || card->inline_busy > 0 || card->inline_pageable > 0;
    bool speeds = card->inline_written > 0 && card->inline_read > 0
                  && (card->inline_ring == 0 || card->inline_rewritten > 0);
    for (size_t k = 0; k < KEYS; k++)
        if (keys[k].key.offset == offsetof(struct card, inline_bytes) && line_of[k] != 0)
            *error_line = line_of[k];
    return any && !speeds
               ? "copies that go with the command, and not how fast: inline_written, inline_read, with inline_ring inline_rewritten"
               : NULL;
}

/* Bandwidths between devices need be there where there are several. */
static const char *parse_peers(const struct card *card, const size_t *line_of, size_t *error_line)
{
    for (size_t k = 0; k < KEYS; k++)
        if (keys[k].key.offset == offsetof(struct card, devices) && line_of[k] != 0)
            *error_line = line_of[k];
    return card->devices > 1 && (card->peer == 0 || card->peer_staged == 0)
               ? "devices with no bandwidth between them"
               : NULL;
}

/* Pairs of numbers that do not go together. */
static const struct { size_t less, more; const char *error;
} pairs[] = {
#define PAIR(less, more, error) { offsetof(struct card, less), offsetof(struct card, more), error }
    PAIR(queues, max_queues, "queues is above max_queues"),
    PAIR(priority_greatest, priority_least,
         "priority_greatest is above priority_least: the greatest is the lowest number"),
    PAIR(shared_per_block, shared_per_sm, "shared_per_block is above shared_per_sm"),
    PAIR(threads_per_block, threads_per_sm, "threads_per_block is above threads_per_sm"),
#undef PAIR
};

static const char *parse_pairs(const struct card *card, const size_t *line_of, size_t *error_line)
{
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        size_t line = 0, less = 0, more = 0;
        for (size_t k = 0; k < KEYS; k++) {
            if (keys[k].key.offset == pairs[i].less)
                less = k;
            if (keys[k].key.offset == pairs[i].more)
                more = k;
        }
        line = line_of[less] > line_of[more] ? line_of[less] : line_of[more];
        if (number_of(card, less) <= number_of(card, more))
            continue;
        *error_line = line;
        return pairs[i].error;
    }
    return NULL;
}

bool card_parse(struct card *card, const char *text, size_t length, size_t *error_line,
                const char **error)
{
    size_t line_of[KEYS], number = 0;
    bool alike = false;
    struct piece rest = { text, length };
    memory_zero(card, sizeof *card);
    card->devices = 1;
    card->peer_staged_duplex = 1000;
    memory_zero(line_of, sizeof line_of);
    while (rest.length > 0) {
        struct piece line = take_until(&rest, is_newline);
        if (rest.length > 0)
            rest.at++, rest.length--;
        *error_line = ++number;
        if ((*error = parse_line(card, line, number, line_of, &alike)))
            return false;
    }
    *error_line = number > 0 ? number : 1;
    for (size_t k = 0; k < KEYS; k++)
        if (line_of[k] == 0 && keys[k].missing
            && (!alike || keys[k].key.offset == offsetof(struct card, name)))
            return *error = keys[k].missing, false;
    return !(*error = parse_pairs(card, line_of, error_line))
           && !(*error = parse_inline(card, line_of, error_line))
           && !(*error = parse_peers(card, line_of, error_line));
}

static int64_t whole_warps(int64_t threads)
{
    return (threads + 31) / 32 * 32;
}

static int64_t with_reserved(const struct card *card, int64_t shared)
{
    return card->major >= 8 ? shared + CARD_RESERVED_SHARED : shared;
}

int64_t card_blocks_per_sm(const struct card *card, int64_t threads, int64_t shared)
{
    int64_t fit = card->blocks_per_sm, warps = whole_warps(threads);
    shared = with_reserved(card, shared);
    if (warps > 0 && card->threads_per_sm / warps < fit)
        fit = card->threads_per_sm / warps;
    if (shared > 0 && card->shared_per_sm / shared < fit)
        fit = card->shared_per_sm / shared;
    return fit;
}

int64_t card_clusters_of(const struct card *card, int64_t per_sm, int64_t blocks)
{
    int64_t clusters = 0, left = card->sms;
    for (int64_t gpcs = card->gpc_tpcs; gpcs > 0; gpcs /= 10) {
        int64_t sms = gpcs % 10 * 2;
        left -= sms;
        clusters += blocks <= sms ? sms * per_sm / blocks : 0;
    }
    return left < blocks ? clusters : clusters + left * per_sm / blocks;
}

int64_t card_clusters(const struct card *card, int64_t threads, int64_t shared, int64_t blocks)
{
    return card_clusters_of(card, card_blocks_per_sm(card, threads, shared), blocks);
}

/* The least carve-out that holds that many bytes. */
static int64_t carve_out(const struct card *card, int64_t bytes)
{
    static const int64_t kib[] = { 8, 16, 32, 64, 100, 132, 164, 196, 228 };
    for (size_t i = 0; card->major >= 8 && i < sizeof kib / sizeof *kib; i++)
        if (bytes <= kib[i] << 10 && kib[i] << 10 < card->shared_per_sm)
            return kib[i] << 10;
    return card->shared_per_sm;
}

/* Kernels without shared memory get more than they take: 4 KiB a block, 32 at most (measured on an
 * H200). */
enum { CARVE_OUT_A_BLOCK = 4096, CARVE_OUT_OF_NONE = 32768 };

struct block_needs card_block_needs(const struct card *card, int64_t threads, int64_t shared)
{
    int64_t per_sm = card_blocks_per_sm(card, threads, shared), none = per_sm * CARVE_OUT_A_BLOCK;
    int64_t taken = with_reserved(card, shared), most = card->shared_per_sm;
    int64_t chosen = shared > 0                 ? per_sm * taken
                     : none < CARVE_OUT_OF_NONE ? none
                                                : (int64_t)CARVE_OUT_OF_NONE;
    threads = whole_warps(threads);
    return (struct block_needs){
        .threads = (int32_t)(threads < card->threads_per_sm ? threads : card->threads_per_sm),
        .shared = (int32_t)(taken < most ? taken : most),
        .carve_out = (int32_t)carve_out(card, per_sm * taken),
        .chosen = (int32_t)carve_out(card, chosen), .cluster = 1
    };
}

int32_t card_priority(const struct card *card, int32_t asked)
{
    return asked > card->priority_least ? (int32_t)card->priority_least
        : asked < card->priority_greatest ? (int32_t)card->priority_greatest : asked;
}

int64_t card_most_shared(const struct card *card)
{
    if (card->major >= 8)
        return card->shared_per_sm - CARD_RESERVED_SHARED;
    return card->major == 7 ? card->shared_per_sm : card->shared_per_block;
}

unsigned card_sync_domains(const struct card *card)
{
    return card->major >= 9 ? 4 : 1;
}
