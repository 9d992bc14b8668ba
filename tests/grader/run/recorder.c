/* SPDX-License-Identifier: MIT */
/*
 * recorder - stands in for a real GPU and its recorder, for tests: what a program does on the
 * simulator becomes the record of a card.
 *
 *   recorder run PROGRAM         runs it; its record goes to the descriptor that WORKBOOK_LOG
 * names, authenticated with WORKBOOK_KEY recorder compare < LOG       does the record's timeline
 * say what the simulator's does? Status 1 and a line: no
 *
 * FAKE says what is to go wrong (see spoil below).
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exchange.h"
#include "model/model.h"
#include "tests/grader/run/record.h"
#include "trace/record/log.h"
#include "trace/order/recorded.h"
#include "trace/record/authenticated_log.h"

static struct timeline log_of(int from)
{
    static struct log_reader reader;
    static char bytes[65536];
    struct timeline log;
    ssize_t n;
    timeline_init(&log);
    log_reader_init(&reader);
    while ((n = read(from, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            log_read(&reader, &log, bytes, (size_t)n);
    log_reader_fini(&reader);
    return log;
}

/* ---- run ---- */

static struct authlog authlog;
static bool authenticated;

static void take_key(void)
{
    const char *key = getenv(EXCHANGE_KEY);
    authenticated = key && authlog_init(&authlog, key);
    unsetenv(EXCHANGE_KEY);
}

static void write_all(int to, const unsigned char *at, size_t count)
{
    while (count > 0) {
        ssize_t n = write(to, at, count);
        if (n < 0 && errno != EINTR)
            exit(2);
        at += n > 0 ? n : 0;
        count -= n > 0 ? (size_t)n : 0;
    }
}

static void put(void *context, const void *bytes, size_t count)
{
    static unsigned char frame[AUTHLOG_HEAD + AUTHLOG_FRAME_MAX + AUTHLOG_TAIL];
    const unsigned char *at = bytes;
    if (!authenticated)
        write_all(*(int *)context, at, count);
    for (size_t part; authenticated && count > 0; at += part, count -= part) {
        part = count < AUTHLOG_FRAME_MAX ? count : AUTHLOG_FRAME_MAX;
        write_all(*(int *)context, frame, authlog_frame(&authlog, at, part, frame));
    }
}

static bool fake(const char *word)
{
    const char *text = getenv("FAKE");
    return text && strstr(text, word);
}

/* lost: a record is missing, and the recorder says so. gap: it is missing, and nobody knows.
 * unended: the program is killed before its recorder's end. crash: and not the reference solution.
 * serial: all runs one after the other, but for the reference solution. */
static bool is_spoilt(const struct call *c, size_t number)
{
    if (fake("unended") && (c->kind == CALL_EXIT || c->kind == CALL_RAN))
        return true;
    return (fake("gap") || fake("lost")) && c->kind == CALL_RAN && number % 5 == 0;
}

/* Nothing begins before all that began earlier has ended; nothing ends later than it did. */
static void make_serial(struct timeline *log)
{
    int64_t free_at = 0;
    for (size_t i = 0; i < log->call_count; i++) {
        struct call *c = &log->calls[i];
        if (c->kind != CALL_RAN)
            continue;
        if (c->begin < free_at)
            c->begin = free_at < c->end ? free_at : c->end;
        free_at = c->end > free_at ? c->end : free_at;
    }
}

static int run(char **command)
{
    bool yours = strstr(command[0], "program");
    int ends[2], status, to = atoi(getenv(EXCHANGE_LOG) ? getenv(EXCHANGE_LOG) : "1");
    char number[16];
    if (pipe(ends) != 0)
        return 2;
    take_key();
    snprintf(number, sizeof number, "%d", ends[1]);
    setenv(EXCHANGE_LOG, number, 1);
    setenv("SIM_PROFILE", "h200", 1);
    setenv("SIM_HAZARDS", "0", 1);
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    if (posix_spawn(&child, command[0], &actions, NULL, command, environ) != 0)
        return 126;
    close(ends[1]);
    struct timeline calls = log_of(ends[0]), t, log;
    struct happens_before order;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    timeline_init(&t);
    timeline_init(&log);
    hb_init(&order);
    model_replay(&calls, card_find("h200"), &t, &order);
    record_of(&t, &log, fake("other") ? "NVIDIA Some Card" : "NVIDIA H200", 1);
    if (fake("serial") && yours)
        make_serial(&log);
    struct log_writer w = { .put = put, .context = &to };
    log_begin(&w);
    if (fake("lost"))
        log_write(&w, &log,
                  &(struct call){ .kind = CALL_LOST,
                                  .message = record_text(&log, "some records"),
                                  .node = NO_NODE });
    for (size_t i = 0; i < log.call_count; i++)
        if (!is_spoilt(&log.calls[i], i) && !(fake("crash") && yours && i > log.call_count / 2)) {
            struct call c = log.calls[i];
            c.src += c.kind == CALL_RAN && fake("lost");    /* behind one record more */
            log_write(&w, &log, &c);
        }
    if (fake("crash") && yours)
        raise(SIGSEGV);
    if (WIFSIGNALED(status))
        raise(WTERMSIG(status));
    return WEXITSTATUS(status);
}

