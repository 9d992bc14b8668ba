/* SPDX-License-Identifier: MIT */
#include "grader/batch/intake/intake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/batch/files/encoding.h"
#include "grader/batch/intake/owner.h"
#include "grader/batch/intake/sums.h"
#include "trace/record/memory.h"

static char *copy_of(const char *s)
{
    return text_harmless(s, strlen(s));
}

static char *raw_copy(const char *s)
{
    size_t n = s ? strlen(s) + 1 : 0;
    char *copy = memory_resize(NULL, n);
    if (n > 0)
        memory_copy(copy, s, n);
    return copy;
}

const char *when_source(enum when_from from)
{
    static const char *const names[] = { "unknown", "the file's own time",
        "Canvas' mark in the name", "nbgrader's timestamp.txt",
        "Gradescope's submission_metadata.yml", "Moodle's worksheet",
        "Moodle's log", "the file of times" };
    return names[from];
}

/* ---- the list ---- */

#define PATH_SHOWN 8300
static char *shown_path(const char *outer, const char *inner)
{
    char path[PATH_SHOWN];
    snprintf(path, sizeof path, "%s%s%s", outer, inner ? ": " : "", inner ? inner : "");
    return copy_of(path);
}

static struct stray *add_stray(struct intake *in, const char *outer, const char *inner,
                               const char *why)
{
    MEMORY_GROW(in->strays, in->stray_count, in->stray_capacity);
    struct stray *s = &in->strays[in->stray_count++];
    *s = (struct stray){ .outer = raw_copy(outer), .inner = raw_copy(inner),
                         .path = shown_path(outer, inner), .why = copy_of(why) };
    return s;
}

struct stray *intake_skip(struct intake *in, const char *outer, const char *inner, const char *why)
{
    in->met++;
    return add_stray(in, outer, inner, why);
}

/* Does this word of a path (a folder, a file, an archive) name a person on the roster? */
static bool names_somebody(const void *roster, const char *word)
{
    const struct person *both[2];
    char *folder = shown_path(word, NULL);
    folder = memory_resize(folder, strlen(folder) + 3);
    strcat(folder, "/-");
    const struct { const char *outer, *inner; } as[] = { { folder, NULL }, { word, NULL },
                                                         { word, "-" } };
    bool found = false;
    for (size_t i = 0; i < sizeof as / sizeof *as && !found; i++) {
        struct owner o;
        owner_find(&o, as[i].outer, as[i].inner, 0);
        const char *number = o.number[0] != '\0' ? o.number : NULL;
        found = o.student[0] != '\0' && (roster_find(roster, o.student, number, both) || both[0]);
    }
    memory_resize(folder, 0);
    return found;
}

char *intake_name(struct intake *in, const char *name)
{
    const char *guess;
    char *text = encoding_name(name, in->roster && in->roster->count > 0 ? names_somebody : NULL,
                               in->roster, &guess);
    size_t i = 0;
    if (!guess)
        return text;
    while (i < in->guess_count && strcmp(in->guesses[i].encoding, guess) != 0)
        i++;
    if (i == in->guess_count) {
        MEMORY_GROW(in->guesses, in->guess_count, in->guess_capacity);
        in->guesses[in->guess_count++] = (struct guess){ guess, 0, copy_of(text) };
    }
    in->guesses[i].count++;
    return text;
}

/* What is no UTF-8 becomes it, and the encoding is said. What has zeros in it is no text, but in
 * UTF-16. */
static void read_program(struct handed_in *h)
{
    size_t length;
    bool wide = h->bytes >= 2
                && (memcmp(h->text, "\xff\xfe", 2) == 0 || memcmp(h->text, "\xfe\xff", 2) == 0);
    if (!wide && memchr(h->text, '\0', h->bytes))
        return;
    char *text = encoding_read(h->text, h->bytes, &length, &h->encoding);
    if (!text)
        return;
    memory_resize(h->text, 0);
    h->text = text;
    h->bytes = length;
}

void intake_take(struct intake *in, struct found *f)
{
    in->met++;
    MEMORY_GROW(in->files, in->count, in->capacity);
    struct handed_in *h = &in->files[in->count];
    *h = (struct handed_in){ .outer = raw_copy(f->outer), .inner = raw_copy(f->inner),
                             .path = shown_path(f->outer, f->inner), .text = f->bytes,
                             .bytes = f->count, .mtime = f->mtime, .packed = f->inner != NULL,
                             .order = in->count,
                             .refused = f->refused ? copy_of(f->refused) : NULL };
    in->count++;
}

