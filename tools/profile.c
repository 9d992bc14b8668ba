/* SPDX-License-Identifier: MIT */
/*
 * profile FACTS.json - a card from measured facts (facts/README.md), on standard output.
 *
 * Numbers are taken from the units in which they were measured to those of the
 * card's keys; the card is read once before it is written, so that a wrong one is never.
 * What is wrong is one line, status 2.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/card.h"

enum { COLUMN = 28, LINES = 256 };

static const char *path;

__attribute__((noreturn, format(printf, 1, 2))) static void trouble(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", path);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

/* The first unit of each key's unit is that unit itself. */
static const struct { const char *of, *unit; double factor; } units[] = {
    { "MB/s", "MB/s", 1 }, { "MB/s", "GB/s", 1e3 },
    { "ns", "ns", 1 }, { "ns", "us", 1e3 }, { "ns", "ms", 1e6 },
    { "bytes", "B", 1 }, { "bytes", "KiB", 1024 }, { "bytes", "MiB", 1048576 },
    { "size", "B", 1 }, { "size", "KiB", 1024 }, { "size", "MiB", 1048576 },
    { "KiB", "KiB", 1 }, { "KiB", "MiB", 1024 },
    { "MiB", "MiB", 1 }, { "MiB", "GiB", 1024 },
    { "MHz", "MHz", 1 }, { "MHz", "GHz", 1e3 },
    { "permille", "permille", 1 }, { "permille", "times", 1e3 },
};

static bool has_unit(const char *of)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].of, of) == 0)
            return true;
    return false;
}

static double factor(const struct card_key *key, const json_t *fact)
{
    const char *unit = json_string_value(json_object_get(fact, "unit")), *of;
    card_key_of_device(key, &of);
    if (!has_unit(of)) {
        if (unit)
            trouble("%s: has no unit, but '%s' is given", key->name, unit);
        return 1;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (unit && strcmp(units[i].of, of) == 0 && strcmp(units[i].unit, unit) == 0)
            return units[i].factor;
    trouble("%s: %s%s%s, and the card wants %s", key->name, unit ? "'" : "no unit",
            unit ? unit : "", unit ? "' does not fit" : "", of);
}

static const char *text(const json_t *in, const char *what, const char *of)
{
    const char *value = json_string_value(json_object_get(in, what));
    if (!value || strpbrk(value, "\n\r"))
        trouble("%s%s%s: no line of text", of, *of ? ": " : "", what);
    return value;
}

static void put_header(FILE *out, const json_t *facts)
{
    const json_t *about = json_object_get(facts, "about"), *line;
    size_t i;
    fprintf(out, "# SPDX-License-Identifier: MIT\n# %s: driver %s, CUDA %s, %s, %s.\n",
            text(facts, "title", ""), text(facts, "driver", ""), text(facts, "cuda", ""),
            text(facts, "host", ""), text(facts, "date", ""));
    if (!json_is_array(about))
        trouble("about: no list of lines");
    json_array_foreach(about, i, line)
        fprintf(out, "# %s\n",
                json_is_string(line) && !strpbrk(json_string_value(line), "\n\r")
                    ? json_string_value(line)
                    : (trouble("about: no line of text"), ""));
    fprintf(out, "\nname %s\ntitle %s\n", text(facts, "name", ""), text(facts, "title", ""));
}

static void put_value(FILE *out, const struct card_key *key, const json_t *fact)
{
    const json_t *value = json_object_get(fact, "value");
    char entry[96];
    if (!json_is_number(value))
        trouble("%s: no number", key->name);
    double number = round(json_number_value(value) * factor(key, fact));
    if (!(fabs(number) < 1e12))
        trouble("%s: too large", key->name);
    snprintf(entry, sizeof entry, "%s %.0f", key->name, number + 0.0);
    fprintf(out, "%-*s# %s\n", COLUMN, entry, text(fact, "source", key->name));
}

static void refuse_strangers(const json_t *values)
{
    const char *name;
    json_t *fact;
    json_object_foreach((json_t *)values, name, fact) {
        bool known = false;
        for (size_t k = 0; k < card_key_count(); k++)
            known = known
                    || (strcmp(card_key_at(k)->unit, "text") != 0
                        && strcmp(card_key_at(k)->name, name) == 0);
        if (!known)
            trouble("%s: no card has such a key", name);
    }
}

static void put_card(FILE *out, const json_t *facts)
{
    const json_t *values = json_object_get(facts, "values");
    const char *group = NULL;
    if (json_integer_value(json_object_get(facts, "facts")) != 1)
        trouble("no facts of version 1");
    if (!json_is_object(values))
        trouble("values: not there");
    put_header(out, facts);
    refuse_strangers(values);
    for (size_t k = 0; k < card_key_count(); k++) {
        const struct card_key *key = card_key_at(k);
        const json_t *fact = json_object_get(values, key->name);
        if (key->group)
            group = key->group;
        if (!fact)                      /* a missing one is found when the card is read */
            continue;
        if (group)
            fprintf(out, "\n# %s\n", group);
        group = NULL;
        put_value(out, key, fact);
    }
}

/* Reads what will be written; a mistake is told by its key. */
static void check(const char *card_text, size_t length)
{
    struct card card;
    size_t line;
    const char *error, *at = card_text;
    if (card_parse(&card, card_text, length, &line, &error))
        return;
    for (size_t i = 1; i < line && strchr(at, '\n'); i++)
        at = strchr(at, '\n') + 1;
    if (strncmp(error, "no line", 7) == 0)
        trouble("%s", error);
    trouble("%.*s: %s", (int)strcspn(at, " \n"), at, error);
}

int main(int argc, char **argv)
{
    json_error_t error;
    char *card_text = NULL;
    size_t length = 0;
    path = argc == 2 ? argv[1] : "usage";
    if (argc != 2)
        trouble("profile FACTS.json > mine.card");
    json_t *facts = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!facts && error.line > 0) {
        fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
        return 2;
    }
    if (!facts)
        trouble("%s", strerror(errno));
    FILE *out = open_memstream(&card_text, &length);
    if (!out)
        trouble("%s", strerror(errno));
    put_card(out, facts);
    if (fclose(out) != 0)
        trouble("%s", strerror(errno));
    check(card_text, length);
    bool good = fwrite(card_text, 1, length, stdout) == length && fflush(stdout) == 0;
    free(card_text);
    json_decref(facts);
    if (!good)
        trouble("cannot write the card: %s", strerror(errno));
    return 0;
}
