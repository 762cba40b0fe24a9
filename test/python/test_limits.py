"""What a backward kernel has room for: checkpoints of loops, stores to shared memory that it takes back."""

from pathlib import Path

import numpy as np
import pytest

import kernix


@pytest.fixture(scope="module")
def limits():
    return kernix.load(Path(__file__).parent / "sources" / "limits.cu", target="cpu")


def gradient(f, x, **others):
    return f.bwd(x, y=(None, np.ones_like(x)), block=len(x), grid=1, **others).x


def test_iterations_that_checkpoints_cover(limits):
    x, most = np.array([1.5]), 1 << 24
    y = [limits.decay(x + d, n=most, block=1, grid=1)[0] for d in (-1e-4, 1e-4)]
    np.testing.assert_allclose(gradient(limits.decay, x, n=most), (y[1] - y[0]) / 2e-4, rtol=1e-6)
    message = r"decay: .*a loop ran more than 16777216 times, which its checkpoints do not cover"
    with pytest.raises(kernix.KernelError, match=message):
        gradient(limits.decay, x, n=most + 1)


def test_stores_that_are_undone(limits):
    x = np.ones(4)
    np.testing.assert_array_equal(gradient(limits.products, x, n=100, every=1), np.full(4, 2.0**100))
    with pytest.raises(kernix.KernelError, match="more stores to shared memory have to be undone than there is room for"):
        gradient(limits.products, x, n=600, every=1)


def test_iterations_that_are_undone(limits):
    x = np.ones(4)
    np.testing.assert_array_equal(gradient(limits.products, x, n=100, every=50), np.full(4, 4.0))
    message = r"a loop whose changes to shared memory have to be undone ran more often than there is room for"
    with pytest.raises(kernix.KernelError, match=message):
        gradient(limits.products, x, n=20000, every=50)
