"""Derivatives of complex numbers in JAX, whose cotangents are the conjugates of the gradients that f_bwd has."""

from pathlib import Path
from typing import Any

import kernix
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from test_jax import close, device  # noqa: E402, F401  (a fixture: every test runs on each device, with 64 bits)

SOURCE = Path(__file__).parent / "sources" / "complex_derivatives.cu"
X = np.array([0.5, -1.5, 2.0])
A, B, C, D = (np.array(row) for row in ([1 + 2j, 2 - 1j, -0.5 + 1j], [1j, 1 - 1j, 2 + 0.5j], [2 - 1j, 1j, 1 + 1j], [1, 1j, 2]))

# The same in JAX, with arguments.
TWINS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "spiral": (lambda x: x * x + 1j * x * x * x, (X,)),
    "power": (lambda z: z.real * (z.real**2 + z.imag**2), (A,)),
    "turn": (lambda a, b: a * a * b, (A, B)),
    "mix": (lambda a, x: a.conj() * a * x + 1j * a.conj(), (A, X)),
    "grow": (lambda x, z: z * z * x, (X, A)),
    "total": (lambda a: (a * a).sum().reshape(1), (A,)),
}
SECOND = [name for name in TWINS if name != "grow"]
HOLOMORPHIC = ["turn", "total"]


@pytest.fixture(scope="module")
def m() -> Any:
    return kernix.load(SOURCE)


def directions(arguments: Any) -> Any:
    """Of tangents or cotangents, of the same kind as what is given."""
    leaves, kind = jax.tree.flatten(arguments)
    rows = (jnp.cos(3 * abs(each) + k) * (1 - 2j if jnp.iscomplexobj(each) else 1) for k, each in enumerate(leaves))
    return jax.tree.unflatten(kind, [row.astype(each.dtype) for row, each in zip(rows, leaves, strict=True)])


def loss(f: Any) -> Any:
    """A real number that says everything of what a function gives."""

    def run(*arguments: Any) -> Any:
        rows = jax.tree.leaves(f(*arguments))
        return sum((abs(row) ** 2).sum() + (row * (2 - 3j)).imag.sum() + row.real.sum() for row in rows)

    return run


def every(arguments: Any) -> tuple[int, ...]:
    return tuple(range(len(arguments)))


FIRST: dict[str, Any] = {
    "call": lambda f, at: f(*at),
    "jvp": lambda f, at: jax.jvp(f, at, directions(at)),
    "jvp by the first": lambda f, at: jax.jvp(lambda x: f(x, *at[1:]), at[:1], directions(at)[:1]),
    "vjp": lambda f, at: jax.vjp(f, *at)[1](directions(f(*at))),
    "linearize": lambda f, at: jax.linearize(f, *at)[1](*directions(at)),
    "linear_transpose": lambda f, at: jax.linear_transpose(lambda *u: jax.jvp(f, at, u)[1], *at)(directions(f(*at))),
    "grad": lambda f, at: jax.grad(loss(f), every(at))(*at),
    "grad, jit": lambda f, at: jax.jit(jax.grad(loss(f), every(at)))(*at),
    "grad, checkpoint": lambda f, at: jax.grad(jax.checkpoint(loss(f)), every(at))(*at),
    "grad of jvp, in tangents": lambda f, at: jax.grad(loss(lambda *u: jax.jvp(f, at, u)[1]), every(at))(*directions(at)),
    "vmap of grad": lambda f, at: jax.vmap(jax.grad(loss(f), every(at)))(*(jnp.stack([x, 2 * x]) for x in at)),
    "vmap of grad by the first": lambda f, at: jax.vmap(jax.grad(loss(f), every(at)), (0,) + (None,) * (len(at) - 1))(
        jnp.stack([at[0], 2 * at[0]]), *at[1:]
    ),
    "grad of vmap by the first": lambda f, at: jax.grad(loss(jax.vmap(f, (0,) + (None,) * (len(at) - 1))), every(at))(
        jnp.stack([at[0], 2 * at[0]]), *at[1:]
    ),
}


