/* SPDX-License-Identifier: MIT */
#include "grader/sandbox/control_group.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIERARCHY "/sys/fs/cgroup"
#define CGROUP2_MAGIC 0x63677270

static bool write_file(const struct control_group *g, const char *name, const char *text)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", g->path, name);
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    bool good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0)
        close(file);
    return good;
}

static bool make_at(struct control_group *g, const char *parent, uint64_t memory)
{
    static unsigned made;
    char bytes[24], processes[24];
    g->path[0] = '\0';
    if (snprintf(g->path, sizeof g->path, "%s/workbook-%ld-%u", parent, (long)getpid(), made++)
            >= (int)sizeof g->path
        || mkdir(g->path, 0755) != 0) {
        g->path[0] = '\0';
        return false;
    }
    snprintf(bytes, sizeof bytes, "%" PRIu64, memory);
    snprintf(processes, sizeof processes, "%d", GROUP_PROCESSES);
    bool limited = write_file(g, "memory.max", bytes) && write_file(g, "pids.max", processes);
    write_file(g, "memory.swap.max", "0");      /* not there where the kernel counts no swap */
    if (!limited)
        control_group_remove(g);
    return limited;
}

/* The group that ours is in, as a folder; false where that cannot be told. */
static bool find_parent(char path[PATH_MAX])
{
    char line[PATH_MAX - 64];
    bool found = false;
    FILE *in = fopen("/proc/self/cgroup", "re");
    while (in && !found && fgets(line, sizeof line, in))
        if (strncmp(line, "0::/", 4) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(path, PATH_MAX, HIERARCHY "%s", line + 3);
            *strrchr(path, '/') = '\0';
            found = true;
        }
    if (in)
        fclose(in);
    return found;
}

/* A child can be put into a group that was made there: the kernel may forbid that though it lets us
 * make one. */
static bool can_enter(const struct control_group *g)
{
    pid_t child = fork();
    if (child == 0)
        _exit(control_group_enter(g) ? 0 : 1);
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* Groups of graders that were killed before they could remove them. */
static void remove_orphan_groups(const char *parent)
{
    glob_t found;
    char pattern[PATH_MAX + 16];
    long pid;
    snprintf(pattern, sizeof pattern, "%s/workbook-*-*", parent);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (sscanf(strrchr(found.gl_pathv[i], '/'), "/workbook-%ld-", &pid) == 1
                && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
                rmdir(found.gl_pathv[i]);
    globfree(&found);
}

const char *control_group_parent(void)
{
    static char parent[PATH_MAX];
    static bool looked;
    struct statfs fs;
    if (looked)
        return parent[0] != '\0' ? parent : NULL;
    looked = true;
    for (int top = 0; top < 2; top++) {
        struct control_group g;
        if (top == 0 ? !find_parent(parent) : snprintf(parent, sizeof parent, HIERARCHY) < 0)
            continue;
        if (statfs(parent, &fs) != 0 || fs.f_type != CGROUP2_MAGIC
            || !make_at(&g, parent, (uint64_t)1 << 30))
            continue;
        bool good = can_enter(&g);
        control_group_remove(&g);
        if (good) {
            remove_orphan_groups(parent);
            return parent;
        }
    }
    parent[0] = '\0';
    return NULL;
}

bool control_group_make(struct control_group *g, uint64_t memory)
{
    const char *parent = control_group_parent();
    g->path[0] = '\0';
    return parent && make_at(g, parent, memory);
}

bool control_group_enter(const struct control_group *g)
{
    return write_file(g, "cgroup.procs", "0");
}

bool control_group_was_full(const struct control_group *g)
{
    char path[PATH_MAX + 32], word[32];
    uint64_t count;
    bool full = false;
    snprintf(path, sizeof path, "%s/memory.events", g->path);
    FILE *in = g->path[0] != '\0' ? fopen(path, "re") : NULL;
    while (in && fscanf(in, "%31s %" SCNu64, word, &count) == 2)
        full |= strcmp(word, "oom_kill") == 0 && count > 0;
    if (in)
        fclose(in);
    return full;
}

void control_group_remove(struct control_group *g)
{
    /* What was killed may be on its way out for a moment. */
    for (int i = 0; i < 50 && g->path[0] != '\0' && rmdir(g->path) != 0 && errno == EBUSY; i++) {
        write_file(g, "cgroup.kill", "1");
        usleep(10000);
    }
    g->path[0] = '\0';
}
