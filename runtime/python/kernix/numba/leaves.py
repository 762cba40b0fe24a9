"""Values as shims take and give them: the numbers that they are made of, each as its scalar of C++.

16-bit floats are their bits. Numba has them in kernels only: on the CPU they are numbers of type float32 there.
"""

import struct
from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.cuda import types

from .types import members_of, number_name

_HALVES = (types.float16, types.bfloat16)
POINTER = "pointer"  # as a record calls one


def of(value_type: Any) -> list[Any]:
    """The types of the numbers, in order; those of complex ones twice."""
    inner = members_of(value_type)
    if inner:
        return [leaf for each in inner for leaf in of(each)]
    if isinstance(value_type, types.Complex):
        return [value_type.underlying_float] * 2
    return [value_type]


def name(leaf: Any) -> str | None:
    """As a record calls it."""
    return POINTER if isinstance(leaf, types.CPointer) else number_name(leaf)


def kind(leaf: Any) -> Any:
    """How it lies in memory."""
    if isinstance(leaf, types.CPointer):
        return ir.IntType(8).as_pointer()
    if leaf in _HALVES:
        return ir.IntType(16)
    if isinstance(leaf, types.Boolean):
        return ir.IntType(8)
    if isinstance(leaf, types.Float):
        return ir.FloatType() if leaf.bitwidth == 32 else ir.DoubleType()
    return ir.IntType(leaf.bitwidth)


def extension(leaf: Any) -> str:
    """How a caller widens it; empty for what is wide enough."""
    if leaf in _HALVES or isinstance(leaf, types.Boolean):
        return "zeroext"
    if not isinstance(leaf, types.Integer) or leaf.bitwidth >= 32:
        return ""
    return "signext" if leaf.signed else "zeroext"


def parts(value_type: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    """A constant's numbers with their types."""
    return zip(of(value_type), [value.real, value.imag] if isinstance(value_type, types.Complex) else [value], strict=True)


def constant(leaf: Any, value: Any) -> Any:
    if leaf == types.float16:
        value = int.from_bytes(struct.pack("<e", value), "little")
    elif leaf == types.bfloat16:
        value = int.from_bytes(struct.pack("<f", value), "little") >> 16  # the constant is one of them
    return kind(leaf)(int(value) if isinstance(value, bool) else value)


def to_shim(builder: Any, leaf: Any, value: Any) -> Any:
    if leaf not in _HALVES or value.type == kind(leaf):
        return _resized(builder, value, kind(leaf))
    if leaf == types.float16:
        return builder.bitcast(builder.fptrunc(value, ir.HalfType()), ir.IntType(16))
    # To the nearest, ties to even; a NaN keeps its sign and is one that stays one.
    i32 = ir.IntType(32)
    bits = builder.bitcast(value, i32)
    odd = builder.and_(builder.lshr(bits, i32(16)), i32(1))
    rounded = builder.lshr(builder.add(bits, builder.add(odd, i32(0x7FFF))), i32(16))
    quiet = builder.or_(builder.lshr(bits, i32(16)), i32(0x40))
    return builder.trunc(builder.select(builder.fcmp_unordered("uno", value, value), quiet, rounded), ir.IntType(16))


def from_shim(builder: Any, leaf: Any, value: Any, wanted: Any) -> Any:
    """`wanted` is how the compiler passes such a number."""
    if leaf not in _HALVES or value.type == wanted:
        return _resized(builder, value, wanted)
    if leaf == types.float16:
        return builder.fpext(builder.bitcast(value, ir.HalfType()), ir.FloatType())
    i32 = ir.IntType(32)
    return builder.bitcast(builder.shl(builder.zext(value, i32), i32(16)), ir.FloatType())


def _resized(builder: Any, value: Any, wanted: Any) -> Any:
    """Truth values are a bit or a byte."""
    if value.type == wanted:
        return value
    return builder.zext(value, wanted) if value.type.width < wanted.width else builder.trunc(value, wanted)
