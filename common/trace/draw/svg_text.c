/* SPDX-License-Identifier: MIT */
#include "trace/draw/svg_text.h"

#include <inttypes.h>
#include <string.h>

#include "trace/record/utf8.h"

void svg_escaped(FILE *out, const char *s)
{
    for (uint32_t point; (point = utf8_next(&s)) != 0;) {
        char bytes[5];
        if ((point < 0x20 && point != '\t' && point != '\n') || (point >= 0x7f && point < 0xa0)
            || (point & 0xfffe) == 0xfffe)
            point = UTF8_BAD;   /* XML has no place for these */
        utf8_put(bytes, point);
        const char *entity = utf8_entity(point);
        fputs(entity ? entity : bytes, out);
    }
}

void svg_cut_text(const char *s, unsigned room, char out[SVG_TEXT])
{
    unsigned letters = room > 4 ? (room - 4) / SVG_LETTER : 0, used = 0;
    size_t length = 0, kept = 0;        /* kept: of this much, and "…", there is room for all */
    for (uint32_t point; (point = utf8_next(&s)) != 0;) {
        used += point < 0x1100 ? 1 : 2;
        if (used > letters || length + 8 >= SVG_TEXT) {
            snprintf(out + kept, SVG_TEXT - kept, "%s", kept > 0 ? "…" : "");
            return;
        }
        utf8_put(out + length, point);
        length += strlen(out + length);
        if (used < letters)
            kept = length;
    }
    out[length] = '\0';
}

void svg_hundredths(FILE *out, const char *name, unsigned value)
{
    fprintf(out, " %s=\"%u", name, value / 100);
    if (value % 100)
        fprintf(out, ".%02u", value % 100);
    fputc('"', out);
}

void svg_bytes(FILE *out, uint64_t bytes)
{
    static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
    unsigned unit = 0;
    while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    fprintf(out, ", %" PRIu64 " %s", bytes, units[unit]);
}
