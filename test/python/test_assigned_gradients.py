"""Gradients that are assigned, by diff(once) and loadUniformOnce: all that a thread reads has one, also where nothing
comes of the number.
"""

from pathlib import Path

import numpy as np
import pytest

import kernix

SOURCE = Path(__file__).parent / "sources" / "assigned.cu"
C = np.array([1, -1, 1, -1, 0, 1], np.float32)
UNREAD = 7


def has_gpu():
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()


@pytest.fixture(scope="module", params=["cpu", "cpu -O0", "cuda"])
def gradient(request):
    """A kernel's gradient of x, in memory that held something else. The cotangent is 1, 2, ..."""
    target, _, level = request.param.partition(" ")
    if target == "cuda" and not has_gpu():
        pytest.skip("no GPU")
    kernels = kernix.load(SOURCE, target=target, extra_cflags=[level] if level else [])

    def array(values):
        if target == "cpu":
            return values
        import torch

        return torch.from_numpy(values).cuda()

    def found(name, x, c=C):
        gx = array(np.full_like(x, UNREAD))
        gy = array(np.arange(1, c.size + 1, dtype=np.float32))
        kernels[name].bwd((array(x), gx), array(c), y=(None, gy), block=32, grid=1)
        return gx if target == "cpu" else gx.cpu().numpy()

    return found


@pytest.mark.parametrize("name", ["used_in_branch", "used_behind_return", "elements_of_a_view", "load_once"])
def test_numbers_that_are_used_behind_a_branch(gradient, name):
    x = np.arange(1, 7, dtype=np.float32)
    np.testing.assert_array_equal(gradient(name, x), np.where(C > 0, 2 * x * x, 0))


@pytest.mark.parametrize("name", ["compared", "unused", "constant", "load_once_unused"])
def test_numbers_that_nothing_depends_on(gradient, name):
    np.testing.assert_array_equal(gradient(name, np.arange(1, 7, dtype=np.float32)), np.zeros(6))


def test_parts_of_vectors(gradient):
    x = np.arange(1, 25, dtype=np.float32).reshape(6, 4)
    gy = np.arange(1, 7)
    expected = np.zeros((6, 4))
    expected[:, 0] = np.where(C > 0, gy * x[:, 1], 0)
    expected[:, 1] = np.where(C > 0, gy * x[:, 0], gy)
    np.testing.assert_array_equal(gradient("parts_of_vectors", x), expected)


def test_parts_of_structs(gradient):
    x = np.arange(1, 25, dtype=np.float32).reshape(6, 4)
    gy = np.arange(1, 7)
    expected = np.zeros((6, 4))
    expected[:, 1] = np.where(C > 0, 4 * gy * x[:, 3], 0)
    expected[:, 3] = np.where(C > 0, 4 * gy * x[:, 1], 0)
    np.testing.assert_array_equal(gradient("parts_of_structs", x), expected)


@pytest.mark.parametrize("name, width", [("chosen_of_copy", 200), ("chosen_of_short_copy", 4)])
def test_copies_of_which_elements_are_chosen(gradient, name, width):
    x, c = np.arange(1, 4 * width + 1, dtype=np.float32).reshape(4, width), np.array([0, 2, -1, 1], np.float32)
    expected = np.zeros((4, width))
    for i, k in enumerate(c.astype(int)):
        if k >= 0:
            expected[i, k : k + 2] = (i + 1) * x[i, k + 1], (i + 1) * x[i, k]
    np.testing.assert_array_equal(gradient(name, x, c), expected)


@pytest.mark.parametrize(
    "name, width, dtype",
    [
        ("pairs_of_halves", 2, np.float16),
        ("chosen_float2", 2, np.float32),
        ("chosen_float4", 4, np.float32),
        ("vectors_by_value", 4, np.float32),
        ("returned_vectors", 4, np.float32),
        ("structs_by_value", 2, np.float32),
        ("returned_structs", 2, np.float32),
        ("multiplied_vectors", 4, np.float32),
        ("parts_of_300", 300, np.float32),
        ("parts_of_1100", 1100, np.float32),
        ("copies_in_loop", 300, np.float32),
    ],
)
def test_numbers_that_are_copied_together(gradient, name, width, dtype):
    x = (np.arange(6 * width).reshape(6, width) % 16 + 1).astype(dtype)
    expected = np.zeros((6, width))
    expected[:, :2] = np.arange(1, 7)[:, None] * x[:, 1::-1]
    np.testing.assert_array_equal(gradient(name, x), expected)


def test_one_half_of_a_pair(gradient):
    found = gradient("low_halves", np.ones((6, 2), np.float16))
    np.testing.assert_array_equal(found, np.stack([np.where(C > 0, np.arange(1, 7), 0), np.zeros(6)], 1))


@pytest.mark.parametrize("width", [300, 1100])
def test_long_copies_that_are_used_behind_a_branch(gradient, width):
    x = np.full((6, width), 2, np.float32)
    expected = np.zeros((6, width))
    expected[:, :2] = np.where(C > 0, 2 * np.arange(1, 7), 0)[:, None]
    np.testing.assert_array_equal(gradient(f"parts_of_{width}_in_branch", x), expected)


@pytest.mark.parametrize("name", ["computed_lengths", "used_computed_lengths"])
def test_copies_of_computed_length(gradient, name):
    x, c = np.full((4, 8), 3, np.float32), np.array([0, 3, 8, 1], np.float32)
    expected = np.where(np.arange(8) < c[:, None], 0, UNREAD)
    if name == "used_computed_lengths":
        expected[1:3, :2] = 3 * np.array([[2], [3]])
    np.testing.assert_array_equal(gradient(name, x, c), expected)


def test_halves(gradient):
    found = gradient("halves", np.arange(1, 7, dtype=np.float16))
    np.testing.assert_array_equal(found, np.where(C > 0, 3 * np.arange(1, 7), 0))


def test_elements_that_a_loop_reads(gradient):
    x, gy = np.arange(1, 25, dtype=np.float32), np.arange(1, 7)
    expected = np.zeros((6, 4))
    expected[:, 3] = np.where(C > 0, 2 * gy * x[3::4], 0)
    np.testing.assert_array_equal(gradient("rows", x).reshape(6, 4), expected)


def test_elements_of_which_a_loop_uses_some(gradient):
    x, c = np.ones((3, 40), np.float32), np.array([0, 20, 50], np.float32)
    expected = 2.0 * np.arange(1, 4)[:, None] * (np.arange(40) >= c[:, None])
    np.testing.assert_array_equal(gradient("long_rows", x.ravel(), c).reshape(3, 40), expected)


def test_elements_that_are_not_read(gradient):
    x = np.arange(1, 7, dtype=np.float32)
    np.testing.assert_array_equal(gradient("read_in_branch", x), np.where(C > 0, 2 * x * x, UNREAD))


def test_zero_has_no_sign(gradient):
    assert not np.signbit(gradient("unused", np.ones(6, np.float32))).any()
