/* SPDX-License-Identifier: MIT */
#include "model/card.h"

#include "model/card_files.h"
#include "trace/memory.h"

/* The keys of a card's file: the fields of struct card. What need not be there has no `missing`. */
static const struct { const char *key; size_t offset; bool text; const char *missing; } keys[] = {
#define TEXT(field) { #field, offsetof(struct card, field), true, "no line for '" #field "'" }
#define NUMBER(field) { #field, offsetof(struct card, field), false, "no line for '" #field "'" }
#define OPTIONAL(field) { #field, offsetof(struct card, field), false, NULL }
    TEXT(name), TEXT(title), NUMBER(major), NUMBER(minor), NUMBER(memory_mib), NUMBER(clock_mhz),
    NUMBER(sms), NUMBER(threads_per_sm), NUMBER(blocks_per_sm), NUMBER(shared_per_sm),
    NUMBER(shared_per_block), NUMBER(threads_per_block), NUMBER(block_ns), NUMBER(copy_engines),
    NUMBER(concurrent_grids), NUMBER(queues), NUMBER(max_queues), NUMBER(copies_in_issue_order),
    NUMBER(copies_signal_in_queue), NUMBER(priority_least), NUMBER(priority_greatest),
    NUMBER(managed), NUMBER(concurrent_managed), NUMBER(h2d_pinned), NUMBER(d2h_pinned),
    NUMBER(h2d_pageable), NUMBER(d2h_pageable), NUMBER(d2d), NUMBER(memset),
    NUMBER(duplex_permille), NUMBER(copy_ns), NUMBER(kernel_ns), NUMBER(start_ns), NUMBER(depend_ns), NUMBER(wake_ns),
    NUMBER(call_launch), NUMBER(call_copy), NUMBER(call_record), NUMBER(call_wait), NUMBER(call_query),
    NUMBER(call_sync), NUMBER(call_malloc), NUMBER(call_free), NUMBER(call_host_alloc),
    NUMBER(call_stream_create), NUMBER(call_event_create), NUMBER(call_other),
    NUMBER(load_first), NUMBER(load_kernel), NUMBER(prefetch_call), NUMBER(prefetch_h2d), NUMBER(prefetch_d2h),
    NUMBER(fault_device), NUMBER(fault_host), OPTIONAL(devices), OPTIONAL(peer_access), OPTIONAL(peer_atomics),
    OPTIONAL(peer), OPTIONAL(peer_staged), OPTIONAL(peer_ns), OPTIONAL(peer_staged_ns),
#undef TEXT
#undef NUMBER
#undef OPTIONAL
};
enum { KEYS = sizeof keys / sizeof keys[0] };

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

static const struct card *find_parsed(struct piece name);

/* Which keys have been given, by this file and by the card that it is like. */
struct given { bool own[KEYS], any, inherited; };

static const char *be_like(struct card *card, struct piece name, struct given *given)
{
    const struct card *other = find_parsed(name);
    if (given->any)
        return "'like' comes first";
    if (!other)
        return "no card of that name stands before this one";
    *card = *other;
    given->any = given->inherited = true;
    return NULL;
}

static const char *parse_line(struct card *card, struct piece line, struct given *given)
{
    line = trim(take_until(&line, is_hash));
    if (line.length == 0)
        return NULL;
    struct piece key = trim(take_until(&line, is_space));
    struct piece value = trim(line);
    if (same(key, "like"))
        return be_like(card, value, given);
    for (size_t k = 0; k < KEYS; k++) {
        if (!same(key, keys[k].key))
            continue;
        if (given->own[k])
            return "this key was given before";
        given->own[k] = given->any = true;
        char *field = (char *)card + keys[k].offset;
        if (!keys[k].text)
            return parse_number(value, (int64_t *)field) ? NULL : "the value is not a whole number";
        if (value.length == 0 || value.length >= CARD_TEXT)
            return "the text is empty or too long";
        memory_copy(field, value.at, value.length);
        field[value.length] = '\0';
        return NULL;
    }
    return "no card has such a key";
}

