/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A picture is lines of cells; a line is filled from pieces and printed without
 * trailing blanks. Ends of spans are rounded to the nearest column, so that
 * spans that touch in time touch in the picture and a gap is a gap. What is
 * shorter than a column still gets one, if need be from a longer neighbour that
 * can spare it. Where a span begins right behind one that looks the same, its
 * first cell is a bar; where a column holds more than can be told apart, a cell
 * says that.
 */
#include "trace/draw.h"

#include <string.h>

#include "trace/lanes.h"
#include "trace/memory.h"
#include "trace/scale.h"
#include "trace/utf8.h"

enum { LINES = 24, NARROWEST = 24, TICK_COLUMNS = 11 };

struct glyphs {
    const char *border, *corner, *rule, *tick, *grid;
    const char *next, *several, *open, *more;
    const char *look[LOOKS];
};

static const struct glyphs unicode = {
    .border = "│", .corner = "┌", .rule = "─", .tick = "┬", .grid = "┊",
    .next = "│", .several = "≡", .open = "╳", .more = "…",
    .look = { " ", "»", "█", "«", "═", "▒", "f", "•", "◦", "↓", "~", "▓", "·" },
};

static const struct glyphs ascii = {
    .border = "|", .corner = "+", .rule = "-", .tick = "+", .grid = ":",
    .next = "|", .several = "%", .open = "!", .more = "...",
    .look = { " ", ">", "#", "<", "=", "m", "f", "*", "o", "v", "~", "w", "." },
};

/* ANSI: numbers of "select graphic rendition". */
#define PLAIN ""
#define BOLD "1"
#define FAINT "2"
#define RED "31"
static const char *const colors[LOOKS] = {
    PLAIN, "36", "32", "35", "34", "33", "33", BOLD, FAINT, PLAIN, "33", "32", FAINT,
};

/* ---- a line ---- */

struct line_cell { char glyph[5]; const char *color; };     /* glyph "": the right half of a wide one */

struct picture {
    FILE *out;
    const struct timeline *t;
    const struct drawing *d;
    const struct glyphs *glyphs;
    const struct lanes *lanes;
    unsigned width, label, chart, tail;     /* columns; border and blank are in `label` */
    struct line_cell *line;
    char *is_tick;                          /* by column of the chart */
    /* What was drawn, for the legend. */
    unsigned looks;
    bool next, several, open;
    const struct piece *digit, *letter, *legacy;    /* the first that shows such a mark */
};

static void clear(struct picture *p)
{
    for (unsigned i = 0; i < p->width; i++)
        p->line[i] = (struct line_cell){ " ", PLAIN };
}

static void put(struct picture *p, unsigned column, const char *glyph, const char *color)
{
    struct line_cell *cell = &p->line[column];
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
        || (point >= 0x2028 && point < 0x202f) || (point >= 0x2060 && point < 0x2070) || point == UTF8_BAD;
}

/* Puts a text of any origin into columns [column, limit); returns the column behind it. */
static unsigned put_text(struct picture *p, unsigned column, unsigned limit, const char *s, const char *color)
{
    for (uint32_t point; (point = utf8_next(&s)) != 0;) {
        char glyph[5];
        if (is_control(point) || (p->d->ascii && point >= 0x80))
            point = '?';
        if (column + columns_of(point) > limit)
            break;
        utf8_put(glyph, point);
        put(p, column++, glyph, color);
        if (columns_of(point) == 2)
            put(p, column++, "", color);
    }
    return column;
}

static void print(struct picture *p)
{
    const char *color = PLAIN;
    unsigned end = p->width;
    while (end > 0 && strcmp(p->line[end - 1].glyph, " ") == 0)
        end--;
    for (unsigned i = 0; i < end; i++) {
        if (p->d->color && strcmp(p->line[i].color, color) != 0) {
            color = p->line[i].color;
            fprintf(p->out, *color ? "\033[0;%sm" : "\033[0m", color);
        }
        fputs(p->line[i].glyph, p->out);
    }
    if (*color)
        fputs("\033[0m", p->out);
    fputc('\n', p->out);
}

/* ---- a row of a lane ---- */

struct cell { const struct piece *piece; bool brief, several; };

static bool is_instant(const struct piece *piece)
{
    return piece->look == LOOK_RECORD || piece->look == LOOK_STREAM_WAIT;
}

