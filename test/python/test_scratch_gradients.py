"""Gradients that a kernel keeps in scratch memory until it is done: copies of each element, and notes."""

import kernix
import numpy as np
import pytest
from conftest import SOURCES, has_gpu

torch = pytest.importorskip("torch")

N, ELEMENTS = 5000, 7
WORDS = ["replicated", "scatter"]
each_word = pytest.mark.parametrize("word", WORDS)


@pytest.fixture(scope="module")
def m():
    return kernix.load(SOURCES / "scratch_gradients.cu")


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    if request.param == "cuda" and not has_gpu():
        pytest.skip("no GPU")
    return request.param


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def numbers(*shape, device, dtype=torch.float64, requires_grad=True):
    return torch.randn(*shape, dtype=dtype).to(device).requires_grad_(requires_grad)


def places(count, below, device):
    return torch.randint(0, below, (count,), dtype=torch.int32).to(device)


def assert_same_gradients(y, expected, inputs):
    given = torch.randn_like(y)
    for ours, theirs in zip(
        torch.autograd.grad(y, inputs, given, retain_graph=True), torch.autograd.grad(expected, inputs, given)
    ):
        assert torch.allclose(ours, theirs, rtol=1e-10, atol=1e-10)


DTYPES = {
    "replicated": torch.float64,
    "replicated_float": torch.float32,
    "replicated_half": torch.float16,
    "replicated_bfloat16": torch.bfloat16,
    "one_replica": torch.float64,
    "scatter": torch.float64,
    "scatter_float": torch.float32,
    "replicated_by_template": torch.float64,
    "scatter_by_template": torch.float64,
}


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("block", [96, 32, 75, 256])
def test_gathered(m, device, name, block):
    dtype = DTYPES[name]
    w, x, g = (numbers(n, device=device, dtype=dtype, requires_grad=False) for n in (ELEMENTS, N, N))
    at = places(N, ELEMENTS - 1, device)
    given = torch.full_like(w, 2)  # is added to
    m[name].bwd(w=(w, given), at=at, x=(x, None), y=(None, g), n=N, block=block, grid=-(-N // block))
    products = (g * x).double() if dtype.itemsize == 2 else g.double() * x.double()
    expected = torch.full_like(w, 2, dtype=torch.float64).index_add_(0, at.long(), products)
    # Threads add in any order; what is rounded on the way is as large as what has been added.
    scale = 2 + torch.zeros_like(expected).index_add_(0, at.long(), products.abs())
    assert torch.all((given.double() - expected).abs() <= 4 * scale * torch.finfo(dtype).eps)
    assert given[ELEMENTS - 1] == 2  # nobody has read it


@each_word
def test_in_loops(m, device, word):
    w, x, at = numbers(ELEMENTS, device=device), numbers(N, device=device), places(N, 9, device)
    y = m[word + "_often"](w, at, x)
    k = torch.arange(9, device=device)
    terms = torch.sin(w[(at[:, None] + k) % ELEMENTS] * x[:, None])
    expected = torch.where(k < at[:, None], terms, torch.zeros_like(terms)).sum(1) * w[0]
    assert torch.allclose(y, expected)
    assert_same_gradients(y, expected, (w, x))


@each_word
def test_number(m, device, word):
    a, x = numbers(1, device="cpu")[0].detach().requires_grad_(), numbers(N, device=device)
    y = m[word + "_number"](a, x)
    assert_same_gradients(y, a.to(device) ** 2 * x, (a, x))


@each_word
def test_vectors(m, device, word):
    w, x, at = numbers(ELEMENTS, 3, device=device), numbers(N, device=device), places(N, ELEMENTS, device)
    y = m[word + "_vectors"](w, at, x)
    assert_same_gradients(y, w[at.long(), 0] * x + w[at.long(), 2], (w, x))


def test_vectors_of_four(m, device):
    """A sector has two of them."""
    w, x = (numbers(*shape, device=device, dtype=torch.float32) for shape in [(ELEMENTS, 4), (N,)])
    at, given = places(N, ELEMENTS, device), numbers(N, device=device, dtype=torch.float32, requires_grad=False)
    m.replicated_fours(w, at, x).backward(given)
    of_element = torch.zeros(ELEMENTS, dtype=torch.float64, device=device)
    of_element.index_add_(0, at.long(), (given * x.detach()).double())
    expected = of_element[:, None] * torch.arange(1, 5, device=device)
    assert torch.allclose(w.grad.double(), expected, rtol=1e-4, atol=1e-3)


@each_word
@pytest.mark.parametrize("layout", ["plain", "turned", "with gaps"])
def test_views(m, device, word, layout):
    """Gradients with other strides than their tensors, of whose memory nothing else is touched."""
    x, at = numbers(N, device=device, requires_grad=False), places(N, ELEMENTS, device)
    w, g = numbers(ELEMENTS, 3, device=device, requires_grad=False), numbers(N, device=device, requires_grad=False)
    memory = torch.full((40,), 5.0, dtype=torch.float64, device=device)
    gradient = {
        "plain": memory[:21].view(ELEMENTS, 3),
        "turned": memory[1:22].view(3, ELEMENTS).t(),
        "with gaps": torch.as_strided(memory, (ELEMENTS, 3), (5, 1), 2),
    }[layout]
    m[word + "_view"].bwd(w=(w, gradient), at=at, x=(x, None), y=(None, g), n=N)
    expected = torch.zeros_like(w)
    expected[:, 0].index_add_(0, at.long(), g * x)
    expected[:, 1].index_add_(0, at.long(), g)
    assert torch.allclose(gradient, expected + 5)
    assert torch.equal(gradient[:, 2], torch.full_like(gradient[:, 2], 5))
    assert memory.numel() - torch.count_nonzero(memory == 5) == 2 * ELEMENTS


def test_both_words(m, device):
    w, v, x = numbers(1, device=device), numbers(N, device=device), numbers(N, device=device)
    assert_same_gradients(m.uniform(w, v, x), w * x + v, (w, v, x))


def test_one_is_not_wanted(m, device):
    w, v, x = numbers(1, device=device), numbers(N, device=device, requires_grad=False), numbers(N, device=device)
    assert_same_gradients(m.uniform(w, v, x), w * x + v, (w, x))
    m.uniform(w.detach(), v.requires_grad_(), x).sum().backward()
    assert torch.equal(v.grad, torch.ones_like(v)) and w.grad is None


def test_gradients_that_overlap(m, device):
    w, at = numbers(ELEMENTS, device=device, requires_grad=False), places(ELEMENTS, ELEMENTS, device)
    x, g = (numbers(ELEMENTS, device=device, requires_grad=False) for _ in range(2))
    both = torch.zeros_like(w)
    m.replicated.bwd(w=(w, both), at=at, x=(x, both), y=(None, g), n=ELEMENTS)
    expected = torch.zeros_like(w).index_add_(0, at.long(), g * x) + g * w[at.long()]
    assert torch.allclose(both, expected)


@each_word
def test_empty(m, device, word):
    w = numbers(ELEMENTS, device=device)
    nothing = torch.empty(0, device=device, dtype=torch.float64)
    m[word](w, nothing.int(), nothing).sum().backward()
    assert torch.equal(w.grad, torch.zeros_like(w))


@each_word
def test_numpy(m, word):
    rng = np.random.default_rng(0)
    w, x, g = rng.normal(size=ELEMENTS), rng.normal(size=N), rng.normal(size=N)
    at = rng.integers(0, ELEMENTS, N, dtype=np.int32)
    gradient = np.zeros(ELEMENTS)
    m[word].bwd(w=(w, gradient), at=at, x=(x, None), y=(None, g), n=N)
    expected = np.zeros(ELEMENTS)
    np.add.at(expected, at, g * x)
    np.testing.assert_allclose(gradient, expected)


@each_word
def test_elements_before_the_first(m, word):
    """A gradient that runs backwards through memory, beside numbers that are none of it."""
    rng = np.random.default_rng(0)
    w, x, g = rng.normal(size=(ELEMENTS, 3)), rng.normal(size=N), rng.normal(size=N)
    at = rng.integers(0, ELEMENTS, N, dtype=np.int32)
    memory = np.full(40, 5.0)
    gradient = memory[30:9:-1].reshape(ELEMENTS, 3)
    assert gradient.base is not None
    m[word + "_view"].bwd(w=(w, gradient), at=at, x=(x, None), y=(None, g), n=N)
    expected = np.full((ELEMENTS, 3), 5.0)
    np.add.at(expected[:, 0], at, g * x)
    np.add.at(expected[:, 1], at, g)
    np.testing.assert_allclose(gradient, expected)
    assert np.all(memory[:10] == 5) and np.all(memory[31:] == 5)


@each_word
def test_streams_and_graphs(m, word):
    if not has_gpu():
        pytest.skip("no GPU")
    w, x, g = (numbers(n, device="cuda", requires_grad=False) for n in (ELEMENTS, N, N))
    at, gradient = places(N, ELEMENTS, "cuda"), torch.zeros(ELEMENTS, dtype=torch.float64, device="cuda")
    expected = torch.zeros_like(w).index_add_(0, at.long(), g * x)

    def step():
        m[word].bwd(w=(w, gradient), at=at, x=(x, None), y=(None, g), n=N)

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        step()
    stream.synchronize()
    assert torch.allclose(gradient, expected)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    gradient.zero_()
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    assert torch.allclose(gradient, 3 * expected)


@each_word
def test_memory_that_nobody_has(m, word):
    """Is asked for, and refused, before anything runs."""
    memory = np.zeros(16)
    at, x, g, w = memory[:1].view(np.int32)[:1], memory[1:2], memory[2:3], memory[3:7].reshape(2, 2)
    if word == "replicated":
        # Above all others in memory.
        far = np.lib.stride_tricks.as_strided(memory[8:], (2, 2), (1 << 62, 8))
        with pytest.raises(kernix.KernelError, match="scratch memory for the gradient of 'w_grad' would be too large"):
            m.replicated_view.bwd(w=(w, far), at=at, x=(x, None), y=(None, g), n=1)
    else:
        arguments = {"w": (w, memory[8:12].reshape(2, 2)), "at": at, "x": (x, None), "y": (None, g), "n": 1}
        with pytest.raises(kernix.KernelError, match="scratch memory for the gradient of 'w_grad' could not be"):
            m.scatter_view.bwd(**arguments, grid=2**31 - 1, block=1024)
