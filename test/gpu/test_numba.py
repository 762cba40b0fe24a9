"""Bound device functions in kernels of Numba-CUDA: the tests of test/python/numba_cases.py, and what only kernels do."""

import sys
from pathlib import Path
from typing import Any

import kernix
import numpy as np
import pytest

pytest.importorskip("numba.cuda")
sys.path.append(str(Path(__file__).parents[1] / "python"))

import kernix.numba  # noqa: E402
from numba import cuda  # noqa: E402
from numba_cases import *  # noqa: E402, F403
from numba_cases import COUNT, SOURCE, for_each, numbers  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:.*(Grid size|Host array)")  # about speed


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load(SOURCE, target="numba")


@pytest.fixture
def run() -> Any:
    """Calls a function with a thread for each element; arrays are changed in place."""

    def launch(element: Any, *arrays: np.ndarray) -> None:
        kernel = for_each(cuda.jit(element, device=True), len(arrays), "i = cuda.grid(1)\n    if i < count:")
        cuda.jit(kernel)[-(-COUNT // 32), 32](COUNT, *arrays)
        cuda.synchronize()

    return launch


def test_halves(m: Any, run: Any) -> None:
    def element(i, x):
        x[i] = m.halved(x[i])

    x = numbers(2, "float16")
    expected = x / 2
    run(element, x)
    np.testing.assert_array_equal(x, expected)


def test_two_modules_in_one_kernel(m: Any, tmp_path: Path) -> None:
    """They have functions and variables of the same names, which stay apart."""
    text = "#include <kernix/kernix.h>\n__device__ float offset = {}f;\n__device__ float own(float x) {{ return x + offset; }}\n"
    text += "[[kernix::bind]] __device__ float shifted(float x) {{ return own(x); }}\n"
    for name, number in (("a", "1."), ("b", "10.")):
        (tmp_path / f"{name}.cu").write_text(text.format(number))
    a, b = (kernix.load(tmp_path / f"{name}.cu", target="numba") for name in "ab")

    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = a.shifted(x[i]) + b.shifted(x[i])

    x = numbers()
    expected = 2 * x + 11
    kernel[-(-COUNT // 32), 32](x)
    cuda.synchronize()
    np.testing.assert_allclose(x, expected, rtol=1e-5)
