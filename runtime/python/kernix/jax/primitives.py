"""The primitives of JAX that calls of bound functions are.

``kernix_call`` is one call of a bound function, of a derivative as well. ``kernix_tangent`` is the tangent of such a call,
linear in its last operands: it runs f_fwd, its transpose is a call of f_bwd, and the transpose of that is a tangent again,
so that every order of jvp, transposition and vmap that JAX asks for is there. (``jax.custom_vjp`` has no forward mode.)

Of complex numbers f_bwd takes and gives gradients whose parts are the derivatives by the two parts, as torch does. JAX's
cotangents are their conjugates: transposes conjugate what comes in and what goes out, tangents are the same everywhere.

vmap adds an axis in front. The handler launches a version of the kernel with this axis in its grid (batched.py), or the
function once for each element.
"""

import dataclasses
import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.extend
import jax.numpy as jnp
import numpy
from jax.interpreters import ad, batching, mlir

from ..derivative import follows_rules
from ..errors import KernelTypeError
from . import batched, dtypes, targets
from .attributes import Attribute
from .function import Derivation, Function

_MAX_BATCHED = 63  # operands, as the bits of a mask


@dataclass(frozen=True)
class Result:
    """An array that a call gives: of which parameter, without axes of a batch."""

    parameter: int
    shape: tuple[int, ...]
    dtype: Any


@dataclass(frozen=True)
class Batch:
    """An axis in front: of operands by a mask, of all results."""

    size: int
    operands: int


@dataclass(frozen=True)
class Call:
    """What is known of a call before its arrays."""

    function: Function
    operands: tuple[int, ...]  # the parameters that the operands stand for
    results: tuple[Result, ...]
    attributes: tuple[tuple[int, Attribute], ...]  # by parameter
    launch: tuple[tuple[str, tuple[int, ...]], ...] = ()
    batch: tuple[Batch, ...] = ()  # outermost first
    tangent_of: "Tangent | None" = None  # of a backward that a transposition made: whose

    def aliases(self) -> dict[int, int]:
        """Results that lie in the memory of an operand."""
        return {
            self.operands.index(result.parameter): k
            for k, result in enumerate(self.results)
            if result.parameter in self.operands
        }

    def for_xla(self) -> dict[str, Any]:
        made: dict[str, Any] = {
            self.function.parameters[index]["cxx_name"]: value.for_xla() for index, value in self.attributes
        }
        made |= {f"kernix.{name}": numpy.array(sizes, numpy.int64) for name, sizes in self.launch if name != "shared_bytes"}
        made |= {f"kernix.{name}": numpy.int64(sizes[0]) for name, sizes in self.launch if name == "shared_bytes"}
        results = tuple(result.parameter for result in self.results)
        if (self.operands, results) != self.function.by_role:
            made["kernix.operands"] = numpy.array(self.operands, numpy.int64)
            made["kernix.results"] = numpy.array(results, numpy.int64)
        if self.function.variant or len(self.function.details._records) > 1:
            made["kernix.variant"] = numpy.int64(self.function.variant)
        if self.batch:
            made["kernix.batch"] = numpy.array([each for axis in self.batch for each in (axis.size, axis.operands)], numpy.int64)
        return made


def batch_shape(batch: Sequence[Batch], operand: int | None = None) -> tuple[int, ...]:
    """Axes in front of an operand, or of a result."""
    return tuple(axis.size for axis in batch if operand is None or axis.operands >> operand & 1)


@dataclass(frozen=True)
class Tangent:
    """The tangent of a call: operands are those of the call, some of its results, and tangents of some operands."""

    call: Call  # without its batch
    given: tuple[int, ...]  # operands whose tangents follow
    wanted: tuple[int, ...]  # results whose tangents it gives
    kept: tuple[int, ...]  # results whose values follow the operands, since the backward reads them
    batch: tuple[Batch, ...] = ()

    @property
    def first_tangent(self) -> int:
        return len(self.call.operands) + len(self.kept)


# -- kernix_call --------------------------------------------------------------------------------------------------------

call_p = jax.extend.core.Primitive("kernix_call")
call_p.multiple_results = True


