"""torch.use_deterministic_algorithms(True): a call whose sums may differ from run to run is an error, or a warning.

What is not known to be deterministic counts as if it were not. Known are derivatives of a module that was built with
deterministic=True, and functions that do not read what they write: atomic additions of floating-point numbers do.
"""

import warnings
from typing import Any

import torch

from ..errors import KernelError


def check(details: Any) -> None:
    """Before a call, while torch asks for deterministic algorithms."""
    reason = _why_not(details)
    if reason is None:
        return
    text = f"{details._records[0]['signature']}: torch.use_deterministic_algorithms(True) is on, and {reason}"
    if not torch.is_deterministic_algorithms_warn_only_enabled():
        raise KernelError(text)
    warnings.warn(text, stacklevel=2)


def _why_not(details: Any) -> str | None:
    record = details._records[0]
    if record["derivative"] == "backward":
        builds = [built.build for built in details._module.built.values()]
        if builds and all(build is not None and build.options.deterministic for build in builds):
            return None
        return (
            "gradients of this build may be added in any order; load the source with kernix.load(..., deterministic=True), "
            "which refuses what cannot be added in one order"
        )
    for record in details._records:
        for parameter in record["parameters"]:
            is_read = parameter["zero_init"] or parameter["access"] == "inout"
            is_float = any(word in (parameter["dtype"] or "any") for word in ("float", "complex", "any"))
            if parameter["role"] == "ret" and is_read and is_float:
                return (
                    f"it reads or adds to what it writes to '{parameter['name']}', where atomic operations may come in any "
                    "order; use torch.use_deterministic_algorithms(False) around the call where they do not"
                )
    return None
