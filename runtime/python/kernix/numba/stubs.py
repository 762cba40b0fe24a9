"""`.pyi` stubs of a module for Numba: what its functions and structs are in code that Numba compiles.

Numbers are Python's, pointers and arrays ``Array``, CUDA's vectors ``Any``: Numba has no stubs of its own.
"""

import keyword
from collections.abc import Iterable, Iterator
from typing import Any

from numba.cuda import types
from numba.cuda.vector_types import VectorType

from ..module import Module, Namespace
from ..structs import TupleClass, names_in_module, structs_in
from ..stubs import Signature, identifier, merged
from . import members
from .module import DeviceContents, DeviceFunction
from .registration import defaults_of_members
from .signatures import Overload
from .types import StructType

_HEADER = """\
# Made by `python -m kernix stubs --numba`; describes what kernix.load returns for {name} with target="numba".
from typing import Any, TypeAlias, overload

Array: TypeAlias = Any
"""
_DUNDERS = {
    ("+", 2): "add",
    ("-", 2): "sub",
    ("*", 2): "mul",
    ("/", 2): "truediv",
    ("%", 2): "mod",
    ("<<", 2): "lshift",
    (">>", 2): "rshift",
    ("&", 2): "and",
    ("|", 2): "or",
    ("^", 2): "xor",
    ("==", 2): "eq",
    ("!=", 2): "ne",
    ("<", 2): "lt",
    ("<=", 2): "le",
    (">", 2): "gt",
    (">=", 2): "ge",
    ("[]", 2): "getitem",
    ("-", 1): "neg",
    ("+", 1): "pos",
    ("~", 1): "invert",
}
_SHORT = 8  # tuples of more have their length left out


def module_stub(module: Module) -> str:
    return _Printer(module._kernix).text(module)