def _varying(aval: Any) -> frozenset[Any]:
    """Under jax.shard_map: the axes of the mesh along which an array differs."""
    return frozenset(getattr(getattr(aval, "mat", None), "varying", ()))


def bind(primitive: Any, *operands: Any, **parameters: Any) -> list[Any]:
    """Binds operands that differ along the same axes of a mesh; the transpose of making one differ is a sum."""
    axes = [_varying(jax.typeof(operand)) for operand in operands]
    every = frozenset[Any]().union(*axes)
    alike = [
        operand if own == every else jax.lax.pcast(operand, tuple(every - own), to="varying")
        for operand, own in zip(operands, axes, strict=True)
    ]
    found: list[Any] = primitive.bind(*alike, **parameters)
    return found


def _avals(operands: Sequence[Any], batch: Sequence[Batch], results: Iterable[Result]) -> list[Any]:
    front = batch_shape(batch)
    made = [jax.core.ShapedArray(front + result.shape, result.dtype) for result in results]
    if not any(map(_varying, operands)):
        return made
    like = max(operands, key=lambda operand: len(_varying(operand)))
    sharding = jax.sharding.NamedSharding(like.sharding.mesh, jax.sharding.PartitionSpec())
    return [aval.update(sharding=sharding, manual_axis_type=like.mat) for aval in made]


@call_p.def_abstract_eval
def _call_abstract(*operands: Any, call: Call) -> list[Any]:
    return _avals(operands, call.batch, call.results)


@functools.lru_cache(maxsize=4096)
def _compiled(primitive: Any, **parameters: Any) -> Any:
    return jax.jit(functools.partial(primitive.bind, **parameters))


def _run_compiled(primitive: Any, *operands: Any, **parameters: Any) -> list[Any]:
    """What a primitive does outside jax.jit."""
    found: list[Any] = _compiled(primitive, **parameters)(*operands)
    return found


call_p.def_impl(functools.partial(_run_compiled, call_p))


def _call_lowering(context: Any, *operands: Any, call: Call) -> Any:
    of_kernix = targets.targets_of(tuple(context.module_context.platforms))
    target = targets.ensure(call.function.contents, call.function.name, of_kernix)
    if call.batch and "cuda" in of_kernix and call.function.record["kind"] == "kernel":
        batched.attach(call.function.contents)
    # Not as keywords of the rule, which has words of its own.
    attributes = {name: mlir.ir_attribute(value) for name, value in call.for_xla().items()}
    rule = jax.ffi.ffi_lowering(target, operand_output_aliases=call.aliases(), backend_config=attributes)
    return rule(context, *operands)


mlir.register_lowering(call_p, _call_lowering)


def _call_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, call: Call) -> tuple[list[Any], list[Any]]:
    results = bind(call_p, *primals, call=call)
    tangents = [_without_integers(tangent) for tangent in tangents]
    if all(type(tangent) is ad.Zero for tangent in tangents):
        return results, [zero_of(result) for result in results]
    derivation = _derivation(call, tangents)
    if derivation is None:
        return results, _linear(primals, tangents, call)
    roles = derivation.roles
    aliased = call.aliases()
    given, values = [], []
    for k, (parameter, tangent) in enumerate(zip(call.operands, tangents, strict=True)):
        # A number of Python's is itself a primal.
        if roles[parameter].shadow is None or not jnp.issubdtype(jax.typeof(primals[k]).dtype, jnp.inexact):
            continue
        if type(tangent) is not ad.Zero or k in aliased:
            given.append(k)
            values.append(ad.instantiate_zeros(tangent))
    wanted = tuple(k for k, result in enumerate(call.results) if roles[result.parameter].shadow is not None)
    made = dict.fromkeys(range(len(results)))
    if given and wanted:
        kept = _kept_results(call)
        front = len(call.operands)
        batch = []
        for axis in call.batch:
            mask = axis.operands | sum(1 << front + k for k in range(len(kept)))
            mask |= sum((axis.operands >> k & 1) << front + len(kept) + at for at, k in enumerate(given))
            batch.append(Batch(axis.size, mask))
        tangent = Tangent(dataclasses.replace(call, batch=()), tuple(given), wanted, kept, tuple(batch))
        found = bind(tangent_p, *primals, *(results[k] for k in kept), *values, tangent=tangent)
        made |= zip(wanted, found, strict=True)
    return results, [zero_of(result) if made[k] is None else made[k] for k, result in enumerate(results)]


