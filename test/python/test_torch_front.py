"""The way that a call takes: nothing that watches it may be passed by, and nothing else costs the detour.

A call is plain until one of the conditions in kernix._support._WATCHING_KEYS and beside it holds. Each test here fails if
its condition is left out.
"""

import pytest

import kernix
from conftest import SOURCES, run_python

torch = pytest.importorskip("torch")
X = torch.ones(2)
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")


@pytest.fixture
def fronts(monkeypatch):
    """The calls that do not take the plain way."""
    from kernix.torch import front

    seen = []
    call = front.call

    def watched(operation, details, args, keywords):
        seen.append(details.__name__)
        return call(operation, details, args, keywords)

    monkeypatch.setattr(front, "call", watched)
    return seen


def test_plain_calls(calls, fronts):
    assert calls.twice(X).tolist() == [2, 2]
    with torch.no_grad(), torch.inference_mode():
        calls.twice(torch.nn.Parameter(torch.ones(2)))
    assert fronts == []


def test_dispatch_modes(calls):
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    with Mode():
        assert calls.twice(X).tolist() == [2, 2]
    assert calls.twice.torch_op.default in seen


def test_function_modes(calls):
    from torch.overrides import TorchFunctionMode

    seen = []

    class Mode(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    with Mode():
        calls.twice(X)
    assert any("twice" in str(func) for func in seen)


def test_fake_mode_with_real_tensors(calls):
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

    with FakeTensorMode(allow_non_fake_inputs=True):
        assert isinstance(calls.twice(X), FakeTensor)


def test_transforms(calls):
    assert torch.func.vmap(calls.twice)(torch.ones(3, 2)).tolist() == [[2, 2]] * 3


def test_batches_of_autograd(derivatives):
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: derivatives.scaled_sine(x, 2.0, 1.0), x, check_batched_grad=True)


def test_tracers(calls):
    graph = torch.jit.trace(lambda x: calls.twice(x), (X,)).graph
    assert "twice" in str(graph)


def test_autocast(calls, fronts):
    with torch.autocast("cpu", torch.bfloat16):
        calls.twice(X)
    assert fronts == ["twice"]


def test_profilers(calls):
    calls.twice(X)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        calls.twice(X)
    assert any("kernix::twice" in event.key for event in profile.key_averages())


def test_tangents(derivatives):
    forward_ad = torch.autograd.forward_ad
    x = torch.zeros(2, dtype=torch.float64)
    with forward_ad.dual_level():
        y = derivatives.scaled_sine(forward_ad.make_dual(x, torch.ones_like(x)), 2.0, 1.0)
        assert forward_ad.unpack_dual(y).tangent.tolist() == [2, 2]


def test_other_types_of_tensors(calls, fronts):
    class Plain(torch.Tensor):
        pass

    assert type(calls.twice(X.as_subclass(Plain))) is Plain
    assert fronts == ["twice"]


def test_gradients(derivatives, fronts):
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    derivatives.scaled_sine(x, 2.0, 1.0).sum().backward()
    assert x.grad is not None
    assert fronts == []


def test_negative_views(derivatives):
    view = torch.tensor([1 + 2j], dtype=torch.complex128).conj().imag
    with pytest.raises(kernix.KernelValueError, match="a negative view"):
        derivatives.plain(view)
    assert derivatives.plain.torch_op(view).tolist() == [4]  # torch resolves it on the way


def test_the_same_in_python():
    """Where torch's libraries cannot be asked."""
    code = f"""
        import sys
        import kernix._support
        kernix._support.torch_watchers = lambda: None
        kernix._binding.configure(kernix.errors, kernix._support)
        import pytest
        sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", {__file__!r}, "-k", "not the_same", "--benchmark-disable"]))
    """
    result = run_python(code)
    assert result.returncode == 0, result.stdout[-3000:]
