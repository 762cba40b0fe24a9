"""First and second derivatives of kernels in 16 bits that have both: summed in float, rounded once."""

import kernix
import pytest
from conftest import SOURCES, has_gpu

torch = pytest.importorskip("torch")

NUMBER = 5000
DTYPES = [torch.float16, torch.bfloat16]
each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype).partition(".")[2])


@pytest.fixture(scope="module")
def m():
    return kernix.load(SOURCES / "float_second_gradients.cu")


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    if request.param == "cuda" and not has_gpu():
        pytest.skip("no GPU")
    return request.param


def call(m, name, dtype, device):
    """Kernel, tensors that have gradients, and the others, as the variant of the dtype takes them."""
    torch.manual_seed(3)
    leaves = {"w": torch.ones(8, device=device), "x": torch.rand(NUMBER, device=device) / 4 + 0.75}
    fixed = {}
    if name in ("shared_factor", "scalar_factor"):
        leaves["w"] = leaves["w"][:1]
    elif name == "gathered":
        leaves["w"] = torch.ones(4, 3, device=device)
        fixed["at"] = torch.full((NUMBER,), 2, dtype=torch.int32, device=device)
    elif name == "own_array":
        fixed["times"] = 20000
        leaves = {"w": leaves["w"][:4], "x": leaves["x"][:128]}
    launch = {"block": 1000, "grid": NUMBER // 1000} if name == "staged" else {}
    leaves = {key: value.to(torch.bfloat16).to(dtype).requires_grad_() for key, value in leaves.items()}
    return lambda: m[name](**leaves, **fixed, **launch), leaves


def close(ours, exact, dtype):
    error = (ours.float() - exact.float()).abs().max() / exact.float().abs().max()
    assert error < 4 * torch.finfo(dtype).eps


NAMES = ["shared_factor", "gathered", "staged", "own_array"]


@each_dtype
@pytest.mark.parametrize("name", NAMES)
def test_first(m, device, dtype, name):
    gradients = []
    for each in (torch.float32, dtype):
        run, leaves = call(m, name, each, device)
        y = run()
        gradients.append(torch.autograd.grad(y, list(leaves.values()), torch.ones_like(y)))
    for exact, ours in zip(*gradients, strict=True):
        close(ours, exact, dtype)


@each_dtype
@pytest.mark.parametrize("name", NAMES)
def test_second(m, device, dtype, name):
    """Along directions of the gradients: to inputs and to the cotangent."""
    gradients = []
    for each in (torch.float32, dtype):
        run, leaves = call(m, name, each, device)
        y = run()
        g = torch.ones_like(y, requires_grad=True)
        first = torch.autograd.grad(y, list(leaves.values()), g, create_graph=True)
        directions = [torch.full_like(v, 0.5) for v in first]
        gradients.append(torch.autograd.grad(first, [*leaves.values(), g], directions))
    for exact, ours in zip(*gradients, strict=True):
        close(ours, exact, dtype)


@each_dtype
def test_scalar(m, device, dtype):
    """By hand: the gradient of a number that is passed by value, and of its gradient."""
    results = []
    for each in (torch.float32, dtype):
        x = (torch.ones(NUMBER, device=device) / 2).to(each)
        w = torch.tensor(1.0, dtype=each)
        first, second, along = (torch.zeros(1, dtype=each, device=device) for _ in range(3))
        g = torch.ones(NUMBER, dtype=each, device=device)
        m.scalar_factor.bwd(w=(w, first), x=(x, None), y=(None, g))
        m.scalar_factor.bwd.bwd(
            w=(w, second), w_grad=(None, along + 0.5), x=(x, None), x_grad=(None, None), y=None, y_grad=(g, None)
        )
        results.append((first, second))
    for exact, ours in zip(*results, strict=True):
        assert exact.item() != 0
        close(ours, exact, dtype)


@each_dtype
@pytest.mark.parametrize("name", ["staged", "own_array"])
def test_forward_of_backward(m, device, dtype, name):
    """The tangents of gradients that are sums in variables of the kernel."""
    results = []
    for each in (torch.float32, dtype):
        _, leaves = call(m, name, each, device)
        w, x = (leaf.detach() for leaf in leaves.values())
        fixed = {"times": 20000} if name == "own_array" else {}
        launch = {"block": 1000, "grid": 5} if name == "staged" else {}
        g = torch.ones_like(x) / 64
        found = m[name].bwd.fwd(
            w=(w, torch.ones_like(w) / 2),
            w_grad=(torch.zeros_like(w), torch.zeros_like(w)),
            x=(x, torch.zeros_like(x)),
            x_grad=(torch.zeros_like(x), torch.zeros_like(x)),
            y=None,
            y_grad=(g, torch.zeros_like(g)),
            **fixed,
            **launch,
        )
        results.append(found.x_grad[1])
    close(*reversed(results), dtype)
