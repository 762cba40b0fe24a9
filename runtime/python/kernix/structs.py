"""Structs of C++ as Python sees them: namedtuples, or anything with the same fields.

A record lists the leaves of a struct with dotted names; value_type makes a tree of them: structs, arrays of structs, rows
of numbers, numbers. Arguments (named tuples, dicts, tuples, arrays) become the leaves again. What a caller leaves out has
the value of the member's initializer in C++, if that is a constant. A std::array is a tuple of its elements, not a struct
of one member.
"""

import keyword
import re
from abc import ABC, abstractmethod
from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .errors import KernelTypeError
from .names import field_names

ELEMENTS = "_M_elems"  # the one member of std::array


def value_type(name: str, fields: Sequence[Mapping[str, Any]]) -> "ValueType":
    """The type of a struct called `name` from its leaves, in order."""
    members: dict[str, list[Mapping[str, Any]]] = {}
    for field in fields:
        head, _, rest = field["name"].partition(".")
        members.setdefault(head, []).append({**field, "name": rest})
    types = {head: _member_type(name, head, inner) for head, inner in members.items()}
    if list(types) == [ELEMENTS]:
        return types[ELEMENTS]
    return ArrayType([*types.values()]) if all(head.isdigit() for head in types) else StructType(name, types)


def _member_type(name: str, head: str, fields: Sequence[Mapping[str, Any]]) -> "ValueType":
    if not fields[0]["name"]:
        is_array = head == ELEMENTS
        return RowType(fields[0], is_array) if is_array or fields[0]["count"] != 1 else NumberType(fields[0])
    is_element = head == ELEMENTS or head.isdigit()
    return value_type(name if is_element else f"{name}_{head}", fields)


def structs_in(value: "ValueType") -> Iterator["StructType"]:
    """The structs that a value is made of, inner ones first."""
    if isinstance(value, ArrayType):
        yield from structs_in(value.elements[0])
    elif isinstance(value, StructType):
        for member in value.members.values():
            yield from structs_in(member)
        yield value


class ValueType(ABC):
    """A value that consists of leaves, in order."""

    default: object = None  # of a member that is left out; None: it has to be given
    has_unknown_default = False  # C++ has an initializer that no record can hold

    @abstractmethod
    def build(self, leaves: Iterator[object]) -> object:
        """The value from its leaves."""

    @abstractmethod
    def leaves(self, value: object, where: str) -> Iterator[object]:
        """The numbers of an argument; `where` begins messages, its last quote open."""


class NumberType(ValueType):
    def __init__(self, field: Mapping[str, Any]) -> None:
        self.dtype: str = field["dtype"]
        self.has_unknown_default = bool(field.get("unknown_default"))
        if field.get("default") is not None:
            self.default = default_leaf(field["default"], field)

    def build(self, leaves: Iterator[object]) -> object:
        return next(leaves)

    def leaves(self, value: object, where: str) -> Iterator[object]:
        yield value


class RowType(NumberType):
    """An array of numbers; one of several axes is one row, and may be given as either."""

    def __init__(self, field: Mapping[str, Any], is_array: bool) -> None:
        super().__init__(field)
        self.is_array = is_array  # a std::array
        self.count: int = field["count"]
        self.shape: list[int] = field.get("shape") or [self.count]

    def build(self, leaves: Iterator[object]) -> object:
        leaf = next(leaves)
        # A lone leaf is a number to those who know no rows.
        return (leaf,) if self.count == 1 and not hasattr(leaf, "__len__") else leaf

    def leaves(self, value: object, where: str) -> Iterator[object]:
        row = _items(value, f"{where}'", self.count, "numbers")
        if self.is_array and len(row) == 1 and _is_sequence(row[0]):  # braces may be doubled, as in C++
            row = _items(row[0], f"{where}'", self.count, "numbers")
        if len(self.shape) > 1 and len(row) == self.shape[0] and all(_is_sequence(each) for each in row):
            yield from self._rows(row, self.shape, where)
            return
        yield from _of_length(row, self.count, f"{where}'", "numbers")

    def _rows(self, value: object, shape: Sequence[int], where: str) -> Iterator[object]:
        row = _of_length(_items(value, f"{where}'", shape[0], "numbers"), shape[0], f"{where}'", "numbers")
        for index, each in enumerate(row):
            if len(shape) == 1:
                yield each
            else:
                yield from self._rows(each, shape[1:], f"{where}[{index}]")


class ArrayType(ValueType):
    """An array of structs."""

    def __init__(self, elements: Sequence[ValueType]) -> None:
        self.elements = elements
        self.has_unknown_default = any(each.has_unknown_default for each in elements)
        if all(each.default is not None for each in elements):
            self.default = tuple(each.default for each in elements)

    def build(self, leaves: Iterator[object]) -> object:
        return tuple(element.build(leaves) for element in self.elements)

    def leaves(self, value: object, where: str) -> Iterator[object]:
        count = len(self.elements)
        parts = _of_length(_items(value, f"{where}'", count, "values"), count, f"{where}'", "values")
        for index, (element, part) in enumerate(zip(self.elements, parts, strict=True)):
            yield from element.leaves(part, f"{where}[{index}]")


