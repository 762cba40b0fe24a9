"""no_diff, max_iters, store and recompute: what sources/choices.cu chooses."""

from pathlib import Path

import numpy as np
import pytest

import kernix


@pytest.fixture(scope="module")
def choices():
    return kernix.load(Path(__file__).parent / "sources" / "choices.cu", target="cpu")


@pytest.fixture
def x():
    return np.array([0.3, -0.7, 1.1])


def gradient(f, x, **others):
    n = len(x)
    both = f.bwd(x=x, y=(None, np.ones(n)), n=n, grid=1, block=32, **others).x
    return both


def tangent(f, x, dx, **others):
    n = len(x)
    return f.fwd(x=(x, dx), y=(np.zeros(n), np.zeros(n)), n=n, grid=1, block=32, **others).y[1]


def check(f, x, expected, **others):
    """`expected`: derivative of y[i] by x[i], nothing else."""
    np.testing.assert_allclose(gradient(f, x, **others), expected)
    dx = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(tangent(f, x, dx, **others), expected * dx)


def test_variables(choices, x):
    check(choices.variable, x, x * x)


def test_variables_that_are_structs(choices, x):
    check(choices.members, x, x + 6 * x)


def test_variables_that_are_arrays(choices, x):
    check(choices.elements, x, x * (0 + 1 + 2 + 3 + 4 + 0 + 1), m=7)


def test_variables_that_change(choices, x):
    check(choices.updated, x, np.full(3, 1 / 1.21))


def test_functions(choices, x):
    check(choices.functions, x, x * x + np.sin(x) + np.cos(x) + x * x + x + 2 * x)


def test_calls(choices, x):
    check(choices.calls, x, x**3 + 1 + 3 * x * x)


def test_bounds(choices, x):
    check(choices.bounded, x, 8 * x**7, m=3)
    with pytest.raises(kernix.KernelError, match=r"ran more often than its \[\[kernix::max_iters\]\] says"):
        gradient(choices.bounded, x, m=11)


def test_bounds_on_the_host(choices):
    assert choices.on_host.bwd(1.5, 2, 1.0).x == pytest.approx(4 * 1.5**3)
    with pytest.raises(kernix.KernelError, match=r"choices.cu:\d+: on_host: a loop ran more often"):
        choices.on_host.bwd(1.0, 11, 1.0)


def test_bounds_in_code(choices):
    assert choices.in_code(1.5, 2) == pytest.approx(4 * 1.5**3)
    with pytest.raises(kernix.KernelError, match=r"power: a loop ran more often"):
        choices.in_code(1.0, 11)


@pytest.fixture(scope="module", params=[0, 3])
def bounds(request):
    return kernix.load(Path(__file__).parent / "sources" / "loop_bounds.cu", target="cpu", opt_level=request.param)


def check_bounded(f, n):
    x = np.array([1.0, 0.7, 0.3])
    others = {"m": 3, "n": n, "block": 1, "grid": 1}
    got = f.bwd(x, y=(None, np.ones(1)), **others)[0]
    steps = 1e-6 * np.eye(3)
    differences = [(f(x + d, **others)[0] - f(x - d, **others)[0]) / 2e-6 for d in steps]
    np.testing.assert_allclose(got, differences, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("name", ["at_the_top", "in_the_middle", "behind_a_loop", "at_the_end", "continued"])
def test_bounds_are_reached(bounds, name):
    f = getattr(bounds, name)
    for n in (1, 5, 6):
        check_bounded(f, n)
    for n in (8, 100):
        with pytest.raises(kernix.KernelError, match=r"ran more often than its \[\[kernix::max_iters\]\] says"):
            check_bounded(f, n)


@pytest.mark.parametrize("name", ["inner", "no_loop", "unrolled", "outer", "stored"])
def test_bounds_are_of_one_loop(bounds, name):
    for n in (4, 16):
        check_bounded(getattr(bounds, name), n)


def test_bounds_of_an_outer_loop(bounds):
    with pytest.raises(kernix.KernelError, match=r"ran more often than its \[\[kernix::max_iters\]\] says"):
        check_bounded(bounds.outer, 45)
