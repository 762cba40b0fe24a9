"""What halves save on a GPU, and what timing calls (kernix.stats) costs there. Prints two tables."""

import argparse
import statistics
import sys
import time

import torch

import kernix

CODE = """
#include <kernix/kernix.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <class T>
[[kernix::bind, kernix::instantiate("float", "__half", "__nv_bfloat16")]]
__global__ void scale_shift(const T *x, [[kernix::shape("x")]] T *y, float a, float b,
                            [[kernix::value("x.numel()")]] int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = T(a * float(x[i]) + b);
}
"""


def milliseconds(work, rounds):
    """Median on the device."""
    times = []
    for _ in range(rounds):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def throughput(work, calls=300):
    """Wall time of a call where many follow each other, in microseconds."""
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        work()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / calls * 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=50)
    rounds = parser.parse_args().rounds
    if not torch.cuda.is_available():
        sys.exit("no GPU that PyTorch can use")
    m = kernix.load_cuda_inline("selector_time", CODE)

    print("| 2^26 elements | time | against float32 |\n|---|---|---|")
    reference = None
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        x = torch.ones(1 << 26, device="cuda", dtype=dtype)
        y = torch.empty_like(x)
        m.scale_shift(x, 2.0, 1.0, y=y)
        found = milliseconds(lambda x=x, y=y: m.scale_shift(x, 2.0, 1.0, y=y), rounds)
        reference = reference or found
        print(f"| {str(dtype).removeprefix('torch.')} | {found:.3f} ms | {found / reference:.2f}x |")

    print("\n| recording of calls | off | a share timed | all timed | a share against off | all against off |")
    print("|---|---|---|---|---|---|")
    modes = {"off": {"enable": False}, "share": {"enable": True}, "all": {"enable": True, "every_call": True}}
    for size in (1 << 10, 1 << 20, 1 << 24, 1 << 26):
        x = torch.ones(size, device="cuda")
        y = torch.empty_like(x)
        times = {mode: [] for mode in modes}
        for _ in range(max(rounds // 5, 5)):
            for mode, keywords in modes.items():
                kernix.stats(**keywords)
                times[mode].append(throughput(lambda x=x, y=y: m.scale_shift(x, 2.0, 1.0, y=y)))
        kernix.stats(enable=False)
        off, share, every = (statistics.median(times[mode]) for mode in modes)
        print(
            f"| {size} elements | {off:.2f} us | {share:.2f} us | {every:.2f} us | {share / off:.3f}x | {every / off:.3f}x |"
        )


main()
