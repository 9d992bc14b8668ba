/* SPDX-License-Identifier: MIT */
#include "grader/report/html.h"

#include <ctype.h>
#include <string.h>

#include "grader/base/text.h"
#include "trace/record/memory.h"
#include "trace/record/utf8.h"

void html_text(FILE *out, const char *text)
{
    char *clean = text_harmless(text, strlen(text));
    for (const char *c = clean; *c != '\0'; c++) {
        const char *entity = utf8_entity((unsigned char)*c);
        if (entity)
            fputs(entity, out);
        else
            fputc(*c, out);
    }
    memory_resize(clean, 0);
}

void html_path(FILE *out, const char *path)
{
    for (const unsigned char *c = (const unsigned char *)path; *c != '\0'; c++)
        if (isalnum(*c) || strchr("-._~/", *c))
            fputc(*c, out);
        else
            fprintf(out, "%%%02X", *c);
}

void html_anchor(FILE *out, const char *heading)
{
    for (const unsigned char *c = (const unsigned char *)heading; *c != '\0'; c++)
        if (isalnum(*c) || *c == '_' || *c == '-' || *c == '.')
            fputc(tolower(*c), out);
        else if (*c == ' ')
            fputc('-', out);
        else if (*c >= 0x80)
            fprintf(out, "%%%02X", *c);
}
