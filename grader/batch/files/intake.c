/* SPDX-License-Identifier: MIT */
#include "grader/batch/files/intake.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "grader/batch/files/encoding.h"
#include "grader/batch/files/owner.h"
#include "grader/batch/files/rubric.h"
#include "grader/batch/files/sums.h"
#include "trace/record/memory.h"

/* A file that was met: its bytes, or why there are none. */
struct found {
    const char *outer, *inner;  /* owner.h */
    int64_t written;
    char *bytes;                /* taken over */
    size_t count;
    const char *refused;
};

static char *copy_of(const char *s)
{
    return text_harmless(s, strlen(s));
}

static bool ends_in(const char *name, const char *const endings[])
{
    size_t n = strlen(name);
    for (size_t i = 0; endings[i] != NULL; i++)
        if (n > strlen(endings[i]) && strcasecmp(name + n - strlen(endings[i]), endings[i]) == 0)
            return true;
    return false;
}

static bool is_source(const char *name)
{
    return ends_in(name, (const char *const[]){ ".cu", NULL });
}

static bool is_archive(const char *name)
{
    return ends_in(name, (const char *const[]){ ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip", NULL });
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static enum companion_kind companion_of(const char *name)
{
    static const char *const names[] = { SUMS_NAME, "submission", "timestamp.txt" };
    enum companion_kind kind = COMPANION_SUMS;
    while (kind < COMPANIONS && strcmp(last_name(name), names[kind]) != 0)
        kind++;
    return kind;
}

/* What macOS puts beside a file on disks that are not its own: "._03-events.cu". */
static bool is_macos_note(const char *path)
{
    return strncmp(last_name(path), "._", 2) == 0 || strncmp(path, "__MACOSX/", 9) == 0 || strstr(path, "/__MACOSX/") != NULL;
}

/* A name that leads out of where it was packed. */
static bool leads_out(const char *path)
{
    size_t n;
    for (const char *word = path; *word != '\0'; word += n + (word[n] != '\0')) {
        n = strcspn(word, "/\\");
        if (n == 2 && strncmp(word, "..", 2) == 0)
            return true;
    }
    return path[0] == '/' || path[0] == '\\';
}

const char *when_source(enum when_from from)
{
    static const char *const names[] = { "unknown", "the file's own time",
        "Canvas' mark in the name", "nbgrader's timestamp.txt", "Moodle's worksheet", "the file of times" };
    return names[from];
}

/* ---- the list ---- */

static struct stray *add_stray(struct intake *in, const char *path, const char *why)
{
    MEMORY_GROW(in->strays, in->stray_count, in->stray_capacity);
    struct stray *s = &in->strays[in->stray_count++];
    *s = (struct stray){ .path = copy_of(path), .why = copy_of(why) };
    return s;
}

/* A file came in, and is not graded. */
static struct stray *leave_out(struct intake *in, const char *path, const char *why)
{
    in->met++;
    return add_stray(in, path, why);
}

/* The name in UTF-8, the caller's; a guess is noted. */
static char *read_name(struct intake *in, const char *name)
{
    const char *guess;
    char *text = encoding_name(name, &guess);
    size_t i = 0;
    if (guess == NULL)
        return text;
    while (i < in->guess_count && strcmp(in->guesses[i].encoding, guess) != 0)
        i++;
    if (i == in->guess_count) {
        MEMORY_GROW(in->guesses, in->guess_count, in->guess_capacity);
        in->guesses[in->guess_count++] = (struct guess){ guess, 0, copy_of(text) };
    }
    in->guesses[i].count++;
    return text;
}

#define PATH_SHOWN 8300
static void show_path(char path[PATH_SHOWN], const struct found *f)
{
    snprintf(path, PATH_SHOWN, "%s%s%s", f->outer, f->inner != NULL ? ": " : "", f->inner != NULL ? f->inner : "");
}

static void take(struct intake *in, struct found *f)
{
    struct owner o;
    char path[PATH_SHOWN];
    owner_find(&o, f->outer, f->inner);
    show_path(path, f);
    if (o.lesson == NULL || o.student[0] == '\0') {
        struct stray *s = leave_out(in, path, o.lesson == NULL ? "no lesson's by its name" : "no student's by its name");
        s->student = o.student[0] != '\0' ? copy_of(o.student) : NULL;
        s->number = o.number[0] != '\0' ? copy_of(o.number) : NULL;
        s->lesson = o.lesson;
        f->bytes = memory_resize(f->bytes, 0);
        return;
    }
    bool of_platform = o.platform != PLATFORM_NONE;     /* whose zips have the time of the download */
    in->met++;
    MEMORY_GROW(in->files, in->count, in->capacity);
    in->files[in->count] = (struct handed_in){
        .student = copy_of(o.student), .number = o.number[0] != '\0' ? copy_of(o.number) : NULL, .lesson = o.lesson,
        .path = copy_of(path), .text = f->bytes, .bytes = f->count, .late = o.late,
        .when = of_platform ? 0 : f->written, .written = of_platform ? 0 : f->written,
        .when_from = o.platform == PLATFORM_CANVAS ? WHEN_CANVAS : of_platform || f->written == 0 ? WHEN_UNKNOWN : WHEN_FILE,
        .revision = o.revision, .upload = o.upload, .packed = f->inner != NULL, .order = in->count,
        .refused = f->refused != NULL ? copy_of(f->refused) : NULL,
    };
    in->count++;
}

static void take_companion(struct intake *in, struct found *f, enum companion_kind kind)
{
    static const char own[] = "streams-workbook ";
    char path[PATH_SHOWN];
    show_path(path, f);
    const char *why = f->refused != NULL ? f->refused : f->bytes == NULL || f->count > SUMS_MAX ? "it is too large"
        : kind == COMPANION_SUBMISSION && strncmp(f->bytes, own, strlen(own)) != 0 ? INTAKE_NO_PROGRAM : NULL;
    if (why != NULL) {
        f->bytes = memory_resize(f->bytes, 0);
        leave_out(in, path, why);
        return;
    }
    in->met++;
    path[last_name(path) - path] = '\0';
    MEMORY_GROW(in->companions, in->companion_count, in->companion_capacity);
    in->companions[in->companion_count++] = (struct companion){ kind, copy_of(path), f->bytes };
}

/* The file's name in the folder that this path begins; NULL: it is not in there. */
static const char *name_in(const char *folder, const char *path)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && strchr(path + n, '/') == NULL ? path + n : NULL;
}

static void list_missing(struct intake *in, const struct companion *sums)
{
    char sum[65], name[SUMS_NAME_MAX], path[PATH_SHOWN];
    for (const char *rest = sums->text; sums_next(&rest, sum, name);) {
        bool there = !is_source(name);
        for (size_t i = 0; i < in->count && !there; i++) {
            const char *its = name_in(sums->folder, in->files[i].path);
            there = its != NULL && strcmp(its, name) == 0;
        }
        snprintf(path, sizeof path, "%s%s", sums->folder, name);
        if (!there)
            add_stray(in, path, "its " SUMS_NAME " names it, and it is not there")->absent = true;
    }
}

static void compare_sums(struct intake *in, const struct companion *sums)
{
    for (size_t i = 0; i < in->count; i++) {
        struct handed_in *h = &in->files[i];
        const char *name = h->text != NULL ? name_in(sums->folder, h->path) : NULL;
        const char *why = name != NULL ? sums_trouble(sums->text, name, h->text, h->bytes) : NULL;
        if (why == NULL)
            continue;
        h->refused = copy_of(why);
        h->text = memory_resize(h->text, 0);
    }
    list_missing(in, sums);
}

/* "2026-11-23 11:46:00.123456 UTC", as nbgrader writes it (timestamp_format in nbgrader/apps/baseapp.py: %Z is UTC unless
 * the instructor says otherwise, and a zone of three letters is no time). */
static bool read_timestamp(const char *text, int64_t *when)
{
    char day[16], clock[16], zone[8] = "", date[48];
    if (sscanf(text, "%15[0-9-] %8[0-9:]%*1[.]%*[0-9] %7s", day, clock, zone) != 3
        && sscanf(text, "%15[0-9-] %8[0-9:] %7s", day, clock, zone) != 3)
        return false;
    snprintf(date, sizeof date, "%sT%s%s", day, clock, strcmp(zone, "UTC") == 0 ? "Z" : zone);
    return rubric_date(date, when);
}

static void apply_time(struct intake *in, const struct companion *c)
{
    int64_t when;
    if (!read_timestamp(c->text, &when))
        return;
    for (size_t i = 0; i < in->count; i++) {
        struct handed_in *h = &in->files[i];
        bool made_by_student = h->packed || h->when_from != WHEN_FILE;  /* an archive's, or a platform's folder */
        if (!made_by_student && strncmp(h->path, c->folder, strlen(c->folder)) == 0) {
            h->when = when;
            h->when_from = WHEN_NBGRADER;
        }
    }
}

static void heed_companions(struct intake *in)
{
    for (size_t k = 0; k < in->companion_count; k++)
        if (in->companions[k].kind == COMPANION_SUMS)
            compare_sums(in, &in->companions[k]);
        else if (in->companions[k].kind == COMPANION_TIMESTAMP && in->companions[k].folder[0] != '\0')   /* of no whole class */
            apply_time(in, &in->companions[k]);
}

/* What is no UTF-8 becomes it, and the encoding is said. What has zeros in it is no text, but in UTF-16. */
static void read_program(struct handed_in *h)
{
    size_t length;
    bool wide = h->bytes >= 2 && (memcmp(h->text, "\xff\xfe", 2) == 0 || memcmp(h->text, "\xfe\xff", 2) == 0);
    if (!wide && memchr(h->text, '\0', h->bytes) != NULL)
        return;
    char *text = encoding_read(h->text, h->bytes, &length, &h->encoding);
    if (text == NULL)
        return;
    memory_resize(h->text, 0);
    h->text = text;
    h->bytes = length;
}

static void free_file(struct handed_in *h)
{
    memory_resize(h->student, 0);
    memory_resize(h->number, 0);
    memory_resize(h->path, 0);
    memory_resize(h->text, 0);
    memory_resize(h->refused, 0);
}

/* ---- who counts ---- */

static bool is_same_person(const struct handed_in *a, const struct handed_in *b)
{
    return a->number == NULL || b->number == NULL || strcmp(a->number, b->number) == 0;
}

void intake_tell_apart(struct intake *in)
{
    bool *told = memory_resize(NULL, (in->count + 1) * sizeof *told);
    for (size_t i = 0; i < in->count; i++) {
        told[i] = false;
        for (size_t k = 0; k < in->count && !told[i] && !in->files[i].rostered && in->files[i].number != NULL; k++)
            told[i] = !in->files[k].rostered && strcmp(in->files[i].student, in->files[k].student) == 0
                && !is_same_person(&in->files[i], &in->files[k]);
    }
    for (size_t i = 0; i < in->count; i++) {
        struct handed_in *h = &in->files[i];
        char name[300];
        if (!told[i])
            continue;
        snprintf(name, sizeof name, "%s (%s)", h->student, h->number);
        memory_resize(h->student, 0);
        h->student = copy_of(name);
    }
    memory_resize(told, 0);
}

static void make_stray(struct intake *in, struct handed_in *h, const char *why)
{
    struct stray *s = add_stray(in, h->path, why);
    s->student = copy_of(h->student);
    s->number = h->number != NULL ? copy_of(h->number) : NULL;
    s->lesson = h->lesson;
    free_file(h);
}

void intake_leave_out(struct intake *in, size_t file, const char *why)
{
    make_stray(in, &in->files[file], why);
    memmove(&in->files[file], &in->files[file + 1], (--in->count - file) * sizeof *in->files);
}

/* By student and lesson; of those the one that counts comes last. */
static int by_student(const void *one, const void *two)
{
    const struct handed_in *a = one, *b = two;
    int order = strcmp(a->student, b->student);
    if (order == 0)
        order = a->lesson->number - b->lesson->number;
    if (order == 0)
        order = (b->refused != NULL) - (a->refused != NULL);
    if (order == 0 && a->revision != b->revision)
        order = a->revision < b->revision ? -1 : 1;
    if (order == 0 && a->upload != b->upload)
        order = a->upload < b->upload ? -1 : 1;
    if (order == 0 && a->written != b->written)
        order = a->written < b->written ? -1 : 1;
    if (order == 0)
        order = b->packed - a->packed;
    if (order == 0)
        order = strcmp(a->path, b->path);
    return order != 0 ? order : a->order < b->order ? -1 : a->order > b->order;
}

void intake_settle(struct intake *in)
{
    if (in->count > 0)
        qsort(in->files, in->count, sizeof *in->files, by_student);
    size_t kept = 0, first = 0;
    for (size_t i = 0; i < in->count; i++) {
        if (i + 1 < in->count && strcmp(in->files[i].student, in->files[i + 1].student) == 0
            && in->files[i].lesson == in->files[i + 1].lesson)
            continue;
        for (size_t k = first; k < i; k++) {
            char why[PATH_SHOWN + 300];
            snprintf(why, sizeof why, "%s%sof this student's files for the lesson another counts: %s",
                     in->files[k].refused != NULL ? in->files[k].refused : "", in->files[k].refused != NULL ? "; " : "", in->files[i].path);
            make_stray(in, &in->files[k], why);
        }
        in->files[i].others = (unsigned)(i - first);
        in->files[kept++] = in->files[i];
        first = i + 1;
    }
    in->count = kept;
}

bool intake_adds_up(const struct intake *in)
{
    size_t left_out = 0;
    for (size_t i = 0; i < in->stray_count; i++)
        left_out += !in->strays[i].absent;
    return in->met == in->count + left_out + in->companion_count;
}

/* ---- archives ---- */

/* At most `most` bytes; *count is most + 1 where there are more. NULL: it cannot be read. */
static char *read_member(struct archive *a, size_t most, size_t *count)
{
    size_t capacity = 1 << 16;
    char *bytes = memory_resize(NULL, capacity + 1);
    *count = 0;
    for (;;) {
        if (*count == capacity)
            bytes = memory_resize(bytes, (capacity *= 2) + 1);
        la_ssize_t n = archive_read_data(a, bytes + *count, capacity - *count);
        if (n < 0)
            return memory_resize(bytes, 0);
        if (n == 0)
            break;
        *count += (size_t)n;
        if (*count > most) {
            *count = most + 1;
            break;
        }
    }
    bytes[*count] = '\0';
    return bytes;
}

/* Tar and zip, and how they are packed: no more of the library than that. */
static struct archive *new_reader(void)
{
    struct archive *a = archive_read_new();
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_bzip2(a);
    archive_read_support_filter_xz(a);
    return a;
}

static const char *no_regular_file(struct archive_entry *e)
{
    if (archive_entry_hardlink(e) != NULL)
        return "it is a hard link: hand in the file itself";
    switch (archive_entry_filetype(e)) {
    case AE_IFREG: return NULL;
    case AE_IFLNK: return "it is a symbolic link: hand in the file itself";
    case AE_IFIFO: return "it is a pipe: hand in a file";
    default: return "it is a device: hand in a file";
    }
}

static void open_packed(struct intake *in, const char *outer, int64_t written, const char *bytes, size_t count);

/* Its name as libarchive read it; in a tar's and a zip's tables it may be in any encoding. NULL: it has none. */
static char *member_name(struct intake *in, struct archive_entry *e)
{
    const char *name = archive_entry_pathname(e);
    if (name == NULL)
        name = archive_entry_pathname_utf8(e);
    return name != NULL ? read_name(in, name) : NULL;
}

/* A member that may be a program, an archive or a companion. Returns the bytes that it takes. */
static size_t read_wanted(struct intake *in, struct archive *a, struct archive_entry *e, struct found *f, bool packed)
{
    const char *name = f->inner != NULL ? f->inner : f->outer;
    bool source = is_source(name);
    enum companion_kind companion = companion_of(name);
    size_t most = source ? INTAKE_FILE_MAX : packed ? INTAKE_ARCHIVE_MAX : SUMS_MAX;
    f->refused = no_regular_file(e);
    if (f->refused == NULL && (f->bytes = read_member(a, most, &f->count)) == NULL)
        f->refused = "the archive is damaged there";
    else if (f->count > most)
        f->refused = "it is too large";
    if (f->refused != NULL)
        f->bytes = memory_resize(f->bytes, 0);
    if (source) {
        take(in, f);
    } else if (packed && f->bytes != NULL) {
        open_packed(in, name, f->written, f->bytes, f->count);
        memory_resize(f->bytes, 0);
    } else if (packed) {
        leave_out(in, name, f->refused);
    } else {
        take_companion(in, f, companion);
    }
    return f->count;
}

static const char *unwanted(const char *name, bool inner)
{
    return is_macos_note(name) ? "macOS' own note on a file" : leads_out(name) ? "its path leads out of the archive"
        : is_source(name) || companion_of(name) != COMPANIONS ? NULL
        : is_archive(name) ? inner ? "an archive in an archive in an archive" : NULL : INTAKE_NO_PROGRAM;
}

/* The members of an archive; `inner_of`: the path of the archive itself where it is a learner's, else NULL. */
static const char *read_members(struct intake *in, struct archive *a, const char *inner_of, int64_t written)
{
    struct archive_entry *e;
    size_t entries = 0, unpacked = 0, before = in->met;
    int status;
    while ((status = archive_read_next_header(a, &e)) == ARCHIVE_OK || status == ARCHIVE_WARN) {
        if (inner_of != NULL && ++entries > INTAKE_ENTRIES_MAX)
            return "the archive has too many files in it";
        if (archive_entry_filetype(e) == AE_IFDIR)
            continue;
        char *name = member_name(in, e);
        const char *why = name == NULL ? "its name cannot be read" : unwanted(name, inner_of != NULL);
        struct found f = { .outer = inner_of != NULL ? inner_of : name, .inner = inner_of != NULL ? name : NULL,
                           .written = inner_of != NULL ? written : archive_entry_mtime(e) };
        if (why == NULL) {
            unpacked += read_wanted(in, a, e, &f, inner_of == NULL && is_archive(name));
        } else {
            char path[PATH_SHOWN];
            struct found shown = { .outer = f.outer != NULL ? f.outer : "?", .inner = inner_of != NULL && name == NULL ? "?" : f.inner };
            show_path(path, &shown);
            struct stray *s = leave_out(in, path, why);
            struct owner o;
            owner_find(&o, shown.outer, shown.inner);
            if (!leads_out(shown.outer) && o.student[0] != '\0')
                s->student = copy_of(o.student), s->number = o.number[0] != '\0' ? copy_of(o.number) : NULL, s->lesson = o.lesson;
        }
        if (why != NULL && inner_of != NULL) {
            /* What nobody wants is unpacked all the same in a tar: not for ever. */
            size_t n;
            memory_resize(read_member(a, INTAKE_ARCHIVE_MAX - unpacked, &n), 0);
            unpacked += n;
        }
        memory_resize(name, 0);
        if (inner_of != NULL && unpacked > INTAKE_ARCHIVE_MAX)
            return "the archive unpacks to more than 64 MiB";
    }
    return status != ARCHIVE_EOF ? "the archive is damaged, or no archive" : in->met == before ? "the archive is empty" : NULL;
}

static void open_packed(struct intake *in, const char *outer, int64_t written, const char *bytes, size_t count)
{
    struct archive *a = new_reader();
    const char *trouble = "the archive is damaged, or no archive";
    if (archive_read_open_memory(a, bytes, count) == ARCHIVE_OK)
        trouble = read_members(in, a, outer, written);
    if (trouble != NULL) {
        struct stray *s = leave_out(in, outer, trouble);
        struct owner o;
        owner_find(&o, outer, "?");
        s->student = o.student[0] != '\0' ? copy_of(o.student) : NULL;
        s->number = o.number[0] != '\0' ? copy_of(o.number) : NULL;
        s->lesson = o.lesson;
    }
    archive_read_free(a);
}

/* ---- folders ---- */

static const char *read_regular(const char *path, size_t most, char **bytes, size_t *count, int64_t *written)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == ELOOP ? "it is a symbolic link: hand in the file itself" : strerror(errno);
    const char *why = NULL;
    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode))
        why = "it is no regular file";
    else if (s.st_size > (off_t)most)
        why = "it is too large";
    if (why == NULL) {
        *written = s.st_mtime;
        *bytes = memory_resize(NULL, (size_t)s.st_size + 1);
        *count = 0;
        ssize_t n;
        while (*count < (size_t)s.st_size && (n = read(fd, *bytes + *count, (size_t)s.st_size - *count)) > 0)
            *count += (size_t)n;
        (*bytes)[*count] = '\0';
    }
    close(fd);
    return why;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void read_from_folder(struct intake *in, const char *path, const char *name)
{
    struct found f = { .outer = name };
    enum companion_kind companion = companion_of(name);
    const char *why = is_macos_note(name) ? "macOS' own note on a file" : NULL;
    if (why != NULL) {
        leave_out(in, name, why);
    } else if (is_source(name)) {
        f.refused = read_regular(path, INTAKE_FILE_MAX, &f.bytes, &f.count, &f.written);
        take(in, &f);
    } else if (companion != COMPANIONS) {
        f.refused = read_regular(path, SUMS_MAX, &f.bytes, &f.count, &f.written);
        take_companion(in, &f, companion);
    } else if (is_archive(name)) {
        f.refused = read_regular(path, INTAKE_ARCHIVE_MAX, &f.bytes, &f.count, &f.written);
        if (f.refused != NULL)
            leave_out(in, name, f.refused);
        else
            open_packed(in, name, f.written, f.bytes, f.count);
        memory_resize(f.bytes, 0);
    } else {
        leave_out(in, name, INTAKE_NO_PROGRAM);
    }
}

