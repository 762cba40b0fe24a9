"""Odd objects, states of tensors and lives of modules: each call is right, or a KernelError with nothing written."""

import array
import copy
import ctypes
import decimal
import fractions
import gc
import os
import pickle
import threading
import time
import weakref

import numpy as np
import pytest

import kernix
from conftest import SOURCES, run_python


@pytest.fixture
def x():
    return np.array([1, 2, 3], "float32")


# -- objects that are no arrays ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "thing",
    [
        *(b"abc", bytearray(12), memoryview(bytearray(12)), [1.0], (1.0,), {}, set(), range(3), len, int, object(), ...),
        *(array.array("f", [1]), (ctypes.c_float * 3)(), np.ndarray, np.float32, np.void(b"abcd"), slice(3), NotImplemented),
    ],
    ids=lambda thing: type(thing).__name__,
)
def test_things_that_are_no_arrays(calls, thing):
    with pytest.raises(kernix.KernelTypeError, match="argument 'x': expected a tensor of float32, got an object of type"):
        calls.twice(thing)


def test_functions_and_modules_of_kernix_as_arguments(calls):
    for thing in (calls, calls.add, calls._kernix):
        with pytest.raises(kernix.KernelTypeError, match="argument 'x': expected a tensor of float32, got an object of type"):
            calls.twice(thing)


def test_arrays_by_other_protocols(calls, x):
    class Interface:
        __array_interface__ = x.__array_interface__

    class Method:
        def __array__(self, dtype=None, copy=None):
            return x

    for thing in (Interface(), Method()):
        with pytest.raises(kernix.KernelTypeError, match="argument 'x': expected a tensor of float32, got an object"):
            calls.twice(thing)


class Failing(np.ndarray):
    @property
    def __array_struct__(self):
        raise RuntimeError("not today")


class Wrong(np.ndarray):
    __array_struct__ = 5


@pytest.mark.parametrize("cls", [Failing, Wrong])
def test_array_interface_that_fails(calls, x, cls):
    with pytest.raises(kernix.KernelTypeError, match=f"argument 'x': {cls.__name__} cannot be exported: "):
        calls.twice(x.view(cls))


class Exported:
    """An object with DLPack whose answers are given."""

    def __init__(self, capsule, device=(1, 0)):
        self.capsule, self.device = capsule, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        if isinstance(self.capsule, BaseException):
            raise self.capsule
        return self.capsule() if callable(self.capsule) else self.capsule


@pytest.mark.parametrize("exported", [Exported(5), Exported(None), Exported(None, "cpu"), Exported(None, (1,)), Exported(None, 1)])
def test_dlpack_that_is_none(calls, exported):
    with pytest.raises(kernix.KernelTypeError, match="argument 'x': Exported cannot be exported: "):
        calls.twice(exported)


def test_capsule_that_was_consumed(calls, x):
    exported = Exported(x.__dlpack__())
    assert calls.twice(exported).tolist() == [2, 4, 6]
    assert calls.twice(exported).tolist() == [2, 4, 6]
    np.from_dlpack(exported)
    with pytest.raises(kernix.KernelTypeError, match="argument 'x': Exported cannot be exported: "):
        calls.twice(exported)


def test_interrupts_go_through(calls):
    for error in (KeyboardInterrupt, SystemExit):
        with pytest.raises(error):
            calls.twice(Exported(error()))


def test_array_whose_owner_dies_in_the_call(calls):
    class Owner(Exported):
        def __dlpack__(self, **_):
            capsule = self.capsule.__dlpack__()
            del self.capsule
            gc.collect()
            return capsule

    assert calls.twice(Owner(np.arange(1000, dtype="float32"))).sum() == 999000


# -- layouts ----------------------------------------------------------------------------------------------------------


def test_layouts_that_are_contiguous_all_the_same(calls):
    square = np.ones((4, 4), "float32")
    for view in (square[1:2, ::4], square[:, :1].T[:, :1], np.asfortranarray(square[:1]), np.zeros((5, 0), "float32")[::2]):
        assert calls.twice(view).tolist() == (2 * view).tolist()


@pytest.mark.parametrize(
    "view",
    [
        lambda x: np.broadcast_to(x[:1], (3,)),
        lambda x: np.lib.stride_tricks.as_strided(x, (2, 2), (4, 4)),
        lambda x: np.asfortranarray(np.ones((2, 3), "float32")),
        lambda x: x[::-1],
        lambda x: x[::2],
    ],
)
def test_layouts_that_are_not(calls, x, view):
    with pytest.raises(kernix.KernelValueError, match="argument 'x': expected a contiguous tensor"):
        calls.twice(view(x))


