"""kernix.gradcheck: are the derivatives of an operation right, at these arguments?

Where the operation has a double variant, everything runs in float64: reverse against forward mode by tangent-adjoint
products, and both against central differences. Otherwise the products are compared in the precision there is, and the
differences, which are noisy then, with a bound that is printed. An element whose difference changes with the step is
near a kink or a jump and is counted apart. Where an input is wrong, its elements are looked at one by one.
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .errors import KernelValueError
from .gradcheck_calls import EPSILON, Arrays, Calls
from .gradcheck_differences import Differences

_ELEMENTS = 256  # of a wrong input that are looked at one by one
_SHOWN = 3


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

    Without a forward or without a reverse derivative there is no `adjoint_error`: it is None. `ok`: nothing was found wrong;
    with `compared` false there was nothing to look at, for an empty input say.
    """

    name: str
    elements: int
    adjoint_error: float | None
    adjoint_bound: float
    difference_error: float
    difference_bound: float
    kinks: int
    worst: Sequence[Element] = ()  # of a wrong input
    compared: bool = True

    @property
    def ok(self) -> bool:
        is_adjoint = self.adjoint_error is None or self.adjoint_error <= self.adjoint_bound
        return is_adjoint and self.difference_error <= self.difference_bound

    @property
    def verdict(self) -> str:
        return "WRONG" if not self.ok else "ok" if self.compared else "nothing to check"


@dataclass(frozen=True)
class Gradcheck:
    """The result: true if no derivative was found wrong; prints as a table. `compared`: whether anything was looked at."""

    function: str
    precision: str
    rows: Sequence[Row] = field(default_factory=tuple)

    @property
    def ok(self) -> bool:
        return all(row.ok for row in self.rows)

    @property
    def compared(self) -> bool:
        return any(row.compared for row in self.rows)

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
                f"{row.difference_error:.1e}" if row.compared else "-",
                f"{row.difference_bound:.1e}" if row.compared else "-",
                str(row.kinks),
                row.verdict,
            )
            for row in self.rows
        ]
        widths = [max(len(line[column]) for line in table) for column in range(len(head))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]
        worst = [str(element) for row in self.rows for element in row.worst]
        if worst:
            worst.insert(0, "the worst elements, of a random combination of the outputs:")
        verdict = "WRONG" if not self.ok else "ok" if self.compared else "nothing to check"
        return "\n".join([f"gradcheck of {self.function} in {self.precision}: {verdict}", *lines, *worst])

    __repr__ = __str__


def gradcheck(
    op: Any,
    /,
    *args: Any,
    seed: int | None = None,
    directions: int | None = None,
    raise_exception: bool | None = None,
    **keywords: Any,
) -> Gradcheck:
    """Compares the derivatives of an operation with each other and with differences.

    Arguments are those of a call. Inputs are not changed; a launch size that the call needs is given as in a call. `seed` (0)
    and `directions` (3): of what is random, and how much of it. `raise_exception`: a wrong derivative is a KernelValueError
    with the table.
    """
    own = {"seed": seed, "directions": directions, "raise_exception": raise_exception}
    calls = Calls(op, args, keywords, own=[word for word, value in own.items() if value is not None])
    seed = _at_least("seed", 0, 0 if seed is None else seed)
    directions = _at_least("directions", 1, 3 if directions is None else directions)
    if not isinstance(raise_exception, (bool, type(None))):
        raise KernelValueError(f"gradcheck: raise_exception: expected True or False, got {raise_exception!r}")
    result = _Check(calls, seed).run(directions)
    if raise_exception and not result.ok:
        raise KernelValueError(str(result))
    return result


def _at_least(word: str, least: int, value: Any) -> int:
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise KernelValueError(f"gradcheck: {word}: expected an int of at least {least}, got {value!r}")
    return number