/* Columns [*begin, *end) of a piece; true when it is too short for one. */
static bool columns(const struct picture *p, const struct piece *piece, unsigned *begin, unsigned *end)
{
    const struct pieces *l = &p->lanes->pieces;
    *begin = scale_place(piece->start - l->from, l->to - l->from, p->chart);
    *end = piece->end == TIME_NEVER ? p->chart : scale_place(piece->end - l->from, l->to - l->from, p->chart);
    if (*begin >= p->chart)
        *begin = p->chart - 1;
    if (*begin < *end)
        return false;
    *end = *begin + 1;
    return true;
}

/* Could the piece in this cell do without it? */
static bool can_spare(const struct picture *p, const struct cell *cells, unsigned at)
{
    return !cells[at].brief && !cells[at].several
        && ((at > 0 && cells[at - 1].piece == cells[at].piece)
            || (at + 1 < p->chart && cells[at + 1].piece == cells[at].piece));
}

static void fill_long(struct cell *cells, const struct piece *piece, unsigned begin, unsigned end)
{
    for (unsigned x = begin; x < end; x++) {
        if (cells[x].piece && piece->lane_kind != LANE_HOST)
            cells[x].several = true;
        else
            cells[x].piece = piece;
    }
}

static void fill_brief(const struct picture *p, struct cell *cells, const struct piece *piece, unsigned at)
{
    struct cell *cell = &cells[at];
    if (!cell->piece || (piece->look != LOOK_OTHER && can_spare(p, cells, at)))
        *cell = (struct cell){ .piece = piece, .brief = true };
    else if (is_instant(piece) || piece->look == LOOK_OTHER)
        return;
    else if (piece->lane_kind != LANE_HOST)
        cell->several = true;
    else if (cell->brief && (piece->look == LOOK_WAIT || cell->piece->look == LOOK_OTHER))
        cell->piece = piece;
}

/* Long pieces first, then brief ones, then instants, so that none hides what is longer. */
static void fill(const struct picture *p, struct cell *cells, const struct lane *lane, unsigned row)
{
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < lane->piece_count; i++) {
            const struct piece *piece = &lane->piece[i];
            unsigned begin, end;
            if (piece->row != row)
                continue;
            bool brief = columns(p, piece, &begin, &end);
            if (round != (is_instant(piece) ? 2 : brief))
                continue;
            if (brief)
                fill_brief(p, cells, piece, begin);
            else
                fill_long(cells, piece, begin, end);
        }
    }
}

static const char *glyph_of(const struct picture *p, const struct piece *piece, char mark[2])
{
    if (piece->lane_kind != LANE_ENGINE)
        return p->glyphs->look[piece->look];
    mark[0] = piece->mark;
    mark[1] = '\0';
    return mark;
}

/* Does the piece at `x` begin right behind one that looks the same? */
static bool is_next(const struct picture *p, const struct cell *cells, unsigned x)
{
    char mark[2], left_mark[2];
    const struct cell *cell = &cells[x], *left = cell - 1;
    if (x == 0 || !left->piece || left->piece == cell->piece || left->several)
        return false;
    if (cell->piece->lane_kind == LANE_HOST && (x + 1 == p->chart || cell[1].piece != cell->piece))
        return false;           /* calls so short that it does not matter how many */
    return strcmp(glyph_of(p, cell->piece, mark), glyph_of(p, left->piece, left_mark)) == 0;
}

static void put_cell(struct picture *p, const struct cell *cells, unsigned x)
{
    const struct piece *piece = cells[x].piece;
    const char *glyph, *color = colors[piece->look];
    char mark[2];
    if (piece->end == TIME_NEVER && x + 1 == p->chart) {
        glyph = p->glyphs->open;
        color = RED;
        p->open = true;
    } else if (cells[x].several) {
        glyph = p->glyphs->several;
        p->several = true;
    } else if (is_next(p, cells, x)) {
        glyph = p->glyphs->next;
        p->next = true;
    } else if (piece->lane_kind == LANE_ENGINE) {
        const struct piece **first = piece->mark == 'D' ? &p->legacy : piece->mark < 'A' ? &p->digit : &p->letter;
        *first = *first ? *first : piece;
        glyph = glyph_of(p, piece, mark);
    } else {
        glyph = glyph_of(p, piece, mark);
        p->looks |= 1u << piece->look;
    }
    put(p, p->label + x, glyph, color);
}

