/* SPDX-License-Identifier: MIT */
/*
 * kernel_table.h - what is known of each kernel: whether its code is loaded,
 * how much shared memory it may ask for.
 *
 * A kernel is known by its closure's function, which a launch hands over; its
 * address leads there by way of a call that launches nothing.
 */
#ifndef SIM_API_KERNEL_TABLE_H
#define SIM_API_KERNEL_TABLE_H

#include "sim/graph/graph.h"
#include "sim/include/detail/sim_launch.h"
#include "sim/sim.h"

struct kernel_entry {
    void (*which)(void);                /* one for each kernel and each instance of a template */
    unsigned loaded;            /* bits: on which devices */
    size_t dynamic_shared;              /* most bytes that a launch may ask for */
    unsigned threads; /* most of a block that its __launch_bounds__ allow; 0: the device's */
    unsigned cluster[3]; /* its clusters, where a launch says nothing of them; 0: none */
    bool cluster_is_fixed;              /* by __cluster_dims__ */
    int non_portable, scheduling;       /* cudaFuncAttributeNonPortableClusterSizeAllowed; a wish */
    int carveout;                       /* cudaFuncAttributePreferredSharedMemoryCarveout: a wish */
    struct kernel_entry *next;
};

/* Never NULL; new kernels are added. */
struct kernel_entry *kernel_entry(const struct sim_kernel *kernel);
/* NULL: nobody has made this address known as a kernel's. */
struct kernel_entry *kernel_entry_at(const void *address);
/* The kernel at an address with these arguments, copied; its closure is the caller's. False: there
 * is none. */
bool kernel_bind(const void *address, void **args, struct sim_kernel *kernel);
/* Launches the kernel at an address: the runtime's call of this name. `config` has the attributes
 * that `how` was made from; NULL: there are none. */
cudaError_t kernel_launch_at(const char *name, const void *function,
                             const struct sim_configuration *how, const cudaLaunchConfig_t *config,
                             void **args);
/* Can the card run such a launch? Refuses the call where not. Owned by launch.c. */
cudaError_t launch_check(struct call *c, dim3 grid, dim3 block, size_t shared,
                         const struct kernel_entry *kernel);
/* Do all blocks find a place at once, on the SMs of the stream? Likewise. Owned by launch.c. */
struct cooperative { dim3 grid, block; size_t shared; const unsigned *cluster; uint32_t stream; };
cudaError_t launch_check_cooperative(struct call *c, const struct cooperative *how,
                                     const struct kernel_entry *kernel);
/* In: the clusters that the launch asks for, 0: it says nothing. Out: those that it has, 0: none.
 * Owned by launch.c. */
cudaError_t launch_check_cluster(struct call *c, dim3 grid, const struct kernel_entry *kernel,
                                 unsigned cluster[3]);
/* Most blocks that a cluster of it may have. Owned by launch.c. */
int cluster_most(const struct kernel_entry *kernel);
/* How many blocks of it an SM takes. Owned by occupancy.c. */
int kernel_blocks_per_sm(const struct kernel_entry *kernel, int threads, size_t shared);
/* True when a kernel was called only to learn what is behind an address: nothing is to be launched.
 */
bool kernel_was_asked(const struct sim_kernel *kernel);
/* A block of memory with `before` bytes for the caller, then what the function's arguments are:
 * *kept points to each. */
void *kernel_keep(const void *address, void **args, size_t before, void ***kept);
/* The same of a kernel that was launched: the arguments that its closure has, which are those that
 * the kernel uses (others are 0). NULL: its address is not known, or an argument is no plain value.
 */
void *kernel_tell(const struct sim_kernel *kernel, size_t before, void **address, void ***kept);
/* Marks it as loaded on the device. True if it was not, and the program loads kernels one by one.
 */
bool kernel_loads_now(struct kernel_entry *entry, int device);

/* ---- attributes of launches, streams and kernels' nodes. Owned by launch_attributes.c ---- */

/* Whose attribute it is. */
enum attribute_owner { OF_LAUNCH, OF_STREAM, OF_NODE };

/* Why a value is refused. */
struct reason { char text[200]; };

/* Is there such an attribute, and is the value a valid one? */
cudaError_t attribute_check(enum cudaLaunchAttributeID id, const cudaLaunchAttributeValue *v,
                            enum attribute_owner owner, struct reason *why);
/* One of a node's. */
void attribute_put(struct kernel_attributes *a, enum cudaLaunchAttributeID id,
                   const cudaLaunchAttributeValue *v);
/* False: a node has none such. */
bool attribute_get(const struct kernel_attributes *a, enum cudaLaunchAttributeID id,
                   cudaLaunchAttributeValue *v);
/* What a node has that is made from its parameters. */
struct kernel_attributes attributes_of_new(void);
/* What one has that is captured from a launch without attributes in the stream: the stream's. */
struct kernel_attributes attributes_of_stream(uint32_t stream);
/* As the attributes of a launch have it. Owned by launch.c. */
cudaError_t configuration_of(const cudaLaunchConfig_t *config, struct sim_configuration *how,
                             struct reason *why);

#endif
