/* SPDX-License-Identifier: MIT */
#include "simcc/rewrite/rewrite.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simcc/rewrite/edit.h"
#include "simcc/rewrite/unread.h"
#include "trace/record/memory.h"

const char rewrite_semicolon[] = "a ; is missing after this launch";

/* ---- line markers: where are we, and what is it called? ---- */

static void enter_file(struct rewriter *r, size_t token)
{
    struct marker marker;
    if (!marker_read(r->tokens.text + start_of(r, token), r->tokens.text + end_of(r, token),
                     &marker))
        return;
    r->ours = false;
    r->system = marker.system && !path_is_theirs(marker.path, marker.length, r->theirs);
    for (size_t i = 0; marker.system && r->own[i] && !r->ours; i++) {
        size_t length = strlen(r->own[i]);
        if (marker.length <= length || memcmp(marker.path, r->own[i], length) != 0)
            continue;
        r->ours = true;
        edit(r, (size_t)(marker.path - r->tokens.text), length, "");
    }
}

/* ---- calls of the runtime ---- */

/* Besides cuda… and cu…: what streams.h declares and a timeline should show with its line. */
static const char *const more_calls[] = { "host_work", "prefetch", "add_graph_node", "label_push",
                                          "label_pop" };

/* Arithmetic of cuComplex.h, for kernels as well: no calls of a driver. */
static const char *const complex_functions[] = { "cuCreal", "cuCimag",  "cuConj", "cuCadd",
                                                 "cuCsub",  "cuCmul",   "cuCdiv", "cuCfma",
                                                 "cuCabs",  "cuComplex" };

static bool is_candidate(const struct rewriter *r, size_t token)
{
    if (!token_is_name(&r->tokens, token))
        return false;
    const char *name = r->tokens.text + start_of(r, token);
    for (size_t i = 0; i < sizeof complex_functions / sizeof *complex_functions; i++)
        if (token_starts(&r->tokens, token, complex_functions[i]))
            return false;
    bool driver = token_starts(&r->tokens, token, "cu") && r->tokens.list[token].length > 2
                  && name[2] >= 'A' && name[2] <= 'Z';
    if (driver || token_starts(&r->tokens, token, "cuda"))
        return true;
    for (size_t i = 0; i < sizeof more_calls / sizeof *more_calls; i++)
        if (token_is(&r->tokens, token, more_calls[i]))
            return true;
    return false;
}

/* Names that a text declared which is not here: one a line. */
static void learn_names(struct names *names, const char *lines)
{
    for (size_t length; *lines != '\0'; lines += length + (lines[length] == '\n')) {
        length = strcspn(lines, "\n");
        add_name(names, lines, length);
    }
}

static void runtime_call(struct rewriter *r, size_t name)
{
    const struct tokens *t = &r->tokens;
    size_t first = name;
    if (name > 0 && (token_is(t, name - 1, ".") || token_is(t, name - 1, "->")))
        return;
    if (name > 0 && token_is(t, name - 1, "::")) {
        if (name > 1 && token_is_name(t, name - 2))
            return;                         /* somebody's own: ours::cudaFree */
        first = name - 1;
    }
    size_t close = token_close(t, name + 1);
    if (close == t->count)
        return;
    edit(r, start_of(r, first), 0, "(::sim_%s(__builtin_FILE(),__builtin_LINE()),",
         is_unread(t, name, first, close)      ? "unread"
         : is_half_read(t, name, first, close) || is_swallowed(t, name, first, close) ? "half_read"
                                               : "at");
    edit(r, end_of(r, close), 0, ")");
}

/* ---- launches ---- */

static bool is_statement_word(const struct tokens *t, size_t token)
{
    return token_is(t, token, "return") || token_is(t, token, "else") || token_is(t, token, "do")
           || token_is(t, token, "throw");
}

/* for (…) (k)<<<…>>>: the word's own brackets are no part of the kernel's expression. */
static bool is_control_word(const struct tokens *t, size_t token)
{
    return token_is(t, token, "for") || token_is(t, token, "while") || token_is(t, token, "if")
           || token_is(t, token, "switch");
}