@dataclass(frozen=True)
class _Comparison:
    """With central differences in one direction: how far what is worst is off, and how far it may be, relative."""

    error: float = 0.0
    bound: float = 0.0
    kinks: int = 0
    compared: int = 0  # elements

    def excess(self) -> tuple[float, float]:
        return self.error / self.bound if self.bound else 0.0, self.bound


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
        is_empty = not value.size or not any(output.size for output in self.start.values())
        adjoint_error = 0.0 if gradient is not None and self.calls.has_forward and not is_empty else None
        found = [_Comparison()]
        for _ in range(0 if is_empty else directions):
            direction = self.calls.rounded(name, self.random.uniform(-1, 1, value.shape))
            tangent = self.calls.forward({name: direction}) if self.calls.has_forward else None
            if tangent is not None and adjoint_error is not None:
                adjoint_error = max(adjoint_error, self._adjoint_error(tangent, direction * gradient))
            found.append(self._difference(name, direction, tangent, gradient))
        worst = max(found, key=_Comparison.excess)
        row = Row(
            name,
            value.size,
            adjoint_error,
            1000 * self.epsilon,
            worst.error,
            worst.bound,
            max(each.kinks for each in found),
            compared=adjoint_error is not None or any(each.compared for each in found),
        )
        return row if row.ok else replace(row, worst=tuple(self._worst_elements(name, gradient)))

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

    def _differences(self, name: str, direction: Any, start: Arrays, run: Callable[[Any], Arrays]) -> Differences:
        """Of what `run` makes of moved arguments."""
        return Differences(self.numpy, self.epsilon, start, lambda by: run(self.calls.moved(name, direction, by)))

    def _difference(self, name: str, direction: Any, tangent: Arrays | None, gradient: Any) -> "_Comparison":
        """With central differences.

        Of the tangents, output by output; without them of the gradient, whose terms cannot be told apart near a kink.
        """
        numpy = self.numpy
        differences = self._differences(name, direction, self.start, self.calls.primal).at(*self._step(name))
        kinks = sum(found.kinks for found in differences.values())
        if tangent is not None:
            of_outputs = [_Comparison()]
            for out, found in differences.items():
                distance = (numpy.abs(tangent[out] - found.best) / found.scale)[found.smooth]
                error = float(distance.max(initial=0.0)) if numpy.isfinite(distance).all() else float("inf")
                of_outputs.append(_Comparison(error, found.bound, kinks, compared=distance.size))
            compared = sum(each.compared for each in of_outputs)
            return replace(max(of_outputs, key=_Comparison.excess), kinks=kinks, compared=compared)
        if kinks:
            return _Comparison(kinks=kinks)
        terms = [self.cotangent[out] * found.best for out, found in differences.items()]
        scale = sum(float(numpy.abs(each).sum()) for each in terms) + sum(found.scale for found in differences.values())
        error = _distance(float(sum(each.sum() for each in terms)), float((direction * gradient).sum()), scale)
        bound = max(found.bound for found in differences.values())
        return _Comparison(error, bound, compared=sum(each.size for each in terms))

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
        differences = self._differences(
            name, direction, self._combined(self.start), lambda given: self._combined(self.calls.primal(given))
        )
        (found,) = differences.at(*self._step(name), without_kinks=True).values()
        forward = float(self._combined(self.calls.forward({name: direction}))[""]) if self.calls.has_forward else None
        reverse = None if gradient is None else float(gradient.reshape(-1)[index])
        # Of each output by itself, which may cancel in their sum.
        largest = sum(float(abs(self.cotangent[out] * self.start[out]).sum()) for out in self.calls.outputs)
        noise = found.scale * found.bound + 20 * self.epsilon * largest / found.step
        return Element(label, reverse, forward, float(found.best), float("inf") if found.kinks else noise)

    def _combined(self, outputs: Arrays) -> Arrays:
        """The random combination of the outputs, as one."""
        return {"": self.numpy.asarray(sum((self.cotangent[out] * outputs[out]).sum() for out in self.calls.outputs))}


def _distance(left: float, right: float, size: float) -> float:
    distance = abs(left - right) / size
    return distance if distance == distance else float("inf")
