/* SPDX-License-Identifier: MIT */
#include "grader/report/report_html.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "grader/base/atomic_file.h"
#include "grader/base/environment.h"
#include "grader/report/html.h"
#include "grader/report/template.h"
#include "trace/draw/draw.h"
#include "trace/draw/scale.h"

#define PICTURE_WIDTH 640       /* two of them side by side on a wide screen */
#define SAME_SCALE 8            /* one may be that many times as long as the other and both still be seen */
#define ROWS_MOST 300           /* of the table */

static const struct { const char *class, *word; } html_outcomes[OUTCOMES] = {
    [PASSED] = { "passed", "✓ pass" }, [FAILED] = { "failed", "✗ fail" },
    [WITHHELD] = { "withheld", "– withheld" },
    [NOT_ATTEMPTED] = { "not-attempted", "○ not attempted" },
};

/* verdict.html and verdict.css, embedded. */
extern const char verdict_template[], verdict_style[];

/* The heading in its lesson's chapter. */
static void view_chapter(json_t *view, const struct verdict *v, const struct result *r,
                         const char *root)
{
    char *text;
    size_t size;
    FILE *out = open_text(&text, &size);
    fprintf(out, "%slessons/", root);
    html_path(out, check_chapter(r->check, v->lesson->folder));
    fputs("/chapter.md#", out);
    html_anchor(out, result_read(r));
    fclose(out);
    view_text(view, "read", result_read(r));
    view_text(view, "chapter", text);
    free(text);
}

static void view_finding(json_t *view, const struct verdict *v, const struct result *r,
                         const char *root)
{
    const struct finding *f = &r->finding;
    struct location location;
    char on[512];
    view_text(view, "expected", f->expected);
    view_text(view, "seen", f->seen);
    view_text(view, "why", f->why);
    report_where(v, r, on, sizeof on);
    view_text(view, "on", on);
    if (finding_location(v, f, &location) && location.line != 0) {
        report_location(&location, on, sizeof on);
        view_text(view, "where", on);
        view_text(view, "source", location.source);
    }
    if (result_read(r))
        view_chapter(view, v, r, root);
}

static void view_check(json_t *view, const struct verdict *v, const struct result *r,
                       const char *root)
{
    const char *other = r->outcome == WITHHELD ? report_other_part(r) : NULL;
    view_text(view, "class", html_outcomes[r->outcome].class);
    view_text(view, "word", html_outcomes[r->outcome].word);
    view_text(view, "name", r->check->name);
    view_number(view, "points", r->outcome == PASSED ? (size_t)r->check->points : 0);
    view_number(view, "max", (size_t)r->check->points);
    if (r->outcome == FAILED)
        view_finding(view_object(view, "finding"), v, r, root);
    else if (r->outcome == WITHHELD && r->waits_for)
        view_format(view, "because", "waits for \"%s\"%s%s", r->waits_for->name,
                    other ? " of part " : "", other ? other : "");
    else if (r->outcome == WITHHELD) {
        char soon[200];
        report_too_soon(v, r, soon, sizeof soon);
        view_text(view, "because", soon);
    }
}

/* ---- pictures ---- */

static void view_drawing(json_t *view, const struct timeline *t, const struct drawing *d)
{
    char *svg;
    size_t size;
    FILE *out = open_text(&svg, &size);
    draw_svg(out, t, d);
    fclose(out);
    view_text(view, "title", d->title);
    view_text(view, "svg", svg);
    free(svg);
}

static void view_time(json_t *view, const char *name, int64_t ns)
{
    char text[TIME_TEXT];
    view_text(view, name, ns < 0 ? "" : time_text(text, ns, time_unit(ns)));
}

