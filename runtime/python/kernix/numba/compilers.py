"""The two compilers whose code calls device functions: Numba-CUDA's for kernels, Numba's own for functions on the CPU.

They share Numba's types and have everything else twice, in modules of their own. All that kernix uses of them beside their
public API is reached through this file and registration.py: typing and target contexts, function templates, data models,
casts, code libraries. Tested with numba-cuda 0.30.4 and Numba 0.68.1.
"""

import functools
import hashlib
import importlib
import re
from typing import Any

from numba.cuda.vector_types import VectorType, vector_types


class Compiler:
    """What one of them has, by the names that both give it."""

    def __init__(self, name: str, package: str, imputils: str, contexts: str, typing: str) -> None:
        def part(path: str) -> Any:
            return importlib.import_module(f"{package}.{path}")

        self.name = name
        extending, templates, lowering = part("extending"), part("typing.templates"), part(imputils)
        self.cgutils = part("cgutils")
        self.ir = self.cgutils.ir
        self.models = part("datamodel.models")
        self.TypingError = part(imputils.replace("imputils", "errors")).TypingError
        self.register_model = extending.register_model
        self.typeof = extending.typeof_impl
        self.register_attributes = extending.infer_getattr
        self.AttributeTemplate = templates.AttributeTemplate
        self.FunctionTemplate = templates.AbstractTemplate
        self.globals = templates.builtin_registry
        self.signature = part("typing").signature
        self.TypingContext = getattr(part(typing.rpartition(".")[0]), typing.rpartition(".")[2])
        self.lower_constant = lowering.lower_constant
        self.lower_attributes = lowering.lower_getattr_generic
        self.lower_cast = lowering.lower_cast
        module, _, target = contexts.rpartition(".")
        self._target = getattr(part(module), target)

    @property
    def context(self) -> Any:
        return self._target.target_context

    def define(self, key: object, lower: Any, arguments: tuple[Any, ...]) -> None:
        """`lower` makes the code of a call of what `key` stands for."""
        lower.signature = arguments
        self.context.insert_func_defn([(lower, key, arguments)])


CUDA = Compiler("CUDA", "numba.cuda", "core.imputils", "descriptor.cuda_target", "target.CUDATypingContext")
CPU = Compiler("the CPU", "numba.core", "imputils", "registry.cpu_target", "typing.Context")


def linked(texts: list[str]) -> Any:
    """PTX that the kernels which use it are linked with: once, where a source was loaded twice."""
    return _linked(tuple(texts))


@functools.cache
def _linked(texts: tuple[str, ...]) -> Any:
    from numba import cuda
    from numba.cuda.codegen import ExternalCodeLibrary

    name = f"kernix_{hashlib.sha256(''.join(texts).encode()).hexdigest()[:16]}"
    library = ExternalCodeLibrary(name, CUDA.context.codegen())
    for index, text in enumerate(texts):
        library.add_linking_file(cuda.PTXSource(text.encode(), name=f"{name}.{index}.ptx"))
    return library


class _Text:
    """Code that libNVVM reads together with that of a kernel, and inlines: a module, and its one function, to Numba."""

    is_declaration = False
    linkage = "linkonce_odr"

    def __init__(self, text: str) -> None:
        self.functions = [self]
        self._text = text

    def __str__(self) -> str:
        from numba.cuda.codegen import CUDA_TRIPLE
        from numba.cuda.cudadrv.nvvm import NVVM

        version = ", ".join(f"i32 {number}" for number in NVVM().get_ir_version())
        head = f'target datalayout = "{NVVM().data_layout}"\ntarget triple = "{CUDA_TRIPLE}"\n'
        text = self._text.replace("define linkonce_odr", f"define {self.linkage}", 1)
        return _CachedText(f"{head}{text}!nvvmir.version = !{{!0}}\n!0 = !{{{version}}}\n")


class _CachedText(str):
    """In Numba's cache on disk, which looks at the kernel's own file only: a kernel from there is used where a module with
    the same code is loaded, and compiled again where it is not."""

    __slots__ = ()

    def __reduce__(self) -> Any:
        return _known, (str(self),)


