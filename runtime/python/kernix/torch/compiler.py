"""torch.compile: calls of bound functions stand in Dynamo's graph as they are.

Dynamo cannot look into an object of the extension. It is told to write the call into its graph; what traces the graph
further calls the object with tensors without data, and sees the operator.
"""

import importlib.abc
import importlib.util
import sys
import weakref
from collections.abc import Sequence
from types import ModuleType
from typing import Any

_DYNAMO = "torch._dynamo"
_waiting: "weakref.WeakSet[Any]" = weakref.WeakSet()


def allow(functions: Sequence[Any]) -> None:
    """Now where Dynamo is there, else as soon as it is imported: that takes a second, which a program without
    torch.compile need not wait."""
    if _is_ready():
        _allow(functions)
        return
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    for function in functions:
        _waiting.add(function)


def _is_ready() -> bool:
    return hasattr(sys.modules.get(_DYNAMO), "allow_in_graph")


def _allow(functions: Sequence[Any]) -> None:
    for function in functions:
        sys.modules[_DYNAMO].allow_in_graph(function)


class _Finder(importlib.abc.MetaPathFinder):
    """Sees the import of Dynamo, and leaves it to the next finder."""

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> Any:
        if name != _DYNAMO:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def create_module(self, spec: Any) -> Any:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None:
            spec.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
        if _is_ready():
            _allow(list(_waiting))
            _waiting.clear()
