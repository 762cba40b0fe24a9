"""jax.vmap on CUDA: one launch for a batch where the kernel allows it, against the same call for each element."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import kernix
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

HERE = Path(__file__).parent


def has_cuda() -> bool:
    try:
        return bool(jax.devices("cuda"))
    except RuntimeError:
        return False


pytestmark = pytest.mark.skipif(not kernix.gpu.driver().usable or not has_cuda(), reason="needs jax for CUDA")


@pytest.fixture(scope="module")
def m() -> kernix.Module:
    return kernix.load(HERE / "kernels" / "batches.cu", target="cuda")


@pytest.fixture(autouse=True)
def on_cuda() -> Iterator[None]:
    with jax.default_device(jax.devices("cuda")[0]):
        yield


def rows(f, axes, *arguments):
    """f for each element, without vmap."""
    size = next(a.shape[axis] for a, axis in zip(arguments, axes, strict=True) if axis is not None)
    found = [
        f(*(a if axis is None else jnp.take(a, k, axis) for a, axis in zip(arguments, axes, strict=True))) for k in range(size)
    ]
    return jax.tree.map(lambda *each: jnp.stack(each), *found)


def check(f, axes, *arguments, tolerance=1e-6):
    expected = rows(f, axes, *arguments)
    for run in (jax.vmap(f, axes), jax.jit(jax.vmap(f, axes))):
        for got, want in zip(jax.tree.leaves(run(*arguments)), jax.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@contextlib.contextmanager
def launches() -> Iterator[list[str]]:
    """Names of the kernels that are launched within."""
    torch = pytest.importorskip("torch")
    found: list[str] = []
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        yield found
        torch.cuda.synchronize()
    found += [event.name for event in profile.events() if event.device_type == torch.autograd.DeviceType.CUDA]


def array(*shape: int, dtype: str = "float32") -> jax.Array:
    return jnp.asarray(np.random.default_rng(len(shape)).uniform(-2, 2, shape), dtype)


@pytest.mark.filterwarnings("ignore::UserWarning:torch.*")
def test_one_launch(m):
    x, w = array(50, 700), array(1)
    run = jax.jit(jax.vmap(lambda x: m.scale(x, w, a=3.0)))
    run(x).block_until_ready()
    with launches() as names:
        run(x).block_until_ready()
    assert [name for name in names if "scale" in name] == ["kernix_batched_3__Z5scalePKfS0_Pfif"]


def test_values(m):
    x, w = array(5, 700), array(5, 1)
    check(lambda x, w: m.scale(x, w, a=3.0), (0, 0), x, w)
    check(lambda x, w: m.scale(x, w, a=3.0), (0, None), x, w[0])
    check(lambda x, w: m.scale(x, w, a=3.0), (None, 0), x[0], w)
    check(lambda x, w: m.scale(x, w, a=3.0), (1, None), x.T, w[0])
    check(m.planes, (0,), array(4, 3, 5, 17))
    check(m.total, (0,), array(6, 1000), tolerance=1e-4)
    check(m.reversed, (0,), array(6, 150))
    check(m.far, (0,), array(6, 128))
    check(m.vectors, (0,), array(7, 33, 4))
    check(lambda y, x: m.accumulate(y, x), (0, 0), array(3, 65), array(3, 65))
    check(lambda y, x: m.accumulate(y, x), (None, 0), array(65), array(3, 65))
    check(m.maybe, (0,), array(3, 65))
    check(lambda x, b: m.maybe(x, b), (0, None), array(3, 65), array(65))
    check(m.twice, (0,), array(3, 65))
    check(m.twice, (0,), jnp.arange(30, dtype="int32").reshape(3, 10))
    check(lambda x: m.scale(x, w[0], a=3.0, block=32, grid=5), (0,), x[:, :160])


def test_nested(m):
    x, w = array(4, 3, 130), array(3, 1)
    f = jax.vmap(lambda x, w: m.scale(x, w, a=0.5))  # over both
    check(lambda x: f(x, w), (0,), x)
    g = jax.vmap(lambda x, w: m.scale(x, w, a=0.5), (None, 0))
    check(lambda x: g(x, w), (0,), x[:, 0])
    check(lambda x: jax.vmap(lambda x: m.scale(x, w[0], a=0.5))(x), (0,), x)


def test_empty_and_large_batches(m):
    assert jax.vmap(m.twice)(jnp.zeros((0, 5), "float32")).shape == (0, 5)
    assert jax.vmap(m.twice)(jnp.zeros((5, 0), "float32")).shape == (5, 0)
    x = jnp.arange(200_000, dtype="float32").reshape(100_000, 2)
    np.testing.assert_array_equal(jax.vmap(m.twice)(x), 2 * x)
    planes = array(30_000, 3, 1, 2)
    i = jnp.arange(1, 4, dtype="float32")[:, None, None]
    np.testing.assert_allclose(jax.vmap(m.planes)(planes), jnp.sin(planes) * i + 3, rtol=1e-5, atol=1e-5)


def test_derivatives(m):
    x, w = array(5, 300), array(1)
    check(jax.grad(lambda x, w: (m.scale(x, w, a=3.0) ** 2).sum(), (0, 1)), (0, None), x, w, tolerance=2e-3)
    check(lambda x, w, t: jax.jvp(lambda x: m.scale(x, w, a=3.0), (x,), (t,)), (0, None, 0), x, w, x, tolerance=1e-5)
    check(jax.grad(lambda x: (m.planes(x) ** 2).sum()), (0,), array(4, 3, 5, 17), tolerance=1e-4)
    check(jax.grad(lambda x: m.total(x)[0] ** 2), (0,), array(6, 1000), tolerance=1e-3)
    check(jax.grad(lambda x: (m.reversed(x) ** 2).sum()), (0,), array(6, 150), tolerance=1e-4)
    jacobian = jax.jacrev(lambda x: m.scale(x, w, a=3.0))(x[0])  # vmap of the backward
    np.testing.assert_allclose(jacobian, jnp.diag(6 * w[0] * x[0]), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(jax.jacfwd(lambda x: m.scale(x, w, a=3.0))(x[0]), jacobian, rtol=1e-5, atol=1e-5)


def test_kernels_that_share_a_variable_are_launched_for_each_element(m):
    before = m.number_of_calls()
    x = array(7, 20)
    np.testing.assert_allclose(jax.vmap(m.counts)(x), x + 1)
    assert m.number_of_calls() == before + 7


def test_modules_that_were_built_elsewhere(m, tmp_path):
    built = m._kernix.built["cuda"].path
    (tmp_path / "elsewhere.cuda.so").write_bytes(Path(built).read_bytes())
    other = kernix.load(tmp_path / "elsewhere.cuda.so")
    check(other.reversed, (0,), array(6, 150))


def test_changed_sources(tmp_path):
    source = tmp_path / "edited.cu"
    source.write_text((HERE / "kernels" / "batches.cu").read_text())
    edited = kernix.load(source, target="cuda")
    source.write_text(source.read_text().replace("2 * x[i]", "3 * x[i]"))
    with pytest.raises(kernix.KernelError, match="edited: kernels for a batch.*edited.cu has changed since"):
        jax.vmap(edited.twice)(array(3, 4))