/* ---- compare ---- */

static bool same_span(const struct timeline *t, const struct timeline *mine, const struct span *a,
                      const struct span *b)
{
    bool same = a->engine == b->engine && a->device == b->device && a->stream == b->stream
                && a->name == b->name && a->blocks == b->blocks
                && t->calls[a->call].kind == mine->calls[b->call].kind;
    /* The card takes a moment to pass one; of the host's own copy a record knows that it is done
     * when the call is. */
    if (a->engine == ENGINE_NONE)
        return same && b->start == b->end
               && b->start
                      <= (t->calls[a->call].kind == CALL_COPY ? t->calls[a->call].end : a->start);
    /* Without a record a prefetch is an instant, and it had nothing to move. */
    if (t->calls[a->call].kind == CALL_PREFETCH && a->bytes == 0)
        return same && b->bytes == 0;
    return same && a->bytes == b->bytes && a->start == b->start && a->end == b->end;
}

static bool same_edges(const struct happens_before *one, const struct happens_before *two,
                       uint32_t node)
{
    size_t a, b;
    const struct edge *x = hb_edges(one, node, &a), *y = hb_edges(two, node, &b);
    return a == b && memcmp(x, y, a * sizeof *x) == 0;
}

static int compare(void)
{
    struct timeline calls = log_of(STDIN_FILENO), t, log, mine;
    struct happens_before order, my_order;
    char trouble[RECORDED_TROUBLE];
    timeline_init(&t), timeline_init(&log), timeline_init(&mine);
    hb_init(&order), hb_init(&my_order);
    model_replay(&calls, card_find("h200"), &t, &order);
    record_of(&t, &log, "NVIDIA H200", 1);
    if (!recorded_replay(&log, &mine, &my_order, trouble)) {
        printf("%s\n", trouble);
        return 1;
    }
    uint32_t left_out = 0;
    for (uint32_t k = 0; k < t.span_count; k++) {
        const struct span *a = &t.spans[k];
        uint32_t kind = t.calls[a->call].kind, number = k - left_out;
        if (kind == CALL_THREAD_BEGIN
            || kind == CALL_THREAD_WAKE) { /* threads wait for each other unrecorded */
            left_out++;
            continue;
        }
        if (number < mine.span_count && same_span(&t, &mine, a, &mine.spans[number])
            && (left_out > 0 || same_edges(&order, &my_order, k)))
            continue;
        printf("span %u (%s, line %u) differs\n", k, timeline_string(&t, a->name),
               t.calls[a->call].line);
        return 1;
    }
    if (t.span_count - left_out != mine.span_count || t.migration_count != mine.migration_count) {
        printf("%zu spans and %zu migrations, not %zu and %zu\n", mine.span_count,
               mine.migration_count, t.span_count - left_out, t.migration_count);
        return 1;
    }
    for (size_t k = 0; k < t.migration_count; k++)
        if (t.migrations[k].bytes != mine.migrations[k].bytes
            || t.migrations[k].to_host != mine.migrations[k].to_host
            || (t.migrations[k].node == NO_NODE) != (mine.migrations[k].node == NO_NODE)) {
            printf("migration %zu differs\n", k);
            return 1;
        }
    printf("%zu spans and their edges%s\n", mine.span_count,
           left_out > 0 ? ", up to where a thread waits for another" : "");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 3 && strcmp(argv[1], "run") == 0)
        return run(argv + 2);
    if (argc == 2 && strcmp(argv[1], "compare") == 0)
        return compare();
    return 2;
}
