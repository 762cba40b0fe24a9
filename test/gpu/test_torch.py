"""torch's operators on a GPU: streams, CUDA graphs, the compiler, transforms, autocast, and examples that train."""

import subprocess
import sys
from pathlib import Path

import pytest

import kernix

torch = pytest.importorskip("torch")
ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def functions():
    return kernix.load(ROOT / "test" / "python" / "sources" / "torch_functions.cu")


@pytest.fixture(scope="module")
def derivatives():
    return kernix.load(ROOT / "test" / "python" / "sources" / "derivatives.cu")


@pytest.fixture
def x():
    return torch.rand(1000, dtype=torch.float64).cuda()


def gradients(function, *tensors):
    leaves = [tensor.detach().clone().requires_grad_() for tensor in tensors]
    function(*leaves).sum().backward()
    return [leaf.grad for leaf in leaves]


@pytest.mark.parametrize("name", ["scaled_sine", "squared_in_place", "looked_up", "gathered"])
def test_opcheck(derivatives, x, name):
    at = torch.arange(5, dtype=torch.int32, device="cuda")
    args = {
        "scaled_sine": (x.requires_grad_(), 1.5, 0.5),
        "squared_in_place": (x.clone(), x),
        "looked_up": (x, x, x),
        "gathered": (x.requires_grad_(), at),
    }[name]
    torch.library.opcheck(getattr(derivatives, name).torch_op.default, args)


def test_the_stream_is_the_current_one(derivatives, x):
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(20_000_000)
        y = x * 2
        z = derivatives.scaled_sine.torch_op(y, 1.0, 0.0)
        found = torch.func.vmap(lambda y: derivatives.scaled_sine(y, 1.0, 0.0))(y.view(10, 100))
    side.synchronize()
    torch.testing.assert_close(z, torch.sin(2 * x))
    torch.testing.assert_close(found.view(-1), torch.sin(2 * x))


def test_backward_runs_on_the_stream_of_the_forward(derivatives, x):
    side = torch.cuda.Stream()
    leaf = x.clone().requires_grad_()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = derivatives.scaled_sine(leaf * 1, 2.0, 0.0).sum()
    torch.cuda.current_stream().wait_stream(side)
    y.backward()
    torch.testing.assert_close(leaf.grad, 2 * torch.cos(x))


def test_operators_in_a_graph(derivatives, x):
    static = x.clone().requires_grad_()

    def step():
        static.grad = None
        derivatives.scaled_sine(static, 2.0, 0.0).sum().backward()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    static.grad = None
    with torch.cuda.graph(graph):
        derivatives.scaled_sine(static, 2.0, 0.0).sum().backward()
    with torch.no_grad():
        static.copy_(x + 1)
    graph.replay()
    torch.testing.assert_close(static.grad, 2 * torch.cos(x + 1))


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_compiled(derivatives, x, mode):
    torch._dynamo.reset()

    def f(x):
        y = x * 2
        z = x + 1
        derivatives.squared_in_place(z, y)
        return derivatives.scaled_sine(y, 1.5, b=1.0) + z

    g = torch.compile(f, fullgraph=True, mode=mode)
    for _ in range(3):
        torch.testing.assert_close(g(x).clone(), f(x))
    torch.testing.assert_close(gradients(g, x), gradients(f, x))


def test_open_sizes(derivatives):
    torch._dynamo.reset()
    f = lambda x: derivatives.scaled_sine(x * 2, 1.5, 1.0)  # noqa: E731
    g = torch.compile(f, fullgraph=True, dynamic=True)
    for count in (100, 1000, 33):
        x = torch.rand(count, dtype=torch.float64, device="cuda")
        torch.testing.assert_close(g(x), f(x))


def test_transforms(functions, x):
    cubed = lambda x: functions.cubed(x, 2.0)  # noqa: E731
    short = x[:4].clone()
    total = lambda x: cubed(x).sum()  # noqa: E731
    torch.testing.assert_close(torch.func.hessian(total)(short), torch.diag(12 * short))
    many = x.view(10, 100)
    torch.testing.assert_close(torch.func.vmap(torch.func.grad(total))(many), 6 * many**2)
    torch.testing.assert_close(torch.func.jvp(cubed, (x,), (x,))[1], 6 * x**3)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_autocast(functions, dtype):
    a, b = (torch.rand(100, device="cuda", requires_grad=True) for _ in range(2))
    with torch.autocast("cuda", dtype):
        y = functions.product(a, b)
        z = functions.only_float(y)
    assert (y.dtype, z.dtype) == (dtype, torch.float32)
    found = torch.autograd.grad(z.sum(), (a, b))
    assert [gradient.dtype for gradient in found] == [torch.float32] * 2
    torch.testing.assert_close(found[0], (2 * a * b * b).detach(), rtol=3e-2, atol=3e-2)


def test_profiler_shows_operators(derivatives, x):
    derivatives.scaled_sine(x, 1.0, 0.0)
    with torch.profiler.profile() as profile:
        derivatives.scaled_sine(x, 1.0, 0.0)
        torch.cuda.synchronize()
    assert any("kernix::scaled_sine" in event.key for event in profile.key_averages())


@pytest.mark.parametrize("name", ["mixed_precision", "data_parallel"])
def test_examples(name):
    command = [sys.executable, ROOT / "examples" / name / f"{name}.py", "--device", "cuda"]
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "reference" in result.stdout
