"""Gradients of structs that a call is given to add to: arrays by the names of the fields."""

from collections.abc import Mapping, Sequence
from typing import Any

from .errors import KernelTypeError, KernelValueError
from .names import field_names
from .structs import ELEMENTS


class StructGradient:
    """The gradient of a struct that a call was given: arrays by field, checked before anything runs."""

    def __init__(self, fields: Sequence[Mapping[str, Any]], given: Any, where: str) -> None:
        self.where = where
        self._refuse_unknown(given, [_names_in(field) for field in fields], "")
        self.arrays = [self._find(given, field) for field in fields]

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

    def add(self, leaves: Sequence[Any]) -> list[Any]:
        """The arrays with what was computed: they are changed, except JAX's, of which there are new ones."""
        return [_sum_in_place(array, part.reshape(array.shape)) for array, part in zip(self.arrays, leaves, strict=True)]


def _names_in(field: Mapping[str, Any]) -> list[str]:
    return [part for part in field["name"].split(".") if part != ELEMENTS]


def _sum_in_place(array: Any, part: Any) -> Any:
    if type(part) is not type(array) and hasattr(array, "new_tensor"):
        part = array.new_tensor(part.tolist())
    elif type(part) is not type(array) and type(array).__module__ == "numpy":
        part = array.dtype.type(part.tolist())
    array += part
    return array
