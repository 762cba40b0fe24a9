"""kernix::bwd_diff and kernix::fwd_diff in device and host code: sources/in_code.cu."""

from pathlib import Path

import numpy as np
import pytest

import kernix


@pytest.fixture(scope="module")
def code():
    return kernix.load(Path(__file__).parent / "sources" / "in_code.cu", target="cpu")


@pytest.fixture
def x():
    return np.array([0.3, -0.7, 1.1])


ONE = {"grid": 1, "block": 32}


def test_both_modes_in_a_kernel(code, x):
    value, forward, backward = np.zeros(3), np.zeros(3), np.zeros(4)
    code.both(x, value, forward, backward, 3, **ONE)
    np.testing.assert_allclose(value, 2 * x**3 + 4 * x)
    np.testing.assert_allclose(forward, 6 * x * x + 4)
    np.testing.assert_allclose(backward[:3], 6 * x * x + 4)
    np.testing.assert_allclose(backward[3], (x**3 + 4 * x).sum())


def test_on_the_host(code):
    assert code.slope(1.5, 2.0) == pytest.approx(6 * 1.5**2 + 4)


def test_structs_references_and_pointers(code):
    out = np.zeros(4)
    code.signature(np.array([0.5, 2.0, 0.3]), out, grid=1, block=1)
    s, c = np.sin(0.3), np.cos(0.3)
    expected = [3 * c + 10 * s, -s + 70 * c, -1.5 * s - 2 * c + 10 * (0.5 * c - 14 * s), 10 * 2 * c]
    np.testing.assert_allclose(out, expected)


def test_arrays_by_reference(code):
    out = np.zeros(3)
    code.arrays(np.array([1.0, 2.0, 3.0]), out, grid=1, block=1)
    np.testing.assert_allclose(out, [1 + 10, 2 + 20, 9 + 180])


def test_overloads_and_instances(code):
    out = np.zeros(2)
    code.chosen(np.array([1.5]), out, grid=1, block=1)
    np.testing.assert_allclose(out, [4 * 1.5**3, 3.0])


def test_second_derivatives(code, x):
    out = np.zeros(9)
    code.second(x, out, 3, **ONE)
    np.testing.assert_allclose(out.reshape(3, 3), np.tile(12 * x, (3, 1)))


def test_a_derivative_of_a_kernel_that_calls_one(code, x):
    gradients = code.slopes.bwd(x=x, y=(None, np.ones(3)), n=3, **ONE)
    np.testing.assert_allclose(gradients.x, 18 * x * x + 4)
    values = code.slopes.fwd(x=(x, np.ones(3)), y=(np.zeros(3), np.zeros(3)), n=3, **ONE)
    np.testing.assert_allclose(values.y[0], (6 * x * x + 4) * x)
    np.testing.assert_allclose(values.y[1], 18 * x * x + 4)


def test_formulas_that_are_not_chosen(code):
    """The second derivatives of erfcx and j1 at 0 are 2 and 0."""
    np.testing.assert_allclose(code.at_zero.bwd(np.zeros(2), y=(None, np.ones(2)), **ONE).x, [2, 2])
    np.testing.assert_allclose(code.at_zero.fwd((np.zeros(2), np.ones(2)), **ONE).y[1], [2, 2])


def test_functions_with_rules(code):
    out = np.zeros(2)
    code.rules(np.array([1.5]), out, grid=1, block=1)
    np.testing.assert_allclose(out, [30 * 1.5**2, 60 * 1.5**2])


def test_a_million_iterations(code):
    out, n = np.zeros(1), 1_000_000
    code.many(np.array([0.8]), out, n, grid=1, block=1)
    s = 0.0
    for _ in range(1000):
        s = 0.5 * np.sin(s) + 0.8
    np.testing.assert_allclose(out, 1 / (1 - 0.5 * np.cos(s)), rtol=1e-9)
