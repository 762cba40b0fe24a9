"""m.f.fwd and m.f.bwd: the derivatives of a function, called with pairs.

A derivative is a bound function whose parameters are those of f, each differentiable one followed by its shadow. Users
do not see that row: they write ``x=(x, gx)``, and get a named tuple by the names of f's parameters. What a call checks
and allocates is the runtime's; here pairs are taken apart and results put together.
"""

import functools
import inspect
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import KernelError, KernelTypeError
from .function import COMPUTED, LAUNCH_KEYWORDS, is_allocatable, is_hidden
from .names import as_in_python, field_names
from .struct_gradients import StructGradient, is_jax, refuse_overlap
from .structs import cxx_name, value_type

_ABSENT = object()


@dataclass(frozen=True)
class Slot:
    """One parameter of f, with its shadow in the derivative."""

    name: str
    value: dict[str, Any] | None  # None: the cotangent of a function's result
    shadow: dict[str, Any] | None
    is_visible: bool
    may_be_left_out: bool

    @property
    def kind(self) -> str | None:
        return self.shadow["shadow_kind"] if self.shadow else None

    @property
    def is_struct(self) -> bool:
        return bool(self.value and self.value["passing"] in ("struct", "reference") and self.value.get("fields"))

    def is_value(self, given: Any) -> bool:
        """Whether a struct may be given so."""
        assert self.value
        try:
            list(value_type(cxx_name(self.value["type"]), self.value["fields"]).leaves(given, ""))
        except KernelTypeError:
            return False
        return True


def make_slots(record: Mapping[str, Any]) -> list[Slot]:
    """The parameters of f, from the record of a derivative."""
    parameters = record["parameters"]
    slots: list[Slot] = []
    for parameter in parameters:
        if parameter.get("shadow_kind") is None:
            shadow = parameters[parameter["shadow"]] if parameter.get("shadow") is not None else None
            left_out = parameter["optional"] or parameter["has_default"] or parameter["value"] is not None
            visible = parameter["role"] != "stream" and not (is_hidden(parameter) and record["derivative"] == "forward")
            slots.append(Slot(parameter["name"], parameter, shadow, visible, bool(left_out) or is_allocatable(parameter)))
        elif parameter.get("primal_parameter") is None:
            slots.append(Slot(result_name(record), None, parameter, record["derivative"] == "backward", False))
    return slots


def result_name(record: Mapping[str, Any]) -> str:
    """What the function's own result is called, in f and in its derivatives, where other names are those of parameters."""
    name = "result"
    while any(parameter["name"] == name for parameter in record["parameters"] if parameter.get("shadow_kind") is None):
        name += "_"
    return name


