"""Launch sizes of a call."""

import numpy as np
import pytest

import kernix


def sizes(calls, **keywords):
    return calls.geometry(**keywords).tolist()


def test_default(calls):
    assert sizes(calls) == [256, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(("block", "grid"), [("launchBlockSize", "launchGridSize"), ("block", "grid")])
def test_keywords(calls, block, grid):
    assert sizes(calls, **{block: 32, grid: (2, 3, 4)}) == [32, 1, 1, 2, 3, 4, 1]
    assert sizes(calls, **{block: [4, 2], grid: np.int64(5)}) == [4, 2, 1, 5, 1, 1, 1]


def test_no_default(calls):
    with pytest.raises(kernix.KernelTypeError, match=r"planar\(int \*out\): no block size: .*give `block=`"):
        calls.planar()
    assert calls.planar(block=(2, 2), grid=1).tolist() == [0, 0, 1, 1]


def test_none_means_the_default(calls):
    assert sizes(calls, block=None, grid=None, shared_bytes=None) == [256, 1, 1, 1, 1, 1, 1]


def test_shared_bytes(calls):
    assert sizes(calls, shared_bytes=1024)[6] == 1


def test_a_parameter_of_the_name_wins(calls):
    x = calls.named(block=7, grid=8)
    assert x.tolist()[:2] == [7, 8]
    x = calls.named(7, 8, launchBlockSize=32, launchGridSize=2)
    assert x.tolist() == [7, 8, 32, 2]


def test_given_twice(calls):
    with pytest.raises(kernix.KernelTypeError, match="the block size is given twice, as launchBlockSize and as block"):
        calls.geometry(block=1, launchBlockSize=1)
    with pytest.raises(kernix.KernelTypeError, match="the grid size is given twice, as launchGridSize and as grid"):
        calls.geometry(grid=1, launchGridSize=1)


@pytest.mark.parametrize("wrong", [1.0, "32", (1, 2, 3, 4), (), True, (1, 2.5), {}])
def test_wrong_types(calls, wrong):
    with pytest.raises(kernix.KernelTypeError, match=r"geometry\(int \*sizes\): block: expected an int or up to three"):
        calls.geometry(block=wrong)


@pytest.mark.parametrize("wrong", [0, -1, 2**70, (32, 0), 1025, (64, 64)])
def test_blocks_out_of_range(calls, wrong):
    with pytest.raises(kernix.KernelValueError, match=r"geometry\(int \*sizes\): block.*: expected"):
        calls.geometry(block=wrong)


@pytest.mark.parametrize("wrong", [-1, -(2**70), 2**31, (1, 65536)])
def test_grids_out_of_range(calls, wrong):
    with pytest.raises(kernix.KernelValueError, match=r"geometry\(int \*sizes\): grid.*: expected"):
        calls.geometry(grid=wrong)


@pytest.mark.parametrize("wrong", [-1, 2**40])
def test_shared_bytes_out_of_range(calls, wrong):
    with pytest.raises(kernix.KernelValueError, match=r"geometry\(int \*sizes\): shared_bytes: expected"):
        calls.geometry(shared_bytes=wrong)


def test_launch_that_fails_inside_a_host_function(source, xp):
    """The function does not look at the error; the call does. What comes after is right again."""
    module = kernix.load(
        source(
            """
            static __global__ void one(float *x) { x[threadIdx.x] = 1; }
            [[kernix::bind]] void fill([[kernix::intent(inout_ptr)]] kernix::TensorView<float> x, int threads,
                                       cudaStream_t stream) {
              one<<<1, static_cast<unsigned>(threads), 0, stream>>>(x.data());
            }
            """
        )
    )
    x = xp.array([0, 0, 0])
    with pytest.raises(kernix.KernelError, match=r"fill\(.*\): a CUDA call in it failed: .*\(error \d+\)"):
        module.fill(x, 4096)
    module.fill(x, 2)
    assert xp.numpy(x).tolist() == [1, 1, 0]


def test_advice_where_a_parameter_hides_the_keyword(source):
    m = kernix.load(
        source(
            """
            [[kernix::bind]] __global__ void f(float *x, int grid, int block) {
              if (threadIdx.x == 0)
                x[blockIdx.x] = grid + block + threadIdx.y;
            }
            [[kernix::bind]] __global__ void g(float *x, int grid) { x[blockIdx.x] = grid; }
            """,
            "hidden_keywords.cu",
        ),
        target="cpu",
    )
    x = np.zeros(2, np.float32)
    with pytest.raises(kernix.KernelTypeError, match=r"so give `launchBlockSize=` \(and `launchGridSize=`\) in the call"):
        m.f(x, 1, 2)
    with pytest.raises(kernix.KernelTypeError, match="so give `launchGridSize=` in the call"):
        m.g(x, 1)


def test_default_of_a_kernel_of_one_thread(source):
    """Before the test for it all threads compute with variables of their own."""
    m = kernix.load(
        source(
            """
            struct Sum {
              double value = 0;
              int count = 0;
              __device__ void add(double v) { value += v; ++count; }
            };
            [[kernix::bind, kernix::differentiable]]
            __global__ void mean_square(const double *x, [[kernix::shape("3")]] double *y,
                                        [[kernix::value("x.numel()")]] int n) {
              int i = blockIdx.x * blockDim.x + threadIdx.x;
              Sum sum;
              auto put = [&](int k, double v) { y[k] = v; };
              int exponent;
              frexp(double(n), &exponent);
              for (int k = 0; k < n; ++k)
                sum.add(x[k] * x[k]);
              if (i == 0) {
                put(0, sum.value / sum.count);
                put(1, sum.value * sum.value);
                put(2, exponent);
              }
            }
            """
        ),
        target="cpu",
    )
    x = np.random.default_rng(0).standard_normal(10)
    square = (x * x).sum()
    np.testing.assert_allclose(m.mean_square(x), [square / 10, square**2, 4])
    kernix.gradcheck(m.mean_square, x)
