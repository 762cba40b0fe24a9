"""The schema of a torch operator, from the record of a bound function and the form of a call.

A form says which of the things that calls may do differently, and a schema cannot, a call does. Each form is an overload
of the operator. Registering is not done here: operators.py.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from ..derivative import returned_names
from ..errors import Untraceable
from ..function import COMPUTED, LAUNCH_KEYWORDS, is_allocatable, python_signature
from ..names import python_names

TENSORS = ("pointer", "tensor_view", "tensor")
_STRINGS = ("c_string", "string_view")


@dataclass(frozen=True)
class Form:
    """What differs between calls of one function."""

    given: tuple[str, ...] = ()  # outputs that the caller gives although the call could allocate them
    without: tuple[str, ...] = ()  # of a backward derivative: gradients that are not wanted
    tensors: tuple[str, ...] = ()  # scalars that are given as tensors without axes

    @property
    def overload(self) -> str:
        words = [("out", self.given), ("without", self.without), ("tensor", self.tensors)]
        return "__".join("_".join((word, *names)) for word, names in words if names)


def form_of(record: Mapping[str, Any], given: Mapping[str, Any]) -> Form:
    rows: tuple[list[str], list[str], list[str]] = ([], [], [])
    for parameter in record["parameters"]:
        name = parameter["name"]
        value = given.get(name)
        if is_allocatable(parameter):
            if value is not None:
                rows[0].append(name)
            elif parameter.get("shadow_kind") == "gradient" and (name in given or _is_absent(record, parameter, given)):
                rows[1].append(name)
        elif parameter["passing"] == "scalar" and isinstance(value, torch.Tensor):
            rows[2].append(name)
    return Form(*map(tuple, rows))


def _is_absent(record: Mapping[str, Any], gradient: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Whether the gradient is that of an optional tensor that is left out."""
    value = record["parameters"][gradient["shadow_of"]] if gradient.get("shadow_of") is not None else None
    return bool(value and value["optional"] and given.get(value["name"]) is None)


@dataclass(frozen=True)
class Argument:
    name: str  # in Python
    shown: str  # in the schema
    kind: str  # tensor, number, struct, string, launch
    type: str  # in the schema
    index: int  # of the parameter; -1: a launch size
    default: str | None  # text
    is_keyword: bool
    is_changed: bool = False


def arguments_of(record: Mapping[str, Any], form: Form) -> list[Argument]:
    by_name = {each["name"]: (index, each) for index, each in enumerate(record["parameters"])}
    signature = python_signature(record).parameters
    shown = dict(zip(signature, _schema_names([*signature]), strict=True))
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    made = []
    for name, parameter in signature.items():
        is_keyword = parameter.kind is parameter.KEYWORD_ONLY
        if name not in by_name:
            name_of_size = name if name in ("block", "grid", "shared_bytes") else name
            type = "SymInt?" if name == "shared_bytes" else "SymInt[]?"
            made.append(Argument(name_of_size, shown[name], "launch", type, -1, "None", True))
            continue
        index, record_of = by_name[name]
        if is_allocatable(record_of) and name not in form.given:
            continue
        default = parameter.default if parameter.default is not parameter.empty else None
        may_be_left_out = parameter.default is not parameter.empty and name not in form.given
        made.append(_argument(record_of, index, shown[name], form, default, may_be_left_out, is_keyword, letters))
    if record["kind"] == "kernel":
        taken = {argument.name for argument in made} | {*by_name}
        for name, other in (("block", "launchBlockSize"), ("grid", "launchGridSize")):
            if name in by_name and other not in taken:
                made.append(Argument(other, other, "launch", "SymInt[]?", -1, "None", True))
    # Arguments without a default may follow only by keyword.
    return [argument for argument in made if not argument.is_keyword] + [argument for argument in made if argument.is_keyword]


def _argument(
    parameter: Mapping[str, Any],
    index: int,
    shown: str,
    form: Form,
    default: Any,
    may_be_left_out: bool,
    is_keyword: bool,
    letters: Iterator[str],
) -> Argument:
    name = parameter["name"]
    is_buffer = parameter["intent"] in ("inout_ptr", "out_ptr")
    if parameter["passing"] in TENSORS or is_buffer or name in form.tensors:
        is_changed = parameter["role"] == "ret" or is_buffer
        mark = f"({next(letters)}!)" if is_changed else ""
        text = "None" if may_be_left_out else None
        return Argument(name, shown, "tensor", f"Tensor{mark}{'?' if text else ''}", index, text, is_keyword, is_changed)
    kind, type = "number", _number_type(parameter)
    if parameter.get("fields"):
        kind, type = "struct", "Scalar[]"
    elif parameter["passing"] in _STRINGS:
        kind, type = "string", "str"
    text = None
    if may_be_left_out:
        text = "None" if parameter["value"] is not None else _default_text(default, type)
        if text == "None":
            type += "?"
    return Argument(name, shown, kind, type, index, text, is_keyword)


