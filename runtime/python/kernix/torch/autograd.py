"""Calls that torch records: the forward is the plain call, the backward is f_bwd.

One autograd.Function for all operations; what differs is in a Recorder, made once per operation from its record and
that of f_bwd. Saved is what f_bwd reads, through torch, which notices when it is changed afterwards: inputs, and of
in-out tensors a copy from before the call. Of tensors that f_bwd does not read only the sizes are kept. A call with
tensors that have a tangent runs f_fwd beside the plain call.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd import forward_ad

from .. import _binding
from ..derivative import returned_names
from ..errors import KernelError, KernelTypeError, KernelValueError
from ..function import FunctionDetails
from . import in_place


def call(operation: Any, details: FunctionDetails, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """A call with a tensor that requires a gradient, while a graph is recorded, or with one that has a tangent."""
    recorder = _recorder(details)
    given, launch = details.bind(args, keywords)
    tensors = recorder.take_tensors(given)
    invocation = Invocation(recorder, operation, given, launch, tuple(tensors))
    recorder.check(invocation)
    copies = recorder.copy_changed(invocation)
    results = _Apply.apply(invocation, *tensors.values(), *copies)
    return recorder.pack(results)


@functools.cache
def _recorder(details: FunctionDetails) -> "Recorder":
    return Recorder(details)


class Recorder:
    """What is known of an operation before it is called."""

    def __init__(self, details: FunctionDetails) -> None:
        record = self.record = details._records[0]
        self.details = details
        self.signature: str = record["signature"]
        self.parameters: dict[str, dict[str, Any]] = {each["name"]: each for each in record["parameters"]}
        self.is_kernel = record["kind"] == "kernel"
        self.returned = returned_names(record)
        returned = [record["result"] if name is None else self.parameters[name] for name in self.returned]
        self.returns_numbers = any(_is_real_number(each) for each in returned)
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
            # A backward that the user writes has the launch of its own attributes, and may take tensors for contiguous.
            self.is_by_hand: bool = self.backward_record["hand_written"]
            self.has_own_launch = self.is_by_hand and any(
                self.backward_record["launch"][which] != record["launch"][which]
                for which in ("grid", "block", "shared_bytes")
            )
            self.returned_by_backward = returned_names(self.backward_record)
            self.values = {each["name"]: each for each in flat if each.get("shadow_kind") is None}
            self.reads: dict[str, frozenset[str]] = {}

    # -- before the call -------------------------------------------------------------------------------------------

    def take_tensors(self, given: dict[str, Any]) -> dict[str, Any]:
        """The tensors that torch must see: those with a gradient, and those that the call changes."""
        tensors: dict[str, Any] = {}
        for name, value in given.items():
            parameter = self.parameters[name]
            if isinstance(value, torch.Tensor):
                is_followed = value.requires_grad or has_tangent(value)
                if is_followed and self.has_backward:
                    self._check_gradient(parameter)
                if is_followed or parameter["role"] == "ret":
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

    def check(self, invocation: "Invocation") -> None:
        """What no graph could be recorded of, and tangents that would be lost."""
        if torch.is_grad_enabled():
            self._refuse_changes(invocation)
            self._refuse_numbers(invocation)
        given = [invocation.given[name] for name in invocation.tensors]
        if not any(has_tangent(value) for value in given):
            return
        record = self.details._records[0]
        if record["forward"] is None:
            what = "it [[kernix::differentiable]]"
            if record["derivative"]:
                what = f"{record['primal']} [[kernix::differentiable(2)]]"
            raise KernelTypeError(
                f"{self.signature}: a tensor has a tangent, which would be lost, since the function has no forward "
                f"derivative; mark {what}"
            )
        if any(self.parameters[name]["role"] == "ret" for name in invocation.tensors):
            raise KernelTypeError(
                f"{self.signature}: a tensor has a tangent; forward differentiation through torch is only of functions "
                "that return their outputs, not of those that change a tensor; use m.f.fwd"
            )
        invocation.has_tangents = True

    def _refuse_changes(self, invocation: "Invocation") -> None:
        for name in invocation.tensors:
            if self.parameters[name]["role"] == "ret" and (what := in_place.why_not(invocation.given[name])):
                raise KernelValueError(
                    f"{self.signature}: argument '{name}': expected a tensor that a recorded call may change, got {what}"
                )

    def _refuse_numbers(self, invocation: "Invocation") -> None:
        for name in invocation.tensors if self.returns_numbers else ():
            if invocation.given[name].requires_grad and not self.parameters[name]["no_diff"]:
                raise KernelError(
                    f"{self.signature}: returns a number, through which torch records no graph, and '{name}' requires a "
                    "gradient; write it to a tensor, or pass tensor.detach() where no gradient is wanted"
                )

    def copy_changed(self, invocation: "Invocation") -> list[Any]:
        """Values from before the call that f_bwd reads. They hang on the graph, for second derivatives."""
        if not self.has_backward:
            return []
        read = self.read_values(invocation.given)
        changed = [name for name in invocation.tensors if self.parameters[name]["access"] == "inout" and name in read]
        invocation.copied = tuple(name for name in changed if self.parameters[name]["role"] == "ret")
        return [invocation.given[name].clone() for name in invocation.copied]

    def read_values(self, given: Mapping[str, Any]) -> frozenset[str]:
        """The parameters whose values f_bwd reads: all, as long as it cannot be asked."""
        target = "cuda" if any(isinstance(value, torch.Tensor) and value.is_cuda for value in given.values()) else "cpu"
        library = self.details._module.libraries.get(target)
        if target not in self.reads and library is not None:
            try:
                self.reads[target] = self._ask_read_values(library, target)
            except KernelError:  # a stream that is being captured
                return frozenset(self.values)
        return self.reads.get(target, frozenset(self.values))

    def _ask_read_values(self, library: Any, target: str) -> frozenset[str]:
        stream = torch.cuda.current_stream().cuda_stream if target == "cuda" else 0
        flat = self.backward_record["parameters"]
        read = set()
        for variant in range(len(self.backward_flat._records)):
            answer = _binding.read_values(library, self.backward_record["name"], variant, stream)
            read |= {each["name"] for each, is_read in zip(flat, answer, strict=True) if is_read}
        # What f writes f_bwd does not read, if it is written by the compiler.
        return frozenset(
            name
            for name, value in self.values.items()
            if name in read and not (value["primal_output"] and value["optional"])
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
    copied: tuple[str, ...] = ()  # of those whose value from before the call follows
    has_tangents: bool = False


@dataclass(frozen=True)
class Sizes:
    """What is kept of a tensor whose elements nobody reads."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device

    @staticmethod
    def of(tensor: torch.Tensor) -> "Sizes":
        return Sizes(tuple(tensor.shape), tensor.stride(), tensor.dtype, tensor.device)

    def tensor(self) -> torch.Tensor:
        return torch.empty_strided(self.shape, self.strides, dtype=self.dtype, device=self.device)

    def zeros(self) -> torch.Tensor:
        return torch.zeros(self.shape, dtype=self.dtype, device=self.device)


