/* SPDX-License-Identifier: MIT */
#include "sim/api/event.h"

#include "sim/api/stream.h"
#include "sim/graph/capture_state.h"
#include "sim/host/note.h"
#include "sim/memory/because.h"
#include "trace/record/memory.h"

struct event {
    unsigned flags;
    bool made;
    int device;                 /* that was current when it was made */
    uint32_t record;            /* node of its latest record, NO_NODE for never */
    uint32_t process;           /* whose thread made it */
    uint32_t stands_for; /* the event that it was opened for (memory/ipc.c); its own number else */
};

static struct {
    struct event *list;         /* by number */
    size_t count, capacity;
} events;

/* Other numbers than those of streams, and no addresses either. */
static const uintptr_t first_event = 0x108, event_step = 0x10;

/* What has the handle, in the caller's process. */
static struct event *holder_of(cudaEvent_t handle, uint32_t *number)
{
    uintptr_t value = (uintptr_t)handle;
    if (value < first_event || (value - first_event) % event_step != 0)
        return NULL;
    size_t index = (value - first_event) / event_step;
    if (index >= events.count || !events.list[index].made
        || events.list[index].process != thread_self()->process)
        return NULL;
    *number = (uint32_t)index;
    return &events.list[index];
}

/* The event that calls with the handle are about: another process's, if it was opened. */
static struct event *find_event(cudaEvent_t handle, uint32_t *number)
{
    struct event *event = holder_of(handle, number);
    if (!event)
        return NULL;
    *number = event->stands_for;
    return &events.list[*number];
}

/* The error of a handle that is no event's, or no longer. */
static cudaError_t no_event(struct call *c, cudaEvent_t handle, const char *argument)
{
    uintptr_t index = ((uintptr_t)handle - first_event) / event_step;
    bool was = (uintptr_t)handle >= first_event
               && first_event + index * event_step == (uintptr_t)handle && index < events.count;
    return because(
        c, cudaErrorInvalidResourceHandle, "the %s is not valid: %s", argument,
        words_of_gone(CALL_EVENT_DESTROY, was ? (uint32_t)index : NO_STREAM, !handle).text);
}

/* The call's event; *event is NULL when the status is not success. */
static cudaError_t open_event(struct api_call *e, enum call_kind kind, const char *name,
                              cudaEvent_t handle, struct event **event)
{
    cudaError_t status = api_open(e, kind, name);
    *event = status == cudaSuccess ? find_event(handle, &e->call.event) : NULL;
    return status != cudaSuccess ? status
           : *event              ? cudaSuccess
                                 : no_event(&e->call, handle, "event");
}

cudaError_t event_of(struct api_call *e, cudaEvent_t handle, uint32_t *number, uint32_t *flags)
{
    const struct event *event = find_event(handle, number);
    *flags = event && event->flags & cudaEventDisableTiming ? EVENT_NO_TIMING : 0;
    return event ? cudaSuccess : no_event(&e->call, handle, "event");
}

/* The errors are an H200's [M: facts/h200-edges.txt]. */
cudaError_t event_of_launch(struct api_call *e, cudaEvent_t handle, int flags, uint32_t *number)
{
    const struct event *event = find_event(handle, number);
    cudaError_t status = event ? cudaSuccess : no_event(&e->call, handle, "event of the launch");
    status = REFUSE(e, status, flags != cudaEventRecordDefault, cudaErrorIllegalState,
                    "launchCompletionEvent.flags is %#x; it may be cudaEventRecordDefault",
                    (unsigned)flags);
    status = REFUSE(e, status, !(event->flags & cudaEventDisableTiming), cudaErrorNotSupported,
                    "the event of the launch takes times: it must be made with cudaEventDisableTiming%s",
                    words_of_event(*number).text);
    status = REFUSE(e, status, event->flags & cudaEventInterprocess, cudaErrorNotSupported,
                    "the event of the launch is one for other processes (cudaEventInterprocess)%s",
                    words_of_event(*number).text);
    return REFUSE(e, status, stream_device(e->call.stream) != event->device,
                  cudaErrorInvalidResourceHandle,
                  "the event of the launch is device %d's%s and the stream device %d's",
                  event->device, words_of_event(*number).text, stream_device(e->call.stream));
}

