"""kernix.stats: how long calls took, by operation, device and dtype.

    kernix.stats(enable=True)
    ...
    print(kernix.stats())
"""

from collections.abc import Sequence
from typing import NamedTuple, overload

from . import _binding
from .errors import KernelValueError
from .selector import KernelDtype, KernelPerformanceStats, KernelRegistry, performance_stats

_WATCH_TIMES, _WATCH_EVERY_TIME = 4, 32  # kernix_watch


class Row(NamedTuple):
    device: str
    stats: KernelPerformanceStats


class Stats(Sequence[Row]):
    """Rows of times in milliseconds; prints as a table."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        return self._rows[index]

    def __repr__(self) -> str:
        table: list[tuple[str, ...]] = [("operation", "device", "dtype", "calls", "timed", "average", "min", "max (ms)")]
        for device, stats in self._rows:
            times = stats.average_execution_time, stats.min_execution_time, stats.max_execution_time
            # Functions of float64 or integers have no kernel dtype.
            dtype = "other" if stats.dtype is KernelDtype.Auto else stats.dtype.name
            texts = (f"{time:.4f}" if stats.timed_count else "-" for time in times)
            counts = str(stats.execution_count), str(stats.timed_count)
            table.append((stats.operation_name, device, dtype, *counts, *texts))
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        num_words = 3  # columns that are not numbers
        lines = []
        for row in table:
            words = map(str.ljust, row[:num_words], widths)
            numbers = map(str.rjust, row[num_words:], widths[num_words:])
            lines.append("  ".join([*words, *numbers]).rstrip())
        return "\n".join(lines)


def stats(*, enable: bool | None = None, every_call: bool = False) -> Stats:
    """What was measured so far, in the selectors of all devices. `enable` switches the recording of calls on or off.

    Every call is counted, and so many of them are timed that this costs about a hundredth of what they take; with
    `every_call` all of them. On the CPU a call's wall time counts, on CUDA the time between events on its stream, once both
    have happened: nothing waits, so that the last times may be missing unless you have synchronised.
    """
    if enable not in (None, True, False):
        raise KernelValueError(f"enable: expected True, False or None, got {enable!r}")
    if not isinstance(every_call, bool):
        raise KernelValueError(f"every_call: expected True or False, got {every_call!r}")
    if every_call and not enable:
        raise KernelValueError("every_call: calls are timed with enable=True only")
    if enable is not None:
        _binding.watch_calls(_WATCH_EVERY_TIME, every_call)
        _binding.watch_calls(_WATCH_TIMES, enable)
    rows = [
        Row(device, performance_stats(row))
        for device, selector in KernelRegistry.get_all_selectors().items()
        for row in selector._selector.all_performance()
    ]
    return Stats(sorted(rows, key=lambda row: (row.stats.operation_name, row.device, row.stats.dtype)))
