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
#include "grader/batch/files/dates.h"
#include "grader/lessons.h"
#include "trace/record/memory.h"

#define TIMES_MOST (16u << 20)

enum times_column { NO_COLUMN, WHO_COLUMN, LESSON_COLUMN, HANDED_IN_COLUMN, DUE_COLUMN,
                    EXCUSED_COLUMN };

static enum times_column times_column(const char *title)
{
    static const struct { const char *title; enum times_column column; } known[] = {
        { "lesson", LESSON_COLUMN }, { "handed in", HANDED_IN_COLUMN },
        { "handed_in", HANDED_IN_COLUMN },
        { "due", DUE_COLUMN }, { "excused", EXCUSED_COLUMN },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(known[i].title, title) == 0)
            return known[i].column;
    return roster_names_people(title) ? WHO_COLUMN : NO_COLUMN;
}

struct times_row { const char *who, *lesson, *handed_in, *due, *excused; };

static bool add_time(struct times *t, const struct times_row *row, const struct roster *r,
                     size_t line, char *why, size_t size)
{
    struct given_time g = { .line = line };
    const struct person *both[2], *person = roster_find(r, row->who, NULL, both);
    if (both[0])
        return snprintf(why, size, "'%s' is two people: %s and %s", row->who, both[0]->id,
                        both[1]->id),
               false;
    if (row->lesson[0] != '\0' && !(g.lesson = lesson_find(row->lesson)))
        return snprintf(why, size, "there is no lesson '%s'", row->lesson), false;
    if (row->handed_in[0] != '\0' && !date_read(row->handed_in, &g.when))
        return snprintf(why, size, "'%s' is no date as 2026-12-01T23:59:00Z", row->handed_in),
               false;
    if (row->due[0] != '\0' && !date_read(row->due, &g.due))
        return snprintf(why, size, "'%s' is no date as 2026-12-01T23:59:00Z", row->due), false;
    g.excused = row->excused[0] != '\0' && strcasecmp(row->excused, "no") != 0;
    g.rostered = person;
    g.student = strdup(person ? person->id : row->who);
    MEMORY_GROW(t->list, t->count, t->capacity);
    t->list[t->count++] = g;
    return true;
}

