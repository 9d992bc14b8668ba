/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grader/batch/files/ledger.h"
#include "grader/base/environment.h"
#include "grader/export/page.h"
#include "grader/base/atomic_file.h"

void page_all(const char *out, const json_t *results)
{
    for (int board = 0; board < 2; board++) {
        char *path = ledger_path(out, board ? "leaderboard.html" : "class.html");
        struct atomic_file file;
        bool good = atomic_file_open(&file, path);
        if (good) {
            if (board)
                page_leaderboard(file.out, results, true);
            else
                page_class(file.out, results, out);
            good = atomic_file_close(&file, true);
        }
        if (!good)
            die("cannot write %s: %s", path, strerror(errno));
        free(path);
    }
}
