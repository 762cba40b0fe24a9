"""The slow half of kernix._binding: what a call asks at most once per type, and what it asks before it raises.

Functions here are called from C. None of them imports a framework: a framework whose objects arrive is imported already.
"""

import enum
import os
import sys
from collections.abc import Sequence
from typing import Any

from .errors import KernelError
from .names import python_names as python_names  # asked by the extension


class Kind(enum.IntEnum):
    """What kind of argument a type makes; the numbers are those of kernix::python::Kind."""

    OTHER = 0
    INTEGER = 1
    FLOAT = 2
    COMPLEX = 3
    BOOL = 4
    STRING = 5
    NUMPY = 6
    EXCHANGE = 7
    TORCH = 8
    DLPACK = 9
    REFUSED = 10
    JAX = 11
    DISPATCHED = 12


# kernix_dtype_code
_INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX, _BOOL = 0, 1, 2, 4, 5, 6
_CPU, _CUDA = 1, 2

DTYPE_NAMES = {
    (_BOOL, 8): "bool",
    (_INT, 8): "int8",
    (_INT, 16): "int16",
    (_INT, 32): "int32",
    (_INT, 64): "int64",
    (_UINT, 8): "uint8",
    (_UINT, 16): "uint16",
    (_UINT, 32): "uint32",
    (_UINT, 64): "uint64",
    (_FLOAT, 16): "float16",
    (_BFLOAT, 16): "bfloat16",
    (_FLOAT, 32): "float32",
    (_FLOAT, 64): "float64",
    (_COMPLEX, 64): "complex64",
    (_COMPLEX, 128): "complex128",
}


# -- classification -------------------------------------------------------------------------------------------------


def classify(cls: type) -> tuple[int, object]:
    """The kind of a type's objects, with the exchange capsule or the reason of a refusal."""
    # A type written in C may have made __module__ a descriptor for its objects.
    packages = {base.__module__.partition(".")[0] for base in cls.__mro__ if isinstance(base.__module__, str)}
    if packages & {"jax", "jaxlib"}:
        return Kind.JAX, None
    if "torch" in packages and (found := _classify_torch(cls)):
        return found
    if "numpy" in packages and (found := _classify_numpy(cls)):
        return found
    if capsule := getattr(cls, "__dlpack_c_exchange_api__", None):
        return Kind.EXCHANGE, capsule
    if hasattr(cls, "__dlpack__"):
        return Kind.DLPACK, None
    return _classify_number(cls), None


def _classify_torch(cls: type) -> tuple[int, object] | None:
    torch = sys.modules["torch"]
    if not issubclass(cls, torch.Tensor):
        return None
    capsule = getattr(cls, "__dlpack_c_exchange_api__", None)
    if capsule is None:
        return Kind.REFUSED, f"torch {torch.__version__} is too old: kernix needs torch 2.11 or newer"
    if cls in (torch.Tensor, torch.nn.Parameter):
        return Kind.TORCH, capsule
    # A subclass decides itself what its operations mean. Below the dispatcher those without a dispatch of their own are
    # tensors like others; of the rest the storage need not be the value.
    dispatch = getattr(cls, "__torch_dispatch__", None)
    plain = getattr(torch._C, "_disabled_torch_dispatch_impl", None)
    if getattr(dispatch, "__func__", dispatch) in (None, plain, torch.Tensor.__torch_dispatch__):
        return Kind.DISPATCHED, capsule
    return Kind.DISPATCHED, f"expected a plain torch.Tensor, got {cls.__name__}, which has its own __torch_dispatch__"


def _classify_numpy(cls: type) -> tuple[int, object] | None:
    numpy = sys.modules["numpy"]
    if issubclass(cls, numpy.ndarray):
        if issubclass(cls, numpy.ma.MaskedArray):
            return Kind.REFUSED, "expected a plain array, got a masked one: its mask would be lost"
        return Kind.NUMPY, None
    if issubclass(cls, (numpy.datetime64, numpy.timedelta64, numpy.void)):
        return Kind.OTHER, None
    if issubclass(cls, numpy.bool_):
        return Kind.BOOL, None
    if issubclass(cls, numpy.integer):
        return Kind.INTEGER, None
    if issubclass(cls, numpy.complexfloating):
        return Kind.COMPLEX, None
    if issubclass(cls, numpy.floating):
        return Kind.FLOAT, None
    return None


