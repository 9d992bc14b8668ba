/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A picture is printed line by line: a row of a lane is cut into cells, a cell
 * has a glyph. Where a span begins right after one that looks the same, its
 * first cell is a bar; where a column holds more than can be told apart, the
 * glyph says that. What was drawn is what the legend explains.
 */
#include "trace/draw/draw.h"

#include <string.h>

#include "trace/draw/lanes.h"
#include "trace/draw/scale.h"
#include "trace/draw/text_cells.h"
#include "trace/draw/text_line.h"
#include "trace/record/memory.h"

enum { LINES = 24, NARROWEST = 24, TICK_COLUMNS = 11 };

struct glyphs {
    const char *border, *corner, *rule, *tick, *grid;
    const char *next, *several, *open, *more;
    const char *look[LOOKS];
};

static const struct glyphs unicode = {
    .border = "│", .corner = "┌", .rule = "─", .tick = "┬", .grid = "┊",
    .next = "│", .several = "≡", .open = "╳", .more = "…",
    .look = { " ", "»", "█", "«", "═", "↔", "▒", "f", "•", "◦", "▫", "↓", "~", "▓", "·", "⇥", "⇤",
              "□", "▼" },
};

static const struct glyphs ascii = {
    .border = "|", .corner = "+", .rule = "-", .tick = "+", .grid = ":",
    .next = "|", .several = "%", .open = "!", .more = "...",
    .look = { " ", ">", "#", "<", "=", "x", "m", "f", "*", "o", "'", "v", "~", "w", ".", ")", "(",
              "@", "^" },
};

/* ANSI: numbers of "select graphic rendition". */
#define PLAIN ""
#define BOLD "1"
#define FAINT "2"
#define RED "31"
static const char *const colors[LOOKS] = {
    PLAIN, "36",  "32",  "35", "34", "34",  "33", "33", BOLD,
    FAINT, FAINT, PLAIN, "33", "32", FAINT, "36", "35", PLAIN, BOLD,
};

struct text_picture {
    FILE *out;
    const struct timeline *t;
    const struct drawing *d;
    const struct glyphs *glyphs;
    const struct lanes *lanes;
    struct text_line line;
    unsigned width, label, chart, tail;     /* columns; border and blank are in `label` */
    char *is_tick;                          /* by column of the chart */
    /* What was drawn, for the legend. */
    unsigned looks;
    bool next, several, open;
    bool ranges;                            /* longer than a column; the others are in `looks` */
    const struct piece *digit, *letter, *legacy;    /* the first that shows such a mark */
};

/* ---- a row of a lane ---- */

static const char *glyph_of(const struct text_picture *p, const struct piece *piece, char mark[2])
{
    if (piece->lane_kind != LANE_ENGINE)
        return p->glyphs->look[piece->look];
    mark[0] = piece->mark;
    mark[1] = '\0';
    return mark;
}

/* Does the piece at `x` begin right after one that looks the same? */
static bool is_next(const struct text_picture *p, const struct cell *cells, unsigned x)
{
    char mark[2], left_mark[2];
    const struct cell *cell = &cells[x], *left = cell - 1;
    if (x == 0 || !left->piece || left->piece == cell->piece || left->several
        || cell->piece->lane_kind == LANE_RANGE)
        return false;
    if (cell->piece->lane_kind == LANE_HOST && (x + 2 >= p->chart || cell[2].piece != cell->piece))
        return false;           /* calls so short that it does not matter how many */
    return strcmp(glyph_of(p, cell->piece, mark), glyph_of(p, left->piece, left_mark)) == 0;
}

static void put_cell(struct text_picture *p, const struct cell *cells, unsigned x)
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
        const struct piece **first = piece->mark == 'D'  ? &p->legacy
                                     : piece->mark < 'A' ? &p->digit
                                                         : &p->letter;
        *first = *first ? *first : piece;
        glyph = glyph_of(p, piece, mark);
    } else {
        glyph = glyph_of(p, piece, mark);
        p->looks |= 1u << piece->look;
    }
    line_put(&p->line, p->label + x, glyph, color);
}

/* Cells [x, end) are a range: "[name───]", without the bracket where it goes on beyond the chart.
 */
static void put_range(struct text_picture *p, const struct cell *cells, unsigned x, unsigned end)
{
    const struct piece *piece = cells[x].piece;
    const struct call *call = &p->t->calls[piece->call];
    bool begins = call->begin >= p->lanes->pieces.from;
    bool ends = piece->whole_end <= p->lanes->pieces.to, open = piece->end == TIME_NEVER;
    if (end - x == 1) {
        put_cell(p, cells, x);
        return;
    }
    for (unsigned at = x; at < end; at++)
        line_put(&p->line, p->label + at, p->glyphs->rule, FAINT);
    line_put_text(&p->line, p->label + x + begins, p->label + end - (ends || open),
                  timeline_string(p->t, call->name), PLAIN);
    if (begins)
        line_put(&p->line, p->label + x, "[", PLAIN);
    if (open && end == p->chart)
        put_cell(p, cells, end - 1);
    else if (ends)
        line_put(&p->line, p->label + end - 1, "]", PLAIN);
    p->ranges = true;
}

