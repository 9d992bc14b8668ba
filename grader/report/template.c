/* SPDX-License-Identifier: MIT */
#include "grader/report/template.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/report/html.h"

struct scope { const json_t *value; const struct scope *outer; };

static const json_t *look_up(const struct scope *s, const char *name)
{
    const json_t *found = NULL;
    for (; s && !found; s = s->outer)
        found = json_object_get(s->value, name);
    return found;
}

static bool shows(const json_t *value)
{
    return json_is_array(value)     ? json_array_size(value) > 0
           : json_is_string(value)  ? json_string_length(value) > 0
           : json_is_integer(value) ? json_integer_value(value) != 0
                                    : json_is_object(value) || json_is_true(value);
}

static void put_value(FILE *out, const json_t *value, bool as_it_is)
{
    if (json_is_integer(value))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (as_it_is && json_is_string(value))
        fwrite(json_string_value(value), 1, json_string_length(value), out);
    else if (json_is_string(value))
        html_text(out, json_string_value(value));
}

/* ---- marks ---- */

struct mark {
    const char *start, *end;    /* of what stands in the page instead */
    char kind;                  /* '#', '^', '/', '>', '{', or ' ' for a plain one */
    char name[32];
};

/* Is the mark all that its line has? Then it is the line. */
static void take_line(const char *text, struct mark *m)
{
    if (*m->end == '\n' && (m->start == text || m->start[-1] == '\n'))
        m->end++;
}

/* The first mark from `at` on in `text`. */
static bool next_mark(const char *text, const char *at, struct mark *m)
{
    m->start = strstr(at, "{{");
    const char *name = m->start ? m->start + 2 : NULL,
               *end = name ? strstr(name, "}}") : NULL;
    if (!end)
        return false;
    m->kind = strchr("#^/>{", *name) ? *name++ : ' ';
    snprintf(m->name, sizeof m->name, "%.*s", (int)(end - name), name);
    m->end = end + (m->kind == '{' ? 3 : 2);
    if (strchr("#^/>", m->kind))
        take_line(text, m);
    return true;
}

/* ---- filling ---- */

/* Writes `text` from `at` to the end of the section (or of all); to nowhere where `out` is NULL.
 * Returns where what comes after begins. */
static const char *fill(FILE *out, const char *text, const char *at, const struct scope *s);

static const char *fill_section(FILE *out, const char *text, const char *at, const struct scope *s,
                                const struct mark *m)
{
    const json_t *value = look_up(s, m->name);
    if (!out || shows(value) != (m->kind == '#'))
        return fill(NULL, text, at, s);
    if (!json_is_array(value) || m->kind == '^')
        return fill(out, text, at, &(struct scope){ value, s });
    const char *end = at;
    for (size_t i = 0; i < json_array_size(value); i++)
        end = fill(out, text, at, &(struct scope){ json_array_get(value, i), s });
    return end;
}

static void fill_all(FILE *out, const char *template, const struct scope *s)
{
    fill(out, template, template, s);
}

static const char *fill(FILE *out, const char *text, const char *at, const struct scope *s)
{
    struct mark m;
    while (next_mark(text, at, &m)) {
        if (out)
            fwrite(at, 1, (size_t)(m.start - at), out);
        at = m.end;
        if (m.kind == '/')
            return at;
        if (m.kind == '#' || m.kind == '^')
            at = fill_section(out, text, at, s, &m);
        else if (out && m.kind == '>')
            fill_all(out, json_string_value(look_up(s, m.name)), s);
        else if (out)
            put_value(out, look_up(s, m.name), m.kind == '{');
    }
    if (out)
        fputs(at, out);
    return at + strlen(at);
}

void template_write(FILE *out, const char *template, const json_t *view)
{
    fill_all(out, template, &(struct scope){ view, NULL });
}

/* frame.html, embedded. */
extern const char page_frame[];

void template_page(FILE *out, const char *body, const char *style, json_t *view)
{
    view_text(view, "body", body);
    view_text(view, "style", style);
    template_write(out, page_frame, view);
    json_decref(view);
}

/* ---- views ---- */

/* Puts a value into a view, which has it from then on. */
static json_t *put(json_t *view, const char *name, json_t *value)
{
    if (json_object_set_new(view, name, value) != 0)
        die("no memory left");
    return value;
}

void view_text(json_t *view, const char *name, const char *text)
{
    put(view, name, json_string_nocheck(text));
}

void view_format(json_t *view, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = formatted_list(format, arguments);
    va_end(arguments);
    view_text(view, name, text);
    free(text);
}

void view_number(json_t *view, const char *name, size_t number)
{
    put(view, name, json_integer((json_int_t)number));
}

json_t *view_object(json_t *view, const char *name)
{
    return put(view, name, json_object());
}

json_t *view_list(json_t *view, const char *name)
{
    return put(view, name, json_array());
}

json_t *view_more(json_t *list)
{
    json_t *view = json_object();
    if (json_array_append_new(list, view) != 0)
        die("no memory left");
    return view;
}
