/* SPDX-License-Identifier: MIT */
/*
 * cut_write.c - the closure that runs a block whole.
 *
 * Its text is the kernel's own, statement by statement with all that the rewriter has made of it,
 * and with its lines: a line marker says that it is a system header's, of which g++ does not warn.
 */
#include "simcc/rewrite/cut/cut.h"

#include <stdlib.h>
#include <string.h>

#include "simcc/rewrite/disjoint/disjoint.h"
#include "simcc/rewrite/rewrite.h"

struct writer {
    struct cutter *c;
    const struct tokens *t;
    FILE *out;
    unsigned segment;           /* that is being written; 0: none */
};

/* ---- text ---- */

/* # 12 "file.cu" 3 */
static void mark_line(struct writer *w, size_t token, const char *flags)
{
    struct marker marker;
    long line = token_place(w->t, token, &marker);
    fprintf(w->out, "\n# %ld \"%.*s\"%s\n", line, (int)marker.length, marker.path, flags);
}

/* Is the text there a system header's already? The flags after the file's name. */
static const char *flags_at(const struct writer *w, size_t token)
{
    struct marker marker;
    token_place(w->t, token, &marker);
    return marker.system ? " 3" : "";
}

/* The tokens [from, to) with what became of them. A thread that returns takes no part in what
 * follows. */
static void write_tokens(struct writer *w, size_t from, size_t to, bool with_end)
{
    const struct tokens *t = w->t;
    size_t at = start_of(w->c->r, from);
    for (size_t i = from; i < to; i++) {
        bool marker = t->list[i].kind == TOKEN_MARKER, returns = token_is(t, i, "return");
        if (!marker && !returns)
            continue;
        write_edited(w->c->r, w->out, at, start_of(w->c->r, i), false);
        if (marker && token_behind(t, i) < to)
            mark_line(w, token_behind(t, i), " 3");
        if (marker) {
            size_t next = token_behind(t, i);
            i = next - 1;
            at = next < t->count ? start_of(w->c->r, next) : end_of(w->c->r, i);
        } else {
            fprintf(w->out, "{__sim_gone[__sim_t]=1;--__sim_live;goto __sim_next_%u;}", w->segment);
            i = token_behind(t, i);         /* its ; */
            at = end_of(w->c->r, i);
        }
    }
    if (at < end_of(w->c->r, to - 1))
        write_edited(w->c->r, w->out, at, end_of(w->c->r, to - 1), with_end);
}

static void write_word(struct writer *w, size_t token)
{
    fprintf(w->out, "%.*s ", (int)w->t->list[token].length, w->t->text + w->t->list[token].at);
}

static void write_name(struct writer *w, const struct cut_local *l)
{
    fprintf(w->out, "%.*s", (int)w->t->list[l->name].length, w->t->text + w->t->list[l->name].at);
}

/* const float *const, before the name. stored: without a const of the variable itself. */
static void write_type(struct writer *w, const struct cut_local *l, bool stored)
{
    const struct tokens *t = w->t;
    size_t star = l->declarator;
    for (size_t i = l->type; i < l->type_end; i++)
        if (t->list[i].kind != TOKEN_MARKER
            && !(stored && !l->pointer
                 && (token_is(t, i, "const") || token_is(t, i, "constexpr"))))
            write_word(w, i);
    for (size_t i = l->declarator; i < l->name; i++)
        star = token_is(t, i, "*") ? i : star;
    for (size_t i = l->declarator; i < l->name; i++)
        if (t->list[i].kind != TOKEN_MARKER && !(stored && i > star))
            write_word(w, i);
}

/* ---- variables ---- */

/* Notes what the tokens name, and what is needed for that. */
static void need(struct cutter *c, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        size_t local = cut_local_at(c, i);
        if (local == c->local_count || c->locals[local].needed)
            continue;
        struct cut_local *l = &c->locals[local];
        l->needed = true;
        if (l->kind == CUT_SAME)
            need(c, l->init, l->init_end);
    }
}

static void need_in_segment(struct writer *w, size_t first, size_t last)
{
    struct cutter *c = w->c;
    for (size_t i = 0; i < c->local_count; i++)
        c->locals[i].needed = false;
    for (size_t i = first; i < last; i++)
        if (c->nodes[i].segment == w->segment)
            need(c, c->nodes[i].from, c->nodes[i].to);
}

/* Could the program's text change it? A const variable cannot be changed. */
static bool is_changeable(const struct cut_local *l)
{
    return l->kind == CUT_UNIFORM && !l->constant;
}

