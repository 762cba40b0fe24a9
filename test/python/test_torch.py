"""torch tensors: states that DLPack passes on although the data is not what they show, and what they become here."""

import numpy as np
import pytest

import kernix
from conftest import SOURCES, run_python

torch = pytest.importorskip("torch")


@pytest.fixture
def x():
    return torch.tensor([1.0, 2.0])


@pytest.fixture(scope="session")
def complexes(tmp_path_factory):
    path = tmp_path_factory.mktemp("sources") / "complexes.cu"
    path.write_text(
        """
        #include <complex>
        #include <kernix/kernix.h>
        [[kernix::bind]]
        __global__ void same(const std::complex<float> *x,
                             [[kernix::intent(out_return), kernix::shape("x")]] std::complex<float> *y,
                             [[kernix::value("x.numel()")]] int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n)
            y[i] = x[i];
        }
        """
    )
    return kernix.load(path)


def test_conjugate_view(complexes):
    z = torch.tensor([1 + 2j])
    assert complexes.same(z).tolist() == [1 + 2j]
    with pytest.raises(kernix.KernelValueError, match=r"argument 'x': .*got a conjugate view; pass tensor\.resolve_conj"):
        complexes.same(z.conj())
    assert complexes.same(z.conj().resolve_conj()).tolist() == [1 - 2j]


def test_negative_view(calls):
    view = torch.tensor([1 + 2j]).conj().imag
    assert view.is_neg()
    with pytest.raises(kernix.KernelValueError, match=r"argument 'x': .*got a negative view; pass tensor\.resolve_neg"):
        calls.twice(view)
    assert calls.twice(view.resolve_neg()).tolist() == [-4]


def test_negative_view_as_output(calls, x):
    with pytest.raises(kernix.KernelValueError, match="argument 'z': .*got a negative view"):
        calls.add(x, x, torch._neg_view(torch.zeros(2)))


def test_fake_tensor(calls):
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        fake = torch.zeros(2)
    assert type(calls.twice(fake)) is type(fake)
    assert calls.twice(fake).shape == (2,)


def test_meta_tensor(calls):
    with pytest.raises(kernix.KernelTypeError, match="argument 'x': expected a tensor with data, got a meta tensor"):
        calls.twice(torch.zeros(2, device="meta"))


def test_sparse_tensor(calls, x):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'x': expected a dense tensor, got a sparse one"):
        calls.twice(x.to_sparse())


def test_subclass_with_its_own_dispatch(calls):
    seen = []

    class Odd(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*(arg.inner for arg in args), **(kwargs or {})) + 100

    odd = torch.Tensor._make_wrapper_subclass(Odd, (2,))
    odd.inner = torch.ones(2)
    assert calls.twice(odd).tolist() == [102, 102]
    assert seen == [calls.twice.torch_op.default]


def test_parameters_and_plain_subclasses(calls, x):
    with torch.no_grad():
        assert calls.twice(torch.nn.Parameter(x)).tolist() == [2, 4]

    class Plain(torch.Tensor):
        pass

    twice = calls.twice(x.as_subclass(Plain))
    assert twice.tolist() == [2, 4]
    assert type(twice) is Plain


def test_backward_without_a_derivative_says_so(calls, x):
    x.requires_grad_()
    y = calls.twice(x)
    assert y.requires_grad
    assert y.tolist() == [2, 4]
    message = r"twice\(.*\): has no backward derivative; mark it \[\[kernix::differentiable\]\], or pass tensor\.detach\(\)"
    with pytest.raises(kernix.KernelError, match=message):
        y.sum().backward()


def test_no_graph_where_none_is_recorded(calls, x):
    x.requires_grad_()
    assert not calls.twice(x.detach()).requires_grad
    with torch.no_grad():
        assert not calls.twice(x).requires_grad
    with torch.inference_mode():
        assert calls.twice(x).tolist() == [2, 4]


def test_graph_through_an_intermediate_and_a_given_output(calls, x):
    y = x.requires_grad_() * 2
    z = torch.zeros(2)
    assert calls.add(y, x.detach(), z) is None
    assert z.requires_grad
    assert z.tolist() == [3, 6]
    with pytest.raises(kernix.KernelError, match=r"add\(.*\): has no backward derivative"):
        z.sum().backward()


def test_a_leaf_that_requires_a_gradient_is_no_output(calls, x):
    with pytest.raises(kernix.KernelValueError, match="argument 'z': .* got a leaf that requires a gradient"):
        calls.add(x, x, torch.zeros(2, requires_grad=True))


def test_expanded_tensor_is_not_contiguous(calls):
    with pytest.raises(kernix.KernelValueError, match="argument 'x': expected a contiguous tensor"):
        calls.twice(torch.tensor([1.0]).expand(4))


def test_expanded_tensor_through_a_view(calls):
    assert calls.transpose(torch.tensor([[1.0]]).expand(2, 3)).tolist() == [[1, 1]] * 3


def test_empty_tensor_has_no_data(calls):
    assert calls.twice(torch.empty(0)).shape == (0,)
    assert calls.twice(torch.empty(3, 0)).shape == (3, 0)


