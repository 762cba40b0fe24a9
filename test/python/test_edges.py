"""Derivatives of real functions where a formula that is right elsewhere is not: sources/edges.cu."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernix

torch = pytest.importorskip("torch")
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, when forward_ad is imported
SOURCE = Path(__file__).parent / "sources" / "edges.cu"


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load(SOURCE, target="cpu")


def doubles(*values: float) -> Any:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_interpolation_between_equal_numbers(m: Any) -> None:
    a, b, t = doubles(2, 2, -1, 0, 3), doubles(2, 3, -1, 0, -2), doubles(0.25, 1, 0, 1.5, 1)
    value = m.interpolated(a, b, t)
    torch.testing.assert_close(value, torch.lerp(a, b, t))
    got, want = (torch.autograd.grad(f(a, b, t).sum(), (a, b, t)) for f in (m.interpolated, torch.lerp))
    torch.testing.assert_close(got, want)
    assert gradcheck(m.interpolated, (a, b, t), check_forward_ad=True)
    assert gradgradcheck(m.interpolated, (a, b, t))
    narrow = [each.detach().float().requires_grad_() for each in (a, b, t)]
    got = torch.autograd.grad(m.interpolated(*narrow).sum(), narrow)
    torch.testing.assert_close([*got], [each.float() for each in want])


# Powers of 2, so that numbers of one scale have the same derivatives but for it.
@pytest.mark.parametrize(("name", "power"), [("angle", -1), ("size", 0), ("length", 0)])
@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-600, 2.0**600, 2.0**1000])
def test_squares_that_over_and_underflow(m: Any, name: str, power: int, scale: float) -> None:
    x, y = np.random.default_rng(1).uniform(-2, 2, (2, 20))
    ones = np.ones(20)
    f = getattr(m, name)
    want, got = f.bwd(x=x, y=y, z=(None, ones)), f.bwd(x=x * scale, y=y * scale, z=(None, ones))
    for one, other in ((want.x, got.x), (want.y, got.y)):
        np.testing.assert_allclose(other / scale**power, one, rtol=1e-13)
    want, got = (f.fwd(x=(a, ones), y=(b, ones)).z[1] for a, b in ((x, y), (x * scale, y * scale)))
    np.testing.assert_allclose(got / scale**power, want, rtol=1e-12)


def test_both_modes_agree_at_a_kink(m: Any) -> None:
    """As sqrt(abs(x)) of PyTorch: 0 times infinity, on either way."""
    x = np.array([0.0, -0.0, 4.0, -4.0])
    want = np.array([np.nan, np.nan, 0.5, -0.5])
    np.testing.assert_allclose(m.root_of_size.bwd(x=x, y=(None, np.ones(4))).x, want)
    np.testing.assert_allclose(m.root_of_size.fwd(x=(x, np.ones(4))).y[1], want)
