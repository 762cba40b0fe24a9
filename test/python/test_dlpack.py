"""Anything else with DLPack: capsules of both kinds, read-only ones, errors; and what is refused."""

import numpy as np
import pytest

import kernix


class Exporter:
    """An array of an unknown framework."""

    def __init__(self, array, versioned=True, device=(1, 0)):
        self.array = array
        self.versioned = versioned
        self.device = device
        self.calls = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **arguments):
        self.calls.append(arguments)
        if self.versioned:
            return self.array.__dlpack__(max_version=arguments["max_version"])
        if "max_version" in arguments:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.array.__dlpack__()


@pytest.mark.parametrize("versioned", [True, False])
def test_capsules_old_and_new(calls, versioned):
    x = Exporter(np.array([1, 2], "float32"), versioned)
    z = np.zeros(2, "float32")
    calls.add(x, x, Exporter(z, versioned))
    assert z.tolist() == [2, 4]


def test_outputs_are_numpy_arrays(calls):
    y = calls.twice(Exporter(np.array([1, 2], "float32")))
    assert type(y) is np.ndarray
    assert y.tolist() == [2, 4]


def test_capsules_are_released(calls):
    import sys

    array = np.array([1, 2], "float32")
    before = sys.getrefcount(array)
    exporter = Exporter(array)
    calls.twice(exporter)
    with pytest.raises(kernix.KernelError):
        calls.add(exporter, exporter, None)
    del exporter
    assert sys.getrefcount(array) == before


def test_read_only_flag(calls):
    array = np.zeros(2, "float32")
    array.flags.writeable = False
    x = np.ones(2, "float32")
    with pytest.raises(kernix.KernelValueError, match="argument 'z': expected a writable tensor"):
        calls.add(x, x, Exporter(array))
    calls.twice(Exporter(array))


def test_an_export_that_fails(calls):
    class Broken(Exporter):
        def __dlpack__(self, **arguments):
            raise BufferError("out of order\nsecond line")

    with pytest.raises(kernix.KernelTypeError, match="argument 'x': Broken cannot be exported: out of order$"):
        calls.twice(Broken(np.zeros(2, "float32")))


def test_another_device(calls):
    class Elsewhere(Exporter):
        pass

    # ROCm's number in the capsule itself.
    import ctypes

    array = np.zeros(2, "float32")
    capsule = array.__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    ctypes.c_int32.from_address(get(capsule, b"dltensor") + 8).value = 10
    elsewhere = Elsewhere(array, device=(10, 0))
    elsewhere.__class__.__dlpack__ = lambda self, **arguments: capsule
    with pytest.raises(kernix.KernelValueError, match="argument 'x': expected an array on the CPU or a CUDA device, got DLPack device type 10"):
        calls.twice(elsewhere)


def test_tvm_ffi_tensor(calls):
    tvm_ffi = pytest.importorskip("tvm_ffi")
    array = np.array([1, 2], "float32")
    z = np.zeros(2, "float32")
    calls.add(tvm_ffi.from_dlpack(array), array, tvm_ffi.from_dlpack(z))
    assert z.tolist() == [2, 4]
