"""Derivatives of complex numbers: m.f.bwd, m.f.fwd and kernix.gradcheck of them, with scalars and structs."""

import warnings
from pathlib import Path
from typing import Any

import kernix
import numpy as np
import pytest

SOURCE = Path(__file__).parent / "sources" / "complex_derivatives.cu"
A, C = np.array([1 + 2j, 2 - 1j, -0.5 + 1j]), np.array([2 - 1j, 1j, 1 + 1j])
MIXED = {"scale": 2.0, "order": 3, "at": 1j, "rest": (1 + 1j, 2 - 1j)}


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load(SOURCE, target="cpu")


def arrays(kind: str) -> Any:
    if kind == "numpy":
        return lambda array: array.copy()
    return pytest.importorskip("torch").from_numpy if kind == "torch" else pytest.importorskip("jax.numpy").asarray


@pytest.fixture(params=["numpy", "torch", "jax"])
def array(request: pytest.FixtureRequest, jax_in_doubles: Any) -> Any:
    return arrays(request.param)


def test_gradients_are_derivatives_by_the_parts(m, array):
    """Of a real number by a complex one, as torch has them."""
    got = m.power.bwd(array(A), (None, array(np.ones(3))))
    np.testing.assert_allclose(got.z, 3 * A.real**2 + A.imag**2 + 2j * A.real * A.imag)


def test_scalar(m, array):
    got = m.scaled.bwd(array(A), 2 + 1j, (None, array(C)))
    np.testing.assert_allclose(got.a, [(C * (2 * A * (2 + 1j)).conj()).sum()])


def test_fields_of_a_struct(m, array):
    """Complex numbers are aligned as their parts are."""
    got = m.line.bwd(array(A), {"slope": 2.0, "offset": 1j}, (None, array(C))).s
    np.testing.assert_allclose(got.slope, [(C * (1j * A).conj()).real.sum()])
    np.testing.assert_allclose(got.offset, [(C * (2 * A).conj()).sum()])


def test_given_gradients_of_a_struct(m, array):
    given = {"slope": array(np.ones(1)), "offset": array(np.full(1, 2j))}
    got = m.line.bwd(array(A), ({"slope": 2.0, "offset": 1j}, given), (None, array(C))).s
    np.testing.assert_allclose(got.slope, [1 + (C * (1j * A).conj()).real.sum()])
    np.testing.assert_allclose(got.offset, [2j + (C * (2 * A).conj()).sum()])


def test_struct_of_several_types(m, array):
    got = m.mixed.bwd(array(A), MIXED, (None, array(C))).s
    np.testing.assert_allclose(got.scale, [(C * (A * 3j * (2 - 1j)).conj()).real.sum()], rtol=1e-6)
    np.testing.assert_allclose(got.at, [(C * (A * 6 * (2 - 1j)).conj()).sum()])
    np.testing.assert_allclose(got.rest, [0, (C * (A * 6j).conj()).sum()], rtol=1e-6)


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "spiral": (C.real,),
    "power": (A,),
    "turn": (A, C),
    "mix": (A, C.real),
    "grow": (C.real, A),
    "total": (A,),
    "scaled": (A, 2 + 1j),
    "line": (A, {"slope": 2.0, "offset": 1j}),
    "mixed": (A, MIXED),
    "product": (np.stack([A, C], -1),),
    "host": (1 + 2j, 3.0),
    "square": (A,),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_gradcheck(m, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of imaginary parts that are lost
        found = kernix.gradcheck(getattr(m, name), *ARGUMENTS[name])
    assert found.ok and found.compared, str(found)
    assert all(row.kinks == 0 for row in found.rows), str(found)
    assert found.precision == ("float32" if name == "mixed" else "float64")


@pytest.mark.parametrize("part", ["real", "imag"])
def test_gradcheck_finds_what_is_wrong(source, part):
    """In either part."""
    wrong = "2.0 * a[i]" if part == "imag" else "std::conj(Complex(3, 2) * a[i])"
    found = kernix.gradcheck(
        kernix.load(
            source(
                f"""
                #include <complex>
                #include <kernix/kernix.h>
                using Complex = std::complex<double>;
                __global__ void backward(const Complex *a, Complex *a_grad, Complex *z, const Complex *z_grad,
                                         [[kernix::value("a.numel()")]] int n) {{
                  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
                    a_grad[i] += z_grad[i] * {wrong};
                }}
                [[kernix::bind, kernix::backward_derivative(&backward)]] __global__ void
                square(const Complex *a, [[kernix::shape("a")]] Complex *z, [[kernix::value("a.numel()")]] int n) {{
                  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
                    z[i] = a[i] * a[i];
                }}
                """
            ),
            target="cpu",
        ).square,
        A,
    )
    assert not found.ok
    assert found.rows[0].elements == 6
    assert {each.name for each in found.rows[0].worst} <= {f"a[{k}].{half}" for k in range(3) for half in ("real", "imag")}
