"""Random kernels to differentiate.

A program is made from a seed and printed twice: as the differentiable kernel `f<seed>`, and as its traced twin
`t<seed>`, which also writes a hash of every decision it takes (branches, trip counts, indices, sides of kinks), so that
a difference across a kink or a jump can be told from a wrong gradient. Each thread works on its own row of `x`, so that
one call checks many points; `w` is read by all threads. Everything is bounded, initialised and in range by construction.

Kinds of programs: `plain`; `shared`, whose threads work together (blocks.py); `narrow`, over 16-bit numbers (narrow.py).
"""

from pathlib import Path

from blocks import SIZE, BlockKernel
from kernel import Kernel
from narrow import TYPES, NarrowKernel
from writer import ADDED, INPUTS, INTEGERS, OUTPUTS, UPDATED, WEIGHTS

__all__ = ["ADDED", "HEADER", "INPUTS", "INTEGERS", "KINDS", "OUTPUTS", "SIZE", "TYPES", "UPDATED", "WEIGHTS", "make"]

HEADER = (Path(__file__).parent / "prelude.h.in").read_text()


KINDS = {"plain": Kernel, "shared": BlockKernel, "narrow": NarrowKernel}


def make(seed: int, kind: str) -> Kernel:
    """The program of a seed: `source()`, and whether it `updates` z and `adds` to s."""
    return KINDS[kind](seed)
