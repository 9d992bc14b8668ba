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

struct page {
    FILE *out;
    const struct verdict *v;
    const char *root;
};

static void put_row(const struct page *p, const char *label, const char *text)
{
    if (text[0] == '\0')
        return;
    fprintf(p->out, "<dt>%s</dt><dd>", label);
    html_text(p->out, text);
    fputs("</dd>\n", p->out);
}

static void put_source(const struct page *p, const char *source)
{
    if (source[0] == '\0')
        return;
    fputs("<code class=\"source\" tabindex=\"0\">", p->out);
    html_text(p->out, source);
    fputs("</code>", p->out);
}

static void put_finding(const struct page *p, const struct result *r)
{
    const struct finding *f = &r->finding;
    const char *folder = p->v->lesson->folder;
    struct location location;
    char on[512];
    fputs("<dl class=\"finding\">\n", p->out);
    put_row(p, "expected", f->expected);
    put_row(p, "seen", f->seen);
    report_where(p->v, r, on, sizeof on);
    put_row(p, "on card", on);
    if (finding_location(p->v, f, &location) && location.line != 0) {
        fputs("<dt>where</dt><dd>", p->out);
        report_location(&location, on, sizeof on);
        html_text(p->out, on);
        put_source(p, location.source);
        fputs("</dd>\n", p->out);
    }
    put_row(p, "why", f->why);
    if (result_read(r)) {
        fprintf(p->out, "<dt>read</dt><dd><a href=\"%slessons/", p->root);
        html_path(p->out, check_chapter(r->check, folder));
        fputs("/chapter.md#", p->out);
        html_anchor(p->out, result_read(r));
        fputs("\">", p->out);
        html_text(p->out, result_read(r));
        fputs("</a> in the chapter</dd>\n", p->out);
    }
    fputs("</dl>\n", p->out);
}

static void put_check(const struct page *p, const struct result *r)
{
    fprintf(p->out, "<li class=\"%s\"><span class=\"word\">%s</span> <span class=\"name\">",
            html_outcomes[r->outcome].class, html_outcomes[r->outcome].word);
    html_text(p->out, r->check->name);
    fprintf(p->out, "</span> <span class=\"points\">%d of %d</span>\n",
            r->outcome == PASSED ? r->check->points : 0, r->check->points);
    if (r->outcome == FAILED)
        put_finding(p, r);
    if (r->outcome == WITHHELD) {
        const char *other = report_other_part(r);
        fputs("<span class=\"because\">not judged: ", p->out);
        if (r->waits_for)
            html_format(p->out, "waits for \"%s\"%s%s", r->waits_for->name,
                        other ? " of part " : "", other ? other : "");
        else
            fputs("the program ended too soon", p->out);
        fputs("</span>\n", p->out);
    }
    fputs("</li>\n", p->out);
}

/* ---- pictures ---- */

static void put_picture(const struct page *p, const struct view *view, const struct drawing *d)
{
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"", p->out);
    html_text(p->out, d->title);
    fputs("\">\n", p->out);
    draw_svg(p->out, view->timeline, d);
    fputs("</div>\n", p->out);
}

static void put_time(const struct page *p, int64_t ns)
{
    char text[TIME_TEXT];
    fprintf(p->out, "<td class=\"number\">%s</td>",
            ns < 0 ? "" : time_text(text, ns, time_unit(ns)));
}

