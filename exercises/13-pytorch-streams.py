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
    # - The sum, total(), runs after produce(), and settle() runs after the sum: a wait_stream() for each.
    # - The other work runs beside the sum.
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
        # - audit() runs after fill(): wait_stream().
        # - The block is used again when audit() is done, and no sooner: record_stream().
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
    # - Return the batches in pinned memory: pin_memory().
    return batches
    #< pinned


def run_model(side, batches, state):
    """(c) model(state, x) in the current stream for each batch, x being the batch on the device; the next one is copied
    in `side` while the model works."""
    #> run
    # TODO: the model is called at once.
    # - A batch is copied in `side`, while the model works on the one before.
    # - The model waits for its batch: wait_stream(). The memory of x stays while the model reads it: record_stream().
    for batch in batches:
        x = batch.to("cuda", non_blocking=True)
        model(state, x)
    #< run
