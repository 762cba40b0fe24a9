"""Random kernels for the CPU target, each with a reference that needs nothing of it.

A kernel is built as a tree of statements, and every statement is written twice: as CUDA, and as plain C++ that runs all
threads of a block in lockstep under masks, where barriers do nothing and shuffles read arrays. So a generated file
checks itself. The kernels are free of races by construction: an exchange array (shared, dynamic shared or global) is at
any time either read by everybody, or written by each thread in a place of its own, or only added to by atomics, and a
barrier lies between (exchange.py).

What is not generated: floating-point sums whose order is open, __activemask, and threads that spin.
"""

import argparse
import random
from pathlib import Path

from kernel import Kernel
from writer import INPUTS, SLOTS, STEPS

PRELUDE = (Path(__file__).parent / "prelude.h.in").read_text()

GEOMETRIES = [
    ((1, 1, 1), (32, 1, 1)), ((3, 1, 1), (64, 1, 1)), ((2, 1, 1), (100, 1, 1)), ((5, 1, 1), (256, 1, 1)),
    ((1, 1, 1), (1, 1, 1)), ((2, 1, 1), (33, 1, 1)), ((7, 1, 1), (31, 1, 1)), ((2, 2, 1), (8, 8, 1)),
    ((1, 2, 2), (7, 5, 1)), ((2, 1, 1), (5, 3, 4)), ((2, 1, 1), (16, 16, 1)), ((1, 1, 3), (1, 40, 1)), ((9, 1, 1), (128, 1, 1)),
]


def generate(seed: int, count: int) -> str:
    """A program of `count` kernels that returns 0 if all are right and prints those that are not."""
    pick = random.Random(seed)
    parts = ["// Made by generate.py; seed %d, %d kernels.\n" % (seed, count),
             PRELUDE % {"inputs": INPUTS, "slots": SLOTS, "steps": STEPS}]
    main = ["int main() {", "  bool right = true;"]
    for number in range(count):
        name = f"k{seed}_{number}"
        parts.append(Kernel(name, seed * 1000 + number).text())
        flat = [g for g in GEOMETRIES if g[0][1:] == (1, 1) and g[1][1:] == (1, 1)]
        for grid, block in [*pick.sample(flat, 2), *pick.sample(GEOMETRIES, 2)]:
            n = pick.choice([0, 1, 50, 100, 128, 333, 640, 5000])
            m = pick.choice([-5, 0, 3, 60, 1000])
            main.append(f"  right &= check_{name}({{dim3{grid}, dim3{block}}}, {pick.getrandbits(31)}u, {n}u, {m}, {pick.getrandbits(62)}ull);")
    main += ["  return right ? 0 : 1;", "}"]
    return "\n".join(parts + main) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--kernels", type=int, default=10)
    arguments = parser.parse_args()
    print(generate(arguments.seed, arguments.kernels), end="")
