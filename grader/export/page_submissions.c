/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * What a submission shows when it is opened (its words, its pictures) is packed: deflated JSON in
 * base64, one string for each, under "student:lesson". A picture is some 10 kB as it is and 1 to 4
 * packed. Where all of them would make a page that no telephone opens, only those of parts that did
 * not pass are taken, in the table's order, as many as it bears, and the page says so.
 */
#include "grader/export/class_page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "grader/base/environment.h"
#include "grader/batch/files/ledger.h"
#include "grader/batch/results/disclosure.h"
#include "grader/export/escape.h"
#include "grader/report/template.h"
#include "trace/record/memory.h"

#define PACKED_MOST (48u << 20)         /* bytes of pictures in a page */
#define PACKS_TO 7u                     /* a picture's size over its packed one, at least */

static char *pictures_path(const struct class_page *p, const json_t *student, const json_t *entry)
{
    char *folder = ledger_name(field_text(student, "id"));
    char *path = formatted("%s/attempts/%s/%s/%s.pictures", p->out, folder,
                           field_text(entry, "lesson"), field_text(entry, "key"));
    free(folder);
    return path;
}

/* Do the pictures of all submissions fit into a page? */
static bool fit_all(const struct class_page *p)
{
    size_t i, k, sum = 0;
    json_t *student, *entry;
    json_array_foreach(p->students, i, student)
        json_array_foreach(json_object_get(student, "lessons"), k, entry) {
            char *path = pictures_path(p, student, entry);
            struct stat s;
            sum += stat(path, &s) == 0 ? (size_t)s.st_size / PACKS_TO : 0;
            free(path);
        }
    return sum <= PACKED_MOST;
}

static bool part_passed(const json_t *entry, const char *part)
{
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(entry, "parts"), i, one)
        if (field_is(one, "id", part))
            return field_number(one, "points") >= field_number(one, "max");
    return false;
}

/* Of a class that is too large for all. */
static bool has_room(struct class_page *p, const json_t *picture)
{
    size_t bytes = json_string_length(picture) / PACKS_TO;
    p->left_out |= bytes > p->room;
    if (p->left_out)
        return false;
    p->room -= bytes;
    return true;
}

/* The picture of a part, or NULL. */
static json_t *picture_of(struct class_page *p, const json_t *pictures, const json_t *entry,
                          const char *part)
{
    size_t i;
    json_t *one;
    json_array_foreach(pictures, i, one) {
        json_t *picture = json_object_get(one, "svg");
        if (field_is(one, "part", part)
            && (p->all_pictures || (!part_passed(entry, part) && has_room(p, picture))))
            return picture;
    }
    return NULL;
}

/* Is there a part whose picture is wanted? Pictures are read only then. */
static bool wants_pictures(const struct class_page *p, const json_t *entry)
{
    size_t i;
    json_t *one;
    if (p->all_pictures || p->left_out)
        return p->all_pictures;
    json_array_foreach(json_object_get(entry, "parts"), i, one)
        if (!part_passed(entry, field_text(one, "id")))
            return true;
    return false;
}

static json_t *checks_of(const json_t *entry, const char *part)
{
    json_t *list = json_array(), *check;
    size_t i;
    json_array_foreach(json_object_get(json_object_get(entry, "verdict"), "checks"), i, check) {
        if (!field_is(check, "part", part) || !disclosure_check(entry, check, DISCLOSURE_ALL))
            continue;
        char *advice = disclosure_advice(check);
        json_array_append_new(list, json_pack("[s s s]", field_text(check, "outcome"),
                                              field_text(check, "name"), advice));
        free(advice);
    }
    return list;
}