/* First token of the expression that ends before `end`: a, ns::k<T>, p->k, (k), k[i]. */
static size_t expression_start(const struct tokens *t, size_t end)
{
    size_t i = end - 1;
    for (;;) {
        bool brackets = false;
        while (token_is(t, i, ">") || token_is(t, i, ")") || token_is(t, i, "]")) {
            size_t open = token_open(t, i);
            if (open == SIZE_MAX || open == 0)
                return end;
            if (brackets && is_control_word(t, open - 1))
                break;
            brackets = !token_is(t, i, ">");
            i = open - 1;
        }
        if (!token_is_name(t, i) || is_statement_word(t, i)) {
            if (!brackets)
                return end;
            i++;                            /* (k)<<<…>>>: the bracket begins it */
        }
        if (i > 1 && (token_is(t, i - 1, ".") || token_is(t, i - 1, "->"))) {
            i -= 2;
            continue;
        }
        if (i == 0 || !token_is(t, i - 1, "::"))
            return i;
        bool qualified = i > 1 && !is_statement_word(t, i - 2)
                         && (token_is_name(t, i - 2) || token_is(t, i - 2, ">"));
        if (!qualified)
            return i - 1;
        i -= 2;
    }
}

/* The >>> with its ( after it; t->count when there is none in this statement. */
static size_t launch_close(const struct tokens *t, size_t from)
{
    for (size_t i = from; i < t->count && !token_is(t, i, ";"); i++) {
        if (token_opens(t, i))
            i = token_close(t, i);
        else if (token_three(t, i, ">") && token_is(t, i + 3, "("))
            return i;
    }
    return t->count;
}

static void launch(struct rewriter *r, size_t open)
{
    const struct tokens *t = &r->tokens;
    if (open == 0 || token_is(t, open - 1, "operator"))
        return;
    size_t kernel = expression_start(t, open);
    size_t close = launch_close(t, open + 3);
    if (kernel == open || close == t->count)
        return;
    size_t end = token_close(t, close + 3);
    if (end == t->count)
        return;
    size_t next = token_behind(t, end);
    bool ends_here = next < t->count && t->list[next].kind == TOKEN_PUNCTUATION
                     && !token_is(t, next, "{") && !token_is(t, next, "}");
    if (!ends_here && next < t->count)
        refuse(r, end, rewrite_semicolon);
    /* The kernel's name moves after its configuration. */
    size_t name = start_of(r, kernel), name_end = end_of(r, open - 1);
    char *spelling = strndup(t->text + name, name_end - name);
    for (char *c = spelling; *c; c++)
        if (*c == '\n')
            *c = ' ';
    edit(r, name, end_of(r, open + 2) - name, "(::sim_configure_at(");
    edit(r, start_of(r, close), end_of(r, close + 2) - start_of(r, close), "),%s", spelling);
    edit(r, end_of(r, end), 0, ")");
    free(spelling);
}

/* ---- kernels ---- */

static bool has_loop(const struct tokens *t, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (token_is(t, i, "for") || token_is(t, i, "while"))
            return true;
    return false;
}

/* __launch_bounds__(128, 4), __cluster_dims__(2), __maxnreg__(32): its (. 0: the token is none. */
static size_t limit_open(const struct tokens *t, size_t token)
{
    static const char *const words[] = { "__launch_bounds__", "__cluster_dims__", "__maxnreg__",
                                         "__local_maxnreg__" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is(t, token, words[i]) && token_is(t, token + 1, "("))
            return token + 1;
    return 0;
}

static void drop_limit(struct rewriter *r, size_t token)
{
    size_t end = token_close(&r->tokens, token + 1);
    for (size_t i = token; i <= end && i < r->tokens.count; i++)
        drop(r, i, "");
}

/* The kernel's bounds and its cluster, as a number that the compiler makes:
 * ",::__sim::__bounds(128, 4)|…"; open: its parameters'. */
static void limits(const struct tokens *t, size_t from, size_t open, char *text, size_t room)
{
    size_t used = 0;
    *text = '\0';
    while (from > 0 && !token_is(t, from - 1, ";") && !token_is(t, from - 1, "}")
           && !token_is(t, from - 1, "{") && t->list[from - 1].kind != TOKEN_MARKER)
        from--;
    for (size_t i = from; i < open; i++) {
        size_t in = limit_open(t, i), close = in ? token_close(t, in) : t->count;
        if (close == t->count || token_is(t, i, "__maxnreg__")
            || token_is(t, i, "__local_maxnreg__"))
            continue;
        const char *at = t->text + t->list[in].at;
        int length = (int)(t->list[close].at + t->list[close].length - t->list[in].at);
        int more =
            snprintf(text + used, room - used, "%s::__sim::%s%.*s", used ? "|" : ",",
                     token_is(t, i, "__launch_bounds__") ? "__bounds" : "__cluster", length, at);
        if (more < 0 || (size_t)more >= room - used) {
            *text = '\0';
            return;
        }
        used += (size_t)more;
    }
}

/* A parameter that is a reference (T &x, T (&x)[4]) is the object itself, which managed memory may
 * hold: ",&x,&y". */
