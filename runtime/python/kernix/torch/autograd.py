"""Calls that torch records: the forward is the plain call, the backward is f_bwd.

One autograd.Function for all operations; what differs is in a Recorder, made once per operation from its record and
that of f_bwd. Saved is what f_bwd reads, through torch, which notices when it is changed afterwards: inputs, and of
in-out tensors a copy from before the call. Of tensors that f_bwd does not read only the sizes are kept. A call with
tensors that have a tangent runs f_fwd beside the plain call.

The same formulas serve calls through the operator, below whose autograd key only copies are changed (call_below), and
transforms of torch.func (transforms.py). f_bwd and f_fwd are called as users call them, so that whatever watches the call
of f watches these too.
"""

import functools
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.fx.experimental.proxy_tensor import get_proxy_mode

from .. import _binding
from ..derivative import advice, advice_on_second, has_dtype, returned_names
from ..dtypes import dtype_pair
from ..errors import KernelError, KernelTypeError, KernelValueError
from ..function import FunctionDetails, is_hidden
from . import in_place, reverse_over_forward, simple
from .copies import private_copy
from .schema import TENSORS
from .settled import settled
from .sizes import Sizes


def call(operation: Any, details: FunctionDetails, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """A call with a tensor that requires a gradient, while a graph is recorded, or with one that has a tangent."""
    recorder = recorder_of(details)
    if recorder.unlike:
        recorder.require_alike(details.bind(args, keywords)[0])
    if simple.prepare(operation, recorder):
        return operation(*args, **keywords)  # which does not come here again, if it can be recorded so
    given, launch = details.bind(args, keywords)
    if recorder.written and recorder.has_derivative:
        given = in_place.part(recorder.signature, given, recorder.written)
    tensors = recorder.take_tensors(given)
    if forward_ad._current_level >= 0 and recorder.changes_a_tangent(tensors):
        return call_below(operation, details, given, launch)
    if recorder.changes_views_beside_others(tensors):
        return call_below(operation, details, given, launch)
    invocation = Invocation(recorder, operation, given, launch, tuple(tensors))
    recorder.check(invocation, tensors)
    invocation.views = frozenset(name for name in tensors if name in recorder.written and tensors[name]._is_view())
    copies = recorder.copy_changed(invocation)
    results = _Apply.apply(invocation, *tensors.values(), *copies)
    return recorder.pack(results)


def call_below(operation: Any, details: FunctionDetails, given: Mapping[str, Any], launch: Mapping[str, Any]) -> Any:
    """The same without changing anything in place before torch itself copies back what was changed."""
    recorder = recorder_of(details)
    recorder.require_alike(given)
    tensors = recorder.take_tensors(given)
    changed = tuple(name for name in tensors if recorder.parameters[name]["role"] == "ret")
    given = {**given, **in_place.doubles(given, changed)}
    tensors = {name: given[name] for name in tensors}
    read = recorder.read_values(given) if changed and recorder.has_backward else frozenset()
    inputs = {name: value.clone() if name in changed and name in read else value for name, value in tensors.items()}
    invocation = Invocation(recorder, operation, {**given, **inputs}, dict(launch), tuple(tensors), changed=changed)
    recorder.check(invocation, tensors)
    return finish(invocation, _Apply.apply(invocation, *inputs.values()), given)


def run_on_copies(invocation: "Invocation", given: Mapping[str, Any]) -> tuple[Any, ...]:
    """What the call returns, and then what it changed."""
    given = {**given, **{name: private_copy(given[name]) for name in invocation.changed}}
    results = invocation.operation(**given, **invocation.launch)
    return (*invocation.recorder.row_of(results), *(given[name] for name in invocation.passed))


def finish(invocation: "Invocation", outputs: tuple[Any, ...], given: Mapping[str, Any]) -> Any:
    """Copies back what was changed on copies, and gives what the plain call would."""
    recorder = invocation.recorder
    by_name = dict(zip((*recorder.returned, *invocation.passed), outputs, strict=True))
    for name in invocation.changed:
        given[name].copy_(by_name[name])
    row = tuple(given[name] if name in invocation.changed else by_name[name] for name in recorder.returned)
    return None if not row else row[0] if len(row) == 1 else row


def is_followed(args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Whether torch records what is computed of these, or they have a tangent."""
    is_recorded = torch.is_grad_enabled()
    for value in (*args, *keywords.values()):
        if isinstance(value, torch.Tensor) and ((is_recorded and value.requires_grad) or has_tangent(value)):
            return True
    return False


@functools.cache
def recorder_of(details: FunctionDetails) -> "Recorder":
    return Recorder(details)


class Recorder:
    """What is known of an operation before it is called."""

    def __init__(self, details: FunctionDetails) -> None:
        record = self.record = details._records[0]
        self.details = details
        self.signature: str = details.in_messages
        self.parameters: dict[str, dict[str, Any]] = {each["name"]: each for each in record["parameters"]}
        self.is_kernel = record["kind"] == "kernel"
        self.returned = tuple(returned_names(record))
        returned = [record["result"] if name is None else self.parameters[name] for name in self.returned]
        self.returns_numbers = any(_is_real_number(each) for each in returned)
        self.returns_any_number = any(each["passing"] not in TENSORS and not self.is_kernel for each in returned)
        self.has_backward: bool = record["backward"] is not None
        self.has_derivative: bool = self.has_backward or record["forward"] is not None
        self.written = frozenset(name for name, each in self.parameters.items() if each["role"] == "ret" and not is_hidden(each))
        self.only_written = frozenset(
            name for name, each in self.parameters.items() if each["role"] == "ret" and each["access"] != "inout"
        )
        # Gradients that f_bwd, where this is one, does not add to.
        self.assigned = frozenset(name for name in self.parameters if self.is_gradient(name) and self._is_assigned(name))
        self.structs = frozenset(
            name for name, each in self.parameters.items() if each.get("fields") and each["passing"] == "struct"
        )
        if record["derivative"] == "backward":
            self.why_not = f"{self.signature}: the backward derivative has no derivative of its own; {self._advice()}"
        elif record["derivative"] == "forward":
            self.why_not = f"{self.signature}: has no backward derivative; {reverse_over_forward.why_not(self)}"
        else:
            self.why_not = (
                f"{self.signature}: has no backward derivative; {advice(record, 'backward')}, or pass tensor.detach() where no "
                "gradient is wanted"
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
            if not self.is_by_hand:
                self.only_written -= self._counters()
            # Numbers that f changes in place, and f_bwd takes by value.
            self.numbers = frozenset(
                name for name, each in self.values.items() if each["passing"] == "reference" and not each.get("fields")
            )
            self.reads: dict[str, frozenset[str]] = {}
            # By the kind of shadow: (parameter, shadow, its name).
            rows: dict[str, list[tuple[str, Mapping[str, Any], str]]] = {"gradient": [], "cotangent": []}
            for name, shadow in self.shadows.items():
                rows["gradient" if shadow["shadow_kind"] == "gradient" else "cotangent"].append((name, shadow, shadow["name"]))
            self.gradients, self.cotangents = rows["gradient"], rows["cotangent"]
            self.sized = frozenset(filter(self._is_sized_by_value, self.only_written & self.values.keys()))
            self.layouts = {shadow: layout_of(self.backward_flat._records, shadow) for _, _, shadow in self.cotangents}
        self.unlike = self._unlike()
        roles = [each["role"] for each in record["parameters"]]
        self.change_others = frozenset(
            variant for variant in self.unlike if [each["role"] for each in details._records[variant]["parameters"]] != roles
        )
        # Of f_fwd.
        self.is_reversed = reverse_over_forward.is_possible(self)
        self.plan = None if self.unlike else simple.plan_of(self)

    def require_alike(self, given: Mapping[str, Any], is_followed: bool = True) -> None:
        """What is recorded of a call is that of the first variant: the one that is called does the same with its tensors. If
        nobody follows derivatives, it has to change the same ones."""
        for variant, message in self.unlike.items():
            if not is_followed and variant not in self.change_others:
                continue
            if all(has_dtype(each, given.get(each["name"])) for each in self.details._records[variant]["parameters"]):
                raise KernelTypeError(message)

    def _unlike(self) -> dict[int, str]:
        """Variants that do something else than the first, and what."""
        first, *others = self.details._records
        found = {}
        for variant, other in enumerate(others, 1):
            for ours, theirs in zip(first["parameters"], other["parameters"], strict=True):
                if _use_of(ours) != _use_of(theirs):
                    found[variant] = (
                        f"{self.signature}: torch cannot record this call, since '{ours['name']}' is {_use_text(ours)} in "
                        f"{first['signature']} and {_use_text(theirs)} in {other['signature']}; bind them under names of their "
                        "own, or pass tensor.detach() where no gradient is wanted"
                    )
        return found

    def _counters(self) -> set[str]:
        """Integers that the call changes and f_bwd takes: those from before the call, as of other in-out tensors."""
        return {
            name
            for name in self.only_written & self.values.keys()
            if self.parameters[name]["access"] is None and not self._is_never_read(name)
        }

    def _is_never_read(self, name: str) -> bool:
        """Of an output: f only writes it, so f_bwd may go without. (What the source calls optional is another matter.)"""
        value = self.values[name]
        return bool(value["primal_output"] and value["optional"] and not self.parameters[name]["optional"])

    def _is_sized_by_value(self, name: str) -> bool:
        """Of an output that f_bwd does not read: whether what was given says more than f declares and the cotangent shows. Views
        have strides, and some variants differ in nothing but a dtype."""
        every = [each for record in self.details._records for each in record["parameters"] if each["name"] == name]
        if any(each["passing"] not in TENSORS for each in every):
            return False
        if any(each["passing"] != "pointer" for each in every):
            return True
        is_declared = all(each.get("shape") is not None for each in every)
        return name not in self.shadows and (not is_declared or len({each["dtype"] for each in every}) > 1)

    # -- before the call -------------------------------------------------------------------------------------------

    def take_tensors(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The tensors that torch must see: those with a gradient, and those that the call changes."""
        tensors: dict[str, Any] = {}
        is_dual = forward_ad._current_level >= 0
        for name, value in given.items():
            if isinstance(value, torch.Tensor):
                is_dual_tensor = is_dual and has_tangent(value)
                if value.requires_grad:
                    self.require_gradient(name)
                if is_dual_tensor:
                    self.require_tangent(name)
                if value.requires_grad or is_dual_tensor or name in self.written:
                    tensors[name] = value
        self.check_structs(given)
        # Of a view that is changed, torch takes the first input for the one whose history goes on.
        return dict(sorted(tensors.items(), key=lambda item: item[0] not in self.written))

    def require_gradient(self, name: str) -> None:
        """Of an argument that requires one, if there is a backward at all."""
        if name in self.assigned:
            raise KernelTypeError(
                f"{self.signature}: argument '{name}' requires a gradient, and what it held before the call has none, since "
                "[[kernix::diff(once)]] assigns to it; pass tensor.detach()"
            )
        if self.has_backward:
            has_one = name in self.shadows
        else:  # of f_fwd, whose tangents have gradients too
            has_one = not self.is_reversed or any(self.parameters[name][key] is not None for key in ("shadow", "shadow_kind"))
        if not has_one:
            self._refuse_scalar(name, "requires a gradient")

    def is_gradient(self, name: str) -> bool:
        """Whether f is an f_bwd, and this a gradient: f adds to it, and it is left away where it is not wanted."""
        return bool(self.parameters[name].get("shadow_kind") == "gradient")

    def _is_assigned(self, name: str) -> bool:
        every = (each for record in self.details._records for each in record["parameters"] if each["name"] == name)
        return any(each["accumulation"] == "once" for each in every)

    def require_tangent(self, name: str) -> None:
        """Of an argument that has one, likewise."""
        if self.record["forward"] is not None and self.details.fwd.shadow_of(name) is None:
            self._refuse_scalar(name, "has a tangent")

    def _refuse_scalar(self, name: str, what: str) -> None:
        parameter = self.parameters[name]
        if parameter["no_diff"] or parameter["passing"] != "scalar" or not _is_real_number(parameter):
            return
        raise KernelTypeError(
            f"{self.signature}: argument '{name}' {what}, which scalars have only when they are marked [[kernix::diff]]; mark "
            "it, or pass tensor.detach()"
        )

    def check_structs(self, given: Mapping[str, Any]) -> None:
        for name in self.structs & given.keys():
            self._check_struct(self.parameters[name], given[name])

    def _check_struct(self, parameter: Mapping[str, Any], value: Any) -> None:
        """Of its fields, those of structs and arrays in it too, none has a gradient or a tangent."""
        leaves = self.details.struct_leaves(0, self.record["parameters"].index(parameter), value)
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        what = "requires a gradient" if any(leaf.requires_grad for leaf in tensors) and torch.is_grad_enabled() else ""
        if not what and forward_ad._current_level >= 0 and any(has_tangent(leaf) for leaf in tensors):
            what = "has a tangent"
        if what:
            raise KernelTypeError(
                f"{self.signature}: argument '{parameter['name']}': a field {what}, which torch cannot record for structs; use "
                "m.f.bwd or m.f.fwd, or a tensor of structs"
            )

    def changes_a_tangent(self, tensors: Mapping[str, Any]) -> bool:
        return not self.written.isdisjoint(tensors) and any(has_tangent(value) for value in tensors.values())

    def changes_views_beside_others(self, tensors: Mapping[str, Any]) -> bool:
        """Which torch follows only where it copies to them itself."""
        written = self.written & tensors.keys()
        return len({*self.returned, *written}) > 1 and any(tensors[name]._is_view() for name in written)

    def check(self, invocation: "Invocation", tensors: Mapping[str, Any]) -> None:
        """What no graph could be recorded of, and tangents that would be lost."""
        invocation.has_tangents = forward_ad._current_level >= 0 and any(has_tangent(value) for value in tensors.values())
        self.refuse_arrays(invocation.given, runs_again=invocation.has_tangents)
        if (self.written or self.returns_numbers) and torch.is_grad_enabled():
            self._refuse_changes(invocation, tensors)
            self._refuse_numbers(invocation)
        if invocation.has_tangents:
            self.require_forward()

    def require_forward(self) -> None:
        if self.record["forward"] is None:
            raise KernelTypeError(
                f"{self.signature}: a tensor has a tangent, which would be lost, since the function has no forward "
                f"derivative; {self._advice()}"
            )

    def _advice(self) -> str:
        if not self.record["derivative"]:
            return advice(self.record, "forward")
        primal = self.details._module.functions.get(self.record["primal"])
        if primal is None or getattr(primal, "_flat", primal)._records[0]["derivative"]:
            return "third derivatives are not available"
        return advice_on_second(self.record)

    def _refuse_changes(self, invocation: "Invocation", tensors: Mapping[str, Any]) -> None:
        for name in (name for name in tensors if name in self.written):
            if what := in_place.why_not(tensors[name]):
                raise KernelValueError(
                    f"{self.signature}: argument '{name}': expected a tensor that a recorded call may change, got {what}"
                )

    def refuse_arrays(self, given: Mapping[str, Any], runs_again: bool) -> None:
        """Outputs of other frameworks: no graph leads to them, and what they held before the call is kept nowhere."""
        for name in self.written:
            value = given.get(name)
            if value is None or isinstance(value, torch.Tensor):
                continue
            is_read = self.has_backward and name not in self.only_written and name in self.read_values(given)
            if runs_again or is_read or _may_be_real(self.parameters[name]):
                raise KernelTypeError(
                    f"{self.signature}: argument '{name}': expected a torch tensor, since torch records the call; got "
                    f"{type(value).__name__}, to which no graph leads; {_NO_GRAPH}"
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
        if not self.has_backward or self.written.isdisjoint(invocation.tensors):
            return []
        read = self.read_values(invocation.given)
        invocation.copied = tuple(
            name for name in invocation.tensors if name in self.written - self.only_written and name in read
        )
        return [invocation.given[name].clone() for name in invocation.copied]

    def read_values(self, given: Mapping[str, Any]) -> frozenset[str]:
        """The parameters whose values f_bwd reads: all, as long as it cannot be asked."""
        devices = (value.device.index for value in given.values() if isinstance(value, torch.Tensor) and value.is_cuda)
        device = next(devices, -1)
        read = self.values_read_on("cpu" if device < 0 else "cuda", device)
        return frozenset(self.values) if read is None else read

    def values_read_on(self, target: str, device: int) -> frozenset[str] | None:
        """Device: that of the call's tensors on CUDA. None: it cannot be asked now."""
        library = self.details._module.libraries.get(target)
        if target not in self.reads and library is not None:
            try:
                self.reads[target] = self._ask_read_values(library, target, device)
            except KernelError:  # a stream that is being captured
                return None
        return self.reads.get(target)

    def _ask_read_values(self, library: Any, target: str, device: int) -> frozenset[str]:
        # torch's own current device may have had nothing to do in this process, and shall not begin to.
        stream = torch.cuda.current_stream(device).cuda_stream if target == "cuda" else 0
        flat = self.backward_record["parameters"]
        read = set()
        for variant in range(len(self.backward_flat._records)):
            answer = _binding.read_values(library, self.backward_record["name"], variant, device, stream)
            read |= {each["name"] for each, is_read in zip(flat, answer, strict=True) if is_read}
        # What f writes f_bwd does not read, if it is written by the compiler.
        return frozenset(
            name
            for name in self.values
            if name in read and not self._is_never_read(name)
        )

    # -- after the call --------------------------------------------------------------------------------------------

    def pack(self, results: tuple[Any, ...]) -> Any:
        """What the plain call would return; changed arguments were only passed along."""
        row = results[: len(self.returned)]
        return None if not row else row[0] if len(row) == 1 else row

    def row_of(self, results: Any) -> tuple[Any, ...]:
        """The reverse."""
        return () if not self.returned else (results,) if len(self.returned) == 1 else tuple(results)

    def require_tensors(self, row: tuple[Any, ...]) -> None:
        """Of outputs that the call made: other frameworks get theirs where their arrays come first."""
        for name, value in zip(self.returned, row, strict=True):
            if hasattr(value, "__dlpack__") and not isinstance(value, torch.Tensor) and _may_be_real(self.parameters[str(name)]):
                raise KernelTypeError(
                    f"{self.signature}: returns {type(value).__name__}, to which no graph of torch leads; {_NO_GRAPH}"
                )


@dataclass(slots=True)
class Invocation:
    """One call."""

    recorder: Recorder
    operation: Any
    given: dict[str, Any]
    launch: dict[str, Any]
    tensors: tuple[str, ...]  # names of the tensors that torch sees, in order
    copied: tuple[str, ...] = ()  # of those whose value from before the call follows
    changed: tuple[str, ...] = ()  # of those of which copies are changed
    views: frozenset[str] = frozenset()  # of those that are changed themselves
    is_transformed: bool = False  # by torch.func
    has_tangents: bool = False

    def __post_init__(self) -> None:
        self.launch = settled(self.launch)

    @property
    def passed(self) -> tuple[str, ...]:
        """What is changed and not returned: an output that is both stands in one row only, as torch wants it."""
        return tuple(name for name in self.changed if name not in self.recorder.returned)


def keep(ctx: Any, invocation: Invocation, given: Mapping[str, Any], outputs: tuple[Any, ...]) -> None:
    """What the formulas of a call need, if only copies were changed."""
    _describe(ctx, invocation, (*invocation.recorder.returned, *invocation.passed), outputs)
    _save(ctx, invocation, _as_it_is(invocation.recorder, given), {}, outputs)


def _as_it_is(recorder: Recorder, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with those that torch does not save as they are now."""
    return {
        name: value if isinstance(value, torch.Tensor) or name in recorder.only_written else settled(value)
        for name, value in given.items()
    }


def _describe(
    ctx: Any, invocation: Invocation, names: tuple[str | None, ...], outputs: tuple[Any, ...], changed: Sequence[str] = ()
) -> None:
    # Of one that was given and has a graph torch would return an alias, and leave it that graph.
    fixed = [
        out
        for name, out in zip(names, outputs, strict=True)
        if isinstance(out, torch.Tensor)
        and not (name in changed and out.requires_grad)
        and (not _is_real(out) or (name is not None and invocation.recorder.parameters[name]["no_diff"]))
    ]
    if fixed:
        ctx.mark_non_differentiable(*fixed)
    ctx.set_materialize_grads(False)
    ctx.invocation = invocation
    ctx.output_names = names
    # The gradient of the only output is there whenever a backward runs.
    ctx.output_sizes = (
        [Sizes.of(out) if isinstance(out, torch.Tensor) else None for out in outputs] if len(outputs) > 1 else (None,)
    )


def backward(ctx: Any, *cotangents: Any) -> Any:
    invocation: Invocation = ctx.invocation
    recorder = invocation.recorder
    if not recorder.has_backward and not recorder.is_reversed:
        raise KernelError(recorder.why_not)
    row: list[Any] = [None] * len(invocation.tensors)
    if any(cotangent is not None for cotangent in cotangents):
        by_name = dict(zip(ctx.output_names, cotangents, strict=True))
        run = _run_backward if recorder.has_backward else _reverse_forward
        wanted = _wanted(ctx)
        for name in wanted:
            recorder.require_gradient(name)
        gradients = run(ctx, invocation, by_name)
        for name in invocation.views - gradients.keys():
            # What it was does not matter. None would say so of the rest of its base too.
            if by_name.get(name) is not None:
                gradients[name] = torch.zeros_like(by_name[name])
        row = [gradients.get(name) if name in wanted else None for name in invocation.tensors]
    return (None, *row, *(None for _ in invocation.copied))


def _wanted(ctx: Any) -> set[str]:
    """The arguments whose gradients torch asks for."""
    return {name for name, is_wanted in zip(ctx.invocation.tensors, ctx.needs_input_grad[1:], strict=False) if is_wanted}


def _is_linearized() -> bool:
    """Whether torch.func.linearize traces this: it computes once what does not depend on the tangents."""
    frame = sys._getframe() if get_proxy_mode() is not None else None
    while frame is not None and frame.f_code is not torch.func.linearize.__code__:
        frame = frame.f_back
    return frame is not None


def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
    invocation: Invocation = ctx.invocation
    recorder = invocation.recorder
    recorder.require_forward()
    if not recorder.written.isdisjoint(invocation.tensors) and _is_linearized():
        raise KernelTypeError(
            f"{recorder.signature}: torch.func.linearize keeps the copies that this function changes from one call to the next; "
            "take torch.func.jvp"
        )
    given = getattr(ctx, "forward_given", None)
    if given is None:
        given = _saved(ctx, ctx.saved_tensors)
    else:  # with their graph, which goes on from the tangents
        given = {name: forward_ad.unpack_dual(each).primal if isinstance(each, torch.Tensor) else each for name, each in given.items()}
    ctx.forward_given = None
    forward = recorder.details.fwd
    for name, tangent in zip(invocation.tensors, tangents, strict=False):
        if tangent is not None:
            recorder.require_tangent(name)
        shadow = forward.shadow_of(name)
        if shadow is None:
            if name in invocation.changed:  # by f_fwd too, and the backward takes it as it was
                given[name] = _batched(private_copy(given[name]), tangents)
            continue
        if name in invocation.changed:  # both are changed by f_fwd
            value = _batched(private_copy(given[name]), tangents)
            tangent = torch.zeros_like(value) if tangent is None else private_copy(tangent, contiguous=True)
            given[name] = (value, _batched(tangent, (value,)))
        elif tangent is not None:
            given[name] = (given[name], as_readable(tangent, layout_of(forward._records, shadow["name"])))
    results = forward(**given, **invocation.launch)
    tangents_of = dict(zip(forward.field_sources, results, strict=True))
    return tuple(tangents_of[name][1] if name in tangents_of else None for name in ctx.output_names)


def _batched(tensor: Any, others: Iterable[Any]) -> Any:
    """What is changed under vmap must be batched if anything else is."""
    if torch._C._functorch.peek_interpreter_stack() is not None:
        for other in others:
            if other is not None:
                tensor = tensor + torch.zeros_like(other, dtype=tensor.dtype).sum().to(tensor.dtype)
    return tensor


class _Apply(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, invocation: Invocation, *tensors: Any) -> Any:
        recorder = invocation.recorder
        given = invocation.given
        if invocation.has_tangents:
            # Without their tangents; those come with jvp, right after this.
            ctx.forward_given = dict(given)
            given = {name: value.detach() if isinstance(value, torch.Tensor) else value for name, value in given.items()}
        if invocation.changed:
            copied = run_on_copies(invocation, given)
            keep(ctx, invocation, given, copied)
            invocation.given = {}
            return copied
        kept = _as_it_is(recorder, invocation.given)  # the call may change the memory that it lies in
        results = invocation.operation(**given, **invocation.launch)
        outputs = recorder.row_of(results)
        recorder.require_tensors(outputs)
        names = recorder.returned
        copies: dict[str, Any] = {}
        changed: list[str] = []
        if not recorder.written.isdisjoint(invocation.tensors):
            changed = [name for name in invocation.tensors if name in recorder.written]
            # An output that was given and is returned stands in both rows; torch wants it once.
            passed = [name for name in changed if name not in recorder.returned]
            outputs, names = (*outputs, *(given[name] for name in passed)), (*names, *passed)
            ctx.mark_dirty(*(given[name] for name in changed))
            copies = dict(zip(invocation.copied, tensors[len(invocation.tensors) :], strict=True))
        _describe(ctx, invocation, names, outputs, changed)
        _save(ctx, invocation, kept, copies, outputs)
        invocation.given = {}  # no tensor may be kept alive behind torch's back
        return outputs

    backward = staticmethod(backward)
    jvp = staticmethod(jvp)


def _save(
    ctx: Any,
    invocation: Invocation,
    given: Mapping[str, Any],
    copies: Mapping[str, Any],
    outputs: Sequence[Any],
) -> None:
    """Keeps what f_bwd reads. `given`: as it was before the call."""
    recorder = invocation.recorder
    saved: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    keeps_all = recorder.is_reversed or (invocation.is_transformed and recorder.record["forward"] is not None)
    if recorder.has_backward or keeps_all:
        read = recorder.read_values(given) if recorder.has_backward else frozenset()
        for name, value in given.items():
            if name in copies:
                saved[name] = copies[name]
            elif name in recorder.only_written:
                if isinstance(value, torch.Tensor) and (keeps_all or (recorder.has_backward and name in recorder.sized)):
                    rest[name] = Sizes.of(value)
                elif value is not None and recorder.has_backward and name in recorder.sized:
                    rest[name] = value  # of another framework: no more than its sizes is taken of it
            elif not isinstance(value, torch.Tensor):
                rest[name] = value
            elif name in read or keeps_all:
                saved[name] = value
            else:
                rest[name] = Sizes.of(value)
        # f_bwd takes sizes of outputs from the cotangents, unless it was written by hand and reads one.
        for name in recorder.only_written & read:
            if name in ctx.output_names:
                saved[name] = outputs[ctx.output_names.index(name)]
    ctx.save_for_backward(*saved.values())
    if keeps_all and recorder.record["forward"] is not None:
        ctx.save_for_forward(*saved.values())
    ctx.saved_names, ctx.rest = tuple(saved), rest
    # What the call allocated and changed began with zeros. Derivatives of f_bwd take it where f_bwd does not read it.
    allocated = set(recorder.values).difference(recorder.only_written, saved, rest) if recorder.has_backward else ()
    ctx.began_with_zeros = {name: name in read for name in recorder.returned if name in allocated}


def _arguments(ctx: Any, invocation: Invocation) -> dict[str, Any]:
    """What was saved."""
    tensors = ctx.saved_tensors
    if invocation.is_transformed:
        # The function that torch.func.vjp returns is called when the transform is over.
        tensors = tuple(map(torch._C._functorch.unwrap_if_dead, tensors))
    return _saved(ctx, tensors)


def _saved(ctx: Any, tensors: Sequence[Any]) -> dict[str, Any]:
    rest = {name: value.tensor() if type(value) is Sizes else value for name, value in ctx.rest.items()}
    return {**rest, **dict(zip(ctx.saved_names, tensors, strict=True))}


def _reverse_forward(ctx: Any, invocation: Invocation, cotangents: Mapping[str | None, Any]) -> dict[str, Any]:
    return reverse_over_forward.gradients(invocation.recorder, _arguments(ctx, invocation), invocation.launch, cotangents)


def _run_backward(ctx: Any, invocation: Invocation, cotangents: Mapping[str | None, Any]) -> dict[str, Any]:
    recorder = invocation.recorder
    arguments = _arguments(ctx, invocation)
    # Their sizes are those of the cotangents, or declared.
    arguments.update(dict.fromkeys((recorder.only_written - recorder.sized) & ctx.rest.keys()))
    for name, is_read in ctx.began_with_zeros.items():
        # Without reading it f_bwd can do without it, if it knows its sizes from a gradient.
        if not is_read and name in recorder.shadows and not torch.is_grad_enabled():
            continue
        sizes = ctx.output_sizes[ctx.output_names.index(name)]
        arguments[name] = torch.zeros_like(cotangents[name]) if sizes is None else sizes.zeros()
    for name in recorder.numbers & arguments.keys():
        arguments[name] = _as_number(recorder, name, arguments[name])
    wanted = _wanted(ctx)
    given: dict[str, Any] = {}
    for name, _, of_shadow in recorder.gradients:
        if name not in wanted:
            given[of_shadow] = None
    for name, shadow, of_shadow in recorder.cotangents:
        if name not in cotangents:
            continue
        arguments.setdefault(name, None)
        cotangent = cotangents[name]
        if cotangent is None and not recorder.is_gradient(name):
            sizes = ctx.output_sizes[ctx.output_names.index(name)]
            cotangent = None if sizes is None else sizes.zeros()
        if cotangent is not None:
            cotangent = as_readable(cotangent, recorder.layouts[of_shadow])
            if shadow["shadow_kind"] == "cotangent_and_gradient":
                others = (each for each in (*arguments.values(), *cotangents.values()) if isinstance(each, torch.Tensor))
                cotangent = _batched(private_copy(cotangent, contiguous=True), others)
        given[of_shadow] = cotangent
    launch = {} if recorder.has_own_launch else invocation.launch
    # Tensors without data go through the operator.
    is_meta = any(each is not None and each.is_meta for each in cotangents.values())
    run = functools.partial(_call_operator, recorder.backward_flat) if is_meta else recorder.backward_flat
    results = run(**arguments, **given, **launch)
    names = recorder.returned_by_backward
    returned = dict(zip(names, (results,) if len(names) == 1 else results or (), strict=True))
    gradients: dict[str, Any] = {}
    for name in wanted:
        if recorder.is_gradient(name):  # f adds to it
            gradients[name] = cotangents[name]
            continue
        own = recorder.shadows.get(name)
        if own is None or own["shadow_kind"] == "cotangent":
            continue
        gradient = returned.get(own["name"], given.get(own["name"]))
        if gradient is not None:
            gradients[name] = _as_argument(recorder.parameters[name], arguments[name], gradient)
    return gradients


def _as_number(recorder: Recorder, name: str, value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    if value.requires_grad and torch.is_grad_enabled():
        raise KernelTypeError(
            f"{recorder.signature}: argument '{name}': a number that the call changes, of whose gradient torch records no graph; "
            "use neither create_graph=True nor torch.func, or make the parameter a pointer"
        )
    return value.item()


def _call_operator(operation: Any, /, **arguments: Any) -> Any:
    from . import operators

    given, launch = operation._details.bind((), arguments)
    return operators.operator_for(operation, operation._details, given).call(given, launch)


def layout_of(records: Sequence[Mapping[str, Any]], name: str) -> int:
    """Of a gradient or tangent in all variants of a derivative: its alignment in bytes, if it has to be contiguous; 0: it may
    have strides."""
    return max(_layout_of(record, each) for record in records for each in record["parameters"] if each["name"] == name)


def _layout_of(record: Mapping[str, Any], parameter: Mapping[str, Any]) -> int:
    has_strides = parameter["passing"] == "tensor_view" and not record["hand_written"] and not parameter.get("element_shape")
    return 0 if has_strides else _alignment_of(parameter)


def as_readable(tensor: torch.Tensor, layout: int) -> torch.Tensor:
    """A gradient or tangent as the kernel can read it: torch expands what is equal, and cuts parts out of larger ones."""
    if _is_zero(tensor):
        tensor = tensor.clone()
    tensor = tensor.resolve_neg().resolve_conj()
    if not layout:
        return tensor
    tensor = tensor.contiguous()
    return tensor if _place_of(tensor) % layout == 0 else tensor.clone()


def _is_real(tensor: torch.Tensor) -> bool:
    """Whether it has a gradient in torch: it holds real numbers, or complex ones, which are pairs of them."""
    return bool(tensor.is_floating_point() or tensor.is_complex())


def _is_zero(tensor: torch.Tensor) -> bool:
    """Zeros without memory, that a transform may have wrapped."""
    while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return bool(tensor._is_zerotensor())


def _alignment_of(parameter: Mapping[str, Any]) -> int:
    """That of elements that are several numbers, in bytes, or more."""
    if not parameter.get("element_shape") or not parameter["dtype"]:
        return 1
    size = int(math.prod(parameter["element_shape"]) * dtype_pair(parameter["dtype"])[1] // 8)
    return size & -size


def _place_of(tensor: torch.Tensor) -> int:
    """Of what is only traced, as far as it is known."""
    try:
        return int(tensor.data_ptr())
    except RuntimeError:
        return int(tensor.storage_offset() * tensor.element_size())


_NO_GRAPH = "pass torch tensors, or tensor.detach() where no gradient is wanted"


def _may_be_real(parameter: Mapping[str, Any]) -> bool:
    dtype = parameter["dtype"] or "any"
    return any(word in dtype for word in ("float", "complex", "any"))


def _use_of(parameter: Mapping[str, Any]) -> tuple[Any, ...]:
    return parameter["role"], parameter["access"], parameter["differentiable"], parameter["no_diff"], parameter["optional"]


def _use_text(parameter: Mapping[str, Any]) -> str:
    access = {"in": "read", "out": "written", "inout": "read and written"}.get(parameter["access"], "no number with a derivative")
    return "marked no_diff" if parameter["no_diff"] else "optional" if parameter["optional"] else access


def _is_real_number(parameter: Mapping[str, Any]) -> bool:
    """A result that is no tensor, and would have a gradient if it were one."""
    if parameter["passing"] in ("pointer", "tensor", "tensor_view"):
        return False
    dtypes = [field["dtype"] for field in parameter.get("fields") or [parameter]]
    return any("float" in dtype or "complex" in dtype for dtype in dtypes)


def has_tangent(value: Any) -> bool:
    return forward_ad._current_level >= 0 and forward_ad.unpack_dual(value).tangent is not None


def _as_argument(parameter: Mapping[str, Any], value: Any, gradient: Any) -> Any:
    return simple.as_scalar(gradient, value) if parameter["passing"] == "scalar" and isinstance(value, torch.Tensor) else gradient