def parts(f: Any, at: Any) -> tuple[Any, tuple[Any, ...]]:
    """A function of real numbers, which jax.hessian takes."""

    def run(*rows: Any) -> Any:
        return f(*(jax.lax.complex(row[0], row[1]) if jnp.iscomplexobj(x) else row[0] for row, x in zip(rows, at)))

    return run, tuple(jnp.stack([x.real, x.imag]) for x in at)


def hessian(f: Any, at: Any, outer: Any) -> Any:
    run, rows = parts(loss(f), at)
    return outer(jax.grad(run, every(at)), every(at))(*rows)


OF_SECOND_ORDER: dict[str, Any] = {
    "jvp of grad": lambda f, at: jax.jvp(jax.grad(loss(f), every(at)), at, directions(at)),
    "grad of grad": lambda f, at: jax.grad(loss(jax.grad(loss(f), every(at))), every(at))(*at),
    "grad of vjp, in cotangents": lambda f, at: jax.grad(loss(jax.vjp(f, *at)[1]))(directions(f(*at))),
    "jvp of vjp, in cotangents": lambda f, at: jax.jvp(jax.vjp(f, *at)[1], (f(*at),), (directions(f(*at)),)),
    "transpose of vjp": lambda f, at: jax.linear_transpose(jax.vjp(f, *at)[1], f(*at))(directions(at)),
    "vmap of grad of grad": lambda f, at: jax.vmap(jax.grad(loss(jax.grad(loss(f), every(at))), every(at)))(
        *(jnp.stack([x, 2 * x]) for x in at)
    ),
    "forward over reverse": lambda f, at: hessian(f, at, jax.jacfwd),
    "reverse over reverse": lambda f, at: hessian(f, at, jax.jacrev),
}
OF_HOLOMORPHIC: dict[str, Any] = {
    "grad": lambda f, at: jax.grad(lambda *v: (f(*v) ** 2).sum(), every(at), holomorphic=True)(*at),
    "jacfwd": lambda f, at: jax.jacfwd(f, every(at), holomorphic=True)(*at),
    "jacrev": lambda f, at: jax.jacrev(f, every(at), holomorphic=True)(*at),
    "jacfwd of grad": lambda f, at: jax.jacfwd(OF_HOLOMORPHIC["grad"], 1, holomorphic=True)(f, at),
    "jacrev of grad": lambda f, at: jax.jacrev(OF_HOLOMORPHIC["grad"], 1, holomorphic=True)(f, at),
}


def check(m: Any, name: str, run: Any, bits: int = 64) -> None:
    twin, arguments = TWINS[name]
    dtypes = {32: ("float32", "complex64"), 64: ("float64", "complex128")}[bits]
    at = tuple(jnp.asarray(each, dtypes[np.iscomplexobj(each)]) for each in arguments)
    got, want = jax.tree.leaves(run(getattr(m, name), at)), jax.tree.leaves(run(twin, at))
    assert [row.dtype for row in got] == [row.dtype for row in want]
    for one, other in zip(got, want, strict=True):
        close(one, other, 1e-10 if bits == 64 else 1e-4)


@pytest.mark.parametrize("how", FIRST)
@pytest.mark.parametrize("name", TWINS)
def test_first_derivatives(m, name, how):
    check(m, name, FIRST[how])


@pytest.mark.parametrize("name", TWINS)
def test_single_precision(m, name):
    check(m, name, FIRST["jvp"], bits=32)
    check(m, name, FIRST["grad"], bits=32)


@pytest.mark.parametrize("how", OF_SECOND_ORDER)
@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives(m, name, how):
    check(m, name, OF_SECOND_ORDER[how])


@pytest.mark.parametrize("how", OF_HOLOMORPHIC)
@pytest.mark.parametrize("name", HOLOMORPHIC)
def test_holomorphic(m, name, how):
    check(m, name, OF_HOLOMORPHIC[how])


# Called by hand, a backward has the gradients of f_bwd. These are functions as any other.
def turn_backward(a: Any, b: Any, z: Any, given: Any = 0) -> Any:
    return given + z * (2 * a * b).conj(), z * (a * a).conj()


