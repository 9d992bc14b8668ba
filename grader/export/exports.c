/* SPDX-License-Identifier: MIT */
/* exports - a class's grades in the formats of others, from OUT/results.json. Exit status: 0 done,
 * 2 environment or usage. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/export/export.h"
#include "grader/batch/results/field.h"
#include "grader/batch/results/older.h"
#include "grader/export/page.h"

const char *argp_program_version = "exports " WORKBOOK_VERSION;

struct options { const char *out, *format, *student, *lesson; bool board, nameless; };

enum { KEY_STUDENT = 256, KEY_LESSON, KEY_BOARD, KEY_NAMELESS };

static const struct argp_option options[] = {
    { "format", 'f', "NAME", 0, "this one alone, on stdout", 0 },
    { "student", KEY_STUDENT, "ID", 0, "of this student (default: the only one)", 0 },
    { "lesson", KEY_LESSON, "NAME", 0, "of this lesson (default: the only one)", 0 },
    { "leaderboard", KEY_BOARD, NULL, 0, "the leaderboard alone, on stdout", 0 },
    { "no-names", KEY_NAMELESS, NULL, 0, "a leaderboard without names", 0 },
    { 0 },
};

static error_t parse_one(int key, char *value, struct argp_state *state)
{
    struct options *w = state->input;
    switch (key) {
    case 'f': w->format = value; break;
    case KEY_STUDENT: w->student = value; break;
    case KEY_LESSON: w->lesson = value; break;
    case KEY_BOARD: w->board = true; break;
    case KEY_NAMELESS: w->nameless = true; break;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_usage(state);
        w->out = value;
        break;
    case ARGP_KEY_END:
        if (!w->out)
            argp_usage(state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* The formats, after the options. */
static char *name_formats(int key, const char *text, void *input)
{
    char *all;
    size_t size;
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    FILE *out = open_text(&all, &size);
    fputs("Formats:", out);
    for (size_t i = 0; i < export_format_count; i++) {
        const char *path = export_formats[i].path;
        int before = (int)strcspn(path, "%");
        bool of_each = path[before] != '\0';
        fprintf(out, "\n  %-14s %.*s%s%s: %s", export_formats[i].name, before, path,
                !of_each                               ? ""
                : export_formats[i].scope == OF_LESSON ? "LESSON"
                                                       : "STUDENT",
                of_each ? path + before + 2 : "", export_formats[i].use);
    }
    fclose(out);
    return all;
}

/* The one with this value under `key`; where none is asked for, the only one. */
static const json_t *pick(const json_t *list, const char *key, const char *value, const char *what)
{
    size_t i;
    json_t *one;
    if (!value && json_array_size(list) != 1)
        die("which %s? --%s=…: there are %zu", what, what, json_array_size(list));
    json_array_foreach(list, i, one)
        if (!value || strcmp(field_text(one, key), value) == 0)
            return one;
    die("there is no %s '%s' in results.json", what, value);
}

static void write_format(const struct options *w, const json_t *results)
{
    const struct export_format *f = export_find(w->format);
    struct export_of of = { .results = results };
    if (!f)
        die("there is no format '%s': exports --help has them", w->format);
    if (f->scope == OF_STUDENT)
        of.student = pick(json_object_get(results, "students"), "id", w->student, "student");
    if (f->scope == OF_LESSON)
        of.lesson = field_text(
            pick(json_object_get(results, "lessons"), "lesson", w->lesson, "lesson"), "lesson");
    f->write(stdout, &of);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options, .parser = parse_one, .args_doc = "OUT", .help_filter = name_formats,
        .doc = "Writes what a class's grades are for others, from OUT/results.json, into OUT/exports, OUT/class.html and "
               "OUT/leaderboard.html.",
    };
    struct options w = { .out = NULL };
    descriptors_begin();
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &w);
    char *path = formatted("%s/results.json", w.out);
    json_error_t e;
    json_t *results = json_load_file(path, 0, &e);
    if (!json_is_array(json_object_get(results, "students")))
        die("%s is no file of results: make grade writes it (%s)", path,
            !results ? e.text : "no students");
    older_complete(results);
    if (w.format)
        write_format(&w, results);
    else if (w.board)
        page_leaderboard(stdout, results, !w.nameless);
    else
        page_all(w.out, results), export_all(w.out, results);
    if ((fflush(stdout) != 0 || ferror(stdout)) && !reader_left(stdout))
        die("cannot write: %s", strerror(errno));
    json_decref(results);
    free(path);
    return 0;
}
