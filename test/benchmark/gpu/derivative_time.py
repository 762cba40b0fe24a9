#!/usr/bin/env python3
"""Backward kernels that kernix makes against backward kernels written by hand: time on the GPU, in turns, in one run.

Both are launched in the same way and add to given gradients. Their results are compared first. Arrays lie well above the
cache. Registers and local memory of both are printed as well.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from timing import in_turns

import kernix

SOURCE = Path(__file__).parent / "sources" / "derivatives.cu"


@dataclass
class Case:
    name: str
    #: by kernix and by hand: from gradients to add to
    ours: Callable[..., object]
    theirs: Callable[..., object]
    #: what has a gradient
    inputs: list[torch.Tensor]
    twin: str = ""


def cases(m: kernix.Module, n: int) -> list[Case]:
    def uniform(*shape: int) -> torch.Tensor:
        return torch.rand(*shape, device="cuda") * 2 - 1

    x, y, g = (uniform(16 * n) for _ in range(3))
    one = [torch.zeros(1, device="cuda") for _ in range(2)]
    q, s, c, gc = uniform(n, 4), uniform(n, 3), uniform(n, 6), uniform(n, 6)
    p = uniform(n, 3) + torch.tensor([0.0, 0.0, 4.0], device="cuda")
    view = torch.tensor([[0.9, 0.1, 0, 0.1], [-0.1, 0.95, 0.2, 0], [0, -0.2, 0.9, 0.3]], device="cuda")
    gu, gk, k = uniform(n, 5), uniform(n, 3), uniform(n, 16, 3)
    mean, e, steps = uniform(4 * n) * 3, uniform(4 * n).abs() / 2, uniform(64, n)
    solved, gn = m.kepler(mean, e), uniform(4 * n)
    return [
        Case(
            "blend",
            lambda a, b: m.blend.bwd((x, a), (y, b), (None, g), 0.3),
            lambda a, b: m.blend_by_hand(x, a, y, b, g, 0.3),
            [x, y],
        ),
        Case(
            "affine",
            lambda a, b, c: m.affine.bwd((x, a), (None, g), (0.3, b), (0.2, c)),
            lambda a, b, c: m.affine_by_hand(x, a, g, 0.3, b, c),
            [x, *one],
        ),
        Case(
            "covariance",
            lambda a, b: m.covariance.bwd((q, a), (s, b), (None, gc)),
            lambda a, b: m.covariance_by_hand(q, a, s, b, gc),
            [q, s],
        ),
        Case(
            "projection",
            lambda a, b: m.projection.bwd((p, a), (c, b), view, (None, gu), 1.5),
            lambda a, b: m.projection_by_hand(p, a, c, b, view, gu, 1.5),
            [p, c],
        ),
        Case(
            "colours",
            lambda a, b: m.colours.bwd((s, a), (k, b), (None, gk)),
            lambda a, b: m.colours_by_hand(s, a, k, b, gk),
            [s, k],
        ),
        Case(
            "kepler",
            lambda a, b: m.kepler.bwd((mean, a), (e, b), (None, gn)),
            lambda a, b: m.kepler_by_hand(mean, a, e, b, gn),
            [mean, e],
        ),
        Case(
            "kepler",
            lambda a, b: m.kepler.bwd((mean, a), (e, b), (None, gn)),
            lambda a, b: m.kepler_implicit(solved, e, a, b, gn),
            [mean, e],
            "kepler_implicit",
        ),
        Case(
            "recurrence",
            lambda a: m.recurrence.bwd((steps, a), (None, g[:n]), 0.9, 0.7),
            lambda a: m.recurrence_by_hand(steps, a, g[:n], 0.9, 0.7),
            [steps],
        ),
    ]


def resources(function: Any) -> str:
    found = function.resources(block_size=256)
    return f"{found['registers']} registers, {found['local_bytes']} B local"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--size", type=int, default=1 << 20, help="elements of the smaller arrays")
    options = parser.parse_args()
    module = kernix.load(SOURCE)
    wrong = False
    for case in cases(module, options.size):
        gradients = [[torch.zeros_like(x) for x in case.inputs] for _ in range(2)]
        case.ours(*gradients[0])
        case.theirs(*gradients[1])
        for a, b in zip(*gradients, strict=True):
            if not torch.allclose(a, b, rtol=1e-3, atol=1e-3 * float(b.abs().max())):
                print(f"{case.name}: the gradients differ by {float((a - b).abs().max())}")
                wrong = True
        ours, theirs, quartiles = in_turns(
            partial(case.ours, *gradients[0]), partial(case.theirs, *gradients[1]), options.rounds
        )
        twin = case.twin or f"{case.name}_by_hand"
        print(
            f"backward {case.name:10} {ours:7.3f} ms ({resources(getattr(module, case.name).bwd)}), against {twin}"
            f" {ours / theirs:.2f}x ({quartiles[0]:.2f} to {quartiles[1]:.2f}; {resources(getattr(module, twin))})"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
