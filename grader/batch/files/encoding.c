/* SPDX-License-Identifier: MIT */
#include "grader/batch/files/encoding.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <iconv.h>
#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "trace/record/memory.h"

void encoding_begin(void)
{
    static bool done;
    static const char *const names[] = { "C.UTF-8", "C.utf8", "en_US.UTF-8" };
    for (size_t i = 0; !done && i < sizeof names / sizeof *names; i++)
        done = setlocale(LC_CTYPE, names[i]) != NULL;
    if (!done)
        die("this machine has no locale C.UTF-8: without it names beyond ASCII cannot be read");
}

/* ---- guessing ---- */

/* Ideographs beyond GB 2312 are rare in Chinese, and most of them come of a wrong guess. */
enum script { LATIN, CHINESE, RARE_CHINESE, JAPANESE };
static const struct { const char *iconv, *name; enum script script; } encodings[] = {
    { "CP437", "CP437", LATIN }, { "CP1252", "CP1252", LATIN }, { "CP850", "CP850", LATIN },
    { "GB2312", "GB18030", CHINESE }, { "CP932", "Shift-JIS", JAPANESE }, { "GB18030", "GB18030", RARE_CHINESE },
};

/* All of it, or NULL. */
static char *convert(const char *from, const char *bytes, size_t count, size_t *length)
{
    iconv_t c = iconv_open("UTF-8", from);
    if (c == (iconv_t)-1)
        return NULL;
    size_t room = 4 * count + 4, left = room;
    char *text = memory_resize(NULL, room + 1), *to = text, *in = (char *)bytes;
    bool good = iconv(c, &in, &count, &to, &left) != (size_t)-1 && count == 0;
    iconv_close(c);
    if (!good)
        return memory_resize(text, 0);
    *length = room - left;
    text[*length] = '\0';
    return memory_resize(text, *length + 1);
}

static bool is_ascii_letter(uint32_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

#define IMPLAUSIBLE 4u

/* A letter of a western language stands among ASCII's, and is not large after a small one. */
static unsigned strange_latin(uint32_t before, uint32_t c, uint32_t after)
{
    if (c < 0xc0 || c > 0x24f || c == 0xd7 || c == 0xf7)
        return IMPLAUSIBLE;
    bool large_after_small = iswupper((wint_t)c) && before >= 'a' && before <= 'z';
    bool alone = !is_ascii_letter(before) && !is_ascii_letter(after);
    return (unsigned)((before >= 0x80) + (after >= 0x80) + large_after_small + alone);
}

/* Ideographs and kana stand among themselves. */
static unsigned strange_ideograph(enum script script, uint32_t before, uint32_t c, uint32_t after)
{
    bool kana = c >= 0x3041 && c <= 0x30ff, ideograph = c >= 0x4e00 && c <= 0x9fff, sign = c >= 0x3001 && c <= 0x3011;
    if (!sign && !ideograph && !(kana && script == JAPANESE))
        return IMPLAUSIBLE;
    return (unsigned)is_ascii_letter(before) + is_ascii_letter(after) + (script == RARE_CHINESE);
}

static unsigned long strangeness(enum script script, const char *text, size_t length)
{
    uint32_t before = ' ', c = ' ', after;
    unsigned long sum = 0;
    for (size_t i = 0; i <= length;) {
        size_t n = i < length ? utf8_at(text + i, length - i, &after) : 1;
        if (i == length)
            after = ' ';
        if (c >= 0x80)
            sum += script == LATIN ? strange_latin(before, c, after) : strange_ideograph(script, before, c, after);
        before = c, c = after;
        i += n > 0 ? n : 1;
    }
    return sum;
}

static bool is_utf8(const char *bytes, size_t count)
{
    for (size_t i = 0, n; i < count; i += n)
        if ((n = utf8_at(bytes + i, count - i, NULL)) == 0)
            return false;
    return true;
}

static char *copy_bytes(const char *bytes, size_t count)
{
    char *copy = memory_resize(NULL, count + 1);
    memory_copy(copy, bytes, count);
    copy[count] = '\0';
    return copy;
}

char *encoding_read(const char *bytes, size_t count, size_t *length, const char **guess)
{
    encoding_begin();
    *guess = NULL;
    *length = count;
    if (count >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0)) {
        *guess = "UTF-16";
        return convert("UTF-16", bytes, count, length);
    }
    if (is_utf8(bytes, count))
        return copy_bytes(bytes, count);
    char *best = NULL;
    unsigned long least = ULONG_MAX;
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        size_t n;
        char *text = convert(encodings[i].iconv, bytes, count, &n);
        unsigned long strange = text != NULL ? strangeness(encodings[i].script, text, n) : ULONG_MAX;
        if (strange >= least) {
            memory_resize(text, 0);
            continue;
        }
        memory_resize(best, 0);
        best = text;
        least = strange;
        *length = n;
        *guess = encodings[i].name;
    }
    return best;
}

/* ---- the normal form ---- */

#define NORMAL_MOST 60000u        /* a zip's names have a length of 16 bits */

/* libarchive brings the name of a zip's entry that is flagged as UTF-8 to NFC: so to it the line is such a name. It takes
 * a backslash for a slash; lines with one stay as they are. */
static char *normal_line(const char *line, size_t length)
{
    static const unsigned char head[30] = { 'P', 'K', 3, 4, 20, 0, 0, 8 };
    bool ascii = true;
    for (size_t i = 0; i < length; i++)
        ascii &= (unsigned char)line[i] < 0x80;
    if (ascii || length > NORMAL_MOST || memchr(line, '\\', length) != NULL)
        return copy_bytes(line, length);
    char *entry = memory_resize(NULL, sizeof head + length), *normal = NULL;
    memory_copy(entry, head, sizeof head);
    entry[26] = (char)(length & 0xff), entry[27] = (char)(length >> 8);
    memory_copy(entry + sizeof head, line, length);
    struct archive *a = archive_read_new();
    struct archive_entry *e;
    archive_read_support_format_zip_streamable(a);
    if (archive_read_open_memory(a, entry, sizeof head + length) == ARCHIVE_OK && archive_read_next_header(a, &e) == ARCHIVE_OK
        && archive_entry_pathname(e) != NULL)
        normal = copy_bytes(archive_entry_pathname(e), strlen(archive_entry_pathname(e)));
    archive_read_free(a);
    memory_resize(entry, 0);
    return normal != NULL ? normal : copy_bytes(line, length);
}

char *encoding_name(const char *name, const char **guess)
{
    size_t length;
    char *text = encoding_read(name, strlen(name), &length, guess);
    if (text == NULL)
        return copy_bytes(name, strlen(name));
    char *normal = normal_line(text, strlen(text));
    memory_resize(text, 0);
    return normal;
}

char *encoding_file(const char *path, size_t most, const char **guess)
{
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return NULL;
    char *bytes = memory_resize(NULL, most + 1);
    size_t count = fread(bytes, 1, most, in), length, used = 0;
    fclose(in);
    char *text = encoding_read(bytes, count, &length, guess), *all = NULL;
    memory_resize(bytes, 0);
    if (text == NULL) {
        errno = EILSEQ;
        return NULL;
    }
    for (size_t i = 0; i <= length; i++) {
        size_t n = 0;
        while (i + n < length && text[i + n] != '\n')
            n++;
        char *line = normal_line(text + i, n);
        size_t its = strlen(line);
        all = memory_resize(all, used + its + 2);
        memory_copy(all + used, line, its);
        used += its;
        all[used++] = i + n < length ? '\n' : '\0';
        memory_resize(line, 0);
        i += n;
    }
    memory_resize(text, 0);
    return all;
}