static void put_cells(struct picture *p, const struct cell *cells)
{
    for (unsigned x = 0; x < p->chart; x++) {
        if (cells[x].piece)
            put_cell(p, cells, x);
        else if (p->is_tick[x])
            put(p, p->label + x, p->glyphs->grid, FAINT);
    }
}

static void tail_text(char out[32], const struct lane *lane)
{
    out[0] = '\0';
    if (lane->busy >= 0)
        snprintf(out, 32, " %3d %%", lane->busy / 10);
    else if (lane->never_begun)
        snprintf(out, 32, " %u never ran", lane->never_begun);
}

static void draw_lane(struct picture *p, const struct lane *lane, struct cell *cells)
{
    char tail[32];
    if (lane->more) {
        clear(p);
        put_text(p, put_text(p, 0, p->width, p->glyphs->more, FAINT) + 1, p->width, lane->label, FAINT);
        print(p);
        return;
    }
    for (unsigned row = 0; row < lane->rows; row++) {
        memory_zero(cells, p->chart * sizeof *cells);
        clear(p);
        if (row == 0)
            put_text(p, 0, p->label - 2, lane->label, PLAIN);
        put(p, p->label - 1, p->glyphs->border, FAINT);
        fill(p, cells, lane, row);
        put_cells(p, cells);
        tail_text(tail, lane);
        if (row == 0)
            put_text(p, p->label + p->chart, p->width, tail, PLAIN);
        print(p);
    }
}

/* ---- title, axis, legend ---- */

static void draw_title(struct picture *p)
{
    char about[TIME_TEXT] = "";
    unsigned length = 0;
    if (!p->d->title)
        return;
    clear(p);
    if (p->lanes->count) {
        time_about(about, p->lanes->pieces.to - p->lanes->pieces.from);
        length = (unsigned)strlen(about);
        put_text(p, p->width - length, p->width, about, PLAIN);
    }
    put_text(p, 0, p->width - length - (length != 0), p->d->title, BOLD);
    print(p);
}

static void draw_axis(struct picture *p, bool has_busy)
{
    int64_t length = p->lanes->pieces.to - p->lanes->pieces.from, unit = time_unit(length);
    int64_t step = time_step(length, p->chart / TICK_COLUMNS);
    unsigned written = 0;       /* columns of the chart that hold labels already */
    clear(p);
    for (int64_t at = 0;; at += step) {
        char label[TIME_TEXT];
        unsigned x = scale_place(at, length, p->chart);
        time_text(label, at, unit);
        unsigned wide = (unsigned)strlen(label), from = x > wide / 2 ? x - wide / 2 : 0;
        if (at == 0 || (from > written && from + wide <= p->chart))
            written = put_text(p, p->label + from, p->width, at ? label : "0", PLAIN) - p->label;
        if (at > 0 && x < p->chart)
            p->is_tick[x] = 1;
        if (at > length - step)
            break;
    }
    if (has_busy)
        put_text(p, p->width - 4, p->width, "busy", PLAIN);
    print(p);
    clear(p);
    put(p, p->label - 1, p->glyphs->corner, FAINT);
    for (unsigned x = 0; x < p->chart; x++)
        put(p, p->label + x, p->is_tick[x] ? p->glyphs->tick : p->glyphs->rule, FAINT);
    print(p);
}

/* Adds "glyph name" to the legend, on a new line where it does not fit. */
static unsigned explain(struct picture *p, unsigned column, const char *glyph, const char *name, const char *color)
{
    unsigned length = 2 + (unsigned)strlen(name);
    if (column > 0 && column + 2 + length > p->width) {
        print(p);
        clear(p);
        column = 0;
    }
    if (column > 0)
        column += 2;
    column = put_text(p, column, p->width, glyph, color);
    return put_text(p, column + 1, p->width, name, PLAIN);
}

static unsigned explain_mark(struct picture *p, unsigned column, const struct piece *piece)
{
    char mark[2], name[24] = "default stream";
    if (!piece || piece->mark == '*' || piece->mark == 'T')
        return column;
    if (piece->mark != 'D')
        snprintf(name, sizeof name, "stream %u", p->t->spans[piece->span].stream);
    return explain(p, column, glyph_of(p, piece, mark), name, PLAIN);
}

