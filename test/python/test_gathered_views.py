"""Views with scratch memory and after(): sources/gathered_views.cu against torch, on the CPU."""

import resource
from pathlib import Path

import numpy as np
import pytest
import torch

import kernix

SOURCE = Path(__file__).parent / "sources" / "gathered_views.cu"


@pytest.fixture(scope="module")
def views():
    return kernix.load(SOURCE, target="cpu")


def random(*shape, dtype=torch.float64, seed=0):
    return (torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * 2 - 1).to(dtype)


def blend(table, index, x):
    rows = []
    for i, n in enumerate(index.tolist()):
        total = sum((table[k % 3] * torch.sin(x[i] + k) for k in range(n)), torch.zeros((), dtype=torch.float64))
        rows.append(total * table[0])
    return torch.stack(rows)


@pytest.mark.parametrize(
    ("name", "dtype", "tolerance"),
    [(name, torch.float64, 1e-11) for name in ("r1", "r3", "r32", "asr1", "asr4", "asr16")]
    + [("rfloat", torch.float32, 1e-5), ("asrfloat", torch.float32, 1e-5)]
    + [("rhalf", torch.float16, 5e-3), ("rbfloat", torch.bfloat16, 4e-2)]
    + [("asrhalf", torch.float16, 5e-2), ("asrbfloat", torch.bfloat16, 3e-1)],
)
def test_many_threads_read_few_elements(views, name, dtype, tolerance):
    table, x = random(3, dtype=dtype), random(300, seed=1)
    index = torch.randint(0, 7, (300,), generator=torch.Generator().manual_seed(2), dtype=torch.int32)
    cotangent = random(300, seed=3)
    given = [table.clone().requires_grad_(), x.clone().requires_grad_()]
    exact = [table.double().requires_grad_(), x.clone().requires_grad_()]
    result, expected = getattr(views, f"blend_{name}")(given[0], index, given[1]), blend(exact[0], index, exact[1])
    torch.testing.assert_close(result, expected, rtol=1e-10, atol=1e-10)
    result.backward(cotangent)
    expected.backward(cotangent)
    torch.testing.assert_close(given[0].grad.double(), exact[0].grad, rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(given[1].grad, exact[1].grad)


def test_sums_of_16_bit_numbers(views):
    """Replicas are floats; notes are added in their own type, in which 256 and 1 are 256."""
    table, x = torch.ones(3, dtype=torch.bfloat16), torch.full((2000,), torch.pi / 2, dtype=torch.float64)
    index = torch.ones(2000, dtype=torch.int32)
    for name, expected in (("rbfloat", 4000), ("asrbfloat", 256)):
        gradients = getattr(views, f"blend_{name}").bwd(table, index, x, (None, torch.ones_like(x)))
        assert gradients.table.tolist() == [expected, 0, 0]


def test_gradients_are_added_to(views):
    """What is given stays, and a gradient that nobody wants costs nothing."""
    table, x, index = random(3), random(50, seed=1), torch.full((50,), 3, dtype=torch.int32)
    cotangent = random(50, seed=2)
    for name in ("r3", "asr4"):
        function = getattr(views, f"blend_{name}")
        fresh = function.bwd(table, index, x, (None, cotangent))
        given = torch.ones(3, dtype=torch.float64)
        function.bwd((table, given), index, x, (None, cotangent))
        torch.testing.assert_close(given, 1 + fresh.table)
        without = function.bwd((table, None), index, x, (None, cotangent))
        assert without.table is None
        torch.testing.assert_close(without.x, fresh.x)


def test_numpy_has_scratch_memory_too(views):
    table, x, index = random(3).numpy(), random(50, seed=1).numpy(), np.full(50, 3, np.int32)
    results = [getattr(views, f"blend_{name}").bwd(table, index, x, (None, np.ones(50))).table for name in ("r3", "asr4")]
    np.testing.assert_allclose(results[0], results[1], rtol=1e-12)
    assert isinstance(results[0], np.ndarray) and np.abs(results[0]).min() > 0


def test_forward(views):
    table, x, index = random(3), random(20, seed=1), torch.full((20,), 4, dtype=torch.int32)
    tangents = [random(3, seed=2), random(20, seed=3)]
    expected = torch.autograd.functional.jvp(lambda t, v: blend(t, index, v), (table, x), tuple(tangents))
    for name in ("r3", "asr4"):
        value, tangent = getattr(views, f"blend_{name}").fwd((table, tangents[0]), index, (x, tangents[1])).y
        torch.testing.assert_close(value, expected[0])
        torch.testing.assert_close(tangent, expected[1])


@pytest.mark.parametrize(
    ("name", "shape"),
    [("int", (8,)), ("unsigned", (8,)), ("int2", (4, 3)), ("uint2", (4, 3)), ("int3", (4, 3, 2)), ("uint3", (4, 3, 2))]
    + [("int4", (4, 3, 2, 5)), ("uint4", (4, 3, 2, 5))],
)
def test_indices(views, name, shape):
    r, s, cotangent = random(*shape), random(*shape, seed=1), random(*shape, seed=2)
    block, grid = shape[:3], shape[3] if len(shape) == 4 else 1
    exact = [each.clone().requires_grad_() for each in (r, s)]
    first = (0,) * len(shape)
    (exact[0].sin() * exact[1] + exact[0][first] * exact[1][first]).backward(cotangent)
    # Gradients whose axes lie the other way round in memory.
    axes = tuple(reversed(range(len(shape))))
    gradients = [torch.zeros(*reversed(shape), dtype=torch.float64).permute(axes) for _ in range(2)]
    function = getattr(views, f"by_{name}")
    function.bwd((r, gradients[0]), (s, gradients[1]), (None, cotangent), block=block, grid=grid)
    for gradient, each in zip(gradients, exact, strict=True):
        torch.testing.assert_close(gradient, each.grad)


def test_vectors(views):
    a, b, c = (random(*shape, dtype=torch.float32, seed=k) for k, shape in enumerate([(2, 3), (70, 4), (1, 2)]))
    cotangent = random(70, 2, dtype=torch.float32, seed=4)
    given = [each.clone().requires_grad_() for each in (a, b, c)]
    exact = [each.double().requires_grad_() for each in (a, b, c)]
    p, q, r = exact[0][torch.arange(70) % 2], exact[1], exact[2]
    first = p[:, 0] * q[:, 1] * r[0, 0] + q[:, 0]
    expected = torch.stack([first, p[:, 1] * q[:, 2] + p[:, 2] * q[:, 3] * r[0, 1]], 1)
    views.vectors(*given).backward(cotangent)
    expected.backward(cotangent.double())
    for one, other in zip(given, exact, strict=True):
        torch.testing.assert_close(one.grad.double(), other.grad, rtol=1e-5, atol=1e-5)


def test_helper_functions(views):
    r, s, cotangent = random(5), random(40, seed=1), random(40, seed=2)
    given, exact = ([each.clone().requires_grad_() for each in (r, s)] for _ in range(2))
    views.passed(*given).backward(cotangent)
    (exact[0][0] * exact[1] + exact[0][1] * exact[0][2] * exact[1][2] + exact[1][0]).backward(cotangent)
    for one, other in zip(given, exact, strict=True):
        torch.testing.assert_close(one.grad, other.grad)


def test_outputs(views):
    x = random(30).requires_grad_()
    y, z = views.stored(x)
    cotangent = random(30, seed=1)
    torch.autograd.backward([y, z], [cotangent, torch.ones(1, dtype=torch.float64).expand(30)])
    torch.testing.assert_close(x.grad, 2 * x.detach() * cotangent + 3)


def test_after_of_the_users(views):
    x, w = random(4), random(100, seed=1)
    expected = torch.stack([w[k::4].sum() for k in range(4)])
    ones = torch.ones(100, dtype=torch.float64)
    torch.testing.assert_close(views.scaled.bwd(x, (w, None), (None, ones)).x, expected / 2)
    assert views.scaled.bwd((x, None), w, (None, ones)).x is None
    torch.testing.assert_close(
        views.rows.bwd(x, (w, None), (None, ones)).x, expected + torch.tensor([0, 100, 0, 0], dtype=torch.float64)
    )


def test_after_that_fails(views):
    x = np.ones(4)
    with pytest.raises(kernix.KernelError, match="failing_bwd.*nothing to bring together"):
        views.failing.bwd(x, (None, x), block=4, grid=1)


def test_more_scratch_memory_than_there_is(views):
    x = np.ones(1024)
    # Some systems promise any amount of memory.
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 42, before[1]))
    try:
        with pytest.raises(kernix.KernelError, match=r"the \d+ bytes of scratch memory for the gradient of 'x' could not be"):
            views.greedy.bwd(x, (None, x), block=1024, grid=1)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def test_a_backward_kernel_written_by_hand(views):
    x, cotangent = random(3), random(30, seed=1)
    gradient = views.by_hand.bwd(x, (cotangent, cotangent), block=32, grid=1).x
    torch.testing.assert_close(gradient, 2 * x * torch.stack([cotangent[k::3].sum() for k in range(3)]))


