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
    # TODO: something is missing here, twice.
    # - Call side.wait_stream() where total() needs what produce() makes.
    # - Call it, the other way round, where settle() needs the sum.
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
        # TODO: the block is read in `side`, and its name is gone.
        # - Have `side` wait for fill() with wait_stream().
        # - Tell the pool who reads it with block.record_stream().
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
    # - Give back batch.pin_memory() of each.
    return batches
    #< pinned


def run_model(side, batches, state):
    """(c) model(state, x) in the current stream for each batch, x being the batch on the device; the next one is copied
    in `side` while the model works."""
    #> run
    # TODO: the model is called at once.
    # - Copy in `side`: with torch.cuda.stream(side).
    # - Have the current stream wait with wait_stream(), and tell the pool who reads x with record_stream().
    for batch in batches:
        x = batch.to("cuda", non_blocking=True)
        model(state, x)
    #< run
