"""Names of operators: torch.ops.kernix.<function>_<hash of the build>, or torch.ops.<namespace>.<function>.

With the hash, an edited source that is loaded again has operators of its own, and what was compiled before keeps its code.
torch.ops.kernix.<function>, without it, is the operator of the module that was loaded last.

In a namespace the source that was loaded last has the names. Derivatives have the hash there too: what a program keeps for
one build's f_bwd is not what another's takes.
"""

import contextlib
import functools
import hashlib
import os
import re
import sys
import weakref
from typing import Any

import torch

from ..errors import Untraceable
from ..function import FunctionDetails

SPACE = "kernix"
_loaded: dict[str, "weakref.ref[Any]"] = {}  # by the name of a function: the module that was loaded last with one
_marked: dict[tuple[str, str], str] = {}  # by namespace and module: the hash of the build
_mark = ""


def qualified_name(details: FunctionDetails) -> str:
    base = re.sub(r"\W+", "_", details._name)
    namespace = details._module.namespace
    if namespace and not details._records[0]["derivative"]:
        return f"{namespace}::{base}"
    return f"{namespace or SPACE}::{base}_{content(details._module)}"


@functools.cache
def content(contents: Any) -> str:
    """Different for each build: those of kernix are in folders named by their content, others may be written again."""
    target = contents.targets[0]
    path = contents.built[target].path
    state = os.stat(path)
    text = f"{os.path.realpath(path)}:{state.st_mtime_ns}:{state.st_size}"
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def announce(contents: Any) -> None:
    """A module that was loaded: its functions are the ones that torch.ops.kernix shows from now on."""
    if contents.namespace:
        from . import operators

        operators.take_names(contents)
        _mark_cached_programs(contents)
        for operation in contents.functions.values():
            with contextlib.suppress(Untraceable):  # it returns a struct: no operator does
                _ = getattr(operation, "_flat", operation).torch_op  # programs that are read back look for it by name
        return
    space = _install()
    for name in contents.functions:
        base = re.sub(r"\W+", "_", name)
        _loaded[base] = weakref.ref(contents)
        # A namespace has attributes of its own, such as its name.
        if isinstance(vars(space).get(base), torch._ops.OpOverloadPacket):
            delattr(space, base)


def _mark_cached_programs(contents: Any) -> None:
    """Of compiled programs torch keeps on disk what it made of operators, by their names."""
    global _mark
    _marked[contents.namespace, contents.name] = content(contents)
    mark = "".join(f" kernix {namespace}/{name}: {build}" for (namespace, name), build in sorted(_marked.items()))
    config = torch.compiler.config
    if hasattr(config, "cache_key_tag"):
        config.cache_key_tag = config.cache_key_tag.removesuffix(_mark) + mark
        _mark = mark


def _find(base: str) -> Any:
    contents = _loaded[base]() if base in _loaded else None
    if contents is None:
        return None
    name = next(each for each in contents.functions if re.sub(r"\W+", "_", each) == base)
    operation = contents.functions[name]
    return getattr(operation, "_flat", operation).torch_op


def _install() -> Any:
    """torch.ops.kernix, which makes operators when they are asked for."""
    space = getattr(torch.ops, SPACE)
    if not isinstance(space, _Namespace):
        space = _Namespace(SPACE)
        sys.modules[f"torch.ops.{SPACE}"] = space
        setattr(torch.ops, SPACE, space)
    return space


class _Namespace(type(torch.ops.aten)):  # type: ignore[misc]
    __module__ = type(torch.ops.aten).__module__  # the compiler finds operators by it

    def __getattr__(self, name: str) -> Any:
        if (found := _find(name)) is not None:
            return found
        return super().__getattr__(name)
