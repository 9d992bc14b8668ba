/* SPDX-License-Identifier: MIT */
#include "grader/batch/intake/owner.h"

#include <ctype.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grader/lessons.h"

#define DEPTH 32

struct path { char text[4096]; const char *folder[DEPTH]; size_t folders; const char *file; };

/* "." and ".." and what is too deep to mean anything are left out. */
static void split(struct path *p, const char *path)
{
    snprintf(p->text, sizeof p->text, "%s", path ? path : "");
    p->folders = 0;
    p->file = "";
    char *rest = p->text;
    for (char *word; (word = strtok_r(rest, "/\\", &rest));) {
        if (strcmp(word, ".") == 0 || strcmp(word, "..") == 0)
            continue;
        if (*p->file != '\0' && p->folders < DEPTH)
            p->folder[p->folders++] = p->file;
        p->file = word;
    }
}

/* ---- lessons ---- */

static bool is_separator(char c)
{
    return c == '\0' || strchr("-_ .()", c);
}

static const struct lesson *lesson_of_number(const char *digits, size_t n)
{
    char text[8];
    if (n == 0 || n > 3)
        return NULL;
    snprintf(text, sizeof text, "%.*s", (int)n, digits);
    return lesson_find(text);
}

/* "03-events" somewhere in the word: *at is its place, *end what follows. */
static const struct lesson *named_lesson(const char *word, const char **at, const char **end)
{
    for (size_t i = 0; i < lesson_count; i++) {
        const char *found = strcasestr(word, lessons[i]->folder);
        if (found && (found == word || is_separator(found[-1]))
            && is_separator(found[strlen(lessons[i]->folder)])) {
            *at = found;
            *end = found + strlen(lessons[i]->folder);
            return lessons[i];
        }
    }
    return NULL;
}

/* "lesson03", "Lesson 3", "03" standing alone in the word. */
static const struct lesson *numbered_lesson(const char *word, const char **at, const char **end)
{
    for (const char *s = word; *s != '\0'; s++) {
        if (s != word && !is_separator(s[-1]))
            continue;
        const char *digits = s;
        if (strncasecmp(s, "lesson", 6) == 0)
            for (digits = s + 6; *digits != '\0' && is_separator(*digits); digits++)
                ;
        size_t n = strspn(digits, "0123456789");
        const struct lesson *l =
            (digits != s || n == 2) && is_separator(digits[n]) ? lesson_of_number(digits, n) : NULL;
        if (l) {
            *at = s;
            *end = digits + n;
            return l;
        }
    }
    return NULL;
}

static const struct lesson *lesson_in(const char *word, const char **at, const char **end)
{
    const struct lesson *l = named_lesson(word, at, end);
    return l ? l : numbered_lesson(word, at, end);
}

/* A folder is a lesson's when its name is nothing else: "Anna 03" is a person. */
static const struct lesson *lesson_folder(const char *word)
{
    const char *at, *end;
    const struct lesson *l = lesson_in(word, &at, &end);
    return l && at == word && *end == '\0' ? l : NULL;
}

/* ---- people ---- */

/* Folders that are nobody's. */
static bool is_common(const char *word)
{
    static const char *const common[] = { "submitted", "submissions", "submission", "work", "src",
                                          "exercises", "__MACOSX" };
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (strcasecmp(word, common[i]) == 0)
            return true;
    return strncasecmp(word, "streams-workbook", 16) == 0;
}

/* "Anna Smith_4711_assignsubmission_file_", a folder or what a file begins with: Moodle has both,
 * by the teacher's choice (mod/assign/classes/downloader.php of Moodle at commit 2a6fd313547a). */
static bool of_moodle(struct owner *o, const char *word)
{
    const char *tail = strstr(word, "_assignsubmission_");
    const char *digits = tail;
    while (digits && digits > word && isdigit((unsigned char)digits[-1]))
        digits--;
    if (!tail || digits == tail || digits - word < 2 || digits[-1] != '_')
        return false;
    snprintf(o->student, sizeof o->student, "%.*s", (int)(digits - 1 - word), word);
    snprintf(o->number, sizeof o->number, "%.*s", (int)(tail - digits), digits);
    o->rest = tail;
    o->platform = PLATFORM_MOODLE;
    return true;
}

/* "smithanna_LATE_4711_815_rest", the second word only when it was late: name, number of the
 * student, number of the file (get_filename in lib/content_zipper.rb of Canvas at commit
 * 05e9653c12ef). Canvas takes "_digits_" out of names. Of an anonymous assignment it is
 * "anon_x7Ab3_815_rest". */
static bool of_canvas(struct owner *o, const char *word)
{
    char id[24], file[24], code[24];
    int used = 0;
    const char *anonymous = strncmp(word, "LATE_anon_", 10) == 0 ? word + 5 : word;
    if (sscanf(anonymous, "anon_%23[A-Za-z0-9]_%23[0-9]_%n", code, file, &used) == 2 && used != 0) {
        snprintf(o->student, sizeof o->student, "anon_%s", code);
        o->late = anonymous != word;
        o->upload = strtoull(file, NULL, 10);
        o->rest = anonymous + used;
        o->platform = PLATFORM_CANVAS;
        return true;
    }
    for (const char *at = strchr(word, '_'); at; at = strchr(at + 1, '_')) {
        used = 0;
        if (at == word || sscanf(at, "_%23[0-9]_%23[0-9]_%n", id, file, &used) != 2 || used == 0)
            continue;
        size_t name = (size_t)(at - word);
        o->late = name > 5 && strncmp(at - 5, "_LATE", 5) == 0;
        snprintf(o->student, sizeof o->student, "%.*s", (int)(o->late ? name - 5 : name), word);
        snprintf(o->number, sizeof o->number, "%s", id);
        o->upload = strtoull(file, NULL, 10);
        o->rest = at + used;
        o->platform = PLATFORM_CANVAS;
        return true;
    }
    return false;
}

