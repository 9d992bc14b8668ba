/* SPDX-License-Identifier: MIT */
#include "grader/batch/intake/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/batch/files/encoding.h"
#include "grader/batch/intake/sums.h"
#include "trace/record/memory.h"

#define PUT_ASIDE "put aside by `make reset` or `make merge`"
#define GRADESCOPE_MAX (16u << 20)      /* it has the results of all submissions */

static bool ends_in(const char *name, const char *const extensions[])
{
    size_t n = strlen(name);
    for (size_t i = 0; extensions[i]; i++)
        if (n > strlen(extensions[i])
            && strcasecmp(name + n - strlen(extensions[i]), extensions[i]) == 0)
            return true;
    return false;
}

static bool is_source(const char *name)
{
    return ends_in(name, (const char *const[]){ ".cu", NULL });
}

static bool is_archive(const char *name)
{
    return ends_in(name, (const char *const[]){ ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz",
                                                ".zip", NULL });
}

/* work/kept/06-overlap.cu: what `make reset` and `make merge` put aside. */
static bool is_put_aside(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash - path >= 4 && strncmp(slash - 4, "kept", 4) == 0
           && (slash - path == 4 || slash[-5] == '/');
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static enum companion_kind companion_of(const char *name)
{
    static const char *const names[] = { SUMS_NAME, "submission", "timestamp.txt",
                                         "submission_metadata.yml" };
    enum companion_kind kind = COMPANION_SUMS;
    while (kind < COMPANIONS && strcmp(last_name(name), names[kind]) != 0)
        kind++;
    return kind;
}

/* How many bytes of it are read. */
static size_t most_of(enum companion_kind kind)
{
    return kind == COMPANION_GRADESCOPE ? GRADESCOPE_MAX : SUMS_MAX;
}

/* What macOS puts beside a file on disks that are not its own: "._03-events.cu". */
static bool is_macos_note(const char *path)
{
    return strncmp(last_name(path), "._", 2) == 0 || strncmp(path, "__MACOSX/", 9) == 0
           || strstr(path, "/__MACOSX/");
}

/* A name that leads out of where it was packed: up, from the top, or from the top of a disk of
 * Windows. */
static bool leads_out(const char *path)
{
    size_t n;
    if (isalpha((unsigned char)path[0]) && path[1] == ':')
        return true;
    for (const char *word = path; *word != '\0'; word += n + (word[n] != '\0')) {
        n = strcspn(word, "/\\");
        if (n == 2 && strncmp(word, "..", 2) == 0)
            return true;
    }
    return path[0] == '/' || path[0] == '\\';
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
    if (archive_entry_hardlink(e))
        return "it is a hard link: hand in the file itself";
    switch (archive_entry_filetype(e)) {
    case AE_IFREG: return NULL;
    case AE_IFLNK: return "it is a symbolic link: hand in the file itself";
    case AE_IFIFO: return "it is a pipe: hand in a file";
    default: return "it is a device: hand in a file";
    }
}

static void open_packed(struct intake *in, const char *outer, int64_t mtime, const char *bytes,
                        size_t count);

/* Its name as libarchive read it; in a tar's and a zip's tables it may be in any encoding. NULL: it
 * has none. */
static char *member_name(struct intake *in, struct archive_entry *e)
{
    const char *name = archive_entry_pathname(e);
    if (!name)
        name = archive_entry_pathname_utf8(e);
    return name ? intake_name(in, name) : NULL;
}

/* A member that may be a program, an archive or a companion. Returns the bytes that it takes. */
static size_t read_wanted(struct intake *in, struct archive *a, struct archive_entry *e,
                          struct found *f, bool packed)
{
    const char *name = f->inner ? f->inner : f->outer;
    bool source = is_source(name);
    enum companion_kind companion = companion_of(name);
    size_t most = source ? INTAKE_FILE_MAX : packed ? INTAKE_ARCHIVE_MAX : most_of(companion);
    f->refused = no_regular_file(e);
    if (!f->refused && !(f->bytes = read_member(a, most, &f->count)))
        f->refused = "the archive is damaged there";
    else if (f->count > most)
        f->refused = "it is too large";
    if (f->refused)
        f->bytes = memory_resize(f->bytes, 0);
    if (source) {
        intake_take(in, f);
    } else if (packed && f->bytes) {
        open_packed(in, name, f->mtime, f->bytes, f->count);
        memory_resize(f->bytes, 0);
    } else if (packed) {
        intake_skip(in, name, NULL, f->refused)->archive = true;
    } else {
        intake_companion(in, f, companion);
    }
    return f->count;
}

/* Why it is not looked at; NULL: it is. */
static const char *unwanted(const char *name, bool inner)
{
    return is_macos_note(name)  ? "macOS' own note on a file"
           : leads_out(name)    ? "its path leads out of the archive"
           : is_put_aside(name) ? PUT_ASIDE
           : is_source(name) || companion_of(name) != COMPANIONS ? NULL
           : is_archive(name) ? inner ? "an archive in an archive in an archive" : NULL
                              : INTAKE_NO_PROGRAM;
}

/* The members of an archive; `inner_of`: the path of the archive itself where it is a learner's,
 * else NULL. */
static const char *read_members(struct intake *in, struct archive *a, const char *inner_of,
                                int64_t mtime)
{
    struct archive_entry *e;
    size_t entries = 0, unpacked = 0, before = in->met;
    int status;
    while ((status = archive_read_next_header(a, &e)) == ARCHIVE_OK || status == ARCHIVE_WARN) {
        if (inner_of && ++entries > INTAKE_ENTRIES_MAX)
            return "the archive has too many files in it";
        if (archive_entry_filetype(e) == AE_IFDIR)
            continue;
        char *name = member_name(in, e);
        const char *why = !name ? "its name cannot be read" : unwanted(name, inner_of != NULL);
        struct found f = { .outer = inner_of ? inner_of : name, .inner = inner_of ? name : NULL,
                           .mtime = inner_of ? mtime : archive_entry_mtime(e) };
        if (!why) {
            unpacked += read_wanted(in, a, e, &f, !inner_of && is_archive(name));
        } else {
            const char *outer = f.outer ? f.outer : "?";
            struct stray *s = intake_skip(in, outer, inner_of && !name ? "?" : f.inner, why);
            s->nobodys = leads_out(outer);
        }
        if (why && inner_of) {
            /* In a tar unwanted entries are decompressed, too: their size is limited. */
            size_t n;
            memory_resize(read_member(a, INTAKE_ARCHIVE_MAX - unpacked, &n), 0);
            unpacked += n;
        }
        memory_resize(name, 0);
        if (inner_of && unpacked > INTAKE_ARCHIVE_MAX)
            return "the archive unpacks to more than 64 MiB";
    }
    return status != ARCHIVE_EOF ? "the archive is damaged, or no archive"
           : in->met == before   ? "the archive is empty"
                                 : NULL;
}

static void open_packed(struct intake *in, const char *outer, int64_t mtime, const char *bytes,
                        size_t count)
{
    struct archive *a = new_reader();
    const char *trouble = "the archive is damaged, or no archive";
    if (archive_read_open_memory(a, bytes, count) == ARCHIVE_OK)
        trouble = read_members(in, a, outer, mtime);
    if (trouble)
        intake_skip(in, outer, NULL, trouble)->archive = true;
    archive_read_free(a);
}

/* ---- folders ---- */

static const char *read_regular(const char *path, size_t most, char **bytes, size_t *count,
                                int64_t *mtime)
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
    if (!why) {
        *mtime = s.st_mtime;
        *bytes = memory_resize(NULL, (size_t)s.st_size + 1);
        *count = 0;
        ssize_t n;
        while (*count < (size_t)s.st_size
               && (n = read(fd, *bytes + *count, (size_t)s.st_size - *count)) > 0)
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
    const char *why = is_macos_note(name)  ? "macOS' own note on a file"
                      : is_put_aside(name) ? PUT_ASIDE
                                           : NULL;
    if (why) {
        intake_skip(in, name, NULL, why);
    } else if (is_source(name)) {
        f.refused = read_regular(path, INTAKE_FILE_MAX, &f.bytes, &f.count, &f.mtime);
        intake_take(in, &f);
    } else if (companion != COMPANIONS) {
        f.refused = read_regular(path, most_of(companion), &f.bytes, &f.count, &f.mtime);
        intake_companion(in, &f, companion);
    } else if (is_archive(name)) {
        f.refused = read_regular(path, INTAKE_ARCHIVE_MAX, &f.bytes, &f.count, &f.mtime);
        if (f.refused)
            intake_skip(in, name, NULL, f.refused)->archive = true;
        else
            open_packed(in, name, f.mtime, f.bytes, f.count);
        memory_resize(f.bytes, 0);
    } else {
        intake_skip(in, name, NULL, INTAKE_NO_PROGRAM);
    }
}

static void read_folder(struct intake *in, const char *folder)
{
    FTS *walk = fts_open((char *const[]){ (char *)folder, NULL },
                         FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, by_name);
    if (!walk)
        die("cannot read %s: %s", folder, strerror(errno));
    size_t skip = strlen(folder);
    for (FTSENT *e; (e = fts_read(walk));) {
        const char *relative = e->fts_path + skip + strspn(e->fts_path + skip, "/");
        bool hidden = e->fts_info == FTS_D && e->fts_level > 0 && e->fts_name[0] == '.';
        if ((e->fts_info == FTS_D && !hidden) || e->fts_info == FTS_DP || e->fts_info == FTS_DC
            || *relative == '\0')
            continue;
        char *name = intake_name(in, relative);
        if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
            intake_skip(in, name, NULL, strerror(e->fts_errno));
        else if (hidden)
            intake_skip(in, name, NULL, "a hidden folder");
        else
            read_from_folder(in, e->fts_path, name);
        if (hidden)
            fts_set(walk, e, FTS_SKIP);
        memory_resize(name, 0);
    }
    fts_close(walk);
}

static bool read_class_archive(struct intake *in, const char *path, char *trouble,
                               size_t trouble_size)
{
    struct archive *a = new_reader();
    const char *why = NULL;
    if (archive_read_open_filename(a, path, 1 << 16) != ARCHIVE_OK
        || (why = read_members(in, a, NULL, 0))) {
        snprintf(trouble, trouble_size, "%s: %s", path,
                 archive_error_string(a) ? archive_error_string(a) : why);
        archive_read_free(a);
        return false;
    }
    archive_read_free(a);
    return true;
}

bool unpack_class(struct intake *in, const char *path, const struct roster *roster, char *trouble,
                  size_t trouble_size)
{
    struct stat s;
    *in = (struct intake){ .roster = roster };
    encoding_begin();
    if (stat(path, &s) != 0) {
        snprintf(trouble, trouble_size, "%s: %s", path, strerror(errno));
        return false;
    }
    if (S_ISDIR(s.st_mode))
        read_folder(in, path);
    else if (!read_class_archive(in, path, trouble, trouble_size))
        return false;
    intake_look_through(in);
    return true;
}
