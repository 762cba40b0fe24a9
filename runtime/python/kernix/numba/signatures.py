"""How Numba's kernels call a device function, from its record: types of arguments and result, and what the shim takes.

One Overload for each number of arguments that a function of C++ can be called with; nothing here registers anything.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from numba.cuda import types

from ..structs import default_number
from . import leaves
from . import types as of_numba


@dataclass(frozen=True, eq=False)
class Overload:
    """`arguments` are the types of what a call is given. `left_out` are defaults for the rest, and `defaults` those for the
    last arguments, in a call that names what it gives."""

    symbol: str
    signature: str
    names: tuple[str, ...]
    arguments: tuple[Any, ...]
    read_only: tuple[bool, ...]  # of pointers: what they lead to
    left_out: tuple[tuple[Any, Any], ...]  # type and value
    defaults: tuple[Any, ...]
    results: tuple[Any, ...]
    result: Any

    def parameters(self) -> Iterator[str]:
        """As Python would write them."""
        fixed = len(self.names) - len(self.defaults)
        for k, (name, of) in enumerate(zip(self.names, self.arguments, strict=True)):
            yield f"{name}: {of}" + (f" = {self.defaults[k - fixed]!r}" if k >= fixed else "")


class NotInNumba(Exception):
    """Why a function cannot be called."""


def overloads(record: Mapping[str, Any], structs: Mapping[str, Any]) -> Iterator[Overload]:
    """The longest call first. Raises NotInNumba."""
    if reason := record.get("not_in_numba"):
        raise NotInNumba(reason)
    call, parameters = record["numba_call"], record["parameters"]
    visible: list[tuple[Mapping[str, Any], Any]] = []
    for value in call["arguments"]:
        parameter = parameters[value["parameter"]]
        visible.append((parameter, _checked(_argument(parameter, value["scalars"], structs), value["scalars"], parameter)))
    results = []
    for value in call["results"]:
        source = record["result"] if value["parameter"] is None else parameters[value["parameter"]]
        if source.get("shadow_kind") == "gradient":  # of a value
            source = parameters[source["shadow_of"]]
        found = of_numba.of_parameter(source)
        if found is None:
            raise _no_counterpart(source)
        results.append(_checked(found, value["scalars"], source))
    packed = types.void if not results else results[0] if len(results) == 1 else types.Tuple(tuple(results))
    names = [parameter["name"] for parameter, _ in visible]
    count = len(visible)
    fixed = count
    while fixed and _may_be_left_out(visible[fixed - 1][0]):
        fixed -= 1
    values = [default_number(parameter["default"], parameter["dtype"]) for parameter, _ in visible[fixed:]]
    while True:
        yield Overload(
            record["numba_shim"],
            record["signature"],
            tuple(names[:count]),
            tuple(found for _, found in visible[:count]),
            tuple(parameter["role"] == "arg" for parameter, _ in visible[:count]),
            tuple((found, value) for (_, found), value in zip(visible[count:], values[count - fixed :], strict=True)),
            tuple(values[: count - fixed]),
            tuple(results),
            packed,
        )
        if count == fixed:
            return
        count -= 1


def _may_be_left_out(parameter: Mapping[str, Any]) -> bool:
    """Defaults of structs are not made in kernels."""
    is_tangent = parameter.get("shadow_kind") == "tangent"
    return parameter["passing"] == "scalar" and parameter["has_default"] and not is_tangent


def _argument(parameter: Mapping[str, Any], scalars: list[str], structs: Mapping[str, Any]) -> Any:
    by_address = scalars == [leaves.POINTER]
    found = of_numba.pointee(parameter, structs) if by_address else of_numba.of_parameter(parameter)
    if found is None:
        raise _no_counterpart(parameter)
    return types.CPointer(found) if by_address else found


def _no_counterpart(parameter: Mapping[str, Any]) -> NotInNumba:
    return NotInNumba(f"what '{parameter['name']}' of type '{parameter['type']}' leads to has no counterpart in Numba")


def _checked(of: Any, scalars: list[str], parameter: Mapping[str, Any]) -> Any:
    """A type that consists of what the shim passes."""
    if [leaves.name(leaf) for leaf in leaves.of(of)] != scalars:
        raise NotInNumba(f"'{parameter['type']}' is passed as {', '.join(scalars)}, which {of} is not made of")
    return of
