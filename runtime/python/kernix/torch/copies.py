"""Copies that a call changes in place, as compilers must leave them.

inductor (torch 2.11 to 2.15) drops the clone of a part of a tensor in front of an operator that changes it, and then takes
the part to begin where the whole tensor does. It does not look into an operator, so where a graph is traced the copy is
made by one.
"""

from typing import Any

import torch

_library = torch.library.Library("kernix", "FRAGMENT")
_library.define("private_copy(Tensor value, bool contiguous) -> Tensor", tags=(torch.Tag.pt2_compliant_tag,))


def private_copy(value: torch.Tensor, contiguous: bool = False) -> torch.Tensor:
    """A copy for one call. It has the strides of `value`, unless it is asked to be contiguous."""
    if torch._C._len_torch_dispatch_stack():
        return _Copy.apply(value, contiguous)
    return _clone(value, contiguous)


def _clone(value: torch.Tensor, contiguous: bool) -> torch.Tensor:
    return value.clone(memory_format=torch.contiguous_format if contiguous else torch.preserve_format)


_library.impl("private_copy", _clone, "CompositeExplicitAutograd")
torch.library.register_fake("kernix::private_copy", _clone, lib=_library)


class _Copy(torch.autograd.Function):
    @staticmethod
    def forward(value: torch.Tensor, contiguous: bool) -> torch.Tensor:
        return torch.ops.kernix.private_copy(value, contiguous)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return gradient, None

    @staticmethod
    def jvp(ctx: Any, tangent: torch.Tensor, _: None) -> torch.Tensor:
        return tangent.clone()

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int, None], value: torch.Tensor, contiguous: bool) -> tuple[torch.Tensor, int]:
        return private_copy(value.movedim(in_dims[0], 0), contiguous), 0