void intake_companion(struct intake *in, struct found *f, enum companion_kind kind)
{
    static const char own[] = "streams-workbook ";
    char path[PATH_SHOWN];
    snprintf(path, sizeof path, "%s%s%s", f->outer, f->inner ? ": " : "", f->inner ? f->inner : "");
    const char *why = f->refused  ? f->refused
                      : !f->bytes ? "it is too large"
                      : kind == COMPANION_SUBMISSION && strncmp(f->bytes, own, strlen(own)) != 0
                          ? INTAKE_NO_PROGRAM
                          : NULL;
    if (why) {
        f->bytes = memory_resize(f->bytes, 0);
        intake_skip(in, f->outer, f->inner, why);
        return;
    }
    in->met++;
    char *slash = strrchr(path, '/');
    path[slash ? slash + 1 - path : 0] = '\0';
    MEMORY_GROW(in->companions, in->companion_count, in->companion_capacity);
    in->companions[in->companion_count++] =
        (struct companion){ kind, copy_of(path), f->bytes, f->inner != NULL };
}

/* The file's name in the folder that this path begins; NULL: it is not in there. */
static const char *name_in(const char *folder, const char *path)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && !strchr(path + n, '/') ? path + n : NULL;
}

static void list_missing(struct intake *in, const struct companion *sums)
{
    char sum[65], name[SUMS_NAME_MAX], path[PATH_SHOWN];
    for (const char *rest = sums->text; sums_next(&rest, sum, name);) {
        bool there = strlen(name) < 3 || strcasecmp(name + strlen(name) - 3, ".cu") != 0;
        for (size_t i = 0; i < in->count && !there; i++) {
            const char *its = name_in(sums->folder, in->files[i].path);
            there = its && strcmp(its, name) == 0;
        }
        snprintf(path, sizeof path, "%s%s", sums->folder, name);
        if (!there)
            add_stray(in, path, NULL, "its " SUMS_NAME " names it, and it is not there")->absent =
                true;
    }
}

static void compare_sums(struct intake *in, const struct companion *sums)
{
    for (size_t i = 0; i < in->count; i++) {
        struct handed_in *h = &in->files[i];
        const char *name = h->text ? name_in(sums->folder, h->path) : NULL;
        const char *why = name ? sums_trouble(sums->text, name, h->text, h->bytes) : NULL;
        if (!why)
            continue;
        h->refused = copy_of(why);
        h->text = memory_resize(h->text, 0);
    }
    list_missing(in, sums);
}

void intake_look_through(struct intake *in)
{
    for (size_t k = 0; k < in->companion_count; k++)
        if (in->companions[k].kind == COMPANION_SUMS)
            compare_sums(in, &in->companions[k]);
    for (size_t i = 0; i < in->count; i++)
        if (in->files[i].text)
            read_program(&in->files[i]);
}

static void free_file(struct handed_in *h)
{
    memory_resize(h->outer, 0);
    memory_resize(h->inner, 0);
    memory_resize(h->student, 0);
    memory_resize(h->number, 0);
    memory_resize(h->path, 0);
    memory_resize(h->text, 0);
    memory_resize(h->refused, 0);
}

void intake_share(struct intake *in, size_t file)
{
    MEMORY_GROW(in->files, in->count, in->capacity);
    struct handed_in *copy = &in->files[in->count++];
    const struct handed_in *h = &in->files[file];
    *copy = *h;
    copy->outer = raw_copy(h->outer), copy->inner = raw_copy(h->inner),
    copy->path = raw_copy(h->path);
    copy->refused = h->refused ? raw_copy(h->refused) : NULL;
    copy->student = copy->number = NULL;
    if (h->text) {
        copy->text = memory_resize(NULL, h->bytes + 1);
        memory_copy(copy->text, h->text, h->bytes + 1);
    }
    in->shared++;
}

/* ---- who counts ---- */

static bool is_same_person(const struct handed_in *a, const struct handed_in *b)
{
    return !a->number || !b->number || strcmp(a->number, b->number) == 0;
}

