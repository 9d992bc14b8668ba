/* SPDX-License-Identifier: MIT */
/* field.h - what stands under a key of results.json; where nothing does, "" and 0. */
#ifndef GRADER_BATCH_RESULTS_FIELD_H
#define GRADER_BATCH_RESULTS_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

static inline const char *field_text(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

static inline bool field_is(const json_t *object, const char *key, const char *word)
{
    return strcmp(field_text(object, key), word) == 0;
}

static inline double field_number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

#endif
