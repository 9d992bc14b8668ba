/* SPDX-License-Identifier: MIT */
#include "trace/draw/text_line.h"

#include <string.h>

#include "trace/record/memory.h"
#include "trace/record/utf8.h"

void line_init(struct text_line *l, unsigned width, bool ascii, bool color)
{
    *l = (struct text_line){ .width = width, .ascii = ascii, .color = color };
    l->cells = memory_resize(NULL, width * sizeof *l->cells);
    line_clear(l);
}

void line_fini(struct text_line *l)
{
    memory_resize(l->cells, 0);
}

void line_clear(struct text_line *l)
{
    for (unsigned i = 0; i < l->width; i++)
        l->cells[i] = (struct line_cell){ " ", "" };
}

void line_put(struct text_line *l, unsigned column, const char *glyph, const char *color)
{
    struct line_cell *cell = &l->cells[column];
    memcpy(cell->glyph, glyph, strlen(glyph) + 1);
    cell->color = color;
}

static unsigned columns_of(uint32_t point)
{
    return (point >= 0x1100 && point < 0x1160) || (point >= 0x2e80 && point != UTF8_BAD) ? 2 : 1;
}

/* Characters that would move the cursor or turn the text around show as '?'. */
static bool is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || (point >= 0x200b && point < 0x2010)
           || (point >= 0x2028 && point < 0x202f) || (point >= 0x2060 && point < 0x2070)
           || point == UTF8_BAD;
}

unsigned line_put_text(struct text_line *l, unsigned column, unsigned limit, const char *s,
                       const char *color)
{
    for (uint32_t point; (point = utf8_next(&s)) != 0;) {
        char glyph[5];
        if (is_control(point) || (l->ascii && point >= 0x80))
            point = '?';
        if (column + columns_of(point) > limit)
            break;
        utf8_put(glyph, point);
        line_put(l, column++, glyph, color);
        if (columns_of(point) == 2)
            line_put(l, column++, "", color);
    }
    return column;
}

unsigned line_columns(const char *s)
{
    unsigned columns = 0;
    for (uint32_t point; (point = utf8_next(&s)) != 0;)
        columns += columns_of(is_control(point) ? '?' : point);
    return columns;
}

void line_print(const struct text_line *l, FILE *out)
{
    const char *color = "";
    unsigned end = l->width;
    while (end > 0 && strcmp(l->cells[end - 1].glyph, " ") == 0)
        end--;
    for (unsigned i = 0; i < end; i++) {
        if (l->color && strcmp(l->cells[i].color, color) != 0) {
            color = l->cells[i].color;
            fprintf(out, *color ? "\033[0;%sm" : "\033[0m", color);
        }
        fputs(l->cells[i].glyph, out);
    }
    if (*color)
        fputs("\033[0m", out);
    fputc('\n', out);
}
