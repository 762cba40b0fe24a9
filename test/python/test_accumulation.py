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


@pytest.mark.parametrize("name", ["product", "assigned_product"])
@pytest.mark.parametrize("shift", [0, 1, 7])
def test_gradients_that_overlap(target, name, shift):
    n = 20000
    shared = target.array(np.zeros(n + shift))
    a, b = (target.array(np.full(n, value)) for value in (2, 3))
    target.kernels[name].bwd(a=(a, shared[:n]), b=(b, shared[shift:]), y=(None, target.array(np.ones(n))))
    expected = np.zeros(n + shift)
    expected[:n] += 3
    expected[shift:] += 2
    np.testing.assert_array_equal(target.numpy(shared), expected)


def test_a_gradient_that_is_assigned(target):
    a, b = (target.array(np.full(100, value)) for value in (2, 3))
    assigned, added = (target.array(np.full(100, 7)) for _ in range(2))
    target.kernels.assigned_product.bwd(a=(a, assigned), b=(b, added), y=(None, target.array(np.ones(100))))
    np.testing.assert_array_equal(target.numpy(assigned), 3)
    np.testing.assert_array_equal(target.numpy(added), 9)


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


@pytest.fixture(scope="module")
def fixed_order():
    return kernix.load(SOURCE.parent / "fixed_order.cu", target="cpu", deterministic=True)


def test_deterministic_gradients_are_the_same_in_every_run(fixed_order):
    generator = np.random.default_rng(3)
    a, b, gy = (generator.standard_normal(100_000).astype(np.float32) for _ in range(3))
    runs = {fixed_order.product.bwd(a=a, b=b, y=(None, gy)).a.tobytes() for _ in range(100)}
    assert len(runs) == 1


def test_deterministic_launch_without_proof(fixed_order):
    x, ones = np.ones(256, np.float32), np.ones(256, np.float32)
    found = fixed_order.by_64.bwd(x=x, y=(None, ones), n=256, block=64, grid=4)
    np.testing.assert_array_equal(found.x, 2 * x)
    message = "this build is deterministic, and in this launch several threads may add to one element of the gradient of 'x'"
    with pytest.raises(kernix.KernelError, match=message):
        fixed_order.by_64.bwd(x=x, y=(None, ones), n=256, block=128, grid=4)


@pytest.mark.parametrize("width", [100, 127, 128, 255])
def test_deterministic_rows_of_bytes(fixed_order, width):
    x = np.arange(4 * width, dtype=np.float32)
    found = fixed_order.byte_rows.bwd(x=x, y=(None, np.ones(4, np.float32)), width=width, block=4, grid=1)
    np.testing.assert_array_equal(found.x, 2 * x)


def test_deterministic_counts_of_more_than_32_bits(fixed_order):
    """a * b - c * d is 5, or 5 - 2^32: rows of five elements."""
    x, ones = np.arange(20, dtype=np.float32), np.ones(4, np.float32)

    def backward(a, b, c, d, width):
        return fixed_order.wrapped_rows.bwd(x=x, y=(None, ones), a=a, b=b, c=c, d=d, width=width, block=4, grid=1).x

    np.testing.assert_array_equal(backward(2, 3, 1, 1, width=5), 2 * x)
    for a, b, c, d in ((2, 3, 1, 1), (2, 2, 65535, 65537)):
        with pytest.raises(kernix.KernelError, match="several threads may add to one element of the gradient of 'x'"):
            backward(a, b, c, d, width=2)


def test_deterministic_gradients_that_overlap(fixed_order):
    a, b, shared = (np.ones(64, np.float32) for _ in range(3))
    with pytest.raises(kernix.KernelError, match="this build is deterministic"):
        fixed_order.product.bwd(a=(a, shared), b=(b, shared), y=(None, np.ones(64, np.float32)))


def test_deterministic_device_functions(fixed_order):
    x, gx = np.array([2, 3], np.float32), np.zeros(2, np.float32)
    fixed_order.own(x, gx, block=1, grid=1)
    np.testing.assert_array_equal(gx, [3, 2])
    with pytest.raises(kernix.KernelError, match="several threads may add to this gradient of 'p'"):
        fixed_order.shared_by_all(x, gx, block=1, grid=1)


def test_an_assigned_gradient_that_is_zero(target):
    """What a thread has read is assigned, whatever it is; what it has not read stays."""
    x, w = np.array([1, 2, 3, 4]), np.array([1, -1, 0, 2])
    gx = target.array(np.full(4, 7))
    target.kernels.assigned_on_two_ways.bwd((target.array(x), gx), target.array(w), (None, target.array([1, 0, 1, 0])))
    np.testing.assert_array_equal(target.numpy(gx), [2, 0, 7, 0])


