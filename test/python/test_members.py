"""Derivatives of static members: bound, asked for in device code, written by hand; of classes, templates of classes."""

import numpy as np
import pytest
from conftest import SOURCES

import kernix

X = np.array([2.0, 3.0])
ONES = np.ones(2)


@pytest.fixture(scope="module")
def module() -> kernix.Module:
    return kernix.load(SOURCES / "members.cu", target="cpu")


def test_bound_static_members(module: kernix.Module) -> None:
    gradients = module.Spring.energy.bwd(x=2.0, k=3.0, result=1.0)
    assert (gradients.x, gradients.k) == (6, 2)
    assert np.allclose(module.Spring.force.bwd(X, (None, ONES), block=2, grid=1).x, 1 + 2 * X)
    value, tangent = module.Spring.energy.fwd(x=(2.0, 1.0), k=3.0).result
    assert (value, tangent) == (6, 6)
    assert np.allclose(module.geometry.Area.of.bwd(w=2.0, h=3.0, r=(0.0, np.ones(1))).w, 3)


def test_members_of_a_class_template_are_bound_by_variables(module: kernix.Module) -> None:
    assert module.cube_of_double.bwd(x=2.0, result=1.0).x == 12


def test_members_in_device_code(module: kernix.Module) -> None:
    by_x, by_k, cube = module.in_code(X, block=2, grid=1)
    assert np.allclose(by_x, 3 * X)
    assert np.allclose(by_k, X * X / 2)
    assert np.allclose(cube, 3 * X * X)


def test_rules_of_static_members(module: kernix.Module) -> None:
    assert np.allclose(module.with_rules.bwd(X, (None, ONES), block=2, grid=1).x, 10 + 100 + 1000)


def test_second_derivatives(module: kernix.Module) -> None:
    assert np.allclose(module.Twice.f.bwd.fwd(x=(X, ONES), y_grad=ONES, block=2, grid=1).x_grad[1], 6 * X)
