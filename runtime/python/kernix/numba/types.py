"""What types of C++ are in Numba.

Numbers are Numba's, CUDA's vectors those of numba.cuda (``float32x4``), arrays tuples of their elements. A struct is a
type of its own whose members are its attributes.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from numba.cuda import types
from numba.cuda.vector_types import VectorType, vector_types

from ..structs import ArrayType, NumberType, RowType, ValueType, cxx_name as _name_of, value_type
from ..structs import StructType as StructOfPython

_NUMBERS = {
    "bool": types.boolean,
    "int8": types.int8,
    "int16": types.int16,
    "int32": types.int32,
    "int64": types.int64,
    "uint8": types.uint8,
    "uint16": types.uint16,
    "uint32": types.uint32,
    "uint64": types.uint64,
    "float16": types.float16,
    "bfloat16": types.bfloat16,
    "float32": types.float32,
    "float64": types.float64,
    "complex64": types.complex64,
    "complex128": types.complex128,
}
_VECTOR_BASES = {
    "char": "int8",
    "uchar": "uint8",
    "short": "int16",
    "ushort": "uint16",
    "int": "int32",
    "uint": "uint32",
    "long": "int64",
    "ulong": "uint64",
    "longlong": "int64",
    "ulonglong": "uint64",
    "float": "float32",
    "double": "float64",
}


def number(dtype: str) -> Any:
    return _NUMBERS[dtype]


def number_name(of: Any) -> str | None:
    """As a record calls it."""
    return next((name for name, each in _NUMBERS.items() if each == of), None)


def vector(name: str) -> Any:
    """The type of ``float4`` and relatives; None for other names."""
    base, width = name[:-1], name[-1:]
    return vector_types.get(f"{_VECTOR_BASES[base]}x{width}") if base in _VECTOR_BASES else None


def cxx_name(numba_type: Any) -> str | None:
    """The name of a number or vector in C++, or as a dtype; None for other types."""
    if name := number_name(numba_type):
        return name
    for base in _VECTOR_BASES:
        for width in "1234":
            found = vector(base + width)
            if found is not None and numba_type in (found, found.user_facing_object):
                return base + width
    return None


class StructType(types.Type):
    """A struct of C++. Equal to another one of the same name and members."""

    def __init__(
        self, name: str, members: Sequence[tuple[str, Any]], layout: Sequence[int], size: int, *, is_member: bool = False
    ) -> None:
        self.cxx_name = name
        self.is_member = is_member  # of another struct: its own name in C++ is not known
        self.members = tuple(members)
        self.layout = tuple(layout)  # offsets of its numbers in C++
        self.size = size
        self.is_natural = _natural_layout([of for _, of in self.members]) == (list(self.layout), size)
        super().__init__(name=f"kernix.{name}({', '.join(f'{each}: {of}' for each, of in self.members)})")

    @property
    def key(self) -> Any:
        """Numba keeps one object of those that are equal."""
        return self.name, self.layout, self.size, self.is_member

    def member(self, name: str) -> Any:
        return dict(self.members).get(name)

    def can_convert_from(self, context: Any, other: Any) -> Any:
        """Elements of structured arrays with the same members, named tuples with them, the same in another place."""
        is_record = isinstance(other, types.Record) and self.fits(other)
        is_tuple = isinstance(other, types.BaseNamedTuple) and self._is_named(context, other)
        if is_record or is_tuple or self.is_same(other):
            from numba.cuda.typeconv import Conversion

            return Conversion.safe
        return None

    def can_convert_to(self, context: Any, other: Any) -> Any:
        """Such an element may be set, too."""
        return self.can_convert_from(context, other) if isinstance(other, types.Record) else None

    def is_same(self, other: Any) -> bool:
        """But for the name that it has as a member, and for what surrounds it in memory."""
        if not isinstance(other, StructType) or not (self.is_member or other.is_member or self.cxx_name == other.cxx_name):
            return False
        return [name for name, _ in other.members] == [name for name, _ in self.members] and all(
            of == have or (isinstance(of, StructType) and of.is_same(have))
            for (_, of), (_, have) in zip(self.members, other.members, strict=True)
        )

    def _is_named(self, context: Any, other: Any) -> bool:
        return list(other.fields) == [name for name, _ in self.members] and all(
            context.can_convert(given, of) is not None for given, (_, of) in zip(other, self.members, strict=True)
        )

    def fits(self, record: Any) -> bool:
        return [name for name, _ in record.members] == [name for name, _ in self.members] and all(
            of == inner
            or (isinstance(of, StructType) and isinstance(inner, types.Record) and of.fits(inner))
            or (isinstance(inner, types.NestedArray) and is_row(of, inner))
            for (_, of), (_, inner) in zip(self.members, record.members, strict=True)
        )


def is_row(of: Any, array: Any) -> bool:
    """Whether an array inside of a structured array's element has the numbers of a tuple."""
    return isinstance(of, types.UniTuple) and of.dtype == array.dtype and of.count == math.prod(array.shape)


def has_layout_of(record: Any, struct: StructType) -> bool:
    """Whether elements of a structured array lie in memory as C++ has the struct."""
    return (tuple(_offsets_in(record)), record.size) == (struct.layout, struct.size)