/* The operations once more, for those who cannot point at a picture. */
static void put_table(const struct page *p, const struct timeline *t, size_t first, size_t end)
{
    static const char *const engines[ENGINE_KINDS] = {
        [ENGINE_KERNEL] = "kernel", [ENGINE_H2D] = "copy to the device",
        [ENGINE_D2H] = "copy to the host",
        [ENGINE_D2D] = "copy within the device", [ENGINE_PEER] = "copy to another device",
        [ENGINE_MEMSET] = "memset",
        [ENGINE_HOST_FUNC] = "host function",
    };
    int64_t from = INT64_MAX;
    size_t rows = 0, more = 0;
    for (size_t i = 0; i < t->span_count; i++)
        if (t->spans[i].call >= first && t->spans[i].call < end && t->spans[i].start < from)
            from = t->spans[i].start;
    fputs(
        "<details><summary>The operations as a table</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
        "aria-label=\"Operations\"><table>\n<thead><tr><th scope=\"col\">operation</th><th scope=\"col\">kind</th>"
        "<th scope=\"col\">stream</th><th scope=\"col\">starts</th><th scope=\"col\">takes</th><th scope=\"col\">bytes</th>"
        "<th scope=\"col\">line</th></tr></thead>\n<tbody>\n",
        p->out);
    for (size_t i = 0; i < t->span_count; i++) {
        const struct span *s = &t->spans[i];
        if (s->call < first || s->call >= end || !engines[s->engine])
            continue;
        if (++rows > ROWS_MOST) {
            more++;
            continue;
        }
        fputs("<tr><td>", p->out);
        html_text(p->out, timeline_string(t, s->name));
        fprintf(p->out, "</td><td>%s</td><td class=\"number\">%" PRIu32 "</td>", engines[s->engine],
                s->stream);
        put_time(p, s->start == TIME_NEVER ? -1 : s->start - from);
        put_time(p, s->start == TIME_NEVER || s->end == TIME_NEVER ? -1 : s->end - s->start);
        /* %.0: nothing for 0 */
        fprintf(p->out,
                "<td class=\"number\">%.0" PRIu64 "</td><td class=\"number\">%.0" PRIu32
                "</td></tr>\n",
                s->bytes, t->calls[s->call].line);
    }
    fputs("</tbody></table></div>\n", p->out);
    if (more != 0)
        fprintf(p->out, "<p>and %zu more</p>\n", more);
    fputs("</details>\n", p->out);
}

size_t report_html_view(const struct verdict *v, const char *part)
{
    for (size_t i = 0; i < v->lesson->check_count; i++)
        if (v->results[i].outcome == FAILED && strcmp(v->results[i].check->part, part) == 0)
            return v->results[i].finding.view < v->views ? v->results[i].finding.view : 0;
    return 0;
}

static void put_pictures(const struct page *p, const struct part *part)
{
    const struct verdict *v = p->v;
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
    fputs("<h3>What the device did in part ", p->out);
    html_format(p->out, "%s (%s)", part->id, yours->card->title);
    fputs("</h3>\n<div class=\"pictures\">\n", p->out);
    snprintf(title, sizeof title, "Part %s: yours", part->id);
    put_picture(p, yours, &mine);
    if (both) {
        snprintf(title, sizeof title, "Part %s: one that passes, on %s scale", part->id,
                 mine.length != 0 ? "the same" : "another");
        put_picture(p, reference, &theirs);
    }
    fputs("</div>\n", p->out);
    put_table(p, yours->timeline, first, end);
}

/* ---- parts ---- */

static void put_part(const struct page *p, const struct part *part)
{
    const struct verdict *v = p->v;
    int points = 0, points_max = 0;
    for (size_t i = 0; i < v->lesson->check_count; i++)
        if (strcmp(v->results[i].check->part, part->id) == 0) {
            points_max += v->results[i].check->points;
            points += v->results[i].outcome == PASSED ? v->results[i].check->points : 0;
        }
    fprintf(p->out, "<details class=\"box\"%s><summary><h2>", points == points_max ? "" : " open");
    html_format(p->out, "Part %s: %s", part->id, part->title);
    fprintf(p->out,
            " <span class=\"points\">%d of %d</span></h2></summary>\n<ul class=\"checks\">\n",
            points, points_max);
    for (size_t i = 0; i < v->lesson->check_count; i++)
        if (strcmp(v->results[i].check->part, part->id) == 0)
            put_check(p, &v->results[i]);
    fputs("</ul>\n", p->out);
    put_pictures(p, part);
    fputs("</details>\n", p->out);
}