/* What is the same for all threads comes to a thread as a constant: the compiler sees to it. */
static void write_constants(struct writer *w, bool within)
{
    for (size_t i = 0; i < w->c->local_count; i++) {
        const struct cut_local *l = &w->c->locals[i];
        if (!l->needed || !is_changeable(l))
            continue;
        fputs(within ? "const auto " : "const auto __sim_same_", w->out);
        write_name(w, l);
        fputs(within ? "=__sim_same_" : "=", w->out);
        write_name(w, l);
        fputc(';', w->out);
    }
    for (size_t i = 0; within && i < w->c->local_count; i++) {
        const struct cut_local *l = &w->c->locals[i];
        if (!l->needed || l->kind != CUT_SAME)
            continue;
        mark_line(w, l->name, " 3");
        write_type(w, l, true);
        fputs("const ", w->out);
        write_tokens(w, l->name, l->init_end, false);
        fputc(';', w->out);
    }
}

/* An array of them, where the program declares one. */
static void write_storage(struct writer *w, const struct cut_local *l)
{
    write_type(w, l, true);
    fputs("__sim_kept_", w->out);
    write_name(w, l);
    fputs("[1024]", w->out);
    if (l->dims < l->dims_end)
        write_tokens(w, l->dims, l->dims_end, false);
    fputs(";static_assert(__is_trivial(decltype(__sim_kept_", w->out);
    write_name(w, l);
    fputs("))&&sizeof(__sim_kept_", w->out);
    write_name(w, l);
    unsigned kept = 0;
    for (size_t i = 0; i < w->c->local_count; i++)
        kept += w->c->locals[i].kind == CUT_KEPT;
    fprintf(w->out, ")<=(1<<20)/%u,\"\");", kept);
}

/* int (&v)[2][3], where v is an array. */
static void write_declared(struct writer *w, const struct cut_local *l, const char *before,
                           const char *behind)
{
    write_type(w, l, false);
    fputs(before, w->out);
    write_name(w, l);
    fputs(behind, w->out);
    if (l->dimensions > 0)
        write_tokens(w, l->dims, l->dims_end, false);
}

static void write_copy(struct writer *w, const struct cut_local *l, bool stores)
{
    fputs("__builtin_memcpy(", w->out);
    for (int i = 0; i < 2; i++) {
        bool kept = (i == 0) == stores;
        fputs(kept ? "__sim_kept_" : "", w->out);
        write_name(w, l);
        fputs(kept ? "[__sim_t]," : ",", w->out);
    }
    fputs("sizeof ", w->out);
    write_name(w, l);
    fputs(");", w->out);
}

/* A short array may become registers; to copy a long one would take more time than fibers do. */
static void write_if_short(struct writer *w, const struct cut_local *l)
{
    fputs("if(sizeof ", w->out);
    write_name(w, l);
    fputs("<=256)", w->out);
}

static void write_load(struct writer *w, const struct cut_local *l)
{
    if (l->dimensions > 0) {
        write_declared(w, l, "__sim_own_", "");
        fputc(';', w->out);
        write_declared(w, l, "(&", ")");
        fputs("=sizeof __sim_own_", w->out);
        write_name(w, l);
        fputs("<=256?__sim_own_", w->out);
        write_name(w, l);
        fputs(":__sim_kept_", w->out);
        write_name(w, l);
        fputs("[__sim_t];", w->out);
        write_if_short(w, l);
        write_copy(w, l, false);
    } else {
        write_declared(w, l, "", "=__sim_kept_");
        write_name(w, l);
        fputs("[__sim_t];", w->out);
    }
}

static void write_store(struct writer *w, const struct cut_local *l)
{
    if (l->dimensions > 0) {
        if (l->segment != w->segment)
            write_if_short(w, l);
        write_copy(w, l, true);
    } else {
        fputs("__sim_kept_", w->out);
        write_name(w, l);
        fputs("[__sim_t]=", w->out);
        write_name(w, l);
        fputc(';', w->out);
    }
}

/* Kept variables that this segment names: loads those declared in other segments, or stores what it
 * may have changed.
 */
static void write_kept(struct writer *w, bool stores)
{
    for (size_t i = 0; i < w->c->local_count; i++) {
        const struct cut_local *l = &w->c->locals[i];
        if (!l->needed || l->kind != CUT_KEPT)
            continue;
        if (stores && (!l->constant || l->segment == w->segment))
            write_store(w, l);
        else if (!stores && l->segment != w->segment)
            write_load(w, l);
    }
}

/* ---- segments ---- */

static void write_statement(struct writer *w, const struct cut_node *n)
{
    if (n->kind == CUT_DECLARES) {
        const struct cut_local *l = &w->c->locals[n->local];
        mark_line(w, l->name, " 3");
        write_type(w, l, false);
        write_tokens(w, l->name, n->to, false);
        fputc(';', w->out);
    } else {
        mark_line(w, n->from, " 3");
        write_tokens(w, n->from, n->to, false);
    }
}

