/* SPDX-License-Identifier: MIT */
/* nvcc's part of build.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/build.h"
#include "grader/environment.h"
#include "grader/gpu.h"

void build_start_cuda(struct build *b, const struct submission *s, const struct lesson *lesson, const char *nvcc)
{
    *b = (struct build){ .child = CHILD_NONE, .lesson = lesson };
    char *compiler = project_path("tools/nvcc"), *streams = gpu_path("streams.o"), *runtime = gpu_path("driver.o");
    char *common = project_display_path("common"), *folder = project_display_path("lessons/%s", lesson->folder), *source;
    char driver_name[128], path[4200], temporary[PATH_MAX + 16], variable[PATH_MAX + 8], include[2][PATH_MAX + 8];
    snprintf(driver_name, sizeof driver_name, "%s/driver.o", lesson->folder);
    char *driver = gpu_path(driver_name);
    snprintf(include[0], sizeof include[0], "-I%s", common);
    snprintf(include[1], sizeof include[1], "-I%s", folder);
    snprintf(path, sizeof path, "PATH=%s", getenv("PATH") != NULL ? getenv("PATH") : "/usr/local/bin:/usr/bin:/bin");
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", private_folder());
    snprintf(variable, sizeof variable, "NVCC=%s", nvcc);
    /* A path that begins with a dash must not be an option. */
    if (asprintf(&source, "%s%s", s->path[0] == '-' ? "./" : "", s->path) < 0
        || asprintf(&b->program, "%s/program-cuda", private_folder()) < 0)
        environment("no memory left");

    bool standard = false;
    const char *argv[24 + SUBMISSION_OPTIONS] = { compiler, "-O1", "-g", "-lineinfo", include[0], include[1] };
    size_t n = 6;
    for (size_t i = 0; i < s->option_count; i++) {
        argv[n++] = s->option[i];
        standard |= strncmp(s->option[i], "-std=", 5) == 0;
    }
    const char *const rest[] = { source, driver, streams, runtime, "-ldl", "-Xcompiler", "-pthread", "-o", b->program };
    if (!standard)
        argv[n++] = "-std=c++17";
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        argv[n++] = rest[i];
    struct child_plan plan = {
        .argv = argv, .environment = (const char *const[]){ path, temporary, "LC_ALL=C.UTF-8", variable, NULL },
        .wall_ms = BUILD_LIMIT_MS, .doing = "compiling", .output_cap = 1u << 18, .input = -1, .output = -1,
    };
    if (!child_start(&b->child, &plan))
        environment("cannot run the compiler %s: %s", compiler, strerror(errno));
    free(compiler), free(streams), free(runtime), free(driver), free(common), free(folder), free(source);
}
