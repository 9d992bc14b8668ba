/* SPDX-License-Identifier: MIT */
#include "grader/run/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"

static const char *const pragmas[] = { "pop_macro", "system_header" };

/* A pragma that gives a macro an earlier meaning back, or one that has the file pass for a header
 * of the system's. */
static bool is_pragma(const struct lexer *p)
{
    for (size_t i = 0; i < sizeof pragmas / sizeof *pragmas; i++)
        if (strcmp(p->word, pragmas[i]) == 0
            || (strcmp(p->word, "_Pragma") == 0
                && memmem(p->at, (size_t)(p->end - p->at), pragmas[i], strlen(pragmas[i]))))
            return true;
    return false;
}

/* The next name that #define or #undef is for, p->word; or such a pragma's; or the number of a line
 * that says by # and a number that it stands elsewhere. False: no more. */
static bool next_defined(struct lexer *p)
{
    enum { BEGINS, PERCENT, HASH, NAME, REST } at = BEGINS;     /* in a line */
    while (lexer_next(p)) {
        const char *word = p->word;
        if (is_pragma(p) || (at == HASH && isdigit((unsigned char)*word)))
            return true;
        if (*word == '\n')
            at = BEGINS;
        else if (*word == ' ')
            continue;
        else if (at == NAME)
            return true;
        else if (at == BEGINS && *word == '%')
            at = PERCENT;               /* %: is # */
        else if ((at == BEGINS && *word == '#') || (at == PERCENT && *word == ':'))
            at = HASH;
        else
            at = at == HASH && (strcmp(word, "define") == 0 || strcmp(word, "undef") == 0) ? NAME
                                                                                           : REST;
    }
    return false;
}

/* Is the word in the text as a call or a macro: name(…, or #define name? */
static bool is_contracts(const char *text, const char *word, size_t length)
{
    struct lexer p;
    lexer_init(&p, text, strlen(text));
    while (next_defined(&p))
        if (strcmp(p.word, word) == 0)
            return true;
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if ((at == text || !lexer_in_word(at[-1])) && at[length] == '(')
            return true;
    return false;
}

static bool is_of_language(const char *word)
{
    static const char *const words[] = {
        "if", "else", "for", "while", "do", "switch", "case", "return", "break", "continue", "goto",
        "static", "const", "volatile",
        "int", "unsigned", "long", "float", "double", "char", "void", "sizeof", "struct", "inline",
        "extern", "auto", "bool",
        "pop_macro", "system_header", "_Pragma",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return isdigit((unsigned char)*word) || strncmp(word, "cuda", 4) == 0
           || strncmp(word, "__", 2) == 0 || strncmp(word, "sim_", 4) == 0;
}

bool words_redefined(const char *text, size_t bytes, const char *const *contracts,
                     struct lexer *found)
{
    lexer_init(found, text, bytes);
    while (next_defined(found)) {
        if (is_of_language(found->word))
            return true;
        for (size_t i = 0; contracts[i]; i++)
            if (is_contracts(contracts[i], found->word, strlen(found->word)))
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
    if (!in || getdelim(&text, &size, '\0', in) < 0) {
        free(text);
        text = NULL;
    }
    if (in)
        fclose(in);
    return text;
}

/* The first of the sequences of three characters that stood for others before C++17, as the options
 * ask for; NULL: none. */
static const char *trigraph(const struct submission *s)
{
    bool old = false;
    for (size_t i = 0; i < s->option_count; i++)
        old |= strcmp(s->option[i], "-std=c++11") == 0 || strcmp(s->option[i], "-std=c++14") == 0;
    const char *hash = old ? strstr(s->text, "?" "?=") : NULL;
    const char *backslash = old ? strstr(s->text, "?" "?/") : NULL;
    return hash ? hash : backslash;
}

bool words_of_lesson_redefined(const struct submission *s, const struct lesson *lesson,
                               char *problem, size_t size)
{
    struct lexer found;
    char *paths[] = { project_path("lessons/%s/lesson.h", lesson->folder),
                      project_path("common/streams.h") };
    char *texts[3] = { NULL };
    size_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        texts[count] = read_contract(paths[i]);
        count += texts[count] != NULL;
        free(paths[i]);
    }
    bool wrong = words_redefined(s->text, s->bytes, (const char *const *)texts, &found);
    if (wrong)
        snprintf(
            problem, size,
            "%s:%u: error: %s is a name of the lesson, of CUDA or of the language: choose a name of your own\n",
            s->path, found.line, found.word);
    else if (trigraph(s))
        snprintf(
            problem, size,
            "%s: error: %.3s is a trigraph, another character in C++14 and before: write it as two strings, or take -std=c++17\n",
            s->path, trigraph(s));
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    return wrong || trigraph(s);
}
