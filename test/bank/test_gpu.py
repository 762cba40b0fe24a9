"""Every kernel of the bank on a GPU: values, tangents and gradients are those of the CPU target."""

from pathlib import Path
from typing import Any

import bank
import checks
import numpy as np
import pytest
import test_second

import kernix

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
KERNELS = list(bank.kernels())
_modules: dict[tuple[Path, str], Any] = {}


def module(file: Path, target: str) -> Any:
    if (file, target) not in _modules:
        _modules[file, target] = kernix.load(file, target=target)
    return _modules[file, target]


def to_gpu(value: Any, moved: dict[int, Any]) -> Any:
    """Arrays as tensors with the same strides; one tensor for an array that comes twice."""
    if isinstance(value, tuple):
        return tuple(to_gpu(item, moved) for item in value)
    if not isinstance(value, np.ndarray):
        return value
    if id(value) not in moved:
        # PyTorch knows bfloat16, and not the arrays of ml_dtypes.
        is_bfloat = value.dtype.name == "bfloat16"
        host = torch.from_numpy(value.view(np.int16)).view(torch.bfloat16) if is_bfloat else torch.from_numpy(value)
        tensor = torch.empty_strided(host.shape, host.stride(), dtype=host.dtype, device="cuda")
        moved[id(value)] = (tensor.copy_(host), value)
    return moved[id(value)][0]


def from_gpu(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.dtype == torch.bfloat16:
        import ml_dtypes

        return value.cpu().view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    if isinstance(value, torch.Tensor):
        return value.cpu().numpy()
    if hasattr(value, "_fields"):
        return type(value)(*(from_gpu(item) for item in value))
    return tuple(from_gpu(item) for item in value) if isinstance(value, tuple) else value


class OnGpu:
    """A function that takes NumPy arrays, runs on the GPU, and leaves what it wrote in them."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def _call(self, function: Any, arguments: dict[str, Any]) -> Any:
        moved: dict[int, Any] = {}
        result = function(**{name: to_gpu(value, moved) for name, value in arguments.items()})
        for tensor, array in moved.values():
            if array.flags.writeable:
                array[...] = from_gpu(tensor)
        return from_gpu(result)

    def __call__(self, **arguments: Any) -> Any:
        return self._call(self.function, arguments)

    @property
    def fwd(self) -> "OnGpu":
        return OnGpu(self.function.fwd)

    @property
    def bwd(self) -> "OnGpu":
        return OnGpu(self.function.bwd)


TOLERANCES = {"f64": 1e-9, "f32": 2e-3, "f16": 2e-2, "bf16": 1e-1}


@pytest.mark.parametrize("precision", list(TOLERANCES))
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.file.stem}-{kernel.name}")
def test_as_on_the_cpu(kernel: Any, precision: str) -> None:
    if precision not in kernel.types:
        pytest.skip("not in this precision")
    cpu = checks.Operation(module(kernel.file, "cpu")[kernel.name], kernel, precision)
    gpu = checks.Operation(OnGpu(module(kernel.file, "cuda")[kernel.name]), kernel, precision)
    made = cpu.make(3)
    direction = cpu.random_like(made, kernel.inputs(), 4)
    cotangent = cpu.random_like(made, kernel.outputs(), 5)
    tolerance = TOLERANCES[precision]
    for ours, theirs in zip(gpu.forward(made, direction), cpu.forward(made, direction), strict=True):
        compare(ours, theirs, tolerance)
    compare(gpu.backward(made, cotangent), cpu.backward(made, cotangent), tolerance)


def compare(ours: Any, theirs: Any, tolerance: float) -> None:
    assert ours.keys() == theirs.keys()
    for name, value in theirs.items():
        if isinstance(value, dict):
            compare(ours[name], value, tolerance)
            continue
        scale = float(np.max(np.abs(value))) if np.size(value) else 0.0
        np.testing.assert_allclose(ours[name], value, rtol=tolerance, atol=tolerance * max(scale, 1e-6), err_msg=name)


# Of kernels whose threads have something to do with each other: the others' are the same code on both targets.
TOGETHER = [kernel for kernel in test_second.ALL if kernel.file.stem.split("_")[0] in ("shared", "lane", "warps")]


@pytest.mark.parametrize("kernel", TOGETHER, ids=lambda kernel: f"{kernel.file.stem}-{kernel.name}")
def test_second_derivatives(kernel: Any) -> None:
    function = OnGpu(test_second.module(kernel.file, "cuda")[kernel.name])
    checks.check_second(checks.Operation(function, kernel, "f64"), 0)
