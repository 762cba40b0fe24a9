"""Second derivatives of the bank's kernels, in double: against differences of gradients, reverse and forward over reverse."""

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import bank
import checks
import numpy as np
import pytest

import kernix

# Gradients that differences say nothing about: of a fractal, of sums over many edges, of noise whose curvature bends, of
# iterations that end early, of what is cut off or chosen along the way.
WILD = (
    "complex_newton",
    "nearest_of_several_spheres",
    "sphere_tracing",
    "normal_by_differences",
    "gradient_noise",
    "newton_with_early_exit",
    "smoothed_density",
    "option_price_and_lattice",
)
# Second derivatives do not go through shared memory, barriers and warp functions.
TOGETHER = ("shared_dynamic", "shared_reductions", "shared_tiles", "warps")
ALL = [
    kernel
    for kernel in bank.kernels()
    if kernel.has_second
    and kernel.name not in WILD
    and kernel.file.stem not in TOGETHER
    and not any(argument.kind in ("inout", "realstruct", "same") for argument in kernel.arguments.values())
]
_modules: dict[Path, Any] = {}


def operation(kernel: bank.Kernel) -> checks.Operation:
    if kernel.file not in _modules:
        # The kernels that are not checked here need no second derivative: those that change a tensor in place have none.
        names = "|".join(each.name for each in ALL if each.file == kernel.file)
        text = re.sub(rf"\bKERNEL void (?!(?:{names})\()", "ONCE_KERNEL void ", kernel.file.read_text())
        folder = Path(tempfile.mkdtemp())
        (folder / f"{kernel.file.stem}_second.cu").write_text(text)
        _modules[kernel.file] = kernix.load(
            folder / f"{kernel.file.stem}_second.cu",
            target="cpu",
            include_paths=[kernel.file.parent],
            defines={"BANK_SECOND": None},
        )
        shutil.rmtree(folder)
    return checks.Operation(_modules[kernel.file][kernel.name], kernel, "f64")


@pytest.mark.parametrize("kernel", ALL, ids=[f"{kernel.file.stem}-{kernel.name}" for kernel in ALL])
def test_second_derivatives(kernel: bank.Kernel) -> None:
    op = operation(kernel)
    for seed in (0, 1):
        checks.check_second(op, seed)


def test_most_of_the_bank_has_second_derivatives() -> None:
    assert len(ALL) >= 150
