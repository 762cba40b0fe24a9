"""How gradients are added to memory: launches that proofs do not hold for, and gradients that overlap.

Several blocks add to one element at the same time wherever addition without atomics would lose some of it.
"""

from pathlib import Path

import numpy as np
import pytest

import kernix

SOURCE = Path(__file__).parent / "sources" / "accumulation.cu"


class Target:
    """Arrays of one target, from and to NumPy's."""

    def __init__(self, name):
        self.kernels = kernix.load(SOURCE, target=name)
        self.is_cuda = name == "cuda"

    def array(self, values):
        values = np.asarray(values, np.float32)
        if not self.is_cuda:
            return values.copy()
        import torch

        return torch.from_numpy(values).cuda()

    def numpy(self, array):
        return array.cpu().numpy() if self.is_cuda else array


def has_gpu():
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()


@pytest.fixture(scope="module", params=["cpu", "cuda"])
def target(request):
    if request.param == "cuda" and not has_gpu():
        pytest.skip("no GPU")
    return Target(request.param)


def gradient(target, name, x, **arguments):
    ones = target.array([1])
    kernel = getattr(target.kernels, name)
    return target.numpy(kernel.bwd(x=target.array(x), sum=(target.array([0]), ones), n=x.size, **arguments).x)


@pytest.fixture
def x():
    return np.arange(1, 65, dtype=np.float32)


def test_the_launch_that_was_proven(target, x):
    np.testing.assert_array_equal(gradient(target, "squares", x, block=32, grid=2), 2 * x)


@pytest.mark.parametrize("launch", [{"block": (32, 1), "grid": (2, 4096)}, {"block": (32, 2), "grid": (2, 1, 2048)}])
def test_another_dimension(target, x, launch):
    np.testing.assert_array_equal(gradient(target, "squares", x, **launch), 4096 * 2 * x)


def test_larger_blocks(target):
    # Threads 64 and up of block 0 and the first of block 1 have one index.
    x = np.ones(4096, np.float32)
    expected = np.zeros_like(x)
    for block in range(64):
        expected[block * 64 : block * 64 + 256] += 2
    np.testing.assert_array_equal(gradient(target, "by_64", x, block=256, grid=64), expected)
    np.testing.assert_array_equal(gradient(target, "by_64", x, block=64, grid=64), 2 * x)


@pytest.mark.parametrize(("width", "rows"), [(32, 4), (0, 4096), (1, 64)])
def test_rows_that_overlap(target, width, rows):
    x = np.ones(128, np.float32)
    expected = np.zeros_like(x)
    for row in range(rows):
        expected[row * width : row * width + 32] += 2
    found = gradient(target, "unguarded", x, width=width, block=(32, 1), grid=(1, rows))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shift", [0, 1, 7])
def test_gradients_that_overlap(target, shift):
    n = 20000
    shared = target.array(np.zeros(n + shift))
    a, b = (target.array(np.full(n, value)) for value in (2, 3))
    target.kernels.product.bwd(a=(a, shared[:n]), b=(b, shared[shift:]), y=(None, target.array(np.ones(n))))
    expected = np.zeros(n + shift)
    expected[:n] += 3
    expected[shift:] += 2
    np.testing.assert_array_equal(target.numpy(shared), expected)


def test_a_gradient_that_is_not_wanted(target):
    a, b = (target.array(np.full(100, value)) for value in (2, 3))
    found = target.kernels.product.bwd(a=(a, None), b=b, y=(None, target.array(np.ones(100))))
    np.testing.assert_array_equal(target.numpy(found.b), np.full(100, 2))


@pytest.mark.parametrize("block", [256, 96, 7])
def test_elements_that_all_threads_read(target, block):
    generator = np.random.default_rng(1)
    x, w, gy = (generator.integers(-3, 4, shape) for shape in ((1000, 5), 5, 1000))
    launch = {"block": block, "grid": -(-1000 // block)}
    found = target.kernels.weights.bwd(
        x=target.array(x), w=target.array(w), scale=2.0, y=(None, target.array(gy)), **launch
    )
    np.testing.assert_array_equal(target.numpy(found.x), 2 * gy[:, None] * w)
    np.testing.assert_array_equal(target.numpy(found.w), 2 * gy @ x + gy.sum() * (np.arange(5) == 0))
    np.testing.assert_array_equal(target.numpy(found.scale), [gy @ (x @ w)])


def test_vectors(target):
    generator = np.random.default_rng(2)
    at = generator.integers(0, 5, 3000)
    x, gy = generator.integers(-3, 4, (5, 4)), generator.integers(-3, 4, 3000)
    indices = target.array(at)
    indices = indices.int() if target.is_cuda else indices.astype(np.int32)
    found = target.kernels.gathered_vectors.bwd(x=target.array(x), at=indices, y=(None, target.array(gy)))
    expected = np.zeros((5, 4))
    np.add.at(expected, at, gy[:, None] * [1, 2, 3, 4])
    np.testing.assert_array_equal(target.numpy(found.x), expected)
