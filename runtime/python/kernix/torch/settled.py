"""What is kept of arguments that torch does not save: numbers, structs, arrays and launch sizes, as they were at the call."""

from collections.abc import Mapping
from typing import Any

import torch

_NEVER_CHANGES = (int, float, complex, str, bytes, type(None))


def settled(value: Any) -> Any:
    """The same, whatever becomes of the object that the caller has."""
    if isinstance(value, _NEVER_CHANGES):
        return value
    if isinstance(value, Mapping):
        return {name: settled(member) for name, member in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make([settled(member) for member in value])  # Dynamo, which may look on, loses what map() gives
    if isinstance(value, list | tuple):
        return tuple(map(settled, value))
    if isinstance(value, torch.Tensor):  # of a struct's field; a copy would be one of the transform around it
        return value.tolist()
    # Arrays of NumPy and CuPy; those of JAX do not change.
    return value.copy() if hasattr(value, "__setitem__") and hasattr(value, "copy") else value
