"""`.pyi` stubs of a module, from the records of its functions.

The stub describes the object that kernix.load returns as a Protocol-free class ``Module``; ``mypy --strict`` accepts it.
Arrays of all frameworks are ``Any``: what comes back depends on what was passed.
"""

import inspect
import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .function import COMPUTED, is_allocatable, is_hidden, python_signature
from .module import Module
from .names import python_names
from .structs import (
    ArrayType,
    NumberType,
    RowType,
    StructType,
    ValueType,
    cxx_name,
    names_in_module,
    namespaces_of,
    python_name,
    structs_in,
    value_type,
)

_HEADER = '''\
# Made by `python -m kernix stubs`; describes what kernix.load returns for {name}.
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias, overload

Array: TypeAlias = Any
Size: TypeAlias = int | tuple[int, ...] | list[int]
'''


def module_stub(module: Module) -> str:
    records = {name: module[name]._records for name in module}
    parameters = [
        parameter
        for variants in records.values()
        for record in variants
        if not record["derivative"]
        for parameter in [*record["parameters"], record["result"]]
        if parameter and parameter.get("fields")
    ]
    structs = {struct.name: struct for each in parameters for struct in structs_in(_type_of(each))}
    names = names_in_module(structs)
    parts = [_HEADER.format(name=module._kernix.name)]
    parts += [_struct_stub(struct, names) for struct in structs.values()]
    tree: dict[str, Any] = {}
    for name, variants in records.items():
        place = tree
        *spaces, last = name.split("::")
        for each in spaces:
            place = place.setdefault(each, {})
        place[last] = variants
    whole = {cxx_name(parameter["type"]) for parameter in parameters}
    for struct in structs.values():
        if struct.name in whole:
            _put_into_namespace(tree, struct)
        tree.setdefault(names[struct.name], struct)
    name = identifier(module._kernix.name)
    parts.append(_class_stub(f"_{name}", tree, names))
    parts.append(f"{name}: _{name}")
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _put_into_namespace(tree: dict[str, Any], struct: StructType) -> None:
    place: Any = tree
    for space in namespaces_of(struct.name):
        place = place.get(space) if isinstance(place, dict) else None
    if isinstance(place, dict) and place is not tree:
        place.setdefault(python_name(struct.name), struct)


def identifier(name: str) -> str:
    """The name of a module, which is that of a file, as Python can write it."""
    text = re.sub(r"\W", "_", name)
    return python_names([text if text.isidentifier() else f"_{text}"])[0]


def _struct_stub(struct: StructType, names: Mapping[str, str]) -> str:
    """The class, and a name for it that no class attribute hides."""
    name = names[struct.name]
    lines = [f"class {name}(NamedTuple):"]
    may_be_left_out = False
    for member, kind in struct.members.items():
        # A NamedTuple cannot say that a later field is required.
        may_be_left_out |= kind.default is not None
        lines.append(f"    {struct.shown[member]}: {_value_of(kind, names)}{' = ...' if may_be_left_out else ''}")
    lines.append(f"_{name}: TypeAlias = {name}")
    return "\n".join(lines) + "\n"


def _value_of(member: ValueType, names: Mapping[str, str]) -> str:
    if isinstance(member, StructType):
        return f"_{names[member.name]}"
    if isinstance(member, ArrayType):
        return f"tuple[{_value_of(member.elements[0], names)}, ...]"
    assert isinstance(member, NumberType)
    number = _number(member.dtype)
    return f"tuple[{number}, ...]" if isinstance(member, RowType) else number


def _type_of(parameter: Mapping[str, Any]) -> ValueType:
    return value_type(cxx_name(parameter["type"]), parameter["fields"])


def _class_stub(name: str, tree: dict[str, Any], names: Mapping[str, str], indent: str = "") -> str:
    lines = [f"{indent}class {name}:"]
    for last, value in zip(python_names(tree), tree.values(), strict=True):
        if isinstance(value, dict):
            lines.append(_class_stub(f"_{last}", value, names, indent + "    "))
            lines.append(f"{indent}    {last}: _{last}")
        elif isinstance(value, StructType):
            lines.append(f"{indent}    {last}: type[{_value_of(value, names)}]")
        elif last.isidentifier():
            lines += _function_stub(last, value, names, indent + "    ")
    if len(lines) == 1:
        lines.append(f"{indent}    ...")
    return "\n".join(lines)


def _function_stub(name: str, records: list[dict[str, Any]], names: Mapping[str, str], indent: str) -> list[str]:
    lines: list[str] = []
    if records[0]["derivative"]:
        return [f"{indent}def {name}(self, *args: Any, **kwargs: Any) -> Any: ..."]
    signatures = merged([_signature(record, names) for record in records])
    for signature in signatures:
        if len(signatures) > 1:
            lines.append(f"{indent}@overload")
        lines.append(f"{indent}def {name}({signature}: ...")
    return lines


