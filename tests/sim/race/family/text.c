/* SPDX-License-Identifier: MIT */
/* Programs as text. */
#include "program.h"

#include <string.h>

static const char *const words[] = {
    [KERNEL] = "kernel", [COPY] = "copy", [SET] = "set", [FUNCTION] = "function", [HOST] = "host",
    [GRAPH_KERNEL] = "graph_kernel", [RECORD] = "record", [WAIT] = "wait",
    [GRAPH_BEGIN] = "graph_begin",
    [GRAPH_END] = "graph_end", [WORK] = "host_work", [FINISH_STREAM] = "finish_stream",
    [FINISH_EVENT] = "finish_event", [FINISH_DEVICE] = "finish_device",
    [MEET] = "meet", [STORE] = "store", [LOAD] = "load", [POST] = "post", [TAKE] = "take",
    [RENEW] = "renew",
};

/* Its arguments in order: i id, s stream, e event, a bytes, f source, w write, k blocking, n ns, d
 * dependencies, o object. */
static const char *const arguments[] = {
    [KERNEL] = "isawn", [COPY] = "safk", [SET] = "sa", [FUNCTION] = "isaw", [HOST] = "aw",
    [GRAPH_KERNEL] = "idawn",
    [RECORD] = "es", [WAIT] = "se", [GRAPH_BEGIN] = "", [GRAPH_END] = "s", [WORK] = "n",
    [FINISH_STREAM] = "s",
    [FINISH_EVENT] = "e", [FINISH_DEVICE] = "", [MEET] = "o", [STORE] = "o", [LOAD] = "o",
    [POST] = "o", [TAKE] = "o",
    [RENEW] = "o",
};

static void print_bytes(FILE *out, struct bytes b, bool source)
{
    fprintf(out, source ? "{%d, %d, %d, %d}" : "%d %d %d %d", b.buffer, b.from, b.to, b.step);
}

static void print_step(FILE *out, int program, int id, const struct act *s, unsigned after,
                       bool source)
{
    if (source)
        fprintf(out, "    on(%d, [] { name(%d, %d), %s(", s->thread, program, id, words[s->what]);
    else
        fprintf(out, "%d %s %d %d", s->thread, words[s->what], program, id);
    bool any = false;
    for (const char *a = arguments[s->what]; *a; a++) {
        if (*a == 'i' && !source)
            continue;                   /* it stands in front already */
        fputs(!source ? " " : any ? ", " : "", out);
        any = true;
        switch (*a) {
        case 'i': fprintf(out, "%d", id); break;
        case 's': fprintf(out, "%d", s->stream); break;
        case 'e': fprintf(out, "%d", s->event); break;
        case 'a': print_bytes(out, s->at, source); break;
        case 'f': print_bytes(out, s->source, source); break;
        case 'w': fprintf(out, "%d", s->write); break;
        case 'k': fprintf(out, "%d", s->blocking); break;
        case 'n': fprintf(out, "%lld", s->ns); break;
        case 'd': fprintf(out, "%u", after); break;
        case 'o': fprintf(out, "%d", s->object); break;
        }
    }
    fputs(source ? "); });\n" : "\n", out);
}

void print_program(FILE *out, int number, const struct program *p, const struct without *w,
                   bool source)
{
    for (int i = 0; i < p->count; i++)
        if (p->steps[i].edge == 0 || p->steps[i].edge != w->edge)
            print_step(out, number, i, &p->steps[i],
                       p->steps[i].after & ~(i == w->node ? w->after : 0), source);
    print_step(out, number, p->count, &(struct act){ .what = FINISH_DEVICE }, 0, source);
    for (int thread = 0; thread < 2 * THREADS; thread++)        /* all know what all have done */
        print_step(out, number, p->count, &(struct act){ .what = MEET, .thread = thread % THREADS },
                   0, source);
}