def test_products_of_64_bits(target):
    """The threads are 2^58 elements apart, for which the address has no bits: all read the first one."""
    found = target.kernels.far_apart.bwd(
        x=target.array([3]), sum=(target.array([0]), target.array([1])), a=2**29, b=2**29, block=64, grid=1
    )
    np.testing.assert_array_equal(target.numpy(found.x), [64 * 6])


@pytest.mark.parametrize("name", ["windows", "countdown"])
@pytest.mark.parametrize("hop", [0, 1])
def test_lengths_of_zero(target, name, hop):
    """Without a limit, the rows of all threads end at one place."""
    x = np.append(np.ones(15), -1)
    found = target.numpy(
        target.kernels[name].bwd(
            x=target.array(x), sum=(target.array([0]), target.array([1])), hop=hop, length=0, block=8, grid=512 - 511 * hop
        ).x
    )
    rows = np.minimum(np.arange(15) + 1, 8) if hop else np.full(15, 8 * 512)
    np.testing.assert_array_equal(found, np.append(2 * rows, 0))


def test_steps_of_more_than_32_bits(target):
    """a * b is 2^32 + 16: with more blocks than 16, their rows meet."""
    rows, block = 64, 4
    x = np.ones(rows * block)
    found = target.kernels.strided_rows.bwd(
        x=target.array(x), sum=(target.array([0]), target.array([1])), n=rows, a=16, b=2**28 + 1, block=block, grid=rows
    )
    expected = 2 * np.repeat(np.arange(rows) // 16 + 1, block)
    np.testing.assert_array_equal(target.numpy(found.x), expected)


def test_rows_that_grow_without_a_limit(target):
    """Of ones: in 4 rounds a row gives 1 + 2 + 3 + 4, so that neighbours meet where it is one element wide."""
    threads = 256
    x = np.ones(threads + 3)
    found = target.kernels.growing_rows.bwd(
        x=target.array(x), sum=(target.array([0]), target.array([1])), rounds=0, width=1, block=1, grid=threads
    )
    expected = np.zeros_like(x)
    for row in range(threads):
        for count in range(1, 5):
            expected[row : row + count] += 2
    np.testing.assert_array_equal(target.numpy(found.x), expected)


@pytest.mark.parametrize("name", ["wrapped_pairs", "unique_wrapped_pairs"])
@pytest.mark.parametrize(("p", "q"), [(65530, 10), (65535, 1), (40000, 25536 + 3)])
def test_two_reads_of_one_element(target, x, name, p, q):
    at = 4 * np.arange(8) + p + q - 65536
    expected = np.zeros_like(x)
    expected[at] = 8 * x[at]
    np.testing.assert_array_equal(gradient(target, name, x, p=p, q=q, block=8, grid=1), expected)


@pytest.mark.parametrize("q", [10, 3])
def test_parts_of_vectors(target, q):
    p, i = 65530, np.arange(8)
    first, second = 2 * (i + (p + q) % 65536), 2 * (i + p + q) + 1
    x = np.arange(2 * (8 + p + q), dtype=np.float32) % 100
    expected = np.zeros_like(x)
    expected[first], expected[second] = x[second], x[first]
    np.testing.assert_array_equal(gradient(target, "wrapped_vectors", x, p=p, q=q, block=8, grid=1), expected)


@pytest.mark.parametrize("name", ["wrapped_rows", "shorter_wrapped_rows"])
@pytest.mark.parametrize("count", [(2, 3, 1, 1), (2, 2, 65535, 65537)])
def test_counts_of_more_than_32_bits(target, name, count):
    """a * b - c * d is 5, or 5 - 2^32: rows of five elements, two elements apart."""
    rows = 512
    x = np.ones(2 * rows + 3)
    most = {"most": 1000} if name == "shorter_wrapped_rows" else {}
    found = getattr(target.kernels, name).bwd(
        x=target.array(x),
        sum=(target.array([0]), target.array([1])),
        **dict(zip("abcd", count, strict=True)),
        **most,
        width=2,
        block=1,
        grid=rows,
    )
    expected = np.zeros_like(x)
    for row in range(rows):
        expected[2 * row : 2 * row + 5] += 2
    np.testing.assert_array_equal(target.numpy(found.x), expected)


@pytest.mark.parametrize("axis", [1, 0, -1, 9, 100, -(2**31), 2**31 - 1])
def test_sizes_that_are_not_there(target, x, axis):
    """What a guard keeps threads from reading is not read to look at the launch either."""
    like = target.array(np.ones((8, 1)))
    at = np.arange(8) * (8, 1)[axis] if 0 <= axis < 2 else np.arange(0)
    expected = np.zeros_like(x)
    expected[at] = 2 * x[at]
    found = target.kernels.along_axis.bwd(
        x=target.array(x), y=(None, target.array(np.ones(8))), like=like, axis=axis, n=8, block=8, grid=1
    )
    np.testing.assert_array_equal(target.numpy(found.x), expected)