ad.primitive_jvps[call_p] = _call_jvp


def _without_integers(tangent: Any) -> Any:
    """Integers have tangents of a dtype without bits."""
    if type(tangent) is ad.Zero:
        return tangent
    aval = jax.typeof(tangent)  # of a number of Python's too
    return tangent if aval.dtype != jax.dtypes.float0 else ad.Zero(aval)


def zero_of(value: Any) -> Any:
    return ad.Zero(jax.typeof(value).to_tangent_aval())


def _derivation(call: Call, tangents: Sequence[Any]) -> Derivation | None:
    """The derivative that gives the tangent of a call, or whose transpose does. None: the call is linear in what has one."""
    function = call.function
    found = function.forward or function.backward
    if found is not None:
        return found
    is_linear = function.record["derivative"] == "backward" and not follows_rules(function.record)
    if is_linear and all(
        type(tangent) is ad.Zero or _is_shadow(call, parameter) for parameter, tangent in zip(call.operands, tangents, strict=True)
    ):
        return None
    raise function.missing("forward")


def _is_shadow(call: Call, parameter: int) -> bool:
    """Of a backward: a cotangent, or a gradient that is given to be added to (or, with diff(once), assigned to)."""
    return call.function.parameters[parameter]["shadow_kind"] is not None


def _linear(primals: Sequence[Any], tangents: Sequence[Any], call: Call) -> list[Any]:
    """A backward is linear in its cotangents and in the gradients that it adds to, all of them together."""
    _refuse_bytes(call)
    operands = [
        ad.instantiate_zeros(tangent) if _is_shadow(call, parameter) else primal
        for primal, tangent, parameter in zip(primals, tangents, call.operands, strict=True)
    ]
    found = bind(call_p, *operands, call=call)
    return [
        made if _is_shadow(call, result.parameter) else zero_of(made) for made, result in zip(found, call.results, strict=True)
    ]


def _refuse_bytes(call: Call) -> None:
    """The gradient of a struct whose fields have several types: the tangents of integers are nothing."""
    for result in call.results:
        if not _is_shadow(call, result.parameter) or jnp.issubdtype(result.dtype, jnp.inexact):
            continue
        of = next(each["name"] for each in call.function.parameters if each["shadow"] == result.parameter)
        raise KernelTypeError(
            f"{call.function.signature}: argument '{of}': the gradient of a struct with fields of several types is made of bytes, "
            f"of which JAX has no tangents; pass {of}=({of}, None) where it is not wanted, else give the fields one type"
        )


def _kept_results(call: Call) -> tuple[int, ...]:
    """Results whose values a backward that the user writes may read, or whose sizes any knows from them alone."""
    backward = call.function.backward
    if backward is None:
        return ()
    is_by_hand = backward.function.record["hand_written"]
    found = []
    for k, result in enumerate(call.results):
        role = backward.roles[result.parameter]
        if result.parameter in call.operands or role.value is None or not backward.parameters[role.value]["primal_output"]:
            continue
        if is_by_hand or (role.shadow is None and not _has_known_sizes(call.function.parameters[result.parameter])):
            found.append(k)
    return tuple(found)


def _has_known_sizes(parameter: dict[str, Any]) -> bool:
    """Of an output without a cotangent, whose value f_bwd does not read: whether it is always there, of a declared shape."""
    is_tensor = parameter["passing"] in ("pointer", "tensor_view", "tensor")
    return not is_tensor or (parameter.get("shape") is not None and not parameter["optional"])