class _Apply(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, invocation: Invocation, *tensors: Any) -> Any:
        recorder = invocation.recorder
        given = invocation.given
        changed = [name for name in invocation.tensors if recorder.parameters[name]["role"] == "ret"]
        if invocation.has_tangents:
            # Without their tangents; those come with jvp, right after this.
            given = {name: value.detach() if isinstance(value, torch.Tensor) else value for name, value in given.items()}
            ctx.forward_given = given
        results = invocation.operation(**given, **invocation.launch)
        row = () if not recorder.returned else (results,) if len(recorder.returned) == 1 else tuple(results)
        # An output that was given and is returned stands in both rows; torch wants it once.
        passed = [name for name in changed if name not in recorder.returned]
        outputs = (*row, *(given[name] for name in passed))
        ctx.mark_dirty(*(given[name] for name in changed))
        ctx.mark_non_differentiable(
            *(out for out in outputs if isinstance(out, torch.Tensor) and not out.is_floating_point())
        )
        ctx.set_materialize_grads(False)
        ctx.invocation = invocation
        ctx.output_names = (*recorder.returned, *passed)
        ctx.output_sizes = [Sizes.of(out) if isinstance(out, torch.Tensor) else None for out in outputs]
        copies = dict(zip(invocation.copied, tensors[len(invocation.tensors) :], strict=True))
        _save(ctx, invocation, copies, dict(zip(ctx.output_names, outputs, strict=True)))
        return outputs

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        invocation: Invocation = ctx.invocation
        recorder = invocation.recorder
        if not recorder.has_backward:
            raise KernelError(recorder.why_not)
        count = len(invocation.tensors)
        row: list[Any] = [None] * count
        if any(cotangent is not None for cotangent in cotangents):
            gradients = _run_backward(ctx, invocation, dict(zip(ctx.output_names, cotangents, strict=True)))
            wanted = zip(invocation.tensors, ctx.needs_input_grad[1 : 1 + count], strict=True)
            row = [gradients.get(name) if is_wanted else None for name, is_wanted in wanted]
        return (None, *row, *(None for _ in invocation.copied))

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        invocation: Invocation = ctx.invocation
        given, ctx.forward_given = ctx.forward_given, None
        forward = invocation.recorder.details.fwd
        for name, tangent in zip(invocation.tensors, tangents, strict=False):
            shadow = forward.shadow_of(name)
            if tangent is not None and shadow is not None:
                is_scalar = shadow["passing"] == "scalar"
                is_by_hand = forward._record["hand_written"]
                given[name] = (given[name], tangent.item() if is_scalar else as_readable(shadow, tangent, is_by_hand))
        results = forward(**given, **invocation.launch)
        tangents_of = dict(zip(forward.field_sources, results, strict=True))
        return tuple(tangents_of[name][1] if name in tangents_of else None for name in ctx.output_names)


