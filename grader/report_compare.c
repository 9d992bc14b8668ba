/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "grader/report.h"
#include "grader/whole.h"

static const char *said(unsigned outcome)
{
    return outcome == 0 ? "-" : outcome_name((enum outcome)(outcome - 1));
}

bool report_compare(const char *path, const struct verdict *v)
{
    struct whole file;
    if (!whole_open(&file, path))
        return false;
    for (size_t i = 0; i < v->lesson->check_count; i++) {
        const struct result *r = &v->results[i];
        bool found = r->outcome == FAILED && r->finding.view < v->views;
        fprintf(file.out, "%s\t%s\t%s\t%s\t%s\n", r->check->id, check_kind_name(r->check->kind), said(r->said[0]),
                said(r->said[1]), found ? v->yours[r->finding.view].card->name : "-");
    }
    fprintf(file.out, "runs\t%u\t%s\t%s\n", v->pairs, status_name(v->status), v->machine);
    return whole_close(&file, true);
}
