"""Parameters that are called like words of kernix's own: each is reached by its name, everywhere."""

from typing import Any

import kernix
import numpy as np
import pytest
from kernix import stubs

torch = pytest.importorskip("torch")

# Launch sizes, words of kernix.gradcheck, and names that Python functions on the way have.
WORDS = [
    *("block", "grid", "launchBlockSize", "launchGridSize", "shared_bytes", "seed", "directions", "result", "stream", "out"),
    *("self", "op", "args", "keywords", "ctx", "call", "details", "operation", "keyset", "batch", "variant", "x_grad", "lambda"),
]
X, W = np.arange(1.0, 5), np.arange(2.0, 6)


def source() -> str:
    text = "#include <kernix/kernix.h>\n#define OUT [[kernix::intent(out_return), kernix::shape(\"x\")]] double *y\n"
    for word in WORDS:
        text += f"""
        [[kernix::bind("t_{word}"), kernix::differentiable]] __global__ void
        t_{word}(const double *x, const double *{word}, OUT, [[kernix::value("x.numel()")]] int n) {{
          if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) y[i] = x[i] * {word}[i] * {word}[i];
        }}
        [[kernix::bind("n_{word}"), kernix::differentiable]] __global__ void
        n_{word}(const double *x, OUT, [[kernix::diff]] double {word} = 1, [[kernix::value("x.numel()")]] int n = 0) {{
          if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) y[i] = x[i] * {word} * {word};
        }}
        [[kernix::bind("h_{word}"), kernix::differentiable]] double h_{word}(double x, double {word} = 1) {{ return x * {word} * {word}; }}
        """
    return text


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load_cuda_inline("own_words", source())


@pytest.fixture(params=WORDS)
def word(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def same(got: Any, *expected: Any) -> None:
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-12)


CASES = [("t", W, 2 * X * W), ("n", 3.0, [(2 * X * 3.0).sum()])]


@pytest.mark.parametrize(("kind", "value", "slope"), CASES, ids=["tensor", "number"])
def test_kernels(m, word, kind, value, slope):
    f, given = m[f"{kind}_{word}"], {word: value}
    size = {"block" if word.startswith("launch") else "launchBlockSize": 2}
    same([f(X, **given)], X * value * value)
    same([f(X, **given, **size)], X * value * value)
    same(f.bwd(X, y=(None, np.ones(4)), **given), value * value * np.ones(4), slope)
    same(f.bwd(X, y=(None, np.ones(4)), **given, **size), value * value * np.ones(4), slope)
    same(f.fwd(x=(X, np.ones(4)), **{word: (value, value)})[0], X * value * value, value * value + 2 * X * value * value)
    with kernix.prefer("float32"):
        same([f(X, **given, **size)], X * value * value)


@pytest.mark.parametrize(("kind", "value", "slope"), CASES, ids=["tensor", "number"])
def test_torch(m, word, kind, value, slope):
    f = m[f"{kind}_{word}"]
    size = {"block" if word.startswith("launch") else "launchBlockSize": 2}
    x, w = (torch.tensor(each, requires_grad=True) for each in (X, value))
    expected = value * value * np.ones(4), slope if kind == "t" else slope[0]
    run = lambda x, w: f(x, **{word: w}, **size).sum()  # noqa: E731
    same(torch.autograd.grad(run(x, w), (x, w)), *expected)
    same(torch.func.grad(run, (0, 1))(x.detach(), w.detach()), *expected)
    same(torch.autograd.grad(torch.compile(run, backend="aot_eager")(x, w), (x, w)), *expected)


@pytest.mark.parametrize(("kind", "value"), [("t", W), ("n", 3.0)], ids=["tensor", "number"])
def test_jax(m, word, kind, value, jax_in_doubles):
    jax = jax_in_doubles
    f = m[f"{kind}_{word}"]
    size = {"block" if word.startswith("launch") else "launchBlockSize": 2}
    gradient = jax.grad(lambda x, w: f(x, **{word: w if kind == "t" else value}, **size).sum(), (0, 1))
    same(gradient(jax.numpy.asarray(X), jax.numpy.asarray(W)), value * value * np.ones(4), 2 * X * W if kind == "t" else 0 * W)


def test_host_functions(m, word):
    f = m[f"h_{word}"]
    assert f(2.0, **{word: 3.0}) == 18
    result = "result_" if word == "result" else "result"
    same(f.bwd(2.0, **{word: 3.0, result: 1.0}), [9.0], [12.0])
    got = f.fwd(x=(2.0, 1.0), **{word: (3.0, 0.0)})
    same(getattr(got, result), 18, 9)


def test_stubs_have_each_name_once(m):
    compile(stubs.module_stub(m), "own_words.pyi", "exec")
