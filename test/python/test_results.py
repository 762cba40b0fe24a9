"""What host functions give back: values, outputs by reference, arrays, structs, exceptions."""

import numpy as np
import pytest

import kernix


def test_none(results):
    assert results.nothing() is None


def test_own_result_comes_first(results):
    assert results.divide(17, 5) == (True, 3, 2)
    assert [type(part) for part in results.divide(17, 5)] == [bool, int, int]


def test_one_output_is_bare(results):
    assert results.only_quotient(17, 5) == 3


def test_array_is_one_slot(results):
    assert results.squares() == (0, 1, 4, 9)
    assert np.array(results.squares()).shape == (4,)


def test_array_by_reference_is_flat(results):
    assert results.indices() == (0, 1, 2, 3, 4, 5)


def test_inout_scalar_is_a_buffer_of_the_caller(results):
    counter = np.array([41], np.int32)
    assert results.count_up(counter) is None
    assert counter.tolist() == [42]


def test_inout_scalar_refuses_a_number(results):
    with pytest.raises(kernix.KernelTypeError, match=r"count_up\(int &counter\): argument 'counter'"):
        results.count_up(41)


def test_exceptions_arrive_with_their_text(results):
    with pytest.raises(kernix.KernelError, match=r"fail\(int how\): .*the oven is cold"):
        results.fail(0)
    with pytest.raises(kernix.KernelError, match=r"fail\(int how\): threw something that is not a std::exception"):
        results.fail(1)


def test_launch_keywords_belong_to_kernels(results):
    with pytest.raises(kernix.KernelTypeError, match="unknown argument 'block'"):
        results.nothing(block=32)


def test_untyped_outputs_are_like_the_tensor_whose_shape_they_have(results):
    for dtype in (np.int16, np.float64, np.complex64):
        y, z = results.like(np.zeros((2, 3), dtype))
        assert y.dtype == z.dtype == dtype
        assert y.shape == z.shape == (2, 3)
    y, z = results.like(np.zeros(2, np.int16), y=np.ones(2))
    assert z.dtype == np.float64


def test_untyped_outputs_of_no_tensors_shape_must_be_given(results):
    with pytest.raises(kernix.KernelTypeError, match=r"of_no_dtype\(kernix::Tensor y\): argument 'y' must be given: nothing says"):
        results.of_no_dtype()
    y = np.zeros(3, np.int8)
    assert results.of_no_dtype(y=y) is y
