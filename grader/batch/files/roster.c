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

enum meaning { NOTHING, ID, LOGIN, NAME, EMAIL, SECTION, SUBMITTED, GRADED, MAXIMUM };

static const struct { const char *title; enum meaning meaning; } titles[] = {
    { "id", ID }, { "student id", ID }, { "sis user id", ID }, { "identifier", ID },
    { "username", LOGIN }, { "login", LOGIN },
    { "sis login id", LOGIN }, { "login id", LOGIN }, { "matriculation", ID }, { "name", NAME },
    { "full name", NAME },
    { "student", NAME }, { "email", EMAIL }, { "email address", EMAIL }, { "section", SECTION },
    { "group", SECTION },
    { "last modified (submission)", SUBMITTED }, { "last modified (grade)", GRADED },
    { "maximum grade", MAXIMUM },
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
    size_t digits = open ? strspn(open + 1, "0123456789") : 0;
    return digits > 0 && open > title && strcmp(open + 1 + digits, ")") == 0;
}

/* ---- names, folded ---- */

static size_t put_character(char *to, uint32_t c)
{
    size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
    to[0] = (char)(lead[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* Small, and without what differs by the width of letters or by a country's own i. */
static uint32_t fold(uint32_t c)
{
    if (c >= 0xff01 && c <= 0xff5e)
        c -= 0xfee0;            /* as wide as an ideograph */
    return c == 0x130 || c == 0x131 ? 'i' : (uint32_t)towlower((wint_t)c);
}

/* Letters and digits of s[0..n), folded, appended to what is there; a sharp s is two of them.
 * Canvas leaves all else out of a file's name. */
static void squeeze(char *to, size_t size, const char *s, size_t n)
{
    size_t used = strlen(to);
    for (size_t i = 0, length; i < n && used + 4 < size; i += length) {
        uint32_t c = 0;
        if ((length = utf8_at(s + i, n - i, &c)) == 0) {
            length = 1;
            continue;
        }
        c = fold(c);
        if (c == 0xdf || c == 0x1e9e)
            used += put_character(to + used, c = 's');
        if (iswalnum((wint_t)c))
            used += put_character(to + used, c);
    }
    to[used] = '\0';
}

#define FOLDED_NAME_MOST 400

/* As it stands, and with the last name last. */
static void fold_name(struct person *p)
{
    char straight[FOLDED_NAME_MOST] = "", turned[FOLDED_NAME_MOST] = "";
    const char *name = p->name, *comma = strchr(name, ','), *space = strrchr(name, ' '),
               *cut = comma ? comma : space;
    squeeze(straight, sizeof straight, name, strlen(name));
    if (cut) {
        squeeze(turned, sizeof turned, cut + 1, strlen(cut + 1));
        squeeze(turned, sizeof turned, name, (size_t)(cut - name));
    }
    p->straight = text_harmless(straight, strlen(straight));
    p->turned = text_harmless(turned, strlen(turned));
}

/* ---- people ---- */

static void set(char **to, const char *value)
{
    if (!*to && value[0] != '\0')
        *to = text_harmless(value, strlen(value));
}

static void free_person(struct person *p)
{
    memory_resize(p->name, 0);
    memory_resize(p->email, 0);
    memory_resize(p->section, 0);
    memory_resize(p->submitted, 0);
    memory_resize(p->graded, 0);
    memory_resize(p->straight, 0);
    memory_resize(p->turned, 0);
    for (size_t k = 0; k < ROSTER_IDS; k++)
        memory_resize(p->ids[k], 0);
}

/* Lines that Canvas puts between people. */
static bool is_nobody(const struct person *p)
{
    return !p->id || (!p->ids[0] && p->name && strcmp(p->name, "Points Possible") == 0)
           || (p->name && strcmp(p->name, "Student, Test") == 0);
}

static bool same_text(const char *a, const char *b)
{
    return !a || !b ? a == b : strcmp(a, b) == 0;
}

/* A line that says of a person what another has said, but for the section, is that person again. */
static bool is_again(const struct roster *r, const struct person *p)
{
    for (size_t i = 0; i < r->count && p->ids[0]; i++) {
        const struct person *q = &r->people[i];
        bool same = same_text(p->name, q->name) && same_text(p->email, q->email);
        for (size_t k = 0; k < ROSTER_IDS && same; k++)
            same = same_text(p->ids[k], q->ids[k]);
        if (same)
            return true;
    }
    return false;
}

static void add_person(struct roster *r, char *const field[], size_t count,
                       const struct column *column)
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
        case GRADED: set(&p.graded, value); break;
        case MAXIMUM: r->sheet_max = strtod(value, NULL); break;
        default: break;
        }
    }
    p.id = p.ids[0] ? p.ids[0] : p.name ? p.name : p.email;
    if (is_nobody(&p) || is_again(r, &p)) {
        free_person(&p);
        return;
    }
    if (p.name)
        fold_name(&p);
    MEMORY_GROW(r->people, r->count, r->capacity);
    r->people[r->count++] = p;
}

