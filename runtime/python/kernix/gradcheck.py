"""kernix.gradcheck: are the derivatives of an operation right, at these arguments?

Where the operation has a double variant, everything runs in float64: reverse against forward mode by tangent-adjoint
products, and both against central differences. Otherwise the products are compared in the precision there is, and the
differences, which are noisy then, with a bound that is printed. An element whose difference changes with the step is
near a kink or a jump and is counted apart. Works on NumPy arrays inside; arguments may be of any framework.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .derivative import returned_names
from .errors import KernelTypeError, KernelValueError
from .function import LAUNCH_KEYWORDS, python_signature
from .names import as_in_python, field_names

_EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}


@dataclass(frozen=True)
class Row:
    """The check of one input: how far each comparison is off, relative to its size, and how far it may be."""

    name: str
    elements: int
    adjoint_error: float
    adjoint_bound: float
    difference_error: float
    difference_bound: float
    kinks: int

    @property
    def ok(self) -> bool:
        return self.adjoint_error <= self.adjoint_bound and self.difference_error <= self.difference_bound


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
                f"{row.adjoint_error:.1e}",
                f"{row.adjoint_bound:.1e}",
                f"{row.difference_error:.1e}",
                f"{row.difference_bound:.1e}",
                str(row.kinks),
                "ok" if row.ok else "WRONG",
            )
            for row in self.rows
        ]
        widths = [max(len(line[column]) for line in table) for column in range(len(head))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]
        return "\n".join([f"gradcheck of {self.function} in {self.precision}: {'ok' if self.ok else 'WRONG'}", *lines])

    __repr__ = __str__


def gradcheck(op: Any, *args: Any, seed: int = 0, directions: int = 3, raise_exception: bool = False, **keywords: Any) -> Gradcheck:
    """Compares the derivatives of an operation with each other and with differences.

    Arguments are those of a call. Inputs are not changed; a launch size that the call needs is given as in a call.
    `raise_exception`: a wrong derivative is a KernelValueError with the table.
    """
    result = _Check(op, args, keywords, seed).run(directions)
    if raise_exception and not result.ok:
        raise KernelValueError(str(result))
    return result


class _Check:
    def __init__(self, op: Any, args: Sequence[Any], keywords: Mapping[str, Any], seed: int) -> None:
        import numpy

        self.numpy = numpy
        self.op = op
        self.records: list[dict[str, Any]] = getattr(op, "_records", [])
        if not self.records or self.records[0]["derivative"]:
            raise KernelTypeError(f"gradcheck: expected an operation of a kernix module, got {op!r}")
        self.random = numpy.random.default_rng(seed)
        given = self._bind(args, keywords)
        self.launch = {name: given.pop(name) for name in [*given] if name in LAUNCH_KEYWORDS}
        self.record, self.precision = self._choose_variant(given)
        self.parameters = {each["name"]: each for each in self.record["parameters"]}
        self.given = {name: self._convert(name, value) for name, value in given.items()}
        self.inputs = [name for name in self.given if self._is_input(name)]
        self.outputs = [each["name"] for each in self.record["parameters"] if self._is_output(each)]
        if not self.inputs:
            raise KernelTypeError(f"{self.record['signature']}: gradcheck: no argument has a gradient")
        # Shapes of outputs that the call allocates are known from a first call.
        self.start = self.primal(self.given)

    # -- arguments -------------------------------------------------------------------------------------------------

    def _bind(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        positional = [
            name
            for name, parameter in python_signature(self.records[0]).parameters.items()
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        if len(args) > len(positional):
            raise KernelTypeError(f"{self.records[0]['signature']}: expected at most {len(positional)} positional arguments")
        return {**dict(zip(positional, args, strict=False)), **as_in_python(keywords, self.records[0])}

    def _choose_variant(self, given: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """The variant in double where there is one, else the one that the arguments fit."""
        for record in self.records:
            if {each["dtype"] for each in record["parameters"] if each["differentiable"]} == {"float64"}:
                return record, "float64"
        for record in self.records:
            if all(self._fits(each, given.get(each["name"])) for each in record["parameters"]):
                break
        floats = [each["dtype"] for each in record["parameters"] if each["differentiable"]]
        return record, max(floats, key=lambda name: _EPSILON.get(name, 0.0), default="float32")

    @staticmethod
    def _fits(parameter: Mapping[str, Any], value: Any) -> bool:
        dtype = getattr(value, "dtype", None)
        return dtype is None or not parameter["differentiable"] or str(dtype).removeprefix("torch.") == parameter["dtype"]

    def _convert(self, name: str, value: Any) -> Any:
        """A NumPy copy in the precision of the check; what is no array stays as it is."""
        if not hasattr(value, "shape") or not hasattr(value, "dtype"):
            return value
        if hasattr(value, "detach"):
            value = value.detach().cpu()
            value = value.float().numpy() if str(value.dtype) == "torch.bfloat16" else value.numpy()
        array = self.numpy.array(value)
        wanted = self.parameters[name]["dtype"]
        if wanted in _EPSILON and self.parameters[name]["passing"] != "scalar":
            array = array.astype(self._dtype(wanted))
        return array if array.ndim else array[()]

    def _dtype(self, name: str) -> Any:
        if name == "bfloat16":
            import ml_dtypes

            return self.numpy.dtype(ml_dtypes.bfloat16)
        return self.numpy.dtype(name)

    def _is_input(self, name: str) -> bool:
        parameter = self.parameters[name]
        has_shadow = parameter["differentiable"] and parameter["passing"] != "struct"
        return has_shadow and parameter["access"] in ("in", "inout") and self.given[name] is not None

    def _is_output(self, parameter: Mapping[str, Any]) -> bool:
        return parameter["differentiable"] and parameter["access"] in ("out", "inout")

    # -- calls -----------------------------------------------------------------------------------------------------

    def _fresh(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments whose written tensors are copies."""
        return {
            name: value.copy() if self.parameters[name]["role"] == "ret" and hasattr(value, "copy") else value
            for name, value in given.items()
        }

    def primal(self, given: Mapping[str, Any]) -> dict[str, Any]:
        call = self._fresh(given)
        results = self.op(**call, **self.launch)
        names = returned_names(self.record)
        row = (results,) if len(names) == 1 else results or ()
        call.update({name: value for name, value in zip(names, row, strict=True) if name})
        return {name: self._wide(call[name]) for name in self.outputs}

    def forward(self, direction: Mapping[str, Any]) -> dict[str, Any]:
        call = self._fresh(self.given)
        for name in self.inputs:
            call[name] = (call[name], direction[name].copy() if hasattr(direction[name], "copy") else direction[name])
        for name in self.outputs:
            if name in self.given and name not in self.inputs:
                call[name] = (call[name], self.numpy.zeros_like(call[name]))
        results = self.op.fwd(**call, **self.launch)
        return {name: self._wide(getattr(results, field_names([name])[0])[1]) for name in self.outputs}

    def backward(self, cotangent: Mapping[str, Any]) -> dict[str, Any]:
        call = dict(self.given)
        for name in self.outputs:
            call[name] = (self.given.get(name), cotangent[name].copy())
        results = self.op.bwd(**call, **self.launch)
        return {name: self._wide(getattr(results, field_names([name])[0])) for name in self.inputs}

    def _wide(self, array: Any) -> Any:
        return self.numpy.asarray(array, dtype="float64")

    def _random(self, like: Any, dtype: str) -> Any:
        values = self.random.uniform(-1, 1, self.numpy.shape(like))
        return float(values) if self.numpy.ndim(like) == 0 else values.astype(self._dtype(dtype))

    # -- comparisons -----------------------------------------------------------------------------------------------

    def run(self, directions: int) -> Gradcheck:
        cotangent = {name: self._random(self.start[name], self.parameters[name]["dtype"]) for name in self.outputs}
        gradient = self.backward(cotangent)
        rows = [self._check_input(name, gradient[name], cotangent, directions) for name in self.inputs]
        return Gradcheck(self.record["signature"], self.precision, tuple(rows))

    def _check_input(self, name: str, gradient: Any, cotangent: Mapping[str, Any], directions: int) -> Row:
        numpy = self.numpy
        epsilon = _EPSILON[self.precision]
        adjoint_error = difference_error = difference_bound = 0.0
        kinks = 0
        for _ in range(directions):
            direction = {
                each: self._random(self.given[each], self.parameters[each]["dtype"]) if each == name else self._zero(each)
                for each in self.inputs
            }
            tangent = self.forward(direction)
            forward_terms = [(tangent[out] * self._wide(cotangent[out])).ravel() for out in self.outputs]
            reverse_terms = (self._wide(direction[name]) * gradient).ravel()
            forward = float(sum(terms.sum() for terms in forward_terms))
            size = float(sum(numpy.abs(terms).sum() for terms in forward_terms) + numpy.abs(reverse_terms).sum()) + 1e-30
            adjoint_error = max(adjoint_error, _distance(forward, float(reverse_terms.sum()), size))
            error, bound, found = self._difference(name, direction[name], tangent)
            difference_error, difference_bound = max(difference_error, error), max(difference_bound, bound)
            kinks = max(kinks, found)
        elements = int(numpy.size(self.given[name]))
        return Row(name, elements, adjoint_error, 1000 * epsilon, difference_error, difference_bound, kinks)

    def _zero(self, name: str) -> Any:
        value = self.given[name]
        return self.numpy.zeros_like(value) if self.numpy.ndim(value) else 0.0

    def _difference(self, name: str, direction: Any, tangent: Mapping[str, Any]) -> tuple[float, float, int]:
        """Worst relative distance of the tangents from central differences, its noise bound, elements near kinks."""
        numpy = self.numpy
        epsilon = _EPSILON[self.precision]
        size = float(numpy.abs(self._wide(self.given[name])).max(initial=0.0)) or 1.0
        step = size * epsilon ** (1 / 5 if self.precision == "float64" else 1 / 3)
        at = {k: self.primal(self._moved(name, direction, k * step)) for k in (-2, -1, 1, 2)}
        error = bound = 0.0
        kinks = 0
        for out in self.outputs:
            narrow = (at[1][out] - at[-1][out]) / (2 * step)
            wide = (at[2][out] - at[-2][out]) / (4 * step)
            best = (4 * narrow - wide) / 3
            scale = float(numpy.abs(best).max(initial=0.0)) + 1e-3 * float(numpy.abs(self.start[out]).max(initial=0.0)) + 1e-30
            values = float(max(numpy.abs(at[k][out]).max(initial=0.0) for k in at))
            noise = 20 * epsilon * (values + size * scale) / step / scale + 100 * (step / size) ** 4 + 50 * epsilon
            # Smooth, the two differences agree up to the second order of the step.
            smooth = numpy.abs(narrow - wide) <= scale * max(1e3 * (step / size) ** 2, noise) + 0.05 * numpy.abs(best)
            # A kink at the point itself: how much the function bends does not shrink with the step.
            bends = [numpy.abs(at[k][out] + at[-k][out] - 2 * self.start[out]) / (k * step) for k in (1, 2)]
            smooth &= (bends[0] < scale * max(noise, 1e-3)) | (bends[1] > 1.5 * bends[0])
            distance = numpy.abs(tangent[out] - best) / scale
            if not numpy.isfinite(distance[smooth]).all():
                return float("inf"), noise, int((~smooth).sum())
            error = max(error, float(distance[smooth].max(initial=0.0)))
            bound = max(bound, noise)
            kinks += int((~smooth).sum())
        return error, bound, kinks

    def _moved(self, name: str, direction: Any, step: float) -> dict[str, Any]:
        value = self.given[name]
        moved = self._wide(value) + step * self._wide(direction)
        return {**self.given, name: moved.astype(value.dtype) if self.numpy.ndim(value) else float(moved)}


def _distance(left: float, right: float, size: float) -> float:
    distance = abs(left - right) / size
    return distance if distance == distance else float("inf")
