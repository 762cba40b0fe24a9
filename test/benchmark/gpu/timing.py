"""Time on the GPU of two pieces of work, in turns, in one run."""

import statistics
from collections.abc import Callable

import torch


def milliseconds(work: Callable[[], object]) -> float:
    """Time between two CUDA events around one launch."""
    before, after = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(200_000)  # so that both events and the launch are enqueued before the GPU gets to them
    before.record()
    work()
    after.record()
    after.synchronize()
    return float(before.elapsed_time(after))


def in_turns(
    ours: Callable[[], object], theirs: Callable[[], object], rounds: int
) -> tuple[float, float, tuple[float, float]]:
    """The medians of both in milliseconds, and the quartiles of their ratio round by round."""
    for work in (ours, theirs) * 3:
        milliseconds(work)
    times: tuple[list[float], list[float]] = ([], [])
    for index in range(rounds):
        for which in (0, 1) if index % 2 else (1, 0):
            times[which].append(milliseconds((ours, theirs)[which]))
    quartiles = statistics.quantiles([a / b for a, b in zip(*times, strict=True)], n=4)
    return statistics.median(times[0]), statistics.median(times[1]), (quartiles[0], quartiles[2])
