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

__version__ = _binding.runtime_version

__all__ = [
    "CompileError",
    "KernelError",
    "KernelTypeError",
    "KernelValueError",
    "Gradcheck",
    "Module",
    "gradcheck",
    "load",
    "load_cpp_file",
    "load_cpp_inline",
    "load_cuda_dir",
    "load_cuda_file",
    "load_cuda_inline",
]

_binding.configure(errors, _support)

