"""m.f(...) with arrays of JAX: arguments taken apart, checked and bound to the primitive.

Arrays are operands; numbers, strings and structs are constants of the call. dtypes, ranks and shapes are checked here,
when a call is traced, by the runtime itself with arrays that have no data, so that messages are those of any other call.
An array that the function writes is not changed: the call gives the new one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy

from .. import _binding
from ..derivative import names_of_changed, returned_names
from ..errors import KernelTypeError
from ..function import FunctionDetails, is_allocatable, is_hidden
from . import attributes, dtypes
from .function import function_of
from .primitives import Call, Result, bind, call_p

_TENSORS = ("pointer", "tensor_view", "tensor")


def call(details: FunctionDetails, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """One call with arrays or tracers of JAX. Gives what the call returns, then the arrays that it changes."""
    given, launch = details.bind(args, keywords)
    arguments = _Arguments(details, given)
    arguments.take()
    variant, outputs = _binding.trace_call(
        details._module.default_library, details._name, -1, tuple(arguments.values), tuple(arguments.allocated)
    )
    function = function_of(details._module, details._name, variant)
    arguments.check_described(variant)
    results = {}
    for index, (code, bits, shape) in zip(arguments.allocated, outputs, strict=True):
        dtype = dtypes.from_pair((code, bits)) or arguments.dtype_of(index)
        results[index] = Result(index, shape, dtype)
        if is_added_to(function.record, index):
            arguments.operands[index] = jnp.zeros(shape, dtype)
    for index, like in arguments.operands.items():
        if function.parameters[index]["role"] == "ret":
            arguments.given_results.setdefault(index, like)
    for index, like in arguments.given_results.items():
        results[index] = Result(index, tuple(like.shape), numpy.dtype(like.dtype))
    if not results:
        raise KernelTypeError(
            f"{arguments.signature}: gives no array, and XLA calls only what does; give it an output that it writes"
        )
    made = Call(
        function,
        tuple(arguments.operands),
        tuple(results[index] for index in sorted(results)),
        tuple(arguments.attributes(variant)),
        tuple(_launch(arguments.signature, launch)),
    )
    found = bind(call_p, *arguments.operands.values(), call=made)
    by_name = {details._records[0]["parameters"][result.parameter]["name"]: row for result, row in zip(made.results, found)}
    names = [*returned_names(details._records[0]), *names_of_changed(details._records[0], given)]
    if not function.record["derivative"]:  # which gives what the first variant does
        names += [name for name in names_of_changed(function.record, given) if name not in names]
    row = tuple(by_name.get(name) for name in names if name is not None)
    return row[0] if len(row) == 1 else row


@dataclass
class _Arguments:
    """Arguments by parameter."""

    details: FunctionDetails
    given: Mapping[str, Any]
    values: list[Any] = field(default_factory=list)  # for trace_call
    operands: dict[int, Any] = field(default_factory=dict)  # arrays, by parameter
    allocated: list[int] = field(default_factory=list)  # results whose shapes the function declares
    given_results: dict[int, Any] = field(default_factory=dict)  # results that the caller describes, or gives to be changed
    constants: dict[int, Any] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        return self.details.in_messages

    def take(self) -> None:
        record = self.details._records[0]
        if record["result"]:
            raise KernelTypeError(
                f"{self.signature}: returns a number, for which XLA has no place; write it to a tensor, or pass "
                "numpy.asarray(array)"
            )
        for index, parameter in enumerate(record["parameters"]):
            self.values.append(self._take_one(index, parameter))

    def _fail(self, parameter: Mapping[str, Any], text: str) -> KernelTypeError:
        return KernelTypeError(f"{self.signature}: argument '{parameter['name']}': {text}")

    def _take_one(self, index: int, parameter: dict[str, Any]) -> Any:
        if is_hidden(parameter):
            if parameter["role"] != "stream":
                self._take_hidden(index, parameter)
            return None
        is_given = parameter["name"] in self.given
        value = self.given.get(parameter["name"])
        is_array = parameter["passing"] in _TENSORS or parameter["intent"] in ("inout_ptr", "out_ptr")
        if is_array:
            return self._take_array(index, parameter, value, is_given)
        if not is_given:
            if not parameter["has_default"] and parameter["value"] is None:
                raise KernelTypeError(f"{self.signature}: argument '{parameter['name']}' is missing")
            return None
        return self._take_constant(index, parameter, value)

    def _take_hidden(self, index: int, parameter: Mapping[str, Any]) -> None:
        is_tensor = parameter["passing"] in _TENSORS and parameter["intent"] == "out_return"
        if self.details._records[0]["kind"] != "kernel" and not is_tensor:
            raise self._fail(
                parameter, "is returned as a number, for which XLA has no place; write it to a tensor"
            )
        self.allocated.append(index)

    # -- arrays ----------------------------------------------------------------------------------------------------

    def _take_array(self, index: int, parameter: dict[str, Any], value: Any, is_given: bool) -> Any:
        if value is None:
            if parameter.get("shadow_kind") is not None and is_given:
                return None  # a gradient that is not wanted
            if parameter["optional"] and self._is_shadow_of_nothing(parameter):
                return None
            if is_allocatable(parameter):
                self.allocated.append(index)
            elif not parameter["optional"]:
                advice = "; without a shape attribute give jax.ShapeDtypeStruct(shape, dtype)"
                is_output = parameter["role"] == "ret" and parameter["intent"] is None
                text = f"argument '{parameter['name']}' is missing{advice if is_output else ''}"
                raise KernelTypeError(f"{self.signature}: {text}")
            return None
        if isinstance(value, jax.ShapeDtypeStruct):
            if not any(_is_only_written(record["parameters"][index]) for record in self.details._records):
                raise self._not_described(parameter)
            self.given_results[index] = value
            return self._spec(parameter, value)
        spec = self._spec(parameter, value)
        array = value if isinstance(value, jax.Array) else jnp.asarray(value)
        self.operands[index] = array
        if parameter["role"] == "ret":
            self.given_results[index] = array
        return spec

    def check_described(self, variant: int) -> None:
        """What was given without numbers is an output of the variant that is called."""
        for index, parameter in enumerate(self.details._records[variant]["parameters"]):
            if isinstance(self.given_results.get(index), jax.ShapeDtypeStruct) and not _is_only_written(parameter):
                raise self._not_described(parameter)

    def _not_described(self, parameter: Mapping[str, Any]) -> KernelTypeError:
        return self._fail(parameter, "expected an array, got a ShapeDtypeStruct, which describes only outputs")

    def _is_shadow_of_nothing(self, parameter: Mapping[str, Any]) -> bool:
        """An optional tensor that is not given has no gradient and no tangent. (It comes before them.)"""
        value = parameter.get("shadow_of")
        return value is not None and not any(value in each for each in (self.operands, self.given_results, self.allocated))

    def dtype_of(self, index: int) -> numpy.dtype[Any]:
        """Of a kernix::Tensor that is to be allocated: that of the tensor whose shape it has."""
        parameters = self.details._records[0]["parameters"]
        model: int | None = index
        while model is not None:
            for given in (self.operands, self.given_results):
                if model in given:
                    found: numpy.dtype[Any] = numpy.dtype(given[model].dtype)
                    return found
            parameter = parameters[model]
            if parameter["dtype"] not in (None, "any"):
                return dtypes.named(parameter["dtype"])
            shadowed = parameter.get("shadow_of")
            model = shadowed if shadowed is not None else parameter.get("like")
        raise self._fail(
            parameters[index],
            "nothing says what dtype a kernix::Tensor without the shape of another tensor has; make it a kernix::TensorView<T>",
        )

    def _spec(self, parameter: Mapping[str, Any], value: Any) -> tuple[int, int, tuple[int, ...]]:
        if not isinstance(value, (jax.Array, jax.ShapeDtypeStruct, numpy.ndarray, numpy.generic)):
            raise self._fail(parameter, f"expected an array of JAX or NumPy, got {type(value).__module__}.{type(value).__name__}")
        if jnp.issubdtype(value.dtype, jax.dtypes.extended):
            raise self._fail(parameter, f"expected numbers, got dtype {value.dtype}")
        pair = dtypes.pair_of(value.dtype)
        if pair is None:
            raise self._fail(parameter, f"expected a dtype that C++ has, got {value.dtype}")
        if not all(isinstance(size, int) for size in value.shape):
            raise self._fail(
                parameter, f"expected a shape of numbers, got {value.shape}: sizes that are symbols are not supported"
            )
        self._check_x64(parameter, value)
        return (*pair, tuple(value.shape))

    def _check_x64(self, parameter: Mapping[str, Any], value: Any) -> None:
        """Without jax_enable_x64 JAX makes 64-bit numbers 32-bit ones, silently."""
        if jax.config.jax_enable_x64:
            return
        wanted = [record["parameters"][self._index(parameter)]["dtype"] for record in self.details._records]
        is_narrowed = not isinstance(value, jax.Array) and jax.dtypes.canonicalize_dtype(value.dtype) != value.dtype
        if is_narrowed or (str(value.dtype) not in wanted and not dtypes.OF_64_BITS.isdisjoint(wanted)):
            raise self._fail(
                parameter,
                f"expected a tensor of {' or '.join(sorted(set(filter(None, wanted))))}, got one of {value.dtype}; JAX has "
                "64-bit numbers only after jax.config.update('jax_enable_x64', True)",
            )

    def _index(self, parameter: Mapping[str, Any]) -> int:
        return next(k for k, each in enumerate(self.details._records[0]["parameters"]) if each["name"] == parameter["name"])

    # -- constants -------------------------------------------------------------------------------------------------

    def _take_constant(self, index: int, parameter: Mapping[str, Any], value: Any) -> Any:
        if parameter["passing"] == "struct" or (parameter["passing"] == "reference" and parameter.get("fields")):
            leaves = [self._number(parameter, leaf) for leaf in self.details.struct_leaves(0, index, value)]
            self.constants[index] = value
            return leaves
        self.constants[index] = self._number(parameter, value)
        return self.constants[index]

    def _number(self, parameter: Mapping[str, Any], value: Any) -> Any:
        if isinstance(value, jax.core.Tracer):
            is_real = any(word in (parameter["dtype"] or "") for word in ("float", "complex"))
            gradient = ", which may differ in a batch and has a gradient" if is_real else ""
            raise self._fail(
                parameter,
                f"expected a number that is known when the call is traced, got {value}; as an argument of jax.jit mark it as "
                f"static (static_argnums), or make the parameter a pointer (const {parameter['type']} *){gradient}",
            )
        if isinstance(value, jax.Array):
            if value.ndim != 0:
                raise self._fail(parameter, f"expected a number, got an array of shape {value.shape}")
            return value.item()
        return value

    def attributes(self, variant: int) -> Iterator[tuple[int, attributes.Attribute]]:
        parameters = self.details._records[variant]["parameters"]
        for index, value in self.constants.items():
            parameter = parameters[index]
            if parameter.get("fields"):
                leaves = [self._number(parameter, leaf) for leaf in self.details.struct_leaves(variant, index, value)]
                yield index, attributes.fields(leaves, parameter["fields"])
            elif parameter["passing"] in ("c_string", "string_view"):
                if value is None:
                    continue
                yield index, attributes.Text(value)
            else:
                yield index, attributes.number(value, parameter["dtype"])


def _is_only_written(parameter: Mapping[str, Any]) -> bool:
    """An output that a jax.ShapeDtypeStruct may describe."""
    return bool(parameter["role"] == "ret" and parameter["intent"] != "inout_ptr")


def is_added_to(record: Mapping[str, Any], index: int) -> bool:
    """A result of the variant that is called which starts as zeros, whose derivatives want its value from before the call."""
    is_differentiable = record["forward"] is not None or record["backward"] is not None
    parameter = record["parameters"][index]
    # Integers, and what is marked no_diff, have no access.
    is_read = parameter["access"] == "inout" or (parameter["access"] is None and parameter["zero_init"])
    return is_differentiable and is_read


def _launch(signature: str, launch: Mapping[str, Any]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Launch sizes under the names of kernix's attributes."""
    names = {"launchBlockSize": "block", "launchGridSize": "grid"}
    for name, value in launch.items():
        if value is None:
            continue
        sizes = tuple(value) if isinstance(value, (tuple, list)) else (value,)
        for size in sizes:
            if isinstance(size, jax.core.Tracer) or not hasattr(size, "__index__"):
                raise KernelTypeError(f"{signature}: {name}: expected an int or one to three ints, got {value!r}")
        yield names.get(name, name), tuple(int(size) for size in sizes)
