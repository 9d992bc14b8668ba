/* SPDX-License-Identifier: MIT */
#include "grader/run/probe.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "grader/base/text.h"
#include "grader/run/run.h"
#include "grader/sandbox/gpu_files.h"
#include "trace/record/memory.h"

bool probe_start(struct probe *p, const struct sandbox *sandbox)
{
    char *card =
        sandbox ? sandbox_path(sandbox, false, SANDBOX_TOOLCHAIN, SANDBOX_PROBE) : gpu_path("card");
    const char *variables[GPU_VARIABLES + 1];
    char text[GPU_VARIABLES][PATH_MAX + 32];
    struct sandbox_entry entry;
    run_card_environment(variables, text);
    struct child_plan plan = { .argv = (const char *const[]){ card, "works", NULL },
                               .environment = variables, .wall_ms = PROBE_LIMIT_MS,
                               .output_cap = 4096, .input = -1, .output = -1 };
    if (sandbox)
        sandbox_enter(sandbox, &entry, &plan, SANDBOX_ON_CARD);
    bool good = child_start(&p->child, &plan);
    free(card);
    return good;
}

static const struct { const char *words, *advice;
} advice[] = {
    { "cannot share the GPU's memory",  /* common/driver.cu */
      "two processes cannot share the GPU's memory here: a container may forbid it, or a compute mode that lets one process alone use the GPU" },
    { "insufficient for CUDA runtime",
      "the driver is missing, or older than the CUDA toolkit: update it, or name an older toolkit (NVCC=)" },
    { "no CUDA-capable device", "no GPU can be seen: does CUDA_VISIBLE_DEVICES hide it?" },
    { "busy or unavailable", "another process has the GPU to itself: nvidia-smi says which" },
    { "out of memory", "the GPU has no memory left: nvidia-smi says which process has it" },
    { "not permitted",
      "you have no permission to use the GPU: ls -l /dev/nvidia* shows who has" },
    { "OS call failed",
      "you may have no permission to use the GPU: ls -l /dev/nvidia* shows who has" },
    { "unspecified launch failure",
      "the GPU has a fault: nvidia-smi -q says more, and a reset or a restart may help" },
    { "uncorrectable ECC",
      "the GPU has a fault: nvidia-smi -q says more, and a reset or a restart may help" },
};

const char *probe_advice(const char *words)
{
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
        if (strstr(words, advice[i].words))
            return advice[i].advice;
    return NULL;
}

/* What a profiler puts into the environment of what it starts; NULL: nothing. Nsight Compute
 * follows children and ends those that have none of it with signal 11 (2025.3). */
static const char *other_profiler(void)
{
    static const char *const variables[] = { "CUDA_INJECTION64_PATH", "NV_TPS_LAUNCH_TOKEN",
                                             "NV_NSIGHT_INJECTION_TRANSPORT_TYPE",
                                             "NSYS_PROFILING_SESSION_ID" };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            return variables[i];
    return NULL;
}

bool probe_is_well(const struct probe *p, char why[PROBE_WHY])
{
    const struct child *c = &p->child;
    if (!c->timed_out && child_succeeded(c))
        return true;
    char *said = text_harmless(c->output, c->output_count);
    said[strcspn(said, "\n")] = '\0';
    const char *what = probe_advice(said);
    if (c->timed_out)
        snprintf(why, PROBE_WHY, "the GPU does not answer: nvidia-smi says who is using it");
    else if (what)
        snprintf(why, PROBE_WHY, "%s (%.200s)", what, said);
    else if (said[0] != '\0')
        snprintf(why, PROBE_WHY, "the GPU cannot be used: %.300s", said);
    else if (other_profiler())
        snprintf(
            why, PROBE_WHY,
            "another profiler is attached (%s), and keeps the GPU from being recorded: start this without it",
            other_profiler());
    else if (WIFSIGNALED(c->status))
        snprintf(why, PROBE_WHY,
                 "the GPU cannot be used: asking it ends with signal %d, without a message",
                 WTERMSIG(c->status));
    else
        snprintf(why, PROBE_WHY,
                 "the GPU cannot be used: asking it ends with status %d, without a message",
                 WEXITSTATUS(c->status));
    memory_resize(said, 0);
    return false;
}

/* The line of that number, from 0, in what tools/card.cu prints; NULL where there is none. */
static const char *line_of(const struct probe *p, int number)
{
    const char *line = p->child.output, *end = line + p->child.output_count;
    for (; number > 0 && line; number--) {
        line = memchr(line, '\n', (size_t)(end - line));
        line = line ? line + 1 : NULL;
    }
    return line;
}

int probe_devices(const struct probe *p)
{
    const char *line = line_of(p, 4);
    long count = line ? strtol(line, NULL, 10) : 0;
    return count > 0 && count < 1000 ? (int)count : 1;
}

void probe_architecture(const struct probe *p, char *text, size_t size)
{
    const char *line = line_of(p, 1);
    unsigned major, minor;
    text[0] = '\0';
    if (line && sscanf(line, "%3u.%1u", &major, &minor) == 2)
        snprintf(text, size, "sm_%u%u", major, minor);
}

void probe_fini(struct probe *p)
{
    child_fini(&p->child);
}