/* Two that would be called the same: the same person twice, as in two sections, or a trap. */
static bool is_told_apart(const struct roster *r, size_t i, const char *path, char *trouble,
                          size_t trouble_size)
{
    const struct person *p = &r->people[i];
    for (size_t k = 0; k < i; k++) {
        const struct person *q = &r->people[k];
        if (strcmp(p->id, q->id) == 0) {
            snprintf(trouble, trouble_size,
                     "%s: two people are called '%s'%s%s%s%s: give each an id", path, p->id,
                     q->name ? ", " : "", q->name ? q->name : "", p->name ? " and " : "",
                     p->name ? p->name : "");
            return false;
        }
    }
    return true;
}

bool roster_parse(struct roster *r, char *text, const char *path, char *trouble,
                  size_t trouble_size)
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
        snprintf(trouble, trouble_size,
                 "%s: its first line has no title that names people (id, name, email)", path);
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

/* Moodle's "Participant 123" */
static bool is_participant(const char *id, const char *number)
{
    const char *tail = id + strlen(id) - strspn(id + strcspn(id, "0123456789"), "0123456789");
    return strncasecmp(id, "participant ", 12) == 0 && strcmp(tail, number) == 0;
}

/* What a person may be met by, the surest first. A platform's number is that platform's own id
 * before it is any other. */
enum by { BY_PLATFORM, BY_NUMBER, BY_ID, BY_LOGIN, BY_NAME, BY_NOTHING };

static bool is_met(const struct person *p, const char *student, const char *folded,
                   const char *number, enum by by)
{
    if (by == BY_NAME)
        return folded[0] != '\0' && p->straight
               && (strcmp(folded, p->straight) == 0 || strcmp(folded, p->turned) == 0);
    if (by <= BY_NUMBER && !number)
        return false;
    for (size_t i = 0; i < ROSTER_IDS && p->ids[i]; i++) {
        const char *id = p->ids[i];
        bool own = strcmp(p->titles[i], "id") == 0;
        if ((by == BY_PLATFORM && (is_participant(id, number) || (own && strcmp(id, number) == 0)))
            || (by == BY_NUMBER && !p->is_login[i] && strcmp(id, number) == 0)
            || (by == BY_ID && !p->is_login[i] && strcmp(id, student) == 0)
            || (by == BY_LOGIN && p->is_login[i] && strcasecmp(id, student) == 0))
            return true;
    }
    size_t local = p->email && by == BY_LOGIN ? strcspn(p->email, "@") : 0;
    return local > 0
           && (strcasecmp(p->email, student) == 0
               || (strlen(student) == local && strncasecmp(p->email, student, local) == 0));
}

const struct person *roster_find(const struct roster *r, const char *student, const char *number,
                                 const struct person *both[2])
{
    char folded[FOLDED_NAME_MOST] = "";
    both[0] = both[1] = NULL;
    squeeze(folded, sizeof folded, student, strlen(student));
    for (enum by by = BY_PLATFORM; by != BY_NOTHING; by++) {
        const struct person *found = NULL;
        for (size_t i = 0; i < r->count; i++) {
            if (!is_met(&r->people[i], student, folded, number, by))
                continue;
            if (found) {
                both[0] = found, both[1] = &r->people[i];
                return NULL;
            }
            found = &r->people[i];
        }
        if (found)
            return found;
    }
    return NULL;
}
