"""Bound device functions inside the kernels of Numba-CUDA, and functions that Numba compiles for the CPU.

    geometry = kernix.load("geometry.cuh", target="numba")

    @numba.cuda.jit
    def kernel(widths, areas):
        i = numba.cuda.grid(1)
        areas[i] = geometry.area(widths[i], 2.0)

Needs the package numba-cuda (tested: 0.30) and nothing else.
"""

import os

if os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0"):
    from ..errors import KernelError

    raise KernelError(
        "kernix.numba does not work with Numba's simulator (NUMBA_ENABLE_CUDASIM): in its kernels, which Python runs, call the "
        "functions of kernix.load(source, target='cpu'), with numbers"
    )

try:
    import numba.cuda.vector_types as _numba_cuda  # noqa: F401  (to see whether it can be imported)
except ImportError as error:
    from ..errors import KernelError

    raise KernelError(f"kernix.numba needs the package numba-cuda ({error})") from error
except AttributeError as error:  # numba-cuda 0.30 and NumPy 2.5
    import numpy

    from ..errors import KernelError

    raise KernelError(f"numba-cuda does not work with NumPy {numpy.__version__} ({error}); install 'numpy<2.5'") from error

from .declare import declare, load
from .intents import ArrayReturn, out_array_return

__all__ = ["ArrayReturn", "declare", "load", "out_array_return"]
