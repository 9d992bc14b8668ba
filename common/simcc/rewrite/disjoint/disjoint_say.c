/* SPDX-License-Identifier: MIT */
#include "simcc/rewrite/disjoint/disjoint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record/memory.h"

static void say(char **text, size_t *used, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(char **text, size_t *used, const char *format, ...)
{
    char *more;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&more, format, arguments);
    va_end(arguments);
    if (length < 0)
        abort();
    *text = memory_resize(*text, *used + (size_t)length + 1);
    memcpy(*text + *used, more, (size_t)length + 1);
    *used += (size_t)length;
    free(more);
}

/* A number, or what the program calls it: `as` a type or a function; `none` where there is none. */
static void say_number(const struct reader *d, char **text, size_t *used, size_t token,
                       const char *as, const char *none)
{
    const struct token *there = &d->t->list[token];
    if (token == 0)
        say(text, used, ",%s", none);
    else
        say(text, used, ",%s(%.*s)", as, (int)there->length, d->t->text + there->at);
}

char *disjoint_say(const struct reader *d)
{
    static const char size[] = "::__sim::__threads", bound[] = "(long long)";
    char *text = NULL;
    size_t used = 0;
    say(&text, &used,
        "},[=](struct sim_touches&__t)__attribute__((__no_sanitize_thread__)){");
    for (size_t i = 0; i < d->touch_count; i++) {
        const struct touch *touch = &d->touches[i];
        const struct token *name = &d->t->list[touch->pointer];
        int length = (int)name->length;
        const char *at = d->t->text + name->at;
        say(&text, &used, "__t.__add(%.*s,sizeof*%.*s,%d,%d", length, at, length, at, touch->stores,
            !touch->known ? 0 : touch->width == 0 ? 1 : 2);
        say(&text, &used, ",%d", touch->x.loops);
        say_number(d, &text, &used, touch->x.size, size, "0");
        say_number(d, &text, &used, touch->x.bound, bound, "-1");
        say_number(d, &text, &used, touch->width, size, "0");
        say_number(d, &text, &used, touch->y.size, size, "0");
        say_number(d, &text, &used, touch->y.bound, bound, "-1");
        say(&text, &used, ");");
    }
    say(&text, &used, "}");
    return text;
}
