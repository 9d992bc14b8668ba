/* SPDX-License-Identifier: MIT */
/*
 * plot STAGE TITLE < LINES > FILE.svg: what engine prints of one stage as a
 * picture, seconds over operations, both logarithmic, a line for each shape;
 * dashed, what 10^6 operations a second would be.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 440, LEFT = 70, TOP = 50, RIGHT = 210, BOTTOM = 50, LINE = 256,
       SHAPES = 16, POINTS = 8 };

static const char *const colours[] = { "#1b6ca8", "#c8553d", "#588b3b", "#8e5ea2",
                                       "#b8860b", "#008b8b", "#555555", "#d16ba5",
                                       "#3d5a80", "#a0522d", "#6a994e", "#000000" };

struct line { char shape[64]; double operations[POINTS], seconds[POINTS]; int count; };

static double x_of(double operations)
{
    return (double)LEFT + (log10(operations) - 3) / 3 * (WIDTH - LEFT - RIGHT);
}

/* From 10^-5 to 10^1 seconds. */
static double y_of(double seconds)
{
    double decade = log10(seconds > 1e-5 ? seconds : 1e-5);
    return HEIGHT - BOTTOM - (decade + 5) / 6 * (HEIGHT - TOP - BOTTOM);
}

static struct line *line_of(struct line *lines, int *count, const char *shape)
{
    for (int i = 0; i < *count; i++)
        if (strcmp(lines[i].shape, shape) == 0)
            return &lines[i];
    if (*count == SHAPES)
        exit(2);
    struct line *l = &lines[(*count)++];
    snprintf(l->shape, sizeof l->shape, "%s", shape);
    return l;
}

static int read_lines(struct line *lines, const char *wanted)
{
    char text[LINE], stage[64], shape[64];
    double operations, seconds;
    int count = 0;
    while (fgets(text, sizeof text, stdin)) {
        if (sscanf(text, "%63[^\t]\t%63[^\t]\t%lf\t%lf", stage, shape, &operations, &seconds) != 4
            || strcmp(stage, wanted) != 0)
            continue;
        struct line *l = line_of(lines, &count, shape);
        if (l->count == POINTS)
            exit(2);
        l->operations[l->count] = operations;
        l->seconds[l->count++] = seconds;
    }
    return count;
}

static void axes(void)
{
    for (int decade = 3; decade <= 6; decade++)
        printf(
            "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#ddd'/><text x='%.1f' y='%d' text-anchor='middle'>"
            "10<tspan dy='-5' font-size='9'>%d</tspan></text>\n",
            x_of(pow(10, decade)), TOP, x_of(pow(10, decade)), HEIGHT - BOTTOM,
            x_of(pow(10, decade)), HEIGHT - BOTTOM + 18, decade);
    for (int decade = -5; decade <= 1; decade++)
        printf(
            "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#ddd'/><text x='%d' y='%.1f' text-anchor='end'>"
            "10<tspan dy='-5' font-size='9'>%d</tspan></text>\n",
            LEFT, y_of(pow(10, decade)), WIDTH - RIGHT, y_of(pow(10, decade)), LEFT - 8,
            y_of(pow(10, decade)) + 4, decade);
    printf("<text x='%d' y='%d' text-anchor='middle'>operations</text>\n",
           (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12);
    printf(
        "<text x='16' y='%d' transform='rotate(-90 16 %d)' text-anchor='middle'>seconds</text>\n",
        HEIGHT / 2, HEIGHT / 2);
    printf("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='#888' stroke-dasharray='6 4'/>\n",
           x_of(1e3), y_of(1e-3), x_of(1e6), y_of(1));
}

static void draw(const struct line *l, int number)
{
    const char *colour = colours[(size_t)number % (sizeof colours / sizeof *colours)];
    printf("<polyline fill='none' stroke='%s' stroke-width='1.5' points='", colour);
    for (int i = 0; i < l->count; i++)
        printf("%.1f,%.1f ", x_of(l->operations[i]), y_of(l->seconds[i]));
    printf("'/>\n<text x='%d' y='%d' fill='%s'>%s</text>\n", WIDTH - RIGHT + 14,
           TOP + 10 + 18 * number, colour, l->shape);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: plot STAGE TITLE < LINES > FILE.svg\n", stderr);
        return 2;
    }
    static struct line lines[SHAPES];
    int count = read_lines(lines, argv[1]);
    printf(
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='12'>\n"
        "<rect width='100%%' height='100%%' fill='white'/>\n<text x='%d' y='26' font-size='14'>%s</text>\n",
        WIDTH, HEIGHT, LEFT, argv[2]);
    axes();
    for (int i = 0; i < count; i++)
        draw(&lines[i], i);
    puts("</svg>");
}
