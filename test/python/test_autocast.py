"""torch.autocast: which variant a call takes, what is cast, and the dtypes that gradients come back in."""

import pytest

import kernix
from conftest import SOURCES

torch = pytest.importorskip("torch")
HALVES = [torch.float16, torch.bfloat16]


@pytest.fixture(scope="module")
def functions():
    return kernix.load(SOURCES / "torch_functions.cu")


@pytest.fixture
def tensors():
    return torch.rand(4, requires_grad=True), torch.rand(4, requires_grad=True)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("is_operator", [False, True])
def test_the_dtype_of_autocast(functions, tensors, dtype, is_operator):
    product = functions.product.torch_op if is_operator else functions.product
    with torch.autocast("cpu", dtype):
        y = product(*tensors)
    assert y.dtype is dtype
    torch.testing.assert_close(y.float(), tensors[0] * tensors[1], rtol=2e-2, atol=2e-2)
    found = torch.autograd.grad(y.float().sum(), tensors)
    assert [gradient.dtype for gradient in found] == [torch.float32] * 2
    torch.testing.assert_close(found[0], tensors[1].detach(), rtol=2e-2, atol=2e-2)
    with torch.autocast("cpu", dtype, enabled=False):
        assert product(*tensors).dtype is torch.float32


def test_float64_is_not_cast(functions):
    x = torch.rand(4, dtype=torch.float64)
    with torch.autocast("cpu", torch.bfloat16):
        assert functions.product(x, x).dtype is torch.float64
        with pytest.raises(kernix.KernelTypeError, match="no variant takes these arguments"):
            functions.product(x, x.float())


def test_a_function_without_the_variant_keeps_its_dtype(functions, tensors):
    with torch.autocast("cpu", torch.bfloat16):
        assert functions.only_float(tensors[0]).dtype is torch.float32
        # What comes from others in the dtype of autocast is cast back, as torch does for operations that want float32.
        y = functions.only_float(functions.product(*tensors))
    assert y.dtype is torch.float32
    assert torch.autograd.grad(y.sum(), tensors[0])[0].dtype is torch.float32


def test_mixed_variants(functions, tensors):
    with torch.autocast("cpu", torch.float16):
        assert functions.mixed(*tensors).dtype is torch.float16
    with torch.autocast("cpu", torch.bfloat16):
        assert functions.mixed(*tensors).dtype is torch.float32


def test_backward_inside(functions, tensors):
    with torch.autocast("cpu", torch.bfloat16):
        y = functions.only_float(tensors[0])
        y.sum().backward()
    torch.testing.assert_close(tensors[0].grad, 2 * tensors[0].detach())


def test_transforms_inside(functions, tensors):
    x, w = (tensor.detach() for tensor in tensors)
    with torch.autocast("cpu", torch.bfloat16):
        found = torch.func.grad(lambda x: functions.product(x, w).float().sum())(x)
        many = torch.func.vmap(lambda x: functions.product(x, w))(x[None])
    assert found.dtype is torch.float32
    torch.testing.assert_close(found, w, rtol=2e-2, atol=2e-2)
    assert many.dtype is torch.bfloat16


def test_given_outputs_decide(functions, derivatives):
    """What a call writes is not cast, so neither is the call."""
    x, y = torch.rand(3), torch.rand(3)
    with torch.autocast("cpu", torch.bfloat16):
        derivatives.squared_in_place(y, x)
    assert y.dtype is torch.float32
