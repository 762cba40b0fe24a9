"""Kernels of the bank through JAX: values and gradients are those of the plain calls.

Every third one, since each is compiled by XLA; KERNIX_ALL=1 runs all.
"""

import os
from typing import Any

import bank
import checks
import numpy as np
import pytest
from test_bank import module

from kernix.derivative import returned_names

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

# A tensor that is given twice is two arguments for JAX, each with a gradient of its own.
KERNELS = [
    kernel
    for kernel in bank.kernels()
    if "f64" in kernel.types and not any(argument.kind == "same" for argument in kernel.arguments.values())
][:: 1 if os.environ.get("KERNIX_ALL") else 3]


@pytest.fixture(autouse=True)
def double_precision() -> Any:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    with jax.default_device(jax.devices("cpu")[0]):
        yield
    jax.config.update("jax_enable_x64", before)


def result_names(function: Any, given: dict[str, Any]) -> list[str]:
    """The parameters that the results of a call with JAX's arrays stand for."""
    record = function._records[0]
    names = [name for name in returned_names(record) if name is not None]
    changed = [each["name"] for each in record["parameters"] if each["role"] == "ret" and each["name"] in given]
    return names + [name for name in changed if name not in names]


def zeros_of(result: Any) -> Any:
    is_float = jnp.issubdtype(result.dtype, jnp.floating)
    return np.zeros(result.shape, result.dtype if is_float else jax.dtypes.float0)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.file.stem}-{kernel.name}")
def test_as_without_jax(kernel: bank.Kernel) -> None:
    function = module(kernel)[kernel.name]
    op = checks.Operation(function, kernel, "f64")
    made = op.make(3)
    cotangents = op.random_like(made, kernel.outputs(), 5)
    expected = op.backward(op.make(3), cotangents)
    values = op.primal(op.make(3))

    arrays = {name: value for name, value in made.items() if isinstance(value, np.ndarray)}
    others = {name: value for name, value in made.items() if name not in arrays} | kernel.launch
    inputs = [name for name in kernel.inputs() if name in arrays]
    fixed = {name: jnp.asarray(value) for name, value in arrays.items() if name not in inputs}
    names = result_names(function, made)

    def call(varied: dict[str, Any]) -> dict[str, Any]:
        results = function(**fixed, **varied, **others)
        row = results if isinstance(results, tuple) else (results,)
        return dict(zip(names, row, strict=True))

    found, pull = jax.vjp(call, {name: jnp.asarray(arrays[name]) for name in inputs})
    for name in kernel.outputs():
        np.testing.assert_allclose(found[name], values[name], rtol=1e-12, atol=1e-12)
    (gradients,) = pull({name: cotangents.get(name, zeros_of(each)) for name, each in found.items()})
    for name in inputs:
        np.testing.assert_allclose(gradients[name], expected[name], rtol=1e-10, atol=1e-10)
