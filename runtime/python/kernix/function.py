"""One bound function as Python shows it.

The object that users hold is kernix._binding.Operation, which answers calls; FunctionDetails answers everything else.
"""

import functools
import inspect
import itertools
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import KernelError, KernelTypeError, KernelValueError
from .names import as_in_python, name_parameters
from .structs import ValueType, cxx_name, default_leaf, default_number, value_type

if TYPE_CHECKING:
    from .module import Contents

LAUNCH_KEYWORDS = ("launchBlockSize", "launchGridSize", "block", "grid", "shared_bytes")
_TARGET_NAMES = ("cpu", "cuda")  # by kernix_target
_HIDDEN_INTENTS = ("out_return", "out_array_return")


def is_hidden(parameter: dict[str, Any]) -> bool:
    """Not an argument in Python: streams, and outputs that are returned."""
    return parameter["role"] == "stream" or parameter["intent"] in _HIDDEN_INTENTS


def is_allocatable(parameter: dict[str, Any]) -> bool:
    """An output that may be left out and is returned either way."""
    return parameter["role"] == "ret" and parameter["intent"] is None and parameter.get("shape") is not None


def may_be_left_out(parameter: dict[str, Any]) -> bool:
    return bool(parameter["optional"] or parameter["has_default"] or parameter["value"] is not None)


