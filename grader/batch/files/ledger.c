/* SPDX-License-Identifier: MIT */
#include "grader/batch/files/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <sha256.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/atomic_file.h"
#include "grader/base/environment.h"

#define NAME_MOST 180           /* of 255, and endings follow */

char *ledger_name(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    char *name = malloc(3 * strlen(text) + 40), *to = name;
    if (!name)
        die("no memory left");
    for (const unsigned char *s = (const unsigned char *)text; *s != '\0'; s++)
        if (strchr(plain, *s) && !(to == name && (*s == '.' || *s == '-')))
            *to++ = (char)*s;
        else
            to += sprintf(to, "%%%02X", *s);
    *to = '\0';
    if (to - name > NAME_MOST) {        /* cut, and told apart by what was cut */
        char digest[SHA256_DIGEST_STRING_LENGTH];
        SHA256Data((const uint8_t *)text, strlen(text), digest);
        snprintf(name + NAME_MOST - 17, 18, "~%.16s", digest);
    }
    return name;
}

char *ledger_path(const char *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *rest = formatted_list(format, arguments), *path = formatted("%s/%s", out, rest);
    va_end(arguments);
    free(rest);
    for (char *slash = path + strlen(out); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (*path != '\0' && mkdir(path, 0777) != 0 && errno != EEXIST)
            die("cannot make %s: %s", path, strerror(errno));
        *slash = '/';
    }
    return path;
}

static void end_key(char key[LEDGER_KEY], SHA2_CTX *c)
{
    char digest[SHA256_DIGEST_STRING_LENGTH];
    SHA256End(c, digest);
    snprintf(key, LEDGER_KEY, "%.32s", digest);
}

void ledger_key(char key[LEDGER_KEY], const struct ledger_terms *t, const char *file)
{
    char *text;
    SHA2_CTX c;
    int n = asprintf(&text, "%s%s%s\n%s\n%s\n%s\n%" PRIu64 "\n%" PRIu64 "\n%" PRId64 "\n%s\n",
                     t->backend ? t->backend : "", t->backend ? "\n" : "", t->version, t->card,
                     t->lesson, t->ingredients, t->seed, t->memory, t->time_limit_ms, file);
    if (n < 0)
        die("no memory left");
    SHA256Init(&c);
    SHA256Update(&c, (const uint8_t *)text, (size_t)n);
    end_key(key, &c);
    free(text);
}

void ledger_file(char file[LEDGER_KEY], const void *text, size_t bytes)
{
    SHA2_CTX c;
    SHA256Init(&c);
    SHA256Update(&c, text, bytes);
    end_key(file, &c);
}

void ledger_write(const char *path, const void *bytes, size_t count)
{
    struct atomic_file file;
    if (!atomic_file_open(&file, path)
        || !atomic_file_close(&file, count == 0 || fwrite(bytes, count, 1, file.out) == 1))
        die("cannot write %s: %s", path, strerror(errno));
}

void ledger_write_json(const char *path, const json_t *value)
{
    char *text = json_dumps(value, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    if (!text)
        die("cannot write %s: no memory left", path);
    size_t n = strlen(text);
    text[n++] = '\n';           /* in the place of its end */
    ledger_write(path, text, n);
    free(text);
}

json_t *ledger_read_json(const char *path)
{
    return json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
}

static int sweep_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)walk;
    if (kind == FTW_F && atomic_file_is_left(path))
        unlink(path);
    return 0;
}

void ledger_sweep(const char *out)
{
    nftw(out, sweep_one, 16, FTW_PHYS);
}

void ledger_lock(const char *out)
{
    char *path = ledger_path(out, "batch/lock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        die("cannot write %s: %s", path, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        die("another batch works in %s: wait for it, or OUT=elsewhere", out);
    free(path);                 /* the descriptor stays open: that is the lock */
}
