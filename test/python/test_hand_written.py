"""Derivatives written by hand, of bound kernels and host functions: sources/hand_written.cu gives ten times the derivative."""

from pathlib import Path

import numpy as np
import pytest

import kernix


@pytest.fixture(scope="module")
def written():
    return kernix.load(Path(__file__).parent / "sources" / "hand_written.cu", target="cpu")


@pytest.fixture
def x():
    return np.array([0.3, -0.7, 1.1])


ONES = np.ones(3)


def test_both_directions_of_a_kernel(written, x):
    grads = written.scaled.bwd(x, y=(None, ONES), a=2.0)
    np.testing.assert_allclose(grads.x, np.full(3, 20.0))
    np.testing.assert_allclose(grads.a, [10 * x.sum()])
    result = written.scaled.fwd((x, ONES), a=(2.0, 1.0))
    np.testing.assert_allclose(result.y[0], 2 * x)
    np.testing.assert_allclose(result.y[1], 10 * (2 + x))


def test_gradients_that_are_not_wanted_are_scratch_memory(written, x):
    grads = written.scaled.bwd(x, y=(None, ONES), a=(2.0, None))
    np.testing.assert_allclose(grads.x, np.full(3, 20.0))
    assert grads.a is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_only_the_backward_by_hand(written, x, dtype):
    x = x.astype(dtype)
    ones = ONES.astype(dtype)
    np.testing.assert_allclose(written.square.bwd(x, y=(None, ones)).x, 20 * x)
    np.testing.assert_allclose(written.square.fwd((x, ones)).y[1], 2 * x)


def test_only_the_forward_by_hand(written, x):
    np.testing.assert_allclose(written.cube.bwd(x, y=(None, ONES)).x, 3 * x * x)
    np.testing.assert_allclose(written.cube.fwd((x, ONES)).y[1], 30 * x * x)


def test_one_direction_without_the_other(written, x):
    np.testing.assert_allclose(written.only_forward.fwd((x, ONES)).y[1], 30 * x * x)
    with pytest.raises(kernix.KernelError, match=r"no backward derivative.*or name one.*backward_derivative\("):
        written.only_forward.bwd(x, y=(None, ONES))


def test_a_backward_that_reads_the_output(written, x):
    y = np.tanh(x)
    np.testing.assert_allclose(written.activated.bwd(x, y=(y, ONES)).x, 10 * (1 - y * y))
    with pytest.raises(TypeError, match="argument 'y'"):
        written.activated.bwd(x, y=(None, ONES))


def test_a_launch_of_its_own(written, x):
    w = np.array([1.0, 2.0, 3.0])
    grads = written.summed.bwd(x, y=(None, np.ones(1)), w=w)
    np.testing.assert_allclose(grads.x, 10 * w)
    np.testing.assert_allclose(grads.w, 10 * x)
    grads = written.summed.bwd(x, y=(None, np.ones(1)))
    np.testing.assert_allclose(grads.x, 10 * ONES)
    assert grads.w is None


def test_host_functions_that_launch(written, x):
    b = x + 2
    grads = written.product.bwd(x, b, c=(None, ONES))
    np.testing.assert_allclose(grads.a, 10 * b)
    np.testing.assert_allclose(grads.b, 10 * x)
    value, tangent = written.product.fwd((x, ONES), (b, 2 * ONES)).c
    np.testing.assert_allclose(value, x * b)
    np.testing.assert_allclose(tangent, b + 2 * x)


@pytest.mark.parametrize("name", ["untyped", "untyped_given"])
def test_host_functions_of_untyped_tensors(written, x, name):
    f, b = getattr(written, name), x + 2
    grads = f.bwd(x, b, c=(None, ONES))
    np.testing.assert_allclose(grads.a, 10 * b)
    np.testing.assert_allclose(grads.b, 10 * x)
    with pytest.raises(TypeError, match="float32"):
        f.bwd(x, (b, np.zeros(3, np.float32)), c=(None, ONES))


def test_a_number_that_is_returned(written):
    grads = written.hypotenuse.bwd(3.0, 4.0, 1.0)
    np.testing.assert_allclose([grads.a[0], grads.b[0]], [6, 8])


class TestInTorch:
    """loss.backward() calls what was written by hand."""

    torch = pytest.importorskip("torch")
    pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")  # torch's own, when forward_ad is imported

    def leaf(self, x):
        return self.torch.tensor(x, requires_grad=True)

    def gradient(self, f, x, *others):
        x = self.leaf(x)
        f(x, *others).sum().backward()
        return x.grad.numpy()

    def test_kernels(self, written, x):
        np.testing.assert_allclose(self.gradient(written.scaled, x, 2.0), np.full(3, 20.0))
        np.testing.assert_allclose(self.gradient(written.square, x), 20 * x)
        np.testing.assert_allclose(self.gradient(written.cube, x), 3 * x * x)

    def test_a_backward_that_reads_the_output(self, written, x):
        np.testing.assert_allclose(self.gradient(written.activated, x), 10 * (1 - np.tanh(x) ** 2))
        x = self.leaf(x)
        y = written.activated(x)
        with self.torch.no_grad():
            y.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()

    def test_the_forward_launch_is_not_that_of_the_backward(self, written, x):
        x = self.leaf(x)
        written.summed(x, grid=2, block=64).sum().backward()
        assert x.grad.tolist() == [10, 10, 10]

    def test_expanded_cotangents_come_contiguous(self, written, x):
        b = self.torch.tensor(x + 2)
        np.testing.assert_allclose(self.gradient(written.product, x, b), 10 * (x + 2))
        np.testing.assert_allclose(self.gradient(written.untyped, x, b), 10 * (x + 2))

    def test_an_untyped_output_that_is_given(self, written, x):
        a, b = self.leaf(x), self.leaf(x + 2)
        c = self.torch.zeros(3, dtype=self.torch.float64)
        written.untyped_given(a, b, c)
        (2 * c).sum().backward()
        np.testing.assert_allclose(a.grad, 20 * (x + 2))
        np.testing.assert_allclose(b.grad, 20 * x)

    def test_forward(self, written, x):
        forward_ad = self.torch.autograd.forward_ad
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(self.torch.tensor(x), self.torch.ones(1, dtype=self.torch.float64).expand(3))
            tangent = forward_ad.unpack_dual(written.product(dual, self.torch.tensor(x + 2))).tangent
        np.testing.assert_allclose(tangent, x + 2)

    def test_no_backward(self, written, x):
        with pytest.raises(kernix.KernelError, match="has no backward derivative"):
            self.gradient(written.only_forward, x)
