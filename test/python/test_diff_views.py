"""Views that carry their gradients: sources/diff_views.cu against torch."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

import kernix


@pytest.fixture(scope="module")
def views():
    return kernix.load(Path(__file__).parent / "sources" / "diff_views.cu", target="cpu")


def compare(function, reference, *arrays, rtol=1e-6, atol=0.0, **launch):
    """Values and gradients of a call that autograd records, against those of torch's operations in double."""
    given = [array.detach().clone().requires_grad_() for array in arrays]
    exact = [array.detach().double().requires_grad_() for array in arrays]
    result, expected = function(*given, **launch), reference(*exact)
    cotangent = torch.linspace(-1, 2, expected.numel(), dtype=result.dtype).reshape(expected.shape)
    result.backward(cotangent)
    expected.backward(cotangent.double())
    torch.testing.assert_close(result.double(), expected, rtol=rtol, atol=atol)
    for one, other in zip(given, exact, strict=True):
        torch.testing.assert_close(one.grad.double(), other.grad, rtol=rtol, atol=atol)


def random(*shape, dtype=torch.float64, seed=0):
    return (torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) * 2 - 1).to(dtype)


def test_casts_of_elements(views):
    x, w = random(40, dtype=torch.float16), random(40, dtype=torch.bfloat16, seed=1)
    compare(views.cast, lambda x, w: x * w + x, x, w, rtol=1e-2, atol=1e-6)


def test_pairs_from_python(views):
    x = np.linspace(-1, 1, 40, dtype=np.float32)
    y = np.empty_like(x)
    assert views.sqr(x, y, block=64, grid=1) is None
    np.testing.assert_allclose(y, x * x)
    cotangent = np.linspace(1, 2, 40, dtype=np.float32)
    gradient = views.sqr.bwd(x, (None, cotangent), block=64, grid=1).input
    np.testing.assert_allclose(gradient, 2 * x * cotangent, rtol=1e-6)
    given = np.ones_like(x)
    views.sqr.bwd(input=(x, given), output=(y, cotangent), block=64, grid=1)
    np.testing.assert_allclose(given, 1 + 2 * x * cotangent, rtol=1e-6)


def test_without_a_gradient_nothing_is_added(views):
    x, cotangent = np.ones(8, np.float32), np.ones(8, np.float32)
    assert views.sqr.bwd((x, None), (None, cotangent), block=8, grid=1).input is None


def test_roles_come_from_the_body(views):
    assert views.sqr.info["arg_spec"] == ["arg", "ret"]
    assert [each["name"] for each in views.sqr.info["parameters"]] == ["input", "output"]


def test_forward(views):
    x, t = np.linspace(-1, 1, 8, dtype=np.float32), np.linspace(1, 2, 8, dtype=np.float32)
    value, tangent = views.sqr.fwd((x, t), block=8, grid=1, output=(np.empty_like(x), np.empty_like(x))).output
    np.testing.assert_allclose(value, x * x)
    np.testing.assert_allclose(tangent, 2 * x * t, rtol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [(torch.float64, 1e-12), (torch.float32, 1e-5), (torch.float16, 3e-2), (torch.bfloat16, 2e-1)],
)
def test_every_load(views, dtype, tolerance):
    def reference(x, w, u, once):
        return x * w[0, 1] + x[0, 1] * u + u * u * once

    arrays = [random(12, 9, dtype=dtype, seed=seed) for seed in range(4)]
    compare(views.all_loads, reference, *arrays, rtol=tolerance, atol=tolerance, grid=(2, 2))


@pytest.mark.parametrize(("block", "grid"), [(32, 1), (7, 3), (64, 4)])
def test_more_elements_than_threads(views, block, grid):
    compare(views.in_strides, lambda x, w: x * x * w, random(100), random(1, seed=1), block=block, grid=grid)


