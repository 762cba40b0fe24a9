"""Fake kernels: what a call would return, for tensors without data.

With sizes that are numbers the runtime itself checks the call and computes the shapes; with symbols shapes.py does.
"""

import re
from collections.abc import Mapping
from typing import Any

import torch

from .. import _binding
from ..dtypes import dtype_pair
from ..errors import KernelTypeError, Untraceable
from ..function import is_hidden
from .schema import Form, returns_of
from .shapes import Sizes, variant_of


def results(details: Any, form: Form, given: Mapping[str, Any]) -> list[Any]:
    records = details._records
    wanted = returns_of(records[0], form)
    for name, type in wanted:
        if type != "Tensor":
            what = "a number" if name is None else f"'{name}' as a number"
            raise Untraceable(
                f"{records[0]['signature']}: returns {what}, which is not known before it runs; to trace it, write it to a "
                "tensor"
            )
    like = _like(given)
    if _is_concrete(given):
        variant, shapes = _ask_runtime(details, form, given, [name for name, _ in wanted])
    else:
        variant = variant_of(records, given)
        sizes = Sizes(records[variant], given)
        shapes = [sizes.shape(str(name)) for name, _ in wanted]
    record = records[variant]
    by_name = {each["name"]: each for each in record["parameters"]}
    device = "cuda" if like is None and details._module.targets[0] == "cuda" else "cpu"
    made = []
    for (name, _), shape in zip(wanted, shapes, strict=True):
        dtype = _dtype(record, by_name[str(name)], given)
        made.append(like.new_empty(shape, dtype=dtype) if like is not None else torch.empty(shape, dtype=dtype, device=device))
    return made


def _like(given: Mapping[str, Any]) -> Any:
    """The first tensor: results are on its device."""
    tensors = [value for value in given.values() if isinstance(value, torch.Tensor)]
    on_device = [tensor for tensor in tensors if tensor.device.type != "cpu"]
    return next(iter(on_device or tensors), None)


def _is_concrete(given: Mapping[str, Any]) -> bool:
    """Whether the runtime can be asked: all sizes are numbers, and so are the arguments that sizes depend on."""
    for value in given.values():
        if isinstance(value, torch.Tensor):
            if not all(type(size) is int for size in value.shape):
                return False
        elif isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            return False
    return True


def _ask_runtime(details: Any, form: Form, given: Mapping[str, Any], names: list[Any]) -> tuple[int, list[Any]]:
    record = details._records[0]
    values: list[Any] = []
    for index, parameter in enumerate(record["parameters"]):
        value = None if is_hidden(parameter) else given.get(parameter["name"])
        if isinstance(value, torch.Tensor):
            if parameter["passing"] == "scalar":
                _refuse_in_shapes(record, parameter)
                value = False if parameter["dtype"] == "bool" else 0
            else:
                value = (*dtype_pair(value.dtype), tuple(value.shape))
        elif value is not None and parameter.get("fields"):
            value = list(details.struct_leaves(0, index, value))
        values.append(value)
    by_name = {each["name"]: index for index, each in enumerate(record["parameters"])}
    library = details._module.default_library
    indices = tuple(by_name[name] for name in names)
    variant, outputs = _binding.trace_call(library, details._name, -1, tuple(values), indices)
    return variant, [list(shape) for _, _, shape in outputs]


def _refuse_in_shapes(record: Mapping[str, Any], scalar: Mapping[str, Any]) -> None:
    """A scalar whose value is not known must not decide a size."""
    if "float" in (scalar["dtype"] or ""):
        return
    texts = [text for each in record["parameters"] for text in (*(each.get("shape") or ()), each["value"] or "")]
    if any(re.search(rf"\b{re.escape(scalar['cxx_name'])}\b", text) for text in texts):
        raise Untraceable(
            f"{record['signature']}: a size depends on '{scalar['name']}', which is a tensor: its value is not known when the "
            "call is traced; pass a number"
        )


def _dtype(record: Mapping[str, Any], parameter: Mapping[str, Any], given: Mapping[str, Any]) -> torch.dtype:
    if parameter["dtype"] not in (None, "any"):
        dtype: torch.dtype = getattr(torch, parameter["dtype"])
        return dtype
    if parameter.get("like") is None:
        raise KernelTypeError(f"{record['signature']}: argument '{parameter['name']}' is missing")
    other = record["parameters"][parameter["like"]]
    tensor = given.get(other["name"])
    return tensor.dtype if tensor is not None else _dtype(record, other, given)
