/* SPDX-License-Identifier: MIT */
#include "simcc/option_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next word of a file of options, quotes and backslashes taken away; NULL: there is none. */
static char *next_word(char **rest)
{
    char *at = *rest;
    while (is_blank(*at))
        at++;
    if (*at == '\0')
        return NULL;
    char *word = strdup(at), *to = word, quote = '\0';
    for (; *at != '\0' && (quote || !is_blank(*at)); at++) {
        if (*at == quote)
            quote = '\0';
        else if (!quote && (*at == '"' || *at == '\''))
            quote = *at;
        else if (*at == '\\' && quote != '\'' && at[1] != '\0')
            *to++ = *++at;
        else
            *to++ = *at;
    }
    *to = '\0';
    *rest = at;
    return word;
}

enum { NESTED = 16 };

static void add_file(struct words *all, const char *path, unsigned depth);

/* A word, or the words of the file that it names: @file, -optf file. */
static void expand(struct words *all, const struct words *given, unsigned depth)
{
    for (size_t i = 0; i < given->count; i++) {
        const char *word = given->list[i];
        bool named = strcmp(word, "-optf") == 0 || strcmp(word, "--options-file") == 0;
        if (named && i + 1 < given->count)
            add_file(all, given->list[++i], depth);
        else if (word[0] == '@')
            add_file(all, word + 1, depth);
        else
            words_add(all, word);
    }
}

static void add_file(struct words *all, const char *path, unsigned depth)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;
    if (!in)
        trouble("%s: %s", path, strerror(errno));
    if (depth == NESTED)
        trouble("%s: files of options name each other", path);
    ssize_t length = getdelim(&text, &room, '\0', in);
    fclose(in);
    struct words own = { 0 };
    char *rest = length > 0 ? text : "";
    for (char *word; (word = next_word(&rest));)
        words_add(&own, word);
    expand(all, &own, depth + 1);
    free(own.list);
    free(text);
}

void option_files_expand(struct words *all, const struct words *given)
{
    expand(all, given, 0);
}
