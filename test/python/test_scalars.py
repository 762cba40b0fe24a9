"""Numbers and strings as arguments: every C type, its limits, and the objects that count as numbers."""

import enum
import math

import numpy as np
import pytest

import kernix

LIMITS = {
    "as_int8": (-(2**7), 2**7 - 1),
    "as_uint8": (0, 2**8 - 1),
    "as_int16": (-(2**15), 2**15 - 1),
    "as_int": (-(2**31), 2**31 - 1),
    "as_int64": (-(2**63), 2**63 - 1),
    "as_uint64": (0, 2**64 - 1),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limits_of_integers(results, name):
    low, high = LIMITS[name]
    assert results[name](low) == low
    assert results[name](high) == high


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("beyond", [1, 2**64, 2**200])
def test_beyond_the_limits(results, name, beyond):
    low, high = LIMITS[name]
    for value in (low - beyond, high + beyond):
        with pytest.raises(kernix.KernelValueError, match=rf"{name}\(.*\): argument 'v'"):
            results[name](value)


class Flag(enum.IntEnum):
    seven = 7


class Index:
    def __index__(self):
        return 7


@pytest.mark.parametrize("seven", [np.int8(7), np.uint64(7), np.int64(7), Flag.seven, Index(), np.array(7)])
def test_what_counts_as_an_integer(results, seven):
    assert results.as_int(seven) == 7


@pytest.mark.parametrize(
    "wrong", [1.0, 1.5, math.nan, np.float32(1), 1j, "1", None, [1], b"1", np.array([1]), np.timedelta64(1, "s")]
)
def test_what_does_not(results, wrong):
    with pytest.raises(kernix.KernelTypeError, match=r"as_int\(int v\): argument 'v': expected "):
        results.as_int(wrong)


def test_large_unsigned_numpy_integer(results):
    assert results.as_uint64(np.uint64(2**63 + 1)) == 2**63 + 1
    with pytest.raises(kernix.KernelValueError, match="argument 'v'"):
        results.as_int64(np.uint64(2**63))


@pytest.mark.parametrize("true", [True, np.bool_(True), np.array(True)])
def test_bool(results, true):
    assert results.as_bool(true) is True


def test_bool_refuses_other_objects(results):
    for wrong in (1.0, "yes", None):
        with pytest.raises(kernix.KernelTypeError, match=r"as_bool\(bool v\): argument 'v'"):
            results.as_bool(wrong)


class Real:
    def __float__(self):
        return 1.5


@pytest.mark.parametrize("number", [1.5, np.float16(1.5), np.float32(1.5), np.float64(1.5), Real(), np.array(1.5, "f4")])
def test_what_counts_as_a_float(results, number):
    assert results.as_float(number) == 1.5
    assert results.as_double(number) == 1.5


def test_bfloat16_scalar(results):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert results.as_float(ml_dtypes.bfloat16(1.5)) == 1.5
    assert results.as_float(np.array(1.5, ml_dtypes.bfloat16)) == 1.5


def test_integers_are_floats_too(results):
    assert results.as_float(3) == 3.0
    assert results.as_float(np.int32(3)) == 3.0


def test_special_floats(results):
    assert math.isnan(results.as_float(math.nan))
    assert results.as_double(-math.inf) == -math.inf


def test_half_scalars_of_all_kinds(results):
    for value in (0.0, -0.0, 2.0**-24, -(2.0**-14), 65504.0, math.inf):
        assert results.as_double(np.array(value, "f2")) == value


@pytest.mark.parametrize("number", [1 + 2j, np.complex64(1 + 2j), np.complex128(1 + 2j), np.array(1 + 2j)])
def test_complex(results, number):
    assert results.as_complex(number) == 1 + 2j
    assert results.as_complex128(number) == 1 + 2j


def test_real_numbers_are_complex_too(results):
    assert results.as_complex(2.5) == 2.5 + 0j


def test_complex_for_float(results):
    with pytest.raises(kernix.KernelTypeError, match=r"as_float\(float v\): argument 'v': expected .*complex"):
        results.as_float(1 + 0j)


def test_enum(results):
    assert results.as_color(5) == 5


def test_defaults(results):
    assert results.defaults(2.0) == 8.0
    assert results.defaults(2.0, 3.0) == 9.0
    assert results.defaults(2.0, d=False) == -1
    assert results.defaults(2.0, c=0) == 5.0


@pytest.mark.parametrize("name", ["length", "view_length"])
def test_strings(results, name):
    assert results[name]("") == 0
    assert results[name]("short") == 5
    assert results[name]("longer than seven bytes") == 23
    assert results[name]("gr\u00fc\u00df") == 6  # UTF-8
    assert results[name](np.str_("numpy")) == 5


def test_strings_with_null_characters(results):
    assert results.view_length("a\0b") == 3
    with pytest.raises(kernix.KernelValueError, match="argument 'text': expected a string without null characters .*, got str 'a.x00b'"):
        results.length("a\0b")


def test_strings_with_lone_surrogates(results):
    with pytest.raises(kernix.KernelValueError, match="argument 'text': expected a str that can be encoded as UTF-8"):
        results.length("\ud800")


@pytest.mark.parametrize("wrong", [b"bytes", 5, None, ["a"]])
def test_not_a_string(results, wrong):
    with pytest.raises(kernix.KernelTypeError, match=r"argument 'text': expected a str, got"):
        results.length(wrong)


def test_a_string_that_may_be_missing(results):
    assert results.text_or_nothing() == results.text_or_nothing(None) == -1
    assert results.text_or_nothing("a") == ord("a")
    with pytest.raises(kernix.KernelTypeError, match="expected a str, got int 3"):
        results.text_or_nothing(3)
    with pytest.raises(kernix.KernelTypeError, match="expected a str, got None"):
        results.length(None)
