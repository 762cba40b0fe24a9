"""Runs kernels of the bank on the GPU, without a look at their results. test_sanitizer.py starts it under compute-sanitizer.

    python sanitize.py               every kernel of the bank
    python sanitize.py FAULT SIZE    one of kernels/faults.cu, on an array of so many elements

Prints each kernel that ran. With PYTORCH_NO_CUDA_MEMORY_CACHING=1 every array is an allocation of its own, so that an
access beyond it is one beyond what CUDA gave.
"""

import sys

import torch

from bank import CASES, module


def main(arguments: list[str]) -> None:
    if arguments:
        name, size = arguments
        x = torch.zeros(int(size), dtype=torch.int32 if name in ("race", "half_a_barrier") else torch.float32).cuda()
        getattr(module("faults.cu"), name)(x)
        torch.cuda.synchronize()
        print("ran", name)
        return
    for case in CASES:
        case.run("cuda")
        torch.cuda.synchronize()
        print("ran", case.name)


if __name__ == "__main__":
    main(sys.argv[1:])
