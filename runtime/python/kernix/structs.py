"""Structs of C++ as Python sees them: namedtuples, or anything with the same fields.

A record lists the leaves of a struct with dotted names; here they become nested named tuples, and arguments (named
tuples, dicts, tuples) become the leaves again.
"""

import re
from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .errors import KernelTypeError


class StructType:
    """One struct: its namedtuple class and how leaves lie in it."""

    def __init__(self, name: str, fields: Sequence[Mapping[str, Any]]) -> None:
        self.name = name
        self.members: dict[str, StructType | Mapping[str, Any]] = {}
        nested: dict[str, list[dict[str, Any]]] = {}
        for field in fields:
            head, dot, rest = field["name"].partition(".")
            if dot:
                nested.setdefault(head, []).append({**field, "name": rest})
                self.members.setdefault(head, field)
            else:
                self.members[head] = field
        for head, inner in nested.items():
            self.members[head] = StructType(f"{name}_{head}", inner)
        self.tuple_class: Any = namedtuple(python_name(name), list(self.members), rename=True)  # type: ignore[misc]

    def build(self, leaves: Iterator[object]) -> object:
        """An instance from its leaves, in order."""
        return self.tuple_class(
            *(member.build(leaves) if isinstance(member, StructType) else next(leaves) for member in self.members.values())
        )

    def leaves(self, value: object, where: str) -> Iterator[object]:
        """The leaves of an argument, in order; `where` begins messages."""
        for (name, member), part in zip(self.members.items(), self._values(value, where), strict=True):
            inner = f"{where}.{name}"
            if isinstance(member, StructType):
                yield from member.leaves(part, inner)
            elif member["count"] > 1:
                yield from _array(part, member["count"], inner)
            else:
                yield part

    def _values(self, value: object, where: str) -> list[object]:
        names = list(self.members)
        if isinstance(value, Mapping):
            unknown = [str(name) for name in value if name not in self.members]
            missing = [name for name in names if name not in value]
            if unknown or missing:
                raise KernelTypeError(f"{where}: expected the fields {_list(names)}{_wrong(unknown, missing)}")
            return [value[name] for name in names]
        if isinstance(value, tuple) and hasattr(value, "_fields") and not isinstance(value, self.tuple_class):
            missing = [name for name in names if name not in value._fields]
            unknown = [name for name in value._fields if name not in self.members]
            if unknown or missing:
                raise KernelTypeError(f"{where}: expected the fields {_list(names)}{_wrong(unknown, missing)}")
            return [getattr(value, name) for name in names]
        if isinstance(value, (tuple, list)):
            if len(value) != len(names):
                raise KernelTypeError(f"{where}: expected {len(names)} values ({_list(names)}), got {len(value)}")
            return list(value)
        raise KernelTypeError(
            f"{where}: expected a {self.name} as a namedtuple, dict or tuple with the fields {_list(names)}, "
            f"got {type(value).__name__}"
        )


def _array(value: object, count: int, where: str) -> Iterator[object]:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__") or not hasattr(value, "__getitem__"):
        raise KernelTypeError(f"{where}: expected {count} numbers, got {type(value).__name__}")
    if len(value) != count:
        raise KernelTypeError(f"{where}: expected {count} numbers, got {len(value)}")
    for index in range(count):
        yield value[index]


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)


def _wrong(unknown: Sequence[str], missing: Sequence[str]) -> str:
    parts = [f"missing: {_list(missing)}"] if missing else []
    parts += [f"unknown: {_list(unknown)}"] if unknown else []
    return "; " + "; ".join(parts)


def python_name(name: str) -> str:
    """An identifier for a C++ type: ``geo::Pair<float>`` is ``Pair_float``."""
    last = re.sub(r"^(?:[^<]*::)", "", name)
    text = re.sub(r"\W+", "_", last).strip("_")
    return text if text.isidentifier() else f"struct_{text}"


def cxx_name(spelling: str) -> str:
    """The struct's own name in the spelling of a parameter's type."""
    text = re.sub(r"\b(?:const|volatile|struct)\b", "", spelling)
    return text.replace("&", "").strip()
