/* SPDX-License-Identifier: MIT */
/*
 * recorder.h - the timeline of an unmodified program on a real GPU.
 *
 * A shared library that the CUDA driver loads into the program
 * (CUDA_INJECTION64_PATH=build/lib/librecorder.so). It sees each call of the
 * runtime through CUPTI's callbacks, and when the device ran what through its
 * activity records, and writes the log of trace/record/call.h, to the descriptor that
 * WORKBOOK_LOG names. Calls are written in the order in which they were
 * entered, when the program is about to wait and at its end; what the device did
 * (CALL_RAN), at its end. A program that is killed, or leaves by _exit, leaves a
 * log that does not end with CALL_EXIT: it is not whole, and nobody judges it.
 *
 * WORKBOOK_KEY authenticates the log (trace/record/authenticated_log.h), and is gone from the
 * environment when the recorder is loaded, with the first call of CUDA. The program's own code
 * shares the process, and what ran earlier could have read it: this keeps apart what the recorder
 * wrote and what a program writes into the same descriptor, and is no proof of what a card did.
 *
 * CUPTI and the driver are looked up while the program runs, so that the
 * recorder is built with headers alone; without CUPTI (or where another profiler
 * has taken it) the log has one CALL_LOST, which says so, and the program runs
 * as it would.
 *
 * In a graded run (WORKBOOK_OUTPUT is set) what cudaMalloc returns is filled with
 * POISON first, and recording begins when driver.h says so.
 *
 * Sources: CUPTI's headers of 12.4 and 13.0; that a host function can be put
 * in another's place through the parameters of cuLaunchHostFunc is measured, on
 * an H200 with driver 580.159: CUPTI has no record of host functions.
 */
#ifndef CUPTI_RECORDER_H
#define CUPTI_RECORDER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <cupti.h>
#include <cuda_runtime_api.h>

#include "trace/record/timeline.h"

struct edge_kind { unsigned char bytes[8]; };

#define POISON 0xa5

/* ---- library.c: CUPTI and the driver, looked up at run time ---- */

#define CUPTI_FUNCTIONS(F) \
    F(cuptiSubscribe) F(cuptiEnableDomain) F(cuptiEnableCallback) F(cuptiActivityRegisterCallbacks) \
    F(cuptiActivityEnable) F(cuptiActivityFlushAll) \
    F(cuptiActivityGetNextRecord) F(cuptiActivityGetNumDroppedRecords) \
    F(cuptiActivityRegisterTimestampCallback) F(cuptiGetResultString) F(cuptiGetGraphNodeId) F(cuptiGetVersion) \
    F(cuptiActivityConfigureUnifiedMemoryCounter)
struct library {
#define F(name) __typeof__(name) *name;
    CUPTI_FUNCTIONS(F)
#undef F
    /* The driver's, with the shapes of their first version, which it keeps for ever. */
    CUresult (*get_attribute)(void *value, CUpointer_attribute attribute, CUdeviceptr pointer);
    CUresult (*get_device)(CUdevice *device);
    CUresult (*count_devices)(int *count);
    CUresult (*device_name)(char *name, int size, CUdevice device);
    CUresult (*device_memory)(size_t *bytes, CUdevice device);
    CUresult (*device_attribute)(int *value, CUdevice_attribute attribute, CUdevice device);
    CUresult (*driver_version)(int *version);
    CUresult (*push_context)(CUcontext context);
    CUresult (*pop_context)(CUcontext *context);
    CUresult (*synchronize)(void);
    CUresult (*set_memory)(CUdeviceptr at, unsigned char value, size_t bytes, CUstream stream);
    CUresult (*create_stream)(CUstream *stream, unsigned flags);
    CUresult (*destroy_stream)(CUstream stream);
    CUresult (*synchronize_stream)(CUstream stream);
    CUresult (*is_capturing)(CUstream stream, CUstreamCaptureStatus *status);
    CUresult (*graph_nodes)(CUgraph graph, CUgraphNode *nodes, size_t *count);
    CUresult (*graph_edges)(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count);
    CUresult (*node_type)(CUgraphNode node, CUgraphNodeType *type);
    CUresult (*kernel_params)(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *params);
    CUresult (*copy_params)(CUgraphNode node, CUDA_MEMCPY3D *params);
    CUresult (*set_params)(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params);
    CUresult (*host_params)(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params);
    CUresult (*child_graph)(CUgraphNode node, CUgraph *graph);
    /* What older drivers lack. A struct edge_kind is a CUgraphEdgeData, which older headers lack.
     */
    CUresult (*function_name)(const char **name, CUfunction function);
    CUresult (*graph_edges_of_kinds)(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                                     struct edge_kind *kinds, size_t *count);
};
extern struct library cu;
/* False: something is missing; *what says it. */
bool library_open(const char **what);

/* ---- keep.c: the log ---- */

