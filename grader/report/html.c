/* SPDX-License-Identifier: MIT */
#include "grader/report/html.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/text.h"
#include "trace/record/memory.h"
#include "trace/record/utf8.h"

void html_begin(FILE *out, const char *title, const char *style, const char *script)
{
    fprintf(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src '%s'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n<title>",
        script ? script : "none");
    html_text(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

void html_end(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}

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

void html_format(FILE *out, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    va_end(arguments);
    html_text(out, text);
    free(text);
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