def test_strides(views):
    """A gradient has strides of its own."""
    x = random(9, 12).T
    others = [random(12, 9, seed=seed) for seed in (1, 2, 3)]
    y = views.all_loads(x, *others, grid=(2, 2))
    cotangent = random(18, 24, seed=4)[::2, ::2].T[:12, :9]
    gradients = [torch.zeros(24, 18, dtype=torch.float64)[::2, ::2] for _ in range(4)]
    pairs = zip((x, *others), gradients, strict=True)
    views.all_loads.bwd(*pairs, (y, cotangent), grid=(2, 2))
    exact = [each.clone().requires_grad_() for each in (x, *others)]
    a, w, u, once = exact
    (a * w[0, 1] + a[0, 1] * u + u * u * once).backward(cotangent)
    for gradient, each in zip(gradients, exact, strict=True):
        torch.testing.assert_close(gradient, each.grad)


@pytest.mark.parametrize(
    ("name", "shape"),
    [("int", (8,)), ("unsigned", (8,)), ("int2", (4, 3)), ("uint2", (4, 3)), ("int3", (4, 3, 2)), ("uint3", (4, 3, 2))]
    + [("int4", (4, 3, 2, 5)), ("uint4", (4, 3, 2, 5))],
)
def test_indices(views, name, shape):
    x, cotangent = random(*shape), random(*shape, seed=1)
    block, grid = shape[:3], shape[3] if len(shape) == 4 else 1
    y = torch.zeros_like(x)
    function = getattr(views, f"by_{name}")
    function(x, y, block=block, grid=grid)
    torch.testing.assert_close(y, x.sin() * x)
    gradient = function.bwd(x, (None, cotangent), block=block, grid=grid).x
    torch.testing.assert_close(gradient, (x.cos() * x + x.sin()) * cotangent)


def test_vectors(views):
    def reference(a, b, c):
        first = a[:, 0] * b[:, 1] * c[0, 0] + b[:, 0]
        return torch.stack([first, a[:, 1] * b[:, 2] + a[:, 2] * b[:, 3] * c[0, 1]], 1)

    arrays = [random(70, 3, dtype=torch.float32), random(70, 4, dtype=torch.float32), random(1, 2, dtype=torch.float32)]
    compare(views.vectors, reference, *arrays, rtol=1e-5, atol=1e-5)


def test_in_loops_and_functions(views):
    def reference(x, c):
        rows = []
        for row in x:
            total = torch.zeros((), dtype=torch.float64)
            for v in row:
                value = sum(c[k] * v**k for k in range(len(c)))
                total = total + (v * total).sin() + value if v > 0 else total - v * v
            rows.append(total)
        return torch.stack(rows)

    compare(views.in_loops, reference, random(20, 5), random(3, seed=1), rtol=1e-10, atol=1e-12)


def test_rows_as_one_in_steps_of_the_grid(views):
    x = random(5, 7).numpy()
    cotangent = np.linspace(-1, 2, 35).reshape(7, 5)
    gradient = cotangent.T * x[0, 0]
    gradient[0, 0] += (cotangent.T * x).sum()
    y = np.zeros((7, 5))
    for block, grid in ((2, 3), (64, 2)):
        launch = {"start": 0, "end": 35, "block": block, "grid": grid}
        views.rows_as_one(x, y, **launch)
        np.testing.assert_allclose(y, x.T * x[0, 0])
        np.testing.assert_allclose(views.rows_as_one.bwd(x, (None, cotangent), **launch).x, gradient)
    # Around zero a quotient takes up two rows.
    with pytest.raises(kernix.KernelError, match="several stores may be to the same element of 'y'"):
        views.rows_as_one.bwd(x, (None, cotangent), start=-3, end=35, block=2, grid=3)


def test_steps_that_these_arguments_make_zero(views):
    x = np.arange(6.0)
    gradient = views.in_steps.bwd(x, (None, np.ones(6)), count=3, step=2, block=1, grid=1).x
    np.testing.assert_allclose(gradient, 2 * x * [1, 0, 1, 0, 1, 0])
    with pytest.raises(kernix.KernelError, match="several stores may be to the same element of 'y'"):
        views.in_steps.bwd(x, (None, np.ones(6)), count=3, step=0, block=1, grid=1)


