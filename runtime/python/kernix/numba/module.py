"""The device functions of a module that code compiled by Numba calls: kernels for CUDA, functions on the CPU."""

import ctypes
import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import _paths
from ..errors import KernelError
from ..module import Contents, Module
from ..names import name_parameters
from ..options import Options
from ..registration import Registration
from ..structs import cxx_name, structs_in
from . import types as of_numba
from .signatures import NotInNumba, Overload, overloads


class DeviceFunction:
    """A device function under its bound name, with all its overloads.

    In a kernel, and in a function that Numba compiles for the CPU, a call has the arguments that the intents leave, by
    position. From Python the CPU target runs it.
    """

    def __init__(self, contents: "DeviceContents", name: str, records: list[dict[str, Any]]) -> None:
        self._contents = contents
        self._name = name
        self._records = records
        self.overloads: list[Overload] = []
        self.why_not: list[str] = []
        for record in records:
            try:
                self.overloads += overloads(record, contents.struct_types)
            except NotInNumba as reason:
                self.why_not.append(f"{record['signature']}: {reason}")
        self.__name__ = name
        self.__doc__ = records[0]["doc"]

    def __repr__(self) -> str:
        return f"<kernix device function {self._name}>"

    def derivative(self, which: str) -> "DeviceFunction | None":
        """`which`: "bwd" or "fwd"."""
        name = self._records[0][{"bwd": "backward", "fwd": "forward"}[which]]
        return None if name is None else self._contents.functions[name]

    def _of(self, which: str) -> "DeviceFunction":
        found = self.derivative(which)
        if found is None:
            raise AttributeError(f"{self._name} has no '{which}': mark it [[kernix::differentiable]]")
        return found

    @property
    def bwd(self) -> "DeviceFunction":
        """The backward derivative. A call gives the gradients of the arguments that are values, as a tuple."""
        return self._of("bwd")

    @property
    def fwd(self) -> "DeviceFunction":
        """The forward derivative: every argument is followed by its tangent; gives the value and its tangent."""
        return self._of("fwd")

    def __call__(self, /, *arguments: object, **named: object) -> Any:
        names = dict.fromkeys(record["name"] for record in self._records)
        operations = [self._contents.on_cpu[name] for name in names]
        return next(filter(lambda each: _fits(each, arguments, named), operations), operations[0])(*arguments, **named)


def _fits(operation: Any, arguments: tuple[object, ...], named: dict[str, object]) -> bool:
    try:
        operation.__signature__.bind(*arguments, **named)
    except TypeError:
        return False
    return True


