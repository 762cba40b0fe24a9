"""Device functions and structs in Numba-CUDA's typing and lowering.

All that kernix uses of Numba-CUDA beside its public API is in this file: typing and target contexts, function templates,
code libraries, argument packers and data models. Tested with numba-cuda 0.30.4.
"""

import weakref
from typing import Any

from numba import cuda
from numba.cuda import cgutils, types
from numba.cuda.codegen import ExternalCodeLibrary
from numba.cuda.core.imputils import lower_constant
from numba.cuda.descriptor import cuda_target
from numba.cuda.extending import infer_getattr, lower_cast, lower_getattr_generic, typeof_impl
from numba.cuda.typing import signature
from numba.cuda.typing.templates import AbstractTemplate, AttributeTemplate

from ..errors import KernelTypeError
from ..module import Module, Namespace
from ..structs import TupleClass
from .module import DeviceContents, DeviceFunction, refuse
from .signatures import Overload
from .types import StructType, has_layout_of

_declared: "weakref.WeakKeyDictionary[Any, Module]" = weakref.WeakKeyDictionary()  # what a module means in kernels


class FunctionType(types.Function):
    """Of a device function; its derivatives are attributes."""

    def __init__(self, template: Any, function: DeviceFunction) -> None:
        super().__init__(template)
        self.function = function


class ScopeType(types.Type):
    """Of a module, or of a namespace in it. Kernels use them for their attributes only."""

    def __init__(self, scope: Any) -> None:
        self.scope = scope
        super().__init__(name=f"kernix.scope({scope!r}, {id(scope)})")


_registered: "weakref.WeakSet[DeviceContents]" = weakref.WeakSet()
_types: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()  # of functions and of structs' classes


def register(contents: DeviceContents, also: Module) -> None:
    """Registers all functions and structs. `also` stands for them in kernels."""
    if also._kernix is not contents:
        _declared[also] = Module(contents)
    if contents in _registered:
        return
    _registered.add(contents)
    library = ExternalCodeLibrary(f"kernix_{contents.name}", cuda_target.target_context.codegen())
    for index, text in enumerate(contents.ptx):
        library.add_linking_file(cuda.PTXSource(text.encode(), name=f"{contents.name}.{index}.ptx"))
    for function in contents.functions.values():
        _register_function(function, library)
    for value in contents.structs.values():
        tuple_class = getattr(value, "tuple_class", None)
        struct = contents.type_of_struct(tuple_class)
        if isinstance(struct, StructType):
            _register_constructor(tuple_class, struct)


# -- functions ----------------------------------------------------------------------------------------------------------


