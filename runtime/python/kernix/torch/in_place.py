"""Which tensors torch lets a recorded call change, and what else of a call lies in their memory.

torch finds the first out when the call is over (mark_dirty), and the tensor is written then. Asked before, nothing is. The
second it does not find out: the backward would take the new value for the one that the call has read.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ..errors import KernelValueError

_HELP = "pass tensor.detach() or tensor.clone(), or use torch.no_grad()"
_VIEWS = {
    "MULTI_OUTPUT_NODE": "one of several views that a function returned, such as split() or unbind()",
    "NO_GRAD_MODE": "a view that was made under torch.no_grad()",
    "INFERENCE_MODE": "a view that was made under torch.inference_mode()",
    "IN_CUSTOM_FUNCTION": "a view that a custom autograd.Function returned",
}


def why_not(tensor: torch.Tensor) -> str | None:
    """What the tensor is that no call may change while torch records; None: it may be changed."""
    if tensor.is_inference():
        return "one that was made under torch.inference_mode(); pass tensor.clone()"
    if not tensor._is_view():
        return f"a leaf that requires a gradient; {_HELP}" if tensor.requires_grad and tensor.is_leaf else None
    made = torch._C._autograd._get_creation_meta(tensor).name
    if made != "DEFAULT":
        return f"{_VIEWS.get(made, 'a view that torch does not follow')}; pass tensor.clone()"
    if tensor._base is not None and tensor._base.requires_grad and tensor._base.is_leaf:
        return f"a view of a leaf that requires a gradient; {_HELP}"
    return None


def doubles(given: Mapping[str, Any], changed: Sequence[str]) -> dict[str, Any]:
    """Copies of what is changed under another name too. Where torch shows no memory, it is the same object."""
    return {
        name: value.clone()
        for name, value in given.items()
        if name not in changed and isinstance(value, torch.Tensor) and any(value is given[other] for other in changed)
    }


def part(signature: str, given: Mapping[str, Any], written: frozenset[str]) -> dict[str, Any]:
    """The arguments, with copies of those that are read and lie in memory that is written."""
    tensors = {name: value for name, value in given.items() if isinstance(value, torch.Tensor)}
    parted = dict(given)
    for name in written & tensors.keys():
        for other, value in given.items():
            if hasattr(value, "__array_interface__") and _may_share(tensors[name], value.__array_interface__):
                parted[other] = value.copy()
        for other in tensors:
            if other == name or (other in written and other < name) or not _share(tensors[name], tensors[other]):
                continue
            if other in written:
                raise KernelValueError(
                    f"{signature}: arguments '{other}' and '{name}' are both written and share memory, of which torch records "
                    "no graph; pass tensors of their own"
                )
            parted[other] = tensors[other].clone()
    return parted


def _may_share(tensor: torch.Tensor, array: Mapping[str, Any]) -> bool:
    """Whether a NumPy array begins before the tensor ends and ends after it begins."""
    if tensor.device.type != "cpu" or not tensor.numel() or 0 in array["shape"]:
        return False
    size = int(array["typestr"][2:])
    strides = array["strides"] or (size,)  # without gaps: as many bytes as one axis of all elements
    shape = array["shape"] if array["strides"] else (math.prod(array["shape"]),)
    reach = [(n - 1) * step for n, step in zip(shape, strides, strict=True)]
    first = array["data"][0] + sum(each for each in reach if each < 0)
    end = array["data"][0] + sum(each for each in reach if each > 0) + size
    span = sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True)) + 1
    return bool(first < tensor.data_ptr() + span * tensor.element_size() and tensor.data_ptr() < end)


def _share(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether an element of one has bytes of an element of the other."""
    if a.device != b.device or not a.numel() or not b.numel():
        return False
    size = a.element_size()
    first = [tensor.data_ptr() for tensor in (a, b)]
    spans = [sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True)) + 1 for tensor in (a, b)]
    ends = [start + span * tensor.element_size() for start, span, tensor in zip(first, spans, (a, b), strict=True)]
    if first[0] >= ends[1] or first[1] >= ends[0]:
        return False
    distance = first[1] - first[0]
    if size != b.element_size() or distance % size or a.is_contiguous() or b.is_contiguous():
        return True
    # Rows or columns of one matrix: element by element.
    offsets = [max(0, -distance // size), max(0, distance // size)]
    places = torch.zeros(max(offset + span for offset, span in zip(offsets, spans, strict=True)), dtype=torch.bool)
    places.as_strided(a.shape, a.stride(), offsets[0]).fill_(True)
    return bool(places.as_strided(b.shape, b.stride(), offsets[1]).any())
