/* SPDX-License-Identifier: MIT */
/*
 * text.h - strangers' bytes made harmless, UTF-8, lines.
 *
 * What a program printed, what a file calls itself, what a compiler quotes:
 * none of it reaches a terminal or a file of ours but through text_harmless.
 */
#ifndef GRADER_BASE_TEXT_H
#define GRADER_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length in bytes of the UTF-8 sequence at `s` (of `n` bytes), 0 if it is none: no overlong forms,
 * no surrogates. *code (may be NULL) gets the character. */
size_t utf8_at(const char *s, size_t n, uint32_t *code);

/* A copy, the caller's, that is valid UTF-8 and moves no cursor: tabs and newlines
 * stay, carriage returns before a newline go; other control characters, bytes
 * that are no UTF-8 and characters that turn text around become \x1B. */
char *text_harmless(const char *bytes, size_t n);
/* The same into `to`, which may be `bytes`: cut where it does not fit. */
void text_harmless_to(char *to, size_t size, const char *bytes, size_t n);

/* What ends the sentence: a full stop, or nothing where it has an end. */
const char *text_stop(const char *sentence);

/* A part as it is told: of "again c", in which a driver calls part c's functions once more,
 * "c, called with other inputs"; of "later c", "c, called once more"; others as they are. */
const char *part_words(char *text, size_t size, const char *part);

/* Columns of a string: its characters. */
size_t text_columns(const char *s);

/* Takes the next line off [*rest, end): its start, *length without the newline; NULL at the end. */
const char *text_next_line(const char **rest, const char *end, size_t *length);

/* Is the line a region's mark: `//> name` ('>') or `//< name` ('<'); `#> name` in Python? *name
 * lies in the line. */
bool text_mark(const char *line, size_t length, char direction, const char **name,
               size_t *name_length);

/* A copy (malloc) of a paragraph of Markdown as a terminal shows it: no stars, no backticks, links
 * by their words, no marks for notes. */
char *text_of_markdown(const char *markdown, size_t n);

/* Line `number` (from 1) of a text: NULL if there is none. */
const char *text_line(const char *text, size_t n, size_t number, size_t *length);

#endif
