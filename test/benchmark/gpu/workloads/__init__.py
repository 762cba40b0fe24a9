"""Kernels that kernix differentiates, with forward and backward kernels written by hand and a reference in float64.

Each module of this package has FILES, of ../sources, and `cases(device, small, *modules)`: what is called, of the modules
built from these, on arrays of the size that is timed or of one that a test on the CPU can afford.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

SOURCES = Path(__file__).parents[1] / "sources"

#: Modules of this package in the order of the table.
NAMES = (
    "gaussians",
    "hash_grid",
    "compositing",
    "ssim",
    "segments",
    "lennard_jones",
    "rows",
    "embedding",
    "depthwise",
    "one_value",
    "matmul",
    "maps",
)

Tensors = Sequence[torch.Tensor]


@dataclass
class Case:
    #: the kernel that kernix differentiates
    name: str
    #: what has a gradient
    inputs: list[torch.Tensor]
    #: one for each output
    cotangents: list[torch.Tensor]
    #: writes the outputs and returns them, by kernix and by hand; None where by hand it would be the same kernel
    forward: Callable[[], Tensors]
    forward_by_hand: Callable[[], Tensors] | None
    #: adds to one gradient for each input, by kernix and by hand
    backward: Callable[..., object]
    backward_by_hand: Callable[..., object]
    #: the outputs from the inputs, in float64; on small arrays only
    reference: Callable[..., Tensors]
    #: backward kernels by hand
    twins: Sequence[str] = ()
    #: how many times the time of the backward by hand is allowed
    goal: float = 1.2
    #: largest error, as a part of the largest value of the reference
    tolerance: float = 1e-4
    note: str = ""
    #: a second twin has a name of its own
    title: str = field(default="")

    def __post_init__(self) -> None:
        self.title = self.title or self.name
        self.twins = self.twins or [f"{self.name}_by_hand"]


@dataclass
class Errors:
    """Of outputs and gradients, as parts of the largest value of the reference."""

    forward: float
    backward: float


def _error(got: Tensors, expected: Tensors) -> float:
    worst = 0.0
    for a, b in zip(got, expected, strict=True):
        difference = (a.double() - b.double()).abs().max() / b.double().abs().max().clamp_min(1e-30)
        worst = max(worst, float("inf") if torch.isnan(difference) else float(difference))
    return worst


def errors(case: Case) -> tuple[Errors, Errors]:
    """Errors of kernix and of the kernels by hand against the reference. Gradients are added to ones that are not zero."""
    inputs = [each.double().requires_grad_() for each in case.inputs]
    outputs = case.reference(*inputs)
    cotangents = [each.double() for each in case.cotangents]
    gradients = torch.autograd.grad(outputs, inputs, cotangents)
    found = []
    pairs = ((case.forward, case.backward), (case.forward_by_hand or case.forward, case.backward_by_hand))
    for forward, backward in pairs:
        values = [each.clone() for each in forward()]
        start = [torch.ones_like(each) for each in case.inputs]
        backward(*start)
        found.append(
            Errors(
                _error(values, [each.detach() for each in outputs]),
                _error([each.double() - 1 for each in start], gradients),
            )
        )
    return found[0], found[1]


def uniform(*shape: int, device: str, low: float = -1.0, high: float = 1.0) -> torch.Tensor:
    return torch.rand(*shape, device=device) * (high - low) + low
