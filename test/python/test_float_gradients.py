"""Gradients of 16-bit numbers: summed in float, rounded once."""

import kernix
import numpy as np
import pytest
from conftest import SOURCES, has_gpu

torch = pytest.importorskip("torch")

NUMBER = 5000  # 2048 ones and one more are 2048 in float16; in bfloat16, 256 are
DTYPES = [torch.float16, torch.bfloat16]
each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype).partition(".")[2])


@pytest.fixture(scope="module")
def m():
    return kernix.load(SOURCES / "float_gradients.cu")


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    if request.param == "cuda" and not has_gpu():
        pytest.skip("no GPU")
    return request.param


def ones(*shape, dtype, device, **options):
    return torch.ones(*shape, dtype=dtype, device=device, **options)


@each_dtype
@pytest.mark.parametrize("name", ["shared_factor", "gathered", "rows", "of_view", "in_register"])
def test_sums(m, device, dtype, name):
    shape = {"gathered": (3,), "rows": (4,), "of_view": (1, 1), "in_register": (2,)}.get(name, (1,))
    w = ones(*shape, dtype=dtype, device=device, requires_grad=True)
    x = ones(*((NUMBER, 4) if name == "rows" else (NUMBER,)), dtype=dtype, device=device)
    extra = (torch.full((NUMBER,), 1, dtype=torch.int32, device=device),) if name == "gathered" else ()
    y = m[name](w, *extra, x)
    y.backward(torch.ones_like(y))
    expected = torch.zeros_like(w) if name == "gathered" else torch.full_like(w, NUMBER)
    if name == "gathered":
        expected[1] = NUMBER
    assert torch.equal(w.grad, expected.to(dtype))
    assert w.grad.dtype == dtype


@each_dtype
def test_scalar(m, device, dtype):
    x, g = ones(NUMBER, dtype=dtype, device=device), ones(NUMBER, dtype=dtype, device=device)
    given = torch.full((1,), 8.0, dtype=dtype, device=device)
    m.scalar_factor.bwd(w=(torch.tensor(1.0, dtype=dtype), given), x=(x, None), y=(None, g))
    assert given.item() == torch.tensor(NUMBER + 8.0).to(dtype).item()


@each_dtype
def test_elements_met_again(m, device, dtype):
    w = ones(3, 7, dtype=dtype, device=device, requires_grad=True)
    m.again(w, times=NUMBER).backward(ones(3, dtype=dtype, device=device))
    expected = torch.full_like(w, 0.001 * NUMBER)
    assert torch.allclose(w.grad, expected, rtol=0.01)


@each_dtype
def test_random_sums_are_rounded_once(m, device, dtype):
    torch.manual_seed(3)
    x = torch.randn(NUMBER, dtype=dtype, device=device)
    g = torch.randn(NUMBER, dtype=dtype, device=device)
    at = torch.randint(0, 5, (NUMBER,), dtype=torch.int32, device=device)
    w = torch.randn(5, dtype=dtype, device=device, requires_grad=True)
    m.gathered(w, at, x).backward(g)
    products = (x * g).double()  # each rounded as the kernel rounds it
    expected = torch.zeros(5, dtype=torch.double, device=device).index_add_(0, at.long(), products)
    unit = torch.finfo(dtype).eps
    assert torch.all((w.grad.double() - expected).abs() <= expected.abs() * unit + 1e-3)


@each_dtype
def test_adds_to_what_is_given(m, device, dtype):
    """Views with gaps, and none of what lies between is touched."""
    memory = torch.full((4, 6), 16.0, dtype=dtype, device=device)
    w = ones(2, 2, dtype=dtype, device=device)
    x = ones(NUMBER, dtype=dtype, device=device)
    m.of_view.bwd(w=(w, memory[1:3, 1:5:3]), x=(x, None), y=(None, x))
    expected = torch.full_like(memory, 16.0)
    for k in range(2):  # i % 2 in both axes
        expected[1 + k, 1 + 3 * k] = torch.tensor(NUMBER / 2 + 16).to(dtype)
    assert torch.equal(memory, expected)


