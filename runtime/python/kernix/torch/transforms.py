"""Calls under torch.func: grad, vjp, jvp, vmap and what is made of them, nested in any order.

A call is applied at the level of the innermost transform, and called again at the next one, through the same front, until
only plain tensors are left. Nothing is changed in place here: what a function changes is copied first, and what it then is
copied back by torch, which knows what that means at each level.
"""

from collections.abc import Mapping
from typing import Any

import torch

from ..errors import KernelTypeError
from . import autocast, autograd, in_place


def call(operation: Any, details: Any, given: Mapping[str, Any], launch: Mapping[str, Any]) -> Any:
    if autocast.is_on():
        return autocast.call(operation, details, given, launch)
    recorder = autograd.recorder_of(details)
    functorch = torch._C._functorch
    if functorch.peek_interpreter_stack().key() == functorch.TransformType.Functionalize:
        raise KernelTypeError(
            f"{recorder.signature}: torch.func.functionalize does not know functions that it is not told of; torch.compile and "
            "torch.fx.experimental.proxy_tensor.make_fx do the same"
        )
    if recorder.unlike:
        recorder.require_alike(given, autograd.is_followed((), given))
    recorder.refuse_arrays(given, runs_again=True)
    tensors = {name: value for name, value in given.items() if isinstance(value, torch.Tensor)}
    changed = tuple(name for name in tensors if recorder.parameters[name]["role"] == "ret")
    given = {**given, **in_place.doubles(given, changed)}
    tensors = {name: given[name] for name in tensors}
    # The original is changed at the end, and the formulas may want its value from before: the forward one of everything.
    if not changed or recorder.record["forward"] is not None:
        kept = frozenset(changed)
    else:
        kept = recorder.read_values(given) & frozenset(changed) if recorder.has_backward else frozenset()
    inputs = [value.clone() if name in kept else value for name, value in tensors.items()]
    rest = {name: value for name, value in given.items() if name not in tensors}
    invocation = autograd.Invocation(
        recorder, operation, rest, dict(launch), tuple(tensors), changed=changed, is_transformed=True
    )
    if recorder.returns_any_number:
        raise KernelTypeError(
            f"{recorder.signature}: returns a number, which transforms of torch.func cannot follow; write it to a tensor"
        )
    results = _Transformed.apply(invocation, *inputs)
    return autograd.finish(invocation, results, given)


class _Transformed(torch.autograd.Function):
    generate_vmap_rule = False

    @staticmethod
    def forward(invocation: autograd.Invocation, *tensors: Any) -> Any:
        given = {**invocation.given, **dict(zip(invocation.tensors, tensors, strict=True))}
        return autograd.run_on_copies(invocation, given)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        invocation, *tensors = inputs
        given = {**invocation.given, **dict(zip(invocation.tensors, tensors, strict=True))}
        autograd.keep(ctx, invocation, given, output)

    backward = staticmethod(autograd.backward)
    jvp = staticmethod(autograd.jvp)

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], invocation: autograd.Invocation, *tensors: Any) -> Any:
        """One call for each element of the batch."""
        dims = in_dims[1:]
        front = [
            tensor if dim is None else tensor.movedim(dim, 0).contiguous() for tensor, dim in zip(tensors, dims, strict=True)
        ]
        rows = [
            _Transformed.forward(
                invocation,
                *(tensor if dim is None else tensor[at] for tensor, dim in zip(front, dims, strict=True)),
            )
            for at in range(info.batch_size)
        ]
        if not rows:
            ones = [
                tensor if dim is None else tensor.new_zeros(tensor.shape[1:]) for tensor, dim in zip(front, dims, strict=True)
            ]
            outputs = [each if each is None else each[None][:0] for each in _Transformed.forward(invocation, *ones)]
        else:
            # A gradient that is not wanted is None everywhere.
            outputs = [None if column[0] is None else torch.stack(column) for column in zip(*rows, strict=True)]
        return tuple(outputs), tuple(None if each is None else 0 for each in outputs)
