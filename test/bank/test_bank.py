"""Every kernel of the bank against itself: reverse against forward, both against differences, float against double."""

from pathlib import Path
from typing import Any

import bank
import checks
import pytest

import kernix

ALL = list(bank.kernels())
FILES = sorted({kernel.file for kernel in ALL})
SEEDS = (0, 1)
_modules: dict[Path, Any] = {}


def module(kernel: bank.Kernel) -> Any:
    if kernel.file not in _modules:
        # None of the bank's kernels loses a gradient without saying so.
        flags = ["-fplugin-arg-kernix-Werror=kernix-lost-gradient"]
        _modules[kernel.file] = kernix.load(kernel.file, target="cpu", extra_cflags=flags)
    return _modules[kernel.file]


def cases(*wanted: str) -> list[Any]:
    """(kernel, precision) of the kernels that exist in one of the precisions."""
    return [
        pytest.param(kernel, precision, id=f"{kernel.file.stem}-{kernel.name}-{precision}")
        for kernel in ALL
        for precision in kernel.types
        if precision in wanted
    ]


def operation(kernel: bank.Kernel, precision: str) -> checks.Operation:
    return checks.Operation(module(kernel)[kernel.name], kernel, precision)


@pytest.mark.parametrize(("kernel", "precision"), cases("f64", "f32", "f16", "bf16"))
def test_reverse_is_the_adjoint_of_forward(kernel: bank.Kernel, precision: str) -> None:
    op = operation(kernel, precision)
    for seed in SEEDS:
        checks.check_adjoint(op, seed)


@pytest.mark.parametrize(("kernel", "precision"), cases("f64"))
def test_both_against_differences(kernel: bank.Kernel, precision: str) -> None:
    op = operation(kernel, precision)
    for seed in SEEDS:
        checks.check_differences(op, seed)


@pytest.mark.parametrize(("kernel", "precision"), cases("f16", "bf16", "f32"))
def test_other_precisions(kernel: bank.Kernel, precision: str) -> None:
    """Against double where there is one, else against differences with a wide step."""
    if "f64" in kernel.types:
        checks.check_precisions(operation(kernel, precision), operation(kernel, "f64"))
    else:
        checks.check_coarse_differences(operation(kernel, precision), 0)


@pytest.mark.parametrize(("kernel", "precision"), cases("f64"))
def test_gradients_are_added(kernel: bank.Kernel, precision: str) -> None:
    checks.check_accumulation(operation(kernel, precision))


def test_the_bank_is_large_enough() -> None:
    assert len(ALL) >= 150
    assert len({kernel.name for kernel in ALL}) == len(ALL)


def test_unused_inputs_get_zeros() -> None:
    kernel = next(kernel for kernel in ALL if kernel.name == "input_never_used")
    op = operation(kernel, "f64")
    made = op.make(0)
    gradients = op.backward(made, op.random_like(made, kernel.outputs(), 7))
    assert gradients["unused"].shape == (4,)
    assert not gradients["unused"].any()