cudaEvent_t event_handle(uint32_t number)
{
    return (cudaEvent_t)(first_event + number * event_step);
}

void event_recorded(uint32_t number, uint32_t node)
{
    events.list[number].record = node;
}

/* Its number. */
static uint32_t add_event(const struct thread *thread, unsigned flags)
{
    uint32_t number = (uint32_t)events.count++;
    events.list = memory_grow(events.list, number, &events.capacity, sizeof *events.list);
    events.list[number] = (struct event){ .flags = flags, .made = true, .device = thread->device,
                                          .record = NO_NODE, .process = thread->process,
                                          .stands_for = number };
    return number;
}

static cudaError_t create_event(const char *name, cudaEvent_t *event, unsigned flags)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_EVENT_CREATE, name);
    bool known = flags <= (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess);
    bool shared_and_timed = (flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming);
    status = refuse_null(&e, status, event, "first argument, event");
    status =
        REFUSE(&e, status, !known, cudaErrorInvalidValue,
               "the second argument, flags, is %#x, which has a bit that is not an event flag", flags);
    status = REFUSE(
        &e, status, shared_and_timed, cudaErrorInvalidValue,
        "the second argument, flags, has cudaEventInterprocess without cudaEventDisableTiming, which it needs");
    if (status == cudaSuccess) {
        e.call.event = add_event(e.thread, flags);
        e.call.flags = (flags & cudaEventDisableTiming ? EVENT_NO_TIMING : 0)
                       | (flags & cudaEventBlockingSync ? EVENT_BLOCKING_SYNC : 0)
                       | (flags & cudaEventInterprocess ? EVENT_INTERPROCESS : 0);
        *event = event_handle(e.call.event);
    }
    return api_finish(&e, status);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return create_event("cudaEventCreate", event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    return create_event("cudaEventCreateWithFlags", event, flags);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_EVENT_DESTROY, "cudaEventDestroy");
    struct event *event = status == cudaSuccess ? holder_of(handle, &e.call.event) : NULL;
    if (status == cudaSuccess && !event)
        status = no_event(&e.call, handle, "event");
    if (event)
        event->made = false;
    return api_finish(&e, status);
}

/* ---- of other processes: memory/ipc.c ---- */

bool event_may_be_opened(cudaEvent_t handle, uint32_t *number)
{
    const struct event *event = holder_of(handle, number);
    return event && event->flags & cudaEventInterprocess && event->stands_for == *number;
}

bool event_is_of_other(uint32_t number)
{
    return number < events.count && events.list[number].made
           && events.list[number].process != thread_self()->process;
}

cudaEvent_t event_add_opened(struct api_call *e, uint32_t of)
{
    e->call.event = add_event(e->thread, events.list[of].flags);
    events.list[e->call.event].stands_for = of;
    e->call.flags = EVENT_NO_TIMING | EVENT_INTERPROCESS;
    e->call.src = of;
    return event_handle(e->call.event);
}

void events_reset(int device)
{
    for (size_t i = 0; i < events.count; i++) {
        if (!events.list[i].made || events.list[i].device != device)
            continue;
        struct call destroy = { .kind = CALL_EVENT_DESTROY,
                                .event = (uint32_t)i,
                                .device = (uint32_t)device };
        note(&destroy);
        events.list[i].made = false;
    }
}

