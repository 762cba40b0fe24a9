"""Which way a call takes that torch must see; calls that torch need not see never come here.

While transforms of torch.func are active the function is applied at their level (transforms.py), and under autocast it is
called again with what autocast makes of its arguments. Everything else is what the dispatcher is for: modes, tensors of
other types, tracers, profilers, and the compiler, which sees operators only.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from . import autocast, operators

_PLAIN = (torch.Tensor, torch.nn.Parameter)


def call(operation: Any, details: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    given, launch = details.bind(args, keywords)
    _check_structs(details, given)
    if not _needs_dispatcher(given):
        if torch._C._functorch.peek_interpreter_stack() is not None:
            from . import transforms

            return transforms.call(operation, details, given, launch)
        if autocast.is_on():
            return autocast.call(operation, details, given, launch)
    return operators.operator_for(operation, details, given).call(given, launch)


def _check_structs(details: Any, given: Mapping[str, Any]) -> None:
    """Operators and transforms take numbers out of them."""
    if any(parameter["passing"] == "struct" for parameter in details._records[0]["parameters"]):
        from . import autograd

        autograd.recorder_of(details).check_structs(given)


def _needs_dispatcher(given: Mapping[str, Any]) -> bool:
    """Whether somebody watches who only sees operators."""
    core = torch._C
    return bool(
        core._len_torch_dispatch_stack()
        or core._len_torch_function_stack()
        or core._get_tracing_state() is not None
        or core._autograd._profiler_enabled()
        or any(type(value) not in _PLAIN for value in given.values() if isinstance(value, torch.Tensor))
    )
