"""Derivatives that are written by hand, inside automatic ones: sources/custom_rules.cu gives ten times the derivative."""

from pathlib import Path

import numpy as np
import pytest

import kernix


@pytest.fixture(scope="module")
def rules():
    return kernix.load(Path(__file__).parent / "sources" / "custom_rules.cu", target="cpu")


@pytest.fixture
def x():
    return np.array([0.3, -0.7, 1.1])


def backward(f, x, **others):
    n = len(x)
    return f.bwd(x=x, y=(None, np.ones(n, x.dtype)), n=n, grid=1, block=32, **others)


def tangents(f, x, n=None, **others):
    n = n or len(x)
    pair = (np.zeros(n, x.dtype), np.zeros(n, x.dtype))
    return f.fwd(x=(x, np.ones_like(x)), y=pair, n=n, grid=1, block=32, **others).y[1]


def test_in_loops_and_under_conditions(rules, x):
    def expected(x):
        s, ds = 1.0, 0.0
        for _ in range(3):
            if s < 5:
                u, du = s * 0.1, ds * 0.1
                s, ds = s * x**3 + u**3, ds * x**3 + s * 30 * x * x + 30 * u * u * du
        return ds

    np.testing.assert_allclose(backward(rules.loops, x).x, [expected(v) for v in x])
    np.testing.assert_allclose(tangents(rules.loops, x), [expected(v) for v in x])


def test_a_rule_for_one_mode(rules, x):
    n, ones, zeros = len(x), np.ones(3), np.zeros(3)
    grads = rules.one_mode.bwd(x=x, y=(None, ones), z=(None, zeros), n=n, grid=1, block=32)
    np.testing.assert_allclose(grads.x, 20 * x)
    grads = rules.one_mode.bwd(x=x, y=(None, zeros), z=(None, ones), n=n, grid=1, block=32)
    np.testing.assert_allclose(grads.x, 2 * x)
    both = rules.one_mode.fwd(x=(x, ones), y=(zeros, zeros.copy()), z=(ones.copy(), ones.copy()), n=n, grid=1, block=32)
    np.testing.assert_allclose(both.y[1], 2 * x)
    np.testing.assert_allclose(both.z[1], 20 * x)


def test_structs(rules):
    x = np.random.default_rng(0).random((4, 3), np.float32)
    s = np.array([2, 3, 0.5, -1], np.float32)
    grads = rules.structs.bwd(x=x, s=s, y=(None, np.ones(4, np.float32)), n=4, grid=1, block=32)
    np.testing.assert_allclose(grads.x, 20 * x * s[:, None] ** 2, rtol=1e-5)
    np.testing.assert_allclose(grads.s, 10 * (20 * x * x * s[:, None]).sum(1), rtol=1e-5)


def test_references(rules, x):
    np.testing.assert_allclose(backward(rules.references, x).x, 10 * np.cos(2 * x))
    np.testing.assert_allclose(tangents(rules.references, x), 10 * np.cos(2 * x))


def test_pointers(rules):
    x = np.random.default_rng(0).random((3, 4))
    grads = rules.pointers.bwd(x=x, y=(None, np.ones(3)), n=3, grid=1, block=32)
    w = np.arange(1.0, 5.0)
    for row, gradient in zip(x, grads.x, strict=True):
        expected, local, glocal = np.zeros(4), w.copy(), np.zeros(4)
        states = []
        for _ in range(3):
            states.append(local)
            local = local * row[0]
        for before in reversed(states):
            after = before * row[0]
            g = 2 * (row @ after)
            expected += 10 * after * g
            glocal += 10 * row * g
            expected[0] += glocal @ before
            glocal = glocal * row[0]
        np.testing.assert_allclose(gradient, expected)


def test_writing_through_a_pointer(rules, x):
    i = np.arange(3)
    p = [2 * x * x + x * x + 0, 0]
    last = np.choose(i, [np.ones(3), 2 * x, 3 * x * x])
    np.testing.assert_allclose(backward(rules.written, x).x, 10 * (p[0] + last))


