"""The recorded calls that are most of all: one tensor is returned, nothing is changed, f_bwd is the compiler's.

The same as autograd.py does for every call, without what such a call does not need; half of what a recorded call costs
would be that.
"""

from collections.abc import Mapping
from typing import Any

import torch

from .sizes import Sizes


class Plan:
    """What is known of a function before it is called."""

    def __init__(self, recorder: Any) -> None:
        self.recorder = recorder
        self.backward = recorder.backward_flat
        self.output: str = recorder.returned[0]
        self.cotangent: str = recorder.shadows[self.output]["name"]
        self.wants_contiguous = recorder.shadows[self.output]["passing"] != "tensor_view"
        self.gradients = {name: shadow for name, _, shadow in recorder.gradients}
        self.places = {name: at for at, name in enumerate(recorder.returned_by_backward)}
        self.scalars = frozenset(name for name, each in recorder.parameters.items() if each["passing"] == "scalar")
        self.unwanted: dict[tuple[str, ...], dict[str, None]] = {}

    def without(self, wanted: tuple[str, ...]) -> dict[str, None]:
        """The gradients that are not asked for."""
        if wanted not in self.unwanted:
            self.unwanted[wanted] = {shadow: None for name, shadow in self.gradients.items() if name not in wanted}
        return self.unwanted[wanted]


def plan_of(recorder: Any) -> Plan | None:
    """None: the function is not of this kind."""
    if not recorder.has_backward or recorder.is_by_hand or len(recorder.returned) != 1 or recorder.structs:
        return None
    name = recorder.returned[0]
    output = recorder.parameters.get(name)
    shadow = recorder.shadows.get(name)
    is_float = output is not None and "float" in (output["dtype"] or "")
    if not is_float or shadow is None or shadow["shadow_kind"] != "cotangent" or output["access"] != "out":
        return None
    return Plan(recorder) if all(shadow["shadow_kind"] in _KINDS for shadow in recorder.shadows.values()) else None


_KINDS = ("gradient", "cotangent")


def followed(plan: Plan, given: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The tensors that require a gradient; None: one of them has none, or an output is given."""
    names = []
    for name, value in given.items():
        if isinstance(value, torch.Tensor):
            if value.requires_grad:
                if name not in plan.gradients:
                    return None
                names.append(name)
            if name in plan.recorder.written:
                return None
    return tuple(names)


class Apply(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, plan: Plan, names: tuple[str, ...], call: tuple[Any, ...], *tensors: Any) -> Any:
        operation, args, keywords, given, launch = call
        result = operation._call_plainly(*args, **keywords)  # what might watch it has been asked for
        read = plan.recorder.reads.get("cuda" if result.is_cuda else "cpu")
        if read is None:
            read = plan.recorder.read_values(given)
        saved, rest = {}, {}
        for name, value in given.items():
            if not isinstance(value, torch.Tensor):
                rest[name] = value
            elif name in read:
                saved[name] = value
            else:
                rest[name] = Sizes.of(value)
        ctx.save_for_backward(*saved.values())
        ctx.state = plan, names, tuple(saved), rest, launch
        return result

    @staticmethod
    def backward(ctx: Any, cotangent: Any) -> Any:
        plan, names, saved, rest, launch = ctx.state
        needs = ctx.needs_input_grad[3:]
        wanted = names if all(needs) else tuple(name for name, is_wanted in zip(names, needs, strict=True) if is_wanted)
        arguments = dict(zip(saved, ctx.saved_tensors, strict=True))
        for name, value in rest.items():
            arguments[name] = value.tensor() if type(value) is Sizes else value
        if cotangent.is_neg():
            cotangent = cotangent.resolve_neg()
        if plan.wants_contiguous and not cotangent.is_contiguous():
            cotangent = cotangent.contiguous()
        arguments[plan.output] = None
        arguments[plan.cotangent] = cotangent
        results = plan.backward(**arguments, **plan.without(wanted), **launch)
        row: list[Any] = [None, None, None]
        for name, is_wanted in zip(names, needs, strict=True):
            gradient = None
            if is_wanted:
                gradient = results[plan.places[plan.gradients[name]]] if len(plan.places) > 1 else results
                if name in plan.scalars:  # one element, in the kernel's type and place
                    gradient = gradient.reshape(()).to(arguments[name])
            row.append(gradient)
        return tuple(row)


# Without the layer of torch.autograd.Function, which asks for the transforms that are known not to be there.
apply = super(torch.autograd.Function, Apply).apply
