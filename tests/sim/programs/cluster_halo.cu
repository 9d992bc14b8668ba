/* SPDX-License-Identifier: MIT */
/* smooths a line for some steps, each block of a cluster with a piece in shared memory: edges are read from, and written to, its neighbours */
#include <stdio.h>
#include <stdlib.h>

#include <cooperative_groups.h>

#define CHECK(call) \
    do { \
        cudaError_t error_ = (call); \
        if (error_ != cudaSuccess) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
            exit(1); \
        } \
    } while (0)

namespace cg = cooperative_groups;

enum { CLUSTER = 4, THREADS = 64, CLUSTERS = 3, LINE = CLUSTER * THREADS, STEPS = 10 };

/* The left edge is read from the left neighbour, the right one is what the right neighbour has written here. */
__global__ void __cluster_dims__(CLUSTER) smooth(int *lines)
{
    __shared__ int piece[2][THREADS], from_right[2];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), i = threadIdx.x, left = (rank + CLUSTER - 1) % CLUSTER, right = (rank + 1) % CLUSTER;
    int *at = lines + blockIdx.x / CLUSTER * LINE + cluster.thread_rank();
    piece[0][i] = *at;
    if (i == 0)
        from_right[0] = from_right[1] = 0;
    cluster.sync();
    for (int step = 0; step < STEPS; step++) {
        const int now = step % 2, next = 1 - now;
        if (i == 0)
            cluster.map_shared_rank(from_right, left)[now] = piece[now][0];
        cluster.sync();
        int before = i > 0 ? piece[now][i - 1] : cluster.map_shared_rank(piece[now], left)[THREADS - 1];
        int after = i < THREADS - 1 ? piece[now][i + 1] : from_right[now];
        piece[next][i] = (before + 2 * piece[now][i] + 3 * after) % 1000003;
        cluster.sync();
    }
    *at = piece[STEPS % 2][i] + (cluster.query_shared_rank(cluster.map_shared_rank(piece[0], right)) != right);
}

int main()
{
    static int lines[CLUSTERS][LINE], wanted[CLUSTERS][LINE], got[CLUSTERS][LINE];
    for (int c = 0; c < CLUSTERS; c++)
        for (int i = 0; i < LINE; i++)
            wanted[c][i] = lines[c][i] = (i * 37 + c * 11) % 251;
    for (int step = 0; step < STEPS; step++)
        for (int c = 0; c < CLUSTERS; c++) {
            int old[LINE];
            for (int i = 0; i < LINE; i++)
                old[i] = wanted[c][i];
            for (int i = 0; i < LINE; i++)
                wanted[c][i] = (old[(i + LINE - 1) % LINE] + 2 * old[i] + 3 * old[(i + 1) % LINE]) % 1000003;
        }
    int *d;
    CHECK(cudaMalloc(&d, sizeof lines));
    CHECK(cudaMemcpy(d, lines, sizeof lines, cudaMemcpyHostToDevice));
    smooth<<<CLUSTERS * CLUSTER, THREADS>>>(d);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int c = 0; c < CLUSTERS; c++)
        for (int i = 0; i < LINE; i++)
            wrong += got[c][i] != wanted[c][i];
    printf(wrong == 0 ? "right\n" : "%d numbers are wrong\n", wrong);
    return wrong != 0;
}
