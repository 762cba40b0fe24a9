"""A gradient of few elements that many threads add to, by each word of [[kernix::diff(...)]]. Prints a table."""

import argparse
import statistics
import sys

import torch
from timing import milliseconds

import kernix

WORDS = ["", "diff(replicated, 8)", "diff(replicated, 64)", "diff(replicated, 1024)", "diff(scatter, 1)"]
KERNEL = """
[[kernix::bind, kernix::differentiable(backward), kernix::block(256)]]
__global__ void way{index}({word} const float *w, [[kernix::no_diff]] const int *at, [[kernix::no_diff]] const float *x,
                    [[kernix::shape("x")]] float *y, [[kernix::value("x.size(0)")]] int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = w[at[i]] * x[i];
}}
"""
NUMBERS = 1 << 24
ELEMENTS = [1, 16, 256, 1 << 16, 1 << 20]
MOST_COPIES = 1 << 26


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=50)
    rounds = parser.parse_args().rounds
    if not torch.cuda.is_available():
        sys.exit("no GPU that PyTorch can use")
    code = [
        KERNEL.format(index=index, word=f"[[kernix::{word}]]" if word else "") for index, word in enumerate(WORDS)
    ]
    m = kernix.load_cuda_inline("few_elements_time", "#include <kernix/kernix.h>\n" + "".join(code))
    print(f"| {NUMBERS} threads, elements | {' | '.join(f'`{word}`' if word else 'no word' for word in WORDS)} |")
    print("|" + "---|" * (len(WORDS) + 1))
    for elements in ELEMENTS:
        w = torch.rand(elements, device="cuda")
        x, g = (torch.rand(NUMBERS, device="cuda") for _ in range(2))
        at = torch.randint(0, elements, (NUMBERS,), dtype=torch.int32, device="cuda")
        expected = torch.zeros(elements, dtype=torch.double, device="cuda").index_add_(0, at.long(), (g * x).double())
        cells = []
        for index, word in enumerate(WORDS):
            if "replicated" in word and elements * int(word[:-1].split()[1]) > MOST_COPIES:
                cells.append("")
                continue
            gradient = torch.zeros_like(w)

            def work(function=m[f"way{index}"].bwd, gradient=gradient) -> None:
                function(w=(w, gradient), at=at, x=x, y=(None, g), n=NUMBERS)

            work()
            error = ((gradient - expected).abs() / expected.abs().clamp(min=1)).max().item()
            assert error < 0.05, (word, elements, error)
            time = statistics.median(milliseconds(work) for _ in range(rounds))
            cells.append(f"{time:.3f} ms, {error:.0e}")
        print(f"| {elements} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
