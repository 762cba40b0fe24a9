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

_WATCH_TIMES = 4  # kernix_watch


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
        table: list[tuple[str, ...]] = [("operation", "device", "dtype", "calls", "average", "min", "max (ms)")]
        for device, stats in self._rows:
            times = stats.average_execution_time, stats.min_execution_time, stats.max_execution_time
            # Functions of float64 or integers have no kernel dtype.
            dtype = "other" if stats.dtype is KernelDtype.Auto else stats.dtype.name
            texts = (f"{time:.4f}" for time in times)
            table.append((stats.operation_name, device, dtype, str(stats.execution_count), *texts))
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        num_words = 3  # columns that are not numbers
        lines = []
        for row in table:
            words = map(str.ljust, row[:num_words], widths)
            numbers = map(str.rjust, row[num_words:], widths[num_words:])
            lines.append("  ".join([*words, *numbers]).rstrip())
        return "\n".join(lines)


def stats(*, enable: bool | None = None) -> Stats:
    """What was measured so far, in the selectors of all devices. `enable` switches the timing of calls on or off.

    On the CPU a call's wall time counts, on CUDA the time between events on its stream, once both have happened: nothing
    waits, so that the last calls may be missing unless you have synchronised.
    """
    if enable not in (None, True, False):
        raise KernelValueError(f"enable: expected True, False or None, got {enable!r}")
    if enable is not None:
        _binding.watch_calls(_WATCH_TIMES, enable)
    rows = [
        Row(device, performance_stats(row))
        for device, selector in KernelRegistry.get_all_selectors().items()
        for row in selector._selector.all_performance()
    ]
    return Stats(sorted(rows, key=lambda row: (row.stats.operation_name, row.device, row.stats.dtype)))
