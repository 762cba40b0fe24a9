"""Which tensors torch lets a recorded call change.

torch finds this out when the call is over (mark_dirty), and the tensor is written then. Asked before, nothing is.
"""

import torch

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