def _call_transpose(cotangents: Sequence[Any], *operands: Any, call: Call) -> list[Any]:
    """Of a backward, in its cotangents: the tangent that it is the transpose of."""
    linear = [k for k, operand in enumerate(operands) if ad.is_undefined_primal(operand)]
    tangent = call.tangent_of
    if tangent is None and call.function.record["derivative"] == "backward":
        raise call.function.missing("backward")
    if tangent is None:
        raise KernelTypeError(f"{call.function.signature}: cannot be transposed, since it is not known to be linear")
    of = tangent.call.function
    if any(each is None or follows_rules(each.function.record) for each in (of.forward, of.backward)):
        raise KernelTypeError(
            f"{call.function.signature}: cannot be transposed, since a derivative that is written by hand may take part; "
            "let the function be [[kernix::differentiable(2)]]"
        )
    if all(type(each) is ad.Zero for each in cotangents):
        return [ad.Zero(operands[k].aval) if k in linear else None for k in range(len(operands))]
    # The operands of this call are those of the tangent without its tangents, then the cotangents.
    count = tangent.first_tangent
    values = operands[:count]
    by_parameter = {result.parameter: k for k, result in enumerate(call.results)}
    backward = tangent.call.function.backward
    assert backward is not None
    rows = []
    for k in tangent.given:
        if _has_gradient(tangent.call, k):
            shadow = backward.shadow(tangent.call.operands[k])
            rows.append(_conjugate(jnp.asarray(ad.instantiate_zeros(cotangents[by_parameter[shadow]]))))
        else:
            result = next(each for each in tangent.call.results if each.parameter == tangent.call.operands[k])
            rows.append(jnp.zeros(batch_shape(call.batch) + result.shape, result.dtype))
    all_results = sum(1 << count + k for k in range(len(rows)))
    batch = tuple(Batch(axis.size, axis.operands & (1 << count) - 1 | all_results) for axis in call.batch)
    found = bind(tangent_p, *values, *rows, tangent=dataclasses.replace(tangent, batch=batch))
    made: list[Any] = [None] * len(operands)
    for k, row in zip(range(count, len(operands)), found, strict=True):
        if k in linear:
            made[k] = _conjugate(_sum_to(row, call.batch, k, operands[k].aval))
    return made


ad.primitive_transposes[call_p] = _call_transpose


def _sum_to(value: Any, batch: Sequence[Batch], operand: int, aval: Any) -> Any:
    """The gradient of an operand that lacks axes of the batch."""
    axes = tuple(at for at, axis in enumerate(batch) if not axis.operands >> operand & 1)
    value = value.sum(axes) if axes else value
    return value if value.dtype == aval.dtype else value.astype(aval.dtype)


def _conjugate(value: Any) -> Any:
    """From JAX's cotangent to the gradient that f_bwd has, or back."""
    return value.conj() if jnp.issubdtype(value.dtype, jnp.complexfloating) else value


# -- kernix_tangent -----------------------------------------------------------------------------------------------------

tangent_p = jax.extend.core.Primitive("kernix_tangent")
tangent_p.multiple_results = True


@tangent_p.def_abstract_eval
def _tangent_abstract(*operands: Any, tangent: Tangent) -> list[Any]:
    return _avals(operands, tangent.batch, [tangent.call.results[k] for k in tangent.wanted])


def _run_forward(*operands: Any, tangent: Tangent) -> list[Any]:
    call = forward_call(tangent)
    count = len(tangent.call.operands)
    found = bind(call_p, *operands[:count], *operands[tangent.first_tangent :], call=call)
    by_parameter = {result.parameter: each for result, each in zip(call.results, found, strict=True)}
    forward = tangent.call.function.forward
    assert forward is not None
    return [by_parameter[forward.shadow(tangent.call.results[k].parameter)] for k in tangent.wanted]


def forward_call(tangent: Tangent) -> Call:
    """The call of f_fwd that gives a tangent."""
    call = tangent.call
    forward = call.function.forward
    if forward is None:
        raise call.function.missing("forward")
    values = [forward.roles[parameter].value for parameter in call.operands]
    shadows = [forward.shadow(call.operands[k]) for k in tangent.given]
    results = []
    for result in call.results:
        role = forward.roles[result.parameter]
        for parameter in (role.value, role.shadow):
            if parameter is not None:
                results.append(dataclasses.replace(result, parameter=parameter))
    count = len(call.operands)
    kept = (1 << count) - 1
    batch = tuple(
        Batch(axis.size, axis.operands & kept | axis.operands >> tangent.first_tangent << count) for axis in tangent.batch
    )
    return _derived(call, forward, _all_given([*values, *shadows]), results, batch)


