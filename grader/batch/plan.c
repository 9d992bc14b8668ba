/* SPDX-License-Identifier: MIT */
#include "grader/batch/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/environment.h"
#include "grader/lessons.h"
#include "trace/memory.h"

void plan_write(const struct plan *p)
{
    json_t *jobs = json_array();
    for (size_t i = 0; i < p->count; i++) {
        const struct job *j = &p->jobs[i];
        json_array_append_new(jobs, json_pack("{s:s s:s s:s s:s s:I s:b s:i}", "student", j->student, "folder", j->folder,
                                              "lesson", j->lesson->folder, "key", j->key, "when", (json_int_t)j->when,
                                              "late", j->late, "number", (int)j->number));
    }
    json_t *all = json_pack("{s:s s:s s:s s:I s:I s:I s:b s:o}", "version", WORKBOOK_VERSION,
                            "backend", backend_name(p->backend), "card", p->card,
                            "seed", (json_int_t)p->seed, "time_limit_ms", (json_int_t)p->time_limit_ms,
                            "memory", (json_int_t)p->memory, "walls", p->walls, "jobs", jobs);
    char *path = ledger_path(p->out, "batch/plan.json");
    ledger_write_json(path, all);
    json_decref(all);
    free(path);
}

static void read_job(struct plan *p, json_t *value, const char *path)
{
    const char *student, *folder, *lesson, *key;
    json_int_t when;
    int late, number;
    if (json_unpack(value, "{s:s s:s s:s s:s s:I s:b s:i}", "student", &student, "folder", &folder, "lesson", &lesson,
                    "key", &key, "when", &when, "late", &late, "number", &number) != 0 || lesson_find(lesson) == NULL)
        environment("%s is no plan of this workbook's", path);
    struct job *j = plan_add(p);
    *j = (struct job){ .student = strdup(student), .folder = strdup(folder), .lesson = lesson_find(lesson), .when = when,
                       .late = late, .number = (unsigned)number };
    snprintf(j->key, sizeof j->key, "%s", key);
}

void plan_read(struct plan *p, const char *out)
{
    char *path = ledger_path(out, "batch/plan.json");
    json_t *all = ledger_read_json(path), *jobs, *job;
    const char *version, *backend, *card;
    json_int_t seed, limit, memory;
    int walls;
    size_t i;
    *p = (struct plan){ .out = strdup(out) };
    if (json_unpack(all, "{s:s s:s s:s s:I s:I s:I s:b s:o}", "version", &version, "backend", &backend, "card", &card,
                    "seed", &seed, "time_limit_ms", &limit, "memory", &memory, "walls", &walls, "jobs", &jobs) != 0
        || strcmp(version, WORKBOOK_VERSION) != 0 || !backend_named(&p->backend, backend))
        environment("%s is no plan of this workbook's", path);
    snprintf(p->card, sizeof p->card, "%s", card);
    p->seed = (uint64_t)seed, p->time_limit_ms = limit, p->memory = (uint64_t)memory;
    p->walls = walls;
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
    memory_resize(p->jobs, 0);
    free(p->out);
}

struct job *plan_add(struct plan *p)
{
    MEMORY_GROW(p->jobs, p->count, p->capacity);
    return &p->jobs[p->count++];
}

char *job_attempt(const struct plan *p, const struct job *j, const char *ending)
{
    return ledger_path(p->out, "attempts/%s/%s/%s.%s", j->folder, j->lesson->folder, j->key, ending);
}

char *job_source(const struct plan *p, const struct job *j)
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