class NotTheCodeOfAModule(OSError):
    """To Numba, a file that is no longer in its cache."""


_texts: set[str] = set()  # that modules have


def know(text: str) -> None:
    _texts.add(_digest(text))


def _known(text: str) -> str:
    if _digest(text) not in _texts:
        raise NotTheCodeOfAModule("no module with this code is loaded")
    return _CachedText(text)


def _digest(text: str) -> str:
    """Of the functions in a text, whichever linkage they have."""
    return hashlib.sha256(re.sub(r"^(target .*|!.*)\n", "", text, flags=re.M).replace("weak_odr", "linkonce_odr").encode()).hexdigest()


def inlined(name: str, text: str) -> Any:
    """What libNVVM reads of a shim, for kernels that call it. None: it does not read this one."""
    from numba.cuda.codegen import ExternalCodeLibrary

    module = _Text(text)
    if not _is_read(str(module).replace("define linkonce_odr", "define", 1)):
        return None

    class Library(ExternalCodeLibrary):
        modules = frozenset({module})

    return Library(CUDA.context.codegen(), name)


def _is_read(text: str) -> bool:
    """By both of its parts: that for GPUs up to Hopper, and that for later ones."""
    from numba.cuda.cudadrv import nvvm

    for arch in _architectures():
        unit = nvvm.CompilationUnit({"arch": arch})
        unit.add_module(text.encode())
        try:
            unit.verify()
            unit.compile()
        except nvvm.nvvmError:
            return False
    return True


@functools.cache
def _architectures() -> tuple[str, ...]:
    from numba.cuda.cudadrv.nvvm import NVVM

    return tuple(arch for arch in ("compute_90", "compute_100") if NVVM().check_options([f"-arch={arch}".encode()]))


# -- CUDA's vectors, which Numba's own compiler does not know ---------------------------------------------------------


def _register_vectors() -> None:
    for vector in vector_types.values():
        CPU.register_model(type(vector))(_VectorModel)
        _register_vector_constructor(vector)

    @CPU.register_attributes
    class _VectorAttributes(CPU.AttributeTemplate):  # type: ignore[name-defined]
        key = VectorType

        def generic_resolve(self, vector: Any, name: str) -> Any:
            return vector.base_type if name in vector.attr_names else None

    CPU.lower_attributes(VectorType)(_get_component)


class _VectorModel(CPU.models.StructModel):  # type: ignore[name-defined]
    def __init__(self, manager: Any, vector: Any) -> None:
        super().__init__(manager, vector, [(name, vector.base_type) for name in vector.attr_names])


def _get_component(context: Any, builder: Any, vector: Any, value: Any, name: str) -> Any:
    return getattr(CPU.cgutils.create_struct_proxy(vector)(context, builder, value=value), name)


def _register_vector_constructor(vector: Any) -> None:
    """Of numbers and of shorter vectors, as numba.cuda has it."""
    from numba.cuda import types

    constructor = vector.user_facing_object

    class Template(CPU.FunctionTemplate):  # type: ignore[name-defined]
        key = constructor

        def generic(self, args: Any, kws: Any) -> Any:
            parts = [each if isinstance(each, VectorType) else vector.base_type for each in args]
            count = sum(each.num_elements if isinstance(each, VectorType) else 1 for each in parts)
            same = all(each == vector.base_type or each.base_type == vector.base_type for each in parts)
            return CPU.signature(vector, *parts) if same and not kws and count == vector.num_elements else None

    def make(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        numbers: list[Any] = []
        for of, value in zip(sig.args, args, strict=True):
            names = of.attr_names if isinstance(of, VectorType) else []
            numbers += [_get_component(context, builder, of, value, name) for name in names] or [value]
        made = CPU.cgutils.create_struct_proxy(vector)(context, builder)
        for name, number in zip(vector.attr_names, numbers, strict=True):
            setattr(made, name, number)
        return made._getvalue()

    CPU.globals.register_global(constructor, types.Function(Template))
    CPU.define(constructor, make, (types.VarArg(types.Any),))


_register_vectors()