def test_beside_other_parameters(views):
    x, w, k = random(5), random(12, seed=1), random(12, seed=2)
    index = torch.randint(0, 5, (12,), generator=torch.Generator().manual_seed(3), dtype=torch.int32)
    a = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    x.requires_grad_(), w.requires_grad_()
    exact = [each.detach().clone().requires_grad_() for each in (x, w, a)]
    views.mixed(x, w, index, k, a).sum().backward()
    (exact[2] * exact[0][index.long()] * exact[1] + k * exact[1][0]).sum().backward()
    for one, other in zip((x, w, a), exact, strict=True):
        torch.testing.assert_close(one.grad, other.grad)


def test_a_view_of_the_users(views):
    def reference(image, places):
        u, v = places[:, 0], places[:, 1]
        c, r = u.detach().floor().long(), v.detach().floor().long()
        fu, fv = u - c, v - r
        top = image[r, c] * (1 - fu) + image[r, c + 1] * fu
        bottom = image[r + 1, c] * (1 - fu) + image[r + 1, c + 1] * fu
        return (top * (1 - fv) + bottom * fv) ** 2

    compare(views.sampled, reference, random(6, 6), random(30, 2, seed=1) * 2 + 2.5, rtol=1e-10, atol=1e-12)


def test_host_functions(views):
    compare(views.doubles, lambda x: 2 * x, random(50))
    x = np.linspace(1, 2, 50)
    assert views.doubles.bwd((x, None), (2 * x, x)).x is None
    assert views.doubles.info["arg_spec"] == ["arg", "ret", "stream"]
    assert views.first_of(x) == 1


def test_device_functions(views):
    x = np.linspace(1, 2, 6)
    assert views.neighbours(x, 3) == x[3] * x[4]
    np.testing.assert_allclose(views.neighbours.bwd(x, 3, result=2.0).x, [0, 0, 0, 2 * x[4], 2 * x[3], 0])
    y = np.zeros(6)
    views.put_square(x, y, 1)
    np.testing.assert_allclose(y, [0, x[1] ** 2, 0, 0, 0, 0])
    np.testing.assert_allclose(views.put_square.bwd(x, (None, np.ones(6)), 1).x, [0, 2 * x[1], 0, 0, 0, 0])


def test_rules_and_bwd_diff_of_functions_with_views(views):
    compare(views.with_rule, lambda x, a: x * a, random(40), random(1, seed=1))
    x, gradient = np.linspace(1, 2, 40), np.zeros(40)
    views.slopes(x, gradient, block=64, grid=1)
    np.testing.assert_allclose(gradient, 3 * x**2)


def test_a_backward_kernel_written_by_hand(views):
    compare(views.cubes, lambda x: x**3, random(50, dtype=torch.float32), rtol=1e-5)


def test_gradcheck(views):
    result = kernix.gradcheck(views.all_loads, *(random(4, 3, seed=seed) for seed in range(4)), grid=(1, 1))
    assert result.ok, str(result)
    result = kernix.gradcheck(views.in_loops, random(6, 4), random(3, seed=1))
    assert result.ok, str(result)


def test_several_threads_that_store_one_element(views):
    x = np.ones(4)
    with pytest.raises(kernix.KernelError, match="does not depend on threadIdx.y, and the block has 2"):
        views.by_int.bwd(x, (None, x), block=(4, 2), grid=1)


def test_stores_that_in_this_launch_replace_those_of_other_threads(views):
    x, given = np.arange(8.0), np.arange(1, 25.0)
    gradient = views.rows_in_turn.bwd(x, (None, given), rows=3, block=8, grid=1).x
    np.testing.assert_allclose(gradient, [1, 2, 3] @ given.reshape(3, 8))
    # The place is the user's, not that of the view's own code.
    message = "diff_views.cu:[0-9]+: .*another thread may have stored before a barrier"
    with pytest.raises(kernix.KernelError, match=message):
        views.rows_in_turn.bwd(given, (None, given), rows=2, block=16, grid=1)


