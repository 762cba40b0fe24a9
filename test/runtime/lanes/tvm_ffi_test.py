"""Packed calls through the real tvm-ffi, on tvm_ffi_object.cpp. Needs apache-tvm-ffi, NumPy and pytest.

$KERNIX_TVM_FFI_OBJECT is the compiled object.
"""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest
import tvm_ffi

OBJECT = os.environ["KERNIX_TVM_FFI_OBJECT"]


@pytest.fixture(scope="module")
def m():
    return tvm_ffi.load_module(OBJECT)


def error(call, *args):
    with pytest.raises(Exception) as caught:
        call(*args)
    return type(caught.value).__name__ + ": " + str(caught.value)


def arrays(dtype=np.float32, n=5):
    return np.arange(n, dtype=dtype), np.ones(n, dtype=dtype), np.zeros(n, dtype=dtype)


def test_call_with_given_output(m):
    x, y, z = arrays()
    result = m.add(x, y, z, None)
    np.testing.assert_array_equal(z, x + y)
    np.testing.assert_array_equal(np.from_dlpack(result), z)


def test_variant_by_dtype(m):
    x, y, z = arrays(np.float64)
    m.add(x, y, z, None)
    np.testing.assert_array_equal(z, x + y)
    x, y, z = arrays(np.int32)
    assert "add: no variant takes these arguments (x: a tensor of int32" in error(m.add, x, y, z, None)


def test_launch_sizes_come_first(m):
    out = np.zeros(1, np.int32)
    for block, grid, threads in [(None, None, 256), (32, None, 32), (64, 3, 192), ((8,), (2,), 16), ([4, 2, 1], [5], 20)]:
        m.count(block, grid, out)
        assert out[0] == threads, (block, grid)
    m.count(out)
    assert out[0] == 256


def test_bad_launch_sizes(m):
    out = np.zeros(1, np.int32)
    assert "count(int *out): block: expected an int or one to three ints, got float 1.5" in error(m.count, 1.5, 1, out)
    assert "count(int *out): grid: expected an int or one to three ints, got 4" in error(m.count, 1, (1, 1, 1, 1), out)
    assert "count(int *out): block: expected an int or one to three ints, got str 'a'" in error(m.count, ("a",), 1, out)
    assert "block.x: expected 1 to 1024, got 0" in error(m.count, 0, 1, out)


def test_wrong_number_of_arguments(m):
    assert "echo_int(long v = 7): expected 1 arguments, got 0" in error(m.echo_int)
    assert "count(int *out): expected 1 arguments, or block and grid before them, got 2" in error(m.count, 1, 2)


def test_integers(m):
    assert m.echo_int(-5) == -5
    assert m.echo_int(None) == 7
    assert m.echo_int(np.int8(3)) == 3
    assert m.echo_int(True) == 1
    assert m.echo_int(-(2**63)) == -(2**63)
    for wrong in (2**63, -(2**63) - 1, 2**64, 2**200):
        assert "argument 'v'" in error(m.echo_int, wrong)
    assert "expected an integer (int64), got float 1.0" in error(m.echo_int, 1.0)


def test_unsigned_integers(m):
    assert m.echo_uint(2**63) == 2**63
    assert m.echo_uint(2**64 - 1) == 2**64 - 1
    assert m.echo_uint(5) == 5
    assert "expected uint64 (0 to 18446744073709551615), got int -1" in error(m.echo_uint, -1)
    assert "got an int of more than 64 bits" in error(m.echo_uint, 2**64)


def test_other_scalars(m):
    assert m.echo_float(0.5) == 0.5
    assert m.echo_float(3) == 3.0
    assert m.echo_float(np.float16(0.25)) == 0.25
    assert m.echo_half(0.1) == float(np.float16(0.1))
    assert m.echo_bool(True) is True
    assert m.echo_bool(0) is False


def test_complex_is_a_pair(m):
    assert list(m.echo_complex((1.5, -2))) == [1.5, -2.0]
    assert list(m.echo_complex(3.0)) == [3.0, 0.0]
    assert "Python object that tvm-ffi has no type for" in error(m.echo_complex, 1 + 2j)
    assert "got an object of type 'list or tuple'" in error(m.echo_complex, ("a", 2))


def test_struct_is_its_leaves(m):
    assert list(m.echo_point((0.5, 1, 2))) == [0.5, 1, 2]
    assert "expected the 3 fields of Point, got 2" in error(m.echo_point, (0.5, 1))
    assert "argument 'v.n[1]': expected an integer (int32), got float 2.5" in error(m.echo_point, (0.5, 1, 2.5))


def test_strings(m):
    for text in ("", "short", "seven77", "eight888", "long" * 100, "äöü"):
        assert m.echo_string(text) == text
    assert "expected a str, got an object of type 'bytes'" in error(m.echo_string, b"abc")


def test_several_results_are_an_array(m):
    assert list(m.several()) == [1, 2.5, 3]


def test_python_objects_are_named(m):
    x, y, z = arrays()
    assert "Python object that tvm-ffi has no type for" in error(m.add, x, y, object(), None)
    assert "no type for" in error(m.echo_bool, np.bool_(True))
    assert "'dict'" in error(m.echo_int, {})