def _classify_number(cls: type) -> Kind:
    if issubclass(cls, str):
        return Kind.STRING
    if hasattr(cls, "__index__"):
        return Kind.INTEGER
    if hasattr(cls, "__float__"):
        return Kind.FLOAT
    if issubclass(cls, complex) or hasattr(cls, "__complex__"):
        return Kind.COMPLEX
    return Kind.OTHER


# -- arrays ---------------------------------------------------------------------------------------------------------


def array_dtype(array: Any) -> tuple[int, int] | str:
    """Code and bits of a NumPy dtype that the array interface has no letter for, or what is wrong with it."""
    dtype = array.dtype
    if dtype.name == "bfloat16":
        return _BFLOAT, 16
    if dtype.names:
        return (
            f"a structured dtype ({dtype}) has no C++ type here; a struct of one arithmetic type is a trailing axis: "
            "view the array as that type"
        )
    return f"expected numbers, got dtype {dtype}"


def from_dlpack(array: Any) -> tuple[object, int | None]:
    """The capsule of an array of any framework, and the stream that its data is ordered on (None: none)."""
    device, _ = array.__dlpack_device__()
    stream = _current_stream(array) if device == _CUDA else None
    arguments: dict[str, object] = {} if stream is None else {"stream": stream or 1}
    try:
        return array.__dlpack__(**arguments, max_version=(1, 0)), stream
    except TypeError:
        return array.__dlpack__(**arguments), stream


def _current_stream(array: Any) -> int:
    """The framework's current stream; 0, CUDA's default stream, where the framework has no such notion."""
    if type(array).__module__.partition(".")[0] == "cupy":
        return int(sys.modules["cupy"].cuda.get_current_stream(array.device.id).ptr)
    return 0


def explain_tensor(tensor: Any, foreign: str) -> str:
    """Why a framework would not export a tensor: `foreign` is its own message."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(tensor, torch.Tensor):
        if tensor.device.type == "meta":
            return "expected a tensor with data, got a meta tensor"
        if tensor.layout is not torch.strided:
            return f"expected a dense tensor, got a sparse one ({tensor.layout}); pass tensor.to_dense()"
        if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            return "expected a plain tensor, got one of a torch.func transform, which is not supported in this version"
        if tensor.device.type not in ("cpu", "cuda"):
            return f"expected a tensor on the CPU or a CUDA device, got one on {tensor.device}"
    return f"{type(tensor).__name__} cannot be exported: {foreign.splitlines()[0] if foreign else 'no reason given'}"


# Keys of torch's dispatcher that a thread includes while there are modes, transforms and tracers; those of autocast are
# excluded unless it is on.
_WATCHING_KEYS = (
    ("Python", "PreDispatch", "FuncTorchDynamicLayerFrontMode", "VmapMode", "Tracer"),
    ("AutocastCPU", "AutocastCUDA"),
)


def torch_watchers() -> tuple[str, str, tuple[int, ...], tuple[int, ...]] | None:
    """Where to ask whether torch must see a call: its libraries, and the numbers of _WATCHING_KEYS. None: this torch is not
    known."""
    torch = sys.modules["torch"]
    folder = os.path.join(os.path.dirname(str(torch.__file__)), "lib")
    try:
        numbers = [tuple(int(torch._C._parse_dispatch_key(name)) for name in row) for row in _WATCHING_KEYS]
    except (AttributeError, TypeError):
        return None
    return os.path.join(folder, "libc10.so"), os.path.join(folder, "libtorch_cpu.so"), numbers[0], numbers[1]


def is_torch_watching() -> bool:
    """Whether torch must see a call, asked of torch in Python; the extension asks faster where it can."""
    core = sys.modules["torch"]._C
    return bool(
        any(core._dispatch_tls_is_dispatch_key_included(core._parse_dispatch_key(name)) for name in _WATCHING_KEYS[0])
        or core._len_torch_function_stack()
        or core._is_any_autocast_enabled()
        or core._autograd._profiler_enabled()
        or sys.modules["torch"].are_deterministic_algorithms_enabled()
    )


def version_counter() -> Any:
    """What counts that tensors were changed in place, by which torch's backward notices that what it has kept is gone."""
    torch = sys.modules["torch"]
    return getattr(torch._C, "_increment_version", None) or torch.autograd.graph.increment_version


def is_recorded() -> bool:
    """Whether torch records what is computed now."""
    return bool(sys.modules["torch"].is_grad_enabled())


def forward_ad() -> dict[str, Any]:
    """The variables of the module that knows whether forward differentiation is on."""
    from torch.autograd import forward_ad

    variables: dict[str, Any] = vars(forward_ad)
    return variables


