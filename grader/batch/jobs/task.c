/* SPDX-License-Identifier: MIT */
#include "grader/batch/jobs/task.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/base/options.h"
#include "grader/batch/jobs/device.h"
#include "grader/batch/jobs/pictures.h"
#include "grader/batch/jobs/sandbox_policy.h"
#include "grader/grade/grading.h"
#include "grader/report/verdict_json.h"

/* "wrong" where a learner is told "wanting". */
static const char *task_status(enum status status)
{
    return status == WANTING ? "wrong" : status_name(status);
}

static void write_attempt(const struct plan *p, const struct job *j, const char *status,
                          const char *reason, json_t *verdict)
{
    char *path = job_attempt(p, j, "json"), *trouble = job_attempt(p, j, "trouble");
    json_t *terms =
        json_pack("{s:s s:s s:s s:s s:s s:I s:I s:I}", "workbook", WORKBOOK_VERSION, "commit",
                  workbook_commit(), "ingredients", j->ingredients, "backend",
                  backend_name(p->backend), "card", p->card, "seed", (json_int_t)p->seed, "memory",
                  (json_int_t)p->memory, "time_limit_ms", (json_int_t)p->time_limit_ms);
    json_t *all = json_pack(
        "{s:s s:s s:s s:s s:i s:o s:i s:b s:o s:o s:s s:o s:o}", "student", j->student, "lesson",
        j->lesson->folder, "file", j->file, "key", j->key, "number", (int)j->number, "handed_in",
        j->when != 0 ? json_integer(j->when) : json_null(), "time_from", (int)j->when_from, "late",
        j->late, "encoding", j->encoding[0] != '\0' ? json_string(j->encoding) : json_null(),
        "terms", terms, "status", status, "reason", reason ? json_string(reason) : json_null(),
        "verdict", verdict ? verdict : json_null());
    ledger_write_json(path, all);
    unlink(trouble);
    json_decref(all);
    free(path), free(trouble);
}

void task_refuse(const struct plan *p, const struct job *j, const char *why)
{
    write_attempt(p, j, task_status(REFUSED), why, NULL);
}

bool task_take(const struct plan *p, const struct job *j, const struct job *other)
{
    char *path = job_attempt(p, other, "json");
    json_t *theirs = ledger_read_json(path), *verdict = json_object_get(theirs, "verdict");
    const char *status = json_string_value(json_object_get(theirs, "status"));
    if (status) {
        pictures_take(p, j, other);
        write_attempt(p, j, status, json_string_value(json_object_get(theirs, "reason")),
                      json_incref(verdict));
    }
    json_decref(theirs);
    free(path);
    return status;
}

/* The first "error: " after a line number, as in "x.cu:12: fatal error: …", else the first one
 * anywhere, else NULL. */
static const char *find_error(const char *messages)
{
    static const char fatal[] = "fatal ";
    for (const char *at = messages; (at = strstr(at, "error: ")); at++) {
        const char *place = at;
        if ((size_t)(place - messages) > strlen(fatal)
            && memcmp(place - strlen(fatal), fatal, strlen(fatal)) == 0)
            place -= strlen(fatal);
        if (place - messages > 3 && memcmp(place - 2, ": ", 2) == 0
            && isdigit((unsigned char)place[-3]))
            return at;
    }
    return strstr(messages, "error: ");
}

/* The first line that names an error of the file's, else the first. What the linker ends with says
 * no more than that there was one. */
static void first_error(const char *messages, char *text, size_t size)
{
    const char *missing = strstr(messages, "undefined reference to "), *from = messages;
    const char *error = missing ? missing : find_error(messages);
    for (const char *s = messages; error && s < error; s++)
        if (*s == '\n')
            from = s + 1;
    snprintf(text, size, "%.*s", (int)strcspn(from, "\n"), from);
}

/* The last part that runs: not all do. */
static const char *last_part(const struct timeline *t)
{
    for (size_t i = t->call_count; i-- > 0;)
        if (t->calls[i].kind == CALL_PART && t->calls[i].name != 0)
            return timeline_string(t, t->calls[i].name);
    return "";
}

