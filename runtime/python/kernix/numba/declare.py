"""kernix.numba.declare and kernix.load(..., target="numba"): modules whose device functions kernels of Numba call."""

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from .. import cache
from ..errors import KernelError, KernelTypeError, NoToolkit
from ..module import Module
from ..options import Options, make_options
from .build import NumbaBuild
from .intents import to_yaml
from .module import DeviceContents


def declare(
    module: Module,
    *,
    arg_intent: Mapping[str, Mapping[str | int, Any]] | None = None,
    arch: object = None,
) -> Module:
    """Makes the device functions of a module callable from kernels of Numba-CUDA, as ``module.f`` of what this gives.

    :param module: what ``kernix.load`` gave for a source. In kernels it can be used itself, too.
    :param arg_intent: intents by function and by name or 0-based index of a parameter: ``"out_return"``, or
        ``out_array_return(dtype=..., length=...)``. They override those of the source and of a config file.
    :param arch: the oldest GPU that the code is for, like "sm_80". None: that of the GPU here, else sm_80.
    :raises KernelError: for a module that was built elsewhere, whose source is not known.
    """
    if not isinstance(module, Module):
        raise KernelTypeError(f"declare: expected a kernix module, got {type(module).__name__}")
    contents = module._kernix
    if isinstance(contents, DeviceContents):
        sources, options = contents.sources, contents.options
    else:
        build = next((built.build for built in contents.built.values()), None)
        if build is None:
            raise KernelError(f"declare: {contents.name} was built elsewhere; load its source")
        sources, options = [unit.path for unit in build.units], build.options
    if arch is not None:
        options = dataclasses.replace(options, cuda_arch=make_options(arch=arch).cuda_arch)
    made = _build(sources, contents.name, options, arg_intent=arg_intent)
    made.register(also=module)
    return _module(made)


def load(
    sources: Sequence[str],
    name: str,
    options: Options,
    *,
    verbose: bool = False,
    force_rebuild: bool = False,
) -> Module:
    """A module for kernels of Numba. Called from Python its functions run on the CPU target."""
    return _module(_build(sources, name, options, verbose=verbose, force_rebuild=force_rebuild))


def _module(contents: DeviceContents) -> Module:
    module = Module(contents)
    contents.register(also=module)
    return module


def _build(
    sources: Sequence[str],
    name: str,
    options: Options,
    *,
    arg_intent: Mapping[str, Mapping[str | int, Any]] | None = None,
    verbose: bool = False,
    force_rebuild: bool = False,
) -> DeviceContents:
    if arg_intent is not None:
        flag = f"-fplugin-arg-kernix-config={_written(to_yaml(arg_intent))}"
        options = dataclasses.replace(options, extra_cflags=(*options.extra_cflags, flag))
    try:
        plan = NumbaBuild(name, sources, options, verbose=verbose)
    except NoToolkit as problem:
        return DeviceContents(name, sources, options, str(problem))
    from .. import _binding

    request = plan.request(_binding.abi_version)
    folder = cache.Cache().get(request, f"building {plan.title}", plan.run, rebuild=force_rebuild)
    with open(os.path.join(folder, "module.so"), encoding="utf-8") as file:
        made = json.load(file)
    return DeviceContents(name, sources, options, made)


def _written(text: str) -> str:
    """A file with this text, which stays as it is."""
    path = os.path.join(cache.folder(), "sources", f"intents-{hashlib.sha256(text.encode()).hexdigest()[:20]}.yaml")
    if not os.path.isfile(path):
        cache.write_atomically(path, text.encode())
    return path
