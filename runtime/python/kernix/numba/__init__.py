"""Bound device functions inside the kernels of Numba-CUDA.

    geometry = kernix.load("geometry.cuh", target="numba")

    @numba.cuda.jit
    def kernel(widths, areas):
        i = numba.cuda.grid(1)
        areas[i] = geometry.area(widths[i], 2.0)

Needs numba-cuda 0.27 or newer, and nothing else of it than its package.
"""

try:
    import numba.cuda as _numba_cuda
except ImportError as error:
    from ..errors import KernelError

    raise KernelError(f"kernix.numba needs the package numba-cuda ({error})") from error

from .declare import declare, load
from .intents import ArrayReturn, out_array_return

__all__ = ["ArrayReturn", "declare", "load", "out_array_return"]