class DeviceContents(Contents):
    """Like Contents, without a library of its own: kernels have PTX, everything else runs on the CPU target.

    made: what NumbaBuild made; or a sentence that says why there is none, then only the CPU can be used.
    changed: gives a file that has changed since.
    """

    def __init__(
        self,
        name: str,
        sources: Sequence[str],
        options: Options,
        made: dict[str, Any] | str,
        changed: Callable[[], str | None] | None = None,
    ) -> None:
        self.name = name
        self.registration = Registration(name)
        self.targets = ("numba",)
        self.lock = threading.RLock()
        self.built = {}
        self.libraries = {"numba": None}
        self.structs = {}
        self.sources = list(sources)
        self.options = options
        self._on_cpu: Module | None = None
        self._changed = changed
        self._names_on_cpu: dict[str, str] = {}
        if not isinstance(made, str):
            made, self._names_on_cpu = _with_names_of_its_own(made)
        self.no_ptx = made if isinstance(made, str) else ""
        self.ptx: list[str] = [] if isinstance(made, str) else made["ptx"]
        self.nvvm: dict[str, str] = {} if isinstance(made, str) else made["nvvm"]  # of the shims that have such a text
        by_name: dict[str, list[dict[str, Any]]] = {}
        for record in self._records_on_cpu() if isinstance(made, str) else made["records"]:
            if record["kind"] == "device":
                name_parameters(record)
                by_name.setdefault(record.get("overload_of") or record["name"], []).append(record)
        self.struct_types = _struct_types(by_name)
        self.functions = {name: DeviceFunction(self, name, records) for name, records in by_name.items()}

    @property
    def on_cpu(self) -> Module:
        """The same sources for the CPU target, built when it is first needed."""
        with self.lock:
            if self._on_cpu is None:
                from ..load import load_sources
                from .build import CpuShimsBuild

                self.check_unchanged()
                self._on_cpu = load_sources(
                    self.sources, "cpu", options=self.options, name=self.name, build_class=CpuShimsBuild
                )
            return self._on_cpu

    def _records_on_cpu(self) -> list[dict[str, Any]]:
        records = self.on_cpu._kernix.default_library.records
        return [json.loads(text) for texts in records.values() for text in texts]

    def address_on_cpu(self, symbol: str) -> int:
        """Of a shim in the library for the CPU."""
        path = self.on_cpu._kernix.built["cpu"].path
        shim = getattr(ctypes.CDLL(path), self._names_on_cpu.get(symbol, symbol), None)
        address = ctypes.cast(shim, ctypes.c_void_p).value if shim is not None else None
        if address is None:
            raise KernelError(f"{self.name}: a source has changed since the module was loaded; load it again")
        return address

    def check_unchanged(self) -> None:
        """What is built later is of the same sources, headers included."""
        if self._changed is not None and (changed := self._changed()):
            raise KernelError(f"{self.name}: {changed} has changed since the module was loaded; load it again")

    def register(self, also: Module) -> None:
        """Makes `also`, and the functions, known to Numba."""
        from .registration import register

        register(self, also)

    def types_of_classes(self) -> Iterator[tuple[Any, Any]]:
        """The classes of structs in Python, those of members too, with their types of Numba."""
        for value in list(self.structs.values()):
            for struct in structs_in(value):
                if struct.name in self.struct_types:
                    yield struct.tuple_class, self.struct_types[struct.name]

    def type_of_struct(self, tuple_class: Any) -> Any:
        """None for other objects."""
        return next((found for each, found in self.types_of_classes() if each is tuple_class), None)


def _with_names_of_its_own(made: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Shims of other code have other names: one kernel may call functions of several loads of a source, between which a header,
    a config file or an option was changed. The second: names in the library for the CPU by the new ones."""
    content = hashlib.sha256(json.dumps([made["ptx"], made["nvvm"]]).encode()).hexdigest()[:16]
    names: dict[str, str] = {}

    def rename(text: str) -> str:
        return re.sub(r"kernix_numba_[0-9a-f]+", lambda found: own(found[0]), text)

    def own(name: str) -> str:
        names[name + content] = name
        return name + content

    ptx = [rename(text) for text in made["ptx"]]
    nvvm = {own(name): rename(text) for name, text in made["nvvm"].items()}
    records = [{**each, "numba_shim": own(each["numba_shim"])} if "numba_shim" in each else each for each in made["records"]]
    return {**made, "ptx": ptx, "nvvm": nvvm, "records": records}, names


def _struct_types(by_name: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for records in by_name.values():
        for record in records:
            for parameter in [*record["parameters"], record["result"]]:
                if parameter and parameter.get("fields"):
                    name = cxx_name(parameter["type"])
                    found.setdefault(name, of_numba.struct(name, parameter["fields"], parameter["size"]))
    for value in list(found.values()):
        for inner in _structs_in(value):
            found.setdefault(inner.cxx_name, inner)
    return found


def _structs_in(value: Any) -> Iterator[Any]:
    for member in of_numba.members_of(value):
        if isinstance(member, of_numba.StructType):
            yield member
        yield from _structs_in(member)


class CallFailed(KernelError):
    """A device function that was called on the CPU has ended with an error, which the runtime knows."""

    def __init__(self, signature: str) -> None:
        runtime = ctypes.CDLL(os.path.join(_paths.LIBRARY, "libkernix_runtime.so.0"))
        runtime.kernix_last_error.restype = ctypes.c_char_p
        super().__init__(f"{signature}: {runtime.kernix_last_error().decode(errors='replace')}")