static void read_folder(struct intake *in, const char *folder)
{
    FTS *walk = fts_open((char *const[]){ (char *)folder, NULL }, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, by_name);
    if (walk == NULL)
        die("cannot read %s: %s", folder, strerror(errno));
    size_t skip = strlen(folder);
    for (FTSENT *e; (e = fts_read(walk)) != NULL;) {
        const char *place = e->fts_path + skip + strspn(e->fts_path + skip, "/");
        bool hidden = e->fts_info == FTS_D && e->fts_level > 0 && e->fts_name[0] == '.';
        if ((e->fts_info == FTS_D && !hidden) || e->fts_info == FTS_DP || e->fts_info == FTS_DC || *place == '\0')
            continue;
        char *name = read_name(in, place);
        if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
            leave_out(in, name, strerror(e->fts_errno));
        else if (hidden)
            leave_out(in, name, "a hidden folder");
        else
            read_from_folder(in, e->fts_path, name);
        if (hidden)
            fts_set(walk, e, FTS_SKIP);
        memory_resize(name, 0);
    }
    fts_close(walk);
}

static bool read_class_archive(struct intake *in, const char *path, char *trouble, size_t trouble_size)
{
    struct archive *a = new_reader();
    const char *why = NULL;
    if (archive_read_open_filename(a, path, 1 << 16) != ARCHIVE_OK || (why = read_members(in, a, NULL, 0)) != NULL) {
        snprintf(trouble, trouble_size, "%s: %s", path, archive_error_string(a) != NULL ? archive_error_string(a) : why);
        archive_read_free(a);
        return false;
    }
    archive_read_free(a);
    return true;
}