def test_negative_strides(m):
    memory = np.zeros((3, 4), np.float16)
    w, x = np.ones((3, 4), np.float16), np.ones(NUMBER * 12, np.float16)
    m.of_view.bwd(w=(w, memory[::-1, ::-1]), x=(x, None), y=(None, x))
    expected = np.full((3, 4), NUMBER, np.float16)  # 3 and 4 have no common factor
    np.testing.assert_array_equal(memory, expected)


@each_dtype
def test_gradients_that_are_one(m, device, dtype):
    w, x = ones(1, dtype=dtype, device=device), ones(NUMBER, dtype=dtype, device=device)
    both = torch.zeros(1, dtype=dtype, device=device)
    m.two.bwd(v=(w, both), w=(w, both), x=(x, None), y=(None, x))
    assert abs(both.item() - 2 * NUMBER) <= 2 * NUMBER * torch.finfo(dtype).eps


@each_dtype
def test_empty_and_unwanted(m, device, dtype):
    w = ones(1, dtype=dtype, device=device, requires_grad=True)
    m.shared_factor(w, ones(0, dtype=dtype, device=device)).sum().backward()
    assert w.grad.item() == 0
    x = ones(5, dtype=dtype, device=device, requires_grad=True)
    m.shared_factor(w.detach(), x).sum().backward()
    assert torch.equal(x.grad, ones(5, dtype=dtype, device=device))


@each_dtype
def test_infinities_and_nan_stay(m, device, dtype):
    for value in (float("inf"), float("-inf"), float("nan")):
        w = ones(1, dtype=dtype, device=device, requires_grad=True)
        x = torch.tensor([1, value, 2], dtype=dtype, device=device)
        m.shared_factor(w, x).backward(ones(3, dtype=dtype, device=device))
        np.testing.assert_equal(w.grad.item(), value)


@each_dtype
def test_subnormals(m, device, dtype):
    smallest = torch.finfo(dtype).smallest_normal / 4
    w = ones(1, dtype=dtype, device=device, requires_grad=True)
    x = torch.full((3,), smallest, dtype=dtype, device=device)
    m.shared_factor(w, x).backward(ones(3, dtype=dtype, device=device))
    assert w.grad.item() == pytest.approx(3 * smallest, rel=0.01) or dtype is torch.bfloat16


@each_dtype
def test_one_addition_to_each(m, device, dtype):
    x = torch.full((9,), 3.0, dtype=dtype, device=device, requires_grad=True)
    m.each(x).backward(ones(9, dtype=dtype, device=device))
    assert torch.equal(x.grad, torch.full_like(x, 6.0))


def test_float_is_as_before(m, device):
    w = ones(1, dtype=torch.float32, device=device, requires_grad=True)
    m.shared_factor(w, ones(NUMBER, dtype=torch.float32, device=device)).sum().backward()
    assert w.grad.item() == NUMBER


def in_dtype(m, name, given, fixed, launch, dtype):
    """Gradients in float of a call with tensors of the dtype."""
    leaves = {key: value.to(dtype).clone().requires_grad_() for key, value in given.items()}
    y = m[name](**leaves, **fixed, **launch)
    torch.manual_seed(7)
    y.backward((torch.rand(y.shape, device=y.device) + 0.5).to(torch.bfloat16).to(dtype))
    return {key: leaf.grad.float() for key, leaf in leaves.items()}


