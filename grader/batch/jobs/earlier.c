/* SPDX-License-Identifier: MIT */
#include "grader/batch/jobs/earlier.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/lessons.h"

size_t attempts_read(const struct plan *p, const char *folder, const struct lesson *lesson,
                     struct saved_attempt list[ATTEMPTS_MOST])
{
    char *path = ledger_path(p->out, "attempts/%s/%s/", folder, lesson->folder);
    DIR *open = opendir(path);
    size_t count = 0;
    for (struct dirent *e; open && count < ATTEMPTS_MOST && (e = readdir(open));) {
        size_t n = strlen(e->d_name);
        if (n != LEDGER_KEY - 1 + 5 || strcmp(e->d_name + n - 5, ".json") != 0)
            continue;
        char *file = formatted("%s%s", path, e->d_name);
        if ((list[count].all = ledger_read_json(file)))
            snprintf(list[count++].key, LEDGER_KEY, "%.*s", LEDGER_KEY - 1, e->d_name);
        free(file);
    }
    if (open)
        closedir(open);
    free(path);
    return count;
}

static void attempts_free(struct saved_attempt *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_decref(list[i].all);
}

/* Was it judged where this plan judges? */
static bool attempt_is_of(const struct plan *p, const json_t *attempt)
{
    const char *backend =
        json_string_value(json_object_get(json_object_get(attempt, "terms"), "backend"));
    return backend && strcmp(backend, backend_name(p->backend)) == 0;
}

static const char *file_of(const json_t *attempt)
{
    const char *file = json_string_value(json_object_get(attempt, "file"));
    return file && strlen(file) == LEDGER_KEY - 1 ? file : NULL;
}

static void add_one(struct plan *p, const char *student, const struct lesson *lesson,
                    const json_t *attempt)
{
    const char *encoding = json_string_value(json_object_get(attempt, "encoding"));
    struct job j = { .student = (char *)student, .folder = ledger_name(student), .lesson = lesson,
                     .earlier = true,
                     .when = json_integer_value(json_object_get(attempt, "handed_in")),
                     .when_from =
                         (enum when_from)json_integer_value(json_object_get(attempt, "time_from")),
                     .late = json_is_true(json_object_get(attempt, "late")),
                     .number = (unsigned)json_integer_value(json_object_get(attempt, "number")) };
    snprintf(j.file, sizeof j.file, "%s", file_of(attempt));
    snprintf(j.encoding, sizeof j.encoding, "%s", encoding ? encoding : "");
    job_key(p, &j);
    for (size_t i = 0; i < p->count; i++)       /* another attempt at the same file */
        if (strcmp(p->jobs[i].key, j.key) == 0 && strcmp(p->jobs[i].student, student) == 0) {
            free(j.folder);
            return;
        }
    char *source = job_source(p, &j);
    if (!job_done(p, &j) && access(source, R_OK) == 0) {
        j.student = strdup(student);
        *plan_add(p) = j;
    } else {
        free(j.folder);
    }
    free(source);
}

/* Gives the plan a job for each earlier file, or (`all` false) for the last one alone, that is not
 * judged as now. */
static void earlier_add(struct plan *p, const char *student, const struct lesson *lesson, bool all)
{
    static struct saved_attempt list[ATTEMPTS_MOST];
    char *folder = ledger_name(student);
    size_t count = attempts_read(p, folder, lesson, list);
    json_int_t last = 0;
    for (size_t i = 0; i < count; i++) {
        json_int_t number = json_integer_value(json_object_get(list[i].all, "number"));
        last = number > last ? number : last;
    }
    for (size_t i = 0; i < count; i++)
        if (file_of(list[i].all) && attempt_is_of(p, list[i].all)
            && (all || json_integer_value(json_object_get(list[i].all, "number")) == last))
            add_one(p, student, lesson, list[i].all);
    attempts_free(list, count);
    free(folder);
}

static bool is_in_plan(const struct plan *p, const char *student)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->jobs[i].student, student) == 0)
            return true;
    for (size_t i = 0; i < p->earlier_count; i++)
        if (strcmp(p->earlier[i], student) == 0)
            return true;
    return false;
}

/* Finds the students who have attempts at a lesson and no job: plan->earlier, sorted. */
static void earlier_students(struct plan *p, const struct lesson *lesson)
{
    static struct saved_attempt list[ATTEMPTS_MOST];
    char *path = ledger_path(p->out, "attempts/");
    struct dirent **found = NULL;
    int count = scandir(path, &found, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char *folder = formatted("%s%s/%s", path, found[i]->d_name, lesson->folder);
        size_t n = found[i]->d_name[0] != '.' && access(folder, F_OK) == 0
                       ? attempts_read(p, found[i]->d_name, lesson, list)
                       : 0;
        const char *student =
            n > 0 ? json_string_value(json_object_get(list[0].all, "student")) : NULL;
        if (student && !is_in_plan(p, student)) {
            if (!(p->earlier = realloc(p->earlier, (p->earlier_count + 1) * sizeof *p->earlier)))
                die("no memory left");
            p->earlier[p->earlier_count++] = strdup(student);
        }
        attempts_free(list, n);
        free(folder), free(found[i]);
    }
    free(found), free(path);
}

unsigned attempt_number(const struct plan *p, const struct job *j)
{
    static struct saved_attempt list[ATTEMPTS_MOST];
    size_t count = attempts_read(p, j->folder, j->lesson, list);
    unsigned last = 0, same = 0;
    for (size_t i = 0; i < count; i++) {
        const char *file = json_string_value(json_object_get(list[i].all, "file"));
        unsigned number = (unsigned)json_integer_value(json_object_get(list[i].all, "number"));
        last = number > last ? number : last;
        if (file && strcmp(file, j->file) == 0 && attempt_is_of(p, list[i].all))
            same = number;
    }
    attempts_free(list, count);
    return same != 0 ? same : last + 1;
}

void earlier_add_class(struct plan *p, const struct roster *roster, const bool *wanted,
                       enum regrade regrade)
{
    for (size_t i = 0, now = p->count; i < now && regrade != REGRADE_LATEST; i++)
        earlier_add(p, p->jobs[i].student, p->jobs[i].lesson, true);
    for (size_t i = 0; i < roster->count; i++)
        for (size_t k = 0; k < lesson_count; k++) {
            bool has_now = false;
            for (size_t n = 0; n < p->count && wanted[k] && !has_now; n++)
                has_now = p->jobs[n].lesson == lessons[k]
                          && strcmp(p->jobs[n].student, roster->people[i].id) == 0;
            if (wanted[k] && !has_now)
                earlier_add(p, roster->people[i].id, lessons[k], regrade != REGRADE_LATEST);
        }
    for (size_t k = 0; k < lesson_count && roster->count == 0; k++)
        if (wanted[k])
            earlier_students(p, lessons[k]);
    for (size_t i = 0; i < p->earlier_count; i++)
        for (size_t k = 0; k < lesson_count; k++)
            if (wanted[k])
                earlier_add(p, p->earlier[i], lessons[k], regrade != REGRADE_LATEST);
}