/* ---- around them ---- */

static void put_pre(const struct page *p, const char *heading, const char *text, const char *tail)
{
    if (text[0] == '\0')
        return;
    fprintf(p->out, "<section class=\"box\"><h2>%s</h2>\n<pre tabindex=\"0\">", heading);
    html_text(p->out, text);
    fprintf(p->out, "</pre>%s</section>\n", tail);
}

static void put_termination(const struct page *p)
{
    const struct termination *e = &p->v->termination;
    char source[256];
    if (e->how == ENDED_WHOLE || p->v->views == 0)
        return;
    source_line(p->v->submission, e->file, e->line, source, sizeof source);
    fputs("<section class=\"box ending\"><h2>It did not finish</h2>\n<p>", p->out);
    html_text(p->out, e->message);
    fputs("</p>\n", p->out);
    put_source(p, source);
    fputs("<p>", p->out);
    html_text(p->out, e->hint);
    fputs("</p></section>\n", p->out);
}

/* The report's own last line, for as wide as it likes to be. */
static void put_next(const struct page *p)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    report_next(&(struct terminal){ .out = out, .width = INT_MAX }, p->v);
    fclose(out);
    const char *words = strncmp(text, "Next: ", 6) == 0 ? text + 6 : text;
    text[strcspn(text, "\n")] = '\0';
    fputs("<section class=\"box next\"><h2>Next</h2>\n<p>", p->out);
    html_text(p->out, words);
    fputs("</p></section>\n", p->out);
    free(text);
}

static void put_fact(const struct page *p, const char *label, const char *text)
{
    fprintf(p->out, "<li>%s <b>", label);
    html_text(p->out, text);
    fputs("</b></li>\n", p->out);
}

static void put_header(const struct page *p)
{
    const struct verdict *v = p->v;
    char text[300];
    fputs("<header>\n<p class=\"kicker\">The CUDA Streams Workbook</p>\n<h1>", p->out);
    html_format(p->out, "Lesson %02d: %s", v->lesson->number, v->lesson->title);
    fprintf(
        p->out,
        "</h1>\n<p class=\"score\"><strong class=\"%s\">%s</strong>, %d of %d points</p>\n<ul class=\"facts\">\n",
        v->status == ALL_PASSED ? "passed" : "wanting", status_name(v->status), v->points,
        v->points_max);
    put_fact(p, "file", v->submission->path);
    report_cards(v, text, sizeof text);
    put_fact(p, "card", text);
    snprintf(text, sizeof text, "%" PRIu64, v->seed);
    put_fact(p, "seed", text);
    put_fact(p, "grade", WORKBOOK_VERSION);
    fputs("</ul>\n", p->out);
    if (v->machine[0] != '\0') {
        fputs("<p>", p->out);
        html_text(p->out, v->machine);
        fputs("</p>\n", p->out);
    }
    fputs("</header>\n", p->out);
}

void report_html_write(FILE *out, const struct verdict *v, const char *root)
{
    struct page p = { out, v, root };
    char title[200];
    snprintf(title, sizeof title, "Lesson %02d: %s, %d of %d", v->lesson->number, v->lesson->title,
             v->points, v->points_max);
    html_begin(out, title, report_html_style, NULL);
    put_header(&p);
    fputs("<main>\n", out);
    put_next(&p);
    put_pre(&p, "The compiler says", v->compiler, "");
    put_termination(&p);
    for (size_t i = 0; v->views != 0 && i < v->lesson->part_count; i++)
        put_part(&p, &v->lesson->parts[i]);
    put_pre(&p, "The program printed", v->output,
            v->output_cut ? "<p>What came after was dropped.</p>" : "");
    fputs(
        "</main>\n<footer>\n<p>Point at a bar to see what it is, when it starts and how long it takes; the tables say the same.</p>"
        "\n</footer>\n",
        out);
    html_end(out);
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
    FILE *out = open_memstream(root, &size);
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
