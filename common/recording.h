/* SPDX-License-Identifier: MIT */
/*
 * recording.h - what a program says to the recorder that the driver has loaded into it.
 *
 * On a GPU the recorder (cupti/recorder.h) comes through CUDA_INJECTION64_PATH
 * and sees each call of the runtime by itself. What it cannot see, streams.h and
 * driver.h tell it. Without a recorder recording() is NULL and nothing is told.
 */
#ifndef RECORDING_H
#define RECORDING_H

#include <stdlib.h>

#include <dlfcn.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RECORDING_SYMBOL "streams_recording"

struct recording {
    /* The program begins here: what was before is forgotten, and the clock starts at 0. */
    void (*start)(void);
    void (*part)(const char *name);     /* "": it ends */
    void (*label)(const char *name);    /* "": the innermost closes */
    void (*host_work)(long long ns);    /* it is over now, and took so long */
    /* The call that this thread has just made stands here, as `text`; the launches before it, where
     * it only asks how they went. */
    void (*site)(const char *text, const char *file, int line);
    void (*report)(int status, const char *text, const char *message, const char *file, int line);
};

/* NULL: nobody records. */
static inline const struct recording *recording(void)
{
    static const struct recording *found;
    static int looked;
    const char *path = getenv("CUDA_INJECTION64_PATH");
    if (!looked && path && *path) {
        /* It is there once the first call of the runtime has been made: before, there is nothing to
         * tell. */
        void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
        if (!library)
            return NULL;
        found = (const struct recording *)dlsym(library, RECORDING_SYMBOL);
    }
    looked = 1;
    return found;
}

#ifdef __cplusplus
}
#endif
#endif
