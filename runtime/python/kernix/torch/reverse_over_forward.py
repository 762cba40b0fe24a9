"""Gradients through f_fwd, as torch.func.grad of a torch.func.jvp wants them.

f_fwd computes y = f(x) and t = J(x) v. What depends on its inputs is <gy, y> + <gt, t> for cotangents gy and gt, and the
second product is <J(x)' gt, v>: that of v with what f_bwd computes. The gradient of both is made by the derivatives that f
has for reverse mode, once more in reverse. A complex number is a pair of real ones in these products.
"""

from collections.abc import Mapping
from typing import Any

import torch

from ..derivative import advice_on_second, follows_rules
from ..function import is_allocatable, is_hidden

Tensors = dict[str, Any]


def is_possible(recorder: Any) -> bool:
    """Whether f has a second derivative in reverse mode, and changes nothing that it reads."""
    record = recorder.record
    if record["derivative"] != "forward" or record["backward"] is not None:
        return False
    backward = _backward(recorder)
    if backward is None or backward["backward"] is None or follows_rules(record) or follows_rules(backward):
        return False
    return not _changes_inputs(record) and not recorder.structs


def why_not(recorder: Any) -> str:
    """What to do where it is not possible."""
    if _changes_inputs(recorder.record):
        return "gradients through tangents of what a function changes in place are not available"
    if follows_rules(recorder.record):
        return "a derivative that is written by hand may take part, and that of its tangents is not known"
    return advice_on_second(recorder.record)


def _changes_inputs(record: Mapping[str, Any]) -> bool:
    values = [each for each in record["parameters"] if each.get("shadow_kind") is None]
    return any(each["role"] == "ret" and each["access"] != "out" and not _is_made(each) for each in values)


def _is_made(parameter: Mapping[str, Any]) -> bool:
    """Integers, and what is marked no_diff, of which nothing is known but that the call makes them or only writes to them."""
    is_new = is_allocatable(dict(parameter)) or is_hidden(dict(parameter)) or not parameter["zero_init"]
    return parameter["access"] is None and is_new


def _primal(recorder: Any) -> Any:
    return recorder.details._module.functions.get(recorder.record["primal"])


def _backward(recorder: Any) -> Mapping[str, Any] | None:
    """The record of f_bwd."""
    primal = _primal(recorder)
    name = primal and primal._records[0]["backward"]
    record: Mapping[str, Any] | None = recorder.details._module.functions[name]._records[0] if name else None
    return record


def gradients(
    recorder: Any, arguments: Mapping[str, Any], launch: Mapping[str, Any], cotangents: Mapping[Any, Any]
) -> dict[str, Any]:
    """By parameter of f_fwd: `arguments` are its values and tangents, `cotangents` those of what it returns or changes."""
    parameters = recorder.record["parameters"]
    primal = _primal(recorder)
    tangent_of = {each["name"]: parameters[each["shadow"]]["name"] for each in parameters if each.get("shadow") is not None}
    names = [each["name"] for each in parameters if each.get("shadow_kind") is None]
    written = [name for name in names if recorder.parameters[name]["role"] == "ret"]
    outputs = [name for name in written if name in tangent_of]
    given = {name: arguments[name] for name in names if arguments.get(name) is not None and name not in written}
    inputs = [name for name in tangent_of if name in given and name not in outputs]
    values = {name: _as_tensor(given[name]) for name in inputs}
    tangents = {
        name: _as_tensor(arguments[tangent]) for name, tangent in tangent_of.items() if name in inputs and tangent in arguments
    }
    made = {name: arguments[name] for name in written if arguments.get(name) is not None}

    def call(values: Tensors) -> Tensors:
        fresh = {name: like.new_zeros(like.shape) for name, like in made.items()}
        results = primal(**{**given, **values, **fresh}, **launch)
        returned = recorder.details._module.functions[recorder.record["primal"]]._details.torch_results
        row = () if not returned else (results,) if len(returned) == 1 else results
        every = {**fresh, **dict(zip(returned, row, strict=True))}
        return {name: every[name] for name in outputs if name in every}

    def product(values: Tensors, tangents: Tensors) -> Any:
        results, pull = torch.func.vjp(call, values)
        arrived = {name: cotangents.get(tangent_of[name]) for name in results}
        turned = {name: torch.zeros_like(value) if arrived[name] is None else arrived[name] for name, value in results.items()}
        (pulled,) = pull(turned)
        parts = [_product(cotangents[name], results[name]) for name in results if cotangents.get(name) is not None]
        parts += [_product(pulled[name], tangent).to(torch.float64) for name, tangent in tangents.items()]
        return sum(parts)

    of_values, of_tangents = torch.func.grad(product, argnums=(0, 1))(values, tangents)
    return {**of_values, **{tangent_of[name]: gradient for name, gradient in of_tangents.items()}}


def _as_tensor(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value
    return torch.tensor(value, dtype=torch.complex128 if isinstance(value, complex) else torch.float64)


def _product(left: Any, right: Any) -> Any:
    product = (left.conj() * right).sum()
    return product.real if product.is_complex() else product
