# fails: b-beside
# SPDX-License-Identifier: MIT
"""The current stream waits for each audit, and the memory is safe."""
import torch

from lesson import audit, fill, model, other_work, produce, settle, total


def sum_beside(side, x, y):
    """(a) In the current stream: produce(x), other_work(y), settle(x, s). In `side`, beside other_work(): s = total(x)."""
    #> beside
    current = torch.cuda.current_stream()
    produce(x)
    side.wait_stream(current)                   # the input is there
    with torch.cuda.stream(side):
        s = total(x)
    other_work(y)
    current.wait_stream(side)                   # so is the sum
    settle(x, s)
    #< beside


def audit_all(side, data):
    """(b) For each batch: block = fill(batch) in the current stream, audit(block) in `side`. The list of the sums."""
    sums = []
    for batch in data:
        #> audit
        block = fill(batch)
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            sums.append(audit(block))
        torch.cuda.current_stream().wait_stream(side)
        del block
        #< audit
    return sums


def pinned(batches):
    """(c) The batches as run_model() wants them. This may take time."""
    #> pinned
    return [batch.pin_memory() for batch in batches]
    #< pinned


def run_model(side, batches, state):
    """(c) model(state, x) in the current stream for each batch, x being the batch on the device; the next one is copied
    in `side` while the model works."""
    #> run
    current = torch.cuda.current_stream()
    for batch in batches:
        with torch.cuda.stream(side):
            x = batch.to("cuda", non_blocking=True)
        current.wait_stream(side)
        x.record_stream(current)                # made in side, read in current
        model(state, x)
    #< run
