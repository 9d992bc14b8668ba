/* SPDX-License-Identifier: MIT */
#include "grader/learner/work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/learner/merge.h"
#include "grader/learner/text_file.h"

#define COPIES_MOST 10000

static void make_folder(const char *name)
{
    char *path = project_display_path("%s", name);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        die("cannot make %s: %s", path, strerror(errno));
    free(path);
}

/* ---- places ---- */

/* What a lesson's starter may consist of; each has its part in C. */
static const char *const kinds[] = { "cu", "py" };
enum { KINDS = sizeof kinds / sizeof *kinds };

static char *copy_path(const struct lesson *lesson, const char *kind)
{
    return project_display_path("work/%s.%s", lesson->folder, kind);
}

char *work_path(const struct lesson *lesson)
{
    return copy_path(lesson, "cu");
}

static char *starter_path(const struct lesson *lesson, const char *kind)
{
    return project_display_path("exercises/%s.%s", lesson->folder, kind);
}

static char *contract_path(const struct lesson *lesson)
{
    return project_display_path("lessons/%s/lesson.h", lesson->folder);
}

static char *base_path(const struct lesson *lesson, const char *kind)
{
    return project_display_path("work/.base/%s.%s", lesson->folder, kind);
}

char *work_starter(const struct lesson *lesson)
{
    char *base = base_path(lesson, "cu");
    if (access(base, R_OK) == 0)
        return base;
    free(base);
    return starter_path(lesson, "cu");
}

static void remember(const char *from, const char *to)
{
    struct text text;
    if (text_read(from, &text))
        text_write(to, &text);
    text_fini(&text);
}

static void remember_starter(const struct lesson *lesson, const char *kind)
{
    char *from = starter_path(lesson, kind), *to = base_path(lesson, kind);
    make_folder("work/.base");
    remember(from, to);
    free(from), free(to);
}

/* From now on the copies belong to the lesson as it is. */
static void remember_base(const struct lesson *lesson)
{
    char *contract = contract_path(lesson), *to = base_path(lesson, "h");
    make_folder("work");
    for (int k = 0; k < KINDS; k++)
        remember_starter(lesson, kinds[k]);
    remember(contract, to);
    free(contract), free(to);
}

static bool is_known(const struct lesson *lesson, const char *kind)
{
    char *base = base_path(lesson, kind);
    bool known = access(base, F_OK) == 0;
    free(base);
    return known;
}

void work_begin(const struct lesson *lesson)
{
    char *path = work_path(lesson), *from = starter_path(lesson, "cu");
    struct text starter;
    text_need(from, &starter);
    make_folder("work");
    bool new = access(path, F_OK) != 0;
    if (new
        || !is_known(lesson,
                     "cu")) /* of a file from elsewhere it is not known which starter it was */
        remember_base(lesson);
    else if (!is_known(lesson, "py"))
        remember_starter(lesson, "py");
    if (new && text_write_new(path, &starter))
        fprintf(stderr, "Made %s, your copy of the starter: that is the file to edit.\n", path);
    text_fini(&starter);
    free(path);
    free(from);
}

/* Is the file another one than it was when the copy was made? */
static bool differs(char *path, char *base)
{
    struct text now, then = { .bytes = NULL };
    bool known = text_read(path, &now) && text_read(base, &then),
         same = known && text_same(&now, &then);
    text_fini(&now), text_fini(&then);
    free(path), free(base);
    return known && !same;
}

static bool starter_changed(const struct lesson *lesson, const char *kind)
{
    return differs(starter_path(lesson, kind), base_path(lesson, kind));
}

static bool contract_changed(const struct lesson *lesson)
{
    return differs(contract_path(lesson), base_path(lesson, "h"));
}

/* The first file of the lesson that has changed, NULL for none; the caller frees it. */
static char *changed_path(const struct lesson *lesson)
{
    for (int k = 0; k < KINDS; k++)
        if (starter_changed(lesson, kinds[k]))
            return starter_path(lesson, kinds[k]);
    return contract_changed(lesson) ? contract_path(lesson) : NULL;
}

