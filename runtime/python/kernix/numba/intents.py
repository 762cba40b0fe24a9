"""Intents that Python gives, as the plugin reads them: the section ``Function Argument Intents`` of a YAML file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import KernelTypeError, KernelValueError

INTENTS = ("in", "inout_ptr", "out_ptr", "out_return", "out_array_return")


@dataclass(frozen=True)
class ArrayReturn:
    """An array that a function writes and a call gives back as a tuple of its elements.

    dtype: the type of an element, as C++ has it ("float", "float4") or as a type of Numba's; None: that of the parameter.
    length: the number of elements; None: that of the parameter's type.
    """

    dtype: Any = None
    length: int | None = None


def out_array_return(dtype: Any = None, length: int | None = None) -> ArrayReturn:
    """The intent ``out_array_return`` for ``arg_intent=``. Raises KernelValueError for a length that is not positive."""
    if length is not None and (isinstance(length, bool) or not isinstance(length, int) or length < 1):
        raise KernelValueError(f"out_array_return: length: expected an int of at least 1, got {length!r}")
    return ArrayReturn(dtype, length)


def to_yaml(arg_intent: Mapping[str, Mapping[str | int, Any]]) -> str:
    """JSON, which YAML is a superset of. Raises KernelTypeError and KernelValueError with the name of what is wrong."""
    if not isinstance(arg_intent, Mapping):
        raise KernelTypeError(f"arg_intent: expected a dict of functions, got {arg_intent!r}")
    functions = {}
    for function, intents in arg_intent.items():
        if not isinstance(function, str):
            raise KernelTypeError(f"arg_intent: expected the name of a function, got {function!r}")
        if not isinstance(intents, Mapping):
            raise KernelTypeError(f"arg_intent: {function}: expected a dict of parameters, got {intents!r}")
        functions[function] = {_key(function, key): _value(function, key, value) for key, value in intents.items()}
    return json.dumps({"Function Argument Intents": functions}, indent=1)


def _key(function: str, key: object) -> str:
    if isinstance(key, bool) or not isinstance(key, (str, int)):
        raise KernelTypeError(f"arg_intent: {function}: expected the name or index of a parameter, got {key!r}")
    return str(key)


def _value(function: str, key: object, value: object) -> Any:
    where = f"arg_intent: {function}: parameter {key!r}"
    if isinstance(value, ArrayReturn):
        return _array(value.dtype, value.length, where)
    if isinstance(value, Mapping):
        unknown = set(value) - {"intent", "dtype", "length"}
        if unknown or "intent" not in value:
            raise KernelTypeError(f"{where}: expected 'intent' and perhaps 'dtype' and 'length', got {dict(value)!r}")
        if value["intent"] == "out_array_return":
            return _array(value.get("dtype"), out_array_return(length=value.get("length")).length, where)
        if len(value) > 1:
            raise KernelTypeError(f"{where}: 'dtype' and 'length' belong to out_array_return")
        value = value["intent"]
    if not isinstance(value, str):
        raise KernelTypeError(f"{where}: expected an intent, got {value!r}")
    if value not in INTENTS:
        raise KernelValueError(f"{where}: unknown intent {value!r}; expected one of {', '.join(INTENTS)}")
    return value


def _array(dtype: object, length: int | None, where: str) -> dict[str, Any]:
    made: dict[str, Any] = {"intent": "out_array_return"}
    if length is not None:
        made["length"] = length
    if dtype is not None:
        made["dtype"] = _dtype_name(dtype, where)
    return made


def _dtype_name(dtype: Any, where: str) -> str:
    if isinstance(dtype, str):
        return dtype
    from . import types

    name = types.cxx_name(dtype)
    if name is None:
        raise KernelValueError(f"{where}: unknown dtype {dtype!r}")
    return name
