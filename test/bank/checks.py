"""What is checked of a kernel of the bank, on NumPy arrays.

A kernel is a map from its inputs (tensors that are read, scalars with a gradient) to its outputs. Directions and
cotangents are dictionaries by parameter name; an in-out tensor is in both.
"""

from collections.abc import Callable, Iterable
from typing import Any

import bank
import numpy as np

Values = dict[str, Any]


class Operation:
    """A kernel in one precision, called with plain dictionaries. Nothing that is given is changed."""

    def __init__(self, function: Any, kernel: bank.Kernel, precision: str) -> None:
        self.function = function
        self.kernel = kernel
        self.precision = precision
        self.epsilon = {"f64": 2e-16, "f32": 6e-8, "f16": 5e-4, "bf16": 4e-3}[precision]

    def make(self, seed: int) -> Values:
        return self.kernel.make(self.precision, seed)

    def random_like(self, made: Values, names: Iterable[str], seed: int) -> Values:
        """Directions or cotangents, of the types that the kernel wants."""
        random = np.random.default_rng([seed, *self.kernel.name.encode()])
        result: Values = {}
        for name in names:
            argument = self.kernel.arguments[name]
            if argument.kind == "real":
                result[name] = float(np.float32(random.uniform(-1, 1)))
            elif argument.kind == "realstruct":
                result[name] = {field: float(np.float32(random.uniform(-1, 1))) for field in made[name]}
            else:
                values = random.uniform(-1, 1, made[name].shape).astype("float32")
                result[name] = bank.strided(values.astype(made[name].dtype), argument)
        return result

    def _copies(self, made: Values) -> Values:
        """The arguments with outputs that may be written; the same tensor given twice stays the same."""
        kinds = {name: argument.kind for name, argument in self.kernel.arguments.items()}
        return {
            name: bank.strided(value.copy(), self.kernel.arguments[name]) if kinds[name] in ("out", "inout") else value
            for name, value in made.items()
        }

    def primal(self, made: Values) -> Values:
        call = self._copies(made)
        self.function(**call, **self.kernel.launch)
        return {name: _wide(call[name]) for name in self.kernel.outputs()}

    def forward(self, made: Values, direction: Values) -> tuple[Values, Values]:
        """Values and tangents of the outputs."""
        call = self._copies(made)
        arguments: Values = dict(call)
        for name in self.kernel.gradients():
            if self.kernel.arguments[name].kind == "out":
                # A tangent that is not written would stay what it is, as the value does.
                shadow = bank.strided(np.zeros_like(call[name]), self.kernel.arguments[name])
            else:
                shadow = direction[name]
                if self.kernel.arguments[name].kind == "inout":
                    shadow = shadow.copy()
            arguments[name] = (call[name], shadow)
        for name, argument in self.kernel.arguments.items():
            if argument.kind == "same":
                arguments[name] = (call[name], direction[argument.value])
        results = self.function.fwd(**arguments, **self.kernel.launch)
        pairs = {name: getattr(results, name) for name in self.kernel.outputs()}
        return {name: _wide(pair[0]) for name, pair in pairs.items()}, {
            name: _wide(pair[1]) for name, pair in pairs.items()
        }

    def backward(self, made: Values, cotangent: Values, start: Values | None = None) -> Values:
        """Gradients of the inputs; `start`: what they are added to."""
        arguments: Values = dict(made)
        for name in self.kernel.outputs():
            shadow = cotangent[name]
            arguments[name] = (made[name], shadow.copy() if self.kernel.arguments[name].kind == "inout" else shadow)
        for name in start or {}:
            arguments[name] = (made[name], start[name])  # type: ignore[index]
        before = {name: value.copy() for name, value in made.items() if hasattr(value, "copy") and name in self._tensors()}
        results = self.function.bwd(**arguments, **self.kernel.launch)
        for name, value in before.items():
            assert np.array_equal(value, made[name]), f"{name} was changed by the backward kernel"
        for name, argument in self.kernel.arguments.items():
            if argument.kind == "out" and argument.has_gradient:
                assert arguments[name][1] is cotangent[name]
        gradients = {name: _wide(getattr(results, name)) for name in self.kernel.inputs()}
        for name, argument in self.kernel.arguments.items():
            if argument.kind == "same":
                gradients[argument.value] = gradients[argument.value] + _wide(getattr(results, name))
        return gradients

    def _tensors(self) -> list[str]:
        return [name for name, argument in self.kernel.arguments.items() if argument.is_tensor]


def _wide(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: float(np.asarray(leaf).reshape(())) for name, leaf in value._asdict().items()}
    return np.asarray(value, "float64")


def _leaves(value: Any) -> Any:
    return np.array(list(value.values())) if isinstance(value, dict) else np.asarray(value, "float64").reshape(-1)


def dot(left: Values, right: Values, names: Iterable[str]) -> tuple[float, float]:
    """The product and the sum of its absolute terms, the measure of what rounding may do to it."""
    product = magnitude = 0.0
    for name in names:
        terms = _leaves(left[name]) * _leaves(right[name])
        product += float(terms.sum())
        magnitude += float(np.abs(terms).sum())
    return product, magnitude


