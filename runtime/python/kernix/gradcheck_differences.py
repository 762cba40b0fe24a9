"""Central differences for kernix.gradcheck, with how far they may be off.

At a step and at twice the step, each of fourth order: their distance tells what the series leaves out. Where that is too much,
near a pole say, the step is made smaller, which costs precision: rounding is divided by it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_STEPS = (-4, -2, -1, 1, 2, 4)
_SMALLER = tuple(4**k for k in range(10))
_MOST_LEFT_OUT = 1e-6  # relative; more is no smooth function at this step
_MOST_NOISE = 1e-2  # of a smaller step

Arrays = Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """Of one output."""

    step: float
    best: Any  # of fourth order
    smooth: Any  # where it is one: a mask
    scale: float  # the size that distances are relative to
    noise: float  # what rounding may do, relative
    left_out: float  # by the series, relative, where it is smooth

    @property
    def is_good(self) -> bool:
        return self.left_out <= max(_MOST_LEFT_OUT, self.noise)

    @property
    def bound(self) -> float:
        return self.noise + self.left_out if self.is_good else self.noise

    @property
    def kinks(self) -> int:
        return int((~self.smooth).sum())


class Differences:
    """Of a function of one number, the outputs when an input is moved so far: `run`."""

    def __init__(self, numpy: Any, epsilon: float, start: Arrays, run: Callable[[float], Arrays]) -> None:
        self.numpy, self.epsilon, self.start, self.run = numpy, epsilon, start, run

    def at(self, step: float, size: float, *, without_kinks: bool = False) -> dict[str, Difference]:
        """At this step, or at the smaller one that leaves out least. `size`: how large the input is; `without_kinks`: a step
        that has none in reach, if there is one."""
        tried: list[dict[str, Difference]] = []
        for found in self._tries(step, size):
            if tried and any(each.noise > _MOST_NOISE for each in found.values()):
                break
            tried.append(found)
            if all(each.is_good and not (without_kinks and each.kinks) for each in found.values()):
                return found
        return min(tried, key=lambda found: max((without_kinks * each.kinks, each.left_out) for each in found.values()))

    def _tries(self, step: float, size: float) -> Iterator[dict[str, Difference]]:
        for smaller in _SMALLER:
            at = {k: self.run(k * step / smaller) for k in _STEPS}
            yield {out: self._difference(out, {k: at[k][out] for k in at}, step / smaller, size) for out in self.start}

    def _difference(self, out: str, at: Mapping[int, Any], step: float, size: float) -> Difference:
        numpy, epsilon, start = self.numpy, self.epsilon, self.start[out]
        narrow = (at[1] - at[-1]) / (2 * step)
        wide = (at[2] - at[-2]) / (4 * step)
        best = (4 * narrow - wide) / 3
        wider = (4 * wide - (at[4] - at[-4]) / (8 * step)) / 3
        scale = self._largest(best) + 1e-3 * self._largest(start) + 1e-30
        values = max(map(self._largest, at.values()))
        noise = 20 * epsilon * (values + size * scale) / step / scale + 100 * (step / size) ** 4 + 50 * epsilon
        # Smooth, the two differences agree up to the second order of the step.
        smooth = numpy.abs(narrow - wide) <= scale * max(1e3 * (step / size) ** 2, noise) + 0.05 * numpy.abs(best)
        smooth &= numpy.isfinite(wider)
        # A kink at the point itself: how much the function bends does not shrink with the step.
        bends = [numpy.abs(at[k] + at[-k] - 2 * start) / (k * step) for k in (1, 2)]
        smooth &= (bends[0] < scale * max(noise, 1e-3)) | (bends[1] > 1.5 * bends[0])
        # What the series leaves out is about 16 times as much in twice the step, but the two may agree by chance where it
        # converges slowly; its terms are nearly those of a geometric series.
        squared = (narrow - wide) ** 2 / (numpy.abs(best) + 1e-3 * scale)
        left_out = 2 * self._largest(numpy.maximum(numpy.abs(best - wider), squared)[smooth]) / scale
        return Difference(step, best, smooth, scale, noise, left_out)

    def _largest(self, array: Any) -> float:
        """Of those that are numbers: the function may end near the point."""
        numpy = self.numpy
        return float(numpy.abs(array[numpy.isfinite(array)]).max(initial=0.0))