static cudaError_t record(const char *name, cudaEvent_t handle, cudaStream_t stream, unsigned flags)
{
    struct api_call e;
    struct event *event;
    cudaError_t status = open_event(&e, CALL_EVENT_RECORD, name, handle, &event);
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    status =
        REFUSE(&e, status, stream_device(e.call.stream) != event->device,
               cudaErrorInvalidResourceHandle,
               "the event is device %d's%s and the stream device %d's; an event is recorded in streams of the device that was current "
               "(cudaSetDevice) when it was created",
               event->device, words_of_event(e.call.event).text,
               stream_device(e.call.stream)); /* [G "Stream and Event Behavior"] */
    status = REFUSE(
        &e, status, flags > cudaEventRecordExternal, cudaErrorInvalidValue,
        "the third argument, flags, is %#x; it may be cudaEventRecordDefault or cudaEventRecordExternal",
        flags);
    bool recorded = status == cudaSuccess;
    bool external =
        recorded && flags == cudaEventRecordExternal && captured_stream(e.call.stream)->capture;
    if (recorded)
        e.call.flags |= (event->flags & cudaEventDisableTiming ? EVENT_NO_TIMING : 0)
                        | (external ? EVENT_EXTERNAL : 0);
    status = api_make(&e, status, NULL);
    if (recorded && !external)
        event->record = sim.timeline.calls[e.index].node;
    return api_close(&e, status);
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream)
{
    return record("cudaEventRecord", handle, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t stream, unsigned int flags)
{
    return record("cudaEventRecordWithFlags", handle, stream, flags);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t handle, unsigned int flags)
{
    struct api_call e;
    struct event *event;
    cudaError_t status = open_event(&e, CALL_STREAM_WAIT, "cudaStreamWaitEvent", handle, &event);
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    status = REFUSE(
        &e, status, flags > cudaEventWaitExternal, cudaErrorInvalidValue,
        "the third argument, flags, is %#x; it may be cudaEventWaitDefault or cudaEventWaitExternal",
        flags);
    if (status == cudaSuccess && flags == cudaEventWaitExternal
        && captured_stream(e.call.stream)->capture)
        e.call.flags |= EVENT_EXTERNAL;
    return api_finish(&e, status);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle)
{
    struct api_call e;
    struct event *event;
    return api_finish(&e, open_event(&e, CALL_EVENT_SYNC, "cudaEventSynchronize", handle, &event));
}

cudaError_t cudaEventQuery(cudaEvent_t handle)
{
    struct api_call e;
    struct event *event;
    cudaError_t status = open_event(&e, CALL_EVENT_QUERY, "cudaEventQuery", handle, &event);
    if (status != cudaSuccess)
        e.call.kind = CALL_OTHER;
    else if (!api_done(&e.call))
        status = cudaErrorNotReady;
    return api_finish(&e, status);
}

static bool are_done(struct api_call *e, uint32_t second)
{
    struct call query = { .kind = CALL_EVENT_QUERY,
                          .thread = e->call.thread,
                          .event = e->call.event };
    e->call.flags = CALL_POLLS;
    bool first_is_done = api_done(&query);
    query.event = second;
    return first_is_done && api_done(&query);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    struct api_call e;
    struct event *first, *second = NULL;
    uint32_t number = 0;
    cudaError_t status = open_event(&e, CALL_OTHER, "cudaEventElapsedTime", start, &first);
    if (status == cudaSuccess)
        second = find_event(end, &number);
    status = refuse_null(&e, status, milliseconds, "first argument, ms");
    if (status == cudaSuccess && !second)
        status = no_event(&e.call, end, "third argument, end,");
    for (int k = 0; k < 2; k++) {
        const struct event *event = k == 0 ? first : second;
        const char *argument = k == 0 ? "second argument, start," : "third argument, end,";
        status = REFUSE(
            &e, status, event->flags & cudaEventDisableTiming, cudaErrorInvalidResourceHandle,
            "the %s was created with cudaEventDisableTiming, and has no time", argument);
        status = REFUSE(
            &e, status, event->record == NO_NODE, cudaErrorInvalidResourceHandle,
            "the %s was never recorded among work that runs (cudaEventRecord), and has no time",
            argument);
    }
    status = REFUSE(
        &e, status, first->device != second->device, cudaErrorInvalidResourceHandle,
        "the second argument, start, is device %d's and the third, end, device %d's: each has a clock of its own",
        first->device, second->device);
    if (status == cudaSuccess && !are_done(&e, number))
        status = cudaErrorNotReady;
    if (status == cudaSuccess) {
        const struct span *spans = sim.timeline.spans;
        sim.timed = true;
        e.call.src = number + 1;
        *milliseconds =
            (float)((double)(spans[second->record].end - spans[first->record].end) / 1e6);
    }
    return api_finish(&e, status);
}