def test_storage_offset(calls):
    assert calls.twice(torch.arange(6.0)[2:4]).tolist() == [4, 6]


def test_bfloat16(calls):
    y = calls.bfloats(torch.tensor([1, 2.5], dtype=torch.bfloat16))
    assert y.dtype == torch.bfloat16
    assert y.tolist() == [2, 5]


def test_zero_dimensional_tensor_is_a_number(calls, x):
    assert calls.scale_shift(x, torch.tensor(2.0), torch.tensor(1)).tolist() == [3, 5]


def test_one_element_tensor_is_not_a_number(calls, x):
    with pytest.raises(kernix.KernelTypeError, match="argument 'a': expected"):
        calls.scale_shift(x, torch.tensor([2.0]), 1.0)


def test_numpy_and_torch_together(calls, x):
    z = np.zeros(2, "float32")
    calls.add(x, np.array([10, 20], "float32"), z)
    assert z.tolist() == [11, 22]


def test_output_does_not_follow_defaults(calls, x):
    torch.set_default_dtype(torch.float64)
    try:
        assert calls.twice(x).dtype == torch.float32
        assert calls.both(x)[0].dtype == torch.float32
    finally:
        torch.set_default_dtype(torch.float32)


def test_output_of_a_non_contiguous_input_is_contiguous(calls):
    y = calls.transpose(torch.arange(6.0).reshape(2, 3).t())
    assert y.is_contiguous()
    assert y.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_too_many_axes(calls):
    with pytest.raises(kernix.KernelValueError, match="argument 'x': expected at most 8 axes, got 9"):
        calls.twice(torch.zeros((1,) * 9))


def test_pinned_memory_counts_as_the_cpu(calls):
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    x = torch.tensor([1.0, 2.0]).pin_memory()
    assert calls.twice(x).tolist() == [2, 4]


def test_zero_dimensional_cuda_tensor_is_not_read(calls):
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    x = torch.tensor([1.0], device="cuda")
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'a': expected a number, got a zero-dimensional CUDA array"):
        calls.scale_shift(x, torch.tensor(2.0, device="cuda"), 0.0)


def test_mixed_devices(calls):
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    x = torch.tensor([1.0])
    with pytest.raises(kernix.KernelValueError, match="argument '[xy]': expected"):
        calls.add(x, x.cuda(), x.cuda())


def test_current_stream(calls):
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    side = torch.cuda.Stream()
    x = torch.zeros(1 << 22, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        for _ in range(50):
            calls.increment(x)
        total = x.sum()
    side.synchronize()
    assert total.item() == 50 * x.numel()


def test_cuda_graph(calls):
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    x = torch.zeros(1000, device="cuda")
    calls.increment(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        calls.increment(x)
    for _ in range(3):
        graph.replay()
    torch.cuda.synchronize()
    assert x.unique().tolist() == [4.0]


def test_second_device(calls):
    if torch.cuda.device_count() < 2:
        pytest.skip("one GPU or none")
    x = torch.tensor([1.0, 2.0], device="cuda:1")
    y = calls.twice(x)
    assert y.device == x.device
    assert y.tolist() == [2, 4]
    assert torch.cuda.current_device() == 0


@pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, of its torch.jit
def test_tangent_is_not_lost(calls, x):
    from torch.autograd import forward_ad

    with forward_ad.dual_level():
        with pytest.raises(kernix.KernelTypeError, match=r"twice\(.*a tensor has a tangent, which would be lost"):
            calls.twice(forward_ad.make_dual(x, x))
        assert calls.twice(x).tolist() == [2, 4]
    assert calls.twice(x).tolist() == [2, 4]


def test_kinds_of_tensors_that_have_no_plain_data(calls, x):
    with pytest.warns(UserWarning, match="."):
        rows = torch.eye(3).to_sparse_csr()
    freed = torch.ones(2)
    freed.untyped_storage().resize_(0)
    for tensor in (rows, x.to_mkldnn(), torch._efficientzerotensor(2), freed):
        with pytest.raises(kernix.KernelError, match="argument 'x': expected a (dense tensor|tensor with data)"):
            calls.twice(tensor)


def test_default_device_is_not_that_of_outputs(calls, x):
    with torch.device("meta"):
        assert calls.twice(x).device.type == "cpu"


@pytest.mark.parametrize("statement", ["pass", "del guards._empty_strided_cpu"])
def test_results_are_allocated_with_and_without_the_short_way(statement):
    """What torch.compile's code allocates with is no public function."""
    result = run_python(
        f"""
        import kernix, torch
        from torch._C._dynamo import guards
        {statement}
        calls = kernix.load({str(SOURCES / "calls.cu")!r}, target="cpu")
        x = torch.nn.Parameter(torch.tensor([1.0, 2.0])).detach()
        same, (plus, pair) = calls.twice(x), calls.both(x)
        with torch.inference_mode():
            made = calls.twice(x)
        print(type(same).__name__, same.tolist(), plus.dtype, pair.dtype, tuple(pair.shape), pair.stride(), made.is_inference())
        """
    )
    assert result.stdout == "Tensor [2.0, 4.0] torch.float32 torch.int32 (2, 2) (2, 1) True\n", result.stderr
