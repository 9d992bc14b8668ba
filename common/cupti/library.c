/* SPDX-License-Identifier: MIT */
#include "recorder.h"

#include <dlfcn.h>
#include <stdlib.h>

struct library cu;

/* Newest first; what the loader finds by itself (or in LD_LIBRARY_PATH) before the toolkit's usual
 * places. */
static void *open_cupti(void)
{
    static const char *const names[] = {
        "libcupti.so.13", "libcupti.so.12", "libcupti.so", "/usr/local/cuda/lib64/libcupti.so",
        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
    };
    const char *path = getenv("WORKBOOK_CUPTI");
    void *library = path && *path ? dlopen(path, RTLD_NOW) : NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW);
    return library;
}

static bool resolve(void *library, const char *name, void *target, const char **what)
{
    void *found = dlsym(library, name);
    *(void **)target = found;
    if (!found)
        *what = name;
    return found;
}

bool library_open(const char **what)
{
    void *cupti = open_cupti(), *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!cupti || !driver) {
        *what = cupti ? "libcuda.so.1" : "libcupti.so";
        return false;
    }
    bool good = true;
#define F(name) good = resolve(cupti, #name, &cu.name, what) && good;
    CUPTI_FUNCTIONS(F)
#undef F
    const struct { const char *name; void *target; } wanted[] = {
        { "cuPointerGetAttribute", &cu.get_attribute }, { "cuCtxGetDevice", &cu.get_device },
        { "cuDeviceGetCount", &cu.count_devices }, { "cuDeviceGetName", &cu.device_name },
        { "cuDeviceTotalMem_v2", &cu.device_memory },
        { "cuDeviceGetAttribute", &cu.device_attribute },
        { "cuDriverGetVersion", &cu.driver_version }, { "cuCtxPushCurrent_v2", &cu.push_context },
        { "cuCtxPopCurrent_v2", &cu.pop_context }, { "cuCtxSynchronize", &cu.synchronize },
        { "cuMemsetD8Async", &cu.set_memory }, { "cuStreamCreate", &cu.create_stream },
        { "cuStreamDestroy_v2", &cu.destroy_stream },
        { "cuStreamSynchronize", &cu.synchronize_stream },
        { "cuStreamIsCapturing", &cu.is_capturing }, { "cuGraphGetNodes", &cu.graph_nodes },
        { "cuGraphGetEdges", &cu.graph_edges }, { "cuGraphNodeGetType", &cu.node_type },
        { "cuGraphKernelNodeGetParams", &cu.kernel_params },
        { "cuGraphMemcpyNodeGetParams", &cu.copy_params },
        { "cuGraphMemsetNodeGetParams", &cu.set_params },
        { "cuGraphHostNodeGetParams", &cu.host_params },
        { "cuGraphChildGraphNodeGetGraph", &cu.child_graph },
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        good = resolve(driver, wanted[i].name, wanted[i].target, what) && good;
    const char *optional;
    resolve(driver, "cuFuncGetName", &cu.function_name, &optional);
    resolve(driver, "cuGraphGetEdges_v2", &cu.graph_edges_of_kinds, &optional);
    return good;
}