def _save(ctx: Any, invocation: Invocation, copies: Mapping[str, Any], outputs: Mapping[str | None, Any]) -> None:
    """Keeps what f_bwd reads."""
    recorder = invocation.recorder
    saved: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    if recorder.has_backward:
        read = recorder.read_values(invocation.given)
        for name, parameter in recorder.parameters.items():
            value = invocation.given.get(name)
            if name in copies:
                saved[name] = copies[name]
            elif parameter["role"] == "ret" and parameter["access"] != "inout":
                # f_bwd takes its sizes from the cotangent, unless it was written by hand and reads it.
                if name in read and name in outputs:
                    saved[name] = outputs[name]
            elif not isinstance(value, torch.Tensor):
                if name in invocation.given:
                    rest[name] = value
            elif name in read:
                saved[name] = value
            else:
                rest[name] = Sizes.of(value)
    ctx.save_for_backward(*saved.values())
    ctx.saved_names, ctx.rest = tuple(saved), rest
    invocation.given = {}  # no tensor may be kept alive behind torch's back


def _run_backward(ctx: Any, invocation: Invocation, cotangents: Mapping[str | None, Any]) -> dict[str, Any]:
    recorder = invocation.recorder
    saved = dict(zip(ctx.saved_names, ctx.saved_tensors, strict=True))
    rest = {name: value.tensor() if isinstance(value, Sizes) else value for name, value in ctx.rest.items()}
    arguments: dict[str, Any] = {**rest, **saved}
    sizes = dict(zip(ctx.output_names, ctx.output_sizes, strict=True))
    wanted = {name for name, is_wanted in zip(invocation.tensors, ctx.needs_input_grad[1:], strict=False) if is_wanted}
    given: dict[str, Any] = {}
    for name, shadow in recorder.shadows.items():
        kind = shadow["shadow_kind"]
        if kind == "gradient":
            if name not in wanted:
                given[shadow["name"]] = None
        elif name in cotangents:
            arguments.setdefault(name, None)
            cotangent = cotangents[name]
            if cotangent is None and sizes[name] is not None and not _was_gradient(recorder, name):
                cotangent = sizes[name].zeros()
            if cotangent is not None:
                cotangent = as_readable(shadow, cotangent, recorder.is_by_hand)
                if kind == "cotangent_and_gradient":
                    cotangent = cotangent.clone(memory_format=torch.contiguous_format)
            given[shadow["name"]] = cotangent
    launch = {} if recorder.has_own_launch else invocation.launch
    results = recorder.backward_flat(**arguments, **given, **launch)
    names = recorder.returned_by_backward
    returned = dict(zip(names, (results,) if len(names) == 1 else results or (), strict=True))
    gradients: dict[str, Any] = {}
    for name, shadow in recorder.shadows.items():
        gradient = returned.get(shadow["name"], given.get(shadow["name"]))
        if gradient is None or name not in wanted or shadow["shadow_kind"] == "cotangent":
            continue
        gradients[name] = _as_argument(recorder.parameters[name], arguments[name], gradient)
    return gradients


def _was_gradient(recorder: Recorder, name: str) -> bool:
    """In f_bwd: a gradient, which is left away where it is not wanted."""
    return bool(recorder.parameters[name].get("shadow_kind") == "gradient")


def as_readable(parameter: Mapping[str, Any], tensor: torch.Tensor, is_by_hand: bool) -> torch.Tensor:
    """A gradient or tangent as the kernel can read it: raw pointers need it contiguous, and torch expands what is equal."""
    tensor = tensor.resolve_neg()
    return tensor if parameter["passing"] == "tensor_view" and not is_by_hand else tensor.contiguous()


def _is_real_number(parameter: Mapping[str, Any]) -> bool:
    """A result that is no tensor, and would have a gradient if it were one."""
    if parameter["passing"] in ("pointer", "tensor", "tensor_view"):
        return False
    dtypes = [field["dtype"] for field in parameter.get("fields") or [parameter]]
    return any("float" in dtype or "complex" in dtype for dtype in dtypes)


def has_tangent(value: Any) -> bool:
    return forward_ad._current_level >= 0 and forward_ad.unpack_dual(value).tangent is not None


def _as_argument(parameter: Mapping[str, Any], value: Any, gradient: Any) -> Any:
    """A scalar's gradient has one element, in the kernel's type and place; torch wants it as the argument was."""
    if parameter["passing"] == "scalar" and isinstance(value, torch.Tensor):
        return gradient.reshape(()).to(value)
    return gradient