class FunctionDetails:
    """Reflection of an operation: documentation, record, code, resources."""

    def __init__(self, module: "Contents", name: str, records: Sequence[str]) -> None:
        self._module = module
        self._name = name
        self._texts = tuple(records)
        self.__name__ = name.rpartition("::")[2]
        self.__qualname__ = f"{module.name}.{name.replace('::', '.')}"
        self.__module__ = "kernix"

    @functools.cached_property
    def _records(self) -> list[dict[str, Any]]:
        return [name_parameters(json.loads(text)) for text in self._texts]

    @property
    def info(self) -> dict[str, Any]:
        """The record: name, kind, signature, parameters, launch, arg_spec, ...; `variants` if there are several."""
        record: dict[str, Any] = json.loads(self._texts[0])
        if len(self._texts) > 1:
            record["variants"] = [json.loads(text) for text in self._texts]
        return record

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        parts = [*(record["signature"] for record in self._records)]
        documentation = next((record["doc"] for record in self._records if record["doc"]), "")
        return "\n".join(parts) + (f"\n\n{documentation}" if documentation else "")

    @property
    def __signature__(self) -> inspect.Signature:
        return python_signature(self._records[0])

    @functools.cached_property
    def in_messages(self) -> str:
        """The signature; of several variants, none of which is chosen yet, the name."""
        return str(self._records[0]["signature"]) if len(self._records) == 1 else self._name

    def __repr__(self) -> str:
        return f"<kernix function {self.__qualname__}{self.__signature__}>"

    def __dir__(self) -> list[str]:
        return ["__call__", "__doc__", "__name__", "__signature__", "bwd", "funcinfo", "fwd", "info", "resources", "source"]

    @property
    def _details(self) -> "FunctionDetails":
        """This object, by way of the one that is called."""
        return self

    # -- what the extension asks -----------------------------------------------------------------------------------

    def need_target(self, target: int) -> None:
        """Called when arrays of a target arrive whose library is not loaded."""
        self._module.open_target(_TARGET_NAMES[target], self._name)

    def struct_leaves(self, variant: int, index: int, value: object) -> tuple[object, ...]:
        record = self._records[variant]
        parameter = record["parameters"][index]
        where = f"{record['signature']}: argument '{parameter['cxx_name']}"
        return tuple(self._struct(variant, index).leaves(value, where))

    def struct_value(self, variant: int, index: int, leaves: tuple[object, ...]) -> object:
        """From a leaf for each field; arrays are one."""
        return self._struct(variant, index).build(iter(leaves))

    def struct_of_numbers(self, variant: int, index: int, numbers: Sequence[object]) -> object:
        """What struct_leaves takes apart."""
        leaves: list[object] = []
        rest = iter(numbers)
        for field in self._records[variant]["parameters"][index]["fields"]:
            leaves.append(next(rest) if field["count"] == 1 else tuple(itertools.islice(rest, field["count"])))
        return self.struct_value(variant, index, tuple(leaves))

    def call_with_jax(self, operation: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """A call with arrays or tracers of JAX."""
        from .jax import calls

        return calls.call(self, args, keywords)

    def call_with_choice(self, operation: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """A call where a dtype is preferred, or of an operation that has a policy."""
        from . import choice

        return choice.call(operation, self, args, keywords)

    @functools.cached_property
    def _positional(self) -> list[str]:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return [name for name, parameter in self.__signature__.parameters.items() if parameter.kind is kind]

    @functools.cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(parameter["name"] for parameter in self._records[0]["parameters"])

    def bind(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arguments by name, and launch sizes by keyword. That they fit the signature was checked before."""
        given = dict(zip(self._positional, args, strict=False))
        launch: dict[str, Any] = {}
        for name, value in as_in_python(keywords, self._records[0]).items() if keywords else ():
            (given if name in self._names else launch)[name] = value
        return given, launch

    def call_with_graph(self, operation: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """A call with torch tensors that require a gradient, while torch records a graph."""
        return self._recorded_call(operation, self, args, keywords)

    @functools.cached_property
    def _recorded_call(self) -> Any:
        from .torch import autograd

        return autograd.call

    def call_with_torch(self, operation: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """A call with torch tensors that torch must see: under a mode, a transform, a tracer, autocast or a profiler, or
        with tensors of another type than torch.Tensor."""
        from .torch import front

        return front.call(operation, self, args, keywords)

    def _struct(self, variant: int, index: int) -> ValueType:
        record = self._records[variant]
        parameter = record["result"] if index < 0 else record["parameters"][index]
        return self._module.struct_type(cxx_name(parameter["type"]), parameter["fields"])

    def unpicklable(self) -> KernelTypeError:
        return KernelTypeError(f"{self.__qualname__} cannot be pickled: load the module where it is needed")

    # -- for users -------------------------------------------------------------------------------------------------

    def funcinfo(self) -> tuple[tuple[str, ...], tuple[str, ...], str | None, str | None]:
        """Argument names, type names, name of the forward and of the backward derivative."""
        record = self._records[0]
        parameters = record["parameters"]
        names = [parameter["cxx_name"] for parameter in parameters]
        types = [parameter["type"] for parameter in parameters]
        if record["kind"] == "kernel":
            names = ["__kernix_blockSize", "__kernix_gridSize", *names]
            types = ["dim3", "dim3", *types]
        return tuple(names), tuple(types), record["forward"], record["backward"]

    def source(self, what: str, *, target: str | None = None, variant: int = 0) -> str:
        """The code of the function: "ir" (LLVM), "ptx" or "sass"."""
        from . import code

        return code.function_code(self._module, self._record(variant), what, target)

    def resources(self, *, block_size: int | None = None, shared_bytes: int = 0, variant: int = 0) -> dict[str, Any]:
        """Registers and memory of a kernel, and its occupancy at a block size, on the current device."""
        record = self._record(variant)
        if record["kind"] != "kernel":
            raise KernelTypeError(f"{record['signature']}: only kernels have resources")
        block = _default_block(record) if block_size is None else _size("block_size", block_size, record)
        shared_bytes = _size("shared_bytes", shared_bytes, record)
        from . import _binding

        library = self._module.default_library
        found: dict[str, Any] = _binding.resources(library, self._name, variant, block, shared_bytes)
        return {"target": library.target, "block_size": block, **found}

    def _record(self, variant: int) -> dict[str, Any]:
        if type(variant) is not int or not 0 <= variant < len(self._texts):
            raise KernelValueError(f"{self._name}: variant: expected 0 to {len(self._texts) - 1}, got {variant!r}")
        return self._records[variant]

    @property
    def fwd(self) -> Any:
        """The forward derivative: values and tangents from (value, tangent) pairs."""
        return self._derivative("forward")

    @property
    def bwd(self) -> Any:
        """The backward derivative: gradients from (value, gradient) pairs."""
        return self._derivative("backward")

    def _derivative(self, which: str) -> Any:
        from . import derivative

        return derivative.find(self._module.functions.__getitem__, self._records[0], which)

    @property
    def torch_op(self) -> Any:
        """The operator of torch: torch.ops.<namespace, else kernix>.<name>."""
        from .torch import operators

        operation = self._module.functions[self._name]
        return operators.packet(getattr(operation, "_flat", operation), self)

    @functools.cached_property
    def torch_results(self) -> list[str | None]:
        """Of which parameters a call returns the values, in order; None: the function's own result."""
        from .derivative import returned_names

        return returned_names(self._records[0])

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the kernix function {self.__qualname__} has no attribute '{name}'")


def _size(name: str, value: object, record: dict[str, Any]) -> int:
    if type(value) is not int:
        raise KernelTypeError(f"{record['signature']}: {name}: expected an int, got {value!r}")
    return max(-1, min(value, 2**31 - 1))


def _default_block(record: dict[str, Any]) -> int:
    """Threads of a block by the launch attributes, where they are numbers."""
    total = 1
    for text in record["launch"]["block"] or ["256"]:
        if not text.strip().isdigit():
            raise KernelError(
                f"{record['signature']}: the block size is computed by the call ({text}); give block_size="
            )
        total *= int(text)
    return total


def python_default(parameter: dict[str, Any]) -> object:
    value = parameter["default"]
    if parameter.get("fields"):
        struct = value_type(cxx_name(parameter["type"]), parameter["fields"])
        return struct.build(default_leaf(*each) for each in zip(value, parameter["fields"], strict=True))
    return default_number(value, parameter["dtype"] or "")


class _Computed:
    """Stands for the default of what the call computes or allocates."""

    def __repr__(self) -> str:
        return "..."


COMPUTED = _Computed()


def python_signature(record: Mapping[str, Any]) -> inspect.Signature:
    """How the function is called from Python: the binding rules of kernix._binding, for people and tools."""
    positional: list[inspect.Parameter] = []
    keywords: list[inspect.Parameter] = []
    after_one_left_out = False
    for parameter in record["parameters"]:
        if is_hidden(parameter):
            continue
        kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
        default: object = inspect.Parameter.empty
        if is_allocatable(parameter):
            kind, default = inspect.Parameter.KEYWORD_ONLY, None
        elif may_be_left_out(parameter):
            after_one_left_out = True
            default = None if parameter["optional"] else COMPUTED
            if parameter["has_default"]:
                default = python_default(parameter)
        elif after_one_left_out:
            kind = inspect.Parameter.KEYWORD_ONLY
        made = inspect.Parameter(parameter["name"], kind, default=default)
        (keywords if kind == inspect.Parameter.KEYWORD_ONLY else positional).append(made)
    if record["kind"] == "kernel":
        taken = {parameter["name"] for parameter in record["parameters"]}
        keywords += [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
            for name in ("block", "grid", "shared_bytes")
            if name not in taken
        ]
    return inspect.Signature(positional + keywords)