bool work_changed(const struct lesson *lesson)
{
    char *path = changed_path(lesson);
    free(path);
    return path;
}

void work_tell_change(const struct lesson *lesson)
{
    char *path = changed_path(lesson);
    if (path)
        fprintf(stderr,
                "%s has changed since you took your copy: `make merge%02d` takes that over and keeps your work.\n",
                path, lesson->number);
    free(path);
}

/* Keeps a copy of the learner's file under the first free name, which the caller frees. */
static char *put_aside(const struct lesson *lesson, const char *kind, const struct text *text)
{
    make_folder("work/kept");
    for (int k = 1; k < COPIES_MOST; k++) {
        char *path = project_display_path("work/kept/%s.%d.%s", lesson->folder, k, kind);
        if (text_write_new(path, text))
            return path;
        free(path);
    }
    die("work/kept holds %d copies of lesson %02d: delete some", COPIES_MOST, lesson->number);
}

static void reset_copy(const struct lesson *lesson, const char *kind)
{
    char *path = copy_path(lesson, kind), *from = starter_path(lesson, kind), *saved = NULL;
    struct text mine = { .bytes = NULL }, starter;
    bool is_one = text_read(from, &starter), there = is_one && text_read(path, &mine);
    if (there && !text_same(&mine, &starter))
        saved = put_aside(lesson, kind, &mine);
    if (is_one && (saved || !there)) {
        make_folder("work");
        text_write(path, &starter);
    }
    if (saved)
        printf("%s is the starter again. Yours is kept: %s\n", path, saved);
    else if (is_one)
        printf("%s %s the starter.\n", path, there ? "is as in" : "is made:");
    text_fini(&mine), text_fini(&starter);
    free(path), free(from), free(saved);
}

void work_reset(const struct lesson *lesson)
{
    for (int k = 0; k < KINDS; k++)
        reset_copy(lesson, kinds[k]);
    remember_base(lesson);
}

/* Merges, keeps the copy of before, says so. */
static bool merge_starter(const struct lesson *lesson, const char *kind)
{
    char *path = copy_path(lesson, kind), *starter = starter_path(lesson, kind),
         *old = base_path(lesson, kind);
    struct text mine, base, theirs;
    struct merged merged;
    text_need(path, &mine);
    text_need(old, &base);
    text_need(starter, &theirs);
    merge_texts(&merged, private_folder(), &mine, &base, &theirs);
    char *saved = put_aside(lesson, kind, &mine);
    text_write(path, &merged.text);
    printf("%s has the change in it%s. Yours of before is kept: %s\n", path,
           merged.clean ? "" : ", but you changed the same lines: look for <<<<<<<", saved);
    if (merged.comments[0] != '\0')
        printf(
            "The task of these regions is worded differently now, and your code in them is unchanged: %s. The new wording: %s\n",
            merged.comments, starter);
    if (merged.gone[0] != '\0')
        printf("The exercise no longer has these regions: %s. What you wrote there is in %s.\n",
               merged.gone, saved);
    text_fini(&mine), text_fini(&base), text_fini(&theirs), text_fini(&merged.text);
    free(path), free(starter), free(old), free(saved);
    return merged.clean;
}

bool work_merge(const struct lesson *lesson)
{
    char *path = work_path(lesson), *contract = contract_path(lesson);
    bool clean = true, any = contract_changed(lesson);
    if (access(path, F_OK) != 0)
        die("%s does not exist: make lesson%02d makes it", path, lesson->number);
    for (int k = 0; k < KINDS; k++) {
        char *copy = copy_path(lesson, kinds[k]);
        if (starter_changed(lesson, kinds[k]) && access(copy, F_OK) == 0) {
            any = true;
            clean = merge_starter(lesson, kinds[k]) && clean;
        }
        free(copy);
    }
    if (contract_changed(lesson))
        printf("The contract has changed, read it again: %s\n", contract);
    if (!any)
        printf("Nothing has changed since you took %s.\n", path);
    remember_base(lesson);
    free(path);
    free(contract);
    return clean;
}