def has_tangent(tensor: Any) -> bool:
    """Of a tensor while forward differentiation is on."""
    from torch.autograd import forward_ad

    return forward_ad.unpack_dual(tensor).tangent is not None


# -- outputs --------------------------------------------------------------------------------------------------------


def allocator(kind: int, code: int, bits: int, device_type: int, zeroed: int) -> tuple[object, object]:
    """What the extension calls itself: f(shape, dtype) of NumPy, f(shape, strides, dtype) of torch, else f(like) of torch."""
    if kind == Kind.TORCH:
        torch = sys.modules["torch"]
        if zeroed:
            return torch.zeros_like, None
        # What the code calls that torch.compile makes: half the time of torch.empty_like.
        guards = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
        function = getattr(guards, "_empty_strided_cuda" if device_type == _CUDA else "_empty_strided_cpu", None)
        return (torch.empty_like, None) if function is None else (function, _torch_dtype((code, bits)))
    numpy = sys.modules["numpy"]
    return (numpy.zeros if zeroed else numpy.empty), _numpy_dtype((code, bits))


def allocate(
    kind: int,
    like: Any,
    shape: tuple[int, ...],
    code: int,
    bits: int,
    device_type: int,
    device: int,
    zeroed: int,
) -> object:
    """An output in the framework of `like`, an array of the call (None: there is none)."""
    if kind == Kind.TORCH or (like is None and device_type == _CUDA and _has_torch()):
        return _allocate_torch(shape, (code, bits), device_type, device, zeroed)
    if device_type == _CPU:
        numpy = _import_numpy()
        return (numpy.zeros if zeroed else numpy.empty)(shape, _numpy_dtype((code, bits)))
    package = "" if like is None else type(like).__module__.partition(".")[0]
    if package == "cupy":
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(device):
            return (cupy.zeros if zeroed else cupy.empty)(shape, _numpy_dtype((code, bits)))
    raise KernelError(
        f"an output on CUDA device {device} cannot be allocated: kernix cannot make arrays of "
        f"{package or 'a framework that is not known'}; give the output by keyword, or install torch"
    )


def _has_torch() -> bool:
    """Whether torch can be imported; it then is. For outputs on CUDA of a call without arrays."""
    try:
        import torch  # noqa: F401
    except ImportError:
        return False
    return True


_torch_dtypes: dict[tuple[int, int], Any] = {}
_numpy_dtypes: dict[tuple[int, int], Any] = {}


def _allocate_torch(shape: tuple[int, ...], dtype: tuple[int, int], device_type: int, device: int, zeroed: int) -> object:
    torch = sys.modules["torch"]
    where = torch.device("cuda", device) if device_type == _CUDA else torch.device("cpu")
    return (torch.zeros if zeroed else torch.empty)(shape, dtype=_torch_dtype(dtype), device=where)


def _torch_dtype(dtype: tuple[int, int]) -> Any:
    found = _torch_dtypes.get(dtype)
    if found is None:
        found = _torch_dtypes[dtype] = getattr(sys.modules["torch"], DTYPE_NAMES.get(dtype, ""), None)
        if found is None:
            raise KernelError(f"torch has no dtype for an output of code {dtype[0]} with {dtype[1]} bits")
    return found


def _numpy_dtype(dtype: tuple[int, int]) -> Any:
    found = _numpy_dtypes.get(dtype)
    if found is None:
        name = DTYPE_NAMES.get(dtype)
        if name is None:
            raise KernelError(f"NumPy has no dtype for an output of code {dtype[0]} with {dtype[1]} bits")
        found = _numpy_dtypes[dtype] = _bfloat16() if name == "bfloat16" else _import_numpy().dtype(name)
    return found


def _bfloat16() -> Any:
    try:
        import ml_dtypes
    except ImportError:
        raise KernelError(
            "NumPy has no bfloat16 of its own: install ml_dtypes (pip install ml_dtypes), or give the output as a torch "
            "tensor"
        ) from None
    return _import_numpy().dtype(ml_dtypes.bfloat16)


def _import_numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise KernelError("NumPy is needed to allocate an output: pip install numpy, or give the output") from None
    return numpy


# -- messages -------------------------------------------------------------------------------------------------------


def suggest(word: str, words: Sequence[str]) -> str:
    import difflib  # slow to import, and wanted before an error only

    close = difflib.get_close_matches(word, words, n=1)
    return f" (did you mean '{close[0]}'?)" if close else ""