@each_dtype
@pytest.mark.parametrize("name", ["in_shared", "in_array", "layer_norm", "scattered"])
def test_as_in_float(m, device, dtype, name):
    """The gradients of the variant in float, up to the rounding of what is added."""
    torch.manual_seed(5)

    def random(*shape):
        return (torch.rand(*shape, device=device) + 0.25).to(dtype).float()

    fixed, launch = {}, {"block": 64, "grid": NUMBER // 64 + 1}
    given = {"w": random(8), "x": random(NUMBER)}
    if name == "layer_norm":
        given = {"x": random(NUMBER, 6), "g": random(6), "b": random(6)}
    elif name == "scattered":
        given["x"] /= 64
        fixed["at"] = torch.randint(0, 8, (NUMBER,), dtype=torch.int32, device=device)
    elif name == "in_array":
        given["w"] = random(4)
    expected = in_dtype(m, name, given, fixed, launch, torch.float32)
    actual = in_dtype(m, name, given, fixed, launch, dtype)
    for key, value in expected.items():
        error = (actual[key] - value).abs().max() / value.abs().max()
        assert error < 3 * torch.finfo(dtype).eps, key


@each_dtype
@pytest.mark.parametrize(
    "name", ["staged", "staged_dynamically", "own_array", "own_struct", "block_sum", "products_of_pairs", "tiled"]
)
def test_many_additions_in_variables(m, device, dtype, name):
    """Elements of shared memory and of a thread's arrays that are read thousands of times."""
    torch.manual_seed(5)
    fixed, launch = {"times": 2000}, {"block": 512, "grid": 2}
    given = {"w": torch.ones(8, device=device), "x": torch.rand(1000, device=device).to(dtype).float() + 1}
    if name.startswith("own"):
        fixed, given["x"] = {"times": 20000}, given["x"][:128]
    elif name == "staged_dynamically":
        launch["shared_bytes"] = 11 * 4  # with an odd number of elements before them
    elif name == "block_sum":
        fixed, given["x"] = {}, given["x"] / 64
        given["w"] = given["w"] / 4
    elif name == "tiled":
        given = {key: torch.rand(128, 32, device=device).to(dtype).float() for key in "ab"}
        given["b"] = given["b"].reshape(32, 128)
        fixed, launch = {}, {}
    expected = in_dtype(m, name, given, fixed, launch, torch.float32)
    actual = in_dtype(m, name, given, fixed, launch, dtype)
    for key, value in expected.items():
        error = (actual[key] - value).abs().max() / value.abs().max()
        assert error < 3 * torch.finfo(dtype).eps, key


@each_dtype
def test_in_out(m, device, dtype):
    y = torch.rand(NUMBER, device=device).to(dtype)
    w, gradient = ones(1, dtype=dtype, device=device), torch.zeros(1, dtype=dtype, device=device)
    m.scaled.bwd(y=(y.clone(), torch.ones_like(y)), w=(w, gradient))
    assert gradient.item() == pytest.approx(y.float().sum().item(), rel=2 * torch.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", [torch.float32, *DTYPES], ids=lambda dtype: str(dtype).partition(".")[2])
def test_numbers_by_value(m, device, dtype):
    x, g = (torch.tensor(row, dtype=dtype, device=device) for row in ([0.5, 2.0, 3.0], [1.0, 2.0, 4.0]))
    found = m.in_branches.bwd(x, w=1.5, y=(None, g))
    assert found.w.item() == 1 * 2 * 1.5 + 2 * 2 + 4 * 3
    assert found.x.tolist() == [0, 3, 6]
    found = m.mixed.bwd(x, w=(1.5, 2, 0.5), y=(None, g))
    assert (found.w.a, found.w.b) == (33, 7)
    assert found.w.a.dtype == dtype
    given = {"a": torch.tensor(1.0, dtype=dtype, device=device), "b": torch.tensor([2.0], dtype=dtype, device=device)}
    assert m.mixed.bwd(x, w=((1.5, 2, 0.5), given), y=(None, g)).w.a is given["a"]
    assert (given["a"], given["b"]) == (34, 9)
    with pytest.raises(kernix.KernelValueError, match=r"argument 'w': the gradient of 'b' overlaps 'y_grad'"):
        m.mixed.bwd(x, w=((1.5, 2, 0.5), {**given, "b": g[2:]}), y=(None, g))
    assert found.x.tolist() == [3, 6, 12]
    found = m.beside.bwd(x, w=(1.5, 0.5), y=(None, g))
    assert (found.w.a, found.w.b) == (16.5, 7)
    assert found.x.tolist() == [1.5, 3, 6]


def test_numbers_by_value_from_numpy(m):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in (np.float32, np.float16, ml_dtypes.bfloat16):
        x, g = np.array([0.5, 2.0, 3.0], dtype), np.array([1.0, 2.0, 4.0], dtype)
        found = m.mixed.bwd(x, w=(1.5, 2, 0.5), y=(None, g))
        assert (found.w.a, found.w.b) == (33, 7)
        assert found.w.a.dtype == dtype
