/* SPDX-License-Identifier: MIT */
/*
 * pack FILE FOLDER: packs a folder's files into FILE, a .zip or a .tar, names from the folder on.
 * The same files give the same bytes: sorted, no owner, one time for all. Status 2: one line says
 * why not.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"

#define SINCE 315576000         /* 2 January 1980: zip knows no time before that year, anywhere */

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void put_file(struct archive *to, const FTSENT *f, const char *name)
{
    static char bytes[1 << 16];
    struct archive_entry *e = archive_entry_new();
    FILE *in = fopen(f->fts_accpath, "re");
    if (!in || !e)
        die("cannot read %s: %s", f->fts_path, strerror(errno));
    archive_entry_set_pathname(e, name);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, f->fts_statp->st_mode & 0100 ? 0755 : 0644);
    archive_entry_set_size(e, f->fts_statp->st_size);
    archive_entry_set_mtime(e, SINCE, 0);
    bool good = archive_write_header(to, e) == ARCHIVE_OK;
    for (size_t n; good && (n = fread(bytes, 1, sizeof bytes, in)) > 0;)
        good = archive_write_data(to, bytes, n) == (la_ssize_t)n;
    if (!good || ferror(in))
        die("cannot pack %s: %s", f->fts_path, archive_error_string(to));
    fclose(in);
    archive_entry_free(e);
}

int main(int argc, char **argv)
{
    descriptors_begin();
    if (argc != 3)
        die("pack FILE FOLDER");
    const char *extension = strrchr(argv[1], '.');
    struct archive *to = archive_write_new();
    int set = extension && strcmp(extension, ".zip") == 0   ? archive_write_set_format_zip(to)
              : extension && strcmp(extension, ".tar") == 0 ? archive_write_set_format_ustar(to)
                                                            : ARCHIVE_FATAL;
    if (set != ARCHIVE_OK || archive_write_open_filename(to, argv[1]) != ARCHIVE_OK)
        die("cannot write %s: it is to end with .zip or .tar", argv[1]);
    FTS *walk = fts_open((char *const[]){ argv[2], NULL }, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    if (!walk)
        die("cannot read %s: %s", argv[2], strerror(errno));
    size_t top = strlen(argv[2]);
    for (FTSENT *f; (f = fts_read(walk));)
        if (f->fts_info == FTS_F)
            put_file(to, f, f->fts_path + top + strspn(f->fts_path + top, "/"));
        else if (f->fts_info != FTS_D && f->fts_info != FTS_DP)
            die("%s is no file", f->fts_path);
    fts_close(walk);
    if (archive_write_close(to) != ARCHIVE_OK)
        die("cannot write %s: %s", argv[1], archive_error_string(to));
    archive_write_free(to);
    return 0;
}
