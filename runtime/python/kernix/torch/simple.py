"""The recorded calls that are most of all: tensors are returned or changed, f_bwd is the compiler's.

The same as autograd.py does for every call, without what such a call does not need, and by functions of the extension:
torch's graph then costs what it costs operators in C++. Here is what the extension asks rarely. A call that changes a view,
or memory in which another argument lies, is none of these.
"""

from collections.abc import Mapping
from typing import Any

import torch
from torch.autograd.function import BackwardCFunction

from .. import _binding
from .schema import TENSORS
from .settled import settled
from .sizes import Sizes

_KINDS = ("gradient", "cotangent", "cotangent_and_gradient")


def as_scalar(gradient: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """A scalar's gradient has one element, in the kernel's type and place; torch wants it as the argument was: by a complex
    scalar that was given as a real one, the real part."""
    gradient = gradient.reshape(())
    return (gradient.real if gradient.is_complex() and not value.is_complex() else gradient).to(value)


class Plan:
    """What is known of a function before it is called. What it is asked by, the extension knows by name."""

    def __init__(self, recorder: Any) -> None:
        self.recorder = recorder
        flat = recorder.backward_record["parameters"]
        index = {each["name"]: at for at, each in enumerate(flat)}
        place = {name: at for at, name in enumerate(recorder.returned_by_backward)}
        gradients = {name: shadow for name, _, shadow in recorder.gradients}
        rows = []
        for name, parameter in recorder.parameters.items():
            cotangent = None if name in gradients else recorder.shadows.get(name)
            shadow = gradients.get(name) if cotangent is None else cotangent["name"]
            is_both = cotangent is not None and cotangent["shadow_kind"] == "cotangent_and_gradient"
            rows.append(
                (
                    index.get(name, -1),
                    index.get(gradients.get(name), -1),
                    place.get(shadow, -1),
                    parameter["passing"] == "scalar",
                    name in recorder.written,
                    name in recorder.written - recorder.only_written,
                    name in recorder.sized,
                    recorder.returned.index(name) if name in recorder.returned else -1,
                    -1 if cotangent is None else index[cotangent["name"]],
                    is_both,
                    recorder.is_gradient(name),
                    0 if cotangent is None else max(recorder.layouts[cotangent["name"]], is_both),
                    parameter["no_diff"],
                )
            )
        self.recording = _binding.Recording(
            self,
            _function(recorder.details.__name__),
            recorder.backward_flat,
            tuple(rows),
            len(recorder.returned),
            len(place),
        )

    def reads(self, target: int, device: int) -> bytes | None:
        """Which values f_bwd reads, a byte for each parameter; None: it cannot be asked now."""
        recorder = self.recorder
        found = recorder.values_read_on(("cpu", "cuda")[target], device)
        if found is None:
            return None
        # Numbers that are given as tensors may decide the sizes of the launch.
        return bytes(name in found or each["passing"] == "scalar" for name, each in recorder.parameters.items())

    sizes = staticmethod(Sizes.of)
    settled = staticmethod(settled)
    as_scalar = staticmethod(as_scalar)

    @staticmethod
    def zeros(node: Any, output: int) -> torch.Tensor:
        """The gradient of an output that nobody uses."""
        what = node._input_metadata[output]
        return torch.zeros(what.shape, dtype=what.dtype, device=what.device)


def plan_of(recorder: Any) -> Plan | None:
    """None: the function is not of this kind."""
    if not recorder.has_backward or recorder.is_by_hand or recorder.structs or recorder.assigned or recorder.numbers:
        return None
    if not recorder.returned and not recorder.written:
        return None
    outputs = [recorder.parameters.get(name) for name in recorder.returned]
    if any(output is None or output["passing"] not in TENSORS for output in outputs):
        return None
    # Of an output without a gradient a node does not know the sizes, and f_bwd may want zeros for it.
    is_counted = (name is not None and recorder.parameters[name]["access"] is None for name in recorder.returned)
    if any(is_counted) and not recorder.only_written.issuperset(recorder.returned):
        return None
    # Where f_bwd may be recorded itself, it takes what f has allocated and changed, read or not.
    is_recorded = recorder.backward_record["backward"] is not None or recorder.backward_record["forward"] is not None
    if is_recorded and not recorder.only_written.issuperset(recorder.returned):
        return None
    return Plan(recorder) if all(shadow["shadow_kind"] in _KINDS for shadow in recorder.shadows.values()) else None


def _backward(node: Any, *cotangents: Any) -> Any:
    """For compiled autograd, which looks for a function of Python. Nodes that torch runs itself have `apply`."""
    return _binding.recorded_backward(node, *cotangents)


def _function(name: str) -> Any:
    """What puts a call into torch's graph: the nodes have the function's name."""
    functions = {"forward": _binding.recorded_forward, "backward": staticmethod(_backward)}
    function: Any = type(name, (torch.autograd.Function,), functions)
    made = function._backward_cls
    node: Any = type(made.__name__, (_binding.RecordedNode, BackwardCFunction), {"_forward_cls": function})
    node._autograd_function_id = made._autograd_function_id
    function._backward_cls = node
    # Without the layer of torch.autograd.Function, which asks for the transforms that are known not to be there.
    return super(torch.autograd.Function, function).apply


def prepare(operation: Any, recorder: Any) -> bool:
    """Tells the extension how calls of this operation are recorded, if it does not know yet and can do it."""
    return recorder.plan is not None and bool(operation._record_with(recorder.plan.recording))
