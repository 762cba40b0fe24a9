"""kernix.prefer: the dtype that operations shall run in, where they have a variant of it.

    with kernix.prefer("bfloat16"):
        y = module.scale(x)          # x of float32 is cast, y is bfloat16

What is preferred belongs to the context (contextvars): to the thread, or to the task of asyncio.
"""

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from . import _binding
from .errors import KernelValueError
from .selector import KernelDtype, kernel_dtype

_WATCH_PREFERENCE, _WATCH_EVERYWHERE = 1, 8  # kernix_watch

# None: as in the whole process; False: the call under way has been decided already.
_preferred: ContextVar[KernelDtype | bool | None] = ContextVar("kernix.prefer", default=None)
_everywhere: KernelDtype | None = None

_binding.watch_choices(_preferred)


def _preferable(dtype: Any) -> KernelDtype:
    found = kernel_dtype(dtype)
    if found is KernelDtype.Mixed:
        raise KernelValueError("prefer: expected Float32, Float16, BFloat16 or Auto, got Mixed: nothing can be cast to that")
    return found


def prefer(dtype: Any) -> contextlib.AbstractContextManager[None]:
    """A context, or a decorator, in which operations run in a dtype that they have a variant of.

    Tensors of float32 are cast to it, as under autocast; where float32 is preferred, float16 and bfloat16 become that. A
    call that would have to cast something else keeps its dtypes. "auto": none is preferred.
    """
    return _prefer(_preferable(dtype))


@contextlib.contextmanager
def _prefer(dtype: KernelDtype) -> Iterator[None]:
    _binding.watch_calls(_WATCH_PREFERENCE, True)
    token = _preferred.set(dtype)
    try:
        yield
    finally:
        _preferred.reset(token)


def prefer_everywhere(dtype: Any) -> None:
    """The same for the whole process, outside of `prefer` blocks; None ends it."""
    global _everywhere
    _everywhere = None if dtype is None else _preferable(dtype)
    _binding.watch_calls(_WATCH_EVERYWHERE, _everywhere is not None)


def preferred() -> KernelDtype | None:
    """What is preferred here."""
    found = _preferred.get()
    if isinstance(found, KernelDtype):
        return found
    return _everywhere if found is None else None


@contextlib.contextmanager
def decided() -> Iterator[None]:
    """In here calls take the variant that their dtypes fit."""
    token = _preferred.set(False)
    try:
        yield
    finally:
        _preferred.reset(token)
