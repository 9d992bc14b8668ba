/* SPDX-License-Identifier: MIT */
/*
 * class_page.h - the inside of the class's page: page_class.c, page_distribution.c,
 * page_submissions.c.
 */
#ifndef GRADER_EXPORT_CLASS_PAGE_H
#define GRADER_EXPORT_CLASS_PAGE_H

#include <jansson.h>
#include <stdbool.h>

#include "grader/batch/results/field.h"

struct class_page {
    const json_t *results, *lessons, *students;
    const char *out;
    size_t *numbers;
    bool sections, all_pictures, left_out;
    size_t room;                /* for pictures, where not all are taken */
};

/* Is there no grade, so that no score stands for it? */
static inline bool class_page_ungraded(const json_t *entry)
{
    return !field_is(entry, "grade", "points");
}

/* Is there anything to show when it is opened? */
static inline bool class_page_opens(const json_t *entry)
{
    return json_is_object(json_object_get(entry, "verdict"))
           || !field_is(entry, "status", "not attempted");
}

/* ---- page_distribution.c ---- */

void class_page_view_distribution(json_t *view, const struct class_page *p);

/* ---- page_submissions.c ---- */

/* Decides how many pictures the page takes. Before the others. */
void class_page_plan_pictures(struct class_page *p);
/* What each submission shows when it is opened, packed. */
void class_page_view_submissions(json_t *view, struct class_page *p);

#endif
