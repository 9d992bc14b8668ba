/* SPDX-License-Identifier: MIT */
#include "grader/batch/similar/lexeme.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "trace/record/memory.h"

enum { OWN_NAME = 1, NUMBER, STRING }; /* codes; others are characters, or come of a word's bytes */
#define WORD UINT32_C(0x80000000)

static const char *const keywords[] = {
    "if", "else", "for", "while", "do", "switch", "case", "default", "break", "continue", "return",
    "goto", "struct", "class",
    "template", "typename", "static", "const", "constexpr", "auto", "void", "int", "float",
    "double", "char", "bool", "unsigned",
    "long", "short", "size_t", "sizeof", "new", "delete", "this", "throw", "try", "catch",
    "nullptr", "true", "false", "using",
    "namespace", "operator", "__global__", "__device__", "__shared__", "__host__", "CHECK",
    "host_work", "kernel_cost", "prefetch",
    "label_push", "label_pop", "std", "include", "define",
};

static bool is_keyword(const char *word, size_t length)
{
    if (length > 4 && memcmp(word, "cuda", 4) == 0)
        return true;
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i]) == length && memcmp(keywords[i], word, length) == 0)
            return true;
    return false;
}

static uint32_t code_of_word(const char *word, size_t length)
{
    uint32_t hash = 2166136261u;        /* FNV-1a, public domain */
    if (!is_keyword(word, length))
        return OWN_NAME;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)word[i]) * 16777619u;
    return hash | WORD;
}

static bool name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Behind white space and comments. */
static const char *skip_nothing(const char *at, const char *end)
{
    while (at < end) {
        if (isspace((unsigned char)*at) || *at == '\\' || *at == '\0') {
            at++;
        } else if (end - at > 1 && at[0] == '/' && at[1] == '/') {
            at = memchr(at, '\n', (size_t)(end - at));
            at = at ? at : end;
        } else if (end - at > 1 && at[0] == '/' && at[1] == '*') {
            at = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
            at = at ? at + 2 : end;
        } else {
            break;
        }
    }
    return at;
}

static const char *quoted_end(const char *at, const char *end)
{
    char quote = *at++;
    while (at < end && *at != quote && *at != '\n')
        at += *at == '\\' && end - at > 1 ? 2 : 1;
    return at < end && *at == quote ? at + 1 : at;
}

static const char *number_end(const char *at, const char *end)
{
    while (at < end
           && (name_part(*at) || *at == '.'
               || (*at == '\'' && end - at > 1 && isalnum((unsigned char)at[1]))))
        at++;
    return at;
}

static const char *one(const char *at, const char *end, uint32_t *code)
{
    const char *from = at;
    if (isdigit((unsigned char)*at)
        || (*at == '.' && end - at > 1 && isdigit((unsigned char)at[1]))) {
        *code = NUMBER;
        return number_end(at, end);
    }
    if (name_part(*at)) {
        while (at < end && name_part(*at))
            at++;
        *code = code_of_word(from, (size_t)(at - from));
        return at;
    }
    if (*at == '"' || *at == '\'') {
        *code = STRING;
        return quoted_end(at, end);
    }
    *code = 16u + (unsigned char)*at;
    return at + 1;
}

void lexemes_read(struct lexemes *l, const char *text, size_t bytes)
{
    const char *end = text + bytes;
    *l = (struct lexemes){ .list = NULL };
    for (const char *at = skip_nothing(text, end); at < end && l->count < LEXEMES_MAX;
         at = skip_nothing(at, end)) {
        struct lexeme it = { .at = (uint32_t)(at - text) };
        at = one(at, end, &it.code);
        it.length = (uint32_t)(at - text) - it.at;
        MEMORY_GROW(l->list, l->count, l->capacity);
        l->list[l->count++] = it;
    }
}

void lexemes_fini(struct lexemes *l)
{
    memory_resize(l->list, 0);
    *l = (struct lexemes){ .list = NULL };
}
