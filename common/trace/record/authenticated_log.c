/* SPDX-License-Identifier: MIT */
#include "trace/record/authenticated_log.h"

#include "trace/record/memory.h"

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool authlog_init(struct authlog *s, const char *text)
{
    *s = (struct authlog){ .frames = 0 };
    for (int i = 0; i < AUTHLOG_KEY_TEXT - 1; i++) {
        if (digit(text[i]) < 0)
            return false;
        s->key[i / 16] = s->key[i / 16] << 4 | (uint64_t)digit(text[i]);
    }
    return text[AUTHLOG_KEY_TEXT - 1] == '\0';
}

/* ---- SipHash-2-4 ---- */

static uint64_t turn(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void rounds(uint64_t v[4], int count)
{
    while (count-- > 0) {
        v[0] += v[1], v[1] = turn(v[1], 13) ^ v[0], v[0] = turn(v[0], 32);
        v[2] += v[3], v[3] = turn(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = turn(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = turn(v[1], 17) ^ v[2], v[2] = turn(v[2], 32);
    }
}

static uint64_t word_at(const unsigned char *bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

static void take_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    rounds(v, 2);
    v[0] ^= word;
}

/* Of the frame's number, then its bytes. */
static uint64_t tag_of(const struct authlog *s, const unsigned char *bytes, size_t count)
{
    uint64_t v[4] = { s->key[0] ^ 0x736f6d6570736575u, s->key[1] ^ 0x646f72616e646f6du,
                      s->key[0] ^ 0x6c7967656e657261u, s->key[1] ^ 0x7465646279746573u };
    size_t whole = count / 8 * 8;
    take_word(v, s->frames);
    for (size_t i = 0; i < whole; i += 8)
        take_word(v, word_at(bytes + i, 8));
    take_word(v, word_at(bytes + whole, count - whole) | (uint64_t)((count + 8) & 0xff) << 56);
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- frames ---- */

static void put_number(unsigned char *to, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(number >> (8 * i));
}

size_t authlog_frame(struct authlog *s, const void *bytes, size_t count, unsigned char *frame)
{
    put_number(frame, count, AUTHLOG_HEAD);
    memory_copy(frame + AUTHLOG_HEAD, bytes, count);
    put_number(frame + AUTHLOG_HEAD + count, tag_of(s, bytes, count), AUTHLOG_TAIL);
    s->frames++;
    return AUTHLOG_HEAD + count + AUTHLOG_TAIL;
}

/* Takes what the partial frame lacks of `count` bytes to be `size` bytes long; returns how many it
 * took. */
static size_t fill(struct authlog_reader *r, size_t size, const unsigned char *bytes, size_t count)
{
    size_t lacks = size > r->partial_count ? size - r->partial_count : 0,
           n = lacks < count ? lacks : count;
    memory_copy(r->partial + r->partial_count, bytes, n);
    r->partial_count += n;
    return n;
}

void authlog_read(struct authlog_reader *r, const void *bytes, size_t count,
                  void (*take)(void *context, const void *bytes, size_t count), void *context)
{
    const unsigned char *at = bytes, *end = at + count;
    while (!r->broken) {
        at += fill(r, AUTHLOG_HEAD, at, (size_t)(end - at));
        if (r->partial_count < AUTHLOG_HEAD)
            return;
        uint64_t inside = word_at(r->partial, AUTHLOG_HEAD);
        if (inside > AUTHLOG_FRAME_MAX) {
            r->broken = true;
            return;
        }
        size_t size = AUTHLOG_HEAD + (size_t)inside + AUTHLOG_TAIL;
        at += fill(r, size, at, (size_t)(end - at));
        if (r->partial_count < size)
            return;
        if (word_at(r->partial + AUTHLOG_HEAD + inside, AUTHLOG_TAIL)
            != tag_of(&r->authlog, r->partial + AUTHLOG_HEAD, (size_t)inside)) {
            r->broken = true;
            return;
        }
        r->authlog.frames++;
        r->partial_count = 0;
        take(context, r->partial + AUTHLOG_HEAD, (size_t)inside);
    }
}