def test_a_gradient_has_the_shape_of_its_value(views):
    x = np.ones(8, np.float32)
    with pytest.raises(kernix.KernelError, match="'input_grad': expected .*shape"):
        views.sqr.bwd((x, np.ones(7, np.float32)), (None, x), block=8, grid=1)


def test_indices_say_how_many_axes_there_are(views):
    x = np.ones((4, 3, 2))
    with pytest.raises(kernix.KernelError, match="'x': expected .*rank 2"):
        views.by_int2(x, x.copy(), block=(4, 3), grid=1)


def test_a_gradient_that_overlaps_another_tensor(views):
    x = np.ones(8, np.float32)
    with pytest.raises(kernix.KernelError, match="overlaps"):
        views.sqr.bwd((x, x), (None, np.ones_like(x)), block=8, grid=1)


@pytest.fixture(scope="module")
def checked():
    return kernix.load(Path(__file__).parent / "sources" / "wrong_loads.cu", target="cpu", checks=["accumulation", "bounds"])


def test_an_element_that_two_threads_read(checked):
    x = np.ones((4, 3))
    with pytest.raises(kernix.KernelError) as error:
        checked.shared_row.bwd(x, (None, x), block=(4, 3), grid=1)
    wanted = r"loadUniform of 'x', element \((\d), 0\): thread (\d+) of block 0 reads it, and so does thread (\d+) of block 0"
    found = re.search(wanted, str(error.value))
    assert found, str(error.value)
    row, one, other = map(int, found.groups())
    assert one != other and one % 4 == other % 4 == row


def test_bounds(checked):
    with pytest.raises(kernix.KernelError, match="index 2 is out of bounds for axis 0 of size 2"):
        checked.shared_row(np.ones((2, 3)), np.ones((4, 3)), block=(4, 3), grid=1)


def test_an_element_that_is_read_again(checked):
    x = np.ones(70)
    wanted = r"loadUniformOnce of 'long_name_of_a_tensor', element \(\d+\): thread \d+ of block \d reads it again"
    with pytest.raises(kernix.KernelError, match=wanted):
        checked.twice.bwd(x, (None, x), block=32, grid=3)


@pytest.mark.parametrize("name", ["assigned", "plainly"])
def test_an_element_that_other_threads_add_to(checked, name):
    x = np.ones(32)
    with pytest.raises(kernix.KernelError, match="load[A-Za-z]* of 'x', element") as error:
        getattr(checked, name).bwd(x, (None, x), block=32, grid=1)
    element, one, _, other, _ = map(int, read_by(str(error.value)))
    assert one != other and element in (one, other)


def test_an_element_that_is_assigned_and_added_to(checked):
    x = np.ones(32)
    with pytest.raises(kernix.KernelError, match=r"of 'x', element \(\d+\): thread \d+ of block 0 reads it again"):
        checked.assigned_by_one.bwd(x, (None, x), block=32, grid=1)


def test_one_thread_may_add_in_several_ways(checked):
    x = np.linspace(-1, 1, 64)
    gradient = checked.mixed.bwd(x, (None, np.ones(32)), block=32, grid=1).x
    np.testing.assert_allclose(gradient[:32], 2 * x[:32])
    np.testing.assert_allclose(gradient[32:], np.roll(x[32:], 1) + np.roll(x[32:], -1))


def test_what_is_right_passes_the_check(checked):
    x = np.linspace(-1, 1, 3000)
    for _ in range(3):  # each launch is looked at by itself
        gradients = checked.right.bwd(x, x, (None, np.ones_like(x)), block=64, grid=50)
    np.testing.assert_allclose(gradients.own, 2 * x)
    np.testing.assert_allclose(gradients.once, 1)


