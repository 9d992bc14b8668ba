/* SPDX-License-Identifier: MIT */
#include "grader/sandbox/gpu_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"

char *gpu_path(const char *name)
{
    const char *folder = getenv("GPU_FOLDER");
    char *path;
    if (!folder || folder[0] == '\0')
        return project_path("build/gpu/%s", name);
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        die("no memory left");
    return path;
}

char *gpu_recorder(void)
{
    const char *option = getenv("RECORDER");
    return option && option[0] != '\0' ? strdup(option) : project_path("build/lib/librecorder.so");
}