static void references(const struct tokens *t, size_t open, char *text, size_t room)
{
    size_t used = 0, close = token_close(t, open), angles = 0;
    *text = '\0';
    for (size_t i = open + 1; i < close; i++) {
        angles += token_is(t, i, "<");
        angles -= angles > 0 && token_is(t, i, ">");
        if (token_is(t, i, "=")) /* a default: to the next parameter */
            while (i + 1 < close && !token_is(t, i + 1, ","))
                i = token_is(t, i + 1, "(") || token_is(t, i + 1, "{") ? token_close(t, i + 1)
                                                                       : i + 1;
        if (angles > 0 || !token_is(t, i, "&") || !token_is_name(t, i + 1)
            || token_is(t, i + 1, "const"))
            continue;
        int more = snprintf(text + used, room - used, ",&%.*s", (int)t->list[i + 1].length,
                            t->text + t->list[i + 1].at);
        if (more < 0 || (size_t)more >= room - used) {
            text[used] = '\0';
            return;
        }
        used += (size_t)more;
    }
}

/* As the names of <cuda_runtime.h> are after its macros (sim_device_runtime.h), or in PTX. */
static bool has_dependency(const struct tokens *t, size_t from, size_t to)
{
    static const char ptx[] = "griddepcontrol";
    for (size_t i = from; i < to; i++)
        if (token_is(t, i, "sim_grid_dependency_synchronize")
            || token_is(t, i, "sim_trigger_launch_completion")
            || memmem(t->text + t->list[i].at, t->list[i].length, ptx, sizeof ptx - 1))
            return true;
    return false;
}

static void kernel(struct rewriter *r, size_t token)
{
    const struct tokens *t = &r->tokens;
    edit(r, start_of(r, token), r->tokens.list[token].length, "");
    size_t open = token + 1;
    while (open < t->count && !token_is(t, open, ";") && !token_is(t, open, "{")
           && !(token_is(t, open, "(") && !token_is(t, open - 1, "__attribute__")
                && limit_open(t, open - 1) == 0))
        open = token_is(t, open, "(") ? token_close(t, open) + 1 : open + 1;
    if (!token_is(t, open, "("))
        return;
    size_t name = open - 1;
    if (token_is(t, name, ">")) {
        size_t angle = token_open(t, name);     /* template <> … k<int>( */
        if (angle == SIZE_MAX || angle == 0)
            return;
        name = angle - 1;
    }
    refuse_result(r, token, name);
    if (token_is_name(t, name))
        learn_name(r, &r->kernels, name);
    size_t body = token_close(t, open);
    while (body < t->count && !token_is(t, body, ";") && !token_is(t, body, "{"))
        body++;
    size_t end = token_is(t, body, "{") ? token_close(t, body) : t->count;
    if (end == t->count || !token_is_name(t, name))
        return;
    char limit[1024], own[1024];
    address_known(r, name, open, body);
    limits(t, token, open, limit, sizeof limit);
    references(t, open, own, sizeof own);
    static const char *const whats[] = { "", "<1", "<2", "<3" };
    int has = has_loop(t, body, end) + 2 * has_dependency(t, body, end);
    const char *what = has == 0 && limit[0] != '\0' ? "<0" : whats[has];
    edit(r, end_of(r, body), 0, "::__sim::__body%s%s%s(\"%.*s\",[=%s]()mutable{", what, limit,
         what[0] == '\0' ? "" : ">", (int)t->list[name].length, t->text + start_of(r, name), own);
    edit_foremost(r);
    char *touches = disjoint(r, token, open, body);
    edit(r, start_of(r, end), 0, "%s);", touches ? touches : "}");
    free(touches);
    if (!touches)
        cut_kernel(r, token, open, body);
}

/* Calls of the runtime in code of the device: a few are there, by names of their own. */
static const char *const device_calls[] = {
    "cudaGetLastError",  "cudaPeekAtLastError", "cudaStreamCreateWithFlags",
    "cudaStreamDestroy", "cudaMalloc",          "cudaFree",
    "cudaGetDevice"
};

static void device_call(struct rewriter *r, size_t name)
{
    int length = (int)r->tokens.list[name].length;
    const char *spelling = r->tokens.text + start_of(r, name);
    for (size_t i = 0; i < sizeof device_calls / sizeof *device_calls; i++)
        if (token_is(&r->tokens, name, device_calls[i])) {
            edit(r, start_of(r, name), 0, "sim_device_");
            return;
        }
    if (token_is(&r->tokens, name, "cudaDeviceSynchronize"))
        refuse(
            r, name,
            "cudaDeviceSynchronize is called by device code: CUDA 12 removed it there, and simcc does not have it (book, "
            "\"What it does not do\")");
    else
        refuse(
            r, name,
            "%.*s is called by device code: simcc has only the host's runtime (book, \"What it does not do\")",
            length, spelling);
}

