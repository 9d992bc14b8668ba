/* SPDX-License-Identifier: MIT */
#include "grader/batch/files/times.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grader/batch/files/csv.h"
#include "grader/batch/files/encoding.h"
#include "grader/batch/files/rubric.h"
#include "grader/lessons.h"
#include "trace/record/memory.h"

#define TIMES_MOST (16u << 20)

enum times_column { NO_COLUMN, WHO_COLUMN, LESSON_COLUMN, HANDED_IN_COLUMN, DUE_COLUMN, EXCUSED_COLUMN };

static enum times_column times_column(const char *title)
{
    static const struct { const char *title; enum times_column column; } known[] = {
        { "lesson", LESSON_COLUMN }, { "handed in", HANDED_IN_COLUMN }, { "handed_in", HANDED_IN_COLUMN },
        { "due", DUE_COLUMN }, { "excused", EXCUSED_COLUMN },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(known[i].title, title) == 0)
            return known[i].column;
    return roster_names_people(title) ? WHO_COLUMN : NO_COLUMN;
}

struct times_row { const char *who, *lesson, *handed_in, *due, *excused; };

static bool add_time(struct times *t, const struct times_row *row, const struct roster *r, size_t line, char *why, size_t size)
{
    struct given_time g = { .line = line };
    const struct person *both[2], *person = roster_find(r, row->who, NULL, both);
    if (both[0] != NULL)
        return snprintf(why, size, "'%s' is two people: %s and %s", row->who, both[0]->id, both[1]->id), false;
    if (row->lesson[0] != '\0' && (g.lesson = lesson_find(row->lesson)) == NULL)
        return snprintf(why, size, "there is no lesson '%s'", row->lesson), false;
    if (row->handed_in[0] != '\0' && !rubric_date(row->handed_in, &g.when))
        return snprintf(why, size, "'%s' is no date as 2026-12-01T23:59:00Z", row->handed_in), false;
    if (row->due[0] != '\0' && !rubric_date(row->due, &g.due))
        return snprintf(why, size, "'%s' is no date as 2026-12-01T23:59:00Z", row->due), false;
    g.excused = row->excused[0] != '\0' && strcasecmp(row->excused, "no") != 0;
    g.rostered = person != NULL;
    g.student = strdup(person != NULL ? person->id : row->who);
    MEMORY_GROW(t->list, t->count, t->capacity);
    t->list[t->count++] = g;
    return true;
}

static bool parse_times(struct times *t, char *at, const struct roster *r, char *why, size_t size)
{
    char *field[CSV_COLUMNS];
    enum times_column column[CSV_COLUMNS];
    size_t line = 1;
    if (strncmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    char separator = csv_separator(at);
    size_t columns = csv_record(&at, separator, field);
    bool known = false;
    for (size_t i = 0; i < columns; i++) {
        const char *title = csv_trimmed(field[i]);
        column[i] = times_column(title);
        known |= column[i] == WHO_COLUMN;
        if (column[i] == NO_COLUMN)
            return snprintf(why, size, "line 1: titles are those that name people, lesson, handed in, due and excused, not '%s'", title), false;
    }
    if (!known)
        return snprintf(why, size, "line 1: no title names people (id, name, email)"), false;
    while (*at != '\0') {
        struct times_row row = { "", "", "", "", "" };
        const char **const to[] = { NULL, &row.who, &row.lesson, &row.handed_in, &row.due, &row.excused };
        size_t count = csv_record(&at, separator, field), said = (size_t)snprintf(why, size, "line %zu: ", ++line);
        for (size_t i = 0; i < count && i < columns; i++) {
            const char *value = csv_trimmed(field[i]);
            if (value[0] != '\0' && (*to[column[i]])[0] == '\0')
                *to[column[i]] = value;
        }
        if (row.who[0] != '\0' && !add_time(t, &row, r, line, why + said, size - said))
            return false;
    }
    return true;
}

/* ---- Gradescope ---- */

/* "2018-07-01T14:22:32.365935-07:00", less the fraction; 0: there is none. */
static int64_t gradescope_date(const json_t *value)
{
    char date[64] = "";
    const char *text = json_string_value(value), *point = text != NULL ? strchr(text, '.') : NULL;
    int64_t when;
    if (point != NULL)
        snprintf(date, sizeof date, "%.*s%s", (int)(point - text), text, point + 1 + strspn(point + 1, "0123456789"));
    else if (text != NULL)
        snprintf(date, sizeof date, "%s", text);
    return rubric_date(date, &when) ? when : 0;
}

static bool parse_gradescope(struct times *t, const char *text, const struct roster *r, char *why, size_t size)
{
    json_error_t error;
    json_t *all = json_loads(text, 0, &error), *user = json_array_get(json_object_get(all, "users"), 0);
    struct given_time g = { .when = gradescope_date(json_object_get(all, "created_at")), .line = 1, .rostered = true };
    g.due = gradescope_date(json_object_get(json_object_get(user, "assignment"), "due_date"));
    if (g.due == 0)
        g.due = gradescope_date(json_object_get(json_object_get(all, "assignment"), "due_date"));
    if (g.when == 0)
        snprintf(why, size, "%s", all == NULL ? error.text : "it has no created_at as Gradescope writes it");
    json_decref(all);
    if (g.when == 0 || r->count != 1)
        return g.when == 0 ? false : (snprintf(why, size, "it is one student's, and the roster has %zu", r->count), false);
    g.student = strdup(r->people[0].id);
    MEMORY_GROW(t->list, t->count, t->capacity);
    t->list[t->count++] = g;
    return true;
}

bool times_read(struct times *t, const char *path, const struct roster *r, char *trouble, size_t trouble_size)
{
    const char *guess;
    char why[400];
    *t = (struct times){ .list = NULL };
    if (path == NULL || path[0] == '\0')
        return true;
    char *text = encoding_file(path, TIMES_MOST, &guess);
    size_t n = strlen(path);
    bool json = n > 5 && strcmp(path + n - 5, ".json") == 0;
    bool good = text != NULL && (json ? parse_gradescope(t, text, r, why, sizeof why) : parse_times(t, text, r, why, sizeof why));
    if (!good)
        snprintf(trouble, trouble_size, "%s: %s", path, text != NULL ? why : strerror(errno));
    memory_resize(text, 0);
    return good;
}

void times_fini(struct times *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->list[i].student);
    memory_resize(t->list, 0);
}

struct given_time times_find(const struct times *t, const char *student, const struct lesson *lesson)
{
    struct given_time all = { .lesson = lesson };
    for (size_t i = 0; i < t->count; i++) {
        const struct given_time *g = &t->list[i];
        if (strcmp(g->student, student) != 0 || (g->lesson != NULL && g->lesson != lesson))
            continue;
        all.when = g->when != 0 ? g->when : all.when;
        all.due = g->due != 0 ? g->due : all.due;
        all.excused |= g->excused;
    }
    return all;
}
