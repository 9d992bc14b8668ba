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
#include <wchar.h>
#include <wctype.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "trace/record/memory.h"

void encoding_begin(void)
{
    static bool done;
    static const char *const names[] = { "C.UTF-8", "C.utf8", "en_US.UTF-8" };
    for (size_t i = 0; !done && i < sizeof names / sizeof *names; i++)
        done = setlocale(LC_CTYPE, names[i]);
    if (!done)
        die("this machine has no locale C.UTF-8: without it names beyond ASCII cannot be read");
}

/* ---- guessing ---- */

/* Ideographs beyond GB 2312 are rare in Chinese, and most of them come of a wrong guess. Of the
 * scripts that are not told apart by their bytes (ASKED), an encoding is only taken where somebody
 * is known by the name that it makes. */
enum script { LATIN, CHINESE, RARE_CHINESE, JAPANESE, CYRILLIC, GREEK, KOREAN, ASKED };
static const struct { const char *iconv, *name; enum script script; } encodings[] = {
    { "CP437", "CP437", LATIN }, { "CP1252", "CP1252", LATIN }, { "CP850", "CP850", LATIN },
    { "GB2312", "GB18030", CHINESE }, { "CP932", "Shift-JIS", JAPANESE },
    { "BIG5", "Big5", CHINESE }, { "CP949", "EUC-KR", KOREAN },
    { "GB18030", "GB18030", RARE_CHINESE }, { "CP1251", "CP1251", CYRILLIC },
    { "CP866", "CP866", CYRILLIC }, { "KOI8-R", "KOI8-R", CYRILLIC },
    { "CP1253", "CP1253", GREEK }, { "CP737", "CP737", GREEK }, { "CP1250", "CP1250", LATIN },
    { "CP852", "CP852", LATIN },
    { "CP1254", "CP1254", LATIN }, { "CP857", "CP857", LATIN }, { "CP1257", "CP1257", LATIN },
    { "CP775", "CP775", LATIN },
    { "EUC-JP", "EUC-JP", ASKED }, { "CP1255", "CP1255", ASKED }, { "CP862", "CP862", ASKED },
    { "CP1256", "CP1256", ASKED },
    { "CP864", "CP864", ASKED }, { "CP874", "CP874", ASKED }, { "CP1258", "CP1258", ASKED },
};