/* A token of the program itself. */
static void rewrite_token(struct rewriter *r, size_t i)
{
    const struct tokens *t = &r->tokens;
    if (unseen(r, i) || (token_is_name(t, i) && gives_up(r, i)))
        return;
    bool of_device = token_is(t, i, "__device__") || token_is(t, i, "__global__");
    if (of_device)
        arithmetic_from_word(r, i), steps_from_word(r, i);
    disjoint_token(r, i);
    steps_volatile(r, i);
    arithmetic_token(r, i);
    own_number(r, i);
    semaphore_of_block(r, i);
    if (is_candidate(r, i) && token_is(t, i + 1, "(") && is_one_of(r, &r->calls, i)) {
        if (is_in_device_code(r, i)) {
            device_call(r, i);
            return;
        }
        runtime_call(r, i);
        address_in_call(r, i);
    }
    else if (limit_open(t, i))
        drop_limit(r, i);
    else if (token_is_name(t, i) && is_one_of(r, &r->kernels, i))
        address_kernel(r, i);
    else if (token_is(t, i, "func"))
        address_in_field(r, i);
    else if (token_is(t, i, "__global__"))
        refuse_from_word(r, i), kernel(r, i);
    else if (token_is(t, i, "__host__"))
        drop(r, i, "");
    else if (token_is(t, i, "__noinline__") && !token_is(t, i - 1, "(") && !token_is(t, i - 1, ","))
        drop(r, i, "__attribute__((noinline))"); /* a macro would change what headers say in such
                                                    brackets */
    else if (token_is(t, i, "asm") || token_is(t, i, "__asm__") || token_is(t, i, "__asm"))
        device_assembly(r, i);
    else if (token_is(t, i, "__shared__"))
        device_shared(r, i);
    else if (of_device || token_is(t, i, "__constant__"))
        refuse_from_word(r, i), device_symbol(r, i);
    else if (token_is(t, i, "__managed__"))
        device_symbol(r, i);
    else if (token_is(t, i, "{") || token_is(t, i, "}"))
        device_brace(r, i);
    else if (token_three(t, i, "<"))
        launch(r, i);
    else if (token_is_name(t, i))
        refuse_name(r, i);
}

static void scan(struct rewriter *r)
{
    for (size_t i = 0; i < r->tokens.count; i++) {
        if (r->tokens.list[i].kind == TOKEN_MARKER)
            enter_file(r, i);
        else if (r->ours && is_candidate(r, i) && token_is(&r->tokens, i + 1, "("))
            learn_name(r, &r->calls, i);
        else if (!r->system)
            rewrite_token(r, i);
    }
}

static void begin(struct rewriter *r, const char *text, size_t length, const char *const *own)
{
    *r = (struct rewriter){ .own = own };
    tokens_init(&r->tokens, text, length);
}

static void end(struct rewriter *r)
{
    for (size_t i = 0; i < r->edit_count; i++)
        free(r->edits[i].text);
    memory_resize(r->edits, 0);
    memory_resize(r->calls.list, 0);
    memory_resize(r->kernels.list, 0);
    memory_resize(r->braces, 0);
    memory_resize(r->volatiles.list, 0);
    memory_resize(r->constants.list, 0);
    memory_resize(r->own_functions.list, 0);
    memory_resize(r->device_functions.list, 0);
    memory_resize(r->cut, 0);
    tokens_fini(&r->tokens);
}

char *rewrite(const char *text, size_t length, const char *const *own, const char *calls,
              struct rewrite_how how, size_t *out_length, char **refused)
{
    struct rewriter r;
    begin(&r, text, length, own);
    r.one_core = how.one_core;
    r.judged = how.judged;
    r.theirs = how.theirs;
    r.cuts = how.cuts;
    learn_names(&r.calls, calls);
    scan(&r);
    cut_kernels(&r);
    if (how.spaces)
        *how.spaces = space_read(&r);
    char *out = edited(&r, length, out_length);
    *refused = r.refused.at;
    end(&r);
    return out;
}

char *rewrite_calls(const char *text, size_t length, const char *const *own)
{
    struct rewriter r;
    begin(&r, text, length, own);
    scan(&r);
    size_t room = 1;
    for (size_t i = 0; i < r.calls.count; i++)
        room += r.calls.list[i].length + 1;
    char *out = memory_resize(NULL, room), *to = out;
    for (size_t i = 0; i < r.calls.count; i++) {
        to = mempcpy(to, r.calls.list[i].at, r.calls.list[i].length);
        *to++ = '\n';
    }
    *to = '\0';
    memory_resize(r.refused.at, 0);
    end(&r);
    return out;
}
