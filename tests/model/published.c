/* SPDX-License-Identifier: MIT */
/*
 * published - draws the published times of the overlap demo beside those of our
 * cards, as SVG on standard output. Each card has a scale of its own: the longest of
 * its bars fills the width. `published ours`: our times alone, as in facts/published.txt.
 */
#include "published.h"

#include <string.h>

enum { WIDTH = 720, LEFT = 150, RIGHT = 70, BAR = 12, GAP = 4, GROUP = 3 * (2 * BAR + GAP) + 28,
       TOP = 44 };

static void put_head(int height)
{
    printf(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"published\" viewBox=\"0 0 %d %d\" role=\"img\" "
        "aria-label=\"The overlap demo on our cards: published times and ours\">\n",
        WIDTH, height);
    fputs(
        "<style>\n"
        ".published{color:#1c2128;font:11px system-ui,sans-serif}\n"
        ".published text{fill:currentColor}\n"
        ".published .name{font-size:13px;font-weight:600}\n"
        ".published .end{text-anchor:end}\n"
        ".published .theirs{fill:#8a97a8}\n"
        ".published .ours{fill:#1f5fa8}\n"
        "@media (prefers-color-scheme:dark){.published{color:#e6e9ee}.published .ours{fill:#6ea8ef}}\n"
        "</style>\n",
        stdout);
    printf(
        "<rect class=\"theirs\" x=\"%d\" y=\"10\" width=\"24\" height=\"%d\"/><text x=\"%d\" y=\"20\">published or measured</text>\n",
        LEFT, BAR, LEFT + 30);
    printf(
        "<rect class=\"ours\" x=\"%d\" y=\"10\" width=\"24\" height=\"%d\"/><text x=\"%d\" y=\"20\">simulated</text>\n",
        LEFT + 180, BAR, LEFT + 210);
}

/* `beside`: where its time stands, right of the longer one of its pair. */
static void put_bar(const char *who, int y, double ms, double scale, double beside)
{
    int width = (int)(ms * scale + 0.5);
    printf("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
           "<text x=\"%d\" y=\"%d\">%.3f ms</text>\n",
           who, LEFT, y, width, BAR, LEFT + (int)(beside * scale + 0.5) + 4, y + BAR - 2, ms);
}

static void put_card(const struct published *p, int y)
{
    const struct card *card = card_find(p->card);
    struct demo ours = overlap_demo(p->card);
    const struct { const char *label; double theirs, ours; } rows[] = {
        { "in one piece", p->ms.sequential, ours.sequential },
        { "depth first", p->ms.depth, ours.depth },
        { "breadth first", p->ms.breadth, ours.breadth },
    };
    double most = 0;
    for (size_t i = 0; i < 3; i++) {
        most = rows[i].theirs > most ? rows[i].theirs : most;
        most = rows[i].ours > most ? rows[i].ours : most;
    }
    double scale = (WIDTH - LEFT - RIGHT) / most;
    printf("<text class=\"name\" x=\"8\" y=\"%d\">%s</text>\n", y + BAR, card->title);
    for (size_t i = 0; i < 3; i++) {
        double longer = rows[i].theirs > rows[i].ours ? rows[i].theirs : rows[i].ours;
        int at = y + 11 + (int)i * (2 * BAR + GAP);
        printf("<text class=\"end\" x=\"%d\" y=\"%d\">%s</text>\n", LEFT - 8, at + BAR + 12,
               rows[i].label);
        put_bar("theirs", at + 8, rows[i].theirs, scale, longer);
        put_bar("ours", at + 8 + BAR, rows[i].ours, scale, longer);
    }
}

static void put_ours(const struct published *p)
{
    struct demo ours = overlap_demo(p->card);
    printf("%s %.3f %.3f %.3f\n", p->card, ours.sequential, ours.depth, ours.breadth);
}

int main(int argc, char **argv)
{
    struct published rows[PUBLISHED_MOST];
    size_t count = published_read(rows);
    if (argc > 1 && strcmp(argv[1], "ours") == 0) {
        for (size_t i = 0; i < count; i++)
            put_ours(&rows[i]);
        return count == 0;
    }
    put_head(TOP + (int)count * GROUP);
    for (size_t i = 0; i < count; i++)
        put_card(&rows[i], TOP + (int)i * GROUP);
    puts("</svg>");
    return count == 0;
}