/* All of it, or NULL. */
static char *convert(const char *from, const char *bytes, size_t count, size_t *length)
{
    iconv_t c = iconv_open("UTF-8", from);
    if (c == (iconv_t)-1)
        return NULL;
    size_t room = 4 * count + 4, left = room;
    char *text = memory_resize(NULL, room + 1), *to = text, *in = (char *)bytes;
    bool good = iconv(c, &in, &count, &to, &left) != (size_t)-1 && count == 0
                && iconv(c, NULL, NULL, &to, &left) != (size_t)-1;
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

/* Surnames of most of those who are called so: a word that begins with one is a name. */
static const char chinese_surnames[] =
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓邓鄧冯馮曹彭曾肖蕭田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏"
    "吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范金石廖贾賈夏韦韋傅方白邹鄒孟熊秦邱江尹薛闫閻段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴武戴莫孔向汤湯欧歐";
static const char korean_surnames[] = "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진나지엄변채원천방공현";

static bool is_surname(const char *list, const char *text, size_t n)
{
    for (const char *at = list; *at != '\0'; at += utf8_at(at, 4, NULL))
        if (strncmp(at, text, n) == 0)
            return true;
    return false;
}

/* Ideographs, kana and syllables stand among themselves. */
static unsigned strange_ideograph(enum script script, uint32_t before, uint32_t c, uint32_t after)
{
    bool kana = c >= 0x3041 && c <= 0x30ff, ideograph = c >= 0x4e00 && c <= 0x9fff,
         sign = c >= 0x3001 && c <= 0x3011;
    bool narrow = c >= 0xff66 && c <= 0xff9f, syllable = c >= 0xac00 && c <= 0xd7a3;
    bool fits =
        script == KOREAN ? syllable : sign || ideograph || ((kana || narrow) && script == JAPANESE);
    if (!fits)
        return IMPLAUSIBLE;
    return (unsigned)is_ascii_letter(before) + is_ascii_letter(after) + (script == RARE_CHINESE)
           + narrow;
}

/* A letter of Cyrillic or Greek stands among its like, small after the first; and most of them are
 * common ones. */
static unsigned strange_eastern(enum script script, uint32_t before, uint32_t c, uint32_t after)
{
    static const wchar_t common[] = L"аоеинтсрвлкмдпяйαοιετσνηυρπκλςώό";
    uint32_t low = script == CYRILLIC ? 0x400 : 0x370, high = script == CYRILLIC ? 0x45f : 0x3ff;
    if (c < low || c > high)
        return IMPLAUSIBLE;
    bool before_it = before >= low && before <= high, after_it = after >= low && after <= high;
    bool large_after_small = iswupper((wint_t)c) && iswlower((wint_t)before);
    int odd = 2
              * (is_ascii_letter(before) + is_ascii_letter(after) + large_after_small
                 + (!before_it && !after_it));
    return (unsigned)(odd + (!wcschr(common, (wchar_t)towlower((wint_t)c))));
}

static unsigned strange(enum script script, uint32_t before, uint32_t c, uint32_t after)
{
    return script == LATIN                         ? strange_latin(before, c, after)
           : script == CYRILLIC || script == GREEK ? strange_eastern(script, before, c, after)
                                                   : strange_ideograph(script, before, c, after);
}

/* In Chinese and Korean any bytes make words. Those that begin with no surname are a little
 * strange. */
static bool is_unnamed(enum script script, const char *word, size_t n)
{
    return (script == CHINESE || script == RARE_CHINESE) ? !is_surname(chinese_surnames, word, n)
        : script == KOREAN && !is_surname(korean_surnames, word, n);
}

static unsigned long strangeness(enum script script, const char *text, size_t length)
{
    uint32_t before = ' ', c = ' ', after;
    unsigned long sum = 0;
    bool unnamed = false;
    for (size_t i = 0, last = 0; i <= length;) {
        size_t n = i < length ? utf8_at(text + i, length - i, &after) : 1;
        if (i == length)
            after = ' ';
        if (c >= 0x80) {
            if (before < 0x80)
                unnamed = is_unnamed(script, text + last, i - last);
            sum += strange(script, before, c, after) + unnamed;
        }
        before = c, c = after;
        last = i;
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

static char *read_as_known(const char *bytes, size_t count, size_t *length, encoding_knows *knows,
                           const void *context, const char **guess)
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
        bool known = text && knows && knows(context, text);
        unsigned long its = !text || (encodings[i].script == ASKED && !known) ? ULONG_MAX
            : known ? 0 : 1 + strangeness(encodings[i].script, text, n);
        if (its >= least) {
            memory_resize(text, 0);
            continue;
        }
        memory_resize(best, 0);
        best = text;
        least = its;
        *length = n;
        *guess = encodings[i].name;
    }
    return best;
}

char *encoding_read(const char *bytes, size_t count, size_t *length, const char **guess)
{
    return read_as_known(bytes, count, length, NULL, NULL, guess);
}

/* ---- the normal form ---- */

#define NORMAL_MOST 60000u        /* a zip's names have a length of 16 bits */

/* libarchive brings the name of a zip's entry that is flagged as UTF-8 to NFC: so to it the line is
 * such a name. It takes a backslash for a slash; lines with one stay as they are. */
static char *normal_line(const char *line, size_t length)
{
    static const unsigned char head[30] = { 'P', 'K', 3, 4, 20, 0, 0, 8 };
    bool ascii = true;
    for (size_t i = 0; i < length; i++)
        ascii &= (unsigned char)line[i] < 0x80;
    if (ascii || length > NORMAL_MOST || memchr(line, '\\', length))
        return copy_bytes(line, length);
    char *entry = memory_resize(NULL, sizeof head + length), *normal = NULL;
    memory_copy(entry, head, sizeof head);
    entry[26] = (char)(length & 0xff), entry[27] = (char)(length >> 8);
    memory_copy(entry + sizeof head, line, length);
    struct archive *a = archive_read_new();
    struct archive_entry *e;
    archive_read_support_format_zip_streamable(a);
    if (archive_read_open_memory(a, entry, sizeof head + length) == ARCHIVE_OK
        && archive_read_next_header(a, &e) == ARCHIVE_OK && archive_entry_pathname(e))
        normal = copy_bytes(archive_entry_pathname(e), strlen(archive_entry_pathname(e)));
    archive_read_free(a);
    memory_resize(entry, 0);
    return normal ? normal : copy_bytes(line, length);
}

/* One word of a path, in NFC; the caller's. */
static char *name_word(const char *word, size_t n, encoding_knows *knows, const void *context,
                       const char **guess)
{
    size_t length;
    char *text = read_as_known(word, n, &length, knows, context, guess);
    if (!text)
        return copy_bytes(word, n);
    char *normal = normal_line(text, strlen(text));
    memory_resize(text, 0);
    return normal;
}

char *encoding_name(const char *name, encoding_knows *knows, const void *context,
                    const char **guess)
{
    char *all = NULL;
    size_t used = 0;
    *guess = NULL;
    for (const char *at = name;; at++) {
        size_t n = strcspn(at, "/");
        const char *its;
        char *word = name_word(at, n, knows, context, &its);
        size_t length = strlen(word);
        *guess = *guess ? *guess : its;
        all = memory_resize(all, used + length + 2);
        memory_copy(all + used, word, length);
        memory_resize(word, 0);
        used += length;
        at += n;
        if (*at == '\0')
            break;
        all[used++] = '/';
    }
    all[used] = '\0';
    return all;
}

char *encoding_file(const char *path, size_t most, const char **guess)
{
    FILE *in = fopen(path, "re");
    if (!in)
        return NULL;
    char *bytes = memory_resize(NULL, most + 1);
    size_t count = fread(bytes, 1, most, in), length, used = 0;
    fclose(in);
    char *text = encoding_read(bytes, count, &length, guess), *all = NULL;
    memory_resize(bytes, 0);
    if (!text) {
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