static void draw_legend(struct picture *p)
{
    unsigned column = 0;
    clear(p);
    for (unsigned look = LOOK_NONE + 1; look < LOOKS; look++)
        if (p->looks & 1u << look)
            column = explain(p, column, p->glyphs->look[look], look_name(look), colors[look]);
    column = explain_mark(p, column, p->legacy);
    column = explain_mark(p, column, p->digit);
    column = explain_mark(p, column, p->letter);
    if (p->next)
        column = explain(p, column, p->glyphs->next, "next one", PLAIN);
    if (p->several)
        column = explain(p, column, p->glyphs->several, "several", PLAIN);
    if (p->open)
        column = explain(p, column, p->glyphs->open, "never finished", RED);
    print(p);
}

/* ---- the whole ---- */

static size_t lines_of(const struct lanes *l)
{
    size_t groups = 0;
    for (size_t i = 1; i < l->count; i++)
        groups += l->lane[i].kind != l->lane[i - 1].kind;
    return 4 + groups + lanes_rows(l);
}

static bool left_out(const struct lanes *l, enum lane_kind kind)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->lane[i].kind == kind && l->lane[i].more)
            return true;
    return false;
}

/* Lays out lanes so that they fit on a screen: first rows have to share, then lanes are left out. */
static void lay_out(struct lanes *l, const struct timeline *t, const struct drawing *d)
{
    struct lane_limits limits = { .threads = 4, .streams = 10, .rows = 4 };
    for (;;) {
        lanes_init(l, t, d, limits);
        if (left_out(l, LANE_STREAM) && limits.streams > 8)
            limits.streams = 8;
        else if (lines_of(l) <= LINES)
            return;
        else if (limits.rows > 1)
            limits.rows /= 2;
        else if (limits.streams > 4)
            limits.streams -= 2;
        else
            return;
        lanes_fini(l);
    }
}

static void measure_columns(struct picture *p)
{
    char tail[32];
    for (size_t i = 0; i < p->lanes->count; i++) {
        const struct lane *lane = &p->lanes->lane[i];
        unsigned label = (unsigned)strlen(lane->label);
        tail_text(tail, lane);
        if (!lane->more && p->label < label)
            p->label = label;
        if (p->tail < strlen(tail))
            p->tail = (unsigned)strlen(tail);
    }
    if (p->label > p->width / 3)
        p->label = p->width / 3;
    p->label += 2;
    if (p->label + p->tail + 12 > p->width)
        p->tail = 0;
    p->chart = p->width - p->label - p->tail;
}

void draw_text(FILE *out, const struct timeline *t, const struct drawing *d)
{
    struct lanes lanes;
    struct picture p = { .out = out, .t = t, .d = d, .glyphs = d->ascii ? &ascii : &unicode, .lanes = &lanes,
                         .width = d->width > NARROWEST ? (unsigned)d->width : NARROWEST };
    lay_out(&lanes, t, d);
    measure_columns(&p);
    p.line = memory_resize(NULL, p.width * sizeof *p.line);
    p.is_tick = memory_resize(NULL, p.chart);
    memory_zero(p.is_tick, p.chart);
    struct cell *cells = memory_resize(NULL, p.chart * sizeof *cells);

    draw_title(&p);
    if (lanes.count == 0) {
        fputs("Nothing ran.\n", out);
    } else {
        bool has_busy = false;
        for (size_t i = 0; i < lanes.count; i++)
            has_busy = has_busy || lanes.lane[i].busy >= 0;
        draw_axis(&p, has_busy && p.tail > 0);
        for (size_t i = 0; i < lanes.count; i++) {
            if (i > 0 && lanes.lane[i].kind != lanes.lane[i - 1].kind)
                draw_lane(&p, &(struct lane){ .kind = lanes.lane[i].kind, .rows = 1, .busy = -1 }, cells);
            draw_lane(&p, &lanes.lane[i], cells);
        }
        draw_legend(&p);
    }
    memory_resize(cells, 0);
    memory_resize(p.is_tick, 0);
    memory_resize(p.line, 0);
    lanes_fini(&lanes);
}