/* A mark, with its name where there is room for all of it before cell `limit`. */
static void put_moment(struct text_picture *p, const struct cell *cells, unsigned x, unsigned limit)
{
    const char *name = timeline_string(p->t, p->t->calls[cells[x].piece->call].name);
    put_cell(p, cells, x);
    if (line_columns(name) + 1 < limit - x)
        line_put_text(&p->line, p->label + x + 1, p->label + limit, name, PLAIN);
}

static void put_ranges(struct text_picture *p, const struct cell *cells)
{
    for (unsigned x = 0, end; x < p->chart; x = end) {
        const struct piece *piece = cells[x].piece;
        end = x + 1;
        if (!piece)
            continue;
        while (!cells[x].several && end < p->chart && !cells[end].several
               && cells[end].piece == (piece->look == LOOK_MARK ? NULL : piece))
            end++;
        if (cells[x].several)
            put_cell(p, cells, x);
        else if (piece->look == LOOK_MARK)
            put_moment(p, cells, x, end);
        else
            put_range(p, cells, x, end);
    }
}

static void put_cells(struct text_picture *p, const struct lane *lane, const struct cell *cells)
{
    for (unsigned x = 0; x < p->chart; x++) {
        if (!cells[x].piece && p->is_tick[x])
            line_put(&p->line, p->label + x, p->glyphs->grid, FAINT);
        else if (cells[x].piece && lane->kind != LANE_RANGE)
            put_cell(p, cells, x);
    }
    if (lane->kind == LANE_RANGE)
        put_ranges(p, cells);
}

static void tail_text(char out[32], const struct lane *lane)
{
    out[0] = '\0';
    if (lane->busy >= 0)
        snprintf(out, 32, " %3d %%", lane->busy / 10);
    else if (lane->never_begun)
        snprintf(out, 32, " %u never ran", lane->never_begun);
    else if (lane->deeper)
        snprintf(out, 32, " %u deeper", lane->deeper);
}

static void draw_lane(struct text_picture *p, const struct lane *lane, struct cell *cells)
{
    char tail[32];
    if (lane->more) {
        line_clear(&p->line);
        unsigned column = line_put_text(&p->line, 0, p->width, p->glyphs->more, FAINT);
        line_put_text(&p->line, column + 1, p->width, lane->label, FAINT);
        line_print(&p->line, p->out);
        return;
    }
    for (unsigned row = 0; row < lane->rows; row++) {
        line_clear(&p->line);
        if (row == 0)
            line_put_text(&p->line, 0, p->label - 2, lane->label, PLAIN);
        line_put(&p->line, p->label - 1, p->glyphs->border, FAINT);
        cells_fill(cells, p->chart, &p->lanes->pieces, lane, row);
        put_cells(p, lane, cells);
        tail_text(tail, lane);
        if (row == 0)
            line_put_text(&p->line, p->label + p->chart, p->width, tail, PLAIN);
        line_print(&p->line, p->out);
    }
}

/* ---- title, axis, legend ---- */

static void draw_title(struct text_picture *p)
{
    char about[TIME_TEXT] = "";
    unsigned length = 0;
    if (!p->d->title)
        return;
    line_clear(&p->line);
    if (p->lanes->count) {
        time_about(about, p->lanes->pieces.to - p->lanes->pieces.from);
        length = (unsigned)strlen(about);
        line_put_text(&p->line, p->width - length, p->width, about, PLAIN);
    }
    line_put_text(&p->line, 0, p->width - length - (length != 0), p->d->title, BOLD);
    line_print(&p->line, p->out);
}

static void draw_axis(struct text_picture *p, bool has_busy)
{
    int64_t length = p->lanes->pieces.to - p->lanes->pieces.from, unit = time_unit(length);
    int64_t step = time_step(length, p->chart / TICK_COLUMNS);
    unsigned written = 0;       /* columns of the chart that hold labels already */
    line_clear(&p->line);
    for (int64_t at = 0;; at += step) {
        char label[TIME_TEXT];
        unsigned x = scale_x(at, length, p->chart);
        time_text(label, at, unit);
        unsigned wide = (unsigned)strlen(label), from = x > wide / 2 ? x - wide / 2 : 0;
        if (at == 0 || (from > written && from + wide <= p->chart))
            written = line_put_text(&p->line, p->label + from, p->width, at ? label : "0", PLAIN)
                      - p->label;
        if (at > 0 && x < p->chart)
            p->is_tick[x] = 1;
        if (at > length - step)
            break;
    }
    if (has_busy)
        line_put_text(&p->line, p->width - 4, p->width, "busy", PLAIN);
    line_print(&p->line, p->out);
    line_clear(&p->line);
    line_put(&p->line, p->label - 1, p->glyphs->corner, FAINT);
    for (unsigned x = 0; x < p->chart; x++)
        line_put(&p->line, p->label + x, p->is_tick[x] ? p->glyphs->tick : p->glyphs->rule, FAINT);
    line_print(&p->line, p->out);
}

