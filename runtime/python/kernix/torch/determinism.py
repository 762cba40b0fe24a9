"""torch.use_deterministic_algorithms(True): a call whose sums may differ from run to run is an error, or a warning.

What is not known to be deterministic counts as if it were not. Of backward derivatives of kernels the compiler has left
what it knows, and the runtime asks whether it holds for a call. Known are also derivatives of host functions, which one
thread computes, derivatives by hand in a build with deterministic=True, and functions that do not read what they write:
atomic additions of floating-point numbers do.
"""

import warnings
from collections.abc import Mapping
from typing import Any

import torch

from ..errors import KernelError


def call(operation: Any, details: Any, given: Mapping[str, Any], launch: Mapping[str, Any]) -> Any:
    """A plain call, while torch asks for deterministic algorithms."""
    reason = _why_not(details)
    only_warns = torch.is_deterministic_algorithms_warn_only_enabled()
    if reason is None and details._records[0]["derivative"] == "backward" and not details._records[0]["hand_written"]:
        try:
            return operation._call_in_fixed_order(**given, **launch)
        except KernelError as error:
            if not only_warns:
                raise
            reason = str(error)
    elif reason is not None and not only_warns:
        raise KernelError(reason)
    results = operation._call_plainly(**given, **launch)  # which finds another mistake again
    if reason is not None:
        warnings.warn(reason, stacklevel=2)
    return results


def _is_deterministic(details: Any) -> bool:
    builds = [built.build for built in details._module.built.values()]
    return bool(builds) and all(build is not None and build.options.deterministic for build in builds)


def _why_not(details: Any) -> str | None:
    """What is known before the call; None: nothing that speaks against it."""
    record = details._records[0]
    if record["derivative"] == "backward":
        if not record["hand_written"] or _is_deterministic(details):
            return None
        return (
            f"{record['signature']}: torch.use_deterministic_algorithms(True) is on, and the derivative is written by hand: "
            "nothing is known of how it adds to gradients; load the source with kernix.load(..., deterministic=True) if it "
            "does so in one order"
        )
    for record in details._records:
        for parameter in record["parameters"]:
            is_read = parameter["zero_init"] or parameter["access"] == "inout"
            is_float = any(word in (parameter["dtype"] or "any") for word in ("float", "complex", "any"))
            if parameter["role"] == "ret" and is_read and is_float:
                return (
                    f"{record['signature']}: torch.use_deterministic_algorithms(True) is on, and it reads or adds to what it "
                    f"writes to '{parameter['name']}', where atomic operations may come in any order; use "
                    "torch.use_deterministic_algorithms(False) around the call where they do not"
                )
    return None