def close(label: str, got: float, expected: float, scale: float, tolerance: float) -> None:
    __tracebackhide__ = True
    assert np.isfinite(got) and np.isfinite(expected), f"{label}: {got} and {expected}"
    bound = tolerance * max(scale, abs(expected), abs(got)) + 1e-300
    assert abs(got - expected) <= bound, f"{label}: {got:.12g}, expected {expected:.12g}, tolerance {bound:.3g}"


def check_adjoint(op: Operation, seed: int) -> None:
    made = op.make(seed)
    inputs, outputs = op.kernel.inputs(), op.kernel.outputs()
    cotangent = op.random_like(made, outputs, seed + 100)
    gradient = op.backward(made, cotangent)
    for trial in range(3):
        direction = op.random_like(made, inputs, seed * 10 + trial)
        value, tangent = op.forward(made, direction)
        forward, size_forward = dot(tangent, cotangent, outputs)
        reverse, size_reverse = dot(direction, gradient, inputs)
        # One rounding error per term, with room for those inside each gradient.
        tolerance = max(op.epsilon * 2000, op.kernel.tolerance * 1e-4) if op.precision == "f64" else op.epsilon * 500
        if op.precision == "f32" and op.kernel.float_tolerance > 1e-3:
            tolerance = op.kernel.float_tolerance
        close("reverse", reverse, forward, size_forward + size_reverse, min(tolerance, 0.1))
        if trial == 0:
            plain = op.primal(made)
            for name in outputs:
                bound = (np.abs(plain[name]).max(initial=0) + 1) * op.epsilon * 200
                assert np.allclose(value[name], plain[name], rtol=0, atol=bound), f"value of {name} in forward mode"


def check_differences(op: Operation, seed: int) -> None:
    made = op.make(seed)
    inputs, outputs = op.kernel.inputs(), op.kernel.outputs()
    cotangent = op.random_like(made, outputs, seed + 200)
    gradient = op.backward(made, cotangent)
    # Each input by itself, so that a wrong gradient of one is named and not drowned by another.
    for name in inputs:
        direction = op.random_like(made, inputs, seed + 300)
        for other in inputs:
            if other != name:
                direction[other] = _zero(direction[other])
        difference, smooth = richardson(lambda t, d=direction: op.primal(_moved(op, made, d, t)), outputs)
        _, tangent = op.forward(made, direction)
        for output in outputs:
            known = smooth[output]
            assert known.mean() > 0.8, f"{output} along {name} has too many kinks and jumps to be checked"
            scale = np.abs(difference[output][known]).max(initial=0) + 1e-3
            wrong = np.abs(tangent[output] - difference[output])[known].max(initial=0)
            assert wrong <= op.kernel.tolerance * scale, f"tangent of {output} along {name}: off by {wrong:.3g} of {scale:.3g}"
        # Where a difference crosses a kink or a jump, the derivative is another thing.
        masked = {output: (cotangent[output] * smooth[output]).astype(cotangent[output].dtype) for output in outputs}
        given = gradient
        if not all(known.all() for known in smooth.values()):
            masked = {output: bank.strided(value, op.kernel.arguments[output]) for output, value in masked.items()}
            given = op.backward(made, masked)
        expected, size = dot(difference, masked, outputs)
        got, _ = dot(direction, given, [name])
        close(f"gradient of {name}", got, expected, size + 1e-3, op.kernel.tolerance)


def check_coarse_differences(op: Operation, seed: int) -> None:
    """For kernels that exist in low precision only: the tangent against a difference with a step above the rounding."""
    made = op.make(seed)
    inputs, outputs = op.kernel.inputs(), op.kernel.outputs()
    direction = op.random_like(made, inputs, seed + 300)
    step = op.epsilon ** (1 / 3) * 2
    plus, minus = (op.primal(_moved(op, made, direction, sign * step)) for sign in (1, -1))
    _, tangent = op.forward(made, direction)
    for output in outputs:
        difference = (plus[output] - minus[output]) / (2 * step)
        values = np.abs(plus[output]).max(initial=0) + 1
        bound = 8 * op.epsilon * values / step + 20 * step * step
        wrong = np.abs(tangent[output] - difference).max(initial=0)
        assert wrong <= bound, f"tangent of {output}: off by {wrong:.3g}, noise bound {bound:.3g}"


def check_precisions(op: Operation, reference: Operation) -> None:
    made, exact = op.make(0), reference.make(0)
    inputs, outputs = op.kernel.inputs(), op.kernel.outputs()
    gradient = op.backward(made, op.random_like(made, outputs, 5))
    expected = reference.backward(exact, reference.random_like(exact, outputs, 5))
    for name in inputs:
        got, wanted = _leaves(gradient[name]), _leaves(expected[name])
        scale = np.abs(wanted).max(initial=0) + 1e-3
        wrong = np.abs(got - wanted).max(initial=0)
        assert wrong <= op.kernel.float_tolerance * scale, f"gradient of {name}: off by {wrong:.3g} of {scale:.3g}"