/* Nanoseconds since the recording began. */
int64_t record_now(void);
/* What CLOCK_MONOTONIC said then. */
int64_t record_origin(void);
/* All of what follows wants the lock. */
extern pthread_mutex_t record_lock;
/* The recording begins (anew). */
void record_begin(void);
bool record_active(void);
/* A number of the log for this call, which is not over: the next one. */
size_t record_reserve(const struct call *c);
/* It is over. */
void record_complete(size_t number, const struct call *c);
/* It is as if it had not been, if no call came after it: says whether it is so. */
bool record_drop(size_t number);
/* Reserves and completes. */
size_t record_add(const struct call *c);
/* The same of what the device did: written after all calls. */
void record_ran(const struct call *c);
/* Something could not be kept. */
void record_lost(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The call with this number, NULL if it has been written. */
struct call *record_at(size_t number);
/* Writes what is complete. */
void record_write(void);
/* Writes all, and ends the log with CALL_EXIT. */
void record_end(int status);
uint32_t record_string(const char *s);
/* This thread's number. */
uint32_t record_thread(void);

/* ---- handles.c: the program's handles and the log's numbers ---- */

struct map { struct map_entry { uint64_t key, value; bool used; } *entries; size_t count,
             capacity; };
#define MAP_NONE UINT64_MAX
void map_put(struct map *m, uint64_t key, uint64_t value);
uint64_t map_get(const struct map *m, uint64_t key);
void map_remove(struct map *m, uint64_t key);

void handles_begin(void);       /* announces devices and default streams, once */
void handles_reset(void);       /* the recording begins anew */
uint32_t current_device(void);
/* The number of a stream, announced if it was not known. `per_thread`: what stream 0 means. */
uint32_t stream_number(cudaStream_t stream, bool per_thread, uint32_t device);
uint32_t stream_add(cudaStream_t stream);
void stream_remove(cudaStream_t stream);
uint32_t stream_device(uint32_t number);
uint32_t event_number(cudaEvent_t event);
uint32_t event_add(cudaEvent_t event);
void event_remove(cudaEvent_t event);
/* What memory an address is: enum memory_kind; *device for MEM_DEVICE. Asks the driver. */
uint32_t memory_at(const void *address, uint32_t *device);
struct block { uint64_t bytes; uint32_t kind, device; bool async; };
void block_add(const void *at, struct block block);
bool block_remove(const void *at, struct block *block);

/* ---- calls.c, rows.h: a call of the runtime ---- */

/* Calls of the driver API have an id of their own: that of their domain, and so much more. */
enum { DRIVER_CALLS = 1024 };
void call_entered(const CUpti_CallbackData *data, CUpti_CallbackId id);
void call_left(const CUpti_CallbackData *data, CUpti_CallbackId id);
/* A kernel's name as people write it. */
uint32_t call_kernel_name(const char *symbol);
/* The last calls of this thread that have no site yet. */
void call_site(const char *text, const char *file, int line);

/* ---- queued.c: which call queued what CUPTI tells of later ---- */

#define NO_CALL SIZE_MAX
/* Set while the recorder itself calls CUDA in this thread. */
extern __thread bool record_busy;
/* The number of the call that this thread is in; NO_CALL if it is in none, or in one that is
 * captured. */
extern __thread size_t call_current;
/* This call queued what has that correlation id. */
void call_queued(uint32_t correlation, size_t number, const struct call *c);
/* The latest prefetch to that side of some of these bytes that had been called by then, NO_CALL.
 * Whole pages move: they may begin before what was asked for. */
size_t call_of_prefetch(uint64_t address, uint64_t bytes, bool home, int64_t time);
/* The call or launch that a correlation id belongs to. */
size_t call_of_correlation(uint32_t id);

/* ---- functions.c: host functions, put in others' place ---- */

void function_entered(const CUpti_CallbackData *data, CUpti_CallbackId id);
/* The graph node's function, if we put it there, runs once more as call `number`. */
void function_expect(void *user_data, CUhostFn fn, size_t number);
/* Says when they ran. */
void functions_finish(void);

/* ---- graphs.c ---- */

void graph_instantiated(cudaGraphExec_t exec, cudaGraph_t graph);
void graph_updated(cudaGraphExec_t exec, cudaGraph_t graph);
void graph_destroyed(cudaGraphExec_t exec);
/* From 1; 0: not known. */
uint64_t graph_number(cudaGraphExec_t exec);
/* Adds the calls of its nodes after the launch. */
void graph_launched(cudaGraphExec_t exec, size_t launch, const struct call *c);
/* The call of a launch's node, NO_CALL. */
size_t graph_node_call(size_t launch, uint64_t node_id);

/* ---- activity.c: what the device did ---- */

/* NULL, or what went wrong. */
const char *activity_begin(void);
/* Once a context is there. */
void activity_watch_managed(void);
/* The program is about to take managed memory, or to let two devices reach each other. */
void activity_managed_memory(void);
void activity_peers(void);
/* Takes the records that are there: those of a device that is lost later are gone with it. Not with
 * the lock. */
void activity_take(void);
/* The same, unless that takes long, or would disturb what is under way (not `at_rest`), and was
 * done recently. */
void activity_take_at_times(bool at_rest);
/* Waits for all that the device has to do, and takes its records. Not with the lock. */
void activity_finish(void);
/* Says what they told. */
void activity_tell(void);
void activity_context(CUcontext context);
void activity_context_gone(CUcontext context);

#endif
