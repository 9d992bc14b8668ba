/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/atomic_file.h"
#include "grader/base/environment.h"
#include "grader/report/report.h"
#include "grader/report/verdict_json.h"

static json_t *text_or_null(const char *s)
{
    return s && s[0] != '\0' ? json_string(s) : json_null();
}

static json_t *line_or_null(unsigned line)
{
    return line != 0 ? json_integer(line) : json_null();
}

static json_t *finding_json(const struct verdict *v, const struct finding *f)
{
    struct location p = { .line = 0 };
    finding_location(v, f, &p);
    return json_pack("{s:o s:o s:o s:s s:o s:o s:o s:o s:o}", "expected", text_or_null(f->expected),
                     "seen", text_or_null(f->seen), "why", text_or_null(f->why), "card",
                     v->yours[f->view < v->views ? f->view : 0].card->name, "file",
                     text_or_null(p.file), "line", line_or_null(p.line), "call",
                     text_or_null(p.call), "source", text_or_null(p.source), "called_from",
                     line_or_null(p.called_from));
}

static json_t *seen_json(const struct result *r)
{
    json_t *list = json_array();
    bool judged = r->outcome == PASSED || r->outcome == FAILED;
    if (judged && r->seen & SEEN_SIMULATED)
        json_array_append_new(list, json_string("simulator"));
    if (judged && r->seen & SEEN_REAL)
        json_array_append_new(list, json_string("cuda"));
    return list;
}

/* The ids of what it needs, separated by spaces; null where that is nothing. */
static json_t *needs_json(const struct lesson *lesson, const struct check *c)
{
    char ids[512] = "";
    size_t length = 0;
    for (const struct check *other = lesson->checks; other < c && length < sizeof ids; other++)
        if (check_needs(c, other))
            length += (size_t)snprintf(ids + length, sizeof ids - length, "%s%s",
                                       length > 0 ? " " : "", other->id);
    return length > 0 ? json_string(ids) : json_null();
}

static json_t *checks_json(const struct verdict *v)
{
    json_t *list = json_array();
    for (size_t i = 0; i < v->lesson->check_count; i++) {
        const struct result *r = &v->results[i];
        const struct check *c = r->check;
        json_array_append_new(
            list,
            json_pack("{s:s s:s s:s s:s s:o s:i s:i s:o s:o s:s s:s s:o s:o s:o}", "id", c->id,
                      "part", c->part, "kind", check_kind_name(c->kind), "name", c->name, "needs",
                      needs_json(v->lesson, c), "points", r->outcome == PASSED ? c->points : 0,
                      "max_points", c->points, "hint", text_or_null(c->hints.ask), "read",
                      text_or_null(result_read(r)), "chapter", check_chapter(c, v->lesson->folder),
                      "outcome", outcome_name(r->outcome), "withheld_by",
                      r->outcome == WITHHELD && r->waits_for ? json_string(r->waits_for->id)
                                                             : json_null(),
                      "seen_on", seen_json(r), "finding",
                      r->outcome == FAILED ? finding_json(v, &r->finding) : json_null()));
    }
    return list;
}

/* From the device's first operation in a part to its last, on the card that it ran on. */
static json_t *makespan(const struct view *v, const char *part)
{
    int64_t ns = v ? part_makespan(v, part) : 0;
    return ns > 0 ? json_integer(ns) : json_null();
}

static json_t *parts_json(const struct verdict *v)
{
    json_t *list = json_array();
    for (size_t i = 0; i < v->lesson->part_count; i++) {
        const struct part *p = &v->lesson->parts[i];
        json_array_append_new(
            list,
            json_pack("{s:s s:s s:b s:b s:o s:o}", "id", p->id, "title", p->title, "attempted",
                      v->attempted[i], "reached_end",
                      v->views != 0 && part_ran(&v->yours[0], p->id), "makespan_ns",
                      makespan(v->views != 0 ? &v->yours[0] : NULL, p->id), "reference_makespan_ns",
                      makespan(v->views != 0 ? v->reference : NULL, p->id)));
    }
    return list;
}

static json_t *termination_json(const struct termination *e)
{
    if (e->how == ENDED_WHOLE)
        return json_null();
    return json_pack("{s:s s:i s:o s:o s:o s:o s:s s:o s:o}", "how", termination_name(e->how),
                     "code", e->code, "part", text_or_null(e->part), "file", text_or_null(e->file),
                     "line", line_or_null(e->line), "call", text_or_null(e->call), "message",
                     e->message, "hint", text_or_null(e->hint), "called_from",
                     line_or_null(e->called_from));
}

json_t *verdict_json(const struct verdict *v)
{
    const char *real = v->real_views != 0 ? v->yours[v->views - 1].card->title : NULL;
    return json_pack(
        "{s:s s:s s:o s:i s:s s:o s:I s:s s:{s:i s:s s:s} s:s s:i s:i s:o s:o s:o s:s s:s s:b s:o}",
        "version", WORKBOOK_VERSION, "backend", v->backend, "machine", text_or_null(v->machine),
        "pairs", (int)v->pairs, "card", v->card->name, "real_card", text_or_null(real), "seed",
        (json_int_t)v->seed, "file", v->submission->path, "lesson", "number", v->lesson->number,
        "folder", v->lesson->folder, "title", v->lesson->title, "status", status_name(v->status),
        "points", v->points, "max_points", v->points_max, "parts", parts_json(v), "checks",
        checks_json(v), "ending", termination_json(&v->termination), "compiler", v->compiler,
        "output", v->output, "output_cut", v->output_cut, "refused", text_or_null(v->refused));
}

bool report_json(const char *path, const struct verdict *v)
{
    json_t *all = verdict_json(v);
    const size_t flags = JSON_INDENT(2);
    if (strcmp(path, "-") == 0) {
        bool good = json_dumpf(all, stdout, flags) == 0 && fputc('\n', stdout) != EOF
                    && fflush(stdout) == 0;
        good = good || reader_left(stdout);
        json_decref(all);
        return good;
    }
    struct atomic_file file;
    bool good = atomic_file_open(&file, path);
    if (good)
        good = atomic_file_close(&file, json_dumpf(all, file.out, flags) == 0
                                            && fputc('\n', file.out) != EOF);
    int problem = errno;
    json_decref(all);
    errno = problem;
    return good;
}