def _register_function(function: DeviceFunction, library: Any) -> None:
    chosen: dict[Any, Overload] = {}  # by what a kernel passes

    class Template(AbstractTemplate):
        key = function

        def generic(self, args: Any, kws: Any) -> Any:
            if kws:
                raise KernelTypeError(f"{function._name}: arguments in kernels are given by position")
            if not function.overloads:
                raise refuse(function)
            cases = [signature(each.result, *_wanted(each, args)) for each in function.overloads]
            found = self.context.resolve_overload(self.key, cases, args, kws)
            if found is not None:
                at = next(k for k, case in enumerate(cases) if case == found)
                chosen[found.args] = function.overloads[at]
            return found

    def call(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _call(context, builder, chosen[sig.args], sig.args, args)

    call.signature = (types.VarArg(types.Any),)  # type: ignore[attr-defined]
    call.libs = (library,)  # type: ignore[attr-defined]
    cuda_target.target_context.insert_func_defn([(call, function, call.signature)])  # type: ignore[attr-defined]
    _types[function] = FunctionType(Template, function)


def _wanted(overload: Overload, args: Any) -> list[Any]:
    """Arrays stay what they are where a pointer to their elements is wanted."""
    wanted = list(overload.arguments)
    if len(wanted) == len(args):
        for k, (want, given) in enumerate(zip(wanted, args, strict=True)):
            if isinstance(want, types.CPointer) and isinstance(given, types.Array) and _is_array_of(given, want.dtype):
                wanted[k] = given if given.mutable or overload.read_only[k] else want
    return wanted


def _is_array_of(array: Any, element: Any) -> bool:
    if array.layout != "C":
        return False
    is_struct = isinstance(element, StructType) and isinstance(array.dtype, types.Record)
    return array.dtype == element or (is_struct and element.fits(array.dtype) and has_layout_of(array.dtype, element))


def _call(context: Any, builder: Any, overload: Overload, given: Any, args: Any) -> Any:
    llvm_types, leaves = [], []
    for want, have, value in zip(overload.arguments, given, args, strict=True):
        if isinstance(have, types.Array) and isinstance(want, types.CPointer):
            value = builder.bitcast(context.make_array(have)(context, builder, value).data, cgutils.voidptr_t)
            llvm_types.append(value.type)
            leaves.append(value)
            continue
        packer = context.get_arg_packer((want,))
        flat = packer.as_arguments(builder, (value,))
        llvm_types += [each.type for each in flat]
        leaves += flat
    for dtype, value in overload.left_out:
        constant = context.get_argument_type(dtype)
        parts = [value.real, value.imag] if isinstance(value, complex) else [value]
        kinds = list(constant.elements) if isinstance(value, complex) else [constant]
        leaves += [kind(part) for kind, part in zip(kinds, parts, strict=True)]
        llvm_types += kinds
    i32 = cgutils.int32_t
    shim_type = cgutils.ir.FunctionType(i32, [cgutils.voidptr_t, *llvm_types])
    shim = cgutils.get_or_insert_function(builder.module, shim_type, overload.symbol)
    packers = context.get_arg_packer(overload.results)
    kinds = list(packers.argument_types)
    if not kinds:
        builder.call(shim, [cgutils.voidptr_t(None), *leaves])
        return context.get_dummy_value()
    results = cgutils.alloca_once(builder, cgutils.ir.LiteralStructType(kinds))
    builder.call(shim, [builder.bitcast(results, cgutils.voidptr_t), *leaves])
    flat = [builder.load(cgutils.gep_inbounds(builder, results, 0, k)) for k in range(len(kinds))]
    values = list(packers.from_arguments(builder, flat))
    return values[0] if len(overload.results) == 1 else context.make_tuple(builder, overload.result, values)


# -- modules and namespaces ---------------------------------------------------------------------------------------------


@typeof_impl.register(Module)
def _typeof_module(module: Module, context: Any) -> Any:
    found = module if isinstance(module._kernix, DeviceContents) else _declared.get(module)
    if found is None:
        raise KernelTypeError(f"{module!r}: kernix.numba.declare(module) makes it known to Numba")
    return ScopeType(found)


@typeof_impl.register(Namespace)
def _typeof_namespace(namespace: Namespace, context: Any) -> Any:
    return ScopeType(namespace)


@typeof_impl.register(DeviceFunction)
def _typeof_function(function: DeviceFunction, context: Any) -> Any:
    return _types[function]


@typeof_impl.register(TupleClass)
def _typeof_class(tuple_class: TupleClass, context: Any) -> Any:
    return _types.get(tuple_class) or typeof_impl.dispatch(type)(tuple_class, context)


@infer_getattr
class _ScopeAttributes(AttributeTemplate):
    key = ScopeType

    def generic_resolve(self, scope: ScopeType, name: str) -> Any:
        value = getattr(scope.scope, name, None)
        return None if value is None else self.context.resolve_value_type(value)


@infer_getattr
class _FunctionAttributes(AttributeTemplate):
    key = FunctionType

    def generic_resolve(self, function: FunctionType, name: str) -> Any:
        found = function.function.derivative(name) if name in ("bwd", "fwd") else None
        return None if found is None else _types[found]


@lower_getattr_generic(ScopeType)
@lower_getattr_generic(FunctionType)
def _get_attribute(context: Any, builder: Any, typ: Any, value: Any, name: str) -> Any:
    return context.get_dummy_value()


@lower_constant(ScopeType)
def _constant_scope(context: Any, builder: Any, typ: Any, value: Any) -> Any:
    return context.get_dummy_value()


# -- structs ------------------------------------------------------------------------------------------------------------


def _register_constructor(tuple_class: Any, struct: StructType) -> None:
    class Template(AbstractTemplate):
        key = tuple_class

        def generic(self, args: Any, kws: Any) -> Any:
            names = [name for name, _ in struct.members]
            by_name = dict(zip(names, args, strict=False), **kws)
            if len(args) > len(names) or len(args) + len(kws) != len(names) or set(by_name) != set(names):
                raise KernelTypeError(f"{struct.cxx_name}: expected the members {', '.join(names)}")
            return signature(struct, *(of for _, of in struct.members)).replace(pysig=_python_signature(names))

    def make(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        made = cgutils.create_struct_proxy(struct)(context, builder)
        for (name, _), value in zip(struct.members, args, strict=True):
            setattr(made, name, value)
        return made._getvalue()

    make.signature = tuple(of for _, of in struct.members)  # type: ignore[attr-defined]
    cuda_target.target_context.insert_func_defn([(make, tuple_class, make.signature)])  # type: ignore[attr-defined]
    _types[tuple_class] = types.Function(Template)


def _python_signature(names: list[str]) -> Any:
    import inspect

    return inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names])


@infer_getattr
class _StructAttributes(AttributeTemplate):
    key = StructType

    def generic_resolve(self, struct: StructType, name: str) -> Any:
        return struct.member(name)


@lower_getattr_generic(StructType)
def _get_member(context: Any, builder: Any, struct: StructType, value: Any, name: str) -> Any:
    return getattr(cgutils.create_struct_proxy(struct)(context, builder, value=value), name)


@lower_cast(types.Record, StructType)
def _from_record(context: Any, builder: Any, record: Any, struct: StructType, value: Any) -> Any:
    made = cgutils.create_struct_proxy(struct)(context, builder)
    for name, of in struct.members:
        place = cgutils.get_record_member(builder, value, record.offset(name), context.get_data_type(record.typeof(name)))
        inner = record.typeof(name)
        loaded = place if isinstance(inner, types.Record) else context.unpack_value(builder, inner, place)
        setattr(made, name, context.cast(builder, loaded, inner, of))
    return made._getvalue()

