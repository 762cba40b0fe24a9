"""Calls whose variant is chosen by more than their dtypes: a dtype is preferred, or the operation has a policy.

Decides by kernix.variants, casts what that asks for in the framework of each tensor, and calls. A call that is not to be
decided here goes on as it is, so that its errors are those of any call.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _support
from .dtypes import dtype_name, dtype_pair
from .errors import KernelTypeError, KernelValueError
from .preference import decided, preferred
from .selector import KernelDtype, KernelRegistry
from .variants import Choice, choose, variants_of

if TYPE_CHECKING:
    from .function import FunctionDetails

_CPU, _CUDA, _CUDA_MANAGED = 1, 2, 13  # kernix_device_type


def call(operation: Any, details: "FunctionDetails", args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """One call of an operation."""
    given, launch = details.bind(args, keywords)
    choice = _choice(operation, details, given)
    if choice is None or not choice.casts:
        with decided():
            return operation(*args, **keywords)
    where = f"{details._name}: argument"
    cast = {
        name: _cast(value, choice.casts[name], f"{where} '{name}'") if name in choice.casts else value
        for name, value in given.items()
    }
    with decided():
        return operation(**cast, **launch)


def _choice(operation: Any, details: "FunctionDetails", given: Mapping[str, Any]) -> Choice | None:
    """None: as the dtypes say."""
    wanted = preferred()
    if wanted is KernelDtype.Auto or all(variant.dtype is not wanted for variant in variants_of(operation)):
        wanted = None
    arrays = {name: given[name] for name in variants_of(operation)[0].wanted if given.get(name) is not None}
    try:
        dtypes = {name: dtype_name(array.dtype) for name, array in arrays.items()}
    except (AttributeError, KernelValueError):
        return None  # a type that is not cast, or no array at all
    device = _device(next(iter(arrays.values()), None))
    if device is None:
        return None
    selector = KernelRegistry.get_or_create_selector(device)
    if wanted is None and selector.policy(operation) == "seed":
        return None
    if wanted is not None:
        _refuse_traced(operation, arrays)
    try:
        return choose(operation, dtypes, wanted, selector=selector)
    except KernelTypeError:
        return None  # the call says it better


def _refuse_traced(operation: Any, arrays: Mapping[str, Any]) -> None:
    jax = sys.modules.get("jax")
    compiler, cast = "", ""
    if jax is not None and any(isinstance(array, jax.core.Tracer) for array in arrays.values()):
        compiler, cast = "JAX", "x.astype(...)"
    elif any(type(array).__name__ == "FakeTensor" for array in arrays.values()):
        compiler, cast = "torch.compile", "x.to(...)"
    if compiler:
        raise KernelTypeError(
            f"{operation._name}: {compiler} keeps what it compiles, and does not know of kernix.prefer: cast inside the "
            f"function ({cast}), and leave the call out of the block (kernix.prefer('auto'))"
        )


def _device(array: Any) -> str | None:
    """None: it does not say."""
    if type(array).__module__.partition(".")[0] == "torch":
        return str(array.device) if array.device.type in ("cpu", "cuda") else None
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(array, jax.core.Tracer):
        # Where the compiled program will run is not known yet; it is where the user or JAX puts what has no place.
        default = jax.config.jax_default_device
        platform = default if isinstance(default, str) else getattr(default, "platform", jax.default_backend())
        return "cpu" if platform == "cpu" else f"cuda:{getattr(default, 'id', 0)}"
    describe = getattr(array, "__dlpack_device__", None)
    if describe is None:
        return None
    kind, index = describe()
    if kind == _CPU:
        return "cpu"
    return f"cuda:{index}" if kind in (_CUDA, _CUDA_MANAGED) else None


def _cast(array: Any, name: str, where: str) -> Any:
    package = type(array).__module__.partition(".")[0]
    if "torch" in sys.modules and isinstance(array, sys.modules["torch"].Tensor):
        return array.to(_support._torch_dtype(dtype_pair(name)))
    if package in ("jax", "jaxlib"):
        return array.astype(name)
    if package in ("numpy", "cupy"):
        return array.astype(_support._numpy_dtype(dtype_pair(name)))
    raise KernelTypeError(
        f"{where}: expected a tensor of {name}, and kernix cannot cast those of {package}: cast it yourself"
    )