/* "03-events-2.cu" is the second time that Canvas got it. */
static unsigned revision_of(const char *word, const struct lesson *l)
{
    const char *at = strcasestr(word, l->folder);
    unsigned n = 0;
    int used = 0;
    if (at && sscanf(at + strlen(l->folder), "-%4u%n", &n, &used) == 1
        && at[strlen(l->folder) + (size_t)used] == '.')
        return n;
    return 0;
}

static void set_student(struct owner *o, const char *name, size_t n)
{
    while (n > 0 && is_separator(name[n - 1]))
        n--;
    snprintf(o->student, sizeof o->student, "%.*s", (int)n, name);
}

/* Of the folders that are neither a lesson's nor everybody's the one at this level; a path that is
 * not so deep has its last. */
static bool of_folder(struct owner *o, const struct path *p, size_t level)
{
    const char *last = NULL;
    for (size_t i = 0, n = 0; i < p->folders && n <= level; i++)
        if (!lesson_folder(p->folder[i]) && !is_common(p->folder[i])) {
            last = p->folder[i];
            n++;
        }
    if (last && !of_moodle(o, last))
        set_student(o, last, strlen(last));
    return last;
}

size_t owner_levels(const char *outer)
{
    struct path p;
    size_t n = 0;
    split(&p, outer);
    for (size_t i = 0; i < p.folders; i++)
        n += !lesson_folder(p.folder[i]) && !is_common(p.folder[i]);
    return n;
}

static size_t without_extension(const char *name)
{
    static const char *const extensions[] = { ".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".tar",
                                              ".zip", ".cu" };
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (n > strlen(extensions[i])
            && strcasecmp(name + n - strlen(extensions[i]), extensions[i]) == 0)
            return n - strlen(extensions[i]);
    return n;
}

/* What a platform puts in front of a file's name has numbers in it that are no lesson's. */
static const char *own_name(const char *file)
{
    struct owner o = { .rest = file };
    return of_canvas(&o, file) || of_moodle(&o, file) ? o.rest : file;
}

/* A platform's name for the file, the archive's own, or what stands in front of the lesson's. */
static bool of_file(struct owner *o, const char *file, const char *inner, size_t before_lesson)
{
    if (of_canvas(o, file) || of_moodle(o, file))
        return true;
    if (inner)
        set_student(o, file, without_extension(file));
    else
        set_student(o, file, before_lesson);
    return o->student[0] != '\0';
}

void owner_find(struct owner *o, const char *outer, const char *inner, size_t level)
{
    *o = (struct owner){ .lesson = NULL };
    struct path out, in;
    const char *at = NULL, *end;
    split(&out, outer);
    split(&in, inner);
    const char *file = inner ? in.file : out.file;

    o->lesson = lesson_in(own_name(file), &at, &end);
    bool in_name = o->named = o->lesson;
    for (size_t i = in.folders; !o->lesson && i-- > 0;)
        o->lesson = lesson_folder(in.folder[i]);
    for (size_t i = out.folders; !o->lesson && i-- > 0;)
        o->lesson = lesson_folder(out.folder[i]);
    if (!o->lesson && inner)
        o->lesson = lesson_in(own_name(out.file), &at, &end);
    if (o->lesson)
        o->revision = revision_of(file, o->lesson);

    size_t before = in_name && !inner ? (size_t)(at - file) : 0;
    if (level == OWNER_FILE ? !of_file(o, out.file, inner, before) : !of_folder(o, &out, level)) {
        if (level == OWNER_FILE)
            of_folder(o, &out, SIZE_MAX);
        else
            of_file(o, out.file, inner, before);
    }
    o->rest = NULL;             /* the path goes */
}

/* Does a line of the text open a region of this name? */
static bool opens(const char *text, const char *mark, size_t length)
{
    for (const char *at = text; (at = strstr(at, "//> ")); at += 4) {
        const char *from = at;
        while (from > text && (from[-1] == ' ' || from[-1] == '\t'))
            from--;
        if ((from == text || from[-1] == '\n') && strncmp(at + 4, mark, length) == 0
            && isspace((unsigned char)at[4 + length]))
            return true;
    }
    return false;
}

static bool has_all_regions(const char *text, const struct lesson *l)
{
    size_t marks = 0;
    for (size_t i = 0; i < l->part_count; i++)
        for (const char *at = l->parts[i].marks; at && *at != '\0'; at += strspn(at, " ")) {
            size_t n = strcspn(at, " ");
            if (!opens(text, at, n))
                return false;
            marks++;
            at += n;
        }
    return marks > 0;
}

const struct lesson *owner_lesson_inside(const char *text)
{
    const struct lesson *found = NULL;
    for (size_t i = 0; i < lesson_count; i++)
        if (has_all_regions(text, lessons[i])) {
            if (found)
                return NULL;
            found = lessons[i];
        }
    return found;
}
