"""Which kernel of an operation fits the dtypes of its inputs: the classes of the kernel selector.

    selector = kernix.KernelRegistry.get_or_create_selector("cuda:0")
    selector.select_best_kernel("conv2d", ["float16"])

Names, numbers and rules are those of kernix/kernel_selector.h; what they do is done there. Wrong values are ValueErrors.
"""

import contextlib
import enum
import numbers
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from . import _binding
from .dtypes import dtype_pair
from .errors import KernelTypeError, KernelValueError


class KernelDtype(enum.IntEnum):
    """The dtype of a kernel."""

    Float32 = 0
    Float16 = 1
    BFloat16 = 2
    Mixed = 3
    """Inputs of several floating-point dtypes."""
    Auto = 4
    """By the tensors: no preference."""


def _flag(name: str, value: Any) -> bool:
    """NumPy's too."""
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return bool(value)
    raise KernelValueError(f"{name}: expected True or False, got {value!r}")


def _number(expected: str, value: Any) -> float:
    """A real number, NumPy's too."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        with contextlib.suppress(OverflowError):
            return float(value)
    raise KernelValueError(f"{expected}, got {value!r}")


POLICIES = ("seed", "promote", "ranked")  # by kernix_policy
REASONS = ("preferred", "mixed", "input", "promoted", "measured", "factor", "fallback")  # by kernix_selection_reason


class Selection(NamedTuple):
    """A kernel dtype and why it was chosen."""

    dtype: KernelDtype
    reason: str


def kernel_dtype(dtype: Any) -> KernelDtype:
    """A kernel dtype by itself or by its name, in any case: "float16", "BFloat16"."""
    if isinstance(dtype, KernelDtype):
        return dtype
    if isinstance(dtype, str):
        for each in KernelDtype:
            if each.name.lower() == dtype.lower():
                return each
    names = ", ".join(each.name for each in KernelDtype)
    raise KernelValueError(f"kernel dtype: expected one of {names}, got {dtype!r}")


@dataclass(frozen=True)
class KernelCapability:
    """What a kernel can do."""

    dtype: KernelDtype
    is_available: bool = True
    supports_tensor_cores: bool = False
    performance_factor: float = 1.0
    """Relative; higher is faster."""
    memory_efficiency: float = 1.0
    """Higher is more efficient."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", kernel_dtype(self.dtype))
        for name in ("is_available", "supports_tensor_cores"):
            object.__setattr__(self, name, _flag(name, getattr(self, name)))
        for name in ("performance_factor", "memory_efficiency"):
            what = name.replace("_", " ")
            object.__setattr__(self, name, _number(f"{what}: expected a positive, finite number", getattr(self, name)))
        _binding.check_capability(*self._values())

    def _values(self) -> tuple[int, bool, bool, float, float]:
        return (
            int(self.dtype),
            self.is_available,
            self.supports_tensor_cores,
            self.performance_factor,
            self.memory_efficiency,
        )

    @classmethod
    def create_float32(cls, supports_tensor_cores: bool = False) -> "KernelCapability":
        return cls(KernelDtype.Float32, supports_tensor_cores=supports_tensor_cores)

    @classmethod
    def create_float16(cls, supports_tensor_cores: bool = True) -> "KernelCapability":
        return cls(KernelDtype.Float16, supports_tensor_cores=supports_tensor_cores)

    @classmethod
    def create_bfloat16(cls, supports_tensor_cores: bool = True) -> "KernelCapability":
        return cls(KernelDtype.BFloat16, supports_tensor_cores=supports_tensor_cores)


