/* SPDX-License-Identifier: MIT */
/* judge.c - which uses nvcc refuses. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simcc/rewrite/space/inside.h"
#include "trace/record/memory.h"

/* ---- a function as g++ writes it: int n::S<T>::f(int) const [with T = int] ---- */

struct spelled {
    const char *at;             /* n::S<T>::f */
    int length;
    size_t name;                /* f; SIZE_MAX: no name of the program */
    bool nameless; /* a constructor, a destructor, an operator: calls need not name it */
    bool copies;                /* a constructor with a reference, a destructor */
};

static bool is_part(char c)
{
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z')
           || (c & 128);
}

/* The ( of its parameters. */
static const char *parameters_of(const char *at, const char *end, const char **sign)
{
    static const char word[] = "operator";
    *sign = NULL;
    for (const char *o = at; (o = memmem(o, (size_t)(end - o), word, sizeof word - 1));
         o += sizeof word - 1)
        if ((o == at || !is_part(o[-1])) && !is_part(o[sizeof word - 1])) {
            *sign = o;
            at = o + sizeof word - 1;
            at += 2 * (end - at > 1 && at[0] == '(' && at[1] == ')');
            return memchr(at, '(', (size_t)(end - at));
        }
    for (size_t depth = 0; at < end; at++) {
        depth += *at == '<';
        depth -= depth > 0 && *at == '>';
        if (depth == 0 && *at == '(')
            return at;
    }
    return NULL;
}

/* Where the last part begins of what ends at `end`: f of n::S<T>::f, with a < at *angle. */
static const char *part_of(const char *from, const char *end, const char **part_end)
{
    size_t depth = 0;
    const char *at = end;
    *part_end = end;
    while (at > from && (depth > 0 || is_part(at[-1]) || at[-1] == '~' || at[-1] == '>')) {
        at--;
        depth += *at == '>';
        depth -= *at == '<';
        if (*at == '<' && depth == 0)
            *part_end = at;
    }
    return at;
}

/* main()::<lambda(auto:1)> [with auto:1 = int] */
static bool is_lambda(const struct message *m)
{
    static const char with[] = " [with ", begins[] = "<lambda(";
    const char *end = m->function ? memmem(m->function, m->length, with, sizeof with - 1) : NULL;
    size_t length = end ? (size_t)(end - m->function) : m->length;
    while (length > 0 && m->function && strchr("mutableconst ", m->function[length - 1]))
        length--;
    return m->function && length > 0 && m->function[length - 1] == '>'
           && memmem(m->function, length, begins, sizeof begins - 1);
}

static struct spelled spell(const struct spaces *s, const struct message *m)
{
    static const char lambda[] = "a lambda without __device__";
    struct spelled f = { .name = SIZE_MAX };
    if (is_lambda(m))
        return (struct spelled){ lambda, sizeof lambda - 1, SIZE_MAX, true, false };
    if (!m->function)               /* an array in a template */
        return f;
    const char *end = m->function + m->length, *sign,
               *open = parameters_of(m->function, end, &sign);
    if (!open)
        return f;
    const char *part_end, *part = sign ? sign : part_of(m->function, open, &part_end),
                          *first = part;
    f.nameless = sign || *part == '~';
    if (!sign)
        f.name = space_known(s, part, (size_t)(part_end - part));
    while (first > m->function + 2 && first[-1] == ':') {
        const char *owner_end, *owner = part_of(m->function, first - 2, &owner_end);
        bool constructs = first == part && !sign && owner_end - owner == part_end - part
                          && memcmp(owner, part, (size_t)(part_end - part)) == 0;
        f.nameless = f.nameless || constructs;
        f.copies = constructs && memchr(open, '&', (size_t)(end - open));
        if (owner == first - 2)
            break;
        first = owner;
    }
    f.copies = f.copies || *part == '~';
    f.at = first;
    f.length = (int)(open - first);
    return f;
}

/* ---- where a use stands ---- */

static bool covers(const struct range *r, struct place p)
{
    return r->file == p.file && r->from <= p.line && p.line <= r->until;
}