def _default_text(value: Any, type: str) -> str:
    """As the schema's grammar has it; None where it has none: the function then takes its own default. So for zero, since
    the dispatcher leaves out what equals the default, as -0.0 does."""
    if value is COMPUTED or type == "Scalar[]" or (type == "float" and value == 0):
        return "None"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return str(value)
    if isinstance(value, float) and math.isfinite(value) and "e" not in repr(value):
        return repr(value)
    return "None"


def _number_type(parameter: Mapping[str, Any]) -> str:
    dtype = parameter["dtype"] or ""
    if dtype == "bool":
        return "bool"
    if "complex" in dtype:
        return "complex"
    return "float" if "float" in dtype else "SymInt"


def returns_of(record: Mapping[str, Any], form: Form) -> list[tuple[str | None, str]]:
    """What the operator returns: of which parameter (None: the function's own result), of which type in the schema.
    Outputs that were given are not among it."""
    by_name = {each["name"]: each for each in record["parameters"]}
    made = []
    for name in returned_names(record):
        if name in form.given or name in form.without:
            continue
        made.append((name, _return_type(record, record["result"] if name is None else by_name[name])))
    return made


def _return_type(record: Mapping[str, Any], parameter: Mapping[str, Any]) -> str:
    if parameter["passing"] in TENSORS and not (parameter["intent"] == "out_array_return" and record["kind"] == "host"):
        return "Tensor"
    if record["kind"] == "kernel":
        return "Tensor"
    if parameter.get("fields") or parameter["passing"] in _STRINGS:
        raise Untraceable(
            f"{record['signature']}: has no torch operator: it returns {parameter['type']}, for which schemas have no type"
        )
    number = _number_type(parameter).replace("SymInt", "int")
    return f"{number}[]" if parameter["intent"] == "out_array_return" else number


def common_arguments(records: Sequence[Mapping[str, Any]], form: Form) -> list[Argument]:
    """Those of all variants of an operation: an operator takes numbers as its schema says, before one is chosen."""
    rows = [arguments_of(record, form) for record in records]
    for record, row in zip(records[1:], rows[1:], strict=True):
        for ours, theirs in zip(rows[0], row, strict=False):
            types = ours.type.removesuffix("?"), theirs.type.removesuffix("?")
            if ours.name != theirs.name or types[0] != types[1] or len(row) != len(rows[0]):
                what = f"'{ours.name}' is {types[0]}", f"'{theirs.name}' {types[1]}"
                raise Untraceable(
                    f"{records[0]['signature']}: has no torch operator: {what[0]} in its schema where {what[1]} is in that of "
                    f"{record['signature']}; bind them under names of their own"
                )
    return [_with_common_default(column) for column in zip(*rows, strict=True)]


def _with_common_default(column: tuple[Argument, ...]) -> Argument:
    """Without one where variants have different ones: each then takes its own."""
    first = column[0]
    if all(each.default == first.default for each in column):
        return first
    return replace(first, default="None", type=first.type.removesuffix("?") + "?")


def schema_text(name: str, arguments: list[Argument], returns: list[tuple[str | None, str]]) -> str:
    words = []
    has_star = False
    for argument in arguments:
        if argument.is_keyword and not has_star:
            words.append("*")
            has_star = True
        default = "" if argument.default is None else f"={argument.default}"
        words.append(f"{argument.type} {argument.shown}{default}")
    types = [type for _, type in returns]
    result = types[0] if len(types) == 1 else f"({', '.join(types)})"
    return f"{name}({', '.join(words)}) -> {result}"


# By these names torch's own Python functions pass what they need beside the arguments of an operator.
_TAKEN_NAMES = frozenset(("self", "mode", "keyset", "dispatch_key", "_mutable_op"))


def _schema_names(names: list[str]) -> list[str]:
    """Names that the grammar of schemas can read, as Python shows them, and that torch itself does not use."""
    made: list[str] = []
    for name in python_names(names):
        while name in _TAKEN_NAMES or not _is_readable(name) or name in made:
            name += "_"
        made.append(name)
    return made


_readable: dict[str, bool] = {}


def _is_readable(name: str) -> bool:
    if name not in _readable:
        try:
            torch._C.parse_schema(f"kernix::f(Tensor {name}) -> ()")
            _readable[name] = True
        except RuntimeError:
            _readable[name] = False
    return _readable[name]


def is_launch(name: str) -> bool:
    return name in LAUNCH_KEYWORDS
