"""What is marked no_diff is computed as ever and constant for the derivative, wherever the mark stands."""

from pathlib import Path

import numpy as np
import pytest
from conftest import SOURCES

import kernix

X = np.array([2.0, 3.0])


@pytest.fixture(scope="module")
def module() -> kernix.Module:
    return kernix.load(SOURCES / "no_diff.cu", target="cpu")


@pytest.mark.parametrize(
    ("name", "value", "gradient"),
    [
        ("by_value", X * X, X),
        ("by_const_reference", X * X, X),
        ("by_reference", X**3, X * X),
        ("elsewhere", X**3 + X * X, X * X + 2 * X),
        ("by_pointer", (X + X * X + 1) * X + X * X, (X + X * X + 1) + 2 * X),
        ("by_struct", X * X + X, X),
        ("by_large_struct", (3 * X + 5) * X, 3 * X + 5),
        ("by_struct_of_pointers", X * X, X),
        ("by_lambda", X * X, X),
        ("by_assigned_value", X**3, X * X),
        ("by_simplified_calls", X**3 + 3 * X * X, X * X + 3 * X),
        ("by_rules", 2 * X**3, 2 * X * X),
        ("by_returned_structs", 3 * X * X, 3 * X),
        ("local_reference", X * X, X),
        ("local_pointer", X**3 + X * X, X * X + 2 * X),
        ("by_chosen_reference", X**3, X * X),
        ("to_chosen_reference", X * X, [4, 3]),
        ("by_chosen_pointer", [4, 2], [4, 0]),
        ("by_returned_pointer", X**3, X * X),
        ("by_returned_references", X**3, X * X),
        ("by_chosen_struct", X**3, X * X),
        ("bits", X * X, X),
        ("bits_before", 2 * X * X, 2 * X),
        ("bits_behind", 2 * X * X, 2 * X),
        ("bits_in_turn", X * X / 4, X / 4),
        ("bits_of_words", 2 * X * X, 2 * X),
        ("bits_shuffled", X * X[::-1], X[::-1]),
        ("bits_in_a_struct", 3 * X * X, 3 * X),
        ("bits_in_an_array", 2 * X * X, 2 * X),
        ("bits_by_pointer", 2 * X * X, 2 * X),
        ("bits_by_function", X * X, X),
        ("bits_stored", X * X, X),
        ("bits_shifted", X * X, X),
        ("bits_counted", X * X, 2 * X),
        ("in_argument", X**3, X * X),
        ("in_nodebug", X**3, X * X),
    ],
)
def test_kernels(module: kernix.Module, name: str, value: np.ndarray, gradient: np.ndarray) -> None:
    f = getattr(module, name)
    assert np.allclose(f(X, block=2, grid=1), value)
    assert np.allclose(f.bwd(X, (None, np.ones(2)), block=2, grid=1).x, gradient)
    assert np.allclose(f.fwd((X, np.ones(2)), block=2, grid=1).y, [value, gradient])


@pytest.mark.parametrize("flag", ["-gno-column-info", "-gcodeview"])
def test_without_columns(tmp_path: Path, flag: str) -> None:
    source = tmp_path / "columns.cu"
    source.write_text(
        """#include <kernix/kernix.h>
        inline __device__ double squared(double v) { return v * v; }
        [[kernix::bind, kernix::differentiable]] __device__ double f(double x) {
          double w = 0;
          [[kernix::no_diff]] w = squared(x);
          return w * x;
        }
        [[kernix::bind, kernix::differentiable]]
        __global__ void cubed(const double *x, [[kernix::shape("x")]] double *y) { y[threadIdx.x] = f(x[threadIdx.x]); }
        """
    )
    f = kernix.load(source, target="cpu", extra_cflags=[flag]).cubed
    assert np.allclose(f.bwd(X, (None, np.ones(2)), block=2, grid=1).x, X * X)


@pytest.mark.parametrize(("name", "gradient"), [("output", 2 * X), ("view", 2 * X), ("counted", 2 * X)])
def test_outputs_without_a_derivative(module: kernix.Module, name: str, gradient: np.ndarray) -> None:
    f, kept = getattr(module, name), np.zeros(2)
    log = {"total" if name == "counted" else "log": kept}
    assert np.allclose(f(X, **log, block=2, grid=1), gradient * X / (1 if name == "output" else 2))
    assert np.allclose(kept, [5, 0] if name == "counted" else 2 * X)
    assert np.allclose(f.bwd(x=X, y=(None, np.ones(2)), **log, block=2, grid=1).x, gradient)
    assert np.allclose(f.fwd(x=(X, np.ones(2)), **log, block=2, grid=1).y[1], gradient)


def test_reference_of_a_bound_function(module: kernix.Module) -> None:
    assert np.allclose(module.step.bwd(a=2.0, b=3.0, r=(0.0, np.ones(1))).b, 6)
    a = np.array(2.0)
    value = module.step.fwd(a=a, b=(3.0, 1.0))
    assert value.r == (18, 6)
    assert value.a == (6, None)
    assert a == 6
