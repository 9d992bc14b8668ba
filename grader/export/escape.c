/* SPDX-License-Identifier: MIT */
#include "grader/export/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "trace/record/memory.h"
#include "trace/record/utf8.h"

/* ---- comma-separated values: RFC 4180 ---- */

static void put_quoted(FILE *out, const char *text, const char *before)
{
    char *clean = text_harmless(text, strlen(text));
    fprintf(out, "\"%s", before);
    for (const char *c = clean; *c != '\0'; c++)
        fputs(*c == '"' ? "\"\"" : (char[]){ *c, '\0' }, out);
    fputc('"', out);
    memory_resize(clean, 0);
}

static bool is_formula(const char *text)
{
    static const char *const starts[] = { "=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b",
                                          "\uff0d", "\uff20" };
    text += strspn(text, " ");
    while (strncmp(text, "\u00a0", 2) == 0 || strncmp(text, "\u3000", 3) == 0)
        text += strncmp(text, "\u00a0", 2) == 0 ? 2 : 3;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(text, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

void csv_text(FILE *out, const char *text)
{
    put_quoted(out, text, is_formula(text) ? "'" : "");
}

void csv_title(FILE *out, const char *text)
{
    put_quoted(out, text, "");
}

const char *plain_number(char text[64], double value)
{
    int n = snprintf(text, 64, "%.3f", value);
    while (n > 0 && text[n - 1] == '0')
        text[--n] = '\0';
    if (n > 0 && text[n - 1] == '.')
        text[--n] = '\0';
    return strcmp(text, "-0") == 0 ? "0" : text;
}

void csv_number(FILE *out, double value)
{
    char text[64];
    fputs(plain_number(text, value), out);
}

/* ---- XML ---- */

void xml_text(FILE *out, const char *text)
{
    char *clean = text_harmless(text, strlen(text));
    size_t n = strlen(clean), length;
    for (size_t i = 0; i < n; i += length) {
        uint32_t code = 0;
        length = utf8_at(clean + i, n - i, &code);
        const char *entity = code == '\t'   ? "&#9;"
                             : code == '\n' ? "&#10;" /* an attribute would make blanks of them */
                             : code == 0xfffe || code == 0xffff ? "\ufffd"
                                                                : utf8_entity(code);
        if (entity)
            fputs(entity, out);
        else
            fwrite(clean + i, length, 1, out);
    }
    memory_resize(clean, 0);
}

char *json_text(json_t *all, size_t flags)
{
    char *text = json_dumps(all, flags);
    if (!text)
        die("no memory left");
    json_decref(all);
    return text;
}

/* ---- base64: RFC 4648 ---- */

char *base64(const void *bytes, size_t count)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *from = bytes;
    char *text = malloc((count + 2) / 3 * 4 + 1), *to = text;
    if (!text)
        die("no memory left");
    for (size_t i = 0; i < count; i += 3) {
        uint32_t three = (uint32_t)from[i] << 16 | (i + 1 < count ? (uint32_t)from[i + 1] << 8 : 0)
                         | (i + 2 < count ? from[i + 2] : 0);
        *to++ = letter[three >> 18];
        *to++ = letter[three >> 12 & 63];
        *to++ = i + 1 < count ? letter[three >> 6 & 63] : '=';
        *to++ = i + 2 < count ? letter[three & 63] : '=';
    }
    *to = '\0';
    return text;
}
