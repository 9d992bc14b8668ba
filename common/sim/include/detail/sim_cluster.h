/* SPDX-License-Identifier: MIT */
/* sim_cluster.h - where a block stands in its cluster, and what else of a cluster a kernel can ask without cooperative groups. */
#ifndef SIM_INCLUDE_CLUSTER_H
#define SIM_INCLUDE_CLUSTER_H

#include "sim_launch.h"

#ifdef __cplusplus

static inline unsigned __clusterDimIsSpecified() { return (unsigned)sim_cluster_is_specified(); }
static inline dim3 __clusterDim() { return dim3(sim_cluster_dim(0), sim_cluster_dim(1), sim_cluster_dim(2)); }
static inline dim3 __clusterRelativeBlockIdx()
{
    return dim3(blockIdx.x % sim_cluster_dim(0), blockIdx.y % sim_cluster_dim(1), blockIdx.z % sim_cluster_dim(2));
}
static inline dim3 __clusterGridDimInClusters()
{
    return dim3(gridDim.x / sim_cluster_dim(0), gridDim.y / sim_cluster_dim(1), gridDim.z / sim_cluster_dim(2));
}
static inline dim3 __clusterIdx()
{
    return dim3(blockIdx.x / sim_cluster_dim(0), blockIdx.y / sim_cluster_dim(1), blockIdx.z / sim_cluster_dim(2));
}
static inline unsigned __clusterRelativeBlockRank()
{
    const dim3 __at = __clusterRelativeBlockIdx();
    return __at.x + sim_cluster_dim(0) * (__at.y + sim_cluster_dim(1) * __at.z);
}
static inline unsigned __clusterSizeInBlocks() { return sim_cluster_dim(0) * sim_cluster_dim(1) * sim_cluster_dim(2); }

/* Each thread that arrives waits later: here it waits for all others there. */
static inline void __cluster_barrier_arrive() { }
static inline void __cluster_barrier_arrive_relaxed() { }
static inline void __cluster_barrier_wait(SIM_HERE) { sim_cluster_barrier(__file, __line); }
static inline void __threadfence_cluster() { __threadfence(); }

static inline void *__cluster_map_shared_rank(const void *__p, unsigned __rank) { return sim_cluster_map(__p, __rank); }
static inline unsigned __cluster_query_shared_rank(const void *__p) { return sim_cluster_rank_of(__p); }
static inline unsigned __isCtaShared(const void *__p) { return __isShared(__p); }
static inline unsigned __isClusterShared(const void *__p) { return __isShared(__p) || sim_space(__p) == SIM_SPACE_CLUSTER; }

#endif
#endif
