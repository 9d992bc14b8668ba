/* SPDX-License-Identifier: MIT */
#include "grader/batch/intake.h"

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

#include "grader/batch/owner.h"
#include "grader/batch/sums.h"
#include "grader/environment.h"
#include "grader/text.h"
#include "trace/memory.h"

/* A file that was met: its bytes, or why there are none. */
struct found {
    const char *outer, *inner;  /* owner.h */
    int64_t when;
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

static bool is_sums(const char *name)
{
    return strcmp(last_name(name), SUMS_NAME) == 0;
}

/* ---- the list ---- */

static void add_stray(struct intake *in, const char *path, const char *why)
{
    MEMORY_GROW(in->strays, in->stray_count, in->stray_capacity);
    in->strays[in->stray_count++] = (struct stray){ copy_of(path), copy_of(why) };
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
        add_stray(in, path, o.lesson == NULL ? "no lesson's by its name" : "nobody's by its name");
        f->bytes = memory_resize(f->bytes, 0);
        return;
    }
    MEMORY_GROW(in->files, in->count, in->capacity);
    in->files[in->count++] = (struct handed_in){
        .student = copy_of(o.student), .number = o.number[0] != '\0' ? copy_of(o.number) : NULL, .lesson = o.lesson,
        .path = copy_of(path), .text = f->bytes, .bytes = f->count, .when = f->when, .late = o.late,
        .revision = o.revision, .refused = f->refused != NULL ? copy_of(f->refused) : NULL,
    };
}

static void take_sums(struct intake *in, struct found *f)
{
    char path[PATH_SHOWN];
    if (f->bytes == NULL || f->count > SUMS_MAX) {
        f->bytes = memory_resize(f->bytes, 0);
        return;
    }
    show_path(path, f);
    path[strlen(path) - strlen(SUMS_NAME)] = '\0';
    MEMORY_GROW(in->sums, in->sums_count, in->sums_capacity);
    in->sums[in->sums_count++] = (struct sums){ copy_of(path), f->bytes };
}

/* The file's name in the folder that this path begins; NULL: it is not in there. */
static const char *name_in(const char *folder, const char *path)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && strchr(path + n, '/') == NULL ? path + n : NULL;
}

static void list_missing(struct intake *in, const struct sums *sums)
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
            add_stray(in, path, "its " SUMS_NAME " names it, and it is not there");
    }
}

static void compare_sums(struct intake *in)
{
    for (size_t k = 0; k < in->sums_count; k++) {
        for (size_t i = 0; i < in->count; i++) {
            struct handed_in *h = &in->files[i];
            const char *name = h->text != NULL ? name_in(in->sums[k].folder, h->path) : NULL;
            const char *why = name != NULL ? sums_trouble(in->sums[k].text, name, h->text, h->bytes) : NULL;
            if (why == NULL)
                continue;
            h->refused = copy_of(why);
            h->text = memory_resize(h->text, 0);
        }
        list_missing(in, &in->sums[k]);
    }
}

static void free_file(struct handed_in *h)
{
    memory_resize(h->student, 0);
    memory_resize(h->number, 0);
    memory_resize(h->path, 0);
    memory_resize(h->text, 0);
    memory_resize(h->refused, 0);
}

/* By student and lesson; of those the one that counts comes last. */
static int by_student(const void *one, const void *two)
{
    const struct handed_in *a = one, *b = two;
    int order = strcmp(a->student, b->student);
    if (order == 0)
        order = a->lesson->number - b->lesson->number;
    if (order == 0 && a->revision != b->revision)
        order = a->revision < b->revision ? -1 : 1;
    if (order == 0 && a->when != b->when)
        order = a->when < b->when ? -1 : 1;
    return order != 0 ? order : strcmp(a->path, b->path);
}