def test_overlapping_input_of_a_view(calls, x):
    assert calls.transpose(np.lib.stride_tricks.as_strided(x, (2, 2), (4, 4))).tolist() == [[1, 2], [2, 3]]


@pytest.mark.parametrize(
    "out",
    [
        np.zeros(2, "float32"),
        np.zeros((3, 1), "float32"),
        np.zeros(3, "float64"),
        np.zeros(3, ">f4"),
        np.zeros(6, "float32")[::2],
        np.broadcast_to(np.zeros(1, "float32"), (3,)),
        [0.0, 0.0, 0.0],
        7,
    ],
    ids=str,
)
def test_outputs_that_do_not_fit(calls, x, out):
    before = np.array(out)
    with pytest.raises(kernix.KernelError, match="argument 'out': expected"):
        calls.twice(x, out=out)
    assert (np.array(out) == before).all()


@pytest.mark.parametrize("shape", [(3, 3), (12,), (4, 0)])
def test_shapes_that_are_no_vectors(calls, shape):
    with pytest.raises(kernix.KernelValueError, match=r"argument 'x': expected a shape that ends in \(4,\)"):
        calls.points(np.zeros(shape, "float32"))


def test_vectors_that_are_not_aligned(calls):
    buffer = np.zeros(64, "float32")
    start = next(i for i in range(4) if (buffer.ctypes.data + 4 * i) % 16)
    with pytest.raises(kernix.KernelValueError, match="argument 'x': expected data aligned to 16 bytes"):
        calls.points(buffer[start : start + 16].reshape(4, 4))


# -- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**64), 2**100, 10**300])
def test_integers_of_any_size_are_numbers_of_a_double(results, number):
    assert results.as_double(number) == float(number)
    assert results.as_complex128(number) == complex(number)


@pytest.mark.parametrize(("name", "number"), [("as_double", 10**400), ("as_double", -(10**400)), ("as_float", 2**129)])
def test_integers_beyond_a_float(results, name, number):
    with pytest.raises(kernix.KernelValueError, match="argument 'v': expected a number within the range of float"):
        results[name](number)


def test_large_integers_of_a_float(results):
    assert results.as_float(2**100) == 2.0**100
    assert results.as_float(2**64 + 2**41) == 2.0**64 + 2.0**41


@pytest.mark.parametrize("number", [decimal.Decimal("1.5"), fractions.Fraction(3, 2), np.longdouble(1.5)])
def test_other_real_numbers(results, number):
    assert results.as_float(number) == 1.5
    with pytest.raises(kernix.KernelTypeError, match="argument 'v': expected an integer"):
        results.as_int(number)


def test_errors_of_the_callers_own_conversions(results):
    class Bad:
        def __index__(self):
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        results.as_int(Bad())


def test_a_call_within_a_call(calls, results, x):
    class Nested:
        def __index__(self):
            return results.as_int(2) + calls.twice(x).size

    assert results.as_int(Nested()) == 5


# -- keywords ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "é", "out\0", "\ud800", "self", "args", "X"])
def test_odd_keywords(calls, x, name):
    with pytest.raises(kernix.KernelTypeError, match="unknown argument '"):
        calls.twice(x, **{name: 1})


def test_keyword_of_a_subclass_of_str(calls, x):
    class Name(str):
        pass

    assert calls.twice(**{Name("x"): x}).tolist() == [2, 4, 6]


def test_hundreds_of_arguments(calls, x):
    with pytest.raises(kernix.KernelTypeError, match="expected at most 4 positional arguments, got 500"):
        calls.add(*[x] * 500)
    with pytest.raises(kernix.KernelTypeError, match="unknown argument 'k0'"):
        calls.add(**{f"k{i}": i for i in range(500)})


@pytest.mark.parametrize("size", [np.array([32, 1]), "3", 3.0, (), (1, 1, 1, 1), ((32,),), True, object()], ids=lambda size: type(size).__name__)
def test_launch_sizes_that_are_none(calls, x, size):
    for keyword in ("block", "grid"):
        with pytest.raises(kernix.KernelTypeError, match=f"{keyword}: expected an int or up to three of them, got"):
            calls.twice(x, **{keyword: size})