/* What the model divides by or counts with must not be zero. */
static const char *impossible(const struct card *c)
{
    int64_t positive[] = {
        c->sms, c->threads_per_sm, c->blocks_per_sm, c->shared_per_sm, c->threads_per_block, c->block_ns,
        c->copy_engines, c->concurrent_grids, c->queues, c->max_queues, c->h2d_pinned, c->d2h_pinned,
        c->h2d_pageable, c->d2h_pageable, c->d2d, c->memset,
        c->prefetch_h2d, c->prefetch_d2h,
    };
    for (size_t i = 0; i < sizeof positive / sizeof positive[0]; i++)
        if (positive[i] <= 0)
            return "a count or a bandwidth is not positive";
    if (c->devices < 1 || c->devices > CARD_DEVICES)
        return "so many devices are not known";
    if (c->devices > 1 && (c->peer <= 0 || c->peer_staged <= 0))
        return "devices with no bandwidth between them";
    return c->duplex_permille < 1000 ? "duplex_permille is below 1000" : NULL;
}

bool card_parse(struct card *card, const char *text, size_t length, size_t *error_line, const char **error)
{
    struct given given = { { false }, false, false };
    struct piece rest = { text, length };
    memory_zero(card, sizeof *card);
    card->devices = 1;
    *error_line = 0;
    while (rest.length > 0) {
        struct piece line = take_until(&rest, is_newline);
        if (rest.length > 0)
            rest.at++, rest.length--;
        ++*error_line;
        if ((*error = parse_line(card, line, &given)) != NULL)
            return false;
    }
    for (size_t k = 0; k < KEYS; k++)
        if (!given.own[k] && !given.inherited && keys[k].missing)
            return *error = keys[k].missing, false;
    return (*error = impossible(card)) == NULL;
}

int64_t card_blocks_per_sm(const struct card *card, int64_t threads, int64_t shared)
{
    int64_t fit = card->blocks_per_sm, warps = (threads + 31) / 32 * 32;
    if (card->major >= 8)
        shared += CARD_RESERVED_SHARED;
    if (warps > 0 && card->threads_per_sm / warps < fit)
        fit = card->threads_per_sm / warps;
    if (shared > 0 && card->shared_per_sm / shared < fit)
        fit = card->shared_per_sm / shared;
    return fit;
}

int64_t card_most_shared(const struct card *card)
{
    if (card->major >= 8)
        return card->shared_per_sm - CARD_RESERVED_SHARED;
    return card->major == 7 ? card->shared_per_sm : card->shared_per_block;
}

/* ---- the built-in cards, parsed when first asked for ---- */

enum { MOST_CARDS = 32 };
static struct card cards[MOST_CARDS];
static size_t parsed;

static const struct card *find_parsed(struct piece name)
{
    for (size_t i = 0; i < parsed; i++)
        if (same(name, cards[i].name))
            return &cards[i];
    return NULL;
}

size_t card_count(void)
{
    return card_file_count < (size_t)MOST_CARDS ? card_file_count : (size_t)MOST_CARDS;
}

const struct card *card_at(size_t index)
{
    while (parsed < card_count()) {
        size_t line;
        const char *error;
        const struct card_file *file = &card_files[parsed];
        if (!card_parse(&cards[parsed], file->text, file->length, &line, &error))
            __builtin_trap();           /* a test parses every built-in card */
        parsed++;
    }
    return index < parsed ? &cards[index] : NULL;
}

const struct card *card_find(const char *name)
{
    size_t length = 0;
    while (name[length] != '\0')
        length++;
    for (size_t i = 0; i < card_count(); i++)
        if (same((struct piece){ name, length }, card_at(i)->name))
            return card_at(i);
    return NULL;
}
