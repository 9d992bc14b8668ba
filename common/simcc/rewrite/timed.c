/* SPDX-License-Identifier: MIT */
/*
 * timed.c - waits that give up after a while. Such a wait returns, too, when nothing has happened,
 * and what it returns is all that tells the two apart. Where a statement ignores it, the grader is
 * told:
 *
 *   sem_timedwait(&s, &t);       (::sim_gives_up(…,"sem_timedwait"),sem_timedwait(&s, &t));
 *
 * Not where it is all that a loop does: the loop's condition asks. Nor a condition variable's wait
 * without a predicate, which stands in a loop by its nature (pthread_cond_timedwait is one).
 */
#include <stdint.h>

#include "simcc/rewrite/edit.h"
#include "simcc/rewrite/unread.h"

/* Does a lambda, the predicate of wait_for(hold, time, [&] { … }), follow the second comma? */
static bool has_predicate(const struct tokens *t, size_t open, size_t close)
{
    size_t count = 0;
    for (size_t i = open + 1; i < close; i++) {
        if (token_is(t, i, "(") || token_is(t, i, "{") || token_is(t, i, "["))
            i = token_close(t, i);
        else if (token_is(t, i, ",") && ++count == 2)
            return token_is(t, token_behind(t, i), "[");
    }
    return false;
}

/* The first token of what the member at `name` is called of: p->semaphore[k].try_acquire_for. */
static size_t object_start(const struct tokens *t, size_t name)
{
    size_t first = name;
    for (size_t dot;
         dot = token_before(t, first), token_is(t, dot, ".") || token_is(t, dot, "->");) {
        first = token_before(t, dot);
        while (token_is(t, first, "]") || token_is(t, first, ")")) {
            size_t open = token_open(t, first);
            if (open == SIZE_MAX)
                return name;
            first = token_before(t, open);
        }
        if (!token_is_name(t, first))
            return name;
    }
    return first;
}

/* Is the statement from `first` to the semicolon after `close` all that a loop does? */
static bool is_whole_loop(const struct tokens *t, size_t first, size_t close)
{
    size_t last = token_before(t, first);
    if (token_is(t, last, "{")) {
        if (!token_is(t, token_behind(t, token_behind(t, close)), "}"))
            return false;
        last = token_before(t, last);
    }
    size_t open = token_is(t, last, ")") ? token_open(t, last) : SIZE_MAX;
    return token_is(t, last, "do")
           || (open != SIZE_MAX && token_is(t, token_before(t, open), "while"));
}

bool gives_up(struct rewriter *r, size_t name)
{
    static const char *const functions[] = { "sem_timedwait", "sem_clockwait", NULL };
    static const char *const tries[] = { "try_acquire_for", "try_acquire_until", NULL };
    static const char *const waits[] = { "wait_for", "wait_until", NULL };
    const struct tokens *t = &r->tokens;
    size_t open = token_behind(t, name), first = object_start(t, name);
    if (!r->judged || !token_is(t, open, "("))
        return false;
    size_t close = token_close(t, open);
    bool member = first != name && close < t->count
                  && (token_is_any(t, name, tries)
                      || (token_is_any(t, name, waits) && has_predicate(t, open, close)));
    if (close == t->count || !(member || (first == name && token_is_any(t, name, functions)))
        || !is_unread(t, name, first, close) || is_whole_loop(t, first, close))
        return false;
    edit(r, t->list[first].at, 0, "(::sim_gives_up(__builtin_FILE(),__builtin_LINE(),\"%.*s\"),",
         (int)t->list[name].length, t->text + t->list[name].at);
    edit(r, t->list[close].at + t->list[close].length, 0, ")");
    return true;
}
