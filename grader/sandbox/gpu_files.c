/* SPDX-License-Identifier: MIT */
#include "grader/sandbox/gpu_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"

char *gpu_path(const char *name)
{
    const char *folder = getenv("GPU_FOLDER");
    return folder && folder[0] != '\0' ? formatted("%s/%s", folder, name)
                                       : project_path("build/gpu/%s", name);
}

char *gpu_recorder(void)
{
    const char *option = getenv("RECORDER");
    return option && option[0] != '\0' ? strdup(option) : project_path("build/lib/librecorder.so");
}
