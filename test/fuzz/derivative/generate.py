"""Random kernels to differentiate.

A program is made from a seed and printed twice: as the differentiable kernel `f<seed>`, and as its traced twin
`t<seed>`, which also writes a hash of every decision it takes (branches, trip counts, indices, sides of kinks), so that
a difference across a kink or a jump can be told from a wrong gradient. Each thread works on its own row of `x`, so that
one call checks many points; `w` is read by all threads. Everything is bounded, initialised and in range by construction.
"""

from pathlib import Path

from kernel import Kernel
from writer import ADDED, INPUTS, INTEGERS, OUTPUTS, UPDATED, WEIGHTS

__all__ = ["ADDED", "HEADER", "INPUTS", "INTEGERS", "OUTPUTS", "UPDATED", "WEIGHTS", "extras", "program"]

HEADER = (Path(__file__).parent / "prelude.h.in").read_text()


def extras(seed: int) -> tuple[bool, bool]:
    """Whether the program updates z, and whether it adds to s."""
    made = Kernel(seed)
    return made.updates, made.adds


def program(seed: int) -> str:
    return Kernel(seed).source()
