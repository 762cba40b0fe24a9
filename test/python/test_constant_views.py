"""Views that are marked no_diff beside others: sources/constant_views.cu against finite differences."""

import kernix
import numpy as np
import pytest
from conftest import SOURCES

N = 37


@pytest.fixture(scope="module")
def m():
    return kernix.load(SOURCES / "constant_views.cu", target="cpu")


def check(call, forward, backward, x, rng):
    """Both derivatives in a random direction, and for a random cotangent."""
    v, g, h = rng.standard_normal(N), rng.standard_normal(N), 1e-6
    slope = (call(x + h * v) - call(x - h * v)) / (2 * h)
    np.testing.assert_allclose(forward(x, v), slope, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(backward(x, g) @ v, slope @ g, rtol=1e-7, atol=1e-7)


def test_logs(m):
    rng = np.random.default_rng(0)
    x, log, y = rng.uniform(0.1, 1, N), np.zeros(N), np.zeros(N)

    def forward(x, v):
        tangent = np.zeros(N)
        m.logged.fwd((x, v), y=(y, tangent), log=log)
        return tangent

    check(
        lambda x: m.logged(x)[0],
        forward,
        lambda x, g: m.logged.bwd(x, y=(None, g), log=log).x,
        x,
        rng,
    )
    np.testing.assert_array_equal(m.logged(x)[1], 3 * x)


def test_log_before_the_output(m):
    rng = np.random.default_rng(1)
    x, log, y = rng.uniform(0.1, 1, N), np.zeros(N), np.zeros(N)

    def forward(x, v):
        tangent = np.zeros(N)
        m.logged_first.fwd((x, v), log=log, y=(y, tangent))
        return tangent

    check(
        lambda x: m.logged_first(x)[1],
        forward,
        lambda x, g: m.logged_first.bwd(x, log=log, y=(None, g)).x,
        x,
        rng,
    )


def test_weights(m):
    rng = np.random.default_rng(2)
    w, x, y = rng.standard_normal(N), rng.standard_normal(N), np.zeros(N)

    def forward(x, v):
        tangent = np.zeros(N)
        m.weighted.fwd(w, (x, v), y=(y, tangent))
        return tangent

    check(lambda x: m.weighted(w, x), forward, lambda x, g: m.weighted.bwd(w, x, y=(None, g)).x, x, rng)
