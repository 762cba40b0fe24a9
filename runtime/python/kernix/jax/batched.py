"""Kernels that take a batch in one launch, for jax.vmap on CUDA.

They are compiled from the same source when the first call with a batch is compiled, and lie beside the module: its own
kernels are exactly what the source says.
"""

import json
import os
import threading
import weakref

from .. import _binding, gpu
from ..cache import Cache
from ..errors import KernelError
from ..module import Contents
from ..ptx import PtxBuild

_lock = threading.Lock()
_attached: "weakref.WeakSet[Contents]" = weakref.WeakSet()


def attach(contents: Contents) -> None:
    """Gives the CUDA library of a module, which is open, kernels for batches. A module that was built elsewhere, whose source
    is not known, has none: such a kernel is launched for each element."""
    with _lock:
        if contents in _attached:
            return
        _attached.add(contents)
        built = contents.built["cuda"]
        if built.build is None or not gpu.driver().usable:
            return
        if built.changed is not None and (changed := built.changed()):
            raise KernelError(
                f"{contents.name}: kernels for a batch, which jax.vmap needs, cannot be built: {changed} has changed since "
                "the module was loaded; load it again"
            )
        plan = PtxBuild(contents.name, [unit.path for unit in built.build.units], "batched", built.build.options)
        folder = (built.kept_in or Cache()).get(plan.request(_binding.abi_version), f"building {plan.title}", plan.run)
        with open(os.path.join(folder, "module.so"), encoding="utf-8") as file:
            _binding.add_batched(contents.libraries["cuda"], tuple(json.load(file)["ptx"]))
