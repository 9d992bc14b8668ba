/* SPDX-License-Identifier: MIT */
#include "grader/batch/files/roster.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wctype.h>

#include "grader/base/text.h"
#include "grader/batch/files/csv.h"
#include "trace/record/memory.h"

enum meaning { NOTHING, ID, LOGIN, NAME, EMAIL, SECTION, SUBMITTED };

static const struct { const char *title; enum meaning meaning; } titles[] = {
    { "id", ID }, { "student id", ID }, { "sis user id", ID }, { "identifier", ID }, { "username", LOGIN }, { "login", LOGIN },
    { "sis login id", LOGIN }, { "login id", LOGIN }, { "matriculation", ID }, { "name", NAME }, { "full name", NAME },
    { "student", NAME }, { "email", EMAIL }, { "email address", EMAIL }, { "section", SECTION }, { "group", SECTION },
    { "last modified (submission)", SUBMITTED },
};

struct column { enum meaning meaning; const char *title; };

static struct column column_of(const char *title)
{
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strcasecmp(titles[i].title, title) == 0)
            return (struct column){ titles[i].meaning, titles[i].title };
    return (struct column){ NOTHING, NULL };
}

static bool is_of_people(enum meaning m)
{
    return m == ID || m == LOGIN || m == NAME || m == EMAIL;
}

bool roster_names_people(const char *title)
{
    return is_of_people(column_of(title).meaning);
}

/* "Events (4711)" */
static bool is_assignment(const char *title)
{
    const char *open = strrchr(title, '(');
    size_t digits = open != NULL ? strspn(open + 1, "0123456789") : 0;
    return digits > 0 && open > title && strcmp(open + 1 + digits, ")") == 0;
}

/* ---- people ---- */

static void set(char **to, const char *value)
{
    if (*to == NULL && value[0] != '\0')
        *to = text_harmless(value, strlen(value));
}

static void free_person(struct person *p)
{
    memory_resize(p->name, 0);
    memory_resize(p->email, 0);
    memory_resize(p->section, 0);
    memory_resize(p->submitted, 0);
    for (size_t k = 0; k < ROSTER_IDS; k++)
        memory_resize(p->ids[k], 0);
}

