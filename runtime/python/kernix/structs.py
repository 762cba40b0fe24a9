"""Structs of C++ as Python sees them: namedtuples, or anything with the same fields.

A record lists the leaves of a struct with dotted names; here they become nested named tuples, and arguments (named
tuples, dicts, tuples) become the leaves again.
"""

import keyword
import re
from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .errors import KernelTypeError
from .names import field_names


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
        self.shown = dict(zip(self.members, field_names(self.members), strict=True))
        self._members_shown = {shown: member for member, shown in self.shown.items()}
        self.tuple_class: Any = namedtuple(python_name(name), list(self.shown.values()))  # type: ignore[misc]

    def build(self, leaves: Iterator[object]) -> object:
        """An instance from its leaves, in order."""
        return self.tuple_class(
            *(member.build(leaves) if isinstance(member, StructType) else next(leaves) for member in self.members.values())
        )

    def leaves(self, value: object, where: str) -> Iterator[object]:
        """The leaves of an argument, in order; `where` begins messages, its last quote open."""
        for (name, member), part in zip(self.members.items(), self._values(value, f"{where}'"), strict=True):
            inner = f"{where}.{name}"
            if isinstance(member, StructType):
                yield from member.leaves(part, inner)
            elif member["count"] > 1:
                yield from _array(part, member["count"], f"{inner}'")
            else:
                yield part

    def _values(self, value: object, where: str) -> list[object]:
        names = list(self.members)
        if isinstance(value, Mapping):
            by_member = {self._members_shown.get(name, name): part for name, part in value.items()}
            unknown = [str(name) for name in by_member if name not in self.members]
            missing = [name for name in names if name not in by_member]
            if unknown or missing:
                raise KernelTypeError(f"{where}: expected the fields {_list(names)}{_wrong(unknown, missing)}")
            return [by_member[name] for name in names]
        if isinstance(value, tuple) and hasattr(value, "_fields") and not isinstance(value, self.tuple_class):
            shown = list(self.shown.values())
            missing = [name for name in shown if name not in value._fields]
            unknown = [name for name in value._fields if name not in shown]
            if unknown or missing:
                raise KernelTypeError(f"{where}: expected the fields {_list(shown)}{_wrong(unknown, missing)}")
            return [getattr(value, name) for name in shown]
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
    return text if text.isidentifier() and not keyword.iskeyword(text) else f"struct_{text}"


def cxx_name(spelling: str) -> str:
    """The struct's own name in the spelling of a parameter's type."""
    text = re.sub(r"\b(?:const|volatile|struct)\b", "", spelling)
    return text.replace("&", "").strip()
