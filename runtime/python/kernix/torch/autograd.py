"""Calls that torch records: the forward is the plain call, the backward is f_bwd.

One autograd.Function for all operations; what differs is in a Recorder, made once per operation from its record and
that of f_bwd. Saved is what f_bwd reads: the inputs, through torch, which notices when they are changed afterwards, and
of in-out tensors a copy from before the call. The values of plain outputs are not kept.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..derivative import returned_names
from ..errors import KernelError, KernelTypeError
from ..function import LAUNCH_KEYWORDS, FunctionDetails, python_signature
from ..names import as_in_python


def call(operation: Any, details: FunctionDetails, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """A call with at least one tensor that requires a gradient, while a graph is recorded."""
    recorder = _recorder(details)
    given, launch = recorder.bind(args, keywords)
    tensors = recorder.take_tensors(given)
    results = _Apply.apply(Invocation(recorder, operation, given, launch, tuple(tensors)), *tensors.values())
    return recorder.pack(results)


@functools.cache
def _recorder(details: FunctionDetails) -> "Recorder":
    return Recorder(details)


class Recorder:
    """What is known of an operation before it is called."""

    def __init__(self, details: FunctionDetails) -> None:
        record = self.record = details._records[0]
        self.signature: str = record["signature"]
        self.parameters: dict[str, dict[str, Any]] = {each["name"]: each for each in record["parameters"]}
        self.is_kernel = record["kind"] == "kernel"
        self.positional = [
            name
            for name, parameter in python_signature(record).parameters.items()
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        self.returned = returned_names(record)
        self.has_backward: bool = record["backward"] is not None
        if record["derivative"] == "backward":
            self.why_not = (
                f"{self.signature}: the backward derivative has no derivative of its own; mark {record['primal']} "
                "[[kernix::differentiable(2)]]"
            )
        else:
            self.why_not = (
                f"{self.signature}: has no backward derivative; mark it [[kernix::differentiable]], or pass "
                "tensor.detach() where no gradient is wanted"
            )
        if self.has_backward:
            # The bound function f_bwd itself, with each shadow as a parameter of its own.
            self.backward_flat = details._module.functions[record["backward"]]._flat
            self.backward_record: dict[str, Any] = self.backward_flat._records[0]
            flat = self.backward_record["parameters"]
            self.shadows = {
                each["name"]: flat[each["shadow"]]
                for each in flat
                if each.get("shadow_kind") is None and each.get("shadow") is not None
            }
            self.result_shadow = next(
                (each["name"] for each in flat if each.get("shadow_kind") and each.get("primal_parameter") is None), None
            )
            self.returned_by_backward = returned_names(self.backward_record)

    # -- before the call -------------------------------------------------------------------------------------------

    def bind(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arguments by name and launch sizes; that they fit was checked before."""
        given = dict(zip(self.positional, args, strict=False))
        launch: dict[str, Any] = {}
        for name, value in as_in_python(keywords, self.record).items():
            if name in self.parameters and name not in LAUNCH_KEYWORDS[:2]:
                given[name] = value
            else:
                launch[name] = value
        return given, launch

    def take_tensors(self, given: dict[str, Any]) -> dict[str, Any]:
        """The tensors that torch must see: those with a gradient, and those that the call changes."""
        tensors: dict[str, Any] = {}
        for name, value in given.items():
            parameter = self.parameters[name]
            if isinstance(value, torch.Tensor):
                if value.requires_grad and self.has_backward:
                    self._check_gradient(parameter)
                if value.requires_grad or parameter["role"] == "ret":
                    tensors[name] = value
            elif parameter.get("fields") and parameter["passing"] == "struct":
                self._check_struct(parameter, value)
        return tensors

    def _check_gradient(self, parameter: Mapping[str, Any]) -> None:
        if parameter["differentiable"] or parameter["no_diff"] or parameter["name"] in self.shadows:
            return
        if parameter["passing"] == "scalar" and "float" in (parameter["dtype"] or ""):
            raise KernelTypeError(
                f"{self.signature}: argument '{parameter['name']}' requires a gradient, which scalars have only when they "
                "are marked [[kernix::diff]]; mark it, or pass tensor.detach()"
            )

    def _check_struct(self, parameter: Mapping[str, Any], value: Any) -> None:
        leaves = list(value.values()) if isinstance(value, Mapping) else list(value)
        if any(isinstance(leaf, torch.Tensor) and leaf.requires_grad for leaf in leaves):
            raise KernelTypeError(
                f"{self.signature}: argument '{parameter['name']}': a field requires a gradient, which torch cannot record "
                "for structs; use m.f.bwd, or a tensor of structs"
            )

    # -- after the call --------------------------------------------------------------------------------------------

    def pack(self, results: tuple[Any, ...]) -> Any:
        """What the plain call would return; changed arguments were only passed along."""
        row = results[: len(self.returned)]
        return None if not row else row[0] if len(row) == 1 else row


@dataclass
class Invocation:
    """One call."""

    recorder: Recorder
    operation: Any
    given: dict[str, Any]
    launch: dict[str, Any]
    tensors: tuple[str, ...]  # names of the tensors that torch sees, in order


