"""Bound functions as operators of torch: torch.ops.<namespace>.<name>, an overload for each form of call.

Made when a call first needs one. Every kernel takes its arguments apart into the names and launch sizes of the plain call
and hands these on: computing to the extension, shapes to fake.py, gradients to autograd.py, transforms to transforms.py,
autocast to autocast.py.
"""

import sys
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from ..errors import KernelError, KernelValueError, Untraceable
from ..function import FunctionDetails
from . import determinism, fake, naming
from .schema import Form, common_arguments, form_of, returns_of, schema_text

_lock = threading.RLock()
_operators: dict[tuple[str, str], "Operator"] = {}
_by_details: "weakref.WeakKeyDictionary[FunctionDetails, dict[Form, Operator]]" = weakref.WeakKeyDictionary()


class Operator:
    """One overload, registered."""

    def __init__(self, operation: Any, details: FunctionDetails, form: Form, name: str) -> None:
        self.operation = operation
        self.details = details
        self.form = form
        self.name = name
        self.is_outdated = False
        self.record = details._records[0]
        self.arguments = common_arguments(details._records, form)
        self.returns = returns_of(self.record, form)
        self.positional = [argument for argument in self.arguments if not argument.is_keyword]
        self.keywords = {argument.shown: argument for argument in self.arguments if argument.is_keyword}
        self.changes = [argument.name for argument in self.arguments if argument.is_changed]
        self.qualified = f"{name}.{form.overload}" if form.overload else name
        self._register(name)

    def _register(self, name: str) -> None:
        space, _, base = name.partition("::")
        overload = self.form.overload
        full = f"{base}.{overload}" if overload else base
        self.library = torch.library.Library(space, "FRAGMENT")
        self.library.define(schema_text(full, self.arguments, self.returns), tags=_tags())
        self.op = getattr(getattr(getattr(torch.ops, space), base), overload or "default")
        self.library.impl(full, self.compute, "CompositeExplicitAutograd")
        torch.library.register_fake(self.qualified, self.fake, lib=self.library)
        self.library.impl(full, self.record_graph, "Autograd", with_keyset=True)
        self.library.impl(full, self.transform, "FuncTorchDynamicLayerFrontMode")
        if not self.record["derivative"]:
            for key in ("AutocastCPU", "AutocastCUDA"):
                self.library.impl(full, self.cast, key)

    def take(self, operation: Any) -> bool:
        """Computes another source's function from now on, if its schema is the same."""
        details = operation._details
        try:
            arguments, returns = common_arguments(details._records, self.form), returns_of(details._records[0], self.form)
        except Untraceable:
            return False
        if (arguments, returns) != (self.arguments, self.returns):
            return False
        self.operation, self.details, self.record = operation, details, details._records[0]
        return True

    # -- arguments -------------------------------------------------------------------------------------------------

    def pack(self, given: Mapping[str, Any], launch: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """For the schema."""
        row = [self._packed(argument, given, launch) for argument in self.positional]
        keywords = {}
        for shown, argument in self.keywords.items():
            value = self._packed(argument, given, launch)
            if value is not None:
                keywords[shown] = value
        return row, keywords

    def _packed(self, argument: Any, given: Mapping[str, Any], launch: Mapping[str, Any]) -> Any:
        if argument.kind == "launch":
            value = launch.get(argument.name)
            if value is None:
                value = launch.get(_OTHER_NAMES.get(argument.name, argument.name))
            return [value] if argument.name != "shared_bytes" and not isinstance(value, (tuple, list, type(None))) else value
        value = given.get(argument.name)
        if value is None:
            return self._default(argument)
        if argument.kind == "struct":
            return list(self.details.struct_leaves(0, argument.index, value))
        if argument.kind == "tensor":
            return value if isinstance(value, torch.Tensor) else self._as_tensor(argument, value)
        return value

    def _as_tensor(self, argument: Any, value: Any) -> torch.Tensor:
        """Of an array of another framework, in the same memory."""
        if argument.is_changed and getattr(value, "__array_interface__", {"data": (0, False)})["data"][1]:
            raise KernelValueError(
                f"{self.details.in_messages}: argument '{argument.name}': expected a writable tensor (the function writes to it), "
                "got a read-only one"
            )
        return torch.as_tensor(value)

    def _default(self, argument: Any) -> Any:
        if argument.default in (None, "None"):
            return None
        return next(each.default_value for each in self.op._schema.arguments if each.name == argument.shown)

    def unpack(self, args: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arguments by name, and launch sizes. The dispatcher leaves out what has its default."""
        given: dict[str, Any] = {}
        launch: dict[str, Any] = {}
        for argument, value in zip(self.positional, args, strict=False):
            self._unpack_one(argument, value, given, launch)
        for name, value in keywords.items():
            self._unpack_one(self.keywords[name], value, given, launch)
        given.update(dict.fromkeys(self.form.without))
        return given, launch

    def _unpack_one(self, argument: Any, value: Any, given: dict[str, Any], launch: dict[str, Any]) -> None:
        if value is None:
            return
        if argument.kind == "launch":
            launch[argument.name] = value if argument.name == "shared_bytes" else tuple(value)
        elif argument.kind == "struct":
            given[argument.name] = self.details.struct_of_numbers(0, argument.index, value)
        else:
            given[argument.name] = value

    def as_returned(self, results: Any) -> Any:
        """Of all that the plain call returns, what the schema does."""
        names = self.details.torch_results
        row = () if not names else (results,) if len(names) == 1 else results
        types = dict(self.returns)
        kept = [_as_type(types[name], value) for name, value in zip(names, row, strict=True) if name in types]
        return None if not kept else kept[0] if len(kept) == 1 else tuple(kept)

    def as_called(self, results: Any, given: Mapping[str, Any]) -> Any:
        """The reverse: what the plain call returns."""
        row = [] if not self.returns else [results] if len(self.returns) == 1 else list(results)
        found = {name: tuple(each) if type(each) is list else each for (name, _), each in zip(self.returns, row, strict=True)}
        names = self.details.torch_results
        every = [found[name] if name in found else given.get(str(name)) for name in names]
        return None if not every else every[0] if len(every) == 1 else tuple(every)

    def call(self, given: Mapping[str, Any], launch: Mapping[str, Any]) -> Any:
        """Through the dispatcher, as the plain call is written and returns."""
        row, keywords = self.pack(given, launch)
        return self.as_called(self.op(*row, **keywords), given)

    # -- kernels ---------------------------------------------------------------------------------------------------

    def compute(self, /, *args: Any, **keywords: Any) -> Any:
        if self.is_outdated:
            raise KernelError(
                f"{self.record['signature']}: this program was made before the source was edited and loaded again, and keeps "
                "for the derivative what the older one took; run its forward pass again, or export it again"
            )
        given, launch = self.unpack(args, keywords)
        if self.record["derivative"]:
            _part_values(self.record, given)
        if torch.are_deterministic_algorithms_enabled():
            return self.as_returned(determinism.call(self.operation, self.details, given, launch))
        return self.as_returned(self.operation._call_plainly(**given, **launch))

    def fake(self, /, *args: Any, **keywords: Any) -> Any:
        given, _ = self.unpack(args, keywords)
        made = fake.results(self.details, self.form, given)
        return None if not made else made[0] if len(made) == 1 else tuple(made)

    def record_graph(self, keyset: Any, /, *args: Any, **keywords: Any) -> Any:
        from . import autograd

        if not autograd.is_followed(args, keywords):
            return self._below_autograd(keyset, args, keywords)

        def below(**arguments: Any) -> Any:
            given, launch = self.details.bind((), arguments)
            row, rest = self.pack(given, launch)
            return self.as_called(self._below_autograd(keyset, row, rest), given)

        given, launch = self.unpack(args, keywords)
        return self.as_returned(autograd.call_below(below, self.details, given, launch))

    def _below_autograd(self, keyset: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            return self.op.redispatch(keyset & torch._C._after_autograd_keyset, *args, **keywords)

    def transform(self, /, *args: Any, **keywords: Any) -> Any:
        from . import transforms

        given, launch = self.unpack(args, keywords)
        return self.as_returned(transforms.call(self.operation, self.details, given, launch))

    def cast(self, /, *args: Any, **keywords: Any) -> Any:
        from . import autocast

        given, launch = self.unpack(args, keywords)
        return self.as_returned(autocast.call(self.operation, self.details, given, launch))


def _as_type(type_: str, value: Any) -> Any:
    """As the schema says: a call without arrays gives NumPy's, one with an array of fixed length a tuple."""
    if type_ == "Tensor":
        return value if isinstance(value, torch.Tensor) else torch.from_numpy(value)
    return list(value) if type(value) is tuple else value


def _part_values(record: Mapping[str, Any], given: dict[str, Any]) -> None:
    """A value from before the call has memory of its own there: compilers may have found that it equals another tensor.
    Where the call has allocated it and f_bwd does not read it, there is none."""
    for parameter in record["parameters"]:
        value = given.get(parameter["name"])
        if value is None and parameter["primal_output"]:
            given[parameter["name"]] = None
        if value is not None and parameter["primal_output"] and parameter["access"] == "inout":
            others = (other for name, other in given.items() if name != parameter["name"] and isinstance(other, torch.Tensor))
            memory = value.untyped_storage().data_ptr()
            if any(other.untyped_storage().data_ptr() == memory for other in others):
                given[parameter["name"]] = value.clone()


_OTHER_NAMES = {"block": "launchBlockSize", "grid": "launchGridSize"}


def _tags() -> tuple[Any, ...]:
    tags = [torch.Tag.pt2_compliant_tag]
    # Pointers have no strides: the compiler must hand over tensors as they were when it traced.
    for name in ("needs_exact_strides", "needs_fixed_stride_order"):
        if hasattr(torch.Tag, name):
            tags.append(getattr(torch.Tag, name))
            break
    return tuple(tags)


def operator_for(operation: Any, details: FunctionDetails, given: Mapping[str, Any]) -> Operator:
    """The overload of a call."""
    return operator_of_form(operation, details, form_of(details._records[0], given))


def operator_of_form(operation: Any, details: FunctionDetails, form: Form) -> Operator:
    known = _by_details.get(details)
    if known is not None and form in known:
        return known[form]
    scalars = _differentiable_scalars(details)
    if scalars and not form.tensors:
        # torch.ops.<...> asks overloads in the order of their registration, and a tensor would do for a number: without
        # its gradient.
        operator_of_form(operation, details, Form(form.given, form.without, scalars))
    with _lock:
        name = naming.qualified_name(details)
        key = name, form.overload
        found = _operators.get(key)
        # Modules of the same content have the same operators.
        if found is None:
            found = _operators[key] = Operator(operation, details, form, name)
        return _by_details.setdefault(details, {}).setdefault(form, found)


def take_names(contents: Any) -> None:
    """A module of a namespace is loaded: the names of a source that was edited stand for the new code. Programs that torch
    compiled are made again; those that were exported run it, if the schema is the same."""
    names = {details._name: operation for operation, details in _functions_of(contents)}
    edited = [found for found in _operators.values() if _is_edited(found, contents, names)]
    for found in edited:
        old = found.details
        old._module.namespace = None  # its operators have names without the namespace from now on
        _by_details.pop(old, None)
        if found.record["derivative"]:
            found.is_outdated = True
        elif not found.take(names[old._name]):
            del _operators[found.name, found.form.overload]
            found.library = None  # torch forgets the operator with it
    if edited and "torch._dynamo" in sys.modules:
        torch._dynamo.reset()


def _functions_of(contents: Any) -> Iterator[tuple[Any, FunctionDetails]]:
    for shown in contents.functions.values():
        operation = getattr(shown, "_flat", shown)
        yield operation, operation._details


def _is_edited(found: Operator, contents: Any, names: Mapping[str, Any]) -> bool:
    """Whether an operator is that of an older source, or of a derivative of what was edited."""
    module = found.details._module
    if module.namespace != contents.namespace or naming.content(module) == naming.content(contents):
        return False
    name, record = found.details._name, found.record
    while record["derivative"]:
        name = record["primal"]
        record = getattr(module.functions[name], "_flat", module.functions[name])._records[0]
    return name in names


def packet(operation: Any, details: FunctionDetails) -> Any:
    """torch.ops.<namespace>.<name>, with the overloads of calls that allocate, and that give, every output."""
    record = details._records[0]
    outputs = tuple(each["name"] for each in record["parameters"] if _may_be_given(each))
    forms = [Form()]
    forms += [Form(given=outputs)] if outputs else []
    made = [operator_of_form(operation, details, form) for form in forms]
    return made[0].op.overloadpacket


def _differentiable_scalars(details: FunctionDetails) -> tuple[str, ...]:
    parameters = details._records[0]["parameters"]
    return tuple(each["name"] for each in parameters if each["passing"] == "scalar" and each["differentiable"])


def _may_be_given(parameter: dict[str, Any]) -> bool:
    from ..function import is_allocatable

    return is_allocatable(parameter) and parameter.get("shadow_kind") is None
