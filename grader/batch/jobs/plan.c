/* SPDX-License-Identifier: MIT */
#include "grader/batch/jobs/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/base/options.h"
#include "grader/lessons.h"
#include "trace/record/memory.h"

#define CARD_FILE_MOST (1u << 17)       /* more than a card may have (option_card) */

void plan_write(const struct plan *p)
{
    json_t *jobs = json_array();
    for (size_t i = 0; i < p->count; i++) {
        const struct job *j = &p->jobs[i];
        json_array_append_new(jobs, json_pack("{s:s s:s s:s s:s s:s s:s s:s s:b s:I s:i s:b s:i}",
                                              "student", j->student, "folder", j->folder, "lesson",
                                              j->lesson->folder, "file", j->file, "key", j->key,
                                              "ingredients", j->ingredients, "encoding",
                                              j->encoding, "earlier", j->earlier, "when",
                                              (json_int_t)j->when, "when_from", (int)j->when_from,
                                              "late", j->late, "number", (int)j->number));
    }
    json_t *all = json_pack("{s:s s:s s:s s:I s:I s:I s:b s:o}", "version", WORKBOOK_VERSION,
                            "backend", backend_name(p->backend), "card", p->card, "seed",
                            (json_int_t)p->seed, "time_limit_ms", (json_int_t)p->time_limit_ms,
                            "memory", (json_int_t)p->memory, "confined", p->confined, "jobs", jobs);
    char *path = ledger_path(p->out, "batch/plan.json");
    ledger_write_json(path, all);
    json_decref(all);
    free(path);
}

static void read_job(struct plan *p, json_t *value, const char *path)
{
    const char *student, *folder, *lesson, *file, *key, *ingredients, *encoding;
    json_int_t when;
    int late, number, earlier, from;
    if (json_unpack(value, "{s:s s:s s:s s:s s:s s:s s:s s:b s:I s:i s:b s:i}", "student", &student,
                    "folder", &folder, "lesson", &lesson, "file", &file, "key", &key, "ingredients",
                    &ingredients, "encoding", &encoding, "earlier", &earlier, "when", &when,
                    "when_from", &from, "late", &late, "number", &number)
            != 0
        || !lesson_find(lesson))
        die("%s is no plan of this workbook's", path);
    struct job *j = plan_add(p);
    *j = (struct job){ .student = strdup(student), .folder = strdup(folder),
                       .lesson = lesson_find(lesson), .when = when,
                       .when_from = (enum when_from)from, .late = late, .earlier = earlier,
                       .number = (unsigned)number };
    snprintf(j->file, sizeof j->file, "%s", file);
    snprintf(j->ingredients, sizeof j->ingredients, "%s", ingredients);
    snprintf(j->encoding, sizeof j->encoding, "%s", encoding);
    snprintf(j->key, sizeof j->key, "%s", key);
}

void plan_read(struct plan *p, const char *out)
{
    char *path = ledger_path(out, "batch/plan.json");
    json_t *all = ledger_read_json(path), *jobs, *job;
    const char *version, *backend, *card;
    json_int_t seed, limit, memory;
    int confined;
    size_t i;
    *p = (struct plan){ .out = strdup(out) };
    if (json_unpack(all, "{s:s s:s s:s s:I s:I s:I s:b s:o}", "version", &version, "backend",
                    &backend, "card", &card, "seed", &seed, "time_limit_ms", &limit, "memory",
                    &memory, "confined", &confined, "jobs", &jobs)
            != 0
        || strcmp(version, WORKBOOK_VERSION) != 0 || !backend_named(&p->backend, backend))
        die("%s is no plan of this workbook's", path);
    snprintf(p->card, sizeof p->card, "%s", card);
    p->seed = (uint64_t)seed, p->time_limit_ms = limit, p->memory = (uint64_t)memory;
    p->confined = confined;
    json_array_foreach(jobs, i, job)
        read_job(p, job, path);
    json_decref(all);
    free(path);
}

void plan_fini(struct plan *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->jobs[i].student);
        free(p->jobs[i].folder);
    }
    for (size_t i = 0; i < p->earlier_count; i++)
        free(p->earlier[i]);
    free(p->earlier);
    memory_resize(p->jobs, 0);
    free(p->out);
}

struct job *plan_add(struct plan *p)
{
    MEMORY_GROW(p->jobs, p->count, p->capacity);
    return &p->jobs[p->count++];
}

void plan_take_card(struct plan *p, const char *asked)
{
    const struct card *card = option_card(asked);
    if (strcmp(asked, card->name) == 0) {
        snprintf(p->card, sizeof p->card, "%s", asked);
        return;
    }
    static char text[CARD_FILE_MOST];
    char sum[LEDGER_KEY];
    FILE *in = fopen(asked, "re");
    size_t count = in ? fread(text, 1, sizeof text, in) : 0;
    if (!in || ferror(in))
        die("%s: %s", asked, strerror(errno));
    fclose(in);
    ledger_file(sum, text, count);
    const char *slash = strrchr(asked, '/'), *file = slash ? slash + 1 : asked,
               *dot = strstr(file, ".card");
    char *stem = strndup(file, dot ? (size_t)(dot - file) : strlen(file)),
         *name = ledger_name(stem);
    snprintf(p->card, sizeof p->card, "%.100s-%.16s.card", name, sum);
    char *copy = ledger_path(p->out, "cards/%s", p->card);
    if (access(copy, F_OK) != 0)        /* its name has its sum */
        ledger_write(copy, text, count);
    free(stem), free(name), free(copy);
}

char *plan_card(const struct plan *p)
{
    size_t n = strlen(p->card);
    bool is_file = n > 5 && strcmp(p->card + n - 5, ".card") == 0;
    return is_file ? ledger_path(p->out, "cards/%s", p->card) : strdup(p->card);
}

void plan_key(const struct plan *p, char key[LEDGER_KEY], const struct lesson *lesson,
              const char *file)
{
    struct ledger_terms terms = { p->backend != SIMULATOR ? backend_name(p->backend) : NULL,
                                  WORKBOOK_VERSION,
                                  p->card,
                                  lesson->folder,
                                  ingredients_of(lesson, p->backend, p->out),
                                  p->seed,
                                  p->memory,
                                  p->time_limit_ms };
    ledger_key(key, &terms, file);
}

void job_key(const struct plan *p, struct job *j)
{
    plan_key(p, j->key, j->lesson, j->file);
    snprintf(j->ingredients, sizeof j->ingredients, "%s",
             ingredients_of(j->lesson, p->backend, p->out));
}

char *job_attempt(const struct plan *p, const struct job *j, const char *extension)
{
    return ledger_path(p->out, "attempts/%s/%s/%s.%s", j->folder, j->lesson->folder, j->key,
                       extension);
}

char *job_source(const struct plan *p, const struct job *j)
{
    return ledger_path(p->out, "attempts/%s/%s/%s.cu", j->folder, j->lesson->folder, j->file);
}

char *job_copy(const struct plan *p, const struct job *j)
{
    return ledger_path(p->out, "submissions/%s/%s.cu", j->folder, j->lesson->folder);
}

bool job_done(const struct plan *p, const struct job *j)
{
    char *path = job_attempt(p, j, "json");
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}
