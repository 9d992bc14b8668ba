/* SPDX-License-Identifier: MIT */
/* Where the driver comes in, and where the program leaves. */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "recording.h"

static CUpti_SubscriberHandle subscriber;
static bool works;

/* Calls of the driver API that have no like in the runtime's: of green contexts. A program gives
 * their streams back in either API. */
static const CUpti_CallbackId own_calls[] = {
#if CUDA_VERSION >= 12040
    CUPTI_DRIVER_TRACE_CBID_cuGreenCtxCreate,
    CUPTI_DRIVER_TRACE_CBID_cuGreenCtxDestroy,
    CUPTI_DRIVER_TRACE_CBID_cuGreenCtxStreamCreate,
    CUPTI_DRIVER_TRACE_CBID_cuStreamDestroy_v2,
    CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
#endif
    0
};

static bool is_own_call(CUpti_CallbackId id)
{
    size_t i = 0;
    while (own_calls[i] != 0 && own_calls[i] != id)
        i++;
    return id != 0 && own_calls[i] == id;
}

/* What is to be asked of CUPTI before this call, and not sooner. */
static void watch_what_comes(const char *name)
{
    if (strcmp(name, "cudaMallocManaged") == 0)
        activity_managed_memory();
    if (strcmp(name, "cudaDeviceEnablePeerAccess") == 0
        || strncmp(name, "cudaMemcpyPeer", strlen("cudaMemcpyPeer")) == 0)
        activity_peers();
}

static void CUPTIAPI on_callback(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void *data)
{
    (void)user;
    const CUpti_CallbackData *call = data;
    if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && call->callbackSite == CUPTI_API_ENTER) {
        watch_what_comes(call->functionName);
        call_entered(call, id);
    }
    else if (domain == CUPTI_CB_DOMAIN_RUNTIME_API)
        call_left(call, id);
    else if (domain == CUPTI_CB_DOMAIN_DRIVER_API && is_own_call(id)
             && call->callbackSite == CUPTI_API_ENTER)
        call_entered(call, DRIVER_CALLS + id);
    else if (domain == CUPTI_CB_DOMAIN_DRIVER_API && is_own_call(id))
        call_left(call, DRIVER_CALLS + id);
    else if (domain == CUPTI_CB_DOMAIN_DRIVER_API && call->callbackSite == CUPTI_API_ENTER)
        function_entered(call, id);
    else if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED)
        activity_context(((const CUpti_ResourceData *)data)->context);
    else if (domain == CUPTI_CB_DOMAIN_RESOURCE
             && id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
        activity_context_gone(((const CUpti_ResourceData *)data)->context);
}

static void on_end(int status, void *argument)
{
    (void)argument;
    if (works)
        activity_finish();
    pthread_mutex_lock(&record_lock);
    if (works) {
        functions_finish();
        activity_tell();
    }
    record_end(status);
    pthread_mutex_unlock(&record_lock);
}

/* ---- what the program says (recording.h) ---- */

static void start(void)
{
    if (!works)
        return;
    cu.cuptiActivityFlushAll(1);
    pthread_mutex_lock(&record_lock);
    record_busy = true;
    record_begin();
    handles_reset();
    handles_begin();
    record_busy = false;
    pthread_mutex_unlock(&record_lock);
    activity_watch_managed();
}

static void note(struct call c, const char *name)
{
    pthread_mutex_lock(&record_lock);
    if (record_active()) {
        c.name = record_string(name);
        c.thread = record_thread();
        c.end = record_now();
        c.begin = c.kind == CALL_HOST_WORK ? c.end - c.cost : c.end;
        c.node = NO_NODE;
        record_add(&c);
    }
    pthread_mutex_unlock(&record_lock);
}

static void part(const char *name)
{
    note((struct call){ .kind = CALL_PART }, name);
    if (works)
        activity_take();
}

static void label(const char *name)
{
    note((struct call){ .kind = CALL_LABEL }, name);
}

static void host_work(long long ns)
{
    note((struct call){ .kind = CALL_HOST_WORK, .cost = ns }, "host_work");
}

static void site(const char *text, const char *file, int line)
{
    pthread_mutex_lock(&record_lock);
    if (record_active())
        call_site(text, file, line);
    pthread_mutex_unlock(&record_lock);
}

static void report(int status, const char *text, const char *message, const char *file, int line)
{
    pthread_mutex_lock(&record_lock);
    struct call c = { .kind = CALL_REPORT, .status = status, .file = record_string(file),
                      .line = (uint32_t)line,
                      .message = record_string(message) };
    pthread_mutex_unlock(&record_lock);
    note(c, text);
}

__attribute__((visibility("default")))
const struct recording streams_recording = { start, part, label, host_work, site, report };

/* ---- the driver loads us ---- */

static const char *begin(void)
{
    const char *what;
    static char missing[200];
    if (!library_open(&what)) {
        snprintf(missing, sizeof missing, "the recorder lacks %s", what);
        return missing;
    }
    CUptiResult r = cu.cuptiSubscribe(&subscriber, (CUpti_CallbackFunc)on_callback, NULL);
    if (r != CUPTI_SUCCESS) {
        const char *says = "";
        cu.cuptiGetResultString(r, &says);
        snprintf(missing, sizeof missing, "CUPTI is not to be had (another profiler?): %s", says);
        return missing;
    }
    const char *trouble = activity_begin();
    if (trouble)
        return trouble;
    cu.cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
    cu.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                           CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
    cu.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                           CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
    static const CUpti_CallbackId functions[] = {
        CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuStreamAddCallback,
        CUPTI_DRIVER_TRACE_CBID_cuStreamAddCallback_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuGraphAddHostNode,
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        cu.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, functions[i]);
    for (size_t i = 0; own_calls[i] != 0; i++)
        cu.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, own_calls[i]);
    return NULL;
}

__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void)
{
    const char *trouble = begin();
    works = !trouble;
    pthread_mutex_lock(&record_lock);
    if (trouble || !getenv(EXCHANGE_INPUT)) {
        record_begin();
        if (trouble)
            record_lost("%s", trouble);
    }
    pthread_mutex_unlock(&record_lock);
    on_exit(on_end, NULL);
    return 1;
}