def _offsets_in(record: Any) -> list[int]:
    offsets: list[int] = []
    for name, of in record.members:
        if isinstance(of, types.NestedArray):
            parts, size = _of_number(of.dtype)
            inner = [k * size + part for k in range(math.prod(of.shape)) for part in parts]
        else:
            inner = _offsets_in(of) if isinstance(of, types.Record) else _of_number(of)[0]
        offsets += [record.offset(name) + each for each in inner]
    return offsets


def without_halves(of: Any) -> Any:
    """The type with float32 for the 16-bit floats, which Numba has in kernels only."""
    if of in (types.float16, types.bfloat16):
        return types.float32
    if isinstance(of, types.CPointer):
        return types.CPointer(without_halves(of.dtype)) if isinstance(of.dtype, types.CPointer) else of
    members = members_of(of)
    changed = [without_halves(each) for each in members]
    if changed == members or not members:
        return of
    if isinstance(of, StructType):
        names = [name for name, _ in of.members]
        return StructType(of.cxx_name, list(zip(names, changed, strict=True)), of.layout, of.size, is_member=of.is_member)
    return types.Tuple(tuple(changed)) if isinstance(of, types.Tuple) else types.UniTuple(changed[0], len(changed))


def struct(name: str, fields: Sequence[Mapping[str, Any]], size: int) -> Any:
    """The type of a struct with these leaves, as records have them."""
    found = vector(name)
    if found is not None:
        return found
    return _of_value(value_type(name, fields), _offsets(fields), size)


def _offsets(fields: Sequence[Mapping[str, Any]]) -> list[int]:
    made = []
    for field in fields:
        dtype = number(field["dtype"])
        width = _alignment(dtype)
        parts = 2 if isinstance(dtype, types.Complex) else 1
        made += [field["offset"] + k * width for k in range(field["count"] * parts)]
    return made


def _of_value(value: ValueType, layout: list[int] | None, size: int) -> Any:
    if isinstance(value, RowType):
        return types.UniTuple(number(value.dtype), value.count)
    if isinstance(value, NumberType):
        return number(value.dtype)
    if isinstance(value, ArrayType):
        return types.UniTuple(_of_value(value.elements[0], None, 0), len(value.elements))
    assert isinstance(value, StructOfPython)
    members = [(value.shown[name], _of_value(member, None, 0)) for name, member in value.members.items()]
    natural, natural_size = _natural_layout([of for _, of in members])
    if layout is None:
        return StructType(value.name, members, natural, natural_size, is_member=True)
    return StructType(value.name, members, layout, size)


def _alignment(of: Any) -> int:
    if inner := members_of(of):
        return max(map(_alignment, inner))
    if isinstance(of, types.Boolean):
        return 1
    if isinstance(of, types.Complex):
        return int(of.bitwidth) // 16
    if of == types.bfloat16:
        return 2
    return int(of.bitwidth) // 8


def _natural_layout(members: Sequence[Any]) -> tuple[list[int], int]:
    """Offsets of the numbers in a value with these members as Numba keeps it in memory, and its size."""
    offsets: list[int] = []
    end = 0
    for member in members:
        alignment = _alignment(member)
        start = -(-end // alignment) * alignment
        parts, size = _natural_layout(members_of(member)) if members_of(member) else _of_number(member)
        offsets += [start + part for part in parts]
        end = start + size
    alignment = max(map(_alignment, members))
    return offsets, -(-end // alignment) * alignment


def members_of(of: Any) -> list[Any]:
    """The types that a struct, a vector or a tuple is made of; none for others."""
    if isinstance(of, StructType):
        return [inner for _, inner in of.members]
    if isinstance(of, VectorType):
        return [of.base_type] * of.num_elements
    return list(of) if isinstance(of, types.BaseTuple) else []


def _of_number(of: Any) -> tuple[list[int], int]:
    part = _alignment(of)
    return ([0, part], 2 * part) if isinstance(of, types.Complex) else ([0], part)


def of_parameter(parameter: Mapping[str, Any]) -> Any:
    """The type of a value: of an array the tuple of its elements. None: Numba has none for what those are."""
    if parameter.get("array_length"):
        element = _element(parameter)
        return None if element is None else types.UniTuple(element, parameter["array_length"])
    if parameter.get("fields"):
        return struct(_name_of(parameter["type"]), parameter["fields"], parameter["size"])
    return number(parameter["dtype"])


def _element(parameter: Mapping[str, Any]) -> Any:
    if not parameter.get("element_shape"):
        return number(parameter["dtype"])
    name = _name_of(parameter["type"].partition("[")[0].replace("*", ""))
    return vector(name)


def pointee(parameter: Mapping[str, Any], structs: Mapping[str, Any]) -> Any:
    """What a pointer or a reference leads to; None for what Numba has no type for."""
    if parameter["passing"] == "reference":
        found = of_parameter(parameter)
        return None if isinstance(found, StructType) and not found.is_natural else found
    if not parameter.get("element_shape"):
        return number(parameter["dtype"])
    name = _name_of(parameter["type"].replace("*", ""))
    found = vector(name) or structs.get(name)
    return None if isinstance(found, StructType) and not found.is_natural else found
