"""What kernix.gradcheck calls: an operation and its derivatives, at arguments that it moves about.

An input is a name and an array in double: a tensor, a scalar, or the floating-point fields of a struct in a row. A complex
number is two of its elements, the real and the imaginary part; those of a gradient are the derivatives by these. Arrays are
copied to the device that the arguments were on for each call.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .derivative import Derivative, result_name, returned_names
from .errors import KernelTypeError
from .function import LAUNCH_KEYWORDS, python_signature
from .names import as_in_python, field_names
from .structs import cxx_name, value_type

EPSILON = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
_PARTS = {"complex64": "float32", "complex128": "float64"}
Arrays = dict[str, Any]


class Calls:
    """An operation with arguments, in the variant and precision of the check. `own`: the words that gradcheck was given."""

    def __init__(self, op: Any, args: Sequence[Any], keywords: Mapping[str, Any], own: Sequence[str] = ()) -> None:
        import numpy

        self.numpy = numpy
        records: list[dict[str, Any]] = getattr(op, "_records", [])
        if not records or records[0]["derivative"] or isinstance(op, Derivative):
            raise KernelTypeError(f"gradcheck: expected an operation of a kernix module, got {op!r}")
        if not records[0]["forward"] and not records[0]["backward"]:
            raise KernelTypeError(
                f"{records[0]['signature']}: gradcheck: the function has no derivative; mark it [[kernix::differentiable]]"
            )
        self._refuse_words_of_both(records, own)
        self.op = op
        given = self._bind(records, args, keywords)
        names = {each["name"] for each in records[0]["parameters"]}
        self.launch = {name: given.pop(name) for name in [*given] if name in LAUNCH_KEYWORDS and name not in names}
        self.place = _place_of(given.values())
        self.record, self.precision = self._choose_variant(records, given)
        self.parameters = {each["name"]: each for each in self.record["parameters"]}
        self.result = result_name(self.record)
        self.given = {name: self._convert(name, value) for name, value in given.items()}
        self.inputs = [name for name in self.parameters if self._is_input(name)]
        self.outputs = [each["name"] for each in self.record["parameters"] if self._is_output(each)]
        if self.record["result"] and _floats(self.record["result"]):
            self.outputs.append(self.result)
        self.has_forward = self.record["forward"] is not None
        self.has_backward = self.record["backward"] is not None
        if not self.inputs:
            raise KernelTypeError(f"{self.record['signature']}: gradcheck: no argument has a gradient")
        if not self.outputs:
            raise KernelTypeError(f"{self.record['signature']}: gradcheck: no output can be differentiated")
        for name in self.outputs:
            if name != self.result and self._struct(name) is not None:
                raise KernelTypeError(
                    f"{self.record['signature']}: gradcheck: argument '{name}': a struct that is written by reference cannot "
                    "be checked; return it, or write its fields to tensors"
                )

    # -- arguments -------------------------------------------------------------------------------------------------

    @staticmethod
    def _refuse_words_of_both(records: Sequence[Mapping[str, Any]], own: Sequence[str]) -> None:
        parameters = python_signature(records[0]).parameters
        for word in own:
            if word in parameters:
                raise KernelTypeError(
                    f"{records[0]['signature']}: gradcheck: '{word}' is a word of gradcheck and an argument of the function; pass "
                    "the argument by position, and leave the word to its default"
                )

    @staticmethod
    def _bind(records: Sequence[Mapping[str, Any]], args: Sequence[Any], keywords: Mapping[str, Any]) -> dict[str, Any]:
        signature = python_signature(records[0])
        positional = [
            name for name, parameter in signature.parameters.items() if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        where = f"{records[0]['signature']}: gradcheck"
        if len(args) > len(positional):
            raise KernelTypeError(f"{where}: expected at most {len(positional)} positional arguments, got {len(args)}")
        given = dict(zip(positional, args, strict=False))
        for name, value in as_in_python(keywords, records[0]).items():
            if name in given:
                raise KernelTypeError(f"{where}: argument '{name}' is given twice")
            given[name] = value
        for parameter in records[0]["parameters"]:
            value = given.get(parameter["name"])
            if type(value) is tuple and not parameter.get("fields"):
                raise KernelTypeError(
                    f"{where}: argument '{parameter['name']}': expected its value alone, as in a call, got a tuple"
                )
        return given

    def _choose_variant(
        self, records: Sequence[dict[str, Any]], given: Mapping[str, Any]
    ) -> tuple[dict[str, Any], str]:
        """The variant in double where there is one, else the one that the arguments fit."""
        for record in records:
            if set(_precisions(record)) == {"float64"}:
                return record, "float64"
        for record in records:
            if all(_fits(each, given.get(each["name"])) for each in record["parameters"]):
                break
        return record, max(_precisions(record), key=lambda name: EPSILON.get(name, 0.0), default="float32")

    def _convert(self, name: str, value: Any) -> Any:
        """A NumPy copy in the precision of the check; what is no array stays as it is."""
        parameter = self.parameters.get(name)
        is_complex_number = parameter is not None and parameter["passing"] == "scalar" and parameter["dtype"] in _PARTS
        if parameter is None or not hasattr(value, "shape") or not hasattr(value, "dtype"):
            return complex(value) if is_complex_number and value is not None else value
        if hasattr(value, "detach"):
            value = value.detach().cpu().resolve_conj().resolve_neg()
            value = value.float().numpy() if str(value.dtype) == "torch.bfloat16" else value.numpy()
        array = self.numpy.array(value)
        if _is_float(parameter) and parameter["passing"] != "scalar":
            array = array.astype(self.dtype(parameter["dtype"]))
        if parameter["passing"] != "scalar" or array.size != 1:
            return array
        return complex(array.item()) if is_complex_number else array.item()

    def dtype(self, name: str) -> Any:
        if name == "bfloat16":
            import ml_dtypes

            return self.numpy.dtype(ml_dtypes.bfloat16)
        return self.numpy.dtype(name)

    def _is_input(self, name: str) -> bool:
        parameter = self.parameters[name]
        is_read = parameter["differentiable"] and parameter["access"] in ("in", "inout")
        return is_read and self.given.get(name) is not None

    @staticmethod
    def _is_output(parameter: Mapping[str, Any]) -> bool:
        return bool(parameter["differentiable"] and parameter["access"] in ("out", "inout"))

    # -- inputs as arrays ------------------------------------------------------------------------------------------

    def value(self, name: str) -> Any:
        """An input in double."""
        struct = self._struct(name)
        return self._wide(self.given[name]) if struct is None else self.numpy.array([*struct.floats(self.given[name])])

    def labels(self, name: str) -> Callable[[int], str]:
        """How the elements of an input are called."""
        struct = self._struct(name)
        if struct is not None:
            return lambda index: f"{name}.{struct.labels[index]}"
        shape = self.numpy.shape(self.given[name])
        parts = [".real", ".imag"] if self.numpy.iscomplexobj(self.given[name]) else [""]

        def label(index: int) -> str:
            at, part = divmod(index, len(parts))
            place = f"[{', '.join(str(int(k)) for k in self.numpy.unravel_index(at, shape))}]" if shape else ""
            return f"{name}{place}{parts[part]}"

        return label

    def moved(self, name: str, direction: Any, step: float) -> dict[str, Any]:
        """The arguments with one input moved."""
        value = self.value(name) + step * direction
        struct, old = self._struct(name), self.given[name]
        if struct is not None:
            return {**self.given, name: struct.with_floats(old, value)}
        return {**self.given, name: self._like(old, value)}

    def rounded(self, name: str, direction: Any) -> Any:
        """A direction that the precision of the check can hold."""
        struct = self._struct(name)
        narrow = self.precision if struct is not None else self.parameters[name]["dtype"]
        return self._wide(self.numpy.asarray(direction).astype(self.dtype(_PARTS.get(narrow, narrow))))

    def _like(self, old: Any, value: Any) -> Any:
        """An array in double as what it is one of: an array of a dtype, or a number."""
        if self.numpy.iscomplexobj(old):
            value = self._complex(value)
        if hasattr(old, "astype"):
            return self.numpy.asarray(value).reshape(old.shape).astype(old.dtype)
        return value.item() if self.numpy.iscomplexobj(old) else float(value)

    def _complex(self, parts: Any) -> Any:
        return self.numpy.ascontiguousarray(parts, dtype="float64").view("complex128").reshape(parts.shape[:-1])

    def _struct(self, name: str) -> "_Struct | None":
        parameter = self._described(name)
        return _Struct(parameter) if parameter.get("fields") else None

    def _described(self, name: str) -> Mapping[str, Any]:
        """The record of a parameter, or of the result."""
        described: Mapping[str, Any] = self.record["result"] if name == self.result else self.parameters[name]
        return described

    # -- calls -----------------------------------------------------------------------------------------------------

    def primal(self, given: Mapping[str, Any]) -> Arrays:
        """The outputs, zero where the function does not write them."""
        call = self._fresh(given)
        results = self.op._call_on_zeros(**self._placed(call), **self.launch)
        names = returned_names(self.record)
        row = (results,) if len(names) == 1 else results or ()
        call = {**self._last, **{name or self.result: value for name, value in zip(names, row, strict=True)}}
        found = {}
        for name in self.outputs:
            struct = self._struct(name)
            found[name] = self._wide(call[name]) if struct is None else self.numpy.array([*struct.floats(call[name])])
        self._shapes = {name: value.shape for name, value in found.items()}
        return found

    def forward(self, directions: Mapping[str, Any]) -> Arrays:
        """The tangents of the outputs; inputs without a direction have none."""
        call = self._fresh(self.given)
        for name, direction in directions.items():
            struct = self._struct(name)
            if struct is not None:
                call[name] = (call[name], struct.tangent(direction))
            else:
                call[name] = (call[name], self._like(call[name], direction))
        for name in self.outputs:
            if name in call and not isinstance(call[name], tuple):
                call[name] = (call[name], self.numpy.zeros_like(call[name]))
        results = self.op.fwd(**self._placed(call), **self.launch)
        tangents = {name: getattr(results, field_names([name])[0])[1] for name in self.outputs}
        return {name: self._flat(tangent).reshape(self._shapes[name]) for name, tangent in tangents.items()}

    def backward(self, cotangents: Mapping[str, Any]) -> Arrays:
        """The gradients of the inputs."""
        call = dict(self.given)
        for name in self.outputs:
            struct, output = self._struct(name), self._described(name)
            if struct is not None:
                call[name] = struct.tangent(cotangents[name])
                continue
            is_complex = output["dtype"] in _PARTS
            cotangent = self._complex(cotangents[name]) if is_complex else cotangents[name]
            if name == self.result:
                call[name] = cotangent.item()
                continue
            value, cotangent = self.given.get(name), cotangent.astype(self.dtype(output["dtype"]))
            if output["passing"] == "reference":  # whose value is a number
                value = self.numpy.asarray(0.0 if value is None else value).item()
                value, cotangent = complex(value) if is_complex else value, cotangent.reshape(1)
            call[name] = (value, cotangent)
        results = self.op.bwd(**self._placed(call), **self.launch)
        fields = dict(zip(self.inputs, field_names(self.inputs), strict=True))
        return {name: self._flat(getattr(results, fields[name])).reshape(self.value(name).shape) for name in self.inputs}

    def _fresh(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments whose written tensors are copies."""
        return {
            name: value.copy() if name in self.parameters and self._is_written(name, value) else value
            for name, value in given.items()
        }

    def _is_written(self, name: str, value: Any) -> bool:
        return self.parameters[name]["role"] == "ret" and hasattr(value, "copy")

    def _placed(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """Arrays where the operation shall run."""

        def place(value: Any) -> Any:
            if type(value) is tuple:
                return tuple(place(each) for each in value)
            return self.place(value) if isinstance(value, self.numpy.ndarray) else value

        self._last = {name: place(value) for name, value in call.items()}
        return self._last

    def _flat(self, gradient: Any) -> Any:
        """The gradient of an input, those of a struct's fields in a row."""
        if isinstance(gradient, tuple):
            return self.numpy.concatenate([self._flat(each) for each in gradient])
        return self._wide(gradient).reshape(-1)

    def _wide(self, array: Any) -> Any:
        if hasattr(array, "detach"):
            array = array.detach().cpu()
            array = (array if array.is_complex() else array.double()).numpy()
        if not self.numpy.iscomplexobj(array):
            return self.numpy.asarray(array, dtype="float64")
        return self.numpy.stack([self.numpy.real(array), self.numpy.imag(array)], axis=-1).astype("float64")


class _Struct:
    """The floating-point fields of a struct argument."""

    def __init__(self, parameter: Mapping[str, Any]) -> None:
        self.fields = parameter["fields"]
        name = cxx_name(parameter["type"])
        self.type = value_type(name, self.fields)
        self.floats_type = value_type(f"{name}_tangent", [each for each in self.fields if _is_float(each)])
        self.labels = [
            (each["name"] if each["count"] <= 1 else f"{each['name']}[{k}]") + part
            for each in self.fields
            if _is_float(each)
            for k in range(max(each["count"], 1))
            for part in ([".real", ".imag"] if each["dtype"] in _PARTS else [""])
        ]

    def floats(self, value: Any) -> Iterator[float]:
        for field, leaf in self._leaves(value):
            if field["dtype"] in _PARTS:
                yield from (complex(leaf).real, complex(leaf).imag)
            elif _is_float(field):
                yield float(leaf)

    def with_floats(self, value: Any, floats: Any) -> Any:
        left = iter(floats)
        leaves = [_next(field, left) if _is_float(field) else leaf for field, leaf in self._leaves(value)]
        return self.type.build(self._grouped(self.fields, iter(leaves)))

    def tangent(self, floats: Any) -> Any:
        fields = [each for each in self.fields if _is_float(each)]
        left = iter(floats)
        leaves = (_next(field, left) for field in fields for _ in range(max(field["count"], 1)))
        return self.floats_type.build(self._grouped(fields, leaves))

    def _leaves(self, value: Any) -> Iterator[tuple[Mapping[str, Any], Any]]:
        leaves = self.type.leaves(value, "gradcheck")
        for field in self.fields:
            for _ in range(max(field["count"], 1)):
                yield field, next(leaves)

    @staticmethod
    def _grouped(fields: Sequence[Mapping[str, Any]], leaves: Iterator[Any]) -> Iterator[Any]:
        """Arrays inside of structs are one leaf of several numbers."""
        for field in fields:
            yield next(leaves) if field["count"] <= 1 else [next(leaves) for _ in range(field["count"])]


def _next(field: Mapping[str, Any], floats: Iterator[Any]) -> Any:
    """A number of a field."""
    return complex(float(next(floats)), float(next(floats))) if field["dtype"] in _PARTS else float(next(floats))


def _is_float(field: Mapping[str, Any]) -> bool:
    return field["dtype"] in EPSILON or field["dtype"] in _PARTS


def _floats(parameter: Mapping[str, Any]) -> list[str]:
    fields = parameter.get("fields")
    return [_PARTS.get(each["dtype"], each["dtype"]) for each in (fields or [parameter]) if _is_float(each)]


def _precisions(record: Mapping[str, Any]) -> list[str]:
    """Of everything that has a gradient."""
    result = record["result"]
    names = [name for each in record["parameters"] if each["differentiable"] for name in _floats(each)]
    return names + (_floats(result) if result else [])


def _fits(parameter: Mapping[str, Any], value: Any) -> bool:
    dtype = getattr(value, "dtype", None)
    return dtype is None or not parameter["differentiable"] or str(dtype).removeprefix("torch.") == parameter["dtype"]


def _place_of(values: Any) -> Callable[[Any], Any]:
    """What brings a NumPy array to where the arguments are."""
    for value in values:
        if getattr(value, "is_cuda", False):
            import torch

            device = value.device
            return lambda array: torch.from_numpy(array).to(device)
        if hasattr(value, "__cuda_array_interface__"):
            raise KernelTypeError(
                "gradcheck: expected arrays on the CPU or CUDA tensors of torch, got an array of another framework on a GPU"
            )
    return lambda array: array
