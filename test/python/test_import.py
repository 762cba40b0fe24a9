"""Importing kernix is light, and works before and after torch."""

import sys

import pytest

from conftest import SOURCES, run_python


def test_import_pulls_in_no_framework():
    result = run_python(
        """
        import sys, kernix
        print(sorted({"numpy", "torch", "jax", "tvm_ffi", "ml_dtypes"} & set(sys.modules)))
        """
    )
    assert result.stdout == "[]\n", result.stderr


@pytest.mark.parametrize("order", ["kernix, torch", "torch, kernix"])
def test_torch_before_and_after(order):
    pytest.importorskip("torch")
    result = run_python(
        f"""
        import {order.split(", ")[0]}
        if "{order}".startswith("kernix"):
            module = kernix.load({str(SOURCES / "calls.cu")!r}, target="cpu")
        import torch, kernix
        module = kernix.load({str(SOURCES / "calls.cu")!r}, target="cpu")
        print(module.twice(torch.ones(2)).tolist())
        """
    )
    assert result.stdout == "[2.0, 2.0]\n", result.stderr


@pytest.mark.parametrize("early", ["numpy", "kernix"])
def test_numpy_without_any_other_framework(early):
    result = run_python(
        f"""
        import sys
        for name in ("torch", "jax", "tvm_ffi", "ml_dtypes", "cupy"):
            sys.modules[name] = None
        import {early}
        import kernix, numpy
        module = kernix.load({str(SOURCES / "calls.cu")!r}, target="cpu")
        print(module.twice(numpy.ones(2, "float32")).tolist(), module.geometry()[0])
        try:
            module.twice(object())
        except kernix.KernelTypeError as error:
            print(error)
        """
    )
    assert result.stdout.startswith("[2.0, 2.0] 256\n"), result.stderr
    assert "got an object of type 'object'" in result.stdout


def test_calls_before_and_after_torch_is_imported():
    pytest.importorskip("torch")
    result = run_python(
        f"""
        import kernix, numpy
        module = kernix.load({str(SOURCES / "calls.cu")!r}, target="cpu")
        first = module.twice(numpy.ones(2, "float32"))
        import torch
        second = module.twice(torch.ones(2))
        third = module.twice(numpy.ones(2, "float32"))
        print([type(each).__module__ for each in (first, second, third)])
        """
    )
    assert result.stdout == "['numpy', 'torch', 'numpy']\n", result.stderr


def test_works_without_numpy():
    result = run_python(
        f"""
        import sys
        sys.modules["numpy"] = None
        import kernix
        module = kernix.load({str(SOURCES / "results.cu")!r}, target="cpu")
        print(module.defaults(2.0), module.divide(7, 2))
        """
    )
    assert result.stdout == "8.0 (True, 3, 1)\n", result.stderr


def test_needs_numpy_only_to_allocate():
    result = run_python(
        f"""
        import sys
        sys.modules["numpy"] = None
        import kernix
        try:
            kernix.load({str(SOURCES / "calls.cu")!r}, target="cpu").geometry()
        except kernix.KernelError as error:
            print(error)
        """
    )
    assert result.stdout.startswith("NumPy is needed to allocate an output"), result.stderr


def test_clean_exit_with_a_module_alive():
    result = run_python(
        f"""
        import builtins, kernix
        builtins.kept = kernix.load({str(SOURCES / "results.cu")!r}, target="cpu")
        builtins.function = builtins.kept.nothing
        """
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_extension_is_abi3():
    from kernix import _binding

    assert _binding.__file__.endswith("_binding.abi3.so")
    assert sys.version_info >= (3, 11)
