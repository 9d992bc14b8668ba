/* SPDX-License-Identifier: MIT */
#include "grader/run/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* The name that #define or #undef in this line is for; its length in *length, 0 for none. */
static const char *defined_in(const char *line, size_t line_length, size_t *length)
{
    const char *end = line + line_length, *at = skip_blanks(line, end);
    *length = 0;
    if (at < end && *at == '#')
        at++;
    else if (end - at > 1 && at[0] == '%' && at[1] == ':')      /* the same, spelled otherwise */
        at += 2;
    else
        return NULL;
    at = skip_blanks(at, end);
    size_t word = (size_t)(end - at) > 6 && memcmp(at, "define", 6) == 0 ? 6 : (size_t)(end - at) > 5 && memcmp(at, "undef", 5) == 0 ? 5 : 0;
    if (word == 0)
        return NULL;
    at = skip_blanks(at + word, end);
    while (at + *length < end && in_word(at[*length]))
        ++*length;
    return at;
}

/* Is the word in the text as a call or a macro: name(…, or #define name? */
static bool is_contracts(const char *text, const char *word, size_t length)
{
    size_t line_length;
    for (const char *rest = text, *end = text + strlen(text), *line; (line = text_next_line(&rest, end, &line_length)) != NULL;) {
        size_t name_length;
        const char *name = defined_in(line, line_length, &name_length);
        if (name_length == length && memcmp(name, word, length) == 0)
            return true;
    }
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += length)
        if ((at == text || !in_word(at[-1])) && at[length] == '(')
            return true;
    return false;
}

static bool is_of_language(const char *word)
{
    static const char *const words[] = {
        "if", "else", "for", "while", "do", "switch", "case", "return", "break", "continue", "goto", "static", "const", "volatile",
        "int", "unsigned", "long", "float", "double", "char", "void", "sizeof", "struct", "inline", "extern", "auto", "bool",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return strncmp(word, "cuda", 4) == 0 || strncmp(word, "__", 2) == 0 || strncmp(word, "sim_", 4) == 0;
}

bool words_redefined(const char *text, size_t bytes, const char *const *contracts, unsigned *line, char *word, size_t size)
{
    size_t line_length, length;
    *line = 0;
    for (const char *rest = text, *at; (at = text_next_line(&rest, text + bytes, &line_length)) != NULL;) {
        const char *name = defined_in(at, line_length, &length);
        ++*line;
        if (length == 0 || length >= size)
            continue;
        memcpy(word, name, length);
        word[length] = '\0';
        bool found = is_of_language(word);
        for (size_t i = 0; !found && contracts[i] != NULL; i++)
            found = is_contracts(contracts[i], word, length);
        if (found)
            return true;
    }
    return false;
}

/* All of a file, the caller's; NULL: it cannot be read. */
static char *read_contract(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *in = fopen(path, "re");
    if (in == NULL || getdelim(&text, &size, '\0', in) < 0) {
        free(text);
        text = NULL;
    }
    if (in != NULL)
        fclose(in);
    return text;
}

bool words_of_lesson_redefined(const struct submission *s, const struct lesson *lesson, char *problem, size_t size)
{
    unsigned line = 0;
    char word[64], *paths[] = { project_path("lessons/%s/lesson.h", lesson->folder), project_path("common/streams.h") };
    char *texts[3] = { NULL };
    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        texts[count] = read_contract(paths[i]);
        count += texts[count] != NULL;
        free(paths[i]);
    }
    bool found = words_redefined(s->text, s->bytes, (const char *const *)texts, &line, word, sizeof word);
    if (found)
        snprintf(problem, size, "%s:%u: error: %s is a word of the lesson's, of CUDA's or of the language's, and keeps its meaning: "
                 "take a name of your own\n", s->path, line, word);
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    return found;
}