@dataclass(frozen=True)
class KernelPerformanceStats:
    """Times of a kernel, in milliseconds."""

    operation_name: str
    dtype: KernelDtype
    average_execution_time: float
    min_execution_time: float
    max_execution_time: float
    execution_count: int
    timed_count: int = -1
    """How many of the executions the times are of; all if it is not given."""

    def __post_init__(self) -> None:
        if self.timed_count < 0:
            object.__setattr__(self, "timed_count", self.execution_count)

    def to_string(self) -> str:
        plural = "" if self.execution_count == 1 else "s"
        timed = "" if self.timed_count == self.execution_count else f", {self.timed_count} timed"
        return (
            f"{self.operation_name} ({self.dtype.name}): average {self.average_execution_time:.3f} ms, min "
            f"{self.min_execution_time:.3f} ms, max {self.max_execution_time:.3f} ms, {self.execution_count} "
            f"execution{plural}{timed}"
        )

    __str__ = to_string


def _name(operation: Any) -> str:
    """The name of an operation, or of a bound function."""
    if isinstance(operation, _binding.Operation):
        return str(operation._name)
    if not isinstance(operation, str) or not operation:
        raise KernelValueError(f"operation: expected a name or a bound function, got {operation!r}")
    try:
        operation.encode()
    except UnicodeEncodeError:
        raise KernelValueError(f"operation: {operation!r} has surrogates, which no name has") from None
    return operation


def _pairs(dtypes: Any) -> tuple[tuple[int, int], ...]:
    if isinstance(dtypes, str) or not isinstance(dtypes, Sequence):
        raise KernelValueError(f"input dtypes: expected a list of dtypes, got {dtypes!r}")
    return tuple(dtype_pair(dtype) for dtype in dtypes)


def device_text(device: Any) -> str:
    """Of a device by name or PyTorch's."""
    if type(device).__module__.partition(".")[0] == "torch":
        device = str(device)
    if not isinstance(device, str) or "\0" in device:
        raise KernelValueError(f"device: expected 'cpu', 'cuda' or 'cuda:N', got {device!r}")
    return device


_wrapped: weakref.WeakValueDictionary[int, "KernelSelector"] = weakref.WeakValueDictionary()