class _Apply(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, invocation: Invocation, *tensors: Any) -> Any:
        recorder = invocation.recorder
        given = invocation.given
        changed = [name for name in invocation.tensors if recorder.parameters[name]["role"] == "ret"]
        before = {
            name: given[name].detach().clone()
            for name in changed
            if recorder.has_backward and recorder.parameters[name]["access"] == "inout"
        }
        results = invocation.operation(**given, **invocation.launch)
        row = () if not recorder.returned else (results,) if len(recorder.returned) == 1 else tuple(results)
        # An output that was given and is returned stands in both rows; torch wants it once.
        passed = [name for name in changed if name not in recorder.returned]
        outputs = (*row, *(given[name] for name in passed))
        ctx.mark_dirty(*(given[name] for name in changed))
        ctx.mark_non_differentiable(
            *(out for out in outputs if isinstance(out, torch.Tensor) and not out.is_floating_point())
        )
        ctx.invocation = invocation
        ctx.output_names = (*recorder.returned, *passed)
        ctx.output_kinds = [None if isinstance(out, torch.Tensor) else type(out) for out in outputs]
        _save(ctx, invocation, before)
        return outputs

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        invocation: Invocation = ctx.invocation
        recorder = invocation.recorder
        if not recorder.has_backward:
            raise KernelError(recorder.why_not)
        by_name = dict(zip(ctx.output_names, cotangents, strict=True))
        if not ctx.has_copies:
            gradients = _run_backward(ctx, invocation, by_name)
        else:
            with torch.no_grad():
                gradients = _run_backward(ctx, invocation, by_name)
        wanted = dict(zip(invocation.tensors, ctx.needs_input_grad[1:], strict=True))
        row = [gradients.get(name) if is_wanted else None for name, is_wanted in wanted.items()]
        if ctx.has_copies and torch.is_grad_enabled():
            row = _refuse_second(recorder, row, [*cotangents, *ctx.saved_tensors])
        return (None, *row)


def _save(ctx: Any, invocation: Invocation, before: Mapping[str, Any]) -> None:
    """Keeps what f_bwd reads."""
    recorder = invocation.recorder
    names: list[str] = []
    tensors: list[Any] = []
    rest: dict[str, Any] = {}
    for name, value in invocation.given.items():
        if not recorder.has_backward:
            break
        if name in before:
            names.append(name)
            tensors.append(before[name])
        elif recorder.parameters[name]["role"] == "ret":
            continue  # f_bwd takes its sizes from the cotangent
        elif isinstance(value, torch.Tensor):
            names.append(name)
            tensors.append(value)
        else:
            rest[name] = value
    ctx.save_for_backward(*tensors)
    ctx.saved_names, ctx.rest, ctx.has_copies = names, rest, bool(before)
    invocation.given = {}  # no tensor may be kept alive behind torch's back


def _run_backward(ctx: Any, invocation: Invocation, cotangents: Mapping[str | None, Any]) -> dict[str, Any]:
    recorder = invocation.recorder
    arguments: dict[str, Any] = {**ctx.rest, **dict(zip(ctx.saved_names, ctx.saved_tensors, strict=True))}
    wanted = {
        name for name, is_wanted in zip(invocation.tensors, ctx.needs_input_grad[1:], strict=True) if is_wanted
    }
    given: dict[str, Any] = {}
    for name, shadow in recorder.shadows.items():
        kind = shadow["shadow_kind"]
        if kind == "gradient":
            if name not in wanted:
                given[shadow["name"]] = None
        elif name in cotangents:
            arguments.setdefault(name, None)
            given[shadow["name"]] = given_cotangent(shadow, cotangents[name], kind == "cotangent_and_gradient")
    if recorder.result_shadow is not None:
        raise KernelError(
            f"{recorder.signature}: returns a number, through which torch records no graph; write it to a tensor"
        )
    results = recorder.backward_flat(**arguments, **given, **invocation.launch)
    names = recorder.returned_by_backward
    returned = dict(zip(names, (results,) if len(names) == 1 else results or (), strict=True))
    gradients: dict[str, Any] = {}
    for name, shadow in recorder.shadows.items():
        gradient = returned.get(shadow["name"], given.get(shadow["name"]))
        if gradient is None or name not in wanted or shadow["shadow_kind"] == "cotangent":
            continue
        gradients[name] = _as_argument(arguments[name], gradient)
    return gradients


def given_cotangent(shadow: Mapping[str, Any], cotangent: Any, is_changed: bool) -> Any:
    """As the kernel can read it: raw pointers need it contiguous, and one that is overwritten must be our own."""
    if is_changed:
        return cotangent.clone(memory_format=torch.contiguous_format)
    return cotangent if shadow["passing"] == "tensor_view" else cotangent.contiguous()


def _as_argument(value: Any, gradient: Any) -> Any:
    """A scalar's gradient has one element, in the kernel's type; torch wants it as the argument was."""
    if isinstance(value, torch.Tensor) and value.dim() == 0 and gradient.dim() == 1:
        return gradient.reshape(()).to(value.dtype)
    return gradient


class _Second(torch.autograd.Function):
    """Stands where a second derivative would go through the copy of an in-out tensor, which hangs on nothing."""

    @staticmethod
    def forward(ctx: Any, signature: str, *tensors: Any) -> Any:
        ctx.signature = signature
        count = len(tensors) // 2
        return tuple(tensor.view_as(tensor) for tensor in tensors[:count])

    @staticmethod
    def backward(ctx: Any, *_: Any) -> Any:
        raise KernelError(
            f"{ctx.signature}: torch cannot record second derivatives of a function that changes a tensor in place; "
            "give it an output of its own"
        )


def _refuse_second(recorder: Recorder, gradients: list[Any], sources: list[Any]) -> list[Any]:
    """Gradients that hang on what they were computed from, so that differentiating them is an error and not a zero."""
    source = next((each for each in sources if isinstance(each, torch.Tensor) and each.requires_grad), None)
    made = [gradient for gradient in gradients if gradient is not None]
    if source is None or not made:
        return gradients
    checked = iter(_Second.apply(recorder.signature, *made, *([source] * len(made))))
    return [None if gradient is None else next(checked) for gradient in gradients]