/* Lines that Canvas puts between people. */
static bool is_nobody(const struct person *p)
{
    return p->id == NULL || (p->ids[0] == NULL && p->name != NULL && strcmp(p->name, "Points Possible") == 0)
        || (p->name != NULL && strcmp(p->name, "Student, Test") == 0);
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* A line that says of a person what another has said, but for the section, is that person again. */
static bool is_again(const struct roster *r, const struct person *p)
{
    for (size_t i = 0; i < r->count && p->ids[0] != NULL; i++) {
        const struct person *q = &r->people[i];
        bool same = same_text(p->name, q->name) && same_text(p->email, q->email);
        for (size_t k = 0; k < ROSTER_IDS && same; k++)
            same = same_text(p->ids[k], q->ids[k]);
        if (same)
            return true;
    }
    return false;
}

static void add_person(struct roster *r, char *const field[], size_t count, const struct column *column)
{
    struct person p = { .id = NULL };
    size_t ids = 0;
    for (size_t i = 0; i < count; i++) {
        const char *value = csv_trimmed(field[i]);
        switch (column[i].meaning) {
        case ID:
        case LOGIN:
            if (ids < ROSTER_IDS && value[0] != '\0') {
                p.titles[ids] = column[i].title;
                p.is_login[ids] = column[i].meaning == LOGIN;
                set(&p.ids[ids++], value);
            }
            break;
        case NAME: set(&p.name, value); break;
        case EMAIL: set(&p.email, value); break;
        case SECTION: set(&p.section, value); break;
        case SUBMITTED: set(&p.submitted, value); break;
        default: break;
        }
    }
    p.id = p.ids[0] != NULL ? p.ids[0] : p.name != NULL ? p.name : p.email;
    if (is_nobody(&p) || is_again(r, &p)) {
        free_person(&p);
        return;
    }
    MEMORY_GROW(r->people, r->count, r->capacity);
    r->people[r->count++] = p;
}

/* Two that would be called the same: the same person twice, as in two sections, or a trap. */
static bool is_told_apart(const struct roster *r, size_t i, const char *path, char *trouble, size_t trouble_size)
{
    const struct person *p = &r->people[i];
    for (size_t k = 0; k < i; k++) {
        const struct person *q = &r->people[k];
        if (strcmp(p->id, q->id) == 0) {
            snprintf(trouble, trouble_size, "%s: two people are called '%s'%s%s%s%s: give each an id", path, p->id,
                     q->name != NULL ? ", " : "", q->name != NULL ? q->name : "", p->name != NULL ? " and " : "",
                     p->name != NULL ? p->name : "");
            return false;
        }
    }
    return true;
}

bool roster_parse(struct roster *r, char *text, const char *path, char *trouble, size_t trouble_size)
{
    char *at = text, *field[CSV_COLUMNS];
    struct column column[CSV_COLUMNS] = { { NOTHING, NULL } };
    *r = (struct roster){ .people = NULL };
    if (strncmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    char separator = csv_separator(at);
    size_t columns = csv_record(&at, separator, field);
    bool known = false;
    for (size_t i = 0; i < columns; i++) {
        const char *title = csv_trimmed(field[i]);
        column[i] = column_of(title);
        known |= is_of_people(column[i].meaning);
        if (column[i].meaning == NOTHING && is_assignment(title)) {
            MEMORY_GROW(r->columns, r->column_count, r->column_capacity);
            r->columns[r->column_count++] = text_harmless(title, strlen(title));
        }
    }
    while (known && *at != '\0') {
        size_t count = csv_record(&at, separator, field);
        add_person(r, field, count < columns ? count : columns, column);
    }
    if (!known)
        snprintf(trouble, trouble_size, "%s: its first line has no title that names people (id, name, email)", path);
    for (size_t i = 0; i < r->count && known; i++)
        known = is_told_apart(r, i, path, trouble, trouble_size);
    return known;
}

void roster_fini(struct roster *r)
{
    for (size_t i = 0; i < r->count; i++)
        free_person(&r->people[i]);
    for (size_t i = 0; i < r->column_count; i++)
        memory_resize(r->columns[i], 0);
    memory_resize(r->people, 0);
    memory_resize(r->columns, 0);
}

/* ---- who is who ---- */

static size_t put_character(char *to, uint32_t c)
{
    size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
    to[0] = (char)(lead[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* Letters and digits of s[0..n), small, appended to what is there. Canvas leaves all else out of a file's name. */
static void squeeze(char *to, size_t size, const char *s, size_t n)
{
    size_t used = strlen(to);
    for (size_t i = 0, length; i < n && used + 4 < size; i += length) {
        uint32_t c = 0;
        if ((length = utf8_at(s + i, n - i, &c)) == 0) {
            length = 1;
            continue;
        }
        if (!iswalnum((wint_t)c))
            continue;
        c = (uint32_t)towlower((wint_t)c);
        used += put_character(to + used, c);
    }
    to[used] = '\0';
}

static bool same_name(const char *name, const char *student)
{
    char given[400] = "", straight[400] = "", turned[400] = "";
    const char *comma = strchr(name, ','), *space = strrchr(name, ' ');
    squeeze(given, sizeof given, student, strlen(student));
    squeeze(straight, sizeof straight, name, strlen(name));
    const char *cut = comma != NULL ? comma : space;
    if (cut != NULL) {
        squeeze(turned, sizeof turned, cut + 1, strlen(cut + 1));
        squeeze(turned, sizeof turned, name, (size_t)(cut - name));
    }
    return given[0] != '\0' && (strcmp(given, straight) == 0 || strcmp(given, turned) == 0);
}

/* Moodle's "Participant 123" */
static bool is_participant(const char *id, const char *number)
{
    const char *tail = id + strlen(id) - strspn(id + strcspn(id, "0123456789"), "0123456789");
    return strncasecmp(id, "participant ", 12) == 0 && strcmp(tail, number) == 0;
}

/* What a person may be met by, the surest first. A platform's number is that platform's own id before it is any other. */
enum by { BY_PLATFORM, BY_NUMBER, BY_ID, BY_LOGIN, BY_NAME, BY_NOTHING };

static bool is_met(const struct person *p, const char *student, const char *number, enum by by)
{
    if (by == BY_NAME)
        return p->name != NULL && same_name(p->name, student);
    if (by <= BY_NUMBER && number == NULL)
        return false;
    for (size_t i = 0; i < ROSTER_IDS && p->ids[i] != NULL; i++) {
        const char *id = p->ids[i];
        bool own = strcmp(p->titles[i], "id") == 0;
        if ((by == BY_PLATFORM && (is_participant(id, number) || (own && strcmp(id, number) == 0)))
            || (by == BY_NUMBER && !p->is_login[i] && strcmp(id, number) == 0)
            || (by == BY_ID && !p->is_login[i] && strcmp(id, student) == 0)
            || (by == BY_LOGIN && p->is_login[i] && strcasecmp(id, student) == 0))
            return true;
    }
    size_t local = p->email != NULL && by == BY_LOGIN ? strcspn(p->email, "@") : 0;
    return local > 0 && (strcasecmp(p->email, student) == 0 || (strlen(student) == local && strncasecmp(p->email, student, local) == 0));
}

const struct person *roster_find(const struct roster *r, const char *student, const char *number, const struct person *both[2])
{
    both[0] = both[1] = NULL;
    for (enum by by = BY_PLATFORM; by != BY_NOTHING; by++) {
        const struct person *found = NULL;
        for (size_t i = 0; i < r->count; i++) {
            if (!is_met(&r->people[i], student, number, by))
                continue;
            if (found != NULL) {
                both[0] = found, both[1] = &r->people[i];
                return NULL;
            }
            found = &r->people[i];
        }
        if (found != NULL)
            return found;
    }
    return NULL;
}