def test_nothing_to_launch(views):
    table, index, x = random(3), torch.zeros(0, dtype=torch.int32), random(0)
    for name in ("r3", "asr4"):
        gradients = getattr(views, f"blend_{name}").bwd(table, index, x, (None, x))
        assert torch.equal(gradients.table, torch.zeros(3, dtype=torch.float64))


@pytest.mark.parametrize("name", ["r3", "asr4"])
def test_gradcheck(views, name):
    function = getattr(views, f"blend_{name}")
    result = kernix.gradcheck(function, random(3), torch.full((6,), 5, dtype=torch.int32), random(6, seed=1))
    assert result.ok, str(result)


def test_a_gradient_that_overlaps_another(views):
    """What one view assigns, another must not have added to."""
    x = random(8)
    gradient = torch.zeros_like(x)
    with pytest.raises(kernix.KernelError, match="overlaps"):
        views.by_int.bwd((x, gradient), (x, gradient), (None, x), block=8, grid=1)


def test_device_functions(views):
    x, s = (np.linspace(1, 2, 4) + k for k in range(2))
    gradients = views.product.bwd(x, s, 2, result=1.0)
    np.testing.assert_allclose(gradients.x, [0, 0, s[2] * s[0] / 2, 0])
    np.testing.assert_allclose(gradients.s, [x[2] * s[2] / 2, 0, x[2] * s[0] / 2, 0])
