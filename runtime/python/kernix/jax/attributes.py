"""Numbers, strings and structs as attributes of an XLA call.

Kept as bytes, since JAX compares the parameters of primitives: 0.0 and -0.0, or two NaNs, must not be taken for each
other's opposite.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy

from . import dtypes


@dataclass(frozen=True)
class Numbers:
    """One number or a row of them, of a dtype."""

    dtype: str
    data: bytes
    is_row: bool = False

    def for_xla(self) -> Any:
        if self.dtype in ("float16", "bfloat16"):  # XLA has no attributes of these: their bits
            array = numpy.frombuffer(self.data, numpy.uint16)
        elif self.dtype in ("complex64", "complex128"):
            return numpy.frombuffer(self.data, "float32" if self.dtype == "complex64" else "float64")
        elif self.dtype == "uint64":  # above 2**63 - 1 JAX cannot write it
            array = numpy.frombuffer(self.data, numpy.int64)
        else:
            array = numpy.frombuffer(self.data, dtypes.named(self.dtype))
        return array if self.is_row else array[0]


@dataclass(frozen=True)
class Text:
    text: str

    def for_xla(self) -> str:
        return self.text


@dataclass(frozen=True)
class Fields:
    """The leaves of a struct by name."""

    leaves: tuple[tuple[str, Numbers], ...]

    def for_xla(self) -> dict[str, Any]:
        return {name: leaf.for_xla() for name, leaf in self.leaves}


Attribute = Numbers | Text | Fields


def number(value: Any, dtype: str) -> Numbers:
    return Numbers(dtype, numpy.asarray(value, dtypes.named(dtype)).tobytes())


def fields(leaves: Iterable[Any], records: Iterable[Mapping[str, Any]]) -> Fields:
    """A struct by its leaves in order, arrays one after another."""
    row = iter(leaves)
    made = []
    for record in records:
        count = max(record["count"], 1)
        values = [next(row) for _ in range(count)]
        array = numpy.asarray(values, dtypes.named(record["dtype"]))
        made.append((record["name"], Numbers(record["dtype"], array.tobytes(), record["count"] > 1)))
    return Fields(tuple(made))