static bool parse_times(struct times *t, char *at, const struct roster *r, char *why, size_t size)
{
    char *field[CSV_COLUMNS];
    enum times_column column[CSV_COLUMNS];
    size_t line = 1;
    char separator = csv_separator(at);
    size_t columns = csv_record(&at, separator, field);
    bool known = false;
    for (size_t i = 0; i < columns; i++) {
        const char *title = csv_trimmed(field[i]);
        column[i] = times_column(title);
        known |= column[i] == WHO_COLUMN;
        if (column[i] == NO_COLUMN)
            return snprintf(why, size,
                            "line 1: titles are those that name people, lesson, handed in, due and excused, not '%s'",
                            title),
                   false;
    }
    if (!known)
        return snprintf(why, size, "line 1: no title names people (id, name, email)"), false;
    while (*at != '\0') {
        struct times_row row = { "", "", "", "", "" };
        const char **const to[] = { NULL, &row.who, &row.lesson, &row.handed_in, &row.due,
                                    &row.excused };
        size_t count = csv_record(&at, separator, field),
               said = (size_t)snprintf(why, size, "line %zu: ", ++line);
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

/* ---- Moodle's log ---- */

enum log_column { LOG_NOTHING, LOG_TIME, LOG_WHO, LOG_CONTEXT, LOG_EVENT, LOG_COLUMNS };

static enum log_column log_column(const char *title)
{
    static const char *const titles[LOG_COLUMNS] = { [LOG_TIME] = "time",
                                                     [LOG_WHO] = "user full name",
                                                     [LOG_CONTEXT] = "event context",
                                                     [LOG_EVENT] = "event name" };
    for (enum log_column c = LOG_TIME; c < LOG_COLUMNS; c++)
        if (strcasecmp(titles[c], title) == 0)
            return c;
    return LOG_NOTHING;
}

/* Events of mod_assign and its submissions of files that make or change one (lang/en of Moodle at
 * commit 2a6fd313547a). */
static bool is_submission(const char *event)
{
    static const char *const made[] = { "A submission has been submitted.",
                                        "A file has been uploaded.", "Submission created.",
                                        "Submission updated." };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (strcmp(event, made[i]) == 0)
            return true;
    return false;
}

/* "Assignment: Lesson 03: Events" */
static const struct lesson *lesson_named(const char *context)
{
    const char *number = strcasestr(context, "lesson ");
    for (size_t i = 0; i < lesson_count; i++)
        if (strcasestr(context, lessons[i]->folder)
            || (number && atoi(number + 7) == lessons[i]->number))
            return lessons[i];
    for (size_t i = 0; i < lesson_count; i++)
        if (strcasestr(context, lessons[i]->title))
            return lessons[i];
    return NULL;
}

static void add_event(struct times *t, char *const cell[LOG_COLUMNS], const struct roster *r,
                      const struct rubric *rubric, enum date_order order, size_t line)
{
    const struct person *both[2], *person = roster_find(r, cell[LOG_WHO], NULL, both);
    struct given_time g = { .line = line,
                            .lesson = lesson_named(cell[LOG_CONTEXT]),
                            .rostered = person != NULL };
    const char *why =
        both[0] ? "more than one person is called as a log says"
        : !rubric->has_zone
            ? "nothing says which time zone they are in (rubric: \"late\": {\"zone\": \"+01:00\"})"
        : !date_words(cell[LOG_TIME], order, rubric->zone, &g.when)
            ? "they could be two dates, or are none that is known"
            : NULL;
    if (why) {
        t->unread++;
        snprintf(t->why, sizeof t->why, "%s, as in line %zu: %.60s", why, line,
                 both[0] ? cell[LOG_WHO] : cell[LOG_TIME]);
        return;
    }
    g.student = strdup(person ? person->id : cell[LOG_WHO]);
    for (size_t i = 0; i < t->count; i++)
        if (t->list[i].lesson == g.lesson
            && strcmp(t->list[i].student, g.student) == 0) {     /* the last counts */
            t->list[i].when = g.when > t->list[i].when ? g.when : t->list[i].when;
            free(g.student);
            return;
        }
    MEMORY_GROW(t->list, t->count, t->capacity);
    t->list[t->count++] = g;
}

/* Takes the text apart twice: in the order of day and month that any line tells the others follow.
 */
static bool parse_log(struct times *t, const char *text, const struct roster *r,
                      const struct rubric *rubric)
{
    enum date_order order = ORDER_UNKNOWN;
    for (int pass = 0; pass < 2; pass++) {
        char *copy = strdup(text), *at = copy, *field[CSV_COLUMNS], separator = csv_separator(copy);
        enum log_column column[CSV_COLUMNS];
        size_t columns = csv_record(&at, separator, field), found = 0;
        for (size_t i = 0; i < columns; i++)
            found += (column[i] = log_column(csv_trimmed(field[i]))) != LOG_NOTHING;
        for (size_t line = 2; *at != '\0' && found == LOG_COLUMNS - 1; line++) {
            static char none[1];
            char *cell[LOG_COLUMNS] = { none, none, none, none, none };
            size_t count = csv_record(&at, separator, field);
            for (size_t i = 0; i < count && i < columns; i++)
                cell[column[i]] = csv_trimmed(field[i]);
            if (pass == 0 && order == ORDER_UNKNOWN)
                order = date_order(cell[LOG_TIME]);
            else if (pass == 1 && is_submission(cell[LOG_EVENT]))
                add_event(t, cell, r, rubric, order, line);
        }
        free(copy);
        if (found != LOG_COLUMNS - 1)
            return false;
    }
    t->is_log = true;
    return true;
}

/* ---- Gradescope ---- */

/* "2018-07-01T14:22:32.365935-07:00", less the fraction; 0: there is none. */
static int64_t gradescope_date(const json_t *value)
{
    char date[64] = "";
    const char *text = json_string_value(value), *point = text ? strchr(text, '.') : NULL;
    int64_t when;
    if (point)
        snprintf(date, sizeof date, "%.*s%s", (int)(point - text), text,
                 point + 1 + strspn(point + 1, "0123456789"));
    else if (text)
        snprintf(date, sizeof date, "%s", text);
    return date_read(date, &when) ? when : 0;
}

static bool parse_gradescope(struct times *t, const char *text, const struct roster *r, char *why,
                             size_t size)
{
    json_error_t error;
    size_t i;
    json_t *all = json_loads(text, 0, &error), *user;
    struct given_time g = { .when = gradescope_date(json_object_get(all, "created_at")),
                            .line = 1,
                            .rostered = true };
    json_array_foreach(json_object_get(all, "users"), i, user) {
        int64_t due =
            gradescope_date(json_object_get(json_object_get(user, "assignment"), "due_date"));
        g.due = due > g.due ? due : g.due;
    }
    if (g.due == 0)
        g.due = gradescope_date(json_object_get(json_object_get(all, "assignment"), "due_date"));
    if (g.when == 0)
        snprintf(why, size, "%s",
                 !all ? error.text : "it has no created_at as Gradescope writes it");
    json_decref(all);
    if (g.when == 0 || r->count != 1)
        return g.when == 0
                   ? false
                   : (snprintf(why, size, "it is one student's, and the roster has %zu", r->count),
                      false);
    g.student = strdup(r->people[0].id);
    MEMORY_GROW(t->list, t->count, t->capacity);
    t->list[t->count++] = g;
    return true;
}

bool times_read(struct times *t, const char *path, const struct roster *r,
                const struct rubric *rubric, char *trouble, size_t trouble_size)
{
    const char *guess;
    char why[400];
    *t = (struct times){ .list = NULL };
    if (!path || path[0] == '\0')
        return true;
    char *text = encoding_file(path, TIMES_MOST, &guess);
    char *begin = text && strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
    size_t n = strlen(path);
    bool json = n > 5 && strcmp(path + n - 5, ".json") == 0;
    bool good =
        text
        && (json ? parse_gradescope(t, text, r, why, sizeof why)
                 : parse_log(t, begin, r, rubric) || parse_times(t, begin, r, why, sizeof why));
    if (!good)
        snprintf(trouble, trouble_size, "%s: %s", path, text ? why : strerror(errno));
    memory_resize(text, 0);
    return good;
}

void times_fini(struct times *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->list[i].student);
    memory_resize(t->list, 0);
}

struct given_time times_find(struct times *t, const char *student, const struct lesson *lesson)
{
    struct given_time all = { .lesson = lesson };
    for (size_t i = 0; i < t->count; i++) {
        const struct given_time *g = &t->list[i];
        if (strcmp(g->student, student) != 0 || (g->lesson && g->lesson != lesson))
            continue;
        if (g->when != 0 && (all.when == 0 || all.of_all || g->lesson)) {
            all.of_all = !g->lesson;
            all.when = g->when;
        }
        all.due = g->due != 0 ? g->due : all.due;
        all.excused |= g->excused;
    }
    if (t->is_log && all.of_all && t->lessons_wanted != 1) {
        all.when = 0;
        t->vague++;
    }
    return all;
}
