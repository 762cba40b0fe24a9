"""Shapes of outputs as functions of sizes that may be symbols, and which variant a call is by its dtypes.

The expressions are those of the record. Where all sizes are numbers the runtime computes them itself, with all its checks
(fake.py); this is for sizes that torch.compile and torch.export keep open.
"""

import ast
import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from ..errors import KernelTypeError, KernelValueError, Untraceable


class Sizes:
    """Shapes and computed values of one call."""

    def __init__(self, record: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        self.record = record
        self.given = given
        self.parameters = {each["name"]: each for each in record["parameters"]}

    def shape(self, name: str) -> list[Any]:
        """Of an output, the axes of its elements included."""
        parameter = self.parameters[name]
        return [*self._elements(parameter), *(parameter.get("element_shape") or ())]

    def _elements(self, parameter: Mapping[str, Any]) -> list[Any]:
        """Sizes in elements, of a tensor that is given or of one that is declared."""
        tensor = self.given.get(parameter["name"])
        if tensor is None:
            tensor = self._shadow(parameter)
        if tensor is not None:
            axes = len(parameter.get("element_shape") or ())
            return list(tensor.shape[: tensor.ndim - axes])
        if parameter.get("like") is not None:
            return self._elements(self.record["parameters"][parameter["like"]])
        if parameter.get("array_length"):
            return [parameter["array_length"]]
        if parameter.get("shape") is None:
            raise KernelTypeError(f"{self.record['signature']}: argument '{parameter['name']}' is missing")
        return [self._evaluate(text) for text in parameter["shape"]]

    def _shadow(self, parameter: Mapping[str, Any]) -> Any:
        """What has the sizes of a tensor that a derivative was not given: its gradient or cotangent."""
        index = parameter.get("shadow")
        return None if index is None else self.given.get(self.record["parameters"][index]["name"])

    def _evaluate(self, text: str) -> Any:
        return self._node(_parse(text))

    def _node(self, node: Any) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._scalar(_unhidden(name))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._node(operand)
            case ast.BinOp(left=left, op=op, right=right):
                return _OPERATIONS[type(op)](self._node(left), self._node(right))
            case ast.Call(func=ast.Name(id=name), args=args) if name in _FUNCTIONS:
                return _FUNCTIONS[name](*map(self._node, args))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=what), args=args):
                sizes = self._elements(self._parameter(_unhidden(name)))
                if what == "rank":
                    return len(sizes)
                if what == "numel":
                    return functools.reduce(lambda a, b: a * b, sizes, 1)
                return sizes[self._node(args[0])]
        raise KernelTypeError(f"{self.record['signature']}: an expression cannot be evaluated: {ast.unparse(node)}")

    def _parameter(self, name: str) -> Mapping[str, Any]:
        return next(each for each in self.record["parameters"] if each["cxx_name"] == name)

    def _scalar(self, name: str) -> Any:
        parameter = self._parameter(name)
        value = self.given.get(parameter["name"])
        if isinstance(value, torch.Tensor):
            raise Untraceable(
                f"{self.record['signature']}: the shape of an output depends on '{parameter['name']}', which is a tensor: its "
                "value is not known when the call is traced; pass a number"
            )
        if value is not None:
            return value
        if parameter["value"] is not None:
            return self._evaluate(parameter["value"])
        if parameter["has_default"]:
            from ..function import python_default

            return python_default(dict(parameter))
        raise KernelTypeError(f"{self.record['signature']}: argument '{parameter['name']}' is missing")


def _divide(a: Any, b: Any) -> Any:
    """As C++ rounds. Of symbols the signs are those in the call that is traced, to which torch then holds the program; where
    that does not tell, what divides is taken for positive."""
    try:
        return a // b if bool(a < 0) == bool(b < 0) else -(-a // b)
    except GuardOnDataDependentSymNode:
        return torch.sym_max(a, 0) // b - torch.sym_max(-a, 0) // b


def _remainder(a: Any, b: Any) -> Any:
    return a - _divide(a, b) * b


_OPERATIONS: dict[type, Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: _divide,
    ast.Mod: _remainder,
}
_FUNCTIONS: dict[str, Any] = {
    "ceil_div": lambda a, b: (a + b - 1) // b,
    "min": lambda a, b: torch.sym_min(a, b),
    "max": lambda a, b: torch.sym_max(a, b),
}
# Words of Python are names in C++.
_HIDDEN = "_kernix_"


def _unhidden(name: str) -> str:
    return name.removeprefix(_HIDDEN)


@functools.cache
def _parse(text: str) -> Any:
    hidden = re.sub(r"\b(?!(?:ceil_div|min|max|size|rank|numel)\s*\()([A-Za-z_]\w*)\b", rf"{_HIDDEN}\1", text)
    hidden = re.sub(rf"\.{_HIDDEN}", ".", hidden)
    return ast.parse(hidden.strip(), mode="eval").body


def variant_of(records: Sequence[Mapping[str, Any]], given: Mapping[str, Any]) -> int:
    """The variant that takes tensors of these dtypes; the error that names all is the runtime's, when it is called."""
    tensors = {name: value for name, value in given.items() if isinstance(value, torch.Tensor)}
    for index, record in enumerate(records):
        if all(_takes(each, tensors[each["name"]]) for each in record["parameters"] if each["name"] in tensors):
            return index
    if len(records) == 1:
        record = records[0]
        for each in record["parameters"]:
            if each["name"] in tensors and not _takes(each, tensors[each["name"]]):
                raise KernelTypeError(
                    f"{record['signature']}: argument '{each['name']}': expected a tensor of {each['dtype']}, got one of "
                    f"{_name(tensors[each['name']].dtype)}"
                )
    got = ", ".join(f"{name}: a tensor of {_name(value.dtype)}" for name, value in tensors.items())
    raise KernelTypeError(f"{records[0]['name']}: no variant takes these arguments ({got})")


def _takes(parameter: Mapping[str, Any], tensor: torch.Tensor) -> bool:
    if parameter["passing"] == "scalar":
        return True  # a number by whatever dtype
    if parameter["rank"] is not None and parameter["rank"] >= 0 and parameter["passing"] != "scalar":
        rank = parameter["rank"] + len(parameter.get("element_shape") or ())
        if tensor.ndim != rank:
            raise KernelValueError(
                f"argument '{parameter['name']}': expected a tensor with {rank} axes, got shape {tuple(tensor.shape)}"
            )
    return parameter["dtype"] in (None, "any") or parameter["dtype"] == _name(tensor.dtype)


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
