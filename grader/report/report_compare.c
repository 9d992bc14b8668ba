/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "grader/base/atomic_file.h"
#include "grader/check.h"
#include "grader/report/report.h"

static const char *said(unsigned outcome)
{
    return outcome == 0 ? "-" : outcome_name((enum outcome)(outcome - 1));
}

/* How long it took, which engine was busiest, and for how much of that. */
static void print_busiest(FILE *out, const struct view *v, const char *part)
{
    enum engine engine = ENGINE_KERNEL;
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    unsigned share = measure_busy_share(v->timeline, s, &engine);
    fprintf(out, "\t%lld\t%s\t%u", (long long)part_makespan(v, part),
            share > 0 ? engine_name(engine) : "-", share);
}

/* The card that a check failed on; of the same program run as it might have gone as well with that
 * said. */
static void print_card(FILE *out, const struct verdict *v, const struct result *r)
{
    size_t view = r->finding.view, simulated = v->views - v->real_views;
    if (r->outcome != FAILED || view >= v->views)
        fputs("\t-\n", out);
    else
        fprintf(out, "\t%s%s\n", v->yours[view].card->name,
                view < simulated && view >= simulated - v->others ? "-otherwise" : "");
}

bool report_compare(const char *path, const struct verdict *v)
{
    struct atomic_file file;
    if (!atomic_file_open(&file, path))
        return false;
    for (size_t i = 0; i < v->lesson->check_count; i++) {
        const struct result *r = &v->results[i];
        fprintf(file.out, "%s\t%s\t%s\t%s", r->check->id, check_kind_name(r->check->kind),
                said(r->said[0]), said(r->said[1]));
        print_card(file.out, v, r);
    }
    for (size_t i = 0; i < v->lesson->part_count && v->views > v->real_views && v->real_views > 0;
         i++) {
        const char *part = v->lesson->parts[i].id;
        fprintf(file.out, "part\t%s", part);
        print_busiest(file.out, &v->yours[0], part);
        print_busiest(file.out, &v->yours[v->views - 1], part);
        fputc('\n', file.out);
    }
    fprintf(file.out, "runs\t%u\t%s\t%s\n", v->pairs, status_name(v->status), v->machine);
    return atomic_file_close(&file, true);
}
