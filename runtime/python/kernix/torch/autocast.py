"""Calls under torch.autocast: the variant in the dtype of autocast, with tensors cast to it as torch casts its own.

What is cast is what torch would cast: float32 tensors that are only read. The casts are torch's, so gradients come back in
the dtypes of the parameters. A variant in the dtype of autocast comes first, then a mixed one. A function without either
keeps the dtypes that it is called with; where it has no variant in these, but one in float32, it gets float32, as torch's
operations that want it do. Derivatives are never cast: their dtypes are those of the call that they belong to.
"""

import contextlib
import functools
from collections.abc import Mapping
from typing import Any

import torch

from ..errors import KernelTypeError
from ..selector import KernelDtype, KernelRegistry, kernel_dtype
from ..variants import choose, variants_of

_DEVICES = ("cpu", "cuda")


def is_on() -> bool:
    return any(torch.is_autocast_enabled(device) for device in _DEVICES)


def call(operation: Any, details: Any, given: Mapping[str, Any], launch: Mapping[str, Any]) -> Any:
    cast = given if details._records[0]["derivative"] else _cast(operation, details, given)
    with _off():
        return operation(**cast, **launch)


def _off() -> Any:
    """Below autocast, as torch.library's own kernels for it are."""
    core = torch._C
    if not hasattr(core, "_ExcludeDispatchKeyGuard"):
        off = contextlib.ExitStack()
        for device in _DEVICES:
            off.enter_context(torch.autocast(device, enabled=False))
        return off
    keys = core.DispatchKeySet(core.DispatchKey.AutocastCPU) | core.DispatchKeySet(core.DispatchKey.AutocastCUDA)
    return core._ExcludeDispatchKeyGuard(keys)


def _cast(operation: Any, details: Any, given: Mapping[str, Any]) -> Mapping[str, Any]:
    names = variants_of(operation)[0].wanted
    tensors = {name: value for name, value in given.items() if name in names and isinstance(value, torch.Tensor)}
    device = next((each.device for each in tensors.values() if each.is_cuda), torch.device("cpu"))
    if not tensors or not torch.is_autocast_enabled(device.type):
        return given
    wanted = str(torch.get_autocast_dtype(device.type)).removeprefix("torch.")
    if wanted not in ("float16", "bfloat16"):
        return given
    selector = KernelRegistry.get_or_create_selector(str(device))
    is_available = selector.is_kernel_available(details._name, kernel_dtype(wanted))
    dtypes = tuple((name, str(value.dtype).removeprefix("torch.")) for name, value in tensors.items())
    casts = _casts(operation, dtypes, wanted, is_available)
    return {**given, **{name: tensors[name].to(dtype) for name, dtype in casts}}


@functools.lru_cache(maxsize=4096)
def _casts(
    operation: Any, dtypes: tuple[tuple[str, str], ...], wanted: str, is_available: bool
) -> tuple[tuple[str, torch.dtype], ...]:
    """To what tensors are cast."""

    def found(preferred: Any) -> Mapping[str, str] | None:
        choice = choose(operation, dict(dtypes), preferred)
        return choice.casts if choice.reason == "preferred" else None

    casts: Mapping[str, str] | None = None
    try:
        casts = found(wanted) if is_available else None
        if casts is None:
            casts = found(KernelDtype.Mixed)
            if casts and set(casts.values()) != {wanted}:
                casts = None
    except KernelTypeError:
        casts = found(KernelDtype.Float32)  # its error lists the variants
    return tuple((name, getattr(torch, dtype)) for name, dtype in (casts or {}).items())