/* The operations once more, for those who cannot point at a picture. */
static void view_operations(json_t *view, const struct timeline *t, size_t first, size_t end)
{
    static const char *const engines[ENGINE_KINDS] = {
        [ENGINE_KERNEL] = "kernel", [ENGINE_H2D] = "copy to the device",
        [ENGINE_D2H] = "copy to the host",
        [ENGINE_D2D] = "copy within the device", [ENGINE_PEER] = "copy to another device",
        [ENGINE_MEMSET] = "memset",
        [ENGINE_HOST_FUNC] = "host function",
    };
    json_t *rows = view_list(view, "operations");
    int64_t from = INT64_MAX;
    size_t more = 0;
    for (size_t i = 0; i < t->span_count; i++)
        if (t->spans[i].call >= first && t->spans[i].call < end && t->spans[i].start < from)
            from = t->spans[i].start;
    for (size_t i = 0; i < t->span_count; i++) {
        const struct span *s = &t->spans[i];
        if (s->call < first || s->call >= end || !engines[s->engine])
            continue;
        if (json_array_size(rows) == ROWS_MOST) {
            more++;
            continue;
        }
        json_t *row = view_more(rows);
        view_text(row, "name", timeline_string(t, s->name));
        view_text(row, "engine", engines[s->engine]);
        view_number(row, "stream", s->stream);
        view_time(row, "start", s->start == TIME_NEVER ? -1 : s->start - from);
        view_time(row, "takes",
                  s->start == TIME_NEVER || s->end == TIME_NEVER ? -1 : s->end - s->start);
        view_number(row, "bytes", s->bytes);
        view_number(row, "line", t->calls[s->call].line);
    }
    view_number(view, "more", more);
}

size_t report_html_view(const struct verdict *v, const char *part)
{
    for (size_t i = 0; i < v->lesson->check_count; i++)
        if (v->results[i].outcome == FAILED && strcmp(v->results[i].check->part, part) == 0)
            return v->results[i].finding.view < v->views ? v->results[i].finding.view : 0;
    return 0;
}

static void view_pictures(json_t *part_view, const struct verdict *v, const struct part *part)
{
    size_t k = v->views != 0 ? report_html_view(v, part->id) : 0, first, end, their_first,
           their_end;
    char title[128];
    if (v->views == 0 || !measure_part(v->yours[k].timeline, part->id, &first, &end))
        return;
    const struct view *yours = &v->yours[k], *reference = v->reference ? &v->reference[k] : NULL;
    bool both = reference && measure_part(reference->timeline, part->id, &their_first, &their_end);
    struct drawing mine = { .title = title, .first_call = first, .end_call = end, .streams = true,
                            .engines = true,
                            .width = PICTURE_WIDTH };
    struct drawing theirs = mine;
    if (both) {
        theirs.first_call = their_first;
        theirs.end_call = their_end;
        theirs.shape = true;
        int64_t a = draw_length(yours->timeline, &mine),
                b = draw_length(reference->timeline, &theirs);
        bool scale = a <= b * SAME_SCALE && b <= a * SAME_SCALE;
        mine.length = theirs.length = !scale ? 0 : a > b ? a : b;
    }
    json_t *view = view_object(part_view, "pictures"), *drawings = view_list(view, "drawings");
    view_text(view, "part", part->id);
    view_text(view, "card", yours->card->title);
    snprintf(title, sizeof title, "Part %s: yours", part->id);
    view_drawing(view_more(drawings), yours->timeline, &mine);
    if (both) {
        snprintf(title, sizeof title, "Part %s: one that passes, on %s scale", part->id,
                 mine.length != 0 ? "the same" : "another");
        view_drawing(view_more(drawings), reference->timeline, &theirs);
    }
    view_operations(view, yours->timeline, first, end);
}

/* ---- the page ---- */

static void view_part(json_t *view, const struct verdict *v, const struct part *part,
                      const char *root)
{
    json_t *list = view_list(view, "checks");
    int points = 0, max = 0;
    for (size_t i = 0; i < v->lesson->check_count; i++)
        if (strcmp(v->results[i].check->part, part->id) == 0) {
            max += v->results[i].check->points;
            points += v->results[i].outcome == PASSED ? v->results[i].check->points : 0;
            view_check(view_more(list), v, &v->results[i], root);
        }
    view_format(view, "name", "Part %s: %s", part->id, part->title);
    view_number(view, "points", (size_t)points);
    view_number(view, "max", (size_t)max);
    view_number(view, "wanting", points != max);
    view_pictures(view, v, part);
}

