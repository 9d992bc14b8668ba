/* SPDX-License-Identifier: MIT */
#include "grader/batch/appeal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/batch/jobs/plan.h"
#include "grader/batch/jobs/pool.h"
#include "grader/base/environment.h"
#include "grader/batch/results/field.h"
#include "grader/lessons.h"

struct disputed { char *student, *lesson, *key; };

/* A student's name may have slashes; a lesson and a key have none. */
static struct disputed disputed_one(const char *which, const char *results)
{
    struct disputed d = { .student = strdup(which) };
    char *slash = strrchr(d.student, '/');
    if (slash && strlen(slash + 1) == LEDGER_KEY - 1) {
        d.key = slash + 1;
        *slash = '\0';
        slash = strrchr(d.student, '/');
    }
    const struct lesson *lesson = slash ? lesson_find(slash + 1) : NULL;
    if (!lesson)
        die("whose verdict? --replay STUDENT/LESSON, not '%s'", which);
    *slash = '\0';
    d.lesson = strdup(lesson->folder);
    if (d.key) {
        d.key = strdup(d.key);
        return d;
    }
    char *path = ledger_path(results, "results.json");
    json_t *all = ledger_read_json(path), *students = json_object_get(all, "students"), *student,
           *entry;
    size_t i, k;
    json_array_foreach(students, i, student)
        json_array_foreach(json_object_get(student, "lessons"), k, entry)
            if (field_is(student, "id", d.student) && field_is(entry, "lesson", d.lesson)
                && field_text(entry, "key")[0] != '\0')
                d.key = strdup(field_text(entry, "key"));
    if (!d.key)
        die("%s: there is no verdict on %s of %s", path, d.lesson, d.student);
    json_decref(all);
    free(path);
    return d;
}

static char scratch[] = "/tmp/workbook-appeal-XXXXXX";

static void remove_scratch(void)
{
    folder_remove(scratch);
}

/* A card from a file is judged with as it was then. */
static void take_card(const struct plan *p, const char *results)
{
    struct plan before = *p;
    before.out = (char *)results;
    char *from = plan_card(&before), *to = plan_card(p);
    if (strcmp(to, p->card) != 0) {
        char text[65536 + 1];
        FILE *in = fopen(from, "re");
        if (!in)
            die("the card that it was judged with: %s: %s", from, strerror(errno));
        size_t count = fread(text, 1, sizeof text, in);
        fclose(in);
        ledger_write(to, text, count);
    }
    free(from), free(to);
}

/* What a verdict is: how it went, why, and all that was seen. */
static char *judgement(const json_t *attempt)
{
    json_t *some = json_object();
    static const char *const keys[] = { "status", "reason", "verdict" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        json_object_set(some, keys[i], json_object_get(attempt, keys[i]));
    char *text = json_dumps(some, JSON_INDENT(1) | JSON_SORT_KEYS | JSON_REAL_PRECISION(12));
    json_decref(some);
    return text ? text : strdup("");
}

static void say_what_differs(const json_t *terms, const struct job *j)
{
    const char *commit = field_text(terms, "commit");
    if (field_is(terms, "ingredients", j->ingredients))
        return;
    if (!field_is(terms, "workbook", WORKBOOK_VERSION))
        printf("It was judged by version %s, and this is version " WORKBOOK_VERSION ".\n",
               field_text(terms, "workbook"));
    printf(
        "It was judged with another grader, lesson, compiler or C library (%.16s, here %.16s).\n",
        field_text(terms, "ingredients"), j->ingredients);
    if (commit[0] != '\0' && strcmp(commit, workbook_commit()) != 0)
        printf(
            "Next: git checkout %.12s (or, beside this one: git worktree add ../then %.12s), and make appeal there.\n",
            commit, commit);
    else if (commit[0] != '\0')
        puts(
            "It was judged at this commit: what differs is not committed, or is the compiler, the C library or the machine.");
    else
        printf("Next: make appeal in a copy of version %s.\n", field_text(terms, "workbook"));
}

static void say_where(const struct plan *p)
{
    if (p->backend != SIMULATOR)
        puts(
            "It was judged on a card as well, whose times are never the same twice: here on the simulator alone.");
}

int appeal(const char *results, const char *which, bool confined)
{
    struct disputed d = disputed_one(which, results);
    char *folder = ledger_name(d.student),
         *path = ledger_path(results, "attempts/%s/%s/%s.json", folder, d.lesson, d.key),
         *text = NULL;
    json_t *saved = ledger_read_json(path), *terms = json_object_get(saved, "terms");
    size_t count;
    if (!saved || !terms)
        die("%s is not there, or is of a version that did not keep what an appeal needs", path);
    char *source =
        ledger_path(results, "attempts/%s/%s/%s.cu", folder, d.lesson, field_text(saved, "file"));
    FILE *in = fopen(source, "re");
    if (!in || !(text = malloc(INTAKE_FILE_MAX + 1)))
        die("%s: %s", source, strerror(errno));
    count = fread(text, 1, INTAKE_FILE_MAX + 1, in);
    fclose(in);
    char file[LEDGER_KEY];
    ledger_file(file, text, count);
    if (!field_is(saved, "file", file))
        die("%s has been changed since: its sum is another", source);
    if (!mkdtemp(scratch))
        die("cannot write to /tmp: %s", strerror(errno));
    atexit(remove_scratch);

    struct plan plan = { .out = strdup(scratch),
                         .seed = (uint64_t)json_integer_value(json_object_get(terms, "seed")),
                         .time_limit_ms =
                             json_integer_value(json_object_get(terms, "time_limit_ms")),
                         .memory = (uint64_t)json_integer_value(json_object_get(terms, "memory")),
                         .confined = confined,
                         .backend = SIMULATOR };
    snprintf(plan.card, sizeof plan.card, "%s", field_text(terms, "card"));
    take_card(&plan, results);
    struct job *j = plan_add(&plan);
    *j = (struct job){ .student = strdup(d.student), .folder = strdup(folder),
                       .lesson = lesson_find(d.lesson), .number = 1 };
    snprintf(j->file, sizeof j->file, "%s", file);
    backend_named(&plan.backend, field_text(terms, "backend"));
    job_key(&plan, j);
    char *put = job_source(&plan, j), *judged = job_attempt(&plan, j, "json");
    ledger_write(put, text, count);
    say_what_differs(terms, j);
    say_where(&plan);
    plan.backend = SIMULATOR;
    plan_write(&plan);
    if (!pool_run(&plan, 0, 1, 1))
        interrupt_leave();
    json_t *again = ledger_read_json(judged);
    if (!again)
        die("it could not be judged again: %s", judged);
    char *before = judgement(saved), *now = judgement(again);
    bool same = strcmp(before, now) == 0;
    printf("%s, lesson %.2s, seed %llu, card %s: %s, %s\n", d.student, d.lesson,
           (unsigned long long)plan.seed, plan.card, field_text(saved, "status"),
           field_text(saved, "reason")[0] != '\0' ? field_text(saved, "reason")
                                                  : "nothing to say against it");
    if (same)
        printf("Judged again: the same verdict, all %zu bytes of it.\n", strlen(before));
    else
        printf("Judged again: another verdict: %s, %s\n", field_text(again, "status"),
               field_text(again, "reason"));
    json_decref(saved), json_decref(again);
    free(before), free(now), free(put), free(judged), free(source), free(text), free(path),
        free(folder);
    free(d.student), free(d.lesson), free(d.key);
    plan_fini(&plan);
    return same ? 0 : 1;
}
