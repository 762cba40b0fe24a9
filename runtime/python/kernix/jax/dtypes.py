"""Element types as kernix numbers them (code, bits), as records name them and as NumPy has them."""

from typing import Any

import ml_dtypes
import numpy

from .._support import DTYPE_NAMES as _NAME_OF  # DLPack's codes

_PAIR_OF = {name: pair for pair, name in _NAME_OF.items()}
OF_64_BITS = frozenset(("float64", "int64", "uint64", "complex128"))  # or of parts of 64 bits: only with jax_enable_x64


def pair_of(dtype: Any) -> tuple[int, int] | None:
    """(code, bits) of a NumPy dtype, None if kernix has no such type."""
    return _PAIR_OF.get(numpy.dtype(dtype).name)


def from_pair(pair: tuple[int, int]) -> numpy.dtype[Any] | None:
    """None for what takes any dtype."""
    name = _NAME_OF.get(pair)
    return named(name) if name is not None else None


def named(name: str) -> numpy.dtype[Any]:
    return numpy.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