class Derivative:
    """A forward or backward derivative as Python shows it."""

    def __init__(self, operation: Any, primal: str) -> None:
        self._flat = operation
        self._primal = primal

    # Everything but the call is that of the bound function: info, source, resources, __doc__, ...
    def __getattr__(self, name: str) -> Any:
        return getattr(self._flat, name)

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return str(self._flat.__doc__)

    def __repr__(self) -> str:
        return f"<kernix derivative {self._flat.__qualname__} of {self._primal}>"

    @property
    def __signature__(self) -> inspect.Signature:
        parameters = []
        after_one_left_out = False
        for slot in self._by_name.values():
            default: Any = inspect.Parameter.empty
            kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
            if slot.may_be_left_out and slot.kind not in ("cotangent", "cotangent_and_gradient"):
                default, after_one_left_out = COMPUTED, True
            elif after_one_left_out:
                kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(inspect.Parameter(slot.name, kind, default=default))
        if self._record["kind"] == "kernel":
            parameters += [
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
                for name in ("block", "grid", "shared_bytes")
                if name not in self._by_name
            ]
        return inspect.Signature(sorted(parameters, key=lambda parameter: parameter.kind))

    def funcinfo(self) -> tuple[tuple[str, ...], tuple[str, ...], str | None, str | None]:
        """As a call takes them: the names of f's parameters, and of a pair both types."""
        names, types, forward, backward = self._flat.funcinfo()
        own = 2 if self._record["kind"] == "kernel" else 0  # the launch sizes
        pairs = [[each for each in (slot.value, slot.shadow) if each is not None] for slot in self._slots]
        texts = [", ".join(each["type"] for each in pair) for pair in pairs]
        return (
            (*names[:own], *(slot.value["cxx_name"] if slot.value else slot.name for slot in self._slots)),
            (*types[:own], *(f"({text})" if len(pair) == 2 else text for text, pair in zip(texts, pairs, strict=True))),
            forward,
            backward,
        )

    @functools.cached_property
    def _record(self) -> dict[str, Any]:
        record: dict[str, Any] = self._flat._records[0]
        return record

    @functools.cached_property
    def _slots(self) -> list[Slot]:
        return make_slots(self._record)

    @functools.cached_property
    def _signature(self) -> str:
        return str(self._flat._details.in_messages)

    @functools.cached_property
    def _by_name(self) -> dict[str, Slot]:
        return {slot.name: slot for slot in self._slots if slot.is_visible}

    def shadow_of(self, name: str) -> dict[str, Any] | None:
        """The record of the shadow of a parameter of f; None: it has no gradient or tangent."""
        return self._by_name[name].shadow if name in self._by_name else None

    @functools.cached_property
    def _returned(self) -> list[str | None]:
        """Names of what the bound function returns, in order; None: the result of f itself."""
        return returned_names(self._record)

    @functools.cached_property
    def field_sources(self) -> list[str]:
        """The parameters that the fields of the result belong to, in order."""
        names = [slot.name for slot in self._slots if self._gives(slot)]
        name = result_name(self._record)
        if self._is_forward and self._record["result"] and name not in names:
            names.append(name)
        return names

    @functools.cached_property
    def _result_class(self) -> Any:
        name = f"{self._primal.rpartition('::')[2]}_{self._record['derivative']}"
        return namedtuple(name, field_names(self.field_sources))

    @functools.cached_property
    def _is_forward(self) -> bool:
        return bool(self._record["derivative"] == "forward")

    def _gives(self, slot: Slot) -> bool:
        """Whether the result has a field for this parameter."""
        if self._is_forward:
            if slot.value is None:
                return True
            return slot.value["access"] in ("out", "inout") or slot.value["role"] == "ret"
        return slot.kind in ("gradient", "cotangent_and_gradient")

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        kwargs = as_in_python(keywords, self._record)
        given = self._bind(args, kwargs)
        unlike = self._unlike_of(given) if self._unlike else {}
        flat: dict[str, Any] = {}
        for name in LAUNCH_KEYWORDS:
            if name in kwargs and name not in self._by_name:
                flat[name] = kwargs[name]
        pairs = {}
        for slot in self._slots:
            if slot.is_visible:
                pairs[slot.name] = self._split(slot, given.get(slot.name, _ABSENT))
        for name in self._values_before:
            if pairs[name][0] is None:
                pairs[name] = (self._stand_in(name, pairs), pairs[name][1])
        for name, pair in pairs.items():
            self._put(flat, self._by_name[name], *pair)
        if unlike and (message := unlike.get(self._chosen(flat))):
            raise KernelTypeError(message)
        structs = self._struct_gradients(pairs, flat)
        results = self._flat(**flat)
        names = self._returned
        if any(map(is_jax, results if type(results) is tuple else (results,))):
            names = [*names, *names_of_changed(self._record, flat)]
        row = () if not names else (results,) if len(names) == 1 else results
        if len(row) != len(names):
            raise KernelError(f"{self._signature}: returned {len(row)} values, the record says {len(names)}")
        return self._pack(pairs, structs, dict(zip(names, row, strict=True)))

    @functools.cached_property
    def _values_before(self) -> dict[str, str]:
        """In the forward derivative of an f_bwd, values of tensors that f changes, and what their gradients are called: f_bwd
        can be called without those that it does not read."""
        f_bwd = self._flat._module.functions.get(self._record["primal"])
        record: dict[str, Any] = f_bwd._records[0] if self._is_forward and f_bwd is not None else {"derivative": None}
        if record["derivative"] != "backward":
            return {}
        parameters = record["parameters"]
        found = {each["name"]: parameters[each["shadow"]]["name"] for each in parameters if each["primal_output"] and each["shadow"]}
        return {name: of for name, of in found.items() if name in self._by_name and of in self._by_name}

    def _stand_in(self, name: str, pairs: Mapping[str, tuple[Any, Any]]) -> Any:
        """Zeros for a value that is given as None, unless f_bwd reads it, or nothing says how many."""
        like = pairs[self._values_before[name]][0]
        module = type(like).__module__.partition(".")[0]
        if module not in ("numpy", "torch") or not hasattr(like, "shape"):
            return None
        is_cuda = module == "torch" and like.is_cuda
        library = self._flat._module.libraries.get("cuda" if is_cuda else "cpu")
        if library is None:
            return None
        if module == "torch":
            import torch

            stream = torch.cuda.current_stream(like.device).cuda_stream if is_cuda else 0
            zeros: Any = like.new_zeros(like.shape)
        else:
            import numpy

            stream, zeros = 0, numpy.zeros_like(like)
        from . import _binding

        f_bwd = self._flat._module.functions[self._record["primal"]]._flat
        for variant, record in enumerate(f_bwd._records):
            is_read = _binding.read_values(library, f_bwd._name, variant, like.device.index if is_cuda else -1, stream)
            if any(each["name"] == name and read for each, read in zip(record["parameters"], is_read, strict=True)):
                return None
        return zeros

    @functools.cached_property
    def _unlike(self) -> dict[int, str]:
        """Variants with other pairs or results than the first, whose are those of this object, and what differs."""
        first, *others = self._flat._records
        found: dict[int, str] = {}
        ours = self._uses(first) if others else {}
        for variant, other in enumerate(others, 1):
            for name, theirs in self._uses(other).items():
                if name not in ours or ours[name][0] != theirs[0]:
                    use = ours[name][1] if name in ours else "absent"
                    found.setdefault(
                        variant,
                        f"{self._signature}: cannot be called with these arguments, since '{name}' is {use} in "
                        f"{first['signature']} and {theirs[1]} in {other['signature']}; bind them under names of their own",
                    )
        return found

    def _uses(self, record: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
        """By the names of f's parameters: all that pairs and results depend on, and its text."""
        returned = returned_names(record)
        uses: dict[str, tuple[Any, str]] = {}
        for slot in make_slots(record):
            both = [each for each in (slot.value, slot.shadow) if each is not None]
            places = [(each["role"] == "ret", each["name"] in returned) for each in both]
            use = (slot.kind, slot.is_visible, self._gives(slot), places)
            uses[slot.name] = use, _use_text(slot, any(is_returned for _, is_returned in places[: slot.value is not None]))
        result = record["result"]
        is_dual = bool(result) and cxx_name(result["type"]).startswith("kernix::Dual<")
        name = result_name(record)
        use, text = uses.get(name, (None, "a number with a derivative" if is_dual else "a number" if result else "absent"))
        uses[name] = (use, bool(result), is_dual), text
        return uses

    def _unlike_of(self, given: Mapping[str, Any]) -> dict[int, str]:
        """Those of them that the call may choose. Refuses it where the first is none that it may."""
        names = self._by_name
        possible = [
            variant
            for variant, record in enumerate(self._flat._records)
            if all(
                _pair_has_dtype(record, parameter, names[parameter["name"]], given[parameter["name"]])
                for parameter in record["parameters"]
                if parameter.get("shadow_kind") is None and parameter["name"] in names and parameter["name"] in given
            )
        ]
        unlike = {variant: self._unlike[variant] for variant in possible if variant in self._unlike}
        if unlike and len(unlike) == len(possible):
            raise KernelTypeError(next(iter(unlike.values())))
        return unlike

    def _struct_gradients(self, pairs: Mapping[str, tuple[Any, Any]], flat: Mapping[str, Any]) -> dict[str, StructGradient]:
        """Those of the structs in this call, as the variant that it chooses lays them out."""
        if self._is_forward or not any(slot.is_struct and self._gives(slot) for slot in self._slots):
            return {}
        parameters = self._flat._records[self._variant(flat)]["parameters"]
        gradients = {}
        for value in parameters:
            slot = self._by_name.get(value["name"])
            if slot is not None and slot.is_struct and self._gives(slot):
                given = pairs[slot.name][1]
                given = None if given is _ABSENT else given
                gradients[slot.name] = StructGradient(value, parameters[value["shadow"]], given, self._where(slot))
        refuse_overlap(gradients.values(), flat)
        return gradients

    def _variant(self, flat: Mapping[str, Any]) -> int:
        """The variant that a call chooses, or one with the same structs. Arrays without data, as tracers are, tell it too."""
        possible: dict[str, int] = {}
        for index, record in enumerate(self._flat._records):
            if all(has_dtype(parameter, flat.get(parameter["name"])) for parameter in record["parameters"]):
                structs = [(each["name"], each["fields"]) for each in record["parameters"] if each.get("fields")]
                possible.setdefault(repr(structs), index)
        return next(iter(possible.values())) if len(possible) == 1 else self._chosen(flat)

    def _chosen(self, flat: Mapping[str, Any]) -> int:
        """The same by the runtime, for which JAX's arrays are others without their numbers."""
        arguments = dict(flat)
        for name, value in flat.items():
            if is_jax(value) and hasattr(value, "dtype"):
                import numpy

                arguments[name] = numpy.empty(value.shape, value.dtype)
        return int(self._flat._variant_of_call(**arguments))

    # -- arguments -------------------------------------------------------------------------------------------------

    @functools.cached_property
    def _positional(self) -> list[str]:
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return [name for name, parameter in self.__signature__.parameters.items() if parameter.kind in kinds]

    def _bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        if len(args) > len(self._positional):
            others = [name for name in self._by_name if name not in self._positional]
            raise KernelTypeError(
                f"{self._signature}: expected at most {len(self._positional)} positional arguments, got {len(args)}"
                + (f"; by keyword only: {', '.join(others)}" if others else "")
            )
        given = dict(zip(self._positional, args, strict=False))
        for name, value in kwargs.items():
            if name in self._by_name:
                if name in given:
                    raise KernelTypeError(f"{self._signature}: argument '{name}' is given twice")
                given[name] = value
            elif name not in LAUNCH_KEYWORDS or self._record["kind"] != "kernel":
                from ._support import suggest

                raise KernelTypeError(f"{self._signature}: unknown argument '{name}'{suggest(name, list(self._by_name))}")
        return given

    def _where(self, slot: Slot) -> str:
        return f"{self._signature}: argument '{slot.name}'"

    def _split(self, slot: Slot, given: Any) -> tuple[Any, Any]:
        """(value, shadow), each of which may be _ABSENT."""
        if slot.value is None:
            return self._split_result(slot, given)
        needs_shadow = slot.kind in ("cotangent", "cotangent_and_gradient")
        if given is _ABSENT:
            if needs_shadow and slot.shadow and not slot.shadow["optional"]:
                raise KernelTypeError(f"{self._where(slot)} is missing: expected (value, gradient)")
            if not slot.may_be_left_out and slot.kind != "tangent":
                raise KernelTypeError(f"{self._where(slot)} is missing")
            if slot.name in self._values_before and not slot.may_be_left_out:
                raise KernelTypeError(f"{self._where(slot)} is missing: expected its value, or None where it is not read")
            return _ABSENT, _ABSENT
        if not _is_pair(slot, given):
            if needs_shadow and not (given is None and slot.shadow and slot.shadow["optional"]):
                raise KernelTypeError(
                    f"{self._where(slot)}: expected (value, gradient), since its gradient is what the derivative starts "
                    f"from; got {type(given).__name__}"
                )
            return given, _ABSENT
        if slot.shadow is None:
            raise KernelTypeError(f"{self._where(slot)} has no gradient: expected its value alone, got a pair")
        value, shadow = given
        if needs_shadow and shadow is None and not (value is None and slot.shadow["optional"]):
            raise KernelTypeError(f"{self._where(slot)}: expected a gradient in (value, gradient), got None")
        return value, shadow

    def _split_result(self, slot: Slot, given: Any) -> tuple[Any, Any]:
        if given is _ABSENT:
            raise KernelTypeError(f"{self._where(slot)} is missing: expected the gradient of what the function returns")
        return (_ABSENT, given[1]) if type(given) is tuple and len(given) == 2 and not slot.is_struct else (_ABSENT, given)

    def _put(self, flat: dict[str, Any], slot: Slot, value: Any, shadow: Any) -> None:
        """The arguments of the bound function for one pair."""
        if value is not _ABSENT and slot.value is not None:
            flat[slot.value["name"]] = value
        if slot.shadow is None:
            return
        name = slot.shadow["name"]
        if self._is_forward:
            if shadow is not _ABSENT and shadow is not None:
                flat[name] = shadow
            return
        if slot.is_struct:
            # Its gradient lies in memory as the struct does; what is given are arrays by field, added to afterwards.
            if shadow is None:
                flat[name] = None
            return
        if shadow is not _ABSENT:
            flat[name] = _as_cell(slot.shadow, shadow)

    # -- results ---------------------------------------------------------------------------------------------------

    def _pack(
        self,
        pairs: Mapping[str, tuple[Any, Any]],
        structs: Mapping[str, StructGradient],
        returned: Mapping[str | None, Any],
    ) -> Any:
        fields = [
            self._forward_field(slot, pairs, returned)
            if self._is_forward
            else self._backward_field(slot, pairs, structs.get(slot.name), returned)
            for slot in self._slots
            if self._gives(slot)
        ]
        if self._is_forward and None in returned and len(fields) < len(self._result_class._fields):
            # f's own result; with a tangent both come in one struct.
            result = returned[None]
            is_dual = cxx_name(self._record["result"]["type"]).startswith("kernix::Dual<")
            fields.append((result.value, result.tangent) if is_dual else (result, None))
        return self._result_class(*fields)

    def _forward_field(
        self, slot: Slot, pairs: Mapping[str, tuple[Any, Any]], returned: Mapping[str | None, Any]
    ) -> tuple[Any, Any]:
        given, shadow = pairs.get(slot.name, (_ABSENT, _ABSENT))
        value = returned.get(slot.value["name"] if slot.value else None, given)
        tangent = returned.get(slot.shadow["name"], shadow) if slot.shadow else None
        if slot.shadow and slot.value is None:
            tangent = _number(tangent)
        return (None if value is _ABSENT else value), (None if tangent is _ABSENT else tangent)

    def _backward_field(
        self,
        slot: Slot,
        pairs: Mapping[str, tuple[Any, Any]],
        struct: StructGradient | None,
        returned: Mapping[str | None, Any],
    ) -> Any:
        assert slot.shadow is not None
        shadow = pairs.get(slot.name, (_ABSENT, _ABSENT))[1]
        computed = returned.get(slot.shadow["name"], _ABSENT)
        if struct is not None and computed is not _ABSENT and computed is not None:
            return struct.of(computed)
        # What was given was added to, except JAX's arrays: theirs are new.
        if shadow is not _ABSENT and not is_jax(computed):
            return shadow
        return None if computed is _ABSENT else computed


def has_dtype(parameter: Mapping[str, Any], value: Any) -> bool:
    """Whether an argument may be an array of the parameter's dtype; true of what is no array, or does not say.

    A kernix::Tensor takes every dtype.
    """
    dtype = getattr(value, "dtype", None)
    if dtype is None or not hasattr(value, "shape") or not parameter["dtype"]:
        return True
    if parameter["passing"] not in ("pointer", "tensor_view", "tensor"):
        return True
    return str(parameter["dtype"]) in ("any", str(dtype).removeprefix("torch."))


def _pair_has_dtype(record: Mapping[str, Any], parameter: Mapping[str, Any], slot: Slot, given: Any) -> bool:
    """The same of what is given for a parameter of f: a value, or that and its shadow."""
    if not _is_pair(slot, given):
        return has_dtype(parameter, given)
    shadow = record["parameters"][parameter["shadow"]] if parameter.get("shadow") is not None else parameter
    return has_dtype(parameter, given[0]) and has_dtype(shadow, given[1])


def _use_text(slot: Slot, is_returned: bool) -> str:
    """How f uses a parameter, as its derivative shows it."""
    if slot.value is None:
        return "a number with a derivative"
    by_kind = {"gradient": "read", "cotangent": "written", "cotangent_and_gradient": "read and written"}
    by_access = {"in": "read", "out": "written", "inout": "read and written"}
    text = by_kind.get(slot.kind or "") or by_access.get(slot.value["access"] or "", "no number with a derivative")
    return f"{text} and returned" if is_returned else text


def returned_names(record: Mapping[str, Any]) -> list[str | None]:
    """What a bound function returns, in order: None is its own result."""
    names: list[str | None] = [None] if record["result"] else []
    for parameter in record["parameters"]:
        if (is_hidden(parameter) and parameter["role"] != "stream") or is_allocatable(parameter):
            names.append(parameter["name"])
    return names


def names_of_changed(record: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    """Arrays that a call is given to be changed. JAX's are not, therefore the call returns what becomes of them, behind these."""
    returned = returned_names(record)
    parameters = [each for each in record["parameters"] if each["role"] == "ret" and each["name"] not in returned]
    return [each["name"] for each in parameters if given.get(each["name"]) is not None]


def _is_pair(slot: Slot, given: Any) -> bool:
    """A tuple of two. A struct may be one too: it is a pair whose first is a value of the struct by itself."""
    if type(given) is not tuple or len(given) != 2:
        return False
    if not slot.is_struct or slot.is_value(given[0]):
        return True
    return not slot.is_value(given) and (given[1] is None or isinstance(given[1], (Mapping, tuple)))


def _as_cell(shadow: Mapping[str, Any], given: Any) -> Any:
    """The gradient of a scalar is an array of one element; one without axes is that too."""
    if shadow["passing"] == "pointer" and shadow.get("shape") == ["1"] and getattr(given, "shape", None) == ():
        return given.reshape(1)
    return given


def _number(value: Any) -> Any:
    """What a one-element array holds."""
    return value.item() if getattr(value, "shape", None) in ((1,), ()) else value


def advice(record: Mapping[str, Any], which: str) -> str:
    """What to do for a function to have a derivative that it lacks."""
    if record["forward"] or record["backward"]:
        return (
            "write [[kernix::differentiable]] without arguments, or name one that you write with "
            f"[[kernix::{which}_derivative(...)]]"
        )
    return "mark it [[kernix::differentiable]]"


def follows_rules(record: Mapping[str, Any]) -> bool:
    """Whether the user wrote this derivative, or a rule that may take part in it.

    Then it may be anything, say a gradient that is cut off: neither linear, nor the transpose of the other direction's.
    """
    return bool(record["hand_written"] or record.get("follows_rules"))


def advice_on_second(record: Mapping[str, Any]) -> str:
    """The same where the function is a derivative itself."""
    if record["hand_written"]:
        return "it is written by hand, and second derivatives are made of automatic ones"
    if any(parameter.get("carried") for parameter in record["parameters"]):
        return "there are no second derivatives through views that carry their gradients: use kernix::TensorView<T>"
    return f"mark {record['primal']} [[kernix::differentiable(2)]]"


def _advice_on_own(get: Callable[[str], Any], record: Mapping[str, Any]) -> str:
    """What to do for the derivative `record` to have one that `differentiable(2)` may or may not give it."""
    if record["hand_written"]:
        return advice_on_second(record)
    primal = get(record["primal"])
    if getattr(primal, "_flat", primal)._records[0]["derivative"]:
        return "third derivatives are not available"
    if record["derivative"] == "forward":
        return (
            f"second derivatives are those of the backward: m.{record['primal']}.bwd.fwd and m.{record['primal']}.bwd.bwd, "
            "with [[kernix::differentiable(2)]]"
        )
    return advice_on_second(record)


def find(get: Callable[[str], Any], record: Mapping[str, Any], which: str) -> Derivative:
    """The derivative of a function by its record; `which`: "forward" or "backward"."""
    name = record[which]
    if name is None:
        if record["derivative"]:
            raise KernelError(f"{record['signature']}: no {which} derivative of its own; {_advice_on_own(get, record)}")
        if record["forward"] or record["backward"]:
            raise KernelError(f"{record['signature']}: no {which} derivative: {advice(record, which)}")
        raise KernelError(
            f"{record['signature']}: no {which} derivative: the function is not marked [[kernix::differentiable]]"
        )
    found: Derivative = get(name)
    return found