void intake_settle(struct intake *in)
{
    if (in->count > 0)
        qsort(in->files, in->count, sizeof *in->files, by_student);
    size_t kept = 0;
    for (size_t i = 0; i < in->count; i++) {
        bool last = i + 1 == in->count || strcmp(in->files[i].student, in->files[i + 1].student) != 0
            || in->files[i].lesson != in->files[i + 1].lesson;
        if (last) {
            in->files[kept++] = in->files[i];
        } else {
            in->files[i + 1].others = in->files[i].others + 1;
            free_file(&in->files[i]);
        }
    }
    in->count = kept;
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

static void open_packed(struct intake *in, const char *outer, int64_t when, const char *bytes, size_t count);

/* The members of an archive; `inner_of`: the path of the archive itself where it is a learner's, else NULL. */
static const char *read_members(struct intake *in, struct archive *a, const char *inner_of, int64_t when)
{
    struct archive_entry *e;
    size_t entries = 0, unpacked = 0;
    int status;
    while ((status = archive_read_next_header(a, &e)) == ARCHIVE_OK || status == ARCHIVE_WARN) {
        const char *name = archive_entry_pathname(e);
        if (inner_of != NULL && ++entries > INTAKE_ENTRIES_MAX)
            return "the archive has too many files in it";
        if (name == NULL || archive_entry_filetype(e) == AE_IFDIR)
            continue;
        struct found f = { .outer = inner_of != NULL ? inner_of : name, .inner = inner_of != NULL ? name : NULL,
                           .when = inner_of != NULL ? when : archive_entry_mtime(e) };
        bool source = is_source(name), packed = inner_of == NULL && is_archive(name), sums = is_sums(name);
        if (source)
            f.refused = no_regular_file(e);
        if (source || ((packed || sums) && no_regular_file(e) == NULL)) {
            size_t most = source ? INTAKE_FILE_MAX : sums ? SUMS_MAX : INTAKE_ARCHIVE_MAX;
            char path[4096];    /* reading the member takes the name away */
            snprintf(path, sizeof path, "%s", name);
            *(inner_of != NULL ? &f.inner : &f.outer) = path;
            if (f.refused == NULL && (f.bytes = read_member(a, most, &f.count)) == NULL)
                f.refused = "the archive is damaged there";
            else if (f.count > most)
                f.refused = "it is too large";
            if (f.refused != NULL)
                f.bytes = memory_resize(f.bytes, 0);
            if (packed && f.bytes != NULL) {
                open_packed(in, path, f.when, f.bytes, f.count);
                memory_resize(f.bytes, 0);
            } else if (packed) {
                add_stray(in, path, f.refused);
            } else if (sums) {
                take_sums(in, &f);
            } else {
                take(in, &f);
            }
        } else if (inner_of != NULL) {
            /* What nobody wants is unpacked all the same in a tar: not for ever. */
            size_t n;
            char *bytes = read_member(a, INTAKE_ARCHIVE_MAX - unpacked, &n);
            memory_resize(bytes, 0);
            f.count = n;
        }
        unpacked += f.count;
        if (inner_of != NULL && unpacked > INTAKE_ARCHIVE_MAX)
            return "the archive unpacks to more than 64 MiB";
    }
    return status == ARCHIVE_EOF ? NULL : "the archive is damaged, or no archive";
}

static void open_packed(struct intake *in, const char *outer, int64_t when, const char *bytes, size_t count)
{
    struct archive *a = new_reader();
    const char *trouble = "the archive is damaged, or no archive";
    if (archive_read_open_memory(a, bytes, count) == ARCHIVE_OK)
        trouble = read_members(in, a, outer, when);
    if (trouble != NULL)
        add_stray(in, outer, trouble);
    archive_read_free(a);
}

/* ---- folders ---- */

static const char *read_regular(const char *path, size_t most, char **bytes, size_t *count, int64_t *when)
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
        *when = s.st_mtime;
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

static void read_folder(struct intake *in, const char *folder)
{
    FTS *walk = fts_open((char *const[]){ (char *)folder, NULL }, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, by_name);
    if (walk == NULL)
        environment("cannot read %s: %s", folder, strerror(errno));
    size_t skip = strlen(folder);
    for (FTSENT *e; (e = fts_read(walk)) != NULL;) {
        const char *name = e->fts_path + skip + strspn(e->fts_path + skip, "/");
        if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR) {
            add_stray(in, name, strerror(e->fts_errno));
            continue;
        }
        if (e->fts_info == FTS_D && e->fts_level > 0 && e->fts_name[0] == '.')
            fts_set(walk, e, FTS_SKIP);
        if (e->fts_info == FTS_D || e->fts_info == FTS_DP || e->fts_info == FTS_DC || *name == '\0')
            continue;
        struct found f = { .outer = name };
        if (is_source(name)) {
            f.refused = read_regular(e->fts_path, INTAKE_FILE_MAX, &f.bytes, &f.count, &f.when);
            take(in, &f);
        } else if (is_sums(name)) {
            read_regular(e->fts_path, SUMS_MAX, &f.bytes, &f.count, &f.when);
            take_sums(in, &f);
        } else if (is_archive(name)) {
            f.refused = read_regular(e->fts_path, INTAKE_ARCHIVE_MAX, &f.bytes, &f.count, &f.when);
            if (f.refused != NULL)
                add_stray(in, name, f.refused);
            else
                open_packed(in, name, f.when, f.bytes, f.count);
            memory_resize(f.bytes, 0);
        }
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
    if (stat(path, &s) != 0) {
        snprintf(trouble, trouble_size, "%s: %s", path, strerror(errno));
        return false;
    }
    if (S_ISDIR(s.st_mode))
        read_folder(in, path);
    else if (!read_class_archive(in, path, trouble, trouble_size))
        return false;
    compare_sums(in);
    return true;
}

void intake_fini(struct intake *in)
{
    for (size_t i = 0; i < in->count; i++)
        free_file(&in->files[i]);
    for (size_t i = 0; i < in->stray_count; i++) {
        memory_resize(in->strays[i].path, 0);
        memory_resize(in->strays[i].why, 0);
    }
    for (size_t i = 0; i < in->sums_count; i++) {
        memory_resize(in->sums[i].folder, 0);
        memory_resize(in->sums[i].text, 0);
    }
    memory_resize(in->files, 0);
    memory_resize(in->strays, 0);
    memory_resize(in->sums, 0);
}
