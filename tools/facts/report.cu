/* SPDX-License-Identifier: MIT */
#include "facts.h"

#include <ctype.h>

enum { FACTS = 128, LINES = 320, TEXT = 240 };

static struct { char key[32], unit[12], source[TEXT]; double value; } facts[FACTS];
static struct { char table[96], what[112], answer[96]; } lines[LINES];
static int fact_count, line_count;

struct figure middle_of(double *values, int count)
{
    for (int i = 1; i < count; i++)
        for (int at = i; at > 0 && values[at - 1] > values[at]; at--) {
            double other = values[at];
            values[at] = values[at - 1];
            values[at - 1] = other;
        }
    return { values[count / 2], values[0], values[count - 1] };
}

void doing(const char *what)
{
    fprintf(stderr, "facts: %s\n", what);
}

void fact_known(const char *key, const char *unit, double value, const char *source)
{
    if (fact_count == FACTS)
        abort();
    snprintf(facts[fact_count].key, sizeof facts[0].key, "%s", key);
    snprintf(facts[fact_count].unit, sizeof facts[0].unit, "%s", unit);
    snprintf(facts[fact_count].source, sizeof facts[0].source, "%s", source);
    facts[fact_count++].value = value;
}

/* Latencies that come out below 0 are too small to be seen. */
void fact(const char *key, const char *unit, struct figure f, const char *how)
{
    char source[TEXT];
    snprintf(source, sizeof source, "[M] %s; %.4g to %.4g", how, f.least, f.most);
    fact_known(key, unit, f.middle > 0 ? f.middle : 0, source);
}

double value_of(const char *key)
{
    for (int i = 0; i < fact_count; i++)
        if (strcmp(facts[i].key, key) == 0)
            return facts[i].value;
    fprintf(stderr, "facts: '%s' is not measured yet\n", key);
    abort();
}

void observed(const char *table, const char *what, const char *answer)
{
    if (line_count == LINES)
        abort();
    snprintf(lines[line_count].table, sizeof lines[0].table, "%s", table);
    snprintf(lines[line_count].what, sizeof lines[0].what, "%s", what);
    snprintf(lines[line_count++].answer, sizeof lines[0].answer, "%s", answer);
}

void observed_us(const char *table, const char *what, struct figure us)
{
    char answer[64];
    snprintf(answer, sizeof answer, "%.4g us (%.4g to %.4g)", us.middle, us.least, us.most);
    observed(table, what, answer);
}

/* ---- writing ---- */

/* Numbers as people write them: no exponent, six digits that matter, no 0 after the last. */
static const char *number(double value)
{
    static char text[48];
    double size = value < 0 ? -value : value;
    int digits = size >= 1e5 ? 0 : size >= 1e4 ? 1 : size >= 1e3 ? 2 : 3;
    snprintf(text, sizeof text, "%.*f", digits, value);
    if (strchr(text, '.')) {
        char *end = text + strlen(text);
        while (end[-1] == '0')
            *--end = '\0';
        if (end[-1] == '.')
            end[-1] = '\0';
    }
    return strcmp(text, "-0") == 0 ? "0" : text;
}

/* "NVIDIA GeForce RTX 3090": rtx3090. */
static void short_name(char *name, size_t size)
{
    static const char *const makers[] = { "NVIDIA ", "Tesla ", "GeForce ", "Quadro " };
    const char *title = t.card.name;
    for (const char *maker : makers)
        if (strncmp(title, maker, strlen(maker)) == 0)
            title += strlen(maker);
    size_t at = 0;
    for (; *title && at + 1 < size; title++)
        if (isalnum((unsigned char)*title))
            name[at++] = (char)tolower((unsigned char)*title);
    name[at] = '\0';
}

static const char *given(const char *name, const char *otherwise)
{
    const char *text = getenv(name);
    return text && *text && !strpbrk(text, "\"\\\n") ? text : otherwise;
}

static void write_json(FILE *out)
{
    char name[64], driver[32], cuda[32];
    int version = 0;
    short_name(name, sizeof name);
    CHECK(cudaDriverGetVersion(&version));
    snprintf(driver, sizeof driver, "for CUDA %d.%d", version / 1000, version % 1000 / 10);
    CHECK(cudaRuntimeGetVersion(&version));
    snprintf(cuda, sizeof cuda, "%d.%d", version / 1000, version % 1000 / 10);
    fprintf(out, "{\n  \"facts\": 1,\n  \"name\": \"%s\",\n  \"title\": \"%s\",\n  \"date\": \"%s\",\n  \"driver\": \"%s\",\n"
                 "  \"cuda\": \"%s\",\n  \"host\": \"%s\",\n", name, t.card.name, given("FACTS_DATE", "no date"),
            given("FACTS_DRIVER", driver), cuda, given("FACTS_HOST", "host not known"));
    fputs("  \"about\": [\n    \"[M]: measured by `make facts`, the middle one of several, and from where to where they went.\",\n"
          "    \"[Q]: what the card says of itself. [G]: CUDA Programming Guide, \\\"Compute Capabilities\\\".\"\n  ],\n"
          "  \"values\": {\n", out);
    for (int i = 0; i < fact_count; i++) {
        fprintf(out, "    \"%s\": {\"value\": %s, ", facts[i].key, number(facts[i].value));
        if (*facts[i].unit)
            fprintf(out, "\"unit\": \"%s\", ", facts[i].unit);
        fprintf(out, "\"source\": \"%s\"}%s\n", facts[i].source, i + 1 < fact_count ? "," : "");
    }
    fputs("  },\n  \"observed\": [\n", out);
    for (int i = 0; i < line_count; i++)
        fprintf(out, "    [\"%s\", \"%s\", \"%s\"]%s\n", lines[i].table, lines[i].what, lines[i].answer,
                i + 1 < line_count ? "," : "");
    fputs("  ]\n}\n", out);
}

static void write_markdown(void)
{
    printf("# %s\n\n%s, driver %s. %s.\n\n| key | value | source |\n|---|---|---|\n", t.card.name,
           given("FACTS_DATE", "no date"), given("FACTS_DRIVER", "not known"), given("FACTS_HOST", "Host not known"));
    for (int i = 0; i < fact_count; i++)
        printf("| %s | %s%s%s | %s |\n", facts[i].key, number(facts[i].value), *facts[i].unit ? " " : "", facts[i].unit,
               facts[i].source);
    for (int i = 0; i < line_count; i++) {
        if (i == 0 || strcmp(lines[i].table, lines[i - 1].table) != 0)
            printf("\n## %s\n\n| | |\n|---|---|\n", lines[i].table);
        printf("| %s | %s |\n", lines[i].what, lines[i].answer);
    }
}

void report(const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out) {
        fprintf(stderr, "facts: cannot write %s\n", path);
        exit(2);
    }
    write_json(out);
    if (fclose(out) != 0) {
        fprintf(stderr, "facts: cannot write %s\n", path);
        exit(2);
    }
    write_markdown();
}
