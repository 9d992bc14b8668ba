/* SPDX-License-Identifier: MIT */
#include "grader/export/page.h"

#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/export/escape.h"
#include "grader/batch/results/field.h"
#include "grader/report/template.h"
#include "trace/record/memory.h"

/* page.html, page.css and page.js, embedded. */
extern const char class_frame[], page_style[], page_script[];

static void view_script(json_t *view)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX c;
    SHA256Init(&c);
    SHA256Update(&c, (const uint8_t *)page_script, strlen(page_script));
    SHA256Final(digest, &c);
    char *hash = base64(digest, sizeof digest);
    view_format(view, "script", "sha256-%s", hash);
    view_text(view, "code", page_script);
    free(hash);
}

void page_write(FILE *to, const char *main, json_t *view)
{
    view_script(view);
    view_text(view, "main", main);
    template_page(to, class_frame, page_style, view);
}

void view_decimal(json_t *view, const char *name, double value)
{
    char text[64];
    view_text(view, name, plain_number(text, value));
}

const char *page_name(const json_t *student)
{
    const char *name = field_text(student, "name");
    return name[0] != '\0' ? name : field_text(student, "id");
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
        char *text = formatted("%" JSON_INTEGER_FORMAT " %s",
                               json_integer_value(json_object_get(results, "seed")),
                               field_text(json_array_get(students, i), "id"));
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
