"""NumPy arrays: layouts and states that would be misread, and dtypes that NumPy itself does not have."""

import numpy as np
import pytest

import kernix


def vector(*values, dtype="float32"):
    return np.array(values, dtype)


def test_read_only_input_works(calls):
    x = vector(1, 2)
    x.flags.writeable = False
    assert calls.twice(x).tolist() == [2, 4]


def test_read_only_output_is_refused(calls):
    x, z = vector(1, 2), vector(7, 7)
    z.flags.writeable = False
    with pytest.raises(kernix.KernelValueError, match=r"argument 'z': expected a writable tensor .*, got a read-only one"):
        calls.add(x, x, z)
    assert z.tolist() == [7, 7]


def test_read_only_inout_is_refused(calls):
    x = np.broadcast_to(vector(1), (1,))
    with pytest.raises(kernix.KernelValueError, match="argument 'x': expected a writable tensor"):
        calls.increment(x)


def test_swapped_bytes(calls):
    x = vector(1, 2).astype(">f4")
    with pytest.raises(kernix.KernelValueError, match="argument 'x': expected an array in the machine's byte order"):
        calls.twice(x)


def test_negative_strides(calls):
    x = np.arange(6, dtype="float32").reshape(2, 3)
    assert calls.transpose(x[::-1, ::-1]).tolist() == x[::-1, ::-1].T.tolist()
    with pytest.raises(kernix.KernelValueError, match="argument 'x': expected a contiguous tensor"):
        calls.twice(x[0, ::-1])


def test_strides_that_are_no_multiple_of_the_element(calls):
    records = np.zeros(3, [("a", "f4"), ("b", "i1")])
    with pytest.raises(kernix.KernelValueError, match="argument 'x': expected strides that are multiples"):
        calls.transpose(records["a"].reshape(3, 1))


def test_structured_dtype(calls):
    records = np.zeros(3, [("a", "f4"), ("b", "f4")])
    with pytest.raises(kernix.KernelTypeError, match="argument 'x': a structured dtype"):
        calls.twice(records)


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([object()]), np.array(["2024-01-01"], "M8[D]"), np.array([b"x"])])
def test_dtypes_that_are_no_numbers(calls, array):
    with pytest.raises(kernix.KernelTypeError, match="argument 'x': expected numbers, got dtype"):
        calls.twice(array)


def test_long_double(calls):
    with pytest.raises(kernix.KernelTypeError, match="argument 'x': expected a tensor of float32, got one of float128"):
        calls.twice(vector(1, dtype="longdouble"))


def test_masked_array(calls):
    with pytest.raises(kernix.KernelTypeError, match="argument 'x': expected a plain array, got a masked one"):
        calls.twice(np.ma.array([1.0, 2.0], mask=[0, 1], dtype="float32"))


def test_subclasses_that_are_plain_arrays(calls, tmp_path):
    mapped = np.memmap(tmp_path / "x", "float32", "w+", shape=(2,))
    mapped[:] = [1, 2]
    assert calls.twice(mapped).tolist() == [2, 4]


def test_too_many_axes(calls):
    with pytest.raises(kernix.KernelValueError, match="argument 'x': expected at most 8 axes, got 9"):
        calls.twice(np.zeros((1,) * 9, "float32"))


def test_eight_axes(calls):
    assert calls.twice(np.ones((1, 2) * 4, "float32")).shape == (1, 2) * 4


def test_zero_dimensional_array_for_a_tensor(calls):
    assert calls.twice(np.array(3, "float32")).tolist() == 6


def test_unaligned_array(calls):
    buffer = np.zeros(17, np.uint8)
    x = buffer[1:].view("float32")
    with pytest.raises(kernix.KernelValueError, match="argument 'x': expected .*align"):
        calls.twice(x)


def test_bfloat16(calls):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    y = calls.bfloats(np.array([1, 2.5], ml_dtypes.bfloat16))
    assert y.dtype == ml_dtypes.bfloat16
    assert y.astype("float32").tolist() == [2, 5]


def test_bfloat16_bits_are_not_bfloat16(calls):
    with pytest.raises(kernix.KernelTypeError, match="argument 'x': expected a tensor of bfloat16, got one of uint16"):
        calls.bfloats(vector(1, dtype="uint16"))


def test_other_narrow_floats(calls):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    with pytest.raises(kernix.KernelTypeError, match="argument 'x': expected numbers, got dtype float8_e4m3fn"):
        calls.twice(np.zeros(2, ml_dtypes.float8_e4m3fn))


def test_bfloat16_output_without_ml_dtypes(calls, monkeypatch):
    import sys

    from kernix import _support

    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    monkeypatch.setattr(_support, "_numpy_dtypes", {})
    with pytest.raises(kernix.KernelError, match=r"NumPy has no bfloat16 of its own: install ml_dtypes"):
        _support._numpy_dtype((4, 16))


def test_wide_copy_is_not_made(calls):
    # What the kernel writes arrives in the very array that was passed.
    z = np.zeros(4, "float32")
    before = z.__array_interface__["data"]
    calls.add(vector(1, 2, 3, 4), vector(1, 2, 3, 4), z)
    assert z.__array_interface__["data"] == before
    assert z.tolist() == [2, 4, 6, 8]


def test_references_are_given_back(calls):
    import sys

    x, z = vector(1, 2), vector(0, 0)
    before = sys.getrefcount(x), sys.getrefcount(z)
    for _ in range(10):
        calls.add(x, x, z)
        y = calls.twice(x)
        with pytest.raises(kernix.KernelError):
            calls.add(x, x, None)
    assert (sys.getrefcount(x), sys.getrefcount(z)) == before
    assert sys.getrefcount(y) == 2
