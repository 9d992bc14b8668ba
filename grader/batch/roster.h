/* SPDX-License-Identifier: MIT */
/*
 * roster.h - who is in the class: a CSV file with a line of titles.
 *
 * Titles that mean something, in any case and order: id ("id", "student id", "sis user id", "identifier",
 * "username", "login", "sis login id", "student" where nothing else names people), name ("name", "full name",
 * "student"), email, section. A person is met by number, id, login, the part of the address before the @, or name,
 * first or last name first. Canvas' lines of points possible and its test student are nobody.
 */
#ifndef GRADER_BATCH_ROSTER_H
#define GRADER_BATCH_ROSTER_H

#include <stdbool.h>
#include <stddef.h>

#define ROSTER_IDS 6

struct person {                 /* NULL: not said */
    char *id;                   /* the first of ids, or the name */
    char *name, *email, *section, *ids[ROSTER_IDS];
    const char *titles[ROSTER_IDS];     /* of ids: small letters, as in the list above */
};

struct roster {
    struct person *people;
    size_t count, capacity;
    char **columns;             /* titles like "Events (4711)": assignments that Canvas has */
    size_t column_count, column_capacity;
};

/* path NULL: an empty one. False: `trouble` says what is wrong with the file. */
bool roster_read(struct roster *r, const char *path, char *trouble, size_t trouble_size);
void roster_fini(struct roster *r);
/* NULL: nobody, or more than one. `number` may be NULL. */
const struct person *roster_find(const struct roster *r, const char *student, const char *number);

#endif