@dataclass(frozen=True)
class Signature:
    parameters: tuple[tuple[str, str, str], ...]  # name, type, default with its sign
    result: str

    def __str__(self) -> str:
        return self.written("_self" if any(name == "self" for name, _, _ in self.parameters) else "self")

    def written(self, first: str) -> str:
        texts = [name + (f": {kind}{default}" if kind else "") for name, kind, default in self.parameters]
        return f"{', '.join([first, *texts] if first else texts)}) -> {self.result}"

    def width(self) -> int:
        """Smaller than that of a signature that takes everything that this one does."""
        return sum(_NUMBERS.index(kind) for _, kind, _ in self.parameters if kind in _NUMBERS)

    def may_stand_before(self, other: "Signature") -> bool:
        """Whether mypy can tell the two apart, and finds no result of one that the other denies."""
        kinds = [(one, two) for (_, one, _), (_, two, _) in zip(self.parameters, other.parameters, strict=True) if one != two]
        results = (self.result, other.result)
        is_sorted = set(results) <= set(_NUMBERS) and _NUMBERS.index(results[0]) <= _NUMBERS.index(results[1])
        return bool(kinds) and {*sum(kinds, ())} <= set(_NUMBERS) and (is_sorted or results[0] == results[1])


_NUMBERS = ["bool", "int", "float", "complex"]  # each takes those before it


def merged(signatures: list[Signature]) -> list[Signature]:
    """Variants that differ in the kind of numbers, narrow ones first; what else there is together in one."""
    found = sorted(dict.fromkeys(signatures), key=Signature.width)
    if all(one.may_stand_before(two) for one, two in itertools.combinations(found, 2)):
        return found
    parameters = tuple(
        (each[0][0], " | ".join(dict.fromkeys(kind for _, kind, _ in each)), each[0][2])
        for each in zip(*(signature.parameters for signature in found), strict=True)
    )
    return [Signature(parameters, " | ".join(dict.fromkeys(signature.result for signature in found)))]


def _signature(record: dict[str, Any], names: Mapping[str, str]) -> Signature:
    by_name = {parameter["name"]: parameter for parameter in record["parameters"]}
    star = ("*", "", "")
    parameters: list[tuple[str, str, str]] = []
    for parameter in python_signature(record).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and star not in parameters:
            parameters.append(star)
        if parameter.name in by_name:
            kind = _argument(by_name[parameter.name], names)
        else:
            kind = "int | None" if parameter.name == "shared_bytes" else "Size | None"
        default = "" if parameter.default is inspect.Parameter.empty else f" = {_default(parameter.default)}"
        parameters.append((parameter.name, kind, default))
    if record["kind"] == "kernel":
        if star not in parameters:
            parameters.append(star)
        others = [name for name in ("launchBlockSize", "launchGridSize") if name not in by_name]
        parameters += [(name, "Size | None", " = ...") for name in others]
    return Signature(tuple(parameters), _result(record, names))


def _default(value: object) -> str:
    if value is COMPUTED or isinstance(value, (complex, str, tuple)):
        return "..."
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return "..."
    return repr(value)


def _argument(parameter: dict[str, Any], names: Mapping[str, str]) -> str:
    passing = parameter["passing"]
    if passing in ("c_string", "string_view"):
        return "str | None" if parameter["optional"] else "str"
    if parameter.get("fields") and passing == "struct":
        if not isinstance(_type_of(parameter), StructType):
            return "Array"
        return f"{_value_of(_type_of(parameter), names)} | Mapping[str, Any] | tuple[Any, ...]"
    if passing == "scalar":
        return _number(parameter["dtype"])
    return "Array | None" if parameter["optional"] or is_allocatable(parameter) else "Array"


def _number(dtype: str | None) -> str:
    text = dtype or ""
    if text.startswith("complex"):
        return "complex"
    if text == "bool":
        return "bool"
    return "float" if "float" in text else "int"


def _value(parameter: dict[str, Any], names: Mapping[str, str]) -> str:
    passing = parameter["passing"]
    if passing in ("pointer", "tensor", "tensor_view"):
        return "Array"
    if passing in ("c_string", "string_view"):
        return "str"
    kind = _value_of(_type_of(parameter), names) if parameter.get("fields") else _number(parameter["dtype"])
    return f"tuple[{kind}, ...]" if parameter.get("array_length") else kind


def _result(record: dict[str, Any], names: Mapping[str, str]) -> str:
    slots = [_value(record["result"], names)] if record["result"] else []
    for parameter in record["parameters"]:
        if (is_hidden(parameter) and parameter["role"] != "stream") or is_allocatable(parameter):
            slots.append(_value(parameter, names))
    if not slots:
        return "None"
    return slots[0] if len(slots) == 1 else f"tuple[{', '.join(slots)}]"
