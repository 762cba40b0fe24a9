"""Gradients are those of the CPU target however they are added: alignment, overlap, what is wanted, which lanes are there."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import kernix

SOURCE = Path(__file__).parent / "kernels" / "additions.cu"
DTYPES = [torch.float32, torch.float64]


def uniform(seed: int, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).uniform(-1, 1, shape)).to(dtype)


def moved(tensor: torch.Tensor, by: int) -> torch.Tensor:
    """A copy on the GPU that begins `by` elements behind what is aligned."""
    room = torch.zeros(tensor.numel() + by, dtype=tensor.dtype, device="cuda")
    result = room[by:].view(tensor.shape)
    return result.copy_(tensor)


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    tolerance = 1e-4 if expected.dtype == torch.float32 else 1e-11
    torch.testing.assert_close(found.cpu(), expected, rtol=tolerance, atol=tolerance)


def both(cpu: Any, gpu: Any, name: str, inputs: list[torch.Tensor], output: torch.Tensor, **launch: Any) -> None:
    """Compares the gradients of all inputs that have one."""
    gradients = [torch.zeros_like(x) if x.is_floating_point() else None for x in inputs]
    on_gpu = [g if g is None else g.cuda() for g in gradients]

    def pairs(values: list[torch.Tensor], shadows: list[Any]) -> list[Any]:
        return [x if g is None else (x, g) for x, g in zip(values, shadows, strict=True)]

    cpu[name].bwd(*pairs(inputs, gradients), (None, output), **launch)
    gpu[name].bwd(*pairs([x.cuda() for x in inputs], on_gpu), (None, output.cuda()), **launch)
    for found, expected in zip(on_gpu, gradients, strict=True):
        if expected is not None:
            assert expected.abs().max() > 0
            close(found, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("offsets", [(0, 0, 0, 0, 0), (1, 0, 0, 0, 0), (0, 3, 0, 0, 0), (0, 0, 0, 2, 0), (1, 1, 1, 1, 1)])
def test_alignment(cpu: Any, gpu: Any, dtype: torch.dtype, offsets: tuple[int, ...]) -> None:
    x, w, g = uniform(1, 1000, 4, dtype=dtype), uniform(2, 1000, 4, dtype=dtype), uniform(3, 1000, dtype=dtype)
    gx, gw = torch.ones_like(x), torch.ones_like(w)
    on_gpu = [moved(tensor, by) for tensor, by in zip((x, w, g, gx, gw), offsets, strict=True)]
    cpu.fours.bwd((x, gx), (w, gw), (None, g))
    gpu.fours.bwd((on_gpu[0], on_gpu[3]), (on_gpu[1], on_gpu[4]), (None, on_gpu[2]))
    close(on_gpu[3], gx)
    close(on_gpu[4], gw)


@pytest.mark.parametrize("wanted", ["x", "w"])
def test_one_gradient(cpu: Any, gpu: Any, wanted: str) -> None:
    x, w, g = uniform(1, 300, 4), uniform(2, 300, 4), uniform(3, 300)
    expected = torch.zeros_like(x)
    found = torch.zeros_like(x).cuda()

    def pair(tensor: torch.Tensor, name: str, gradient: torch.Tensor) -> tuple[torch.Tensor, Any]:
        return tensor, gradient if name == wanted else None

    cpu.fours.bwd(pair(x, "x", expected), pair(w, "w", expected), (None, g))
    gpu.fours.bwd(pair(x.cuda(), "x", found), pair(w.cuda(), "w", found), (None, g.cuda()))
    close(found, expected)


@pytest.mark.parametrize("by", [0, 4, 16])
def test_gradients_that_overlap(cpu: Any, gpu: Any, by: int) -> None:
    """One buffer for both, or parts of it: each input adds its part."""
    x, w, g = uniform(1, 500, 4), uniform(2, 500, 4), uniform(3, 500)
    expected = torch.zeros(2000 + by)
    found = expected.cuda()

    def parts(buffer: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return buffer[:2000].view(500, 4), buffer[by : 2000 + by].view(500, 4)

    cpu.fours.bwd((x, parts(expected)[0]), (w, parts(expected)[1]), (None, g))
    gpu.fours.bwd((x.cuda(), parts(found)[0]), (w.cuda(), parts(found)[1]), (None, g.cuda()))
    close(found, expected)


def test_one_tensor_for_both(cpu: Any, gpu: Any) -> None:
    x, g = uniform(1, 500, 4), uniform(3, 500)
    expected, found = torch.zeros_like(x), torch.zeros_like(x).cuda()
    y = x.cuda()
    cpu.fours.bwd((x, expected), (x, expected), (None, g))
    gpu.fours.bwd((y, found), (y, found), (None, g.cuda()))
    close(found, expected)


@pytest.mark.parametrize("launch", [{"grid": (20, 2), "block": 64}, {"grid": 10, "block": (32, 4)}])
def test_more_threads_along_y(cpu: Any, gpu: Any, launch: dict[str, Any]) -> None:
    """They would do everything several times: refused alike by both targets."""
    x, w, g = uniform(1, 600, 4), uniform(2, 600, 4), uniform(3, 600)
    refused = []
    for m, device in ((cpu, "cpu"), (gpu, "cuda")):
        pairs = [(tensor.to(device), torch.zeros_like(tensor, device=device)) for tensor in (x, w)]
        with pytest.raises(kernix.KernelError, match="several threads would store the same element") as raised:
            m.fours.bwd(*pairs, (None, g.to(device)), **launch)
        refused.append(str(raised.value))
    assert refused[0] == refused[1]


def test_in_place(cpu: Any, gpu: Any) -> None:
    x, y, g = uniform(1, 700), uniform(2, 700), uniform(3, 700)
    gx, on_gpu, given = torch.zeros_like(x), torch.zeros_like(x).cuda(), g.cuda()
    cpu.scaled_in_place.bwd((x, gx), (y, g))
    gpu.scaled_in_place.bwd((x.cuda(), on_gpu), (y.cuda(), given))
    close(on_gpu, gx)
    close(given, g)


@pytest.mark.parametrize("dtype", DTYPES)
def test_lanes_that_are_elsewhere(cpu: Any, gpu: Any, dtype: torch.dtype) -> None:
    turns = torch.from_numpy(np.random.default_rng(4).integers(0, 40, 3001).astype(np.int32))
    inputs = [uniform(1, 3001, dtype=dtype), uniform(2, 7, dtype=dtype), turns]
    both(cpu, gpu, "scattered_lanes", inputs, uniform(3, 3001, dtype=dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_addresses_of_a_warp(cpu: Any, gpu: Any, dtype: torch.dtype) -> None:
    inputs = [uniform(1, 85, 8, dtype=dtype), uniform(2, 16, dtype=dtype)]
    both(cpu, gpu, "rows_of_block", inputs, uniform(3, 85, 8, dtype=dtype), grid=6)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [128, 128 * 5, 300, 7])
def test_shared_parts(cpu: Any, gpu: Any, dtype: torch.dtype, n: int) -> None:
    both(cpu, gpu, "shared_parts", [uniform(1, n, dtype=dtype)], uniform(3, n, dtype=dtype))


def with_scalar(cpu: Any, gpu: Any, name: str, x: torch.Tensor, w: torch.Tensor, output: torch.Tensor) -> None:
    """`both` of x, w and a scalar."""
    found = []
    for m, device in ((cpu, "cpu"), (gpu, "cuda")):
        gradients = [torch.zeros_like(tensor, device=device) for tensor in (x, w, w[:1])]
        pairs = [(tensor.to(device), gradient) for tensor, gradient in zip((x, w), gradients, strict=False)]
        m[name].bwd(*pairs, (None, output.to(device)), (0.7, gradients[2]))
        found.append(gradients)
    for expected, got in zip(*found, strict=True):
        close(got, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 64, 300_000, 1_000_003])
def test_many_blocks(cpu: Any, gpu: Any, dtype: torch.dtype, n: int) -> None:
    with_scalar(cpu, gpu, "many_blocks", uniform(1, n, dtype=dtype), uniform(2, 2, dtype=dtype), uniform(3, n, dtype=dtype))


@pytest.mark.parametrize("launch", [((32, 8), (47, 13, 5)), ((1, 16), (1500, 7, 5)), ((1024, 1), (2, 100, 5))])
def test_many_planes(cpu: Any, gpu: Any, launch: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    block, grid = launch
    inputs = [uniform(1, 5, 100, 1500, dtype=torch.float64), uniform(2, 2, dtype=torch.float64)]
    both(cpu, gpu, "many_planes", inputs, uniform(3, 5, 100, 1500, dtype=torch.float64), block=block, grid=grid)


@pytest.mark.parametrize("dtype", DTYPES)
def test_weights_of_blocks(cpu: Any, gpu: Any, dtype: torch.dtype) -> None:
    inputs = [uniform(1, 7, 1000, dtype=dtype), uniform(2, 7, 3, dtype=dtype)]
    both(cpu, gpu, "weights_of_row", inputs, uniform(3, 7, 1000, dtype=dtype), grid=(3, 7))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 20, 33, 100, 128])
def test_threads_that_have_returned(cpu: Any, gpu: Any, dtype: torch.dtype, n: int) -> None:
    x, w, g = uniform(1, n, dtype=dtype), uniform(2, 1, dtype=dtype), uniform(3, n, dtype=dtype)
    with_scalar(cpu, gpu, "some_return", x, w, g)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("block", [(16, 16), (16, 1), (7, 9), (18, 15), (32, 4), (36, 2)])
def test_neighbours_in_shared_memory(cpu: Any, gpu: Any, dtype: torch.dtype, block: tuple[int, int]) -> None:
    x, g = uniform(1, 40, 18, 18, dtype=dtype), uniform(3, 40, block[0] * block[1], dtype=dtype)
    for n in (7, 3):
        found = []
        for m, device in ((cpu, "cpu"), (gpu, "cuda")):
            gradient = torch.zeros_like(x, device=device)
            m.neighbours.bwd((x.to(device), gradient), (None, g.to(device)), n, block=block, grid=40)
            found.append(gradient)
        close(found[1], found[0])


@pytest.mark.parametrize("dtype", DTYPES)
def test_window_in_shared_memory(cpu: Any, gpu: Any, dtype: torch.dtype) -> None:
    inputs = [uniform(1, 100, 333, dtype=dtype), uniform(2, 9, dtype=dtype)]
    both(cpu, gpu, "window", inputs, uniform(3, 100, 333, dtype=dtype), grid=(11, 4))
