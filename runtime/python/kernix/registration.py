"""How the functions of a module are to be registered with XLA.

The registering itself is not here: it is done by the JAX lane, from what a module keeps.
"""

import os
import sys
import warnings
from dataclasses import dataclass

from .errors import KernelTypeError, KernelValueError


@dataclass(frozen=True)
class Registration:
    """Targets are called "<prefix>.<function>"."""

    prefix: str
    enabled: bool = True
    allow_cuda_graph: bool = True

    def target_name(self, function: str) -> str:
        return f"{self.prefix}.{function}"


def check_prefix(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise KernelTypeError(f"target_prefix: expected a str, got {value!r}")
    if not value or not value.isprintable() or value != value.strip():
        raise KernelValueError(f"target_prefix: expected a name, got {value!r}")
    return value


def warn_of_replaced(registration: Registration) -> None:
    """To be called once where functions of a module have taken the names of other ones."""
    warnings.warn(
        f"a module '{registration.prefix}' is loaded already; the functions of this one take the place of its own in JAX "
        "(target_prefix= gives another name)",
        stacklevel=_level_of_caller(),
    )


def _level_of_caller() -> int:
    """Of the first frame outside of this package, as warnings counts them from its caller on."""
    here = os.path.dirname(__file__)
    frame = sys._getframe(1)
    level = 1
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame = frame.f_back
        level += 1
    return level
