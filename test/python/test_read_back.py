"""Integers that a function writes through a reference and reads back: derivatives know what was written."""

from typing import Any

import numpy as np
import pytest
from conftest import SOURCES

import kernix

STEP = 1e-4
AT = [1.4, 2.7, 3.6, 5.3]
FUNCTIONS = [
    "in_a_loop",
    "in_each_iteration",
    "in_a_branch",
    "decides",
    "is_an_index",
    "of_an_array",
    "in_a_call",
    "from_before",
    "one_of_two",
    "of_a_flag",
]


@pytest.fixture(scope="module")
def module() -> kernix.Module:
    return kernix.load(SOURCES / "read_back.cu", target="cpu")


def value(function: Any, x: float) -> float:
    if function.__name__ == "from_before":
        return function(x, np.array([3], np.int32))
    result = function(x)
    return result[0] if isinstance(result, tuple) else result


def first(function: Any, x: float) -> float:
    return (value(function, x + STEP) - value(function, x - STEP)) / (2 * STEP)


def second(function: Any, x: float) -> float:
    return (value(function, x + STEP) - 2 * value(function, x) + value(function, x - STEP)) / STEP**2


def given(name: str) -> dict[str, int]:
    """Of an output it makes no difference."""
    written = "odd" if name == "of_a_flag" else "count"
    outputs = {written: 3 if name == "from_before" else 0}
    return outputs | ({"other": 0} if name == "one_of_two" else {})


@pytest.mark.parametrize("x", AT)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_backward(module: kernix.Module, name: str, x: float) -> None:
    function = getattr(module, name)
    gradient = function.bwd(x, **given(name), result=(None, 1.0)).x
    np.testing.assert_allclose(gradient, first(function, x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("x", AT)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_forward(module: kernix.Module, name: str, x: float) -> None:
    function = getattr(module, name)
    before = {"count": np.array([3], np.int32)} if name == "from_before" else {}
    result = function.fwd((x, 1.0), **before).result
    np.testing.assert_allclose(result, [value(function, x), first(function, x)], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_forward_writes_what_the_function_does(module: kernix.Module, name: str) -> None:
    if name == "from_before":
        pytest.skip("the caller's own")
    function = getattr(module, name)
    written = [np.asarray(one).tolist() for one, tangent in function.fwd((3.6, 1.0))[:-1]]
    assert written == [np.asarray(one).tolist() for one in function(3.6)[1:]]


@pytest.mark.parametrize("x", AT)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_second(module: kernix.Module, name: str, x: float) -> None:
    function = getattr(module, name)
    expected = second(function, x)
    result = function.bwd.bwd(x, x_grad=(None, np.ones(1)), **given(name), result_grad=1.0)
    np.testing.assert_allclose(result.x, expected, rtol=1e-4, atol=1e-4)
    result = function.bwd.fwd((x, 1.0), **given(name), result_grad=1.0).x_grad[1]
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)


def test_elements_of_a_kernel(module: kernix.Module) -> None:
    x, count = np.array(AT), np.zeros(4, np.int32)

    def y(x: np.ndarray) -> np.ndarray:
        return module.in_a_kernel(x)[0]

    expected = (y(x + STEP) - y(x - STEP)) / (2 * STEP)
    np.testing.assert_allclose(module.in_a_kernel.bwd(x, y=(None, np.ones(4)), count=count).x, expected, rtol=1e-6)
    np.testing.assert_allclose(module.in_a_kernel.fwd((x, np.ones(4))).y[1], expected, rtol=1e-6)
