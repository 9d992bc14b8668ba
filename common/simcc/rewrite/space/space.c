/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A mark says whose a function is, where no other declaration of it could say
 * something else: nvcc makes one of both of a function that is declared with
 * the word and without, and a specialisation has the mark of its template. Of
 * the bodies of such a function nothing is said.
 * Copy constructors and destructors are marked as well; judge.c allows them
 * where a kernel's own closure copies its arguments.
 */
#include "simcc/rewrite/space/space.h"

#include <stdlib.h>
#include <string.h>

#include "simcc/rewrite/space/inside.h"
#include "trace/record/memory.h"

static void chain_functions(struct spaces *s)
{
    for (size_t i = 0; i < s->function_count; i++) {
        struct function *f = &s->functions[i];
        f->namesake = s->chains[f->name].function;
        s->chains[f->name].function = i + 1;
    }
}

/* May these declare the same function, and say different things of it? */
static bool disagree(const struct function *a, const struct function *b)
{
    bool one = (!a->in_class && !b->in_class) || (a->in_class && b->qualified)
               || (a->qualified && b->in_class);
    return one && a->parameters == b->parameters && (a->side != b->side || a->worded != b->worded)
           && (strchr(a->types, '?') || strchr(b->types, '?') || strcmp(a->types, b->types) == 0);
}

/* Whose a function is that may be declared in two ways: either side's, as far as the text tells. */
static void compare_declarations(struct spaces *s)
{
    for (size_t i = 0; i < s->function_count; i++)
        for (size_t k = s->functions[i].namesake; k > 0; k = s->functions[k - 1].namesake) {
            struct function *a = &s->functions[i], *b = &s->functions[k - 1];
            bool differ = disagree(a, b), kernel = a->kernel || b->kernel,
                 special = a->specialised || b->specialised;
            a->unmarked |= differ || special;
            b->unmarked |= differ || special;
            a->unclear |= differ && !special && !kernel;
            b->unclear |= differ && !special && !kernel;
        }
}

static void mark(struct rewriter *r, struct spaces *s)
{
    static const char *const words[] = { "host", "device", "both" };
    for (size_t i = 0; i < s->function_count; i++) {
        const struct function *f = &s->functions[i];
        if (!f->markable || f->specialised || f->unmarked)
            continue;
        edit(r, start_of(r, f->mark), 0, "__attribute__((deprecated(\"simcc:%s\"))) ",
             f->kernel ? "kernel" : words[f->side]);
        edit_foremost(r);
    }
}

/* #pragma GCC diagnostic error "-Wdeprecated-declarations": then the marks would be errors. */
static bool tunes_warnings(const struct tokens *t)
{
    static const char word[] = "diagnostic";
    for (size_t i = 0; i < t->count; i++)
        if (t->list[i].kind == TOKEN_MARKER && token_starts(t, i, "#pragma")
            && memmem(t->text + t->list[i].at, t->list[i].length, word, sizeof word - 1)
            && memmem(t->text + t->list[i].at, t->list[i].length, " error ", 7))
            return true;
    return false;
}

static bool has_launch(const struct tokens *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (token_three(t, i, "<"))
            return true;
    return false;
}

struct spaces *space_read(struct rewriter *r)
{
    struct spaces *s = memory_resize(NULL, sizeof *s);
    *s = (struct spaces){ .name_count = 0 };
    space_functions(r, s);
    bool any = has_launch(&r->tokens);
    for (size_t i = 0; i < s->function_count; i++)
        any = any || s->functions[i].worded;
    if (!any || tunes_warnings(&r->tokens)) {
        spaces_free(s);
        return NULL;
    }
    chain_functions(s);
    compare_declarations(s);
    mark(r, s);
    space_bodies(r, s);
    return s;
}

void spaces_free(struct spaces *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->name_count; i++)
        free(s->names[i]);
    for (size_t i = 0; i < s->file_count; i++)
        free(s->files[i]);
    void *const lists[] = { s->names,   s->files,  s->chains, s->functions, s->uses,
                            s->lambdas, s->arrays, s->unsure, s->launches,  s };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        memory_resize(lists[i], 0);
}
