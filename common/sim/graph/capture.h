/* SPDX-License-Identifier: MIT */
/*
 * capture.h - stream capture: calls that go into a graph instead of a stream.
 *
 * A capturing stream has a set of nodes that its next node waits for; an event
 * recorded in it keeps that set; a stream that waits for such an event joins the
 * capture with it. Whatever else would have to wait for, or ask about, work that
 * is not there is refused, and the capture is then invalid until it is ended.
 *
 * Sources: [G] CUDA Programming Guide 13, "CUDA Graphs": prohibited and unhandled
 * operations, cross-stream dependencies, invalidation; [H] cuda_runtime_api.h
 * 13.0, the comments of the capture calls and error codes; [M] measured on an H200.
 */
#ifndef SIM_GRAPH_CAPTURE_H
#define SIM_GRAPH_CAPTURE_H

#include "sim/kernel/effect.h"

/* api_open asks: may such a call be made while streams capture? Memory calls
 * may not be, by the modes of the captures and the thread [H]. */
cudaError_t capture_opens(struct call *c, enum call_kind kind, const char *name);

/* api_make asks about a call that is fine otherwise (`status`: success or not
 * ready). One that a capture takes becomes CALL_OTHER; its *effect is the graph's
 * then, and NULL. Returns the call's status. */
cudaError_t capture_takes(struct call *c, cudaError_t status, struct effect **effect);

#endif