/* Adds "glyph name" to the legend, on a new line where it does not fit. */
static unsigned explain(struct text_picture *p, unsigned column, const char *glyph,
                        const char *name, const char *color)
{
    unsigned length = line_columns(glyph) + 1 + (unsigned)strlen(name);
    if (column > 0 && column + 2 + length > p->width) {
        line_print(&p->line, p->out);
        line_clear(&p->line);
        column = 0;
    }
    if (column > 0)
        column += 2;
    column = line_put_text(&p->line, column, p->width, glyph, color);
    return line_put_text(&p->line, column + 1, p->width, name, PLAIN);
}

static unsigned explain_mark(struct text_picture *p, unsigned column, const struct piece *piece)
{
    char mark[2], name[24] = "default stream";
    if (!piece || piece->mark == '*' || piece->mark == 'T')
        return column;
    if (piece->mark != 'D')
        snprintf(name, sizeof name, "stream %u", p->t->spans[piece->span].stream);
    return explain(p, column, glyph_of(p, piece, mark), name, PLAIN);
}

static void draw_legend(struct text_picture *p)
{
    unsigned column = 0;
    line_clear(&p->line);
    for (unsigned look = LOOK_NONE + 1; look < LOOKS; look++)
        if (p->looks & 1u << look)
            column = explain(p, column, p->glyphs->look[look],
                             look == LOOK_RANGE ? "short range" : look_name(look), colors[look]);
    if (p->ranges)
        column = explain(p, column, "[ ]", look_name(LOOK_RANGE), PLAIN);
    column = explain_mark(p, column, p->legacy);
    column = explain_mark(p, column, p->digit);
    column = explain_mark(p, column, p->letter);
    if (p->next)
        column = explain(p, column, p->glyphs->next, "next one", PLAIN);
    if (p->several)
        column = explain(p, column, p->glyphs->several, "several", PLAIN);
    if (p->open)
        column = explain(p, column, p->glyphs->open, "never finished", RED);
    line_print(&p->line, p->out);
    if (!p->d->undeclared)
        return;
    line_clear(&p->line);
    line_put_text(&p->line, 0, p->width, "a kernel's time does not depend on how much it computes",
                  PLAIN);
    line_print(&p->line, p->out);
}

/* ---- the whole ---- */

/* With a line between any two groups whose difference is at least this. */
static size_t lines_of(const struct lanes *l, enum lane_group least, const struct drawing *d)
{
    size_t groups = 0;
    for (size_t i = 1; i < l->count; i++)
        groups += lanes_group(l, i) >= least;
    return 4 + d->undeclared + groups + lanes_rows(l);
}

static bool left_out(const struct lanes *l, enum lane_kind kind)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->lane[i].kind == kind && l->lane[i].more)
            return true;
    return false;
}

/* Lays out lanes so that they fit on a screen: first rows have to share, then lanes are left out.
 */
static void lay_out(struct lanes *l, const struct timeline *t, const struct drawing *d)
{
    struct lane_limits limits = { .threads = 4, .streams = 10, .rows = 4 };
    for (;;) {
        lanes_init(l, t, d, limits);
        if (left_out(l, LANE_STREAM) && limits.streams > 8)
            limits.streams = 8;
        else if (lines_of(l, GROUP_KIND, d) <= LINES)
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

static void measure_columns(struct text_picture *p)
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
    struct text_picture p = { .out = out, .t = t, .d = d, .glyphs = d->ascii ? &ascii : &unicode,
                              .lanes = &lanes,
                              .width = d->width > NARROWEST ? (unsigned)d->width : NARROWEST };
    lay_out(&lanes, t, d);
    measure_columns(&p);
    line_init(&p.line, p.width, d->ascii, d->color);
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
        enum lane_group least =
            lines_of(&lanes, GROUP_DEVICE, d) <= LINES ? GROUP_DEVICE : GROUP_KIND;
        for (size_t i = 0; i < lanes.count; i++) {
            if (lanes_group(&lanes, i) >= least)
                draw_lane(&p, &(struct lane){ .kind = lanes.lane[i].kind, .rows = 1, .busy = -1 },
                          cells);
            draw_lane(&p, &lanes.lane[i], cells);
        }
        draw_legend(&p);
    }
    memory_resize(cells, 0);
    memory_resize(p.is_tick, 0);
    line_fini(&p.line);
    lanes_fini(&lanes);
}
