"""What kernix.load returns: the functions of one module, for both targets.

A module opens its default target at once and the other when a call needs it. Its functions are its attributes; for
names that Python or the class itself uses, ``module["name"]`` always works.
"""

import threading
from collections.abc import Callable, Iterator
from typing import Any

from . import _binding
from .build import Built
from .errors import KernelError, KernelValueError
from .function import FunctionDetails
from .structs import StructType, cxx_name, python_name


class Namespace:
    """Functions and structs of a C++ namespace."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"<kernix namespace {self._name}: {', '.join(n for n in vars(self) if not n.startswith('_'))}>"


class Module:
    """A module of bound functions."""

    def __init__(self, name: str, targets: tuple[str, ...], build: Callable[[str], Built]) -> None:
        self._name = name
        self._targets = targets
        self._build = build
        self._lock = threading.RLock()
        self._built: dict[str, Built] = {}
        self._libraries: dict[str, Any] = {}
        self._functions: dict[str, Any] = {}
        self._structs: dict[str, StructType] = {}
        self._open(targets[0])
        self._add_functions()

    # -- access ----------------------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        try:
            return self._functions[name.replace(".", "::")]
        except KeyError:
            raise KeyError(self._no_such(name)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.endswith("_funcinfo") and (function := self._by_name(name.removesuffix("_funcinfo"))) is not None:
            return function.funcinfo
        raise AttributeError(self._no_such(name))

    def __dir__(self) -> list[str]:
        names = [name for name in vars(self) if not name.startswith("_")]
        return sorted({*names, *(f"{name}_funcinfo" for name in self._functions if "::" not in name)})

    def __repr__(self) -> str:
        loaded = ", ".join(self._libraries)
        functions = ", ".join(self._functions) or "no functions"
        return f"<kernix module {self._name} ({loaded}): {functions}>"

    def _by_name(self, name: str) -> Any:
        if name in self._functions:
            return self._functions[name]
        matches = [full for full in self._functions if full.rpartition("::")[2] == name]
        return self._functions[matches[0]] if len(matches) == 1 else None

    def _no_such(self, name: str) -> str:
        from ._support import suggest

        names = list(self._functions)
        return f"module {self._name} has no function '{name}'{suggest(name, names)}; it has: {', '.join(names) or 'none'}"

    # -- targets ---------------------------------------------------------------------------------------------------

    @property
    def _default_library(self) -> Any:
        return self._libraries[self._targets[0]]

    def _open(self, target: str) -> Any:
        built = self._build(target)
        library = _binding.Library(built.path)
        if library.target != target:
            raise KernelError(f"{built.path} is built for {library.target}, not for {target}")
        self._built[target] = built
        self._libraries[target] = library
        return library

    def _open_target(self, target: str, function: str) -> None:
        """Builds and opens a target because arrays of its device were passed to `function`."""
        with self._lock:
            if target in self._libraries:
                return
            if target not in self._targets:
                have = " and ".join(self._targets)
                arrays = "CUDA arrays" if target == "cuda" else "arrays on the CPU"
                raise KernelValueError(
                    f"{self._name}.{function}: the module is for the target {have} only, and was given {arrays}"
                )
            library = self._open(target)
            records = library.records
            for name, operation in self._functions.items():
                if name in records:
                    operation._attach(library)

    # -- functions and structs -------------------------------------------------------------------------------------

    def _add_functions(self) -> None:
        library = self._default_library
        for name, records in library.records.items():
            operation = _binding.Operation(name, FunctionDetails(self, name, records))
            operation._attach(library)
            self._functions[name] = operation
            self._expose(name, operation)
        for operation in list(self._functions.values()):
            for record in operation._records:
                self._add_structs(record)

    def _expose(self, name: str, value: object) -> None:
        """As an attribute, below its namespaces if it has some, and by its last name where that is unique."""
        *spaces, last = name.split("::")
        place: Any = self
        for depth, space in enumerate(spaces):
            inner = vars(place).get(space)
            if not isinstance(inner, Namespace):
                inner = Namespace("::".join(spaces[: depth + 1]))
                vars(place)[space] = inner
            place = inner
        vars(place)[last] = value
        if spaces and sum(full.rpartition("::")[2] == last for full in self._default_library.records) == 1:
            vars(self).setdefault(last, value)

    def _add_structs(self, record: dict[str, Any]) -> None:
        for parameter in [*record["parameters"], record["result"]]:
            if parameter and parameter.get("fields"):
                name = cxx_name(parameter["type"])
                if name not in self._structs:
                    struct = self._struct_type(name, parameter["fields"])
                    *spaces, _ = name.partition("<")[0].split("::")
                    self._expose_struct(spaces, python_name(name), struct.tuple_class)

    def _expose_struct(self, spaces: list[str], name: str, tuple_class: object) -> None:
        if spaces and isinstance(vars(self).get(spaces[0]), Namespace):
            vars(vars(self)[spaces[0]]).setdefault(name, tuple_class)
        vars(self).setdefault(name, tuple_class)

    def _struct_type(self, name: str, fields: list[dict[str, Any]]) -> StructType:
        if name not in self._structs:
            self._structs[name] = StructType(name, fields)
        return self._structs[name]