static bool is_among(const struct range *list, size_t count, struct place p)
{
    for (size_t i = 0; i < count; i++)
        if (covers(&list[i], p))
            return true;
    return false;
}

/* The functions in whose lines the place is. */
struct around { size_t host, device, both; bool emitted, templated, at_edge, twofold; };

static struct around around_of(const struct spaces *s, struct place p)
{
    struct around a = { .emitted = true };
    for (size_t i = 0; i < s->lambda_count; i++) {
        const struct lambda *l = &s->lambdas[i];
        if (covers(&l->inside, p))
            return (struct around){ .device = 1, .emitted = l->emitted, .templated = l->templated };
        a.both += covers(&l->head, p) || covers(&l->last, p);
    }
    for (size_t i = 0; i < s->function_count; i++) {
        const struct function *f = &s->functions[i];
        if (f->close == 0 || !covers(&f->lines, p))
            continue;
        a.host += f->side == HOST_SIDE || f->unclear;
        a.device += f->side == DEVICE_SIDE || f->unclear;
        a.both += f->side == BOTH_SIDES;
        a.emitted = a.emitted && f->emitted;
        a.templated = a.templated || f->templated;
        a.twofold = a.twofold || f->twofold;
        a.at_edge =
            a.at_edge || (f->kernel && (p.line <= f->body_line || p.line == f->lines.until));
    }
    return a;
}

/* How a name is used in this line. */
struct uses { size_t sure, unsure, launched; };

static struct uses uses_of(const struct spaces *s, size_t name, struct place p)
{
    struct uses u = { 0 };
    for (size_t i = 0; i < s->use_count; i++)
        if (s->uses[i].name == name && covers(&s->uses[i].lines, p)) {
            u.launched += s->uses[i].launched;
            u.sure += s->uses[i].sure && !s->uses[i].launched;
            u.unsure += !s->uses[i].sure;
        }
    return u;
}

/* Is it an array that the text shows to be one, too? What nvcc knows of constants is more than g++
 * does. */
static bool is_variable_array(const struct spaces *s, const struct message *m)
{
    size_t name = m->function ? space_known(s, m->function, m->length) : SIZE_MAX;
    for (size_t i = 0; i < s->array_count; i++)     /* in a template it has no name */
        if ((!m->function || s->arrays[i].name == name) && covers(&s->arrays[i].lines, m->place))
            return true;
    return false;
}

/* ---- what a GPU has ---- */

/* The function of this name that is defined at the place, or elsewhere outside of its class. */
static struct function *defined(const struct spaces *s, size_t name, struct place p)
{
    struct function *there = NULL, *elsewhere = NULL;
    size_t count = 0, others = 0;
    if (name == SIZE_MAX)
        return NULL;
    for (size_t i = s->chains[name].function; i > 0; i = s->functions[i - 1].namesake) {
        struct function *f = &s->functions[i - 1];
        if (f->close != 0 && covers(&f->lines, p))
            there = f, count++;
        else if (f->close != 0 && f->qualified)
            elsewhere = f, others++;
    }
    return count == 1 ? there : count == 0 && others == 1 ? elsewhere : NULL;
}

/* Is it that kernel's own text? There the rewriter names it, and a member may be called so. */
static bool is_in_kernel(const struct spaces *s, size_t name, struct place p)
{
    const struct function *f = defined(s, name, p);
    return f && f->kernel && covers(&f->lines, p);
}

/* An operator has no name of its own in what g++ says: the one that is defined there. */
static struct function *nameless_at(const struct spaces *s, struct place p)
{
    struct function *found = NULL;
    for (size_t i = 0; i < s->function_count; i++)
        if (s->functions[i].close != 0 && covers(&s->functions[i].lines, p)) {
            if (found)
                return NULL;
            found = &s->functions[i];
        }
    return found;
}

/* The lambda of the device that begins there, if it is the only one. */
static bool *lambda_at(const struct spaces *s, struct place p)
{
    bool *emitted = NULL;
    for (size_t i = 0; i < s->lambda_count; i++)
        if (covers(&s->lambdas[i].head, p)) {
            if (emitted)
                return NULL;
            emitted = &s->lambdas[i].emitted;
        }
    return emitted;
}

