/* SPDX-License-Identifier: MIT */
/* Graphs as drawings, in the language of Graphviz. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/api/graph/graph_parts.h"
#include "sim/graph/condition.h"

static void draw_name(FILE *out, const struct graph_node *node)
{
    static const char *const names[] = { "KERNEL", "MEMCPY",     "MEMSET",     "HOST",
                                         "GRAPH",  "EMPTY",      "WAIT_EVENT", "EVENT_RECORD",
                                         "SIGNAL", "WAIT",       "MEM_ALLOC",  "MEM_FREE",
                                         "NODE",   "CONDITIONAL" };
    const struct call *c = &node->call;
    if (node->type == cudaGraphNodeTypeKernel)
        fprintf(out, "%s\\<\\<\\<%u,%u,%u\\>\\>\\>", timeline_string(&sim.timeline, c->name),
                c->grid[0] * c->grid[1] * c->grid[2], c->block[0] * c->block[1] * c->block[2],
                c->shared);
    else
        fputs((size_t)node->type < sizeof names / sizeof *names ? names[node->type] : "NODE", out);
}

/* Each graph a box; a child's has a number of its own. */
static void draw(FILE *out, const struct graph *g, unsigned *drawn)
{
    const unsigned number = ++*drawn;
    fprintf(out, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n", number,
            number);
    for (size_t i = 0; i < g->count; i++) {
        fprintf(out, "\"graph_%u_node_%zu\"[style=\"solid\" shape=\"rectangle\" label=\"%zu\n",
                number, i, i);
        draw_name(out, g->nodes[i]);
        fputs("\n\"];\n\n", out);
    }
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->after_count; k++)
            fprintf(out, "\"graph_%u_node_%u\" -> \"graph_%u_node_%zu\";\n", number,
                    g->nodes[i]->after[k].node, number, i);
    for (size_t i = 0; i < g->count; i++)
        if (g->nodes[i]->child)
            draw(out, g->nodes[i]->child, drawn);
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; g->nodes[i]->bodies && k < g->nodes[i]->bodies->count; k++)
            draw(out, g->nodes[i]->bodies->graphs[k], drawn);
    fputs("}\n", out);
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    struct api_call e;
    struct graph *g;
    (void)flags;
    cudaError_t status = refuse_null(&e, graph_open(&e, "cudaGraphDebugDotPrint", graph, &g), path,
                                     "second argument, path");
    FILE *out = status == cudaSuccess ? fopen(path, "w") : NULL;
    unsigned drawn = 0;
    status = REFUSE(&e, status, !out, cudaErrorOperatingSystem, "%.200s cannot be written: %s",
                    path, strerror(errno));
    if (out) {
        fputs("digraph dot {\n", out);
        draw(out, g, &drawn);
        fputs("}\n", out);
        fclose(out);
    }
    return api_finish(&e, status);
}
