/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Calls get their numbers when they are entered and are over in another order:
 * they wait here, and are written up to the first that is not over. What the
 * device did refers to numbers and is written last. With a key (a stranger's run) the log is
 * authenticated.
 */
#include "recorder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "exchange.h"
#include "trace/record/log.h"
#include "trace/record/memory.h"
#include "trace/record/authenticated_log.h"

pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    bool active, broken, authenticated;
    struct authlog authlog;
    int to;                     /* -1: nobody reads it */
    struct log_writer writer;
    struct timeline strings;
    int64_t origin;
    struct buffered { struct call call; bool complete; } *calls;
    size_t count, capacity, written;
    struct call *ran;
    size_t ran_count, ran_capacity;
    uint32_t threads;
    unsigned char buffer[1 << 16];
    size_t filled;
} keep = { .to = -1 };

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int64_t record_now(void)
{
    return clock_ns() - keep.origin;
}

int64_t record_origin(void)
{
    return keep.origin;
}

/* Nobody reads it after us. The program's own constructors ran before. */
__attribute__((constructor)) static void take_key(void)
{
    char *key = getenv(EXCHANGE_KEY);
    if (!key)
        return;
    keep.authenticated = authlog_init(&keep.authlog, key);
    explicit_bzero(key, strlen(key));
    unsetenv(EXCHANGE_KEY);
}

static void write_all(const unsigned char *bytes, size_t count)
{
    for (size_t done = 0; done < count && !keep.broken;) {
        ssize_t n = write(keep.to, bytes + done, count - done);
        if (n < 0 && errno != EINTR)
            keep.broken = true;
        done += n > 0 ? (size_t)n : 0;
    }
}

static void flush(void)
{
    static unsigned char frame[AUTHLOG_HEAD + AUTHLOG_FRAME_MAX + AUTHLOG_TAIL];
    if (!keep.authenticated)
        write_all(keep.buffer, keep.filled);
    for (size_t done = 0; keep.authenticated && done < keep.filled;) {
        size_t part =
            keep.filled - done < AUTHLOG_FRAME_MAX ? keep.filled - done : AUTHLOG_FRAME_MAX;
        write_all(frame, authlog_frame(&keep.authlog, keep.buffer + done, part, frame));
        done += part;
    }
    keep.filled = 0;
}

static void put(void *context, const void *bytes, size_t count)
{
    (void)context;
    const unsigned char *from = bytes;
    while (count > 0) {
        if (keep.filled == sizeof keep.buffer)
            flush();
        size_t part =
            sizeof keep.buffer - keep.filled < count ? sizeof keep.buffer - keep.filled : count;
        memcpy(keep.buffer + keep.filled, from, part);
        keep.filled += part;
        from += part;
        count -= part;
    }
}

void record_begin(void)
{
    const char *text = getenv(EXCHANGE_LOG);
    if (keep.to < 0) {
        if (!text || !*text)
            return;
        keep.to = atoi(text);
        timeline_init(&keep.strings);
        keep.writer = (struct log_writer){ .put = put };
        log_begin(&keep.writer);
    }
    /* Anew only before anything was written. */
    if (keep.written == 0)
        keep.count = keep.ran_count = 0;
    keep.origin = clock_ns();
    keep.active = true;
}

bool record_active(void)
{
    return keep.active;
}

uint32_t record_string(const char *s)
{
    return s ? timeline_intern(&keep.strings, s, strlen(s)) : 0;
}

uint32_t record_thread(void)
{
    static __thread uint32_t number;    /* plus one */
    if (number == 0)
        number = ++keep.threads;
    return number - 1;
}

size_t record_reserve(const struct call *c)
{
    MEMORY_GROW(keep.calls, keep.count, keep.capacity);
    keep.calls[keep.count] = (struct buffered){ *c, false };
    return keep.count++;
}

void record_complete(size_t number, const struct call *c)
{
    keep.calls[number] = (struct buffered){ *c, true };
}

bool record_drop(size_t number)
{
    if (number + 1 != keep.count || number < keep.written)
        return false;
    keep.count--;
    return true;
}

size_t record_add(const struct call *c)
{
    size_t number = record_reserve(c);
    keep.calls[number].complete = true;
    return number;
}

void record_ran(const struct call *c)
{
    MEMORY_GROW(keep.ran, keep.ran_count, keep.ran_capacity);
    keep.ran[keep.ran_count++] = *c;
}

void record_lost(const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (keep.to >= 0)
        record_ran(
            &(struct call){ .kind = CALL_LOST, .message = record_string(text), .node = NO_NODE });
}

struct call *record_at(size_t number)
{
    return number >= keep.written && number < keep.count ? &keep.calls[number].call : NULL;
}

void record_write(void)
{
    if (!keep.active)
        return;
    while (keep.written < keep.count && keep.calls[keep.written].complete)
        log_write(&keep.writer, &keep.strings, &keep.calls[keep.written++].call);
    flush();
}

void record_end(int status)
{
    if (keep.to < 0)
        return;
    /* A thread that is still in a call never comes back from it. */
    for (size_t i = keep.written; i < keep.count; i++)
        if (!keep.calls[i].complete)
            keep.calls[i] = (struct buffered){ { .kind = CALL_OTHER,
                                                 .name = keep.calls[i].call.name,
                                                 .thread = keep.calls[i].call.thread,
                                                 .begin = keep.calls[i].call.begin,
                                                 .end = record_now(), .node = NO_NODE },
                                               true };
    keep.active = true;
    record_write();
    keep.active = false;
    for (size_t i = 0; i < keep.ran_count; i++)
        log_write(&keep.writer, &keep.strings, &keep.ran[i]);
    struct call last = {
        .kind = CALL_EXIT, .status = status, .begin = record_now(), .node = NO_NODE
    };
    last.end = last.begin;
    log_write(&keep.writer, &keep.strings, &last);
    flush();
}
