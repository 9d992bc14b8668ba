/* SPDX-License-Identifier: MIT */
#include "grader/export/common_failures.h"

#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/batch/results/field.h"
#include "trace/record/memory.h"

struct table { struct failure *list; size_t count, capacity; };

static struct failure *row_of(struct table *t, size_t lesson, const json_t *check)
{
    const char *id = field_text(check, "id");
    for (size_t i = 0; i < t->count; i++)
        if (t->list[i].lesson == lesson && strcmp(t->list[i].id, id) == 0)
            return &t->list[i];
    MEMORY_GROW(t->list, t->count, t->capacity);
    t->list[t->count] = (struct failure){ .lesson = lesson,
                                          .part = field_text(check, "part"),
                                          .id = id,
                                          .name = field_text(check, "name") };
    return &t->list[t->count++];
}

/* Without its numbers; the caller's. */
static char *without_numbers(const char *text)
{
    char *own = malloc(3 * strlen(text) + 1), *to = own;
    if (!own)
        die("no memory left");
    while (*text != '\0') {
        size_t digits = strspn(text, "0123456789");
        if (digits > 0) {
            size_t more =
                digits + strspn(text + digits, "0123456789.xabcdefABCDEF");     /* 3.5, 0xdead */
            if (text[digits] == '.' || (digits == 1 && text[0] == '0' && text[1] == 'x'))
                digits = text[more - 1] == '.' ? more - 1 : more;
            to = stpcpy(to, "…");
            text += digits;
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
    return own;
}

static void count_message(struct failure *f, const char *why)
{
    char *text = without_numbers(why);
    for (size_t i = 0; i < f->message_count; i++)
        if (strcmp(f->messages[i].text, text) == 0) {
            f->messages[i].count++;
            free(text);
            return;
        }
    MEMORY_GROW(f->messages, f->message_count, f->message_capacity);
    f->messages[f->message_count++] = (struct message){ text, 1 };
}

static void count_check(struct table *t, size_t student, size_t lesson, const json_t *check)
{
    const char *outcome = field_text(check, "outcome");
    bool failed = strcmp(outcome, "failed") == 0;
    if (!failed && strcmp(outcome, "passed") != 0)
        return;
    struct failure *f = row_of(t, lesson, check);
    f->judged++;
    if (!failed)
        return;
    MEMORY_GROW(f->who, f->failed, f->who_capacity);
    f->who[f->failed++] = student;
    const char *why = field_text(json_object_get(check, "finding"), "why");
    if (why[0] != '\0')
        count_message(f, why);
}

static int by_count(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->text, y->text);
}

static int by_failed(const void *a, const void *b)
{
    const struct failure *x = a, *y = b;
    if (x->failed != y->failed)
        return x->failed < y->failed ? 1 : -1;
    return x->lesson != y->lesson ? (x->lesson > y->lesson ? 1 : -1) : strcmp(x->id, y->id);
}

static void free_row(struct failure *f)
{
    for (size_t i = 0; i < f->message_count; i++)
        free(f->messages[i].text);
    memory_resize(f->messages, 0);
    memory_resize(f->who, 0);
}

size_t common_failures(const json_t *results, struct failure **list)
{
    struct table t = { .list = NULL };
    size_t i, k, n, kept = 0;
    json_t *student, *entry, *check;
    json_array_foreach(json_object_get(results, "students"), i, student)
        json_array_foreach(json_object_get(student, "lessons"), k, entry)
            json_array_foreach (json_object_get(json_object_get(entry, "verdict"), "checks"), n,
                                check)
                count_check(&t, i, k, check);
    for (i = 0; i < t.count; i++) {
        if (t.list[i].failed == 0) {
            free_row(&t.list[i]);
            continue;
        }
        if (t.list[i].message_count > 0)
            qsort(t.list[i].messages, t.list[i].message_count, sizeof *t.list[i].messages,
                  by_count);
        t.list[kept++] = t.list[i];
    }
    if (kept > 0)
        qsort(t.list, kept, sizeof *t.list, by_failed);
    *list = t.list;
    return kept;
}

void common_failures_free(struct failure *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free_row(&list[i]);
    memory_resize(list, 0);
}