/* What hangs or crashes when all parts are done, in a destructor for example, has done all that was
 * asked: its checks decide. */
static bool is_after_all(const struct verdict *v)
{
    return (v->status == TIMED_OUT || v->status == CRASHED) && v->views > 0
           && v->termination.part[0] == '\0' && v->termination.began
           && strcmp(v->termination.ended, last_part(v->reference[0].timeline)) == 0;
}

static enum status status_of(const struct verdict *v)
{
    return !is_after_all(v) ? v->status : v->points == v->points_max ? ALL_PASSED : WANTING;
}

static void say_first_failure(const struct verdict *v, char *text, size_t size)
{
    for (size_t i = 0; text[0] == '\0' && i < v->lesson->check_count; i++)
        if (v->results[i].outcome == FAILED)
            snprintf(text, size, "part %s: not so: %s", v->results[i].check->part,
                     v->results[i].check->name);
}

/* One line; "" for none. */
static void reason_of(const struct verdict *v, char *text, size_t size)
{
    text[0] = '\0';
    switch (v->status) {
    case REFUSED:
        snprintf(text, size, "%s",
                 v->refused && v->refused[0] != '\0' ? v->refused : v->termination.message);
        break;
    case DID_NOT_BUILD:
        first_error(v->compiler, text, size);
        break;
    case TIMED_OUT:
    case CRASHED:
        if (status_of(v) == WANTING)
            say_first_failure(v, text, size);
        if (is_after_all(v)) {
            size_t n = strlen(text);
            snprintf(text + n, size - n, "%s; then %s",
                     n == 0 ? "all parts were done, and all checks passed" : "",
                     v->termination.message);
        } else {
            snprintf(text, size, "%s", v->termination.message);
        }
        break;
    case WANTING:
        if (v->termination.how != ENDED_WHOLE)
            snprintf(text, size, "%s", v->termination.message);
        say_first_failure(v, text, size);
        break;
    default:
        break;
    }
}

void task_run(const struct plan *p, const struct job *j, const char *stage)
{
    char *path = job_source(p, j), name[128], problem[1024] = "", reason[1400];
    struct submission s, starter;
    submission_read(&s, path, problem, sizeof problem);
    if (!s.text)
        die("%s", problem);
    snprintf(name, sizeof name, "%s.cu", j->lesson->folder);
    int other;
    if (!submission_rename(&s, name, problem, sizeof problem)) {
        task_refuse(p, j, problem);
    } else if ((other = grading_other_lesson(&s, j->lesson))) {
        snprintf(problem, sizeof problem, "it is a file of lesson %02d", other);
        task_refuse(p, j, problem);
    } else {
        struct sandbox box;
        struct card_access access = { .file_count = 0 };
        char *card = plan_card(p);
        struct grading g = { .lesson = j->lesson, .card = lesson_card(j->lesson, option_card(card)),
                             .seed = p->seed, .submission = &s, .starter = &starter,
                             .time_limit_ms = p->time_limit_ms, .sandbox = &box, .insists = true,
                             .machine.backend = SIMULATOR };
        bool on_card = (p->backend & CUDA) != 0;
        if (on_card)
            device_read(p, stage, &g.machine, &access);
        free(card);
        if (!g.card)
            die("lesson %02d does not run on the card %s", j->lesson->number, p->card);
        grading_starter(&starter, j->lesson, NULL);
        sandbox_policy_open(&box, stage, p->confined, p->memory, on_card ? &access : NULL);
        sandbox_begin(&box);
        grading_begin(&g);
        if (interrupt_seen() != 0)      /* whoever stops us may have stopped the program first */
            interrupt_leave();
        reason_of(&g.verdict, reason, sizeof reason);
        pictures_write(p, j, &g.verdict);       /* first: an attempt that is there is whole */
        write_attempt(p, j, task_status(status_of(&g.verdict)), reason[0] != '\0' ? reason : NULL,
                      verdict_json(&g.verdict));
        grading_end(&g);
        card_access_fini(&access);
        submission_fini(&starter);
    }
    submission_fini(&s);
    free(path);
}
