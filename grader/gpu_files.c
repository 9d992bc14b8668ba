/* SPDX-License-Identifier: MIT */
#include "grader/gpu_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/environment.h"
#include "grader/text.h"

char *gpu_path(const char *name)
{
    const char *folder = getenv("GPU_FOLDER");
    char *path;
    if (folder == NULL || folder[0] == '\0')
        return project_path("build/gpu/%s", name);
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        environment("no memory left");
    return path;
}

char *gpu_recorder(void)
{
    const char *wish = getenv("RECORDER");
    return wish != NULL && wish[0] != '\0' ? strdup(wish) : project_path("build/lib/librecorder.so");
}
