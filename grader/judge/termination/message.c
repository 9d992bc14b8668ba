/* SPDX-License-Identifier: MIT */
#include "grader/judge/termination/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/text.h"

void message_copy(char *to, size_t size, const struct timeline *log, uint32_t number)
{
    const char *s = timeline_string(log, number);
    text_harmless_to(to, size, s, strlen(s));
}

void message_write(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
}

void message_add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}
