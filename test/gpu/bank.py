"""The kernels that every part of the GPU suite runs: on the CPU target for the reference, on the GPU, under sanitizers.

A case names a bound function and makes its arguments. Arrays are torch tensors on both devices, so that every dtype
is there. To add a kernel, write it in kernels/ (or name a source elsewhere) and add a line to CASES.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import torch

import kernix

KERNELS = Path(__file__).parent / "kernels"
Make = Callable[[torch.Generator], Any]


@dataclass(frozen=True)
class Case:
    """One call. Values of `arguments` are functions of a random generator, or plain values."""

    source: str
    function: str
    arguments: dict[str, Any]
    label: str = ""
    launch: dict[str, Any] = field(default_factory=dict)
    rtol: float = 0.0
    atol: float = 0.0

    @property
    def name(self) -> str:
        return f"{Path(self.source).stem}.{self.function}" + (f"-{self.label}" if self.label else "")

    def make(self) -> dict[str, Any]:
        """The arguments, on the CPU; the same at every call."""
        generator = torch.Generator().manual_seed(20)
        return {name: value(generator) if callable(value) else value for name, value in self.arguments.items()}

    def run(self, device: str) -> dict[str, torch.Tensor]:
        """Results and all arrays after the call, on the CPU."""
        arguments = {name: _move(value, device) for name, value in self.make().items()}
        returned = getattr(module(self.source), self.function)(**arguments, **self.launch)
        parts = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
        found = {f"result {index}": torch.as_tensor(part).cpu() for index, part in enumerate(parts)}
        return found | {name: value.cpu() for name, value in arguments.items() if isinstance(value, torch.Tensor)}


def _move(value: Any, device: str) -> Any:
    """To a device; a view of a larger tensor stays one."""
    if not isinstance(value, torch.Tensor) or device == "cpu":
        return value
    if value.is_contiguous():
        return value.to(device)
    storage = torch.empty(0, dtype=value.dtype).set_(value.untyped_storage()).to(device)
    return storage.as_strided(value.shape, value.stride(), value.storage_offset())


@cache
def module(source: str) -> Any:
    return kernix.load(KERNELS / source)


# -- makers of arguments ----------------------------------------------------------------------------------------------


def normal(*shape: int, dtype: torch.dtype = torch.float32) -> Make:
    return lambda generator: torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)


def integers(low: int, high: int, *shape: int, dtype: torch.dtype = torch.int32) -> Make:
    return lambda generator: torch.randint(low, high, shape, generator=generator).to(dtype)


def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> Make:
    return lambda generator: torch.zeros(shape, dtype=dtype)


def view(make: Make, change: Callable[[torch.Tensor], torch.Tensor]) -> Make:
    return lambda generator: change(make(generator))


# Not a multiple of a block, a warp or a tile.
N = 5003

_AXPY = [
    Case("maps.cu", "axpy", {"x": make, "y": make, "a": 3}, label=str(dtype).removeprefix("torch."))
    for dtype in (torch.float32, torch.float64, torch.int32, torch.int8, torch.uint16, torch.int64)
    for make in [integers(0, 20, N, dtype=dtype)]
]

# Where a tolerance is given, the mathematical functions or the order of additions differ between the targets.
CASES = [
    Case("maps.cu", "scale_shift", {"x": normal(N), "a": 2.0, "b": 1.0}, atol=1e-6),
    Case("maps.cu", "scale_shift", {"x": normal(7, 0), "a": 2.0, "b": 1.0}, label="empty"),
    Case("maps.cu", "scale_shift", {"x": normal(N), "a": 2.0, "b": 1.0}, label="block", launch={"block": 64}, atol=1e-6),
    Case("maps.cu", "many_functions", {"x": normal(N, dtype=torch.float64)}, rtol=1e-13, atol=1e-13),
    *_AXPY,
    Case("maps.cu", "halves", {"x": normal(N, dtype=torch.float16), "a": 1.5}),
    Case("maps.cu", "bfloats", {"x": normal(N, dtype=torch.bfloat16)}),
    Case("maps.cu", "multiply", {"x": view(normal(N, 2), torch.view_as_complex),
                                 "y": view(normal(N, 2), torch.view_as_complex), "factor": 0.5 - 2j}, rtol=1e-5),
    Case("maps.cu", "lengths", {"x": normal(N, 4)}, rtol=1e-6),
    Case("maps.cu", "polynomial", {"x": normal(N)}, rtol=1e-5, atol=1e-5),
    Case("maps.cu", "inside", {"points": normal(N, 2), "box": {"low": (-1, -0.5), "high": (1, 0.75), "is_closed": 1}}),
    Case("maps.cu", "weighted", {"x": normal(N)}, label="without"),
    Case("maps.cu", "weighted", {"x": normal(N), "weight": normal(N)}, label="with"),
    Case("reductions.cu", "tree_sum", {"x": integers(-100, 100, N)}),
    Case("reductions.cu", "warp_sum", {"x": normal(N)}, rtol=1e-5, atol=1e-3),
    Case("reductions.cu", "votes", {"x": integers(-1, 5, N)}),
    Case("reductions.cu", "tile_max", {"x": normal(N)}),
    Case("reductions.cu", "some_return", {"x": integers(0, 1000, 77)}),
    Case("shared.cu", "transpose", {"x": normal(97, 130)}),
    Case("shared.cu", "smooth", {"x": normal(N)}, rtol=1e-5, atol=1e-6),
    Case("shared.cu", "scan", {"x": integers(-5, 6, N)}),
    Case("shared.cu", "reverse", {"x": integers(0, 1 << 30, 3000)}, label="small"),
    Case("shared.cu", "reverse", {"x": integers(0, 1 << 30, 25000)}, label="opt-in"),
    Case("shared.cu", "matmul", {"a": normal(45, 70), "b": normal(70, 33)}, rtol=1e-5, atol=1e-5),
    Case("atomics.cu", "histogram", {"x": integers(0, 256, N, dtype=torch.uint8)}),
    Case("atomics.cu", "scatter_add", {"x": integers(0, 9, N, dtype=torch.float32), "index": integers(0, 50, N),
                                       "y": zeros(50)}),
    Case("atomics.cu", "extremes", {"x": integers(-1000, 1000, N), "result": zeros(5, dtype=torch.int32),
                                    "largest": zeros(1, dtype=torch.float64)}),
    Case("views.cu", "add_rows", {"x": view(normal(90, 41), torch.Tensor.t), "row": view(normal(180), lambda x: x[::2]),
                                  "y": normal(41, 90)}),
    Case("views.cu", "rotate", {"x": view(integers(0, 1 << 30, 7, 8, 18), lambda x: x[1:, ::2, 2:17:3])}),
    Case("views.cu", "last", {"x": view(normal(9), lambda x: x[::2]), "y": zeros(2)}, label="with"),
    Case("views.cu", "last", {"y": zeros(2)}, label="without"),
    Case("host.cu", "add", {"x": normal(N), "y": normal(N)}),
    Case("host.cu", "sum", {"x": integers(0, 9, N, dtype=torch.float32)}),
    Case("host.cu", "shift", {"x": normal(N, dtype=torch.float16), "y": normal(N, dtype=torch.float16)}),
]  # fmt: skip
