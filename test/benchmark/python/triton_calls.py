"""The sine of torch_calls.py in Triton, with its gradient by a torch.autograd.Function in Python, as is usual."""

import torch
import triton
import triton.language as tl


@triton.jit
def forward_kernel(x, y, a, b, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, a * tl.sin(tl.load(x + at, mask=at < n)) + b, mask=at < n)


@triton.jit
def backward_kernel(x, gy, gx, a, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(gx + at, a * tl.cos(tl.load(x + at, mask=at < n)) * tl.load(gy + at, mask=at < n), mask=at < n)


def run(x, a, b):
    y = torch.empty_like(x)
    n = x.numel()
    forward_kernel[(triton.cdiv(n, 256),)](x, y, a, b, n, BLOCK=256)
    return y


class ScaledSine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, a, b):
        ctx.save_for_backward(x)
        ctx.a = a
        return run(x, a, b)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        gradient = gradient.contiguous()
        gx = torch.empty_like(x)
        n = x.numel()
        backward_kernel[(triton.cdiv(n, 256),)](x, gradient, gx, ctx.a, n, BLOCK=256)
        return gx, None, None


def scaled_sine(x, a, b):
    return ScaledSine.apply(x, a, b) if torch.is_grad_enabled() and x.requires_grad else run(x, a, b)
