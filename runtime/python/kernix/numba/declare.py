"""kernix.numba.declare and kernix.load(..., target="numba"): modules whose device functions kernels of Numba call."""

import dataclasses
import functools
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
    :raises KernelError: for a module that was built elsewhere, whose source is not known, and for one whose source, or a
        header of it, has changed since it was loaded.
    """
    if not isinstance(module, Module):
        raise KernelTypeError(f"declare: expected a kernix module, got {type(module).__name__}")
    contents = module._kernix
    if isinstance(contents, DeviceContents):
        contents.check_unchanged()
        sources, options = contents.sources, contents.options
    else:
        built = next(iter(contents.built.values()), None)
        if built is None or built.build is None:
            raise KernelError(f"declare: {contents.name} was built elsewhere; load its source")
        if built.changed is not None and (changed := built.changed()):
            raise KernelError(f"declare: {changed} has changed since {contents.name} was loaded; load it again")
        sources, options = [unit.path for unit in built.build.units], built.build.options
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
    kept_in = cache.Cache()
    folder = kept_in.get(request, f"building {plan.title}", plan.run, rebuild=force_rebuild)
    with open(os.path.join(folder, "module.so"), encoding="utf-8") as file:
        made = json.load(file)
    return DeviceContents(name, sources, options, made, functools.partial(kept_in.changed_since, request, folder))


def _written(text: str) -> str:
    """A file with this text, which stays as it is."""
    path = os.path.join(cache.folder(), "sources", f"intents-{hashlib.sha256(text.encode()).hexdigest()[:20]}.yaml")
    if not os.path.isfile(path):
        cache.write_atomically(path, text.encode())
    return path
