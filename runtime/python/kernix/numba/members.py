"""Bound methods and operators of structs: which functions they are, for values in compiled code.

What is bound for a struct in several sources, or an operator for the same types, is called through its module: by the value
alone nobody can tell which one is meant. So it is with one source that was loaded with other macros. Of one that was loaded
again as it was before, the last counts, and what it no longer has is gone.
"""

import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from numba.cuda import types
from numba.cuda.vector_types import VectorType

from ..errors import KernelTypeError
from .types import StructType

if TYPE_CHECKING:
    from .module import DeviceContents, DeviceFunction
    from .signatures import Overload

# By spelling and number of operands.
OPERATORS: dict[tuple[str, int], Any] = {
    ("+", 2): operator.add,
    ("-", 2): operator.sub,
    ("*", 2): operator.mul,
    ("/", 2): operator.truediv,
    ("%", 2): operator.mod,
    ("<<", 2): operator.lshift,
    (">>", 2): operator.rshift,
    ("&", 2): operator.and_,
    ("|", 2): operator.or_,
    ("^", 2): operator.xor,
    ("==", 2): operator.eq,
    ("!=", 2): operator.ne,
    ("<", 2): operator.lt,
    ("<=", 2): operator.le,
    (">", 2): operator.gt,
    (">=", 2): operator.ge,
    ("[]", 2): operator.getitem,
    ("-", 1): operator.neg,
    ("+", 1): operator.pos,
    ("~", 1): operator.invert,
}
# `a += b` is `a = a + b`: a value has no place that could change.
_IN_PLACE = {
    operator.add: operator.iadd,
    operator.sub: operator.isub,
    operator.mul: operator.imul,
    operator.truediv: operator.itruediv,
    operator.mod: operator.imod,
    operator.lshift: operator.ilshift,
    operator.rshift: operator.irshift,
    operator.and_: operator.iand,
    operator.or_: operator.ior,
    operator.xor: operator.ixor,
}
# Functions by what their modules are made of and their names there.
_Functions = dict[tuple[Any, ...], "DeviceFunction"]
_methods: dict[tuple[str, str], _Functions] = {}
_operators: dict[tuple[str, int], _Functions] = {}


def _origin(contents: "DeviceContents") -> tuple[Any, ...]:
    """Sources, and the options that change what they mean. (Intents are how a function is called, not what it does.)"""
    options = contents.options
    flags = tuple(each for each in options.extra_cflags if not each.startswith("-fplugin-arg-kernix-"))
    return (*contents.sources, options.include_paths, options.defines, flags, options.fast_math)


def replace(contents: "DeviceContents") -> None:
    """Before the functions of a module are added: those of an earlier load of it are no longer meant."""
    origin = _origin(contents)
    for known in (*_methods.values(), *_operators.values()):
        for at in [at for at, function in known.items() if at[0] == origin and function._contents is not contents]:
            del known[at]


def add(function: "DeviceFunction") -> None:
    at = (_origin(function._contents), function._name)
    for record, member in ((record, record.get("member")) for record in function._records):
        if member and not member["is_constructor"]:
            _methods.setdefault((_class_of(record), member["name"]), {})[at] = function
    for symbol, _ in operators(function):
        _operators.setdefault(symbol, {})[at] = function


def python_operators(symbol: tuple[str, int]) -> list[Any]:
    """What in Python an operator of C++ stands for."""
    found = OPERATORS[symbol]
    return [found, _IN_PLACE[found]] if found in _IN_PLACE else [found]


def _class_of(record: Any) -> str:
    from ..structs import cxx_name

    return cxx_name(record["parameters"][0]["type"])


def operators(function: "DeviceFunction") -> Iterator[tuple[tuple[str, int], "Overload"]]:
    """Which operators a function is, for its overloads."""
    for record in function._records:
        for overload in function.overloads:
            symbol = (record.get("operator") or "", len(overload.arguments))
            if overload.signature == record["signature"] and symbol in OPERATORS:
                yield symbol, overload


def methods(struct: StructType, name: str) -> list["DeviceFunction"]:
    found = _methods.get((struct.cxx_name, name), {})
    modules = {origin: function._contents.name for (origin, _), function in found.items()}
    if len(modules) > 1:
        raise KernelTypeError(
            f"{struct.cxx_name}::{name} is bound by several modules, {_names(modules.values())}: call "
            f"module.{struct.cxx_name}.{name}(value)"
        )
    return list(found.values())


def _names(modules: Iterable[str]) -> str:
    return " and ".join(sorted(modules))


def refuse_changes(struct: StructType, name: str, functions: Sequence["DeviceFunction"]) -> None:
    overloads = [overload for function in functions for overload in function.overloads]
    if overloads and all(isinstance(overload.arguments[0], types.CPointer) for overload in overloads):
        where = struct.cxx_name.replace("::", ".")
        raise KernelTypeError(
            f"{struct.cxx_name}::{name} changes its object, and a value has no place: call module.{where}.{name}(array[i:], ...)"
        )
    if why_not := [text for function in functions for text in function.why_not]:
        raise KernelTypeError("; ".join(why_not))


def may_have_operators(of: Any) -> bool:
    return isinstance(of, (StructType, VectorType, types.Record))


def with_operator(symbol: tuple[str, int]) -> list["DeviceFunction"]:
    return list(_operators.get(symbol, {}).values())


def refuse_ambiguous(symbol: tuple[str, int], functions: Sequence["DeviceFunction"], chosen: "Overload") -> None:
    """Where another module has the operator for the same types."""
    same = {
        _origin(function._contents): function._contents.name
        for function in functions
        for each, overload in operators(function)
        if each == symbol and overload.arguments == chosen.arguments
    }
    if len(same) > 1:
        raise KernelTypeError(
            f"operator{symbol[0]} of these types is bound by several modules, {_names(same.values())}: call the function"
        )
