"""One variant of a bound function as the primitives see it, and how its derivatives' parameters stand for its own."""

import functools
import weakref
from dataclasses import dataclass
from typing import Any

from ..derivative import advice, advice_on_second
from ..errors import KernelTypeError
from ..module import Contents


@dataclass(frozen=True)
class Role:
    """What a parameter of f is in a derivative of it: indices of parameters of the derivative."""

    value: int | None
    shadow: int | None


class Function:
    """Compared by identity: there is one per module, name and variant."""

    def __init__(self, contents: Contents, name: str, variant: int) -> None:
        self.contents = contents
        self.name = name
        self.variant = variant
        operation = contents.functions[name]
        self.details = getattr(operation, "_flat", operation)
        self.record: dict[str, Any] = self.details._records[variant]
        self.parameters: list[dict[str, Any]] = self.record["parameters"]
        self.signature: str = self.record["signature"]

    def __repr__(self) -> str:
        return self.name

    @functools.cached_property
    def by_role(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The operands and results of a call that says nothing of them, as the handler takes them."""
        operands, results = [], []
        for index, parameter in enumerate(self.parameters):
            is_tensor = parameter["passing"] in ("pointer", "tensor_view", "tensor")
            if not is_tensor or parameter["role"] == "stream":
                continue
            is_both = parameter["intent"] == "inout_ptr" or parameter.get("shadow_kind") == "cotangent_and_gradient"
            if parameter["role"] != "ret" or is_both:
                operands.append(index)
            if parameter["role"] == "ret":
                results.append(index)
        return tuple(operands), tuple(results)

    @functools.cached_property
    def forward(self) -> "Derivation | None":
        return self._derivation("forward")

    @functools.cached_property
    def backward(self) -> "Derivation | None":
        return self._derivation("backward")

    def _derivation(self, which: str) -> "Derivation | None":
        name = self.record[which]
        return None if name is None else Derivation(self, name)

    def missing(self, which: str) -> KernelTypeError:
        """Why there is no derivative."""
        if self.record["derivative"] == "forward":
            return KernelTypeError(
                f"{self.signature}: the forward derivative has no derivative of its own; take second derivatives of the "
                f"backward of {self.record['primal']}: jax.hessian, jax.jacfwd(jax.grad(...)) or jax.grad(jax.grad(...))"
            )
        if self.record["derivative"]:
            return KernelTypeError(
                f"{self.signature}: the {self.record['derivative']} derivative has no {which} derivative of its own; "
                f"{advice_on_second(self.record)}"
            )
        return KernelTypeError(
            f"{self.signature}: has no {which} derivative; {advice(self.record, which)}, or use jax.lax.stop_gradient where "
            "no derivative is wanted"
        )


class Derivation:
    """f_fwd or f_bwd of one variant of f, beside it."""

    def __init__(self, primal: Function, name: str) -> None:
        self.primal = primal
        self.function = _variant_of(primal, name)
        self.parameters = self.function.parameters
        self.roles: list[Role] = [Role(None, None) for _ in primal.parameters]
        for index, parameter in enumerate(self.parameters):
            of = parameter["primal_parameter"]
            if parameter["shadow_kind"] is None and of is not None:
                self.roles[of] = Role(index, parameter["shadow"])

    def shadow(self, parameter: int) -> int:
        """Of a parameter of f that has one; the plugin sees to it that f_fwd and f_bwd have shadows of the same parameters."""
        found = self.roles[parameter].shadow
        assert found is not None, self.primal.parameters[parameter]["name"]
        return found

    @property
    def has_own_launch(self) -> bool:
        """A derivative that the user writes has the launch of its own attributes."""
        record = self.function.record
        return bool(record["hand_written"]) and any(
            record["launch"][which] != self.primal.record["launch"][which] for which in ("grid", "block", "shared_bytes")
        )


def _variant_of(primal: Function, name: str) -> Function:
    """The variant of a derivative whose values have the types of f's parameters."""
    operation = primal.contents.functions[name]
    for variant in range(len(getattr(operation, "_flat", operation)._records)):
        found = function_of(primal.contents, name, variant)
        if all(_is_same(primal.parameters[each["primal_parameter"]], each) for each in found.parameters if _is_value(each)):
            return found
    raise KernelTypeError(f"{primal.signature}: its derivative {name} has other types")


def _is_value(parameter: dict[str, Any]) -> bool:
    return parameter["shadow_kind"] is None and parameter["primal_parameter"] is not None


def _is_same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return all(a.get(key) == b.get(key) for key in ("dtype", "passing", "rank", "size", "element_shape"))


_functions: "weakref.WeakKeyDictionary[Contents, dict[tuple[str, int], Function]]" = weakref.WeakKeyDictionary()


def function_of(contents: Contents, name: str, variant: int) -> Function:
    known = _functions.setdefault(contents, {})
    if (name, variant) not in known:
        known[name, variant] = Function(contents, name, variant)
    return known[name, variant]