def _all_given(parameters: Iterable[int | None]) -> tuple[int, ...]:
    given = tuple(parameter for parameter in parameters if parameter is not None)
    return given


def _derived(
    call: Call, derivation: Derivation, operands: tuple[int, ...], results: Iterable[Result], batch: tuple[Batch, ...]
) -> Call:
    numbers = []
    for index, value in call.attributes:
        role = derivation.roles[index].value
        if role is not None:
            numbers.append((role, value))
    launch = () if derivation.has_own_launch else call.launch
    return Call(derivation.function, operands, tuple(results), tuple(numbers), launch, batch)


tangent_p.def_impl(functools.partial(_run_compiled, tangent_p))
mlir.register_lowering(tangent_p, mlir.lower_fun(_run_forward, multiple_results=True))


def _tangent_jvp(primals: Sequence[Any], tangents: Sequence[Any], *, tangent: Tangent) -> tuple[list[Any], list[Any]]:
    results = bind(tangent_p, *primals, tangent=tangent)
    first = tangent.first_tangent
    made: list[Any] = [zero_of(result) for result in results]
    if any(type(each) is not ad.Zero for each in tangents[first:]):
        row = [ad.instantiate_zeros(each) for each in tangents[first:]]
        made = bind(tangent_p, *primals[:first], *row, tangent=tangent)
    if any(type(each) is not ad.Zero for each in tangents[:first]):
        # In the values: the tangent of the call of f_fwd.
        run = functools.partial(_run_forward, tangent=tangent)
        zeros = [jnp.zeros_like(primal) for primal in primals[first:]]
        floats = [ad.instantiate_zeros(each) for each in tangents[:first]]
        _, more = jax.jvp(run, tuple(primals), (*floats, *zeros))
        made = [ad.add_tangents(a, b) for a, b in zip(made, more, strict=True)]
    return results, made


ad.primitive_jvps[tangent_p] = _tangent_jvp


def _tangent_transpose(cotangents: Sequence[Any], *operands: Any, tangent: Tangent) -> list[Any]:
    first = tangent.first_tangent
    made: list[Any] = [None] * len(operands)
    linear = [k for k in range(first, len(operands)) if ad.is_undefined_primal(operands[k])]
    if all(type(each) is ad.Zero for each in cotangents):
        for k in linear:
            made[k] = ad.Zero(operands[k].aval)
        return made
    call, rows = backward_call(tangent, cotangents, [_aval(operand) for operand in operands[first:]])
    found = bind(call_p, *operands[:first], *rows, call=call)
    by_parameter = {result.parameter: row for result, row in zip(call.results, found, strict=True)}
    backward = tangent.call.function.backward
    assert backward is not None
    for k in linear:
        operand = tangent.given[k - first]
        if not _has_gradient(tangent.call, operand):
            raise _no_gradient(tangent.call, operand)
        shadow = backward.shadow(tangent.call.operands[operand])
        made[k] = _conjugate(_sum_to(by_parameter[shadow], tangent.batch, k, operands[k].aval))
    return made


ad.primitive_transposes[tangent_p] = _tangent_transpose


def _aval(operand: Any) -> Any:
    return operand.aval if ad.is_undefined_primal(operand) else jax.typeof(operand)


