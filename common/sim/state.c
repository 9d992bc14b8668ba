/* SPDX-License-Identifier: MIT */
#include "sim/sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct sim sim = { .kernel_now = NO_NODE, .function_now = NO_NODE };

void (*thread_arrives)(void);

static uint32_t threads;
static __thread struct thread self;
static __thread struct thread *host;    /* of one of the simulator's own threads */

uint32_t thread_number(void)
{
    return threads++;
}

void thread_becomes(uint32_t number, struct task *task, uint32_t process)
{
    self = (struct thread){ .number = number, .known = true, .task = task, .process = process };
    if (thread_arrives)
        thread_arrives();
}

struct thread *thread_self(void)
{
    if (host)
        return host;
    if (!self.known)
        thread_becomes(thread_number(), NULL, 0);
    return &self;
}

void thread_works_for(struct thread *thread)
{
    host = thread;
}

_Noreturn void sim_trouble(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

unsigned environment_number(const char *name, unsigned most)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return 0;
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    return *end != '\0' || value > most ? 0 : (unsigned)value;
}
