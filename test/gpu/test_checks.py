"""Builds with checks: what is wrong ends the launch with the message that the CPU target gives, what is right passes."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from processes import failure

SOURCE = Path(__file__).parents[1] / "python" / "sources" / "wrong_loads.cu"
OPTIONS = {"checks": ["accumulation", "bounds"]}


def spaced(first: float, last: float, count: int) -> torch.Tensor:
    return torch.linspace(first, last, count, dtype=torch.float64, device="cuda")


def ones(*shape: int) -> torch.Tensor:
    return torch.ones(shape, dtype=torch.float64, device="cuda")


# -- what is right -----------------------------------------------------------------------------------------------------


def test_loads_that_say_the_truth(gpu: Any) -> None:
    x = spaced(-1, 1, 3000)
    for _ in range(3):  # each launch is looked at by itself
        found = gpu.right.bwd(x, x, (None, ones(3000)), block=64, grid=50)
    torch.testing.assert_close(found.own, 2 * x)
    torch.testing.assert_close(found.once, ones(3000))


def test_words_that_say_the_truth(gpu: Any) -> None:
    x = spaced(-1, 1, 3000)
    for _ in range(3):
        found = gpu.kept.bwd(x, x, (None, ones(3000)), block=64, grid=50)
    torch.testing.assert_close(found.own, 2 * x * x)
    torch.testing.assert_close(found.once, x * x)


def test_one_thread_may_add_in_several_ways(gpu: Any) -> None:
    x = spaced(-1, 1, 64)
    found = gpu.mixed.bwd(x, (None, ones(32)), block=32, grid=1).x
    torch.testing.assert_close(found[:32], 2 * x[:32])
    torch.testing.assert_close(found[32:], x[32:].roll(1) + x[32:].roll(-1))


def test_stores_of_one_thread(gpu: Any) -> None:
    x = torch.arange(64, dtype=torch.float64, device="cuda")
    for _ in range(2):
        found = gpu.own_stores.bwd((x, ones(64)), (None, ones(64)), block=32, grid=2).x
        torch.testing.assert_close(found, 2 * x + 1 + x % 2)


@pytest.mark.parametrize("name", ["scattered", "columns"])
@pytest.mark.parametrize("is_one_number", [False, True])
def test_elements_of_views(gpu: Any, name: str, is_one_number: bool) -> None:
    """A cotangent that is one number in memory is stored to by nobody."""
    places = torch.arange(8, dtype=torch.int32, device="cuda")
    given = ones(1).expand(8, 3) if is_one_number else ones(8, 3)
    torch.testing.assert_close(gpu[name].bwd(ones(8), places, (None, given), block=8, grid=1).x, ones(8))


def test_bounds_that_hold(gpu: Any) -> None:
    x, y = spaced(0, 1, 12).view(4, 3), torch.zeros(4, 3, dtype=torch.float64, device="cuda")
    gpu.shared_row(x.t().contiguous().t(), y, block=(4, 3), grid=1)
    torch.testing.assert_close(y, x[:, :1].expand(4, 3))


# -- what is wrong -----------------------------------------------------------------------------------------------------

OTHER = r"thread \d+ of block \d+ reads it, and so does thread \d+ of block \d+"
AGAIN = r"thread \d+ of block \d+ reads it again"
FLOATS = "x, half = ones(96).float(), ones(48).float()\n"
PLACES = "places = torch.tensor([0, 1, 2, 3, 4, 2, 6, 7], dtype=torch.int32, device='cuda')\n"
WRONG = {
    "loadUniform": (
        "x = ones(4, 3)\nm.shared_row.bwd(x, (None, x), block=(4, 3), grid=1)",
        rf"loadUniform of 'x', element \(\d, 0\): {OTHER}",
    ),
    "loadUniformOnce": (
        "x = ones(70)\nm.twice.bwd(x, (None, x), block=32, grid=3)",
        rf"loadUniformOnce of 'long_name_of_a_tensor', element \(\d+\): {AGAIN}",
    ),
    "loadUniformOnce and load": (
        "x = ones(32)\nm.assigned.bwd(x, (None, x), block=32, grid=1)",
        rf"load[A-Za-z]* of 'x', element \(\d+\): {OTHER}",
    ),
    "loadUniform and loadFixed": (
        "x = ones(32)\nm.plainly.bwd(x, (None, x), block=32, grid=1)",
        rf"load[A-Za-z]* of 'x', element \(\d+\): {OTHER}",
    ),
    "load and loadUniformOnce": (
        "x = ones(32)\nm.assigned_by_one.bwd(x, (None, x), block=32, grid=1)",
        rf"of 'x', element \(\d+\): {AGAIN}",
    ),
    "unique": (
        FLOATS + "m.pairs.bwd(half, x, (None, x), block=32, grid=3)",
        rf"diff\(unique\) of 'weights', element \(\d+\): {OTHER}",
    ),
    "unique of views": (
        "x = ones(3, 4)\nm.rows.bwd(x, (None, x), block=(3, 4), grid=1)",
        rf"diff\(unique\) of 'table', element \(\d, 1\): {OTHER}",
    ),
    "once": (
        "index = torch.arange(20, dtype=torch.int32, device='cuda')\nindex[7] = 6\n"
        "m.vectors.bwd(ones(20, 4).float(), index, (None, ones(10).float()), block=10, grid=1)",
        r"diff\(once\) of 'v', element \(6\): thread 3 of block 0 reads it again",
    ),
    "stores": (
        "m.neighbours.bwd(ones(96), (None, ones(97)), block=32, grid=3)",
        r"store of 'y', element \(\d+\): thread \d+ of block \d stores it, and so does thread \d+ of block \d",
    ),
    "stores of views": (
        PLACES + "m.scattered.bwd(ones(8), places, (None, ones(8, 3)), block=8, grid=1)",
        r"store of 'y', element \(2, 1\): thread [25] of block 0 stores it",
    ),
    "bounds": (
        "m.shared_row(ones(2, 3), ones(4, 3), block=(4, 3), grid=1)",
        "index [23] is out of bounds for axis 0 of size 2",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong(gpu: Any, name: str) -> None:
    del gpu  # built before
    code, message = WRONG[name]
    said = failure(SOURCE, OPTIONS, code)
    assert re.search(message, said), said
