"""What a call from Python costs, without the work: kernix, tvm-ffi and ctypes by hand, in the same run."""

from collections.abc import Callable
from typing import Any

import pytest

Arrays = tuple[Any, Any, Any]


@pytest.fixture(autouse=True)
def group(benchmark: Any, framework: str) -> None:
    benchmark.group = framework


def test_kernix(benchmark: Any, calls: Any, arrays: Arrays) -> None:
    x, y, z = arrays
    function = calls.nothing
    benchmark(lambda: function(x, y, z))


def test_kernix_keywords(benchmark: Any, calls: Any, arrays: Arrays) -> None:
    x, y, z = arrays
    function = calls.nothing
    benchmark(lambda: function(x=x, y=y, z=z))


def test_kernix_allocates(benchmark: Any, calls: Any, arrays: Arrays) -> None:
    x, y, _ = arrays
    function = calls.allocating
    benchmark(lambda: function(x, y))


def test_kernix_gives(benchmark: Any, calls: Any, arrays: Arrays) -> None:
    """An output that may be left out, given."""
    x, y, z = arrays
    function = calls.allocating
    benchmark(lambda: function(x, y, z=z))


def test_scalars(benchmark: Any, calls: Any, arrays: Arrays) -> None:
    x, y, z = arrays
    function = calls.scalars
    benchmark(lambda: function(x, y, z, 0.5, 3))


def test_scalars_keywords(benchmark: Any, calls: Any, arrays: Arrays) -> None:
    x, y, z = arrays
    function = calls.scalars
    benchmark(lambda: function(x=x, y=y, a=0.5, n=3, z=z))


def test_kernix_launch(benchmark: Any, calls: Any, arrays: Arrays) -> None:
    """With a launch, of a kernel of one thread."""
    x, y, z = arrays
    function = calls.launched
    benchmark(lambda: function(x, y, z))


def test_tvm_ffi(benchmark: Any, tvm_ffi_function: Callable[..., Any], arrays: Arrays) -> None:
    x, y, z = arrays
    benchmark(lambda: tvm_ffi_function(x, y, z))


def test_ctypes(benchmark: Any, c_function: Any, arrays: Arrays, framework: str) -> None:
    """Pointers asked of the arrays at each call, as a careful author would; nothing is checked."""
    x, y, z = arrays
    if framework == "numpy":
        benchmark(lambda: c_function(x.ctypes.data, y.ctypes.data, z.ctypes.data, x.size))
    else:
        benchmark(lambda: c_function(x.data_ptr(), y.data_ptr(), z.data_ptr(), x.numel()))


@pytest.fixture
def needs_cuda(framework: str) -> None:
    if framework != "torch-cuda":
        pytest.skip("launches on a GPU")


def test_tvm_ffi_launch(benchmark: Any, needs_cuda: None, tvm_ffi_launch: Callable[..., Any], arrays: Arrays) -> None:
    x, y, z = arrays
    benchmark(lambda: tvm_ffi_launch(x, y, z))


def test_ctypes_launch(benchmark: Any, needs_cuda: None, c_launch: Any, arrays: Arrays) -> None:
    """On torch's current stream, asked for at each call."""
    import torch

    x, y, z = arrays
    stream = torch.cuda.current_stream
    benchmark(lambda: c_launch(x.data_ptr(), y.data_ptr(), z.data_ptr(), stream().cuda_stream))


def test_allocation_alone(benchmark: Any, arrays: Arrays, framework: str) -> None:
    """What the framework takes for an array of the result's shape, and to free it."""
    x, _, _ = arrays
    if framework == "numpy":
        import numpy as module
    else:
        import torch as module
    benchmark(lambda: module.empty_like(x))


def test_empty_lambda(benchmark: Any, arrays: Arrays) -> None:
    """What every measurement here contains."""
    benchmark(lambda: None)
