"""kernix: annotated CUDA C++ functions, callable from Python on the GPU and on the CPU.

    import kernix
    module = kernix.load("scale_shift.cu")
    y = module.scale_shift(x, a=2.0, b=1.0)

Importing this imports no array framework and starts nothing.
"""

from . import _binding, _support, errors
from .errors import CompileError, KernelError, KernelTypeError, KernelValueError
from .gradcheck import Gradcheck, gradcheck
from .inline import load_cpp_file, load_cpp_inline, load_cuda_dir, load_cuda_file, load_cuda_inline
from .load import load
from .module import Module
from .preference import prefer, prefer_everywhere
from .selector import KernelCapability, KernelDtype, KernelPerformanceStats, KernelRegistry, KernelSelector
from .statistics import stats

__version__ = _binding.runtime_version

__all__ = [
    "CompileError",
    "KernelError",
    "KernelTypeError",
    "KernelValueError",
    "Gradcheck",
    "KernelCapability",
    "KernelDtype",
    "KernelPerformanceStats",
    "KernelRegistry",
    "KernelSelector",
    "Module",
    "gradcheck",
    "load",
    "load_cpp_file",
    "load_cpp_inline",
    "load_cuda_dir",
    "load_cuda_file",
    "load_cuda_inline",
    "prefer",
    "prefer_everywhere",
    "stats",
]

_binding.configure(errors, _support)

