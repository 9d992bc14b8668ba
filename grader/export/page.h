/* SPDX-License-Identifier: MIT */
/*
 * page.h - a class on a page, and its leaderboard: one HTML file each, that asks for nothing else.
 *
 *   OUT/class.html          the instructor's: grades, their distribution, checks that fail most,
 * every submission with what is told of it and its timelines OUT/leaderboard.html    for showing:
 * ranks by the share of the reference's pace (grader/batch/results/results.h)
 *
 * Both are read without a script; with it they sort, filter, and open submissions. The script is
 * named by its hash in the page's policy, so that no other runs. One switch takes the names away
 * for the eye; what stands in the file, the file's reader has: a leaderboard to hand out is made
 * without them. No page has a seed, an input, what was expected or what came out.
 */
#ifndef GRADER_EXPORT_PAGE_H
#define GRADER_EXPORT_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Both, beside results.json. What cannot be written is the environment's trouble. */
void page_all(const char *out, const json_t *results);

/* `out`: OUT, for the timelines there; NULL: without. */
void page_class(FILE *to, const json_t *results, const char *out);
void page_leaderboard(FILE *to, const json_t *results, bool names);

/* ---- page.c: what both pages have ---- */

/* page.html around `main`, a template. The view, with "title", "kicker", and, where there are names
 * to hide, "names" and "hidden" (at first), is given away. */
void page_write(FILE *to, const char *main, json_t *view);
/* A number with no decimals that say nothing. */
void view_decimal(json_t *view, const char *name, double value);
/* What a student is called on the page. */
const char *page_name(const json_t *student);
/* In which order students are numbered where they have no names: one that says nothing of them. The
 * caller's: the number of each, from 1. */
size_t *page_numbers(const json_t *results);

#endif
