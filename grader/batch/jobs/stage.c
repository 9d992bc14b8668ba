/* SPDX-License-Identifier: MIT */
#include "grader/batch/jobs/stage.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/batch/files/ledger.h"
#include "grader/sandbox/sandbox.h"

#define STAGE_NAME "workbook-batch-"

static char stage[PATH_MAX / 4];
static pid_t owner;

static void remove_stage(void)
{
    if (getpid() == owner)
        folder_remove(stage);
}

/* What a killed one left: only where it is ours by its name and its owner. */
static void remove_left(const char *note)
{
    char left[sizeof stage] = "";
    struct stat s;
    FILE *in = fopen(note, "re");
    if (!in)
        return;
    const char *slash = fgets(left, sizeof left, in) ? strrchr(left, '/') : NULL;
    fclose(in);
    left[strcspn(left, "\n")] = '\0';
    if (slash && strncmp(slash + 1, STAGE_NAME, strlen(STAGE_NAME)) == 0 && lstat(left, &s) == 0
        && S_ISDIR(s.st_mode) && s.st_uid == getuid())
        folder_remove(left);
    unlink(note);
}

/* May everybody pass on the way there? Root's sandboxes are another user's. */
static bool open_to_all(const char *folder)
{
    char path[PATH_MAX];
    struct stat s;
    if (snprintf(path, sizeof path, "%s/", folder) >= (int)sizeof path)
        return false;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (stat(path, &s) != 0 || (s.st_mode & S_IXOTH) == 0)
            return false;
        *slash = '/';
    }
    return true;
}

const char *stage_make(const char *out, bool card)
{
    char host[65] = "", path[sizeof stage + 16];
    gethostname(host, sizeof host - 1);
    const char *base = getenv("TMPDIR"), *slurm = getenv("SLURM_ARRAY_TASK_ID");
    char *machine = ledger_name(host), *note = ledger_path(out, "batch/stage-%s%s%s", machine,
                                                           slurm ? "-" : "", slurm ? slurm : "");
    remove_left(note);
    if (!base || base[0] != '/' || (getuid() == 0 && !open_to_all(base)))
        base = "/tmp";
    /* The note first: a kill between the two leaves no folder that nobody knows of. */
    uint64_t fresh;
    if (getrandom(&fresh, sizeof fresh, 0) != sizeof fresh)
        die("no random numbers: %s", strerror(errno));
    if (snprintf(stage, sizeof stage, "%s/" STAGE_NAME "%016" PRIx64, base, fresh)
        >= (int)sizeof stage)
        die("the name of the temporary folder %s is too long", base);
    ledger_write(note, stage, strlen(stage));
    if (mkdir(stage, 0700) != 0)
        die("cannot write to %s: %s", base, strerror(errno));
    owner = getpid();
    atexit(remove_stage);
    chmod(stage, 0711);
    static const char *const folders[] = { "toolchain", "tmp" };
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", stage, folders[i]);
        if (mkdir(path, 0755) != 0 || chmod(path, i == 0 ? 0755 : 0711) != 0)
            die("cannot write to %s: %s", stage, strerror(errno));
        if (i == 0)
            sandbox_stage(path, card);
    }
    setenv("TMPDIR", path, 1);  /* private folders go there */
    free(machine), free(note);
    return stage;
}
