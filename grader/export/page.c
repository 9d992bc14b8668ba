/* SPDX-License-Identifier: MIT */
#include "grader/export/page.h"

#include <inttypes.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/export/escape.h"
#include "grader/batch/results/field.h"
#include "grader/report/html.h"
#include "trace/record/memory.h"

/* grader/export/page.css and page.js, embedded. */
extern const char page_style[], page_script[];

void page_begin(FILE *to, const char *title, const char *kicker, bool names_switch, bool hidden)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX c;
    SHA256Init(&c);
    SHA256Update(&c, (const uint8_t *)page_script, strlen(page_script));
    SHA256Final(digest, &c);
    char *hash = base64(digest, sizeof digest), script[80];
    snprintf(script, sizeof script, "sha256-%s", hash);
    html_begin(to, title, page_style, script);
    fputs("<header>\n<p class=\"kicker\">", to);
    html_text(to, kicker);
    fputs("</p>\n<h1>", to);
    html_text(to, title);
    fputs("</h1>\n", to);
    if (names_switch)
        fprintf(
            to,
            "<p><label class=\"switch\"><input type=\"checkbox\" role=\"switch\" id=\"hide\"%s> Hide names</label></p>\n",
            hidden ? " checked" : "");
    fputs("</header>\n<main>\n", to);
    free(hash);
}

void page_end(FILE *to)
{
    fprintf(to, "</main>\n<script>%s</script>\n", page_script);
    html_end(to);
}

void page_name(FILE *to, const json_t *student, size_t number)
{
    const char *name = field_text(student, "name");
    fputs("<bdi class=\"who\">", to);
    html_text(to, name[0] != '\0' ? name : field_text(student, "id"));
    fprintf(to, "</bdi><span class=\"alias\">Student&nbsp;%zu</span>", number);
}

struct numbered { char digest[SHA256_DIGEST_STRING_LENGTH]; size_t student; };

static int by_digest(const void *a, const void *b)
{
    return strcmp(((const struct numbered *)a)->digest, ((const struct numbered *)b)->digest);
}

size_t *page_numbers(const json_t *results)
{
    const json_t *students = json_object_get(results, "students");
    size_t count = json_array_size(students),
           *numbers = memory_resize(NULL, (count + 1) * sizeof *numbers);
    struct numbered *list = memory_resize(NULL, (count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++) {
        char *text;
        if (asprintf(&text, "%" JSON_INTEGER_FORMAT " %s",
                     json_integer_value(json_object_get(results, "seed")),
                     field_text(json_array_get(students, i), "id"))
            < 0)
            die("no memory left");
        SHA256Data((const uint8_t *)text, strlen(text), list[i].digest);
        list[i].student = i;
        free(text);
    }
    qsort(list, count, sizeof *list, by_digest);
    for (size_t i = 0; i < count; i++)
        numbers[list[i].student] = i + 1;
    memory_resize(list, 0);
    return numbers;
}
