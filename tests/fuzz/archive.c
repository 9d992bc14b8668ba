/* SPDX-License-Identifier: MIT */
/* A class as an archive: whatever is in it, every file has an owner and is a text or refused. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "grader/batch/intake/people.h"
#include "grader/batch/intake/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct intake in;
    char trouble[512] = "";
    static const struct roster nobody = { .people = NULL };
    bool good = unpack_class(&in, fuzz_file(bytes, count), &nobody, trouble, sizeof trouble);
    HOLDS(good == (trouble[0] == '\0'));
    people_find(&in, &nobody);
    intake_settle(&in);
    HOLDS(intake_adds_up(&in));
    for (size_t i = 0; i < in.count; i++) {
        const struct handed_in *h = &in.files[i];
        HOLDS(h->student[0] != '\0' && h->lesson);
        HOLDS((h->text != NULL) != (h->refused != NULL));
        HOLDS(h->bytes <= INTAKE_FILE_MAX || !h->text);
        HOLDS(!strpbrk(h->path, "\r\x1b"));
        HOLDS(i == 0 || strcmp(in.files[i - 1].student, h->student) < 0
              || (strcmp(in.files[i - 1].student, h->student) == 0
                  && in.files[i - 1].lesson->number < h->lesson->number));
    }
    intake_fini(&in);
    return 0;
}