BY_HAND: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "backward": (lambda m, a, b, z: tuple(m.turn.bwd(a, b, (None, z))), turn_backward, (A, B, C)),
    "with a gradient": (
        lambda m, a, b, z, given: tuple(m.turn.bwd((a, given), b, (None, z))),
        turn_backward,
        (A, B, C, D),
    ),
    "scalar": (
        lambda m, x, y: tuple(m.scaled.bwd(x, 2 + 1j, (None, y))),
        lambda x, y: (y * (2 + 1j).conjugate() ** 2, (y * (2 * (2 + 1j) * x).conj()).sum().reshape(1)),
        (A, C),
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_backward_by_hand(m, name):
    ours, twin, arguments = BY_HAND[name]
    at = tuple(map(jnp.asarray, arguments))
    for run in (FIRST["call"], FIRST["jvp"], FIRST["vjp"], FIRST["grad"], FIRST["vmap of grad"]):
        got, want = (jax.tree.leaves(run(f, at)) for f in (lambda *v: ours(m, *v), twin))
        for one, other in zip(got, want, strict=True):
            close(one, other)


def test_linear_in_cotangents(m):
    """A backward without a second derivative has tangents by these."""
    run = lambda z: tuple(m.grow.bwd(jnp.asarray(X), (jnp.asarray(A), z)))  # noqa: E731
    twin = lambda z: ((z * (A * A).conj()).real, z * (2 * A * X).conj())  # noqa: E731
    got, want = (jax.jvp(f, (jnp.asarray(C),), (jnp.asarray(B),)) for f in (run, twin))
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        close(one, other)


def test_forward_by_hand(m):
    got = m.power.fwd((jnp.asarray(A), jnp.asarray(B))).y[1]
    close(got, jax.jvp(TWINS["power"][0], (A,), (B,))[1])


@pytest.mark.parametrize(
    ("name", "twin"), [("square", lambda a: a * a), ("product", lambda x: x[:, 0] * x[:, 1] ** 2)]
)
def test_gradients(m, name, twin):
    """Of a backward that is written by hand, and of tensors of structs."""
    x = jnp.asarray(A if name == "square" else np.stack([A, B], -1))
    close(jax.grad(loss(getattr(m, name)))(x), jax.grad(loss(twin))(x))


def test_struct(m):
    x = jnp.asarray(A)
    s = {"slope": 2.0, "offset": 1j}
    close(jax.grad(loss(lambda x: m.line(x, s)))(x), jax.grad(loss(lambda x: x * 2j))(x))
    given = {"slope": jnp.ones(1), "offset": jnp.full(1, 1j)}
    of_slope, of_offset = m.line.bwd(x, (s, given), (None, jnp.asarray(C))).s
    close(of_slope, [1 + (C * (1j * A).conj()).real.sum()])
    close(of_offset, [1j + (C * (2 * A).conj()).sum()])


def test_numbers_of_python(m):
    """They are primals and tangents themselves."""
    run, twin = (lambda a: m.turn(a, jnp.asarray(2 - 1j))), (lambda a: a * a * (2 - 1j))
    for how in (jax.jacfwd, jax.grad, jax.hessian):
        close(how(run, holomorphic=True)(1 + 2j), how(twin, holomorphic=True)(1 + 2j))


def test_without_64_bits(source):
    """The message says what JAX has to be told; not to what has 32 bits in all variants."""
    f = kernix.load(
        source(
            """
            #include <complex>
            #define KERNEL(name, T)                                                                              \\
              [[kernix::bind]] __global__ void name(const T *z, [[kernix::shape("z")]] T *y) { *y = *z * *z; }
            KERNEL(wide, std::complex<double>)
            KERNEL(narrow, std::complex<float>)
            """
        )
    )
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(kernix.KernelTypeError, match=r"of complex128, got one of complex64; .*'jax_enable_x64', True"):
            f.wide(jnp.ones(1, jnp.complex64))
        with pytest.raises(kernix.KernelTypeError, match=r"of complex128, got one of float32; .*'jax_enable_x64', True"):
            f.wide(jnp.ones(1, jnp.float32))
        with pytest.raises(kernix.KernelTypeError, match=r"of complex64, got one of float32$"):
            f.narrow(jnp.ones(1, jnp.float32))
        with pytest.raises(kernix.KernelTypeError, match=r"of complex128, got one of complex64; .*'jax_enable_x64', True"):
            jax.jit(f.wide)(A)
    finally:
        jax.config.update("jax_enable_x64", True)
