/* SPDX-License-Identifier: MIT */
#include "grader/batch/roster.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grader/text.h"
#include "trace/memory.h"

#define COLUMNS 1000             /* Canvas has one for each assignment */
#define SIZE_MAX_ROSTER (16u << 20)

enum meaning { NOTHING, ID, NAME, EMAIL, SECTION };

static const struct { const char *title; enum meaning meaning; } titles[] = {
    { "id", ID }, { "student id", ID }, { "sis user id", ID }, { "identifier", ID }, { "username", ID }, { "login", ID },
    { "sis login id", ID }, { "login id", ID }, { "matriculation", ID }, { "name", NAME }, { "full name", NAME },
    { "student", NAME }, { "email", EMAIL }, { "email address", EMAIL }, { "section", SECTION }, { "group", SECTION },
};

struct column { enum meaning meaning; const char *title; };

static struct column column_of(const char *title)
{
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strcasecmp(titles[i].title, title) == 0)
            return (struct column){ titles[i].meaning, titles[i].title };
    return (struct column){ NOTHING, NULL };
}

/* "Events (4711)" */
static bool is_assignment(const char *title)
{
    const char *open = strrchr(title, '(');
    size_t digits = open != NULL ? strspn(open + 1, "0123456789") : 0;
    return digits > 0 && open > title && strcmp(open + 1 + digits, ")") == 0;
}

/* ---- comma-separated values, RFC 4180, with any of , ; and tab between ---- */

/* One record into fields; returns how many. The text is taken apart in place. */
static size_t read_record(char **at, char separator, char *field[COLUMNS])
{
    size_t count = 0;
    char *from = *at;
    while (count < COLUMNS) {
        char *to = from;
        field[count++] = to;
        bool quoted = *from == '"';
        if (quoted)
            from++;
        while (*from != '\0' && (quoted || (*from != separator && *from != '\n' && *from != '\r'))) {
            if (quoted && *from == '"') {
                if (from[1] != '"') {
                    quoted = false;
                    from++;
                    continue;
                }
                from++;
            }
            *to++ = *from++;
        }
        char end = *from;
        from += end != '\0';
        *to = '\0';
        if (end == separator)
            continue;
        if (end == '\r' && *from == '\n')
            from++;
        break;
    }
    *at = from;
    return count;
}

static char separator_of(const char *text)
{
    char best = ',';
    size_t most = 0;
    for (const char *c = ",;\t"; *c != '\0'; c++) {
        size_t n = 0;
        for (const char *s = text; *s != '\0' && *s != '\n'; s++)
            n += *s == *c;
        if (n > most) {
            most = n;
            best = *c;
        }
    }
    return best;
}

static char *trimmed(char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    size_t n = strlen(s);
    while (n > 0 && isspace((unsigned char)s[n - 1]))
        s[--n] = '\0';
    return s;
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
    for (size_t k = 0; k < ROSTER_IDS; k++)
        memory_resize(p->ids[k], 0);
}

/* Lines that Canvas puts between people. */
static bool is_nobody(const struct person *p)
{
    return p->id == NULL || (p->ids[0] == NULL && p->name != NULL && strcmp(p->name, "Points Possible") == 0)
        || (p->name != NULL && strcmp(p->name, "Student, Test") == 0);
}

static void add_person(struct roster *r, char *const field[], size_t count, const struct column *column)
{
    struct person p = { .id = NULL };
    size_t ids = 0;
    for (size_t i = 0; i < count; i++) {
        const char *value = trimmed(field[i]);
        switch (column[i].meaning) {
        case ID:
            if (ids < ROSTER_IDS && value[0] != '\0') {
                p.titles[ids] = column[i].title;
                set(&p.ids[ids++], value);
            }
            break;
        case NAME: set(&p.name, value); break;
        case EMAIL: set(&p.email, value); break;
        case SECTION: set(&p.section, value); break;
        default: break;
        }
    }
    p.id = p.ids[0] != NULL ? p.ids[0] : p.name != NULL ? p.name : p.email;
    if (is_nobody(&p)) {
        free_person(&p);
        return;
    }
    MEMORY_GROW(r->people, r->count, r->capacity);
    r->people[r->count++] = p;
}

static char *read_file(const char *path)
{
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return NULL;
    char *text = memory_resize(NULL, SIZE_MAX_ROSTER + 1);
    size_t n = fread(text, 1, SIZE_MAX_ROSTER, in);
    text[n] = '\0';
    fclose(in);
    return memory_resize(text, n + 1);
}

bool roster_read(struct roster *r, const char *path, char *trouble, size_t trouble_size)
{
    *r = (struct roster){ .people = NULL };
    if (path == NULL)
        return true;
    char *text = read_file(path), *at = text, *field[COLUMNS];
    struct column column[COLUMNS] = { { NOTHING, NULL } };
    if (text == NULL) {
        snprintf(trouble, trouble_size, "%s: %s", path, strerror(errno));
        return false;
    }
    if (strncmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    char separator = separator_of(at);
    size_t columns = read_record(&at, separator, field);
    bool known = false;
    for (size_t i = 0; i < columns; i++) {
        const char *title = trimmed(field[i]);
        column[i] = column_of(title);
        known |= column[i].meaning == ID || column[i].meaning == NAME || column[i].meaning == EMAIL;
        if (column[i].meaning == NOTHING && is_assignment(title)) {
            MEMORY_GROW(r->columns, r->column_count, r->column_capacity);
            r->columns[r->column_count++] = text_harmless(title, strlen(title));
        }
    }
    while (known && *at != '\0') {
        size_t count = read_record(&at, separator, field);
        add_person(r, field, count < columns ? count : columns, column);
    }
    if (!known)
        snprintf(trouble, trouble_size, "%s: its first line has no title that names people (id, name, email)", path);
    memory_resize(text, 0);
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

/* Letters and digits of s[0..n), small, appended to what is there. */
static void squeeze(char *to, size_t size, const char *s, size_t n)
{
    size_t used = strlen(to);
    for (size_t i = 0; i < n && used + 1 < size; i++)
        if (isalnum((unsigned char)s[i]) || (unsigned char)s[i] >= 0x80)
            to[used++] = (char)tolower((unsigned char)s[i]);
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

static bool is_person(const struct person *p, const char *student, const char *number)
{
    for (size_t i = 0; i < ROSTER_IDS && p->ids[i] != NULL; i++) {
        size_t n = strlen(p->ids[i]), digits = strspn(p->ids[i] + strcspn(p->ids[i], "0123456789"), "0123456789");
        /* Moodle's "Participant 123" */
        const char *tail = p->ids[i] + n - digits;
        if (strcmp(p->ids[i], student) == 0 || (number != NULL && (strcmp(p->ids[i], number) == 0
            || (strncasecmp(p->ids[i], "participant ", 12) == 0 && strcmp(tail, number) == 0))))
            return true;
    }
    size_t local = p->email != NULL ? strcspn(p->email, "@") : 0;
    return (local > 0 && (strcmp(p->email, student) == 0 || (strlen(student) == local && strncasecmp(p->email, student, local) == 0)))
        || (p->name != NULL && same_name(p->name, student));
}

const struct person *roster_find(const struct roster *r, const char *student, const char *number)
{
    const struct person *found = NULL;
    for (size_t i = 0; i < r->count; i++)
        if (is_person(&r->people[i], student, number)) {
            if (found != NULL)
                return NULL;
            found = &r->people[i];
        }
    return found;
}
