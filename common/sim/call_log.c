/* SPDX-License-Identifier: MIT */
#include "sim/call_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exchange.h"
#include "model/model.h"
#include "sim/real.h"
#include "sim/sim.h"
#include "trace/record/authenticated_log.h"
#include "trace/record/log.h"
#include "trace/record/log_tail.h"

/* The program shares this process, and could write here. Where it is a stranger's, the pages can be
 * written to only while the log is. They lie at a fixed place, and what writes is a constant, so
 * that no pointer in memory leads elsewhere. */
struct log_pages {
    size_t strings;             /* of log_writer */
    int to;                     /* -1: nobody reads it */
    unsigned char buffer[2 * LOG_RECORD_MAX];
    size_t count;
    volatile bool busy, authenticated, guarded;
    struct log_tail *tail;      /* NULL: bytes are sent one record at a time */
    uint64_t sent;              /* bytes of the stream */
    size_t calls;
    struct authlog authlog;
    unsigned char frame[AUTHLOG_HEAD + 2 * LOG_RECORD_MAX + AUTHLOG_TAIL];
};
#define LOG_ADDRESS UINT64_C(0x250000000000)
#define LOG ((struct log_pages *)LOG_ADDRESS)

/* In a learner's own run there is nothing to protect, and writing a call down would take three to
 * ten times as long. */
static void protect_log(int protection)
{
    if (LOG->guarded && mprotect((void *)LOG_ADDRESS, sizeof(struct log_pages), protection) != 0)
        abort();
}

void (*volatile call_log_postponed)(void);

static bool send_bytes(const unsigned char *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t n = real()->write(LOG->to, bytes + done, count - done);
        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* What cannot be sent, because the program has closed the pipe, is not kept either. */
static void send_tail(void)
{
    while (LOG->sent < LOG->tail->end) {
        size_t at = LOG->sent % LOG_TAIL_BYTES, left = LOG->tail->end - LOG->sent,
               count = left < LOG_TAIL_BYTES - at ? left : LOG_TAIL_BYTES - at;
        if (send_bytes(LOG->tail->bytes + at, count))
            LOG->sent += count;
        else
            LOG->tail->end = LOG->sent;
    }
}

static void keep_in_tail(const unsigned char *bytes, size_t count)
{
    _Static_assert(LOG_TAIL_SENT + sizeof LOG->frame <= LOG_TAIL_BYTES, "there is always room");
    uint64_t end = LOG->tail->end;
    size_t at = end % LOG_TAIL_BYTES,
           first = count < LOG_TAIL_BYTES - at ? count : LOG_TAIL_BYTES - at;
    memcpy(LOG->tail->bytes + at, bytes, first);
    memcpy(LOG->tail->bytes, bytes + first, count - first);
    __atomic_store_n(&LOG->tail->end, end + count, __ATOMIC_RELEASE);
    if (end + count - LOG->sent >= LOG_TAIL_SENT)
        send_tail();
}

static void flush(void)
{
    const unsigned char *bytes = LOG->authenticated ? LOG->frame : LOG->buffer;
    size_t count = LOG->count > 0 && LOG->authenticated
                       ? authlog_frame(&LOG->authlog, LOG->buffer, LOG->count, LOG->frame)
                       : LOG->count;
    if (LOG->tail)
        keep_in_tail(bytes, count);
    else
        send_bytes(bytes, count);
    LOG->count = 0;
}

static void mix_in(void *context, const void *bytes, size_t count)
{
    (void)context;
    const unsigned char *from = bytes;
    while (count > 0) {
        if (LOG->count == sizeof LOG->buffer)
            flush();
        size_t part =
            sizeof LOG->buffer - LOG->count < count ? sizeof LOG->buffer - LOG->count : count;
        memcpy(LOG->buffer + LOG->count, from, part);
        LOG->count += part;
        from += part;
        count -= part;
    }
}

void call_log_write(const struct call *c)
{
    if (LOG->to < 0) {
        LOG->calls++;
        return;
    }
    protect_log(PROT_READ | PROT_WRITE);
    LOG->calls++;
    LOG->busy = true;
    struct log_writer writer = { .put = mix_in, .strings = LOG->strings };
    struct call timed = *c;
    timed.begin = model_now(&sim.model, c->thread);     /* who replays the log compares */
    log_write(&writer, &sim.timeline, &timed);
    LOG->strings = writer.strings;
    flush();
    /* If somebody else writes into the pipe or closes it, the part is known in which that was. */
    if (LOG->tail && (c->kind == CALL_PART || c->kind == CALL_EXIT))
        send_tail();
    LOG->busy = false;
    protect_log(PROT_READ);
    if (call_log_postponed)
        call_log_postponed();
}

bool call_log_last_words(const struct call *c)
{
    if (LOG->busy)
        return false;
    call_log_write(c);
    return true;
}

bool call_log_is_read(void)
{
    return LOG->to >= 0;
}

bool call_log_is_authenticated(void)
{
    return LOG->authenticated;
}

bool call_log_is_guarded(void)
{
    return LOG->guarded;
}

/* Nobody reads it after us. */
static void take_key(void)
{
    char *key = getenv(EXCHANGE_KEY);
    if (!key)
        return;
    LOG->authenticated = authlog_init(&LOG->authlog, key);
    explicit_bzero(key, strlen(key));
    unsetenv(EXCHANGE_KEY);
    LOG->guarded = LOG->authenticated && getenv(EXCHANGE_GUARD);
}

static void open_tail(void)
{
    const char *text = getenv(EXCHANGE_TAIL);
    int file = text && !LOG->guarded ? atoi(text) : -1;
    if (file < 0)
        return;
    void *tail = mmap(NULL, sizeof *LOG->tail, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (tail == MAP_FAILED)
        sim_trouble(EXCHANGE_TAIL "=%s is no memory", text);
    close(file);
    LOG->tail = tail;
}

void call_log_begin(void)
{
    const char *text = getenv(EXCHANGE_LOG);
    if (mmap((void *)LOG_ADDRESS, sizeof(struct log_pages), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)
        != (void *)LOG_ADDRESS)
        sim_trouble("there is no room for the log");
    LOG->to = -1;
    if (!text || !*text)
        return;
    LOG->to = atoi(text);
    if (fcntl(LOG->to, F_SETFD, FD_CLOEXEC) != 0)
        sim_trouble(EXCHANGE_LOG "=%s is no open file", text);
    take_key();
    open_tail();
    struct log_writer writer = { .put = mix_in };
    log_begin(&writer);
    protect_log(PROT_READ);
}

uint32_t call_string(const char *s)
{
    return timeline_intern(&sim.timeline, s, strlen(s));
}

size_t call_log_count(void)
{
    return LOG->calls;
}

void call_log_add(struct call *c)
{
    c->thread = thread_self()->number;
    call_log_write(c);
}
