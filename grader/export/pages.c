/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grader/batch/ledger.h"
#include "grader/environment.h"
#include "grader/export/page.h"
#include "grader/whole.h"

void page_all(const char *out, const json_t *results)
{
    for (int board = 0; board < 2; board++) {
        char *path = ledger_path(out, board ? "leaderboard.html" : "class.html");
        struct whole file;
        bool good = whole_open(&file, path);
        if (good) {
            if (board)
                page_leaderboard(file.out, results, true);
            else
                page_class(file.out, results, out);
            good = whole_close(&file, true);
        }
        if (!good)
            environment("cannot write %s: %s", path, strerror(errno));
        free(path);
    }
}
