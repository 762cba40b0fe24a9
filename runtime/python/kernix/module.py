"""What kernix.load returns: the functions of one module, for both targets.

A module opens its default target at once and the other when a call needs it. Its functions are its attributes; for
names that Python itself uses, ``module["name"]`` always works.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from . import _binding
from .build import Built
from .derivative import Derivative
from .errors import KernelError, KernelTypeError, KernelValueError, NothingBound
from .function import FunctionDetails
from .names import python_names
from .registration import Registration, warn_of_replaced
from .structs import StructType, ValueType, cxx_name, names_in_module, namespaces_of, python_name, structs_in, value_type


class Contents:
    """The libraries, functions and structs of a module. Apart from Module, whose attributes belong to the user."""

    def __init__(
        self,
        name: str,
        targets: tuple[str, ...],
        build: Callable[[str], Built],
        registration: Registration | None = None,
        namespace: str | None = None,
    ) -> None:
        self.name = name
        self.namespace = namespace  # of torch's operators
        self.registration = registration or Registration(name)
        # Only the loaders that speak of JAX's names register them, and only where JAX is imported.
        self._registers = registration is not None and registration.enabled and "jax" in sys.modules
        self.targets = targets
        self.build = build
        self.lock = threading.RLock()
        self.built: dict[str, Built] = {}
        self.libraries: dict[str, Any] = {}
        self.functions: dict[str, Any] = {}
        self.structs: dict[tuple[str, ...], ValueType] = {}
        library = self.open(targets[0])
        for target in targets[1:]:
            library.register_for(target)  # both have the same variants
        for function, records in library.records.items():
            operation = _binding.Operation(function, FunctionDetails(self, function, records))
            operation._attach(library)
            self.functions[function] = self._as_shown(operation)
        self._announce()

    def _announce(self) -> None:
        """To torch, where it is imported or may be. Importing it is left to the user, unless operators are to have names
        that other programs know."""
        from .torch import compiler

        compiler.allow(list(self.functions.values()))
        if self.namespace is not None or sys.modules.get("torch") is not None:
            from .torch import naming

            naming.announce(self)

    @staticmethod
    def _as_shown(operation: Any) -> Any:
        """Derivatives are called with pairs, through an object of their own."""
        record = operation._records[0]
        return Derivative(operation, record["primal"]) if record["derivative"] else operation

    @property
    def default_library(self) -> Any:
        return self.libraries[self.targets[0]]

    def open(self, target: str) -> Any:
        built = self.build(target)
        try:
            library = _binding.Library(built.path)
        except KernelError as error:
            if built.build is None or "kernix_module_info is missing" not in str(error):
                raise
            sources = ", ".join(unit.path for unit in built.build.units)
            raise NothingBound(
                f"{sources}: no function is bound; write [[kernix::bind]] before a definition, or give config="
            ) from None
        if library.target != target:
            raise KernelError(f"{built.path} is built for {library.target}, not for {target}")
        self.built[target] = built
        self.libraries[target] = library
        if self._registers:
            from .jax import targets

            if targets.register_library(library, self.registration):
                warn_of_replaced(self.registration)
        return library

    def open_target(self, target: str, function: str) -> None:
        """Builds and opens a target because `function` needs it."""
        with self.lock:
            if target in self.libraries:
                return
            if target not in self.targets:
                have = " and ".join(self.targets)
                arrays = "CUDA arrays" if target == "cuda" else "arrays on the CPU"
                raise KernelValueError(
                    f"{self.name}.{function}: the module is for the target {have} only, and was given {arrays}"
                )
            library = self.open(target)
            records = library.records
            for name, operation in self.functions.items():
                if name in records:
                    operation._attach(library)

    def struct_type(self, name: str, fields: list[dict[str, Any]]) -> ValueType:
        # A tangent has the floating-point fields only, and no defaults.
        key = (name, *(f"{field['name']}={field.get('default')}" for field in fields))
        if key not in self.structs:
            self.structs[key] = value_type(name, fields)
        return self.structs[key]

    def by_name(self, name: str) -> Any:
        """A function by its name, or by its last name where that is unique; else None."""
        if name in self.functions:
            return self.functions[name]
        matches = [full for full in self.functions if full.rpartition("::")[2] == name]
        return self.functions[matches[0]] if len(matches) == 1 else None

    def no_such(self, name: str) -> str:
        from ._support import suggest

        names = list(self.functions)
        return f"module {self.name} has no function '{name}'{suggest(name, names)}; it has: {', '.join(names) or 'none'}"


class Namespace:
    """Functions and structs of a C++ namespace; or of a class: then a call makes an object.

    A constructor that is bound makes it from its own arguments, else it is given its members.
    """

    # A slot is found before an attribute of the same name: no function can get in its way.
    __slots__ = ("__dict__", "__weakref__", "_kernix", "_struct")
    _kernix: str
    _struct: StructType | None

    def __init__(self, name: str) -> None:
        self._kernix = name
        self._struct = None

    @property
    def _constructor(self) -> Any:
        return vars(self).get(self._kernix.rpartition("::")[2])

    def __call__(self, /, *values: object, **named: object) -> Any:
        if self._constructor is not None:
            return self._constructor(*values, **named)
        if self._struct is None:
            raise KernelTypeError(f"{self._kernix} is a namespace, or a class that no bound function takes or gives")
        return self._struct.tuple_class(*values, **named)

    def __repr__(self) -> str:
        return f"<kernix namespace {self._kernix}: {', '.join(vars(self))}>"


class Module:
    """A module of bound functions."""

    __slots__ = ("__dict__", "__weakref__", "_kernix")
    _kernix: Contents

    def __init__(self, contents: Contents) -> None:
        self._kernix = contents
        for name, function in contents.functions.items():
            _expose(self, name, function)
        _expose_structs(self)

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str):
            raise KernelTypeError(f"module {self._kernix.name}: expected the name of a function, got {name!r}")
        try:
            return self._kernix.functions[name.replace(".", "::")]
        except KeyError:
            raise KeyError(self._kernix.no_such(name)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernix.functions)

    def __len__(self) -> int:
        return len(self._kernix.functions)

    def __contains__(self, name: object) -> bool:
        return name in self._kernix.functions

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        function = self._kernix.by_name(name)  # after `del module.f`
        if function is not None:
            return function
        function = self._kernix.by_name(name.removesuffix("_funcinfo")) if name.endswith("_funcinfo") else None
        if function is not None:
            return function.funcinfo
        # Without the object Python adds no second suggestion of its own.
        raise AttributeError(self._kernix.no_such(name), name=name, obj=None)

    def __copy__(self) -> "Module":
        return self

    def __deepcopy__(self, memo: object) -> "Module":
        return self

    def __reduce__(self) -> Any:
        raise KernelTypeError(f"module {self._kernix.name} cannot be pickled: load it where it is needed")

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *(f"{name}_funcinfo" for name in self if "::" not in name)})

    def __repr__(self) -> str:
        contents = self._kernix
        return f"<kernix module {contents.name} ({', '.join(contents.libraries)}): {', '.join(self) or 'no functions'}>"


def _expose(module: Module, name: str, value: object) -> None:
    """As an attribute, below its namespaces if it has some, and by its last name where that is unique."""
    *spaces, last = name.split("::")
    place: Any = module
    for depth, space in enumerate(spaces):
        inner = vars(place).get(space)
        if not isinstance(inner, Namespace):
            inner = Namespace("::".join(spaces[: depth + 1]))
            _set(place, space, inner)
        place = inner
    _set(place, last, value)
    if spaces and module._kernix.by_name(last) is value and last not in vars(module):
        _set(module, last, value)


def _set(place: Any, name: str, value: object) -> None:
    """Under its name, and under the one that Python can write."""
    vars(place)[name] = value
    vars(place).setdefault(python_names([name])[0], value)


def _expose_structs(module: Module) -> None:
    """As attributes of the module and, if that has functions too, of their namespace."""
    contents = module._kernix
    found: dict[str, StructType] = {}
    for function in contents.functions.values():
        for record in function._records:
            for parameter in [*record["parameters"], record["result"]]:
                if parameter and parameter.get("fields") and not record["derivative"]:
                    name = cxx_name(parameter["type"])
                    whole = contents.struct_type(name, parameter["fields"])
                    if isinstance(whole, StructType):
                        _expose_in_namespace(module, whole)
                    for struct in structs_in(whole):
                        found.setdefault(struct.name, struct)
    for name, shown in names_in_module(found).items():
        scope = _scope_of(module, name)
        if scope is not None:
            scope._struct = found[name]
        vars(module).setdefault(shown, found[name].tuple_class if scope is None else scope)


def _scope_of(module: Module, name: str) -> Namespace | None:
    """What holds the bound members of a class."""
    place: Any = module
    for space in name.split("::"):
        place = vars(place).get(space)
        if not isinstance(place, Namespace):
            return None
    return place  # type: ignore[no-any-return]


def _expose_in_namespace(module: Module, struct: StructType) -> None:
    place: Any = module
    for space in namespaces_of(struct.name):
        place = vars(place).get(space)
        if not isinstance(place, Namespace):
            return
    if place is not module:
        vars(place).setdefault(python_name(struct.name), struct.tuple_class)
