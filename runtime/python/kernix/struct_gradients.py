"""Gradients of structs that a call is given to add to: arrays by the names of the fields."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from . import _support
from .dtypes import dtype_pair
from .errors import KernelTypeError, KernelValueError
from .names import field_names
from .structs import ELEMENTS, cxx_name, value_type


class StructGradient:
    """The gradient of a struct in one call. What was given are arrays by field, checked before anything runs."""

    def __init__(self, value: Mapping[str, Any], shadow: Mapping[str, Any], given: Any, where: str) -> None:
        """Value, shadow: the records of the struct and of its gradient. Given: None, or what is added to."""
        self.where = where
        self.value = value
        self.shadow = shadow
        self.arrays = None
        if given is not None:
            fields = shadow["fields"]
            self._refuse_unknown(given, [_names_in(field) for field in fields], "")
            self.arrays = [self._find(given, field) for field in fields]

    def of(self, buffer: Any) -> Any:
        """The fields, of a gradient that lies in an array of one element."""
        leaves = list(_leaves(self.shadow, buffer))
        if self.arrays is not None:
            leaves = self._add(self.arrays, leaves)
        struct = value_type(f"{cxx_name(self.value['type'])}_gradient", self.shadow["fields"])
        return struct.build(iter(leaves))

    def _find(self, given: Any, field: Mapping[str, Any]) -> Any:
        found = given
        for part in _names_in(field):
            shown = field_names([part])[0]
            if isinstance(found, Mapping) and (part in found or shown in found):
                found = found[part if part in found else shown]
            elif part.isdigit() and isinstance(found, (tuple, list)) and int(part) < len(found):
                found = found[int(part)]
            elif not isinstance(found, Mapping) and hasattr(found, shown):
                found = getattr(found, shown)
            else:
                raise KernelTypeError(f"{self.where}: the gradient has no field '{field['name']}'")
        name, count, dtype = field["name"], max(field["count"], 1), field["dtype"]
        if not hasattr(found, "shape") or not hasattr(found, "dtype"):
            raise KernelTypeError(
                f"{self.where}: the gradient of '{name}': expected an array of {count} {dtype}, got {type(found).__name__}"
            )
        if str(found.dtype).removeprefix("torch.") != dtype:
            raise KernelTypeError(
                f"{self.where}: the gradient of '{name}': expected an array of {dtype}, got one of {found.dtype}"
            )
        if tuple(found.shape) != (count,) and not (count == 1 and tuple(found.shape) == ()):
            raise KernelValueError(
                f"{self.where}: the gradient of '{name}': expected the shape ({count},), got {tuple(found.shape)}"
            )
        if not getattr(getattr(found, "flags", None), "writeable", True):
            raise KernelValueError(f"{self.where}: the gradient of '{name}': expected an array that can be written to")
        return found

    def _refuse_unknown(self, given: Any, known: list[list[str]], path: str) -> None:
        if not isinstance(given, Mapping):
            return
        for key, value in given.items():
            inner = [names[1:] for names in known if names and key in (names[0], *field_names(names[:1]))]
            if not inner:
                fields = ", ".join(dict.fromkeys(path + names[0] for names in known if names))
                raise KernelTypeError(f"{self.where}: '{path}{key}' is not a field of the gradient; it has {fields}")
            self._refuse_unknown(value, inner, f"{path}{key}.")

    @staticmethod
    def _add(arrays: Sequence[Any], leaves: Sequence[Any]) -> list[Any]:
        """The arrays with what was computed: they are changed, but a call with JAX's gives new ones."""
        return [_sum_in_place(array, part.reshape(array.shape)) for array, part in zip(arrays, leaves, strict=True)]


def refuse_overlap(gradients: Iterable[StructGradient], others: Mapping[str, Any]) -> None:
    """What is given for the fields lies apart from each other, and from the other arrays of the call."""
    known = [(f"'{name}'", *extent) for name, value in others.items() if (extent := _extent(value))]
    for gradient in gradients:
        for field, array in zip(gradient.shadow["fields"], gradient.arrays or (), strict=False):
            own = _extent(array)
            if own is None:
                continue
            for other, begin, end in known:
                if begin < own[1] and own[0] < end:
                    raise KernelValueError(
                        f"{gradient.where}: the gradient of '{field['name']}' overlaps {other}: the derivative needs memory of "
                        "its own for it"
                    )
            known.append((f"the gradient of '{field['name']}'", *own))


def _extent(array: Any) -> tuple[int, int] | None:
    """The first byte and the one behind the last, of an array of NumPy's or torch's with elements and memory."""
    strides, itemsize = getattr(array, "strides", None), getattr(array, "itemsize", None)
    if isinstance(strides, tuple):
        begin = array.__array_interface__["data"][0] if hasattr(array, "__array_interface__") else None
    elif hasattr(array, "data_ptr"):
        itemsize = array.element_size()
        try:
            begin, strides = array.data_ptr(), tuple(stride * itemsize for stride in array.stride())
        except RuntimeError:  # torch transforms or traces it, and what is added to are copies
            return None
    else:
        return None
    if begin is None or 0 in array.shape:
        return None
    reach = [stride * (size - 1) for stride, size in zip(strides, array.shape, strict=True)]
    return begin + sum(each for each in reach if each < 0), begin + sum(each for each in reach if each > 0) + itemsize


def _names_in(field: Mapping[str, Any]) -> list[str]:
    return [part for part in field["name"].split(".") if part != ELEMENTS]


def is_jax(array: Any) -> bool:
    return type(array).__module__.partition(".")[0] in ("jax", "jaxlib")


def _sum_in_place(array: Any, part: Any) -> Any:
    if type(array).__module__ == "numpy" and is_jax(part):
        return array + part
    if type(part) is not type(array) and hasattr(array, "new_tensor"):
        part = array.new_tensor(part.tolist())
    elif type(part) is not type(array) and type(array).__module__ == "numpy":
        part = array.dtype.type(part.tolist())
    array += part
    return array


_SIZES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16}


def _leaves(shadow: Mapping[str, Any], buffer: Any) -> Iterator[Any]:
    """Views of the fields of a struct that lies in an array of one element."""
    flat = buffer.reshape(-1)
    for field in shadow["fields"]:
        size, count = _SIZES[field["dtype"]], max(field["count"], 1)
        if shadow["dtype"] == "uint8":
            part = flat[field["offset"] : field["offset"] + size * count]
            yield _as_dtype(part, field["dtype"])
        else:
            yield flat[field["offset"] // size : field["offset"] // size + count]


def _as_dtype(part: Any, name: str) -> Any:
    """Bytes as what they are. A complex number lies where a real one may, and not all frameworks view it there."""
    if "complex" in name and is_jax(part):
        from jax import lax

        numbers = part.view(_dtype_like(part, "float32" if name == "complex64" else "float64"))
        return lax.complex(numbers[::2], numbers[1::2])
    if "complex" in name and hasattr(part, "clone"):  # torch's
        part = part.clone()
    return part.view(_dtype_like(part, name))


def _dtype_like(buffer: Any, name: str) -> Any:
    """A dtype of the framework of an array."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(buffer, torch.Tensor):
        return getattr(torch, name)
    return _support._numpy_dtype(dtype_pair(name))
