"""`.pyi` stubs of a module, from the records of its functions.

The stub describes the object that kernix.load returns as a Protocol-free class ``Module``; ``mypy --strict`` accepts it.
Arrays of all frameworks are ``Any``: what comes back depends on what was passed.
"""

import inspect
from collections.abc import Mapping
from typing import Any

from .function import COMPUTED, is_allocatable, is_hidden, python_signature
from .module import Module
from .names import python_names
from .structs import ArrayType, NumberType, RowType, StructType, ValueType, cxx_name, namespace_of, python_name, structs_in, value_type

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
    whole = {cxx_name(parameter["type"]) for parameter in parameters}
    structs = {python_name(struct.name): struct for each in parameters for struct in structs_in(_type_of(each))}
    parts = [_HEADER.format(name=module._kernix.name)]
    parts += [_struct_stub(struct) for struct in structs.values()]
    tree: dict[str, Any] = {}
    for name, variants in records.items():
        place = tree
        *spaces, last = name.split("::")
        for each in spaces:
            place = place.setdefault(each, {})
        place[last] = variants
    for name, struct in structs.items():
        space = tree.get(namespace_of(struct.name))
        if isinstance(space, dict) and struct.name in whole:
            space.setdefault(name, struct)
        tree.setdefault(name, struct)
    parts.append(_class_stub(f"_{module._kernix.name}", tree))
    parts.append(f"{module._kernix.name}: _{module._kernix.name}")
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _struct_stub(struct: StructType) -> str:
    """The class, and a name for it that no class attribute hides."""
    name = python_name(struct.name)
    lines = [f"class {name}(NamedTuple):"]
    may_be_left_out = False
    for member, kind in struct.members.items():
        # A NamedTuple cannot say that a later field is required.
        may_be_left_out |= kind.default is not None
        lines.append(f"    {struct.shown[member]}: {_value_of(kind)}{' = ...' if may_be_left_out else ''}")
    lines.append(f"_{name}: TypeAlias = {name}")
    return "\n".join(lines) + "\n"


def _value_of(member: ValueType) -> str:
    if isinstance(member, StructType):
        return f"_{python_name(member.name)}"
    if isinstance(member, ArrayType):
        return f"tuple[{_value_of(member.elements[0])}, ...]"
    assert isinstance(member, NumberType)
    number = _number(member.dtype)
    return f"tuple[{number}, ...]" if isinstance(member, RowType) else number


def _type_of(parameter: Mapping[str, Any]) -> ValueType:
    return value_type(cxx_name(parameter["type"]), parameter["fields"])


def _class_stub(name: str, tree: dict[str, Any], indent: str = "") -> str:
    lines = [f"{indent}class {name}:"]
    for last, value in zip(python_names(tree), tree.values(), strict=True):
        if isinstance(value, dict):
            lines.append(_class_stub(f"_{last}", value, indent + "    "))
            lines.append(f"{indent}    {last}: _{last}")
        elif isinstance(value, StructType):
            lines.append(f"{indent}    {last}: type[{_value_of(value)}]")
        elif last.isidentifier():
            lines += _function_stub(last, value, indent + "    ")
    if len(lines) == 1:
        lines.append(f"{indent}    ...")
    return "\n".join(lines)


def _function_stub(name: str, records: list[dict[str, Any]], indent: str) -> list[str]:
    lines: list[str] = []
    if records[0]["derivative"]:
        return [f"{indent}def {name}(self, *args: Any, **kwargs: Any) -> Any: ..."]
    signatures = list(dict.fromkeys(_signature(record) for record in records))
    for signature in signatures:
        if len(signatures) > 1:
            lines.append(f"{indent}@overload")
        lines.append(f"{indent}def {name}(self{signature}: ...")
    return lines


def _signature(record: dict[str, Any]) -> str:
    by_name = {parameter["name"]: parameter for parameter in record["parameters"]}
    texts: list[str] = []
    star = False
    for parameter in python_signature(record).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            star = True
            texts.append("*")
        if parameter.name in by_name:
            kind = _argument(by_name[parameter.name])
        else:
            kind = "int | None" if parameter.name == "shared_bytes" else "Size | None"
        default = "" if parameter.default is inspect.Parameter.empty else f" = {_default(parameter.default)}"
        texts.append(f"{parameter.name}: {kind}{default}")
    if record["kind"] == "kernel":
        if not star:
            texts.append("*")
        texts += ["launchBlockSize: Size | None = ...", "launchGridSize: Size | None = ..."]
    return f"{', ' if texts else ''}{', '.join(texts)}) -> {_result(record)}"


def _default(value: object) -> str:
    if value is COMPUTED or isinstance(value, (complex, str, tuple)):
        return "..."
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return "..."
    return repr(value)


def _argument(parameter: dict[str, Any]) -> str:
    passing = parameter["passing"]
    if passing in ("c_string", "string_view"):
        return "str | None" if parameter["optional"] else "str"
    if parameter.get("fields") and passing == "struct":
        if not isinstance(_type_of(parameter), StructType):
            return "Array"
        return f"{_value_of(_type_of(parameter))} | Mapping[str, Any] | tuple[Any, ...]"
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


def _value(parameter: dict[str, Any]) -> str:
    passing = parameter["passing"]
    if passing in ("pointer", "tensor", "tensor_view"):
        return "Array"
    if passing in ("c_string", "string_view"):
        return "str"
    kind = _value_of(_type_of(parameter)) if parameter.get("fields") else _number(parameter["dtype"])
    return f"tuple[{kind}, ...]" if parameter.get("array_length") else kind


def _result(record: dict[str, Any]) -> str:
    slots = [_value(record["result"])] if record["result"] else []
    for parameter in record["parameters"]:
        if (is_hidden(parameter) and parameter["role"] != "stream") or is_allocatable(parameter):
            slots.append(_value(parameter))
    if not slots:
        return "None"
    return slots[0] if len(slots) == 1 else f"tuple[{', '.join(slots)}]"