def backward_call(tangent: Tangent, cotangents: Sequence[Any], avals: Sequence[Any]) -> tuple[Call, list[Any]]:
    """The call of f_bwd that is the transpose of a tangent, and its cotangents. `avals`: of what the tangents are."""
    call = tangent.call
    backward = call.function.backward
    if backward is None:
        raise call.function.missing("backward")
    parameters = [backward.roles[parameter].value for parameter in call.operands]
    parameters += [backward.roles[call.results[k].parameter].value for k in tangent.kept]
    rows, results = [], []
    for k, cotangent in zip(tangent.wanted, cotangents, strict=True):
        shadow = backward.shadow(call.results[k].parameter)
        parameters.append(shadow)
        row = _conjugate(jnp.asarray(ad.instantiate_zeros(cotangent)))
        dtype = _dtype(backward, shadow)
        rows.append(row if row.dtype == dtype else row.astype(dtype))
    for at, (k, aval) in enumerate(zip(tangent.given, avals, strict=True)):
        shadow = backward.shadow(call.operands[k])
        if not _has_gradient(call, k):
            continue
        shape = aval.shape[len(batch_shape(tangent.batch, tangent.first_tangent + at)) :]
        results.append(Result(shadow, shape, _dtype(backward, shadow)))
    first = tangent.first_tangent
    all_rows = sum(1 << first + k for k in range(len(rows)))
    batch = tuple(Batch(axis.size, axis.operands & (1 << first) - 1 | all_rows) for axis in tangent.batch)
    made = _derived(call, backward, _all_given(parameters), results, batch)
    return dataclasses.replace(made, tangent_of=dataclasses.replace(tangent, batch=())), rows


def _has_gradient(call: Call, operand: int) -> bool:
    """What an output held before it was written has none. (What f_bwd adds to does.)"""
    parameter = call.function.parameters[call.operands[operand]]
    if call.function.record["derivative"]:
        return not (parameter["shadow_kind"] == "gradient" and parameter["accumulation"] == "once")
    return bool(parameter["access"] != "out")


def _no_gradient(call: Call, operand: int) -> KernelTypeError:
    function = call.function
    where = f"{function.signature}: argument '{function.parameters[call.operands[operand]]['name']}'"
    if function.record["derivative"]:
        return KernelTypeError(
            f"{where}: what it held before the call has no gradient, since [[kernix::diff(once)]] assigns to it; pass "
            "jax.lax.stop_gradient of it"
        )
    return KernelTypeError(
        f"{where}: what an output holds before the call has no gradient, since which of its elements are written is not known; "
        "mark the parameter [[kernix::intent(inout_ptr)]], or pass jax.lax.stop_gradient of it"
    )


def _dtype(derivation: Derivation, parameter: int) -> Any:
    return dtypes.named(derivation.parameters[parameter]["dtype"])


def _batched(
    operands: Sequence[Any], dims: Sequence[int | None], batch: tuple[Batch, ...], aliases: Iterable[int]
) -> tuple[list[Any], tuple[Batch, ...]]:
    """Operands with the new axis in front, and the batch with it."""
    if len(operands) > _MAX_BATCHED:
        raise KernelTypeError(f"vmap of a call with more than {_MAX_BATCHED} arrays is not supported")
    size = next(operand.shape[dim] for operand, dim in zip(operands, dims, strict=True) if dim is not None)
    aliased = set(aliases)
    mask, moved = 0, []
    for k, (operand, dim) in enumerate(zip(operands, dims, strict=True)):
        if dim is None and k in aliased:
            operand, dim = jnp.broadcast_to(operand, (size, *jnp.shape(operand))), 0
        moved.append(operand if dim is None else jnp.moveaxis(operand, dim, 0))
        mask |= (dim is not None) << k
    return moved, (Batch(size, mask), *batch)


def _call_batching(operands: Sequence[Any], dims: Sequence[int | None], *, call: Call) -> tuple[list[Any], list[int]]:
    moved, batch = _batched(operands, dims, call.batch, call.aliases())
    results = bind(call_p, *moved, call=dataclasses.replace(call, batch=batch))
    return results, [0] * len(results)


def _tangent_batching(
    operands: Sequence[Any], dims: Sequence[int | None], *, tangent: Tangent
) -> tuple[list[Any], list[int]]:
    aliased = set(tangent.call.aliases())
    aliases = [*aliased, *(tangent.first_tangent + at for at, k in enumerate(tangent.given) if k in aliased)]
    moved, batch = _batched(operands, dims, tangent.batch, aliases)
    results = bind(tangent_p, *moved, tangent=dataclasses.replace(tangent, batch=batch))
    return results, [0] * len(results)


batching.primitive_batchers[call_p] = _call_batching
batching.primitive_batchers[tangent_p] = _tangent_batching
