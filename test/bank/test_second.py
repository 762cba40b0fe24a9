"""Second derivatives of the bank's kernels, in double: against differences of gradients, reverse and forward over reverse."""

from pathlib import Path
from typing import Any

import bank
import checks
import numpy as np
import pytest

import kernix

ALL = [
    kernel
    for kernel in bank.kernels()
    if kernel.has_second
    and not any(argument.kind in ("inout", "realstruct", "same") for argument in kernel.arguments.values())
]
_modules: dict[Path, Any] = {}


def operation(kernel: bank.Kernel) -> checks.Operation:
    if kernel.file not in _modules:
        name = f"{kernel.file.stem}_second"
        _modules[kernel.file] = kernix.load(kernel.file, target="cpu", name=name, defines={"BANK_SECOND": None})
    return checks.Operation(_modules[kernel.file][kernel.name], kernel, "f64")


@pytest.mark.parametrize("kernel", ALL, ids=[f"{kernel.file.stem}-{kernel.name}" for kernel in ALL])
def test_second_derivatives(kernel: bank.Kernel) -> None:
    op = operation(kernel)
    for seed in (0, 1):
        checks.check_second(op, seed)


def test_most_of_the_bank_has_second_derivatives() -> None:
    assert len(ALL) >= 150