class KernelSelector:
    """Chooses the kernel of an operation by dtype. Every thread may use it.

    `KernelSelector(device)` is a new one, with the default capabilities of the device: those of an operation until one is
    registered for it. The process's own, which knows bound functions, is `KernelRegistry.get_or_create_selector(device)`.
    """

    def __init__(self, device: Any) -> None:
        self._selector = _binding.Selector(device_text(device))

    @classmethod
    def _of(cls, selector: _binding.Selector) -> "KernelSelector":
        """One object for one selector, as long as somebody has it."""
        known = _wrapped.get(selector.address)
        if known is None:
            known = cls.__new__(cls)
            known._selector = selector
            known = _wrapped.setdefault(selector.address, known)
        return known

    @property
    def device(self) -> str:
        return self._selector.device

    def __repr__(self) -> str:
        return f"<kernix kernel selector of {self.device}>"

    def get_kernel_dtype(self, tensors: Any, input_dtypes: Any = None) -> KernelDtype:
        """Of a tensor, of a list of tensors, or of an operation and the dtypes of its inputs."""
        if input_dtypes is not None:
            return KernelDtype(self._selector.kernel_dtype(_name(tensors), _pairs(input_dtypes)))
        if isinstance(tensors, (str, _binding.Operation)):
            raise KernelValueError(f"{tensors!r}: an operation's kernel dtype depends on input_dtypes")
        row = tensors if isinstance(tensors, (list, tuple)) else (tensors,)
        dtypes = []
        for tensor in row:
            if isinstance(tensor, type) or not hasattr(tensor, "dtype"):
                raise KernelValueError(f"tensors: expected a tensor or a list of tensors, got {tensor!r}")
            dtypes.append(tensor.dtype)
        return KernelDtype(_binding.kernel_dtype_of(_pairs(dtypes)))

    def is_kernel_available(self, operation_name: Any, dtype: Any) -> bool:
        return self._selector.is_available(_name(operation_name), kernel_dtype(dtype))

    def register_kernel_capability(self, operation_name: Any, capability: KernelCapability) -> None:
        if not isinstance(capability, KernelCapability):
            raise KernelValueError(f"capability: expected a KernelCapability, got {capability!r}")
        self._selector.register_capability(_name(operation_name), *capability._values())

    def capability(self, operation_name: Any, dtype: Any) -> KernelCapability | None:
        """What is registered for an operation and dtype."""
        found = self._selector.capability(_name(operation_name), kernel_dtype(dtype))
        return None if found is None else KernelCapability(KernelDtype(found[0]), *found[1:])

    def select_best_kernel(self, operation_name: Any, input_dtypes: Any, preferred_dtype: Any = None) -> KernelDtype:
        """The preferred dtype if it is available, else by the operation's policy; Float32 in the end."""
        return self.select(operation_name, input_dtypes, preferred_dtype).dtype

    def select(self, operation_name: Any, input_dtypes: Any, preferred_dtype: Any = None) -> Selection:
        """The same with the reason."""
        preferred = KernelDtype.Auto if preferred_dtype is None else kernel_dtype(preferred_dtype)
        dtype, reason = self._selector.select(_name(operation_name), _pairs(input_dtypes), preferred)
        return Selection(KernelDtype(dtype), REASONS[reason])

    def set_policy(self, operation_name: Any, policy: str) -> None:
        """How the operation chooses where no preferred dtype is available: "seed", "promote" or "ranked"."""
        if policy not in POLICIES:
            raise KernelValueError(f"policy: expected one of {', '.join(POLICIES)}, got {policy!r}")
        self._selector.set_policy(_name(operation_name), POLICIES.index(policy))

    def policy(self, operation_name: Any) -> str:
        return POLICIES[self._selector.policy(_name(operation_name))]

    def get_performance_stats(self, operation_name: Any, dtype: Any) -> KernelPerformanceStats | None:
        name = _name(operation_name)
        found = self._selector.performance(name, kernel_dtype(dtype))
        return None if found is None else performance_stats((name, *found[1:]))

    def update_performance_stats(self, operation_name: Any, dtype: Any, execution_time: float) -> None:
        """`execution_time` is in milliseconds."""
        time = _number("execution time: expected a number of milliseconds", execution_time)
        self._selector.update_performance(_name(operation_name), kernel_dtype(dtype), time)

    def __reduce__(self) -> Any:
        raise KernelTypeError(f"{self!r} cannot be pickled: ask kernix.KernelRegistry for it where it is needed")


def performance_stats(row: tuple[str, int, float, float, float, int, int]) -> KernelPerformanceStats:
    name, dtype, average, least, greatest, count, timed = row
    return KernelPerformanceStats(name, KernelDtype(dtype), average, least, greatest, count, timed)


class KernelRegistry:
    """The selectors of the process, one for each device."""

    @staticmethod
    def get_or_create_selector(device: Any) -> KernelSelector:
        """With the default capabilities, and those of bound functions."""
        return KernelSelector._of(_binding.registry_selector(device_text(device)))

    @staticmethod
    def register_default_capabilities(device: Any, selector: KernelSelector, *, compute_capability: int = 0) -> None:
        """`compute_capability`: 10 * major + minor of a CUDA device; 0: that of the device."""
        if not isinstance(selector, KernelSelector):
            raise KernelValueError(f"selector: expected a KernelSelector, got {selector!r}")
        if isinstance(compute_capability, bool) or not isinstance(compute_capability, int) or compute_capability >= 1000:
            raise KernelValueError(f"compute capability: expected 10 * major + minor, got {compute_capability!r}")
        selector._selector.register_defaults(device_text(device), max(compute_capability, -1))

    @staticmethod
    def clear() -> None:
        """Forgets all selectors. Those that somebody holds go on working, apart from the registry."""
        _binding.registry_clear()

    @staticmethod
    def get_all_selectors() -> Mapping[str, KernelSelector]:
        """By device."""
        found = [KernelSelector._of(selector) for selector in _binding.registry_selectors()]
        return MappingProxyType({selector.device: selector for selector in found})