def check_accumulation(op: Operation) -> None:
    made = op.make(0)
    outputs = op.kernel.outputs()
    cotangent = op.random_like(made, outputs, 5)
    fresh = op.backward(made, cotangent)
    names = [
        name
        for name in op.kernel.inputs()
        if op.kernel.arguments[name].kind in ("in", "real") and not _is_shared(op, name)
    ]
    start = {name: np.atleast_1d(value) for name, value in op.random_like(made, names, 6).items()}
    given = {name: value.copy() for name, value in start.items()}
    again = op.backward(made, cotangent, given)
    for name in names:
        scale = np.abs(fresh[name]).max(initial=0) + 1
        expected = np.reshape(fresh[name], -1) + np.reshape(start[name], -1)
        assert np.allclose(np.reshape(again[name], -1), expected, rtol=0, atol=1e-10 * scale), f"gradient of {name}"
        assert np.array_equal(again[name], given[name]), f"the gradient given for {name} is not the one returned"


def check_second(op: Operation, seed: int) -> None:
    """How the gradients change along directions of inputs and cotangents, and the transpose of that."""
    made = op.make(seed)
    inputs, outputs = op.kernel.inputs(), op.kernel.outputs()
    cotangent = op.random_like(made, outputs, seed + 400)
    along = op.random_like(made, [*inputs, *outputs], seed + 500)
    weights = op.random_like(made, inputs, seed + 600)

    def gradients(step: float) -> Values:
        moved = _moved(op, made, {name: along[name] for name in inputs}, step)
        return op.backward(moved, _moved(op, cotangent, {name: along[name] for name in outputs}, step))

    difference, smooth = richardson(gradients, inputs)
    forward: Values = dict(made)
    reverse: Values = dict(made)
    for name in inputs:
        forward[name] = (made[name], along[name])
        reverse[f"{name}_grad"] = (None, np.atleast_1d(weights[name] * smooth[name].reshape(np.shape(weights[name]))))
    for name in outputs:
        forward[name] = reverse[name] = None
        forward[f"{name}_grad"] = (cotangent[name], along[name])
        reverse[f"{name}_grad"] = cotangent[name]
    results = op.function.bwd.fwd(**forward, **op.kernel.launch)
    for name in inputs:
        known = smooth[name].reshape(-1)
        assert known.mean() > 0.8, f"the gradient of {name} has too many kinks and jumps to be checked"
        tangent = np.reshape(getattr(results, f"{name}_grad")[1], -1)
        expected = np.reshape(difference[name], -1)
        scale = np.abs(expected).max(initial=0) + 1e-2
        wrong = np.abs(tangent - expected)[known].max(initial=0)
        assert wrong <= 10 * op.kernel.tolerance * scale, f"tangent of {name}_grad: off by {wrong:.3g} of {scale:.3g}"
    results = op.function.bwd.bwd(**reverse, **op.kernel.launch)
    seconds = {name: _wide(getattr(results, name)) for name in inputs}
    seconds |= {name: _wide(getattr(results, f"{name}_grad")) for name in outputs}
    got, size = dot(seconds, along, [*inputs, *outputs])
    expected_sum = sum(float((_leaves(difference[name]) * _leaves(weights[name])).sum()) for name in inputs)
    close("second gradients", got, expected_sum, size + 1e-2, 10 * op.kernel.tolerance)


def richardson(f: Callable[[float], Values], names: Iterable[str]) -> tuple[Values, Values]:
    """Central differences of fourth order, and where two steps agree on them."""
    h = 2e-4
    at = {step: f(step * h) for step in (-2, -1, 1, 2)}
    difference, smooth = {}, {}
    for name in names:
        narrow = (at[1][name] - at[-1][name]) / (2 * h)
        wide = (at[2][name] - at[-2][name]) / (4 * h)
        difference[name] = (4 * narrow - wide) / 3
        smooth[name] = np.abs(narrow - wide) <= 1e-3 * (np.abs(difference[name]) + 1)
        difference[name] = np.where(smooth[name], difference[name], 0)
    return difference, smooth


def _moved(op: Operation, made: Values, direction: Values, step: float) -> Values:
    moved = dict(made)
    for name, change in direction.items():
        if isinstance(change, dict):
            moved[name] = {field: made[name][field] + step * change[field] for field in made[name]}
        elif isinstance(change, float):
            moved[name] = made[name] + step * change
        else:
            wide = made[name].astype("float64") + step * change.astype("float64")
            moved[name] = bank.strided(wide.astype(made[name].dtype), op.kernel.arguments[name])
    for name, argument in op.kernel.arguments.items():
        if argument.kind == "same":
            moved[name] = moved[argument.value]
    return moved


def _zero(value: Any) -> Any:
    if isinstance(value, dict):
        return dict.fromkeys(value, 0.0)
    return value * 0


def _is_shared(op: Operation, name: str) -> bool:
    """Given twice: then neither can be moved alone."""
    arguments = op.kernel.arguments
    return arguments[name].kind == "same" or any(a.kind == "same" and a.value == name for a in arguments.values())