class _Printer:
    def __init__(self, contents: Any) -> None:
        assert isinstance(contents, DeviceContents)
        self.contents = contents
        structs = {each.name: each for value in contents.structs.values() for each in structs_in(value)}
        self.names = {name: shown for name, shown in names_in_module(structs).items() if name in contents.struct_types}

    def text(self, module: Module) -> str:
        name = identifier(self.contents.name)
        scopes = {scope._kernix: scope for scope in _scopes_in(module)}
        parts = [_HEADER.format(name=self.contents.name)]
        for struct, shown in self.names.items():
            found = self.contents.struct_types[struct]
            if isinstance(found, StructType):
                parts.append("\n".join(self._struct(found, shown, scopes.get(struct))))
        parts.append("\n".join(self._place(f"_{name}", module, "")))
        parts.append(f"{name}: _{name}")
        return "\n".join(part.rstrip("\n") + "\n" for part in parts)

    # -- what is where ----------------------------------------------------------------------------------------------

    def _place(self, name: str, place: Any, indent: str) -> list[str]:
        """A module or a namespace, as a class."""
        lines: list[str] = []
        for last, value in _attributes_of(place):
            if isinstance(value, DeviceFunction):
                lines += self._function(last, value, indent + "    ")
            elif isinstance(value, TupleClass):
                struct = next((found for each, found in self.contents.types_of_classes() if each is value), None)
                if isinstance(struct, StructType):
                    lines.append(f"{indent}    {last}: type[{self._class_name(struct)}]")
            elif isinstance(value, Namespace) and value._kernix in self.names:
                lines.append(f"{indent}    {last}: type[_{self.names[value._kernix]}]")
            elif isinstance(value, Namespace):
                lines += self._place(f"_{last}", value, indent + "    ")
                lines.append(f"{indent}    {last}: _{last}")
        return [f"{indent}class {name}:", *(lines or [f"{indent}    ..."])]

    def _function(self, name: str, function: DeviceFunction, indent: str) -> list[str]:
        derivatives = {which: function.derivative(which) for which in ("bwd", "fwd") if function.overloads}
        if not any(derivatives.values()):
            return self._definitions(name, _longest(function), indent, refused=function.why_not)
        lines = [f"{indent}class _{name}:"]
        lines += self._definitions("__call__", _longest(function), indent + "    ", refused=function.why_not)
        for which, derivative in derivatives.items():
            if derivative is not None:
                lines += self._definitions(which, _longest(derivative), indent + "    ", refused=derivative.why_not)
        return [*lines, f"{indent}{name}: _{name}"]

    def _definitions(
        self, name: str, overloads: Iterable[Overload], indent: str, *, first: str = "self", skip: int = 0, refused: Iterable[str] = ()
    ) -> list[str]:
        """`skip`: arguments that stand before `first`, or are it."""
        decorator = [] if first else [f"{indent}@staticmethod"]
        by_number: dict[int, list[Signature]] = {}
        for each in overloads:
            signature = self._signature(each, skip, is_constructor=name == "__init__")
            by_number.setdefault(len(signature.parameters), []).append(signature)
        found = [signature for group in by_number.values() for signature in merged(group)]
        lines = [f"{indent}# {reason}" for reason in refused]
        for signature in found:
            lines += [f"{indent}@overload"] if len(found) > 1 else []
            ignored = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
            own = "_self" if first and any(each == first for each, _, _ in signature.parameters) else first
            lines += [*decorator, f"{indent}def {name}({signature.written(own)}: ...{ignored}"]
        return lines

    def _signature(self, overload: Overload, skip: int, is_constructor: bool) -> Signature:
        fixed = len(overload.names) - len(overload.defaults)
        parameters = []
        for k, (name, of) in enumerate(zip(overload.names, overload.arguments, strict=True)):
            if k >= skip:
                default = overload.defaults[k - fixed] if k >= fixed else None
                shown = repr(default) if isinstance(default, (bool, int)) or default in (0.0, 1.0) else "..."
                parameters.append((name, self._type(of), f" = {shown}" if k >= fixed else ""))
        return Signature(tuple(parameters), "None" if is_constructor else self._type(overload.result))

    # -- structs ----------------------------------------------------------------------------------------------------

    def _struct(self, struct: StructType, shown: str, scope: Namespace | None) -> list[str]:
        lines = []
        constructor = scope._constructor if scope is not None else None
        classes = [tuple_class for tuple_class, found in self.contents.types_of_classes() if found == struct]
        defaults = defaults_of_members(scope or classes[0], struct)
        given = [(name, self._type(of), " = ..." if name in defaults else "") for name, of in struct.members]
        fields = Signature(tuple(given), "None")
        if isinstance(constructor, DeviceFunction):
            constructors = self._definitions("__init__", _longest(constructor), "    ")
            if not any(line.endswith(f"def __init__({fields.written('self')}: ...") for line in constructors):
                constructors = constructors if "    @overload" in constructors else ["    @overload", *constructors]
                constructors += ["    @overload", f"    def __init__({fields.written('self')}: ..."]
            lines += constructors
        else:
            lines.append(f"    def __init__({fields.written('self')}: ...")
        for name, of in struct.members:
            lines += ["    @property", f"    def {name}(self) -> {self._type(of)}: ..."]
        for name, function in _attributes_of(scope) if scope is not None else ():
            if isinstance(function, DeviceFunction) and function is not constructor:
                lines += self._method(struct, name, function)
        for symbol, dunder in _DUNDERS.items():
            found = [
                overload
                for function in self.contents.functions.values()
                for each, overload in members.operators(function)
                if each == symbol and overload.arguments and overload.arguments[0] == struct
            ]
            lines += self._definitions(f"__{dunder}__", found, "    ", skip=1)
        return [f"class {shown}:", *lines, f"_{shown}: TypeAlias = {shown}", ""]

    def _method(self, struct: StructType, name: str, function: DeviceFunction) -> list[str]:
        overloads = list(_longest(function))
        if all(each.arguments and each.arguments[0] == struct for each in overloads):
            return self._definitions(name, overloads, "    ", skip=1, refused=function.why_not)
        return self._definitions(name, overloads, "    ", first="", refused=function.why_not)

    # -- types ------------------------------------------------------------------------------------------------------

    def _class_name(self, struct: StructType) -> str:
        return f"_{self.names[struct.cxx_name]}" if struct.cxx_name in self.names else "Any"

    def _type(self, of: Any) -> str:
        if of == types.void:
            return "None"
        if isinstance(of, types.CPointer):
            return "Array"
        if isinstance(of, StructType):
            return self._class_name(of)
        if isinstance(of, VectorType):
            return "Any"
        if isinstance(of, types.UniTuple) and of.count > _SHORT:
            return f"tuple[{self._type(of.dtype)}, ...]"
        if isinstance(of, types.BaseTuple):
            return f"tuple[{', '.join(map(self._type, of))}]"
        kinds = {types.Boolean: "bool", types.Integer: "int", types.Complex: "complex"}
        return next((name for kind, name in kinds.items() if isinstance(of, kind)), "float")


def _longest(function: DeviceFunction) -> Iterator[Overload]:
    return (overload for overload in function.overloads if not overload.left_out)


def _attributes_of(place: Any) -> Iterator[tuple[str, Any]]:
    """What can be written, each once."""
    for name, value in vars(place).items():
        if name.isidentifier() and not keyword.iskeyword(name):
            yield name, value


def _scopes_in(place: Any) -> Iterator[Namespace]:
    for _, value in _attributes_of(place):
        if isinstance(value, Namespace):
            yield value
            yield from _scopes_in(value)
