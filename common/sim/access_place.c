/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access.h"
#include "entry.h"

/* "FILE:LINE" or "FILE:LINE (discriminator 3)". */
static bool split(char *text, uint32_t *file, uint32_t *line)
{
    char *colon = strrchr(text, ':');
    if (!colon || text[0] == '?' || atoi(colon + 1) <= 0)
        return false;
    *colon = '\0';
    *file = entry_string(text);
    *line = (uint32_t)atoi(colon + 1);
    return true;
}

/* addr2line comes with the linker. Inlined functions of headers come first: the
 * first line that is no system header's is the program's own. */
bool access_place(const void *pc, uint32_t *file, uint32_t *line)
{
    char command[128], text[4096];
    snprintf(command, sizeof command, "addr2line -i -e /proc/%d/exe %#lx 2> /dev/null", (int)getpid(),
             (unsigned long)(uintptr_t)pc - 1);
    FILE *in = popen(command, "re");
    bool found = false;
    while (in && fgets(text, sizeof text, in))
        if (!found && strncmp(text, "/usr/", 5) != 0)
            found = split(text, file, line);
    if (in)
        pclose(in);
    return found;
}