static void view_termination(json_t *view, const struct verdict *v)
{
    const struct termination *e = report_termination(v);
    char source[256];
    source_line(v->submission, e->file, e->line, source, sizeof source);
    view_text(view, "message", e->message);
    view_text(view, "source", source);
    view_text(view, "hint", e->hint);
}

/* The report's own last line, for as wide as it likes to be. */
static void view_next(json_t *view, const struct verdict *v)
{
    char *text;
    size_t size;
    FILE *out = open_text(&text, &size);
    report_next(&(struct terminal){ .out = out, .width = INT_MAX }, v);
    fclose(out);
    text[strcspn(text, "\n")] = '\0';
    view_text(view, "next", strncmp(text, "Next: ", 6) == 0 ? text + 6 : text);
    free(text);
}

void report_html_write(FILE *out, const struct verdict *v, const char *root)
{
    json_t *view = json_object(), *parts = view_list(view, "parts");
    char cards[300];
    report_cards(v, cards, sizeof cards);
    view_format(view, "title", "Lesson %02d: %s, %d of %d", v->lesson->number, v->lesson->title,
                v->points, v->points_max);
    view_format(view, "heading", "Lesson %02d: %s", v->lesson->number, v->lesson->title);
    view_text(view, "score", v->status == ALL_PASSED ? "passed" : "wanting");
    view_text(view, "status", status_name(v->status));
    view_number(view, "points", (size_t)v->points);
    view_number(view, "max", (size_t)v->points_max);
    view_text(view, "file", v->submission->path);
    view_text(view, "cards", cards);
    view_format(view, "seed", "%" PRIu64, v->seed);
    view_text(view, "version", WORKBOOK_VERSION);
    view_text(view, "machine", v->machine);
    view_next(view, v);
    view_text(view, "compiler", v->compiler);
    if (v->views != 0 && report_termination(v)->how != ENDED_WHOLE)
        view_termination(view_object(view, "termination"), v);
    for (size_t i = 0; v->views != 0 && i < v->lesson->part_count; i++)
        view_part(view_more(parts), v, &v->lesson->parts[i], root);
    view_text(view, "output", v->output);
    view_number(view, "cut", v->output_cut);
    template_page(out, verdict_template, verdict_style, view);
}

/* ---- its location ---- */

/* Makes the folder; *root is how the project's folder is reached from there: the caller's. */
static bool prepare_folder(const char *path, char **root)
{
    char *folder = strdup(path), *slash = strrchr(folder, '/'), full[PATH_MAX];
    size_t length = strlen(project_root());
    if (slash)
        *slash = '\0';
    if (slash && slash != folder && mkdir(folder, 0777) != 0 && errno != EEXIST) {
        free(folder);
        return false;
    }
    bool good = realpath(!slash ? "." : slash == folder ? "/" : folder, full);
    free(folder);
    if (!good)
        return false;
    size_t size;
    FILE *out = open_text(root, &size);
    if (strncmp(full, project_root(), length) == 0
        && (full[length] == '/' || full[length] == '\0')) {
        for (const char *c = full + length; *c != '\0'; c++)
            fputs(*c == '/' ? "../" : "", out);
    } else {
        fputs("file://", out);
        html_path(out, project_root());
        fputc('/', out);
    }
    fclose(out);
    return true;
}

bool report_html(const char *path, const struct verdict *v)
{
    struct atomic_file file;
    char *root;
    if (!prepare_folder(path, &root))
        return false;
    bool good = atomic_file_open(&file, path);
    if (good) {
        report_html_write(file.out, v, root);
        good = atomic_file_close(&file, true);
    }
    int problem = errno;
    free(root);
    errno = problem;
    return good;
}