class StructType(ValueType):
    """One struct and its namedtuple class."""

    def __init__(self, name: str, members: Mapping[str, ValueType]) -> None:
        self.name = name
        self.members = members
        self.shown = dict(zip(members, field_names(members), strict=True))
        self._members_shown = {shown: member for member, shown in self.shown.items()}
        self.has_unknown_default = any(member.has_unknown_default for member in members.values())
        self.tuple_class: Any = _tuple_class(self)
        if all(member.default is not None for member in members.values()):
            self.default = self.tuple_class()

    def build(self, leaves: Iterator[object]) -> object:
        return self.tuple_class(*(member.build(leaves) for member in self.members.values()))

    def leaves(self, value: object, where: str) -> Iterator[object]:
        for (name, member), part in zip(self.members.items(), self._values(value, f"{where}'"), strict=True):
            yield from member.leaves(part, f"{where}.{name}")

    def _values(self, value: object, where: str) -> list[object]:
        names = list(self.members)
        if isinstance(value, Mapping):
            return self.fill({}, value, where)
        if isinstance(value, tuple) and hasattr(value, "_fields") and not isinstance(value, self.tuple_class):
            return self.fill({}, {name: getattr(value, name) for name in value._fields}, where)
        if isinstance(value, (tuple, list)):
            if len(value) != len(names):
                raise KernelTypeError(f"{where}: expected {len(names)} values ({_list(names)}), got {len(value)}")
            return list(value)
        raise KernelTypeError(
            f"{where}: expected a {self.name} as a namedtuple, dict or tuple with the fields {_list(names)}, "
            f"got {type(value).__name__}"
        )

    def fill(self, given: dict[str, object], named: Mapping[Any, object], where: str) -> list[object]:
        """The values of all members from those that are given, and those that are named as in Python or as in C++."""
        for shown, value in named.items():
            name = self._members_shown.get(shown, shown)
            if name in given:
                raise KernelTypeError(f"{where}: the field '{shown}' is given twice")
            given[name] = value
        unknown = [str(name) for name in given if name not in self.members]
        missing = [name for name, member in self.members.items() if name not in given and member.default is None]
        if not unknown and not missing:
            return [given.get(name, member.default) for name, member in self.members.items()]
        parts = [f"missing: {_list([self.shown[name] for name in missing])}"] if missing else []
        parts += [f"unknown: {_list(unknown)}"] if unknown else []
        if lost := [self.shown[name] for name in missing if self.members[name].has_unknown_default]:
            parts.append(f"the initializer of {_list(lost)} in C++ is not a constant, so a value has to be given")
        raise KernelTypeError(f"{where}: expected the fields {_list([*self.shown.values()])}; {'; '.join(parts)}")


class TupleClass(type):
    """The class of the structs' namedtuple classes, which tells them from other ones."""


def _tuple_class(struct: StructType) -> Any:
    """A namedtuple whose fields may be left out where C++ has a constant for them, also before others."""
    base: Any = namedtuple(python_name(struct.name), list(struct.shown.values()))  # type: ignore[misc]
    names = list(struct.members)

    def new(cls: type, /, *values: object, **fields: object) -> object:
        if len(values) > len(names):
            raise KernelTypeError(f"{struct.name}: expected {len(names)} values ({_list(names)}), got {len(values)}")
        return tuple.__new__(cls, struct.fill(dict(zip(names, values, strict=False)), fields, struct.name))

    defaults = {
        struct.shown[name]: member.default for name, member in struct.members.items() if member.default is not None
    }
    # A class of its own and not one derived from it, which Dynamo would not take for a namedtuple.
    return TupleClass(base.__name__, (tuple,), {**vars(base), "__new__": new, "_field_defaults": defaults})


def _is_sequence(value: object) -> bool:
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__len__") or not hasattr(value, "__getitem__"):
        return False
    return getattr(value, "shape", None) != ()


def _items(value: Any, where: str, count: int, what: str) -> Any:
    if not _is_sequence(value):
        raise KernelTypeError(f"{where}: expected {count} {what}, got {type(value).__name__}")
    return [value[index] for index in range(len(value))]


def _of_length(items: list[object], count: int, where: str, what: str) -> list[object]:
    if len(items) != count:
        raise KernelTypeError(f"{where}: expected {count} {what}, got {len(items)}")
    return items


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)


def default_leaf(value: Any, field: Mapping[str, Any]) -> object:
    """A leaf of a record's default; that of an array is a tuple."""
    if field["count"] > 1:
        return tuple(default_number(each, field["dtype"]) for each in value)
    return default_number(value, field["dtype"])


def default_number(value: Any, dtype: str) -> object:
    """A number of a record, which holds floats as JSON can and complex numbers as pairs."""
    if dtype.startswith("complex") and isinstance(value, list):
        return complex(float(value[0]), float(value[1]))
    if "float" in dtype and value is not None:
        return float(value)
    return value


def python_name(name: str) -> str:
    """An identifier for a C++ type: ``geo::Pair<float>`` is ``Pair_float``."""
    last = re.sub(r"^(?:[^<]*::)", "", name)
    text = re.sub(r"\W+", "_", last).strip("_")
    return text if text.isidentifier() and not keyword.iskeyword(text) else f"struct_{text}"


def cxx_name(spelling: str) -> str:
    """The struct's own name in the spelling of a parameter's type."""
    text = re.sub(r"\b(?:const|volatile|struct)\b", "", spelling)
    return text.replace("&", "").strip()


def namespaces_of(name: str) -> list[str]:
    """Where a type is declared, outermost first."""
    return name.partition("<")[0].split("::")[:-1]


def names_in_module(names: Iterable[str]) -> dict[str, str]:
    """By C++ name what a module calls its structs: the last name of one outside of namespaces, or of the only one that has
    it; of others the whole name."""
    by_last: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        by_last.setdefault(python_name(name), []).append(name)
    return {
        name: last if len(same) == 1 or not namespaces_of(name) else re.sub(r"\W+", "_", name).strip("_")
        for last, same in by_last.items()
        for name in same
    }
