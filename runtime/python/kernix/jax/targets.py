"""Handlers of bound functions, registered with XLA under names.

A function has a target of its own for each build, named by its content, so that what was compiled before keeps its code
when a source is edited and loaded again. ``register`` gives stable names: "<prefix>.<function>".
"""

import ctypes
import functools
import hashlib
import os
import threading
import warnings
from typing import Any

import jax
import jax.export

from .. import _binding
from ..errors import KernelError, KernelTypeError
from ..module import Contents, Module
from ..registration import Registration

_XLA_PLATFORMS = {"cpu": "cpu", "cuda": "CUDA"}
_lock = threading.Lock()
_registered: set[tuple[str, str]] = set()


def ensure(contents: Contents, function: str, targets: tuple[str, ...]) -> str:
    """The target of a function of a module, registered for these targets of kernix ("cpu", "cuda")."""
    name = f"{_prefix(contents)}.{function}"
    for target in targets:
        if (name, target) not in _registered:
            contents.open_target(target, function)
            _register(contents.libraries[target], function, name, target, None)
    return name


def register(module: Module, prefix: str | None = None, *, allow_cuda_graph: bool | None = None) -> list[str]:
    """Registers all functions of a module with XLA, as ``"<prefix>.<function>"``, for ``jax.ffi.ffi_call``.

    Operands of such a call are the tensors that the function reads, results those that it writes, in the order of its
    parameters; the attributes are the rest by name, of exactly the parameter's type (``numpy.float32(2)`` for a float).
    A tensor with the intent inout_ptr is both, with ``input_output_aliases``.

    :param module: what ``kernix.load`` gave. Its libraries that are open are registered, each for its platform.
    :param prefix: the module's name if None.
    :param allow_cuda_graph: whether host functions may be recorded in CUDA graphs: they must enqueue the same work on
        the stream whenever they are called. None: kernels only; False: nothing. Derivatives never are.
    :returns: the names. Names that stood for other functions stand for these from now on, also in what is compiled
        already, with one warning.
    """
    if not isinstance(module, Module):
        raise KernelTypeError(f"register: expected a kernix module, got {type(module).__name__}")
    contents: Contents = module._kernix
    prefix = contents.name if prefix is None else prefix
    names = [f"{prefix}.{function}" for function in contents.functions]
    replaced = [
        _register(library, function, name, target, allow_cuda_graph)
        for target, library in contents.libraries.items()
        for function, name in zip(contents.functions, names, strict=True)
    ]
    if any(replaced):
        warnings.warn(f"kernix: the XLA targets {prefix}.* are replaced by those of {contents.name}", stacklevel=2)
    return names


def register_library(library: Any, registration: Registration) -> bool:
    """Registers the functions of a library for its platform, as the loaders of inline sources are asked to. Gives whether
    one of the names stood for another function before."""
    capturable = registration.allow_cuda_graph
    names = {function: registration.target_name(function) for function in library.records}
    # All of them, whatever the first one replaced.
    return any([_register(library, function, name, library.target, capturable) for function, name in names.items()])


def export_checks(module: Module) -> list[Any]:
    """What ``jax.export.export(..., disabled_checks=...)`` wants for functions that call a module.

    The targets are named by the content of the build, so that a program that is read back runs where the same build is
    loaded; this registers them, there as well.
    """
    contents: Contents = module._kernix
    names = [ensure(contents, function, tuple(contents.libraries)) for function in contents.functions]
    return [jax.export.DisabledSafetyCheck.custom_call(name) for name in names]


def _register(library: Any, function: str, name: str, target: str, capturable: bool | None) -> bool:
    """Whether the name stood for another function before."""
    address, is_replaced = _binding.xla_target(library, function, name, -1 if capturable is None else int(capturable))
    with _lock:
        if (name, target) not in _registered:
            capsule = jax.ffi.pycapsule(ctypes.c_void_p(address))
            jax.ffi.register_ffi_target(name, capsule, platform=_XLA_PLATFORMS[target])
            _registered.add((name, target))
    return is_replaced


@functools.cache
def _prefix(contents: Contents) -> str:
    """Different for each content: builds are cached by theirs, other libraries may be written again in place."""
    text = []
    for target in contents.targets:
        if target in contents.built:
            path = contents.built[target].path
            state = os.stat(path)
            text.append(f"{os.path.realpath(path)}:{state.st_mtime_ns}:{state.st_size}")
    return f"kernix.{contents.name}.{hashlib.sha256('|'.join(text).encode()).hexdigest()[:12]}"


def targets_of(platforms: tuple[str, ...]) -> tuple[str, ...]:
    """Targets of kernix for JAX's platforms."""
    found = []
    for platform in platforms:
        if platform not in _XLA_PLATFORMS:
            raise KernelError(f"kernix has no target for JAX's platform '{platform}', only for {' and '.join(_XLA_PLATFORMS)}")
        found.append(platform)
    return tuple(found)
