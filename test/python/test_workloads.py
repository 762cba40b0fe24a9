"""The kernels that the benchmark of derivatives times are right: kernix's and those by hand, against float64."""

import importlib
import sys
from pathlib import Path
from typing import Any

import kernix
import pytest

torch = pytest.importorskip("torch")

FOLDER = Path(__file__).parents[1] / "benchmark" / "gpu"
sys.path.insert(0, str(FOLDER))
workloads = importlib.import_module("workloads")


def test_all_are_listed() -> None:
    found = {path.stem for path in (FOLDER / "workloads").glob("*.py")} - {"__init__"}
    assert found == set(workloads.NAMES)


@pytest.mark.parametrize("device", ["cpu", "cuda"] if kernix.gpu.driver().usable else ["cpu"])
@pytest.mark.parametrize("name", workloads.NAMES)
def test_workload(name: str, device: str) -> None:
    workload: Any = importlib.import_module(f"workloads.{name}")
    torch.manual_seed(0)
    modules = [kernix.load(file, device) for file in workload.FILES]
    for case in workload.cases(device, True, *modules):
        for whose, found in zip(("kernix", "by hand"), workloads.errors(case), strict=True):
            assert found.forward <= case.tolerance, f"{case.title}, {whose}: values"
            assert found.backward <= case.tolerance, f"{case.title}, {whose}: gradients"
