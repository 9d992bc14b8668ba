/* SPDX-License-Identifier: MIT */
/* text_file.h - a file of text as a whole: read, compared, written. What goes wrong otherwise ends
 * the program (die). */
#ifndef GRADER_LEARNER_TEXT_FILE_H
#define GRADER_LEARNER_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes;
    size_t count;
};     /* the bytes: owner's, a zero after them; NULL: none */

/* False: the file does not exist, and the text is empty. */
bool text_read(const char *path, struct text *t);
/* As text_read, of a file that has to exist. */
void text_need(const char *path, struct text *t);
void text_fini(struct text *t);

bool text_same(const struct text *a, const struct text *b);

/* False: there is such a file already, and it stays as it is. */
bool text_write_new(const char *path, const struct text *t);
/* Over what is there, whole or not at all. */
void text_write(const char *path, const struct text *t);

#endif