/* Its nodes are among [first, last). */
static void write_segment(struct writer *w, size_t first, size_t last)
{
    struct cutter *c = w->c;
    need_in_segment(w, first, last);
    for (size_t i = first; i < last; i++)
        if (c->nodes[i].segment == w->segment && c->nodes[i].kind == CUT_DECLARES
            && c->locals[c->nodes[i].local].kind == CUT_KEPT)
            write_storage(w, &c->locals[c->nodes[i].local]);
    fputc('{', w->out);
    write_constants(w, false);
    fputs("unsigned __sim_t=0;for(unsigned __sim_z=0;__sim_z<__sim_size.z;++__sim_z)"
          "for(unsigned __sim_y=0;__sim_y<__sim_size.y;++__sim_y)"
          "for(unsigned __sim_x=0;__sim_x<__sim_size.x;++__sim_x,++__sim_t){"
          "const ::uint3 threadIdx={__sim_x,__sim_y,__sim_z};::threadIdx=threadIdx;",
          w->out);
    if (c->returns)
        fputs("if(__sim_gone[__sim_t])continue;", w->out);
    write_constants(w, true);
    write_kept(w, false);
    fputc('{', w->out);
    for (size_t i = first; i < last; i++)
        if (c->nodes[i].segment == w->segment)
            write_statement(w, &c->nodes[i]);
    write_kept(w, true);
    fputc('}', w->out);
    if (c->returns)
        fprintf(w->out, "__sim_next_%u:__attribute__((__unused__));", w->segment);
    fputs(c->returns ? "}if(__sim_live==0)return;}" : "}}", w->out);
}

/* For all threads at once. */
static void write_for_all(struct writer *w, const struct cut_node *n)
{
    switch (n->kind) {
    case CUT_OPENS:
        fputc('{', w->out);
        break;
    case CUT_CLOSES:
        fputc('}', w->out);
        break;
    case CUT_HEAD:
    case CUT_SETS_ALL:
    case CUT_VERBATIM:
        mark_line(w, n->from, " 3");
        write_tokens(w, n->from, n->to, n->kind == CUT_VERBATIM);
        fputc(' ', w->out);
        break;
    case CUT_DECLARES:
        if (w->c->locals[n->local].kind == CUT_UNIFORM)
            write_statement(w, n);
        break;
    case CUT_BARRIER:               /* the compiler takes no value across, as across a call */
        fputs("__asm__ __volatile__(\"\":::\"memory\");", w->out);
        break;
    case CUT_STATEMENT:
        break;
    }
}

/* Do the nodes [first, last) of a segment name what the next one declares, and mean something else?
 */
static bool is_named_before(const struct cutter *c, size_t first, size_t last)
{
    const struct cut_node *next = &c->nodes[last];
    for (size_t i = 0; i < c->local_count; i++) {
        const size_t name = c->locals[i].name;
        if (name < next->from || name >= next->to)
            continue;
        for (size_t k = c->nodes[first].from; k < next->from; k++)
            if (token_is_same(c->t, k, name))
                return true;
    }
    return false;
}

/* Variables that are for all threads come before the segment that they are declared in. */
static void write_nodes(struct writer *w)
{
    struct cutter *c = w->c;
    size_t first = 0;
    bool open = false;
    for (size_t i = 0; i <= c->node_count; i++) {
        const struct cut_node *n = i < c->node_count ? &c->nodes[i] : NULL;
        bool goes_on = n && (n->segment > 0 || n->kind == CUT_DECLARES || n->kind == CUT_VERBATIM);
        if (open && goes_on && n->segment == 0 && is_named_before(c, first, i))
            cut_no(c);
        if (open && !goes_on) {
            write_segment(w, first, i);
            open = false;
        }
        if (n && n->segment > 0) {
            if (!open)
                first = i;
            open = true;
            w->segment = n->segment;
        } else if (n) {
            write_for_all(w, n);
        }
    }
}

char *cut_written(struct cutter *c)
{
    char *text = NULL;
    size_t length = 0;
    struct writer w = { .c = c, .t = c->t, .out = open_memstream(&text, &length) };
    if (!w.out)
        abort();
    fputs(CUT_BEGINS, w.out);
    mark_line(&w, c->body, " 3");
    fputs("},::__sim::__cut_at_barriers()*[=]{"
          "const ::dim3 __sim_size=::blockDim,blockDim=::blockDim,gridDim=::gridDim;"
          "const ::uint3 blockIdx=::blockIdx;",
          w.out);
    for (size_t i = 0; i < c->local_count; i++)
        if (c->locals[i].kind == CUT_TYPE) {
            fputs("static_assert(__is_trivial(", w.out);
            write_name(&w, &c->locals[i]);
            fputs("),\"\");", w.out);
        }
    if (c->returns)
        fputs("unsigned char __sim_gone[1024];"
              "unsigned __sim_live=__sim_size.x*__sim_size.y*__sim_size.z;"
              "__builtin_memset(__sim_gone,0,__sim_live);",
              w.out);
    write_nodes(&w);
    mark_line(&w, c->end, flags_at(&w, c->end));
    fputs(CUT_ENDS, w.out);
    fclose(w.out);
    if (c->ok)
        return text;
    free(text);
    return NULL;
}
