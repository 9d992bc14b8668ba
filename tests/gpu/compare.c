/* SPDX-License-Identifier: MIT */
/*
 * compare CARD SIMULATOR [KNOWN [PICTURE.svg]] - what tests/gpu/fidelity/run printed of a card
 * beside what it printed of the simulator.
 *
 * A variant's error is how far the simulator is from the card's median, in parts of that. What
 * counts against the worst is how far it is outside of what the card itself has shown, from its
 * least to its most. Two variants of one scenario stand the wrong way round when the card's medians
 * are more than a tenth apart, all its times of the one longer than all of the other's, and the
 * simulator's the other way.
 *
 * Markdown on standard output. Status 0: median and worst are within their limits and none stands
 * the wrong way round but what KNOWN lists: lines `scenario, variant, reason` with tabs between,
 * variant * for all of them; 1: not so, or a line of KNOWN that lists nothing which differs; 2: it
 * cannot tell.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2048, KNOWN = 64, LINE = 512, WIDTH = 760, HEIGHT = 560, LEFT = 70, TOP = 50,
       RIGHT = 20, BOTTOM = 50 };
static const double MEDIAN_LIMIT = 0.05, WORST_LIMIT = 0.20, APART = 0.10;

struct row {
    char scenario[112], variant[80];
    double card, least, most, simulator;
    bool simulated;
    int known;                  /* number of its line in KNOWN, from 1; 0: none */
};
static struct row rows[ROWS];
static int row_count;
static struct { char scenario[112], variant[80], reason[256]; int used; } known[KNOWN];
static int known_count;
static char of_card[256], of_simulator[256];

static void trouble(const char *what, const char *where)
{
    fprintf(stderr, "compare: %s: %s\n", where, what);
    exit(2);
}

static struct row *row_of(const char *scenario, const char *variant)
{
    for (int i = 0; i < row_count; i++)
        if (strcmp(rows[i].scenario, scenario) == 0 && strcmp(rows[i].variant, variant) == 0)
            return &rows[i];
    return NULL;
}

static void take(const struct row *r, bool simulator, const char *path)
{
    struct row *there = row_of(r->scenario, r->variant);
    if (simulator && there) {
        there->simulator = r->card;
        there->simulated = true;
    } else if (!simulator && !there && row_count < ROWS) {
        rows[row_count++] = *r;
    } else if (!simulator) {
        trouble(there ? "a variant is there twice" : "too many lines", path);
    }
}

static void read_known(const char *path)
{
    char line[LINE];
    FILE *in = fopen(path, "r");
    if (!in)
        trouble("cannot read it", path);
    while (fgets(line, sizeof line, in)) {
        if (line[0] == '#')
            continue;
        if (known_count == KNOWN
            || sscanf(line, "%111[^\t]\t%79[^\t]\t%255[^\t\n]", known[known_count].scenario,
                      known[known_count].variant, known[known_count].reason)
                   != 3)
            trouble("a line wants a scenario, a variant and a reason", path);
        known_count++;
    }
    fclose(in);
}

static void read_lines(const char *path, bool simulator, char *title)
{
    char line[LINE];
    FILE *in = fopen(path, "r");
    if (!in)
        trouble("cannot read it", path);
    while (fgets(line, sizeof line, in)) {
        struct row r = { .simulated = false };
        if (line[0] == '#') {
            if (!*title)
                snprintf(title, 256, "%.*s", (int)strcspn(line + 2, "\n"), line + 2);
        } else if (sscanf(line, "%111[^\t]\t%79[^\t]\t%lf\t%lf\t%lf", r.scenario, r.variant,
                          &r.card, &r.least, &r.most)
                       == 5
                   && r.card > 0) {
            take(&r, simulator, path);
        } else {
            trouble("a line that is none of a scenario", path);
        }
    }
    fclose(in);
}

static double error_of(const struct row *r)
{
    return fabs(r->simulator - r->card) / r->card;
}

