/* SPDX-License-Identifier: MIT */
#include "grader/batch/jobs/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "grader/batch/files/ledger.h"
#include "grader/batch/jobs/sandbox_policy.h"
#include "grader/grade/gpu.h"
#include "grader/run/build.h"
#include "grader/run/probe.h"
#include "trace/record/memory.h"

#define DEVICES "/dev"

static void choose_machine(const struct plan *p, struct machine *m)
{
    machine_choose(m, backend_name(p->backend));
    if (m->backend != p->backend)
        die("there is no nvcc: put the CUDA toolkit's bin folder into PATH, or say NVCC=/where/nvcc/is "
            "(BACKEND=sim judges on the simulator)");
}

void device_need(const struct plan *p)
{
    struct machine m;
    char why[GPU_WHY];
    choose_machine(p, &m);
    for (size_t i = 0; i < p->count; i++)
        if (!gpu_is_made(p->jobs[i].lesson, why))
            die("the class cannot be judged on a GPU: %s (BACKEND=sim judges on the simulator)",
                why);
}

/* Ends us where it must not fail. */
static bool run_probe(struct probe *probe, const struct sandbox *box, char why[PROBE_WHY])
{
    if (!probe_start(probe, box))
        die("the check of the GPU cannot be run: %s", strerror(errno));
    if (!child_wait((struct child *[]){ &probe->child }, 1, NULL))
        interrupt_leave();
    return probe_is_well(probe, why);
}

#define EMPTY "empty.cu"

/* What every file starts from, so that it is not the file's fault if nothing comes of it. */
static void try_nvcc(const struct sandbox *box)
{
    struct sandbox_entry entry;
    struct child c;
    char nvcc[PATH_MAX + 8], architecture[32];
    char *source = sandbox_path(box, true, SANDBOX_SOURCE, EMPTY),
         *compiler = sandbox_path(box, false, SANDBOX_TOOLCHAIN, "tools/nvcc");
    snprintf(nvcc, sizeof nvcc, "NVCC=%s", box->card->nvcc);
    snprintf(architecture, sizeof architecture, "ARCHITECTURE=%s", box->card->architecture);
    ledger_write(source, "__global__ void nothing() { }\n", 30);
    chmod(source, 0644);
    struct child_plan plan = {
        .argv = (const char *const[]){ compiler, "-c", EMPTY, "-o", "/out/empty.o", NULL },
        .environment = (const char *const[]){ "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8",
                                              "TMPDIR=/tmp", nvcc, architecture, NULL },
        .wall_ms = BUILD_LIMIT_MS, .output_cap = 4096, .input = -1, .output = -1,
    };
    sandbox_enter(box, &entry, &plan, SANDBOX_NVCC);
    if (!child_run(&c, &plan))
        die("cannot run the compiler %s: %s", compiler, strerror(errno));
    char *said = text_harmless(c.output, strcspn(c.output, "\n"));
    if (!child_succeeded(&c))
        die("nvcc does not work in the sandbox (name the toolkit's own: NVCC=/…/bin/nvcc): %s",
            said);
    memory_resize(said, 0);
    child_fini(&c);
    free(source), free(compiler);
}

/* As submissions will see it. */
static void probe_from_inside(const struct plan *p, const char *stage, struct card_access *a)
{
    struct sandbox box;
    char why[PROBE_WHY], first[PROBE_WHY];
    sandbox_policy_open(&box, stage, p->confined, p->memory, a);
    for (int with_sys = 0; p->confined && with_sys < 2; with_sys++) {
        struct probe probe;
        a->sees_sys = with_sys;
        bool well = run_probe(&probe, &box, why);
        probe_fini(&probe);
        if (well)
            break;
        if (with_sys)
            die("the sandbox keeps the GPU from programs: %s (BACKEND=sim judges on the simulator)",
                first);
        snprintf(first, sizeof first, "%s", why);
    }
    if (p->confined)
        try_nvcc(&box);
    sandbox_policy_close(&box);
}

void device_find(const struct plan *p, const char *stage)
{
    struct machine m;
    struct card_access a;
    struct probe probe;
    char why[PROBE_WHY];
    choose_machine(p, &m);
    card_access_find(&a, &m, DEVICES);
    if (!run_probe(&probe, NULL, why))
        die("%s (BACKEND=sim judges on the simulator)", why);
    probe_architecture(&probe, a.architecture, sizeof a.architecture);
    probe_fini(&probe);
    probe_from_inside(p, stage, &a);
    char *path = ledger_path(stage, "device.json");
    json_t *all = json_pack("{s:s s:s s:s s:b}", "nvcc", m.nvcc, "cupti", m.cupti, "architecture",
                            a.architecture, "sees_sys", a.sees_sys);
    if (!all)
        die("the toolkit's name is no text: %s", path);
    ledger_write_json(path, all);
    json_decref(all);
    free(path);
    card_access_fini(&a);
}

void device_read(const struct plan *p, const char *stage, struct machine *m, struct card_access *a)
{
    char *path = ledger_path(stage, "device.json");
    const char *nvcc, *cupti, *architecture;
    int sees_sys;
    json_t *all = ledger_read_json(path);
    if (json_unpack(all, "{s:s s:s s:s s:b}", "nvcc", &nvcc, "cupti", &cupti, "architecture",
                    &architecture, "sees_sys", &sees_sys)
        != 0)
        die("%s does not say what GPU there is", path);
    *m = (struct machine){ .backend = p->backend };
    snprintf(m->nvcc, sizeof m->nvcc, "%s", nvcc);
    snprintf(m->cupti, sizeof m->cupti, "%s", cupti);
    card_access_find(a, m, DEVICES);
    snprintf(a->architecture, sizeof a->architecture, "%s", architecture);
    a->sees_sys = sees_sys;
    json_decref(all);
    free(path);
}

void device_environment(const char **variables, size_t most)
{
    static const char *const names[] = { "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
                                         "LD_LIBRARY_PATH", "GPU_FOLDER", "RECORDER" };
    extern char **environ;
    size_t count = 0;
    while (variables[count])
        count++;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (char **one = environ; *one && count < most; one++)
            if (strncmp(*one, names[i], strlen(names[i])) == 0 && (*one)[strlen(names[i])] == '=')
                variables[count++] = *one;
    variables[count] = NULL;
}
