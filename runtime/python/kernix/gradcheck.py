"""kernix.gradcheck: are the derivatives of an operation right, at these arguments?

Where the operation has a double variant, everything runs in float64: reverse against forward mode by tangent-adjoint
products, and both against central differences. Otherwise the products are compared in the precision there is, and the
differences, which are noisy then, with a bound that is printed. An element whose difference changes with the step is
near a kink or a jump and is counted apart. Where an input is wrong, its elements are looked at one by one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import KernelValueError
from .gradcheck_calls import EPSILON, Arrays, Calls

_ELEMENTS = 256  # of a wrong input that are looked at one by one
_SHOWN = 3
_MOST_LEFT_OUT = 1e-6  # relative; more is no smooth function at this step


@dataclass(frozen=True)
class Element:
    """The derivative of the random combination of the outputs by one element of an input, in three ways."""

    name: str  # "x[1, 2]", "a", "line.slope"
    reverse: float | None
    forward: float | None
    difference: float
    noise: float

    @property
    def off(self) -> float:
        """The largest distance from the difference."""
        return max(abs(way - self.difference) if way == way else float("inf") for way in self._ways())

    def _ways(self) -> list[float]:
        return [way for way in (self.reverse, self.forward) if way is not None]

    def __str__(self) -> str:
        ways = {"reverse": self.reverse, "forward": self.forward}
        bad = [f"{name} is wrong" for name, way in ways.items() if way is not None and not self._agrees(way)]
        given = ", ".join(f"{name} {way:.9g}" for name, way in ways.items() if way is not None)
        return f"{self.name}: {given}, central difference {self.difference:.9g}" + (f": {', '.join(bad)}" if bad else "")

    def _agrees(self, way: float) -> bool:
        return abs(way - self.difference) <= self.noise


@dataclass(frozen=True)
class Row:
    """The check of one input: how far each comparison is off, relative to its size, and how far it may be.

    Without a forward or without a reverse derivative there is no `adjoint_error`: it is None.
    """

    name: str
    elements: int
    adjoint_error: float | None
    adjoint_bound: float
    difference_error: float
    difference_bound: float
    kinks: int
    worst: Sequence[Element] = ()  # of a wrong input

    @property
    def ok(self) -> bool:
        is_adjoint = self.adjoint_error is None or self.adjoint_error <= self.adjoint_bound
        return is_adjoint and self.difference_error <= self.difference_bound


@dataclass(frozen=True)
class Gradcheck:
    """The result: true if the derivatives are right as far as could be seen; prints as a table."""

    function: str
    precision: str
    rows: Sequence[Row] = field(default_factory=tuple)

    @property
    def ok(self) -> bool:
        return all(row.ok for row in self.rows)

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        head = ("input", "elements", "reverse - forward", "bound", "gradient - difference", "noise bound", "kinks", "")
        table = [head] + [
            (
                row.name,
                str(row.elements),
                "-" if row.adjoint_error is None else f"{row.adjoint_error:.1e}",
                "-" if row.adjoint_error is None else f"{row.adjoint_bound:.1e}",
                f"{row.difference_error:.1e}",
                f"{row.difference_bound:.1e}",
                str(row.kinks),
                "ok" if row.ok else "WRONG",
            )
            for row in self.rows
        ]
        widths = [max(len(line[column]) for line in table) for column in range(len(head))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]
        worst = [str(element) for row in self.rows for element in row.worst]
        if worst:
            worst.insert(0, "the worst elements, of a random combination of the outputs:")
        return "\n".join([f"gradcheck of {self.function} in {self.precision}: {'ok' if self.ok else 'WRONG'}", *lines, *worst])

    __repr__ = __str__


def gradcheck(op: Any, *args: Any, seed: int = 0, directions: int = 3, raise_exception: bool = False, **keywords: Any) -> Gradcheck:
    """Compares the derivatives of an operation with each other and with differences.

    Arguments are those of a call. Inputs are not changed; a launch size that the call needs is given as in a call.
    `raise_exception`: a wrong derivative is a KernelValueError with the table.
    """
    result = _Check(Calls(op, args, keywords), seed).run(directions)
    if raise_exception and not result.ok:
        raise KernelValueError(str(result))
    return result


class _Check:
    def __init__(self, calls: Calls, seed: int) -> None:
        self.calls = calls
        self.numpy = calls.numpy
        self.random = calls.numpy.random.default_rng(seed)
        self.epsilon = EPSILON[calls.precision]
        # Shapes of outputs that the call allocates are known from a first call.
        self.start = calls.primal(calls.given)
        self.cotangent = {
            name: self.random.uniform(-1, 1, value.shape).astype(calls.dtype(calls.precision)).astype("float64")
            for name, value in self.start.items()
        }

    def run(self, directions: int) -> Gradcheck:
        gradient = self.calls.backward(self.cotangent) if self.calls.has_backward else None
        rows = [self._check_input(name, gradient and gradient[name], directions) for name in self.calls.inputs]
        return Gradcheck(self.calls.record["signature"], self.calls.precision, tuple(rows))

    def _check_input(self, name: str, gradient: Any, directions: int) -> Row:
        value = self.calls.value(name)
        adjoint_error = 0.0 if gradient is not None and self.calls.has_forward else None
        difference_error = difference_bound = 0.0
        kinks = 0
        for _ in range(directions):
            direction = self.calls.rounded(name, self.random.uniform(-1, 1, value.shape))
            tangent = self.calls.forward({name: direction}) if self.calls.has_forward else None
            if tangent is not None and adjoint_error is not None:
                adjoint_error = max(adjoint_error, self._adjoint_error(tangent, direction * gradient))
            error, bound, found = self._difference(name, direction, tangent, gradient)
            difference_error, difference_bound = max(difference_error, error), max(difference_bound, bound)
            kinks = max(kinks, found)
        bound = 1000 * self.epsilon
        row = Row(name, value.size, adjoint_error, bound, difference_error, difference_bound, kinks)
        if row.ok:
            return row
        worst = tuple(self._worst_elements(name, gradient))
        return Row(name, value.size, adjoint_error, bound, difference_error, difference_bound, kinks, worst)

    def _adjoint_error(self, tangent: Arrays, reverse_terms: Any) -> float:
        forward_terms = [tangent[out] * self.cotangent[out] for out in self.calls.outputs]
        forward = float(sum(terms.sum() for terms in forward_terms))
        size = float(sum(abs(terms).sum() for terms in forward_terms) + abs(reverse_terms).sum()) + 1e-30
        return _distance(forward, float(reverse_terms.sum()), size)

    # -- differences -----------------------------------------------------------------------------------------------

    def _step(self, name: str) -> tuple[float, float]:
        """How far an input is moved, and how large it is."""
        size = float(self.numpy.abs(self.calls.value(name)).max(initial=0.0)) or 1.0
        return size * self.epsilon ** (1 / 5 if self.calls.precision == "float64" else 1 / 3), size

    def _difference(self, name: str, direction: Any, tangent: Arrays | None, gradient: Any) -> tuple[float, float, int]:
        """Worst relative distance from central differences, its noise bound, elements near kinks.

        Of the tangents, output by output; without them of the gradient, whose terms cannot be told apart near a kink.
        """
        numpy, epsilon = self.numpy, self.epsilon
        step, size = self._step(name)
        at = {k: self.calls.primal(self.calls.moved(name, direction, k * step)) for k in (-4, -2, -1, 1, 2, 4)}
        error = bound = combined = combined_scale = 0.0
        kinks = 0
        for out in self.calls.outputs:
            narrow = (at[1][out] - at[-1][out]) / (2 * step)
            wide = (at[2][out] - at[-2][out]) / (4 * step)
            best = (4 * narrow - wide) / 3
            wider = (4 * wide - (at[4][out] - at[-4][out]) / (8 * step)) / 3
            scale = float(numpy.abs(best).max(initial=0.0)) + 1e-3 * float(numpy.abs(self.start[out]).max(initial=0.0)) + 1e-30
            values = float(max(numpy.abs(at[k][out]).max(initial=0.0) for k in at))
            noise = 20 * epsilon * (values + size * scale) / step / scale + 100 * (step / size) ** 4 + 50 * epsilon
            # Smooth, the two differences agree up to the second order of the step.
            smooth = numpy.abs(narrow - wide) <= scale * max(1e3 * (step / size) ** 2, noise) + 0.05 * numpy.abs(best)
            # A kink at the point itself: how much the function bends does not shrink with the step.
            bends = [numpy.abs(at[k][out] + at[-k][out] - 2 * self.start[out]) / (k * step) for k in (1, 2)]
            smooth &= (bends[0] < scale * max(noise, 1e-3)) | (bends[1] > 1.5 * bends[0])
            kinks += int((~smooth).sum())
            # What the series leaves out is 16 times as much in twice the step.
            left_out = float((numpy.abs(best - wider) / scale)[smooth].max(initial=0.0)) / 5
            noise += left_out if left_out < _MOST_LEFT_OUT else 0.0
            bound = max(bound, noise)
            combined += float((self.cotangent[out] * best).sum())
            combined_scale += float(numpy.abs(self.cotangent[out] * best).sum()) + scale
            if tangent is not None:
                distance = (numpy.abs(tangent[out] - best) / scale)[smooth]
                if not numpy.isfinite(distance).all():
                    return float("inf"), noise, kinks
                error = max(error, float(distance.max(initial=0.0)))
        if tangent is None and not kinks:
            error = _distance(combined, float((direction * gradient).sum()), combined_scale)
        return error, bound, kinks

    # -- where it is wrong -----------------------------------------------------------------------------------------

    def _worst_elements(self, name: str, gradient: Any) -> list[Element]:
        value = self.calls.value(name)
        label = self.calls.labels(name)
        count = value.size
        chosen = range(count) if count <= _ELEMENTS else sorted(self.random.choice(count, _ELEMENTS, replace=False))
        found = [self._element(name, int(index), label(int(index)), gradient) for index in chosen]
        found = [each for each in found if each.off > each.noise] or found
        return sorted(found, key=lambda each: -each.off)[:_SHOWN]

    def _element(self, name: str, index: int, label: str, gradient: Any) -> Element:
        direction = self.numpy.zeros(self.calls.value(name).shape)
        direction.reshape(-1)[index] = 1.0
        step, size = self._step(name)
        sums = {k: self._combined(self.calls.primal(self.calls.moved(name, direction, k * step))) for k in (-2, -1, 1, 2)}
        difference = (8 * (sums[1] - sums[-1]) - (sums[2] - sums[-2])) / (12 * step)
        forward = self._combined(self.calls.forward({name: direction})) if self.calls.has_forward else None
        reverse = None if gradient is None else float(gradient.reshape(-1)[index])
        largest = sum(float(abs(self.cotangent[out] * self.start[out]).sum()) for out in self.calls.outputs)
        noise = 20 * self.epsilon * (largest / step + abs(difference) * size / step) + 1e-6 * abs(difference)
        return Element(label, reverse, forward, difference, noise)

    def _combined(self, outputs: Mapping[str, Any]) -> float:
        return sum(float((self.cotangent[out] * outputs[out]).sum()) for out in self.calls.outputs)


def _distance(left: float, right: float, size: float) -> float:
    distance = abs(left - right) / size
    return distance if distance == distance else float("inf")
