"""Whatever loads CUDA first: kernix, torch, CuPy, tvm-ffi, in fresh processes."""

import os
import subprocess
import sys

import pytest

from bank import KERNELS

LOAD = f"import kernix; m = kernix.load({str(KERNELS / 'maps.cu')!r})"
TORCH = "import torch; x = torch.full((100,), 0.5, device='cuda')"
CALL = "y = m.scale_shift(x, 0.0, 4.0); assert y.is_cuda; assert y.unique().tolist() == [4.0]; print('right')"
CUPY = "import cupy; c = cupy.full(100, 0.5, dtype=cupy.float32)"
CALL_CUPY = "z = m.scale_shift(c, 0.0, 5.0); assert type(z) is cupy.ndarray; assert (z.get() == 5).all(); print('right')"
TVM = "import tvm_ffi"
CPU = "import numpy; assert (m.scale_shift(numpy.zeros(4, 'float32'), 0.0, 6.0) == 6).all(); print('right')"
ORDERS = {
    "torch first": (TORCH, LOAD, CALL),
    "kernix first": (LOAD, TORCH, CALL),
    "CPU target first": (LOAD, CPU, TORCH, CALL),
    "CPU target last": (TORCH, LOAD, CALL, CPU),
    "cupy alone": (CUPY, LOAD, CALL_CUPY),
    "kernix, then cupy": (LOAD, CUPY, CALL_CUPY),
    "cupy and torch": (LOAD, CUPY, CALL_CUPY, TORCH, CALL),
    "tvm-ffi first": (TVM, LOAD, TORCH, CALL),
    "tvm-ffi last": (LOAD, TORCH, CALL, TVM, CALL),
}


@pytest.mark.parametrize("order", ORDERS)
def test_order(order):
    lines = ORDERS[order]
    for line, name in ((CUPY, "cupy"), (TVM, "tvm_ffi")):
        if line in lines:
            pytest.importorskip(name)
    found = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], env=os.environ, capture_output=True, text=True, timeout=300, check=False
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.split() == ["right"] * sum(line in (CALL, CALL_CUPY, CPU) for line in lines)


def test_loading_for_cuda_selects_no_device():
    """Loading alone does not start CUDA: no memory of a GPU is taken until a call."""
    code = f"{LOAD}\nimport torch; assert torch.cuda.is_initialized() is False\nprint(sorted(m._kernix.libraries))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert found.stdout.split() == ["['cuda']"], found.stderr
