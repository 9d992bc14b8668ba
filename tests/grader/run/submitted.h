/* SPDX-License-Identifier: MIT */
/* submitted.h - a file in a folder of its own, read as a submission. */
#ifndef TESTS_SUBMITTED_H
#define TESTS_SUBMITTED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "grader/run/submission.h"

static char folder[64], path[96], problem[512];
static struct submission file;

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test-submission-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.cu", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static bool read_bytes(const char *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
    return submission_read(&file, path, problem, sizeof problem);
}
#define READ(bytes) read_bytes(bytes, sizeof bytes - 1)

#endif