def test_outputs_are_allocated_only_with_an_allocator(m):
    assert ("fill(float *y, int n, cudaStream_t stream): argument 'y' must be given: tvm-ffi allocates outputs only for "
            "calls with a torch tensor among the arguments") in error(m.fill, 3)


def test_outputs_come_from_the_environments_allocator():
    # As with torch tensors among the arguments; in a process of its own, since the allocator stays.
    code = """
import ctypes, sys
import numpy as np, tvm_ffi
m = tvm_ffi.load_module(sys.argv[1])
library = ctypes.CDLL(sys.argv[1])
library.install_allocator()
out = np.from_dlpack(m.fill(3))
assert out.shape == (3,) and out.dtype == np.float32
assert out.view(np.int32)[0] == 256
x = np.arange(4, dtype=np.float64)
z = m.add(x, x, None, None)
np.testing.assert_array_equal(np.from_dlpack(z), 2 * x)
np.testing.assert_array_equal(np.from_dlpack(m.zeros(3)), np.zeros(3, np.float32))
assert library.live_allocations() == 2, library.live_allocations()
del out, z
for _ in range(50):
    m.fill(3)
    try:
        m.both(3, 2)
    except RuntimeError as error:
        assert "as asked" in str(error), error
first, second = m.both(3, 0)
assert np.from_dlpack(first).shape == np.from_dlpack(second).shape == (3,)
del first, second
assert library.live_allocations() == 0, library.live_allocations()
"""
    subprocess.run([sys.executable, "-c", code, OBJECT], check=True)


def test_error_kinds():
    # In a process of its own: registering is for good.
    code = """
import sys, tvm_ffi
class KernelError(RuntimeError): pass
class KernelTypeError(KernelError, TypeError): pass
class KernelValueError(KernelError, ValueError): pass
m = tvm_ffi.load_module(sys.argv[1])
def kind(how):
    try:
        m.fails(how)
    except Exception as error:
        return type(error).__name__, str(error)
assert kind(1) == ("RuntimeError", "fails(int how): as asked"), kind(1)
assert kind(2)[0] == "RuntimeError", kind(2)
for cls in (KernelError, KernelTypeError, KernelValueError):
    tvm_ffi.error.register_error("kernix." + cls.__name__, cls)
assert [kind(how)[0] for how in (1, 2, 3, 4)] == ["KernelError", "KernelTypeError", "KernelValueError", "MemoryError"]
"""
    subprocess.run([sys.executable, "-c", code, OBJECT], check=True)


def test_object_that_was_loaded_before_tvm_ffi():
    code = """
import ctypes, sys
early = ctypes.CDLL(sys.argv[1])
import tvm_ffi
m = tvm_ffi.load_module(sys.argv[1])
assert m.echo_int(4) == 4
try:
    m.echo_int("x")
except RuntimeError as error:
    assert "expected an integer" in str(error)
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", code, OBJECT], check=True)


def test_without_tvm_ffi_nothing_crashes():
    code = """
import ctypes, sys
class Any(ctypes.Structure):
    _fields_ = [("type_index", ctypes.c_int32), ("size", ctypes.c_uint32), ("value", ctypes.c_int64)]
f = ctypes.CDLL(sys.argv[1]).__tvm_ffi_echo_int
result = Any(99, 0, 0)
assert f(None, ctypes.byref(Any(1, 0, 5)), 1, ctypes.byref(result)) == 0
assert (result.type_index, result.value) == (1, 5)
assert f(None, ctypes.byref(Any(3, 0, 5)), 1, ctypes.byref(result)) == 0  # an error, but nobody to raise it
assert result.type_index == 0
"""
    done = subprocess.run([sys.executable, "-c", code, OBJECT], check=True, capture_output=True, text=True)
    assert "kernix: tvm-ffi is not loaded, so this error cannot be raised: long echo_int" in done.stderr


def schema_of(m, name):
    return repr(tvm_ffi.core.TypeSchema.from_json_str(m.get_function_metadata(name)["type_schema"]))


def test_metadata_and_doc(m):
    metadata = m.get_function_metadata("add")
    assert metadata["kernix"]["variants"] == [{"name": "hand-written"}] * 2
    assert schema_of(m, "add") == "Callable[[Tensor, Tensor, Tensor | None, int | None], Tensor]"
    assert m.get_function_doc("add") == "Adds two arrays."
    assert schema_of(m, "several") == "Callable[..., Array[Any]]"
    assert schema_of(m, "echo_string") == "Callable[[str], str]"
    assert schema_of(m, "fails") == "Callable[[int], None]"


def test_operation_that_the_module_lacks(m):
    assert "the module has no operation 'missing'" in error(m.missing)


def test_nothing_leaks(m):
    x, y, z = arrays()
    before = sys.getrefcount(z)
    for _ in range(100):
        m.add(x, y, z, None)
        error(m.add, x, y, 3, None)
    assert sys.getrefcount(z) == before
