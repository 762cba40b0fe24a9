"""Calls of kernels: how arguments are bound, what comes back."""

import numpy as np
import pytest

import kernix


def test_positional(calls, xp):
    x, y, z = xp.array([1, 2, 3]), xp.array([10, 20, 30]), xp.array([0, 0, 0])
    assert calls.add(x, y, z) is None
    assert xp.numpy(z).tolist() == [11, 22, 33]


def test_keywords_in_any_order(calls, xp):
    x, z = xp.array([1, 2]), xp.array([0, 0])
    calls.add(z=z, y=x, x=x)
    assert xp.numpy(z).tolist() == [2, 4]


def test_out_return_is_allocated_by_the_framework_of_the_input(calls, xp):
    y = calls.scale_shift(xp.array([1, 2]), a=2.0, b=1)
    assert xp.is_own(y)
    assert xp.numpy(y).dtype == np.float32
    assert xp.numpy(y).tolist() == [3, 5]


def test_output_has_the_shape_of_the_input(calls, xp):
    assert calls.scale_shift(xp.array(np.ones((2, 3, 4))), 1.0, 0.0).shape == (2, 3, 4)


def test_out_given_is_returned(calls, xp):
    out = xp.array([0, 0])
    assert calls.twice(xp.array([1, 2]), out=out) is out
    assert xp.numpy(out).tolist() == [2, 4]


@pytest.mark.parametrize("keywords", [{}, {"out": None}])
def test_out_left_out_is_allocated(calls, xp, keywords):
    assert xp.numpy(calls.twice(xp.array([1, 2]), **keywords)).tolist() == [2, 4]


def test_out_is_keyword_only(calls, xp):
    x = xp.array([1])
    with pytest.raises(kernix.KernelTypeError, match=r"twice\(.*\): argument 'n': expected an? int"):
        calls.twice(x, xp.array([0]))


def test_computed_value_may_be_given(calls, xp):
    z = xp.array([0, 0])
    calls.add(xp.array([1, 2]), xp.array([1, 2]), z, 2)
    calls.add(xp.array([1, 2]), xp.array([1, 2]), z, n=2)
    assert xp.numpy(z).tolist() == [2, 4]


def test_computed_value_is_checked(calls, xp):
    x = xp.array([1, 2])
    with pytest.raises(kernix.KernelValueError, match="n.*expected 2.*got 3|expected 2.*x.numel"):
        calls.add(x, x, xp.array([0, 0]), n=3)


def test_optional_is_none_by_default(calls, xp):
    x = xp.array([1, 2])
    for arguments in ({}, {"weight": None}):
        assert xp.numpy(calls.weighted(x, factor=2.0, **arguments)).tolist() == [2, 4]
    assert xp.numpy(calls.weighted(x, xp.array([10, 100]), factor=2.0)).tolist() == [20, 400]


def test_required_after_optional_is_keyword_only(calls, xp):
    with pytest.raises(kernix.KernelTypeError, match="argument 'factor' is missing"):
        calls.weighted(xp.array([1]))
    with pytest.raises(kernix.KernelTypeError, match="at most 3 positional arguments, got 4; by keyword only: factor; supplied by the call: out$"):
        calls.weighted(xp.array([1]), None, 1, 2.0)
    with pytest.raises(kernix.KernelTypeError, match="at most 2 positional arguments, got 3; by keyword only: out$"):
        calls.twice(xp.array([1]), 1, 2.0)


def test_inout_is_mutated(calls, xp):
    x = xp.array([1, 2])
    assert calls.increment(x) is None
    assert xp.numpy(x).tolist() == [2, 3]


def test_zeroed_output(calls, xp):
    x = xp.array(np.ones(1000))
    for _ in range(3):
        assert xp.numpy(calls.total(x)).tolist() == [1000]


def test_several_outputs_are_a_tuple_in_parameter_order(calls, xp):
    answer = calls.both(xp.array([1, 2]))
    assert type(answer) is tuple
    plus, pair = answer
    assert xp.numpy(plus).tolist() == [2, 3]
    assert xp.numpy(pair).dtype == np.int32
    assert xp.numpy(pair).tolist() == [[0, 0], [1, -1]]


def test_views_honour_strides(calls, xp):
    x = xp.array(np.arange(12).reshape(3, 4))
    y = calls.transpose(x[:, ::2])
    assert xp.numpy(y).tolist() == np.arange(12).reshape(3, 4)[:, ::2].T.tolist()


@pytest.mark.parametrize("shape", [(), (12,), (2, 3, 2)])
def test_views_have_the_rank_of_their_indices(calls, xp, shape):
    with pytest.raises(kernix.KernelValueError, match=rf"argument 'x': expected a tensor of rank 2, got rank {len(shape)}"):
        calls.transpose(xp.array(np.zeros(shape)))


