/* SPDX-License-Identifier: MIT */
#include "grader/batch/similar/similar.h"

#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/lessons.h"
#include "grader/run/submission.h"
#include "trace/record/memory.h"

const char similar_word[] =
    "Alike is not copied: a task that can be solved in few ways is solved alike by people who never met, and two who sat "
    "together may have been told to. Look at both files, and ask, before you conclude anything.";

/* ---- what everybody has ---- */

static void add_given(struct given *g, const char *pattern, const struct lesson *lesson)
{
    struct submission text;
    char *path = project_path(pattern, lesson->folder), problem[300];
    if (submission_read(&text, path, problem, sizeof problem))
        given_add(g, text.text, text.bytes);
    submission_fini(&text);
    free(path);
}

/* ---- what many have ---- */

struct common { uint64_t *hashes; size_t count; };      /* sorted */

static int by_common_hash(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static bool many_have(const void *context, uint64_t hash)
{
    const struct common *c = context;
    return c->count > 0 && bsearch(&hash, c->hashes, c->count, sizeof *c->hashes, by_common_hash);
}

/* Each print's hashes once, all together sorted: those that come too often stay. */
static void find_common(struct common *c, const struct print *prints, size_t count)
{
    size_t all = 0, most = count / 10 > SIMILAR_COMMON ? count / 10 : SIMILAR_COMMON;
    for (size_t i = 0; i < count; i++)
        all += prints[i].count;
    *c = (struct common){ .hashes = memory_resize(NULL, (all + 1) * sizeof *c->hashes) };
    all = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < prints[i].count; k++)
            if (k == 0 || prints[i].list[k].hash != prints[i].list[k - 1].hash)
                c->hashes[all++] = prints[i].list[k].hash;
    if (all > 0)
        qsort(c->hashes, all, sizeof *c->hashes, by_common_hash);
    for (size_t i = 0, n; i < all; i += n) {
        for (n = 1; i + n < all && c->hashes[i + n] == c->hashes[i]; n++)
            ;
        if (n > most)
            c->hashes[c->count++] = c->hashes[i];
    }
}

/* ---- pairs ---- */

static unsigned percent(size_t part, size_t whole)
{
    return whole == 0 ? 0 : (unsigned)(100 * part / whole);
}

static struct passage passage_of(const struct stretch *s, const struct print *a,
                                 const struct print *b)
{
    const struct lexeme *a_last = &a->lexemes.list[s->a + s->length - 1],
                        *b_last = &b->lexemes.list[s->b + s->length - 1];
    return (struct passage){ a->lexemes.list[s->a].at, a_last->at + a_last->length,
                             b->lexemes.list[s->b].at, b_last->at + b_last->length };
}

static void compare_pair(struct similar *s, const struct handed_in *x, const struct handed_in *y,
                         const struct print *a, const struct print *b, const struct common *common)
{
    struct pair p = { .a = x, .b = y, .own_a = a->own_count, .own_b = b->own_count };
    similarity_find(&p.similarity, a, b, many_have, common);
    p.share = percent(2 * p.similarity.lexemes, p.own_a + p.own_b);
    p.share_a = percent(p.similarity.lexemes, p.own_a);
    p.share_b = percent(p.similarity.lexemes, p.own_b);
    p.above = p.share >= SIMILAR_SHARE && p.similarity.lexemes >= SIMILAR_LEXEMES;
    if (p.similarity.count == 0 || p.share < SIMILAR_FLOOR) {
        similarity_fini(&p.similarity);
        return;
    }
    p.passages = memory_resize(NULL, p.similarity.count * sizeof *p.passages);
    for (size_t i = 0; i < p.similarity.count; i++)
        p.passages[i] = passage_of(&p.similarity.list[i], a, b);
    MEMORY_GROW(s->pairs, s->count, s->capacity);
    s->pairs[s->count++] = p;
    s->above += p.above;
}

static void compare_lesson(struct similar *s, const struct intake *in, const struct lesson *lesson)
{
    struct given given = { .list = NULL };
    struct common common;
    add_given(&given, "exercises/%s.cu", lesson);
    add_given(&given, "solutions/%s.cu", lesson);
    add_given(&given, "lessons/%s/lesson.h", lesson);
    given_settle(&given);
    const struct handed_in **files = memory_resize(NULL, (in->count + 1) * sizeof *files);
    struct print *prints = memory_resize(NULL, (in->count + 1) * sizeof *prints);
    size_t count = 0;
    for (size_t i = 0; i < in->count; i++)
        if (in->files[i].lesson == lesson && in->files[i].text) {
            files[count] = &in->files[i];
            print_take(&prints[count++], in->files[i].text, in->files[i].bytes, &given);
        }
    find_common(&common, prints, count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            compare_pair(s, files[i], files[k], &prints[i], &prints[k], &common);
    for (size_t i = 0; i < count; i++)
        print_fini(&prints[i]);
    s->files += count;
    given_fini(&given);
    memory_resize(common.hashes, 0);
    memory_resize(prints, 0);
    memory_resize(files, 0);
}

/* Above the line first, then by share, by length, by lesson and name. */
static int most_alike_first(const void *one, const void *two)
{
    const struct pair *a = one, *b = two;
    if (a->above != b->above)
        return a->above ? -1 : 1;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    if (a->similarity.lexemes != b->similarity.lexemes)
        return a->similarity.lexemes > b->similarity.lexemes ? -1 : 1;
    int order = a->a->lesson->number - b->a->lesson->number;
    order = order != 0 ? order : strcmp(a->a->student, b->a->student);
    return order != 0 ? order : strcmp(a->b->student, b->b->student);
}

void similar_find(struct similar *s, const struct intake *in, const bool *wanted)
{
    *s = (struct similar){ .pairs = NULL };
    for (size_t i = 0; i < lesson_count; i++)
        if (wanted[i])
            compare_lesson(s, in, lessons[i]);
    if (s->count > 0)
        qsort(s->pairs, s->count, sizeof *s->pairs, most_alike_first);
}

void similar_fini(struct similar *s)
{
    for (size_t i = 0; i < s->count; i++) {
        similarity_fini(&s->pairs[i].similarity);
        memory_resize(s->pairs[i].passages, 0);
    }
    memory_resize(s->pairs, 0);
}
