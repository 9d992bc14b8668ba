/* SPDX-License-Identifier: MIT */
/* nvcc's part of build.h. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/run/build.h"
#include "grader/sandbox/gpu_files.h"

/* What nvcc made for all, or the copy of it. */
static char *made(const struct sandbox *box, const char *name)
{
    return box ? sandbox_path(box, false, SANDBOX_TOOLCHAIN, "gpu/%s", name) : gpu_path(name);
}

static char *include_path(const struct sandbox *box, const char *name)
{
    return box ? sandbox_path(box, false, SANDBOX_TOOLCHAIN, "%s", name)
               : project_display_path("%s", name);
}

void build_start_cuda(struct build *b, const struct submission *s, const struct lesson *lesson,
                      const char *nvcc, const struct sandbox *box)
{
    *b = (struct build){ .child = CHILD_NONE, .sandbox = box, .lesson = lesson };
    char driver_name[128], lesson_name[128], variable[PATH_MAX + 8], include[2][PATH_MAX + 8];
    char architecture[32];
    snprintf(driver_name, sizeof driver_name, "%s/driver.o", lesson->folder);
    snprintf(lesson_name, sizeof lesson_name, "lessons/%s", lesson->folder);
    char *streams = made(box, "streams.o"), *runtime = made(box, "driver.o"),
         *driver = made(box, driver_name), *source;
    char *common = include_path(box, "common"), *folder = include_path(box, lesson_name);
    char *compiler = box ? sandbox_path(box, false, SANDBOX_TOOLCHAIN, "tools/nvcc")
                         : project_path("tools/nvcc");
    snprintf(include[0], sizeof include[0], "-I%s", common);
    snprintf(include[1], sizeof include[1], "-I%s", folder);
    snprintf(architecture, sizeof architecture, "ARCHITECTURE=%s",
             box ? box->card->architecture : "");
    snprintf(variable, sizeof variable, "NVCC=%s", nvcc);
    /* A path that begins with a dash must not be an option. */
    if (asprintf(&source, "%s%s", s->path[0] == '-' ? "./" : "", s->path) < 0
        || (!box && asprintf(&b->program, "%s/program-cuda", private_folder()) < 0))
        die("no memory left");
    if (box)
        b->program = sandbox_path(box, false, SANDBOX_OUT, "program-cuda");

    bool standard = false;
    const char *argv[25 + SUBMISSION_OPTIONS] = { compiler, "-O1", "-g", "-lineinfo", include[0],
                                                  include[1] };
    size_t n = 6;
    for (size_t i = 0; i < s->option_count; i++) {
        argv[n++] = s->option[i];
        standard |= strncmp(s->option[i], "-std=", 5) == 0;
    }
    const char *const rest[] = { source, driver, streams, runtime, "-ldl", "-Xcompiler", "-pthread",
                                 "-lcuda", "-o", b->program };
    if (!standard)
        argv[n++] = "-std=c++17";
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        argv[n++] = rest[i];
    build_compiler(b, SANDBOX_NVCC, BUILD_CPU_S, argv, variable, architecture);
    free(compiler), free(streams), free(runtime), free(driver), free(common), free(folder),
        free(source);
}
