# SPDX-License-Identifier: MIT
"""Lesson 13, in Python: what PyTorch does with streams.

Grade it:  make lesson13, where PyTorch sees a GPU.
Read:      lessons/13-pytorch-streams/chapter.md; lessons/13-pytorch-streams/torch/lesson.py has the operations.
"""
import torch

from lesson import audit, fill, model, other_work, produce, settle, total


def sum_beside(side, x, y):
    """(a) In the current stream: produce(x), other_work(y), settle(x, s). In `side`, beside other_work(): s = total(x)."""
    #> beside
    # TODO: two waits are missing here.
    # - total() runs after produce(), and settle() runs after total(). The host waits for neither.
    # - other_work() runs beside total().
    produce(x)
    with torch.cuda.stream(side):
        s = total(x)
    other_work(y)
    settle(x, s)
    #< beside


def audit_all(side, data):
    """(b) For each batch: block = fill(batch) in the current stream, audit(block) in `side`. The list of the sums."""
    sums = []
    for batch in data:
        #> audit
        # TODO: the block is still being read in `side` when its name is deleted.
        # - audit() reads the block when fill() has made it.
        # - The block's memory is used again when audit() has read it, and no sooner. No stream waits for that.
        block = fill(batch)
        with torch.cuda.stream(side):
            sums.append(audit(block))
        del block
        #< audit
    return sums


def pinned(batches):
    """(c) The batches as run_model() wants them. This may take time."""
    #> pinned
    # TODO: these are in ordinary memory.
    # - run_model() can copy the batches to the device while the host goes on.
    return batches
    #< pinned


def run_model(side, batches, state):
    """(c) model(state, x) in the current stream for each batch, x being the batch on the device; the next one is copied
    in `side` while the model works."""
    #> run
    # TODO: the model is called at once.
    # - A batch is copied in `side`, while the model works on the one before.
    # - The model reads a batch when its copy has ended. The memory of x is not used again while the model reads it.
    for batch in batches:
        x = batch.to("cuda", non_blocking=True)
        model(state, x)
    #< run
