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
    "nearest_edges",
)
ALL = [
    kernel
    for kernel in bank.kernels()
    if kernel.has_second
    and kernel.name not in WILD
    and not any(argument.kind in ("inout", "realstruct", "same") for argument in kernel.arguments.values())
]
_modules: dict[tuple[Path, str], Any] = {}


def module(file: Path, target: str) -> Any:
    """The kernels of a file, with second derivatives."""
    if (file, target) not in _modules:
        # The kernels that are not checked here need no second derivative: those that change a tensor in place have none.
        names = "|".join(each.name for each in ALL if each.file == file)
        text = re.sub(rf"\bKERNEL void (?!(?:{names})\b)", "ONCE_KERNEL void ", file.read_text())
        folder = Path(tempfile.mkdtemp())
        (folder / f"{file.stem}_second.cu").write_text(text)
        _modules[file, target] = kernix.load(
            folder / f"{file.stem}_second.cu",
            target=target,
            include_paths=[file.parent],
            defines={"BANK_SECOND": None},
            # Long code, whose optimization takes three times as long as all else; test_bank.py has kernels as users do.
            opt_level=1 if target == "cpu" else 3,
        )
        shutil.rmtree(folder)
    return _modules[file, target]


@pytest.mark.parametrize("kernel", ALL, ids=[f"{kernel.file.stem}-{kernel.name}" for kernel in ALL])
def test_second_derivatives(kernel: bank.Kernel) -> None:
    op = checks.Operation(module(kernel.file, "cpu")[kernel.name], kernel, "f64")
    for seed in (0, 1):
        checks.check_second(op, seed)


def test_most_of_the_bank_has_second_derivatives() -> None:
    assert len(ALL) >= 150