static bool reaches(struct spaces *s, const struct message *m)
{
    if (m->said == SAID_HOST || m->said == SAID_VLA)
        return false;
    struct spelled f = spell(s, m);
    struct function *callee =
        f.nameless ? nameless_at(s, m->declared) : defined(s, f.name, m->declared);
    bool *emitted = is_lambda(m) ? lambda_at(s, m->declared) : callee ? &callee->emitted : NULL;
    if (!emitted || *emitted)
        return false;
    struct around a = around_of(s, m->place);
    bool from_host = m->said == SAID_KERNEL && a.host > 0 && a.device == 0 && !a.templated;
    bool from_device = a.device + a.both > 0 && a.host == 0 && a.emitted;
    if (!(from_host || from_device) || is_among(s->unsure, s->unsure_count, m->place))
        return false;
    return *emitted = true;
}

/* ---- sentences ---- */

struct sentences { char *text; size_t length; };

static void say(struct spaces *s, struct sentences *to, const struct message *m,
                const struct spelled *f, const char *what)
{
    char *line;
    int length = asprintf(&line, "%s:%ld: error: %.*s%s\n", s->files[m->place.file], m->place.line,
                          f->length, f->at ? f->at : "", what);
    if (length < 0)
        abort();
    if (!to->text || !strstr(to->text, line)) {
        to->text = memory_resize(to->text, to->length + (size_t)length + 1);
        memcpy(to->text + to->length, line, (size_t)length + 1);
        to->length += (size_t)length;
    }
    free(line);
}

static void judge(struct spaces *s, const struct message *m, struct sentences *to)
{
    static const char of_host
        [] =
            " is a host function: device code can call only __device__ functions",
 of_device[] =
        " is a __device__ function: host code can call only host functions",
 no_kernel[] = " is not a kernel: only kernels are launched with <<< >>>",
 no_launch[] = " is a kernel: launch it with <<<grid, block>>> before its arguments",
 no_constant[] =
        "the length of this array is not a constant: device code has no arrays of variable length";
    struct around a = around_of(s, m->place);
    bool in_device = a.device > 0 && a.host + a.both == 0,
         in_host = a.host > 0 && a.device + a.both == 0 && !a.templated,
         unsure = is_among(s->unsure, s->unsure_count, m->place);
    struct spelled f = spell(s, m);
    if (m->said == SAID_VLA) {
        if (a.host == 0 && a.device + a.both > 0 && !a.twofold
            && (!a.templated || (a.emitted && !unsure)) && is_variable_array(s, m))
            say(s, to, m, &f, no_constant);
        return;
    }
    if (!f.at)
        return;
    struct uses u = f.nameless ? (struct uses){ .sure = !unsure } : uses_of(s, f.name, m->place);
    bool called = u.sure > 0 && u.unsure + u.launched == 0;
    if (m->said == SAID_HOST && in_device && a.emitted && called && !(f.copies && a.at_edge))
        say(s, to, m, &f, of_host);
    else if (m->said == SAID_DEVICE && in_host && called
             && !is_among(s->launches, s->launch_count, m->place))
        say(s, to, m, &f, of_device);
    else if (m->said == SAID_KERNEL && (in_host || (in_device && !a.templated)) && called
             && !is_in_kernel(s, f.name, m->place))
        say(s, to, m, &f, no_launch);
    else if ((m->said == SAID_HOST || m->said == SAID_DEVICE) && in_host && u.launched > 0
             && u.sure + u.unsure == 0)
        say(s, to, m, &f, no_kernel);
}

char *space_judge(struct spaces *s, const struct message *list, size_t count)
{
    struct sentences to = { 0 };
    /* Who calls stands mostly after what it calls, and in a class it may stand before. */
    for (bool more = true, back = true; more; back = !back) {
        more = false;
        for (size_t i = 0; i < count; i++)
            more |= reaches(s, &list[back ? count - 1 - i : i]);
    }
    for (size_t i = 0; i < count; i++)
        judge(s, &list[i], &to);
    return to.text;
}
