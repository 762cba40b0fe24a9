"""Dtypes of all frameworks by name: "float16", "bfloat16", "int64", ...

A dtype is a name, a dtype or scalar type of NumPy, ml_dtypes, PyTorch or JAX, or a kernel dtype. No framework is imported.
"""

from typing import Any

from ._support import DTYPE_NAMES
from .errors import KernelValueError

_PAIRS = {name: pair for pair, name in DTYPE_NAMES.items()}
_OTHER_NAMES = {
    "half": "float16",
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "float": "float32",
    "fp64": "float64",
    "double": "float64",
}


def dtype_name(dtype: Any) -> str:
    """The name of a dtype; a ValueError if it is none that kernels can have."""
    try:
        return _found[type(dtype), dtype]
    except (KeyError, TypeError):  # a list has no hash
        return _find_name(dtype)


_found: dict[tuple[type, Any], str] = {}  # of what was asked for; numbers are equal to kernel dtypes


def _find_name(dtype: Any) -> str:
    text = dtype
    if isinstance(dtype, type):
        text = dtype.__name__.rstrip("_")  # numpy.float16, numpy.bool_
        if dtype.__module__ == "builtins" and dtype is not bool:
            text = None  # float and int have as many bits as the framework likes
    elif not isinstance(dtype, str):
        text = getattr(dtype, "name", None)  # numpy.dtype, KernelDtype
        if text is None and type(dtype).__module__.partition(".")[0] == "torch":
            text = str(dtype).removeprefix("torch.")
        if text is None and hasattr(dtype, "dtype"):
            text = getattr(dtype.dtype, "name", None)  # jax.numpy.float16
    name = text.lower() if isinstance(text, str) else None
    name = _OTHER_NAMES.get(name or "", name)
    if name not in _PAIRS:
        raise KernelValueError(f"dtype: expected one of {', '.join(_PAIRS)}, got {dtype!r}")
    _found[type(dtype), dtype] = name
    return name


def dtype_pair(dtype: Any) -> tuple[int, int]:
    """Code and bits of a dtype, as DLPack has them."""
    return _PAIRS[dtype_name(dtype)]