def test_views_with_strides(rules):
    x = np.random.default_rng(0).random((2, 3)).T
    gx = np.zeros((3, 5))[:, ::2][:, :2]
    rules.views.bwd(x=(x, gx), y=(None, np.ones(3)), n=3, grid=1, block=32)
    np.testing.assert_allclose(gx, 10 * x[:, ::-1])


def test_overloads(rules, x):
    np.testing.assert_allclose(backward(rules.overloads, x).x, np.full(3, 11.0))


def test_the_result_is_computed_again(rules):
    x = np.array([0.3, 0.7, 1.1])
    np.testing.assert_allclose(backward(rules.result_needed, x).x, 15 * np.sqrt(x))


def test_each_call_has_its_own_rule(rules, x):
    np.testing.assert_allclose(backward(rules.clipped, x).x, np.full(3, 1.5))


def test_an_object_that_holds_its_gradients(rules, x):
    gx, w = np.zeros(3), np.array([1.0, 2.0, 3.0])
    grads = rules.members.bwd(x=x, gx=gx, w=w, y=(None, np.ones(3)), n=3, grid=1, block=32)
    np.testing.assert_allclose(gx, 10 * w)
    np.testing.assert_allclose(grads.w, x)


def test_a_rule_of_the_object(rules, x):
    np.testing.assert_allclose(backward(rules.objects, x).x, 10 * x + 2 * 10 + 10 * x)


def test_class_templates(rules, x):
    np.testing.assert_allclose(backward(rules.class_templates, x).x, 10 * np.cos(x + 0.5))


def test_members_of_templates_in_class_templates(rules, x):
    np.testing.assert_allclose(backward(rules.members_of_templates, x).x, 20 * np.cos(x))


def test_member_templates(rules, x):
    np.testing.assert_allclose(backward(rules.member_templates, x).x, 30)
    np.testing.assert_allclose(tangents(rules.member_templates, x), 30)
    np.testing.assert_allclose(backward(rules.member_templates_of_templates, x).x, 30)


def test_objects_that_calls_change(rules, x):
    np.testing.assert_allclose(backward(rules.changed_objects, x).x, 30 * 1 + 30 * 2 * 3)


def test_specializations_do_not_have_the_rule_of_their_template(rules, x):
    np.testing.assert_allclose(backward(rules.specializations, x).x, 3 * x * x)


def test_library_functions(rules, x):
    expected = 4 + 10 * np.exp(x)
    np.testing.assert_allclose(backward(rules.library_functions, x).x, expected)
    np.testing.assert_allclose(tangents(rules.library_functions, x), np.exp(x))  # no rule for this mode
    y = np.zeros(3)
    rules.library_functions(x=x, y=y, n=3, grid=1, block=32)
    np.testing.assert_allclose(y, np.rint(4 * x) + np.exp(x))
    np.testing.assert_allclose([rules.library_functions_on_host.bwd(v, 1.0).x.item() for v in x], expected)
    np.testing.assert_allclose([rules.library_functions_on_host(v) for v in x], y)


def test_library_functions_by_their_names_in_cpp(rules):
    x = np.array([0.3, -0.7, 1.1], np.float32)
    np.testing.assert_allclose(backward(rules.standard_functions, x).x, 11 * np.exp(x), rtol=1e-6)
    np.testing.assert_allclose(tangents(rules.standard_functions, x), 2 * np.exp(x), rtol=1e-6)
    grads = [rules.standard_functions_on_host.bwd(float(v), 1.0).x.item() for v in x]
    np.testing.assert_allclose(grads, 10 * np.exp(x), rtol=1e-6)


def test_host_functions(rules):
    grads = rules.on_host.bwd(2.0, 3.0, 1.0)
    np.testing.assert_allclose(grads.x, 5 + 10 * 2)
    np.testing.assert_allclose(grads.z, 20)
