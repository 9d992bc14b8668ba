/* SPDX-License-Identifier: MIT */
/*
 * roster.h - who is in the class: a CSV file with a line of titles.
 *
 * Titles that mean something, in any case and order: ids ("id", "student id", "sis user id",
 * "identifier", "matriculation"), logins ("username", "login", "login id", "sis login id"), name
 * ("name", "full name", "student"), email, section, and Moodle's "last modified (submission)",
 * "(grade)" and "maximum grade". Canvas' lines of points possible and its test student are nobody.
 * A line that repeats a person, in another section for example, is left out; two people of whom
 * nothing tells one from the other are an error.
 *
 * A file's student is met by the platform's number, then an id, then a login (the part of the
 * address before the @ is one), then the name, first or last name first. The first of these that
 * fits anybody decides. Where it fits two people, the file is nobody's.
 */
#ifndef GRADER_BATCH_FILES_ROSTER_H
#define GRADER_BATCH_FILES_ROSTER_H

#include <stdbool.h>
#include <stddef.h>

#define ROSTER_IDS 6

struct person {                 /* NULL: not said */
    char *id;                   /* the first of ids, or the name */
    char *name, *email, *section, *ids[ROSTER_IDS];
    char *submitted, *graded;   /* when, as Moodle writes it */
    char *straight, *turned; /* the name in small letters and digits alone, as it is and with the
                                last name last */
    bool is_login[ROSTER_IDS];
    const char *titles[ROSTER_IDS];     /* of ids: small letters, as in the list above */
};

struct roster {
    struct person *people;
    size_t count, capacity;
    char **columns;             /* titles like "Events (4711)": assignments that Canvas has */
    size_t column_count, column_capacity;
    double sheet_max;           /* of the assignment, in Moodle's worksheet; 0: not said */
};

/* path NULL: an empty one. False: `trouble` says what is wrong with the file. *guess: encoding.h.
 */
bool roster_read(struct roster *r, const char *path, const char **guess, char *trouble,
                 size_t trouble_size);
/* The same of a text, which is taken apart; `path` is for people. */
bool roster_parse(struct roster *r, char *text, const char *path, char *trouble,
                  size_t trouble_size);
/* Is it one of the titles that name people? */
bool roster_names_people(const char *title);
void roster_fini(struct roster *r);
/* NULL: nobody, or more than one: then two of them are in `both`. `number` may be NULL. */
const struct person *roster_find(const struct roster *r, const char *student, const char *number,
                                 const struct person *both[2]);

#endif