static double beyond(const struct row *r)
{
    double outside = r->simulator < r->least  ? r->least - r->simulator
                     : r->simulator > r->most ? r->simulator - r->most
                                              : 0;
    return outside / r->card;
}

static void look_up_known(void)
{
    for (int i = 0; i < row_count; i++)
        for (int k = 0; k < known_count; k++)
            if (strcmp(known[k].scenario, rows[i].scenario) == 0
                && (strcmp(known[k].variant, "*") == 0
                    || strcmp(known[k].variant, rows[i].variant) == 0))
                rows[i].known = k + 1;
}

/* It differs: is that known? */
static bool is_known(const struct row *r)
{
    if (r->known)
        known[r->known - 1].used++;
    return r->known != 0;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_error(void)
{
    static double errors[ROWS];
    for (int i = 0; i < row_count; i++)
        errors[i] = error_of(&rows[i]);
    qsort(errors, (size_t)row_count, sizeof *errors, by_number);
    return errors[row_count / 2];
}

/* ---- the table ---- */

static void print_scenarios(void)
{
    puts(
        "| scenario | variants | median error | worst beyond the card's spread | at |\n|---|---|---|---|---|");
    for (int i = 0; i < row_count; i++) {
        static double errors[ROWS];
        int count = 0, worst = i;
        bool first = true;
        for (int before = 0; before < i; before++)
            first = first && strcmp(rows[before].scenario, rows[i].scenario) != 0;
        for (int j = i; first && j < row_count; j++) {
            if (strcmp(rows[j].scenario, rows[i].scenario) != 0)
                continue;
            errors[count++] = error_of(&rows[j]);
            if (beyond(&rows[j]) > beyond(&rows[worst]))
                worst = j;
        }
        if (!first)
            continue;
        qsort(errors, (size_t)count, sizeof *errors, by_number);
        printf("| %s | %d | %.1f %% | %.1f %% | %s: %.1f us, simulator %.1f |\n", rows[i].scenario,
               count, 100 * errors[count / 2], 100 * beyond(&rows[worst]), rows[worst].variant,
               rows[worst].card, rows[worst].simulator);
    }
}

/* How many are beyond the limit, and not known to be. */
static int print_worst(void)
{
    int count = 0;
    for (int i = 0; i < row_count; i++) {
        const struct row *r = &rows[i];
        if (beyond(r) <= WORST_LIMIT)
            continue;
        bool expected = is_known(r);
        printf("- %s, %s: card %.1f us (%.1f to %.1f), simulator %.1f%s\n", r->scenario, r->variant,
               r->card, r->least, r->most, r->simulator, expected ? " (known)" : "");
        count += !expected;
    }
    return count;
}

static int print_reversed(void)
{
    int count = 0;
    for (int i = 0; i < row_count; i++)
        for (int j = 0; j < row_count; j++) {
            const struct row *a = &rows[i], *b = &rows[j];
            bool apart = b->card > a->card * (1 + APART) && b->least > a->most;
            if (strcmp(a->scenario, b->scenario) != 0 || !apart || b->simulator >= a->simulator)
                continue;
            bool known_a = is_known(a), known_b = is_known(b), expected = known_a || known_b;
            printf("- %s: %s %.1f us, %s %.1f; simulator %.1f and %.1f%s\n", a->scenario,
                   a->variant, a->card, b->variant, b->card, a->simulator, b->simulator,
                   expected ? " (known)" : "");
            count += !expected;
        }
    return count;
}

/* ---- the picture: simulator over card, both logarithmic, 1 us to 10^6 ---- */

static double x_of(double us)
{
    return LEFT + log10(us) / 6 * (WIDTH - LEFT - RIGHT);
}

static double y_of(double us)
{
    return HEIGHT - BOTTOM - log10(us) / 6 * (HEIGHT - TOP - BOTTOM);
}

static void draw_line(FILE *out, double factor, const char *dashes)
{
    double from = factor < 1 ? 1 / factor : 1, to = factor > 1 ? 1e6 / factor : 1e6;
    fprintf(out,
            "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='#888' stroke-dasharray='%s'/>\n",
            x_of(from), y_of(from * factor), x_of(to), y_of(to * factor), dashes);
}

static void draw(const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        trouble("cannot write it", path);
    fprintf(
        out,
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='12'>\n"
        "<rect width='100%%' height='100%%' fill='white'/>\n"
        "<text x='%d' y='20' font-size='14'>%s</text>\n"
        "<text x='%d' y='38'>%d variants, median error %.1f %%; dashed: a fifth more, a fifth less; orange: beyond</text>\n",
        WIDTH, HEIGHT, LEFT, of_card, LEFT, row_count, 100 * median_error());
    for (int decade = 0; decade <= 6; decade++) {
        double x = x_of(pow(10, decade)), y = y_of(pow(10, decade));
        fprintf(
            out,
            "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#ddd'/><text x='%.1f' y='%d' text-anchor='middle'>"
            "10<tspan dy='-5' font-size='9'>%d</tspan></text>\n",
            x, TOP, x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 18, decade);
        fprintf(
            out,
            "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#ddd'/><text x='%d' y='%.1f' text-anchor='end'>"
            "10<tspan dy='-5' font-size='9'>%d</tspan></text>\n",
            LEFT, y, WIDTH - RIGHT, y, LEFT - 8, y + 4, decade);
    }
    fprintf(
        out,
        "<text x='%d' y='%d' text-anchor='middle'>card, microseconds</text>\n"
        "<text x='16' y='%d' transform='rotate(-90 16 %d)' text-anchor='middle'>simulator, microseconds</text>\n",
        (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, HEIGHT / 2, HEIGHT / 2);
    draw_line(out, 1, "none");
    draw_line(out, 1 + WORST_LIMIT, "6 4");
    draw_line(out, 1 - WORST_LIMIT, "6 4");
    for (int i = 0; i < row_count; i++)
        fprintf(
            out,
            "<circle cx='%.1f' cy='%.1f' r='2.5' fill='%s' fill-opacity='0.6'><title>%s, %s</title></circle>\n",
            x_of(rows[i].card), y_of(rows[i].simulator),
            beyond(&rows[i]) > WORST_LIMIT ? "#c8553d" : "#1b6ca8", rows[i].scenario,
            rows[i].variant);
    fputs("</svg>\n", out);
    if (fclose(out) != 0)
        trouble("cannot write it", path);
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 5)
        trouble("compare CARD SIMULATOR [KNOWN [PICTURE.svg]]", "usage");
    read_lines(argv[1], false, of_card);
    read_lines(argv[2], true, of_simulator);
    if (row_count == 0)
        trouble("no scenario", argv[1]);
    for (int i = 0; i < row_count; i++)
        if (!rows[i].simulated) {
            fprintf(stderr, "compare: %s, %s: not in %s\n", rows[i].scenario, rows[i].variant,
                    argv[2]);
            return 2;
        }
    if (argc > 3)
        read_known(argv[3]);
    look_up_known();
    double median = median_error();
    printf("# %s\n\nBeside: %s.\n\n", of_card, of_simulator);
    print_scenarios();
    printf("\n## More than a fifth beyond what the card has shown\n\n");
    int worse = print_worst();
    printf("\n## The wrong way round\n\n");
    int reversed = print_reversed();
    printf("\n## Known to differ\n\n");
    int idle = 0;
    for (int k = 0; k < known_count; k++) {
        printf("- %s, %s: %s\n", known[k].scenario, known[k].variant, known[k].reason);
        idle += known[k].used == 0;
    }
    printf(
        "\n%d variants: median error %.2f %% (at most %.0f), %d beyond, %d the wrong way round, %d known that are not there.\n",
        row_count, 100 * median, 100 * MEDIAN_LIMIT, worse, reversed, idle);
    if (argc == 5)
        draw(argv[4]);
    return median > MEDIAN_LIMIT || worse > 0 || reversed > 0 || idle > 0;
}