# -- functions and modules as objects -----------------------------------------------------------------------------------


def test_copies_are_the_same(calls):
    assert copy.copy(calls.add) is calls.add
    assert copy.deepcopy({"f": calls.add})["f"] is calls.add
    assert copy.deepcopy(calls) is calls


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickling_says_what_to_do(calls, protocol):
    with pytest.raises(kernix.KernelTypeError, match=r"calls\.add cannot be pickled: load the module where"):
        pickle.dumps(calls.add, protocol)
    with pytest.raises(kernix.KernelTypeError, match="module calls cannot be pickled"):
        pickle.dumps(calls, protocol)


def test_weak_references(source):
    module = kernix.load(source("[[kernix::bind]] int f() { return 1; }"), target="cpu")
    reference = weakref.ref(module.f)
    assert reference() is module.f
    del module
    gc.collect()
    assert reference() is None


def test_function_outlives_its_module(source):
    function = kernix.load(source("[[kernix::bind]] int f() { return 1; }"), target="cpu").f
    gc.collect()
    assert function() == 1
    assert function.info["name"] == "f"


def test_module_that_goes_while_it_is_called(source, x):
    holder = {"module": kernix.load(source("[[kernix::bind]] int f(int v) { return v; }"), target="cpu")}

    class Dropping:
        def __index__(self):
            holder.clear()
            gc.collect()
            return 4

    assert holder["module"].f(Dropping()) == 4


@pytest.mark.parametrize("key", [0, None, ("add",)])
def test_keys_that_are_no_names(calls, key):
    with pytest.raises(kernix.KernelTypeError, match="module calls: expected the name of a function, got"):
        calls[key]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"block_size": "3"}, "block_size: expected an int, got '3'"),
        ({"block_size": 2**70}, "block size: expected 1 to 1024"),
        ({"block_size": 0}, "block size: expected 1 to 1024, got 0"),
        ({"shared_bytes": 1.0}, r"shared_bytes: expected an int, got 1\.0"),
        ({"variant": "0"}, "variant: expected 0 to 0, got '0'"),
        ({"variant": -1}, "variant: expected 0 to 0, got -1"),
    ],
)
def test_resources(calls, options, message):
    with pytest.raises(kernix.KernelError, match=message):
        calls.add.resources(**options)


# -- threads and processes ----------------------------------------------------------------------------------------------


def test_fork_after_a_call(calls):
    x = np.ones(100000, "float32")
    calls.twice(x)
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if (calls.twice(x) == 2).all() else 3)
        except BaseException:
            os._exit(4)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.05)
    os.kill(child, 9)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


def test_many_threads_that_fail_and_succeed(calls, results):
    """Errors, outputs and barriers of one thread do not reach another."""
    wrong = []

    def work(seed):
        x = np.full(257 + seed, seed, "float32")
        for i in range(100):
            try:
                if i % 3 == 0 and (calls.total(x) != seed * x.size).any():
                    wrong.append((seed, "total"))
                elif i % 3 == 1 and (calls.twice(x) != 2 * seed).any():
                    wrong.append((seed, "twice"))
                elif i % 3 == 2:
                    results.as_int8(1000 + seed)
                    wrong.append((seed, "no error"))
            except kernix.KernelError as error:
                if f"got int {1000 + seed}" not in str(error):
                    wrong.append((seed, str(error)))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_threads_at_the_end_of_the_process():
    result = run_python(
        f"""
        import threading, numpy as np, kernix
        calls = kernix.load({str(SOURCES / "calls.cu")!r}, target="cpu")
        x = np.ones(100000, "float32")
        def work():
            while True:
                calls.twice(x)
        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        print(calls.twice(x)[0])
        """
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "2.0\n", "")


def test_no_warning_is_raised_anywhere():
    result = run_python(
        f"""
        import warnings
        warnings.simplefilter("error")
        import kernix
        module = kernix.load({str(SOURCES / "results.cu")!r}, target="cpu")
        module.defaults(1.0), module.squares(), repr(module), dir(module), module.defaults.info
        import numpy
        calls = kernix.load({str(SOURCES / "calls.cu")!r}, target="cpu")
        print(calls.twice(numpy.ones(2, "float32")).tolist(), calls.scale_shift(numpy.ones(1, "float32"), 1, b=2)[0])
        """
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "[2.0, 2.0] 3.0\n", "")
