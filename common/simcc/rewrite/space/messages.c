/* SPDX-License-Identifier: MIT */
/* messages.c - what g++ says, line by line: the warnings that marks make, and the rest. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "simcc/rewrite/space/inside.h"
#include "trace/record/memory.h"

char *messages_plain(const char *at, size_t count)
{
    char *out = memory_resize(NULL, count + 1), *to = out;
    for (const char *end = at + count; at < end;) {
        if (*at != '\33') {
            *to++ = *at++;
            continue;
        }
        while (at < end && *at != 'm' && *at != 'K' && *at != '\n')
            at++;
        at += at < end && *at != '\n';
    }
    *to = '\0';
    return out;
}

/* ---- one line ---- */

static const char *find(const char *at, const char *end, const char *what)
{
    return memmem(at, (size_t)(end - at), what, strlen(what));
}

/* FILE:LINE before `end` */
static bool read_place(struct spaces *s, const char *at, const char *end, struct place *place)
{
    const char *colon = end;
    while (colon > at && colon[-1] >= '0' && colon[-1] <= '9')
        colon--;
    if (colon == end || colon == at || *--colon != ':')
        return false;
    place->line = strtol(colon + 1, NULL, 10);
    place->file = space_file(s, at, (size_t)(colon - at));
    return true;
}

static enum said kind_of(const char *at, const char *end)
{
    static const struct { const char *words; enum said said; } kinds[] = {
        { ": simcc:host", SAID_HOST }, { ": simcc:device", SAID_DEVICE },
        { ": simcc:both", SAID_BOTH }, { ": simcc:kernel", SAID_KERNEL },
        { "[-Wvla]", SAID_VLA }, { ": note: ", SAID_NOTE }, { ": warning: ", SAID_WARNING },
        { ": error: ", SAID_ELSE }, { ": fatal error: ", SAID_ELSE },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (find(at, end, kinds[i].words))
            return kinds[i].said;
    return SAID_WHERE;
}

/* What stands first between quotes. */
static void read_quoted(struct message *m, const char *at, const char *end)
{
    const char *open = find(at, end, "\u2018"), *close = open ? find(open, end, "\u2019") : NULL;
    size_t quote = strlen("\u2018");
    if (!close) {
        open = find(at, end, "'"), quote = 1;
        close = open ? find(open + 1, end, "'") : NULL;
    }
    if (close) {
        m->function = open + quote;
        m->length = (size_t)(close - m->function);
    }
}

/* ---- all of them ---- */

struct output { char *text; size_t length; };

static void put(struct output *out, const char *at, size_t length)
{
    out->text = memory_resize(out->text, out->length + length + 1);
    memcpy(out->text + out->length, at, length);
    out->length += length;
    out->text[out->length] = '\0';
}

/* In function ‘int main()’: and the like is said once. It goes with the first line that stays. */
struct sorting {
    struct output out, where;
    bool in_where, dropping;
};

static void sort_line(struct sorting *o, enum said said, const char *line, size_t length,
                      const struct spaces_shown *shown)
{
    bool drop = said <= SAID_KERNEL || (said == SAID_VLA && !shown->arrays)
                || (said <= SAID_WARNING && !shown->warnings)
                || (said == SAID_NOTE && o->dropping);
    if (said == SAID_WHERE) {
        if (!o->in_where)
            o->where.length = 0;
        put(&o->where, line, length);
        o->in_where = true;
        return;
    }
    o->in_where = false;
    o->dropping = drop;
    if (drop)
        return;
    put(&o->out, o->where.text ? o->where.text : "", o->where.length);
    o->where.length = 0;
    put(&o->out, line, length);
}

char *spaces_refuse(struct spaces *s, const char *messages, size_t count,
                    struct spaces_shown shown, size_t *left, char **refused)
{
    struct sorting o = { .in_where = false };
    struct message *list = NULL;
    size_t said_count = 0, capacity = 0;
    char *plain = messages_plain(messages, count);
    const char *at = plain, *original = messages, *original_end = messages + count;
    put(&o.out, "", 0);
    bool awaits_note = false;
    while (original < original_end) {
        const char *end = at + strcspn(at, "\n");
        const char *newline = memchr(original, '\n', (size_t)(original_end - original));
        const char *next = newline ? newline + 1 : original_end;
        enum said said = kind_of(at, end);
        struct message m = { .said = said };
        const char *mid = find(at, end, said == SAID_NOTE ? ": note: " : ": warning: ");
        if (said == SAID_NOTE && awaits_note && mid)
            read_place(s, at, mid, &list[said_count - 1].declared), awaits_note = false;
        if (said <= SAID_VLA && mid && read_place(s, at, mid, &m.place)) {
            read_quoted(&m, mid, end);
            MEMORY_GROW(list, said_count, capacity);
            list[said_count++] = m;
            awaits_note = said != SAID_VLA;
        }
        sort_line(&o, said, original, (size_t)(next - original), &shown);
        at = end + (*end == '\n');
        original = next;
    }
    *refused = space_judge(s, list, said_count);
    memory_resize(list, 0);
    memory_resize(plain, 0);
    memory_resize(o.where.text, 0);
    *left = o.out.length;
    return o.out.text;
}