def read_by(message):
    """Element and the two threads of a report."""
    found = re.search(r"element \((.*?)\): thread (\d+) of block (\d+) reads it, and so does thread (\d+) of block (\d+)", message)
    assert found, message
    return found.group(1), *(int(found.group(k)) for k in range(2, 6))


def test_what_the_source_says_of_pointers_is_checked(checked):
    x = np.ones(96, np.float32)
    with pytest.raises(kernix.KernelError, match=r"diff\(unique\) of 'weights', element") as error:
        checked.pairs.bwd(np.ones(48, np.float32), x, (None, x), block=32, grid=3)
    element, one, block, other, other_block = read_by(str(error.value))
    assert block == other_block and one // 2 == other // 2 and one != other
    assert int(element) == (block * 32 + one) // 2


def test_what_the_source_says_of_views_is_checked(checked):
    table = np.ones((3, 4))
    for given in (table, np.asfortranarray(table)):
        with pytest.raises(kernix.KernelError, match=r"diff\(unique\) of 'table', element \(\d, 1\)") as error:
            gradient = np.zeros_like(given)
            checked.rows.bwd((given, gradient), (None, table), block=(3, 4), grid=1)
        element, one, _, other, _ = read_by(str(error.value))
        assert one % 3 == other % 3 == int(element[0])


def test_an_element_that_neighbours_store(checked):
    x, ones = np.ones(96), np.ones(97)
    wanted = r"store of 'y', element \((\d+)\): thread (\d+) of block (\d) stores it, and so does thread (\d+) of block (\d)"
    with pytest.raises(kernix.KernelError, match="store of 'y'") as error:
        checked.neighbours.bwd(x, (None, ones), block=32, grid=3)
    found = re.search(wanted, str(error.value))
    assert found, str(error.value)
    element, one, block, other, other_block = map(int, found.groups())
    assert {block * 32 + one, other_block * 32 + other} == {element - 1, element}


def test_elements_of_views_that_threads_store_again(checked):
    x, places, y = np.ones(8), np.arange(8, dtype=np.int32), np.ones((8, 3))
    for function in (checked.scattered, checked.columns):
        np.testing.assert_allclose(function.bwd(x, places, (None, y), block=8, grid=1).x, 1)
    places[5] = 2
    for function in (checked.scattered, checked.columns):
        with pytest.raises(kernix.KernelError, match=r"store of 'y', element \(2, 1\): thread [25] of block 0 stores it"):
            function.bwd(x, places, (None, y), block=8, grid=1)


def test_cotangents_that_are_one_number_pass_the_check(checked):
    x, places = np.ones(8), np.arange(8, dtype=np.int32)
    for function in (checked.scattered, checked.columns):
        np.testing.assert_allclose(function.bwd(x, places, (None, np.broadcast_to(1.0, (8, 3))), block=8, grid=1).x, 1)


def test_stores_of_one_thread_pass_the_check(checked):
    x, gradient, ones = np.arange(64.0), np.ones(64), np.ones(64)
    for _ in range(2):
        result = checked.own_stores.bwd((x, gradient.copy()), (None, ones), block=32, grid=2).x
        np.testing.assert_allclose(result, 2 * x + 1 + np.arange(64) % 2)


def test_an_element_that_is_assigned_again(checked):
    v, y = np.ones((20, 4), np.float32), np.ones(10, np.float32)
    index = np.arange(20, dtype=np.int32)
    checked.vectors.bwd(v, index, (None, y), block=10, grid=1)  # nothing is read twice
    index[7] = index[6]
    with pytest.raises(kernix.KernelError, match=r"diff\(once\) of 'v', element \(6\): thread 3 of block 0 reads it again"):
        checked.vectors.bwd(v, index, (None, y), block=10, grid=1)


def test_what_the_source_says_rightly_passes(checked):
    x = np.linspace(-1, 1, 3000)
    for _ in range(3):
        gradients = checked.kept.bwd(x, x, (None, np.ones_like(x)), block=64, grid=50)
    np.testing.assert_allclose(gradients.own, 2 * x * x)
    np.testing.assert_allclose(gradients.once, x * x)