static json_t *parts_of(struct class_page *p, const json_t *student, const json_t *entry,
                        size_t lesson)
{
    json_t *list = json_array(), *pictures = NULL, *part;
    size_t i;
    if (p->out && wants_pictures(p, entry)) {
        char *path = pictures_path(p, student, entry);
        pictures = ledger_read_json(path);
        free(path);
    }
    json_array_foreach(json_object_get(json_array_get(p->lessons, lesson), "parts"), i, part) {
        const char *id = field_text(part, "id");
        json_t *picture = picture_of(p, pictures, entry, id);
        json_t *all = json_pack(
            "{s:s s:s s:o s:o s:o}", "id", id, "title", field_text(part, "title"), "points",
            json_real(field_number(json_array_get(json_object_get(entry, "parts"), i), "points")),
            "max", json_real(field_number(part, "max")), "checks", checks_of(entry, id));
        if (picture)
            json_object_set(all, "svg", picture);
        json_array_append_new(list, all);
    }
    json_decref(pictures);
    return list;
}

/* A line on the whole: points, status, lateness, share, attempt. */
static char *head_of(const json_t *entry)
{
    char *text;
    size_t size;
    FILE *out = open_text(&text, &size);
    fprintf(out, "%s, %.12g of %.12g points", field_text(entry, "status"),
            field_number(entry, "score"), field_number(entry, "max"));
    if (field_number(entry, "late_percent") > 0)
        fprintf(out, " (late: %.12g %% off)", field_number(entry, "late_percent"));
    if (json_is_number(json_object_get(entry, "share")))
        fprintf(out, "; %.1f %% of the reference's pace", 100 * field_number(entry, "share"));
    if (field_number(entry, "attempts") > 1)
        fprintf(out, "; attempt %.0f of %.0f", field_number(entry, "attempt"),
                field_number(entry, "attempts"));
    if (field_number(entry, "attempt") > 0 && !json_is_true(json_object_get(entry, "current")))
        fputs("; not of the file that lies there now", out);
    fclose(out);
    return text;
}

static void put_packed(FILE *to, struct class_page *p, const json_t *student, const json_t *entry,
                       size_t lesson)
{
    char *termination = disclosure_end(entry, DISCLOSURE_ALL), *head = head_of(entry);
    json_t *all = json_pack("{s:s s:s s:o}", "head", head, "end", termination, "parts",
                            parts_of(p, student, entry, lesson));
    char *text = json_text(all, JSON_COMPACT);
    free(termination);
    free(head);
    uLong size = compressBound(strlen(text));
    Bytef *packed = memory_resize(NULL, size);
    if (compress2(packed, &size, (const Bytef *)text, strlen(text), 9) != Z_OK)
        die("no memory left");
    char *coded = base64(packed, size);
    fputs(coded, to);
    free(coded);
    memory_resize(packed, 0);
    free(text);
}

/* Of what each shows: by its key, "student:lesson", a string in base64. */
static void put_data(FILE *to, struct class_page *p)
{
    size_t i, k;
    json_t *student, *entry;
    const char *between = "";
    fputs("{", to);
    json_array_foreach(p->students, i, student)
        json_array_foreach(json_object_get(student, "lessons"), k, entry) {
            if (!class_page_opens(entry))
                continue;
            fprintf(to, "%s\n\"%zu:%zu\":\"", between, i, k);
            put_packed(to, p, student, entry, k);
            fputs("\"", to);
            between = ",";
        }
    fputs("}", to);
}

void class_page_plan_pictures(struct class_page *p)
{
    p->all_pictures = !p->out || fit_all(p);
    p->room = PACKED_MOST;
}

void class_page_view_submissions(json_t *view, struct class_page *p)
{
    char *data;
    size_t size, i;
    FILE *out = open_text(&data, &size);
    put_data(out, p);
    fclose(out);
    view_text(view, "data", data);
    free(data);
    json_t *numbers = view_list(view, "numbers"), *lesson;
    json_array_foreach(p->lessons, i, lesson) {
        json_t *one = view_more(numbers);
        view_text(one, "between", i > 0 ? "," : "");
        view_format(one, "number", "%02d", (int)field_number(lesson, "number"));
    }
    view_number(view, "large", !p->all_pictures);
    view_number(view, "left_out", p->left_out);
}
