/* SPDX-License-Identifier: MIT */
/*
 * verdict - reads a verdict's JSON on stdin, prints it as one line for tests:
 *
 *   passed:
 *   wanting: a-output b-overlap
 *   crashed:
 *
 * The failed checks' ids follow the status, in the lesson's order. One whose
 * finding leaves out what was expected, seen or why gets a '?' behind its id.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static int explained(const json_t *finding)
{
    static const char *const fields[] = { "expected", "seen", "why" };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (json_string_length(json_object_get(finding, fields[i])) == 0)
            return 0;
    return 1;
}

int main(void)
{
    json_error_t error;
    json_t *verdict = json_loadf(stdin, 0, &error), *check;
    const char *status = json_string_value(json_object_get(verdict, "status"));
    size_t i;
    if (!status) {
        fprintf(stderr, "verdict: %s\n", !verdict ? error.text : "no status");
        return 2;
    }
    printf("%s:", status);
    json_array_foreach(json_object_get(verdict, "checks"), i, check) {
        const char *id = json_string_value(json_object_get(check, "id"));
        const char *outcome = json_string_value(json_object_get(check, "outcome"));
        if (id && outcome && strcmp(outcome, "failed") == 0)
            printf(" %s%s", id, explained(json_object_get(check, "finding")) ? "" : "?");
    }
    putchar('\n');
    json_decref(verdict);
    return 0;
}
