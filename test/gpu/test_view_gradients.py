"""kernix::warp_sum and kernix::is_first_lane, with which views of users add to gradients: the CPU target adds the same."""

from pathlib import Path
from typing import Any

import pytest
import torch

SOURCE = Path(__file__).parent / "kernels" / "view_gradients.cu"
SIZES = [1, 31, 32, 77, 200]
DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
BLOCK = 72  # of which the last warp is not full


def small(n: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Whose sums are exact in every precision."""
    return (torch.arange(n) % 3 == 0).to(dtype)


@pytest.fixture(params=["cpu", "cuda"])
def target(request: pytest.FixtureRequest) -> tuple[Any, str]:
    return request.getfixturevalue("gpu" if request.param == "cuda" else "cpu"), request.param


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_sums(target: tuple[Any, str], n: int, dtype: torch.dtype) -> None:
    module, device = target
    x, i = small(n, dtype), torch.arange(n)
    sums, firsts = module.warp_sums(x.to(device), block=BLOCK, grid=-(-n // BLOCK))
    here = torch.stack([i >= 0, (i % 7 != 6) & (i % 3 == 1), (i % 7 != 6) & (i % 3 != 1)])
    torch.testing.assert_close(sums.cpu().double(), (here * x.double()).sum(1), rtol=0, atol=0)
    firsts = firsts.cpu().bool()
    assert not (firsts & ~here).any()
    if device == "cpu":  # where every thread is a warp of its own
        assert torch.equal(firsts, here)
        return
    # Lanes that are here together have one first lane. Which ones are together is the machine's affair: not all alone.
    assert torch.equal(firsts[0], i % BLOCK % 32 == 0)
    warp = i // BLOCK * 3 + i % BLOCK // 32
    for branch in (1, 2):
        assert set(warp[here[branch]].tolist()) == set(warp[firsts[branch]].tolist())
        assert n < 100 or firsts[branch].sum() < here[branch].sum()


@pytest.mark.parametrize("n", SIZES)
def test_sums_of_vectors(target: tuple[Any, str], n: int) -> None:
    module, device = target
    x = torch.arange(12 * n, dtype=torch.float32) % 11
    found = module.vector_sums(x.to(device), block=BLOCK, grid=-(-6 * n // BLOCK))
    expected = torch.zeros(3, 4)
    for row, size in enumerate((2, 3, 4)):
        vectors = x.view(-1, size)
        expected[row, :size] = vectors[torch.arange(len(vectors)) % 7 != 6].sum(0)
    torch.testing.assert_close(found.cpu(), expected, rtol=0, atol=0)


@pytest.mark.parametrize("n", SIZES)
def test_a_gradient_of_all_lanes(target: tuple[Any, str], n: int) -> None:
    module, device = target
    x, given = torch.arange(n, dtype=torch.float32) % 5, torch.arange(n, dtype=torch.float32) % 4
    w = torch.full((1,), 3.0)
    found = module.weighted.bwd(w.to(device), x.to(device), (None, given.to(device)), block=BLOCK, grid=-(-n // BLOCK)).w
    expected = (given * torch.where(torch.arange(n) % 3 == 1, x, 4 * w)).sum()
    torch.testing.assert_close(found.cpu(), expected.reshape(1), rtol=0, atol=0)