def test_empty_arrays_launch_nothing(calls, xp):
    assert calls.scale_shift(xp.array([]), 1.0, 2.0).shape == (0,)


def test_vector_elements(calls, xp):
    assert xp.numpy(calls.points(xp.array(np.arange(8).reshape(2, 4)))).tolist() == [6, 22]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_variant_by_dtype(calls, xp, dtype):
    y = xp.numpy(calls.negate(xp.array([1, 2], dtype)))
    assert y.dtype == dtype
    assert y.tolist() == [-1, -2]


def test_no_variant_for_a_dtype(calls, xp):
    with pytest.raises(kernix.KernelTypeError, match=r"(?s)negate: no variant takes these arguments.*int16"):
        calls.negate(xp.array([1], "int16"))


# -- mistakes ---------------------------------------------------------------------------------------------------------

SIGNATURE = r"add\(const float \*x, const float \*y, float \*z, int n\)"


def test_missing(calls, xp):
    with pytest.raises(kernix.KernelTypeError, match=SIGNATURE + ": argument 'z' is missing"):
        calls.add(xp.array([1]), xp.array([1]))


def test_too_many(calls, xp):
    x = xp.array([1])
    with pytest.raises(kernix.KernelTypeError, match=SIGNATURE + ": expected at most 4 positional arguments, got 5"):
        calls.add(x, x, x, 1, 2)


def test_given_twice(calls, xp):
    x = xp.array([1])
    with pytest.raises(kernix.KernelTypeError, match=SIGNATURE + ": argument 'x' is given twice"):
        calls.add(x, x, x, x=x)


def test_unknown_keyword_with_suggestion(calls, xp):
    with pytest.raises(kernix.KernelTypeError, match=r"unknown argument 'fctor' \(did you mean 'factor'\?\)"):
        calls.weighted(xp.array([1]), fctor=2.0)


def test_unknown_keyword_without_suggestion(calls, xp):
    x = xp.array([1])
    with pytest.raises(kernix.KernelTypeError, match=SIGNATURE + ": unknown argument 'completely_else'$"):
        calls.add(x, x, x, completely_else=1)


def test_hidden_output_cannot_be_given(calls, xp):
    with pytest.raises(kernix.KernelTypeError, match="argument 'y' cannot be given"):
        calls.scale_shift(xp.array([1]), 1.0, 2.0, y=xp.array([0]))


def test_wrong_dtype(calls, xp):
    x = xp.array([1])
    with pytest.raises(kernix.KernelTypeError, match="argument 'y': expected a tensor of float32, got one of float64"):
        calls.add(x, xp.array([1], "float64"), x)


def test_non_contiguous_for_a_pointer(calls, xp):
    x = xp.array([1, 2, 3, 4])[::2]
    with pytest.raises(kernix.KernelValueError, match="argument 'x': expected a contiguous tensor"):
        calls.add(x, xp.array([1, 2]), xp.array([1, 2]))


@pytest.mark.parametrize("thing", [[1.0, 2.0], (1.0,), "text", object(), {}, 3, 2.5, np.float32(1), b"bytes"])
def test_not_an_array(calls, xp, thing):
    x = xp.array([1])
    with pytest.raises(kernix.KernelTypeError, match="argument 'y': expected a tensor of float32, got"):
        calls.add(x, thing, x)


def test_none_for_a_required_array(calls, xp):
    x = xp.array([1])
    with pytest.raises(kernix.KernelTypeError, match="argument 'y': expected a tensor of float32, got None"):
        calls.add(x, None, x)


def test_nothing_is_written_when_a_check_fails(calls, xp):
    x, z = xp.array([1, 2]), xp.array([7, 7])
    with pytest.raises(kernix.KernelError):
        calls.add(x, xp.array([1, 2], "float64"), z)
    assert xp.numpy(z).tolist() == [7, 7]


def test_all_errors_are_kernel_errors():
    assert issubclass(kernix.KernelTypeError, (kernix.KernelError,)) and issubclass(kernix.KernelTypeError, TypeError)
    assert issubclass(kernix.KernelValueError, kernix.KernelError) and issubclass(kernix.KernelValueError, ValueError)
    assert issubclass(kernix.KernelError, RuntimeError)


def test_output_on_cuda_without_a_framework_that_makes_it():
    from kernix import _support

    class Foreign:
        __module__ = "elsewhere.arrays"

    with pytest.raises(kernix.KernelError, match="on CUDA device 1 cannot be allocated: kernix cannot make arrays of elsewhere"):
        _support.allocate(_support.Kind.DLPACK, Foreign(), (2,), 2, 32, 2, 1, 0)
