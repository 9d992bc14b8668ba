/* SPDX-License-Identifier: MIT */
#include "grader/batch/jobs/pictures.h"

#include <stdio.h>
#include <stdlib.h>

#include "grader/base/environment.h"
#include "grader/report/report_html.h"
#include "trace/draw/draw.h"

#define WIDTH 640

static json_t *picture(const struct view *view, const struct part *part, size_t first, size_t end)
{
    char title[160], *svg;
    size_t size;
    snprintf(title, sizeof title, "Part %s on %s", part->id, view->card->title);
    FILE *out = open_text(&svg, &size);
    draw_svg(out, view->timeline,
             &(struct drawing){ .title = title, .first_call = first, .end_call = end,
                                .streams = true, .engines = true, .width = WIDTH });
    fclose(out);
    json_t *text = size <= PICTURE_MOST ? json_stringn(svg, size) : NULL;
    free(svg);
    return json_pack("{s:s s:s s:o}", "part", part->id, "title", part->title, "svg",
                     text ? text : json_null());
}

void pictures_write(const struct plan *p, const struct job *j, const struct verdict *v)
{
    char *path = job_attempt(p, j, "pictures");
    json_t *list = json_array();
    for (size_t i = 0; v->views != 0 && i < v->lesson->part_count; i++) {
        const struct part *part = &v->lesson->parts[i];
        const struct view *view = &v->yours[report_html_view(v, part->id)];
        size_t first, end;
        if (measure_part(view->timeline, part->id, &first, &end))
            json_array_append_new(list, picture(view, part, first, end));
    }
    ledger_write_json(path, list);
    json_decref(list);
    free(path);
}

void pictures_take(const struct plan *p, const struct job *j, const struct job *other)
{
    char *from = job_attempt(p, other, "pictures"), *to = job_attempt(p, j, "pictures");
    json_t *list = ledger_read_json(from);
    if (list)
        ledger_write_json(to, list);
    json_decref(list);
    free(from);
    free(to);
}