bool intake_read(struct intake *in, const char *path, char *trouble, size_t trouble_size)
{
    struct stat s;
    *in = (struct intake){ .files = NULL };
    encoding_begin();
    if (stat(path, &s) != 0) {
        snprintf(trouble, trouble_size, "%s: %s", path, strerror(errno));
        return false;
    }
    if (S_ISDIR(s.st_mode))
        read_folder(in, path);
    else if (!read_class_archive(in, path, trouble, trouble_size))
        return false;
    heed_companions(in);
    for (size_t i = 0; i < in->count; i++)
        if (in->files[i].text != NULL)
            read_program(&in->files[i]);
    return true;
}

void intake_fini(struct intake *in)
{
    for (size_t i = 0; i < in->count; i++)
        free_file(&in->files[i]);
    for (size_t i = 0; i < in->stray_count; i++) {
        memory_resize(in->strays[i].path, 0);
        memory_resize(in->strays[i].why, 0);
        memory_resize(in->strays[i].student, 0);
        memory_resize(in->strays[i].number, 0);
    }
    for (size_t i = 0; i < in->companion_count; i++) {
        memory_resize(in->companions[i].folder, 0);
        memory_resize(in->companions[i].text, 0);
    }
    for (size_t i = 0; i < in->guess_count; i++)
        memory_resize(in->guesses[i].example, 0);
    memory_resize(in->files, 0);
    memory_resize(in->strays, 0);
    memory_resize(in->companions, 0);
    memory_resize(in->guesses, 0);
}