void intake_tell_apart(struct intake *in)
{
    bool *ambiguous = memory_resize(NULL, (in->count + 1) * sizeof *ambiguous);
    for (size_t i = 0; i < in->count; i++) {
        ambiguous[i] = false;
        for (size_t k = 0;
             k < in->count && !ambiguous[i] && !in->files[i].rostered && in->files[i].number; k++)
            ambiguous[i] = !in->files[k].rostered
                           && strcmp(in->files[i].student, in->files[k].student) == 0
                           && !is_same_person(&in->files[i], &in->files[k]);
    }
    for (size_t i = 0; i < in->count; i++) {
        struct handed_in *h = &in->files[i];
        char name[300];
        if (!ambiguous[i])
            continue;
        snprintf(name, sizeof name, "%s (%s)", h->student, h->number);
        memory_resize(h->student, 0);
        h->student = copy_of(name);
    }
    memory_resize(ambiguous, 0);
}

static void make_stray(struct intake *in, struct handed_in *h, const char *why)
{
    struct stray *s = add_stray(in, h->outer, h->inner, why);
    s->student = h->student ? copy_of(h->student) : NULL;
    s->number = h->number ? copy_of(h->number) : NULL;
    s->lesson = h->lesson;
    free_file(h);
}

void intake_leave_out(struct intake *in, size_t file, const char *why)
{
    make_stray(in, &in->files[file], why);
    memmove(&in->files[file], &in->files[file + 1], (--in->count - file) * sizeof *in->files);
}

/* By student and lesson; of those the one that counts comes last. */
static int by_student(const void *one, const void *two)
{
    const struct handed_in *a = one, *b = two;
    int order = strcmp(a->student, b->student);
    if (order == 0)
        order = a->lesson->number - b->lesson->number;
    if (order == 0)
        order = (b->refused != NULL) - (a->refused != NULL);
    if (order == 0)
        order = (int)b->lesson_by - (int)a->lesson_by;
    if (order == 0 && a->revision != b->revision)
        order = a->revision < b->revision ? -1 : 1;
    if (order == 0 && a->upload != b->upload)
        order = a->upload < b->upload ? -1 : 1;
    if (order == 0 && a->mtime != b->mtime)
        order = a->mtime < b->mtime ? -1 : 1;
    if (order == 0)
        order = b->packed - a->packed;
    if (order == 0)
        order = strcmp(a->path, b->path);
    return order != 0 ? order : a->order < b->order ? -1 : a->order > b->order;
}

void intake_settle(struct intake *in)
{
    if (in->count > 0)
        qsort(in->files, in->count, sizeof *in->files, by_student);
    size_t kept = 0, first = 0;
    for (size_t i = 0; i < in->count; i++) {
        if (i + 1 < in->count && strcmp(in->files[i].student, in->files[i + 1].student) == 0
            && in->files[i].lesson == in->files[i + 1].lesson)
            continue;
        for (size_t k = first; k < i; k++) {
            char why[PATH_SHOWN + 300];
            snprintf(why, sizeof why,
                     "%s%sof this student's files for the lesson another counts: %s",
                     in->files[k].refused ? in->files[k].refused : "",
                     in->files[k].refused ? "; " : "", in->files[i].path);
            make_stray(in, &in->files[k], why);
        }
        in->files[i].others = (unsigned)(i - first);
        in->files[kept++] = in->files[i];
        first = i + 1;
    }
    in->count = kept;
}

void intake_note(struct intake *in, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    MEMORY_GROW(in->notes, in->note_count, in->note_capacity);
    in->notes[in->note_count++] = copy_of(text);
}

bool intake_adds_up(const struct intake *in)
{
    size_t left_out = 0;
    for (size_t i = 0; i < in->stray_count; i++)
        left_out += !in->strays[i].absent;
    return in->met + in->shared == in->count + left_out + in->companion_count;
}

void intake_fini(struct intake *in)
{
    for (size_t i = 0; i < in->count; i++)
        free_file(&in->files[i]);
    for (size_t i = 0; i < in->stray_count; i++) {
        memory_resize(in->strays[i].outer, 0);
        memory_resize(in->strays[i].inner, 0);
        memory_resize(in->strays[i].path, 0);
        memory_resize(in->strays[i].why, 0);
        memory_resize(in->strays[i].student, 0);
        memory_resize(in->strays[i].number, 0);
    }
    for (size_t i = 0; i < in->companion_count; i++) {
        memory_resize(in->companions[i].folder, 0);
        memory_resize(in->companions[i].text, 0);
    }
    for (size_t i = 0; i < in->note_count; i++)
        memory_resize(in->notes[i], 0);
    for (size_t i = 0; i < in->guess_count; i++)
        memory_resize(in->guesses[i].example, 0);
    memory_resize(in->files, 0);
    memory_resize(in->strays, 0);
    memory_resize(in->companions, 0);
    memory_resize(in->guesses, 0);
    memory_resize(in->notes, 0);
}
