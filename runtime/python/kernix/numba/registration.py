"""Modules, device functions and structs in the typing and lowering of a compiler of Numba's.

A call becomes one of the function's shim, in PTX that the kernel is linked with or in a library for the CPU: scalars are
passed, and the numbers that a result is made of are read from memory.
"""

import inspect
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from numba.cuda import types

from ..errors import KernelError, KernelTypeError
from ..module import Module, Namespace
from ..structs import TupleClass
from . import leaves, members
from .compilers import CPU, CUDA, Compiler, inlined, know, linked
from .module import CallFailed, DeviceContents, DeviceFunction
from .signatures import Overload
from .types import StructType, has_layout_of, without_halves

_ANY = (types.VarArg(types.Any),)  # arguments
_declared: "weakref.WeakKeyDictionary[Any, Module]" = weakref.WeakKeyDictionary()  # what a module means in compiled code


class FunctionType(types.Function):
    """Of a device function; its derivatives are attributes."""

    def __init__(self, template: Any, function: DeviceFunction) -> None:
        super().__init__(template)
        self.function = function


class ClassType(types.Function):
    """Of a struct: a call makes one; what is bound in its scope are attributes."""

    def __init__(self, template: Any, scope: Any) -> None:
        super().__init__(template)
        self.scope = scope


class ScopeType(types.Type):
    """Of a module, or of a namespace in it. Compiled code uses them for their attributes only."""

    def __init__(self, scope: Any) -> None:
        self.scope = scope
        super().__init__(name=f"kernix.scope({scope!r}, {id(scope)})")


def register(contents: DeviceContents, also: Module) -> None:
    """Registers all functions and structs. `also` stands for them in compiled code."""
    module = also
    if also._kernix is not contents:
        module = _declared[also] = Module(contents)
    members.replace(contents)
    for each in (_cuda, _cpu):
        each.register(contents)
        each.register_classes(contents, module)


class _Code:
    """Makes the code of calls. What that needs is asked for when a call is compiled."""

    def __init__(self, call: Callable[..., Any], libraries: Callable[[], tuple[Any, ...]]) -> None:
        self._call = call
        self._libraries = libraries
        self.__name__ = call.__name__

    def __call__(self, context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return self._call(context, builder, sig, args)

    @property
    def libs(self) -> tuple[Any, ...]:
        return self._libraries()


class _Registration:
    """What one compiler knows of kernix."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.types: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # of functions and structs' classes
        self._registered: weakref.WeakSet[DeviceContents] = weakref.WeakSet()
        self._chosen: dict[Any, tuple[DeviceFunction, Overload]] = {}  # by what is called and the types that are passed
        self._methods: set[Any] = set()
        self._register_values()
        self._register_attributes()
        self._register_structs()
        self._register_members()

    # What the compilers differ in.

    def type_of(self, of: Any) -> Any:
        """What stands for a type of C++."""
        return of

    def begin(self, contents: DeviceContents) -> None:
        """Before the functions of a module are registered."""

    def needed(self, function: DeviceFunction) -> tuple[Any, ...]:
        """Libraries of the compiler's that calls of a function need."""
        return ()

    def check(self, contents: DeviceContents) -> None:
        """Raises KernelError where nothing can be called."""

    def call_shim(self, context: Any, builder: Any, function: DeviceFunction, overload: Overload, arguments: Any) -> None:
        """`arguments`: of each, what the leaf's type is, if it is one, and its value."""
        raise NotImplementedError

    # -- functions --------------------------------------------------------------------------------------------------

    def register(self, contents: DeviceContents) -> None:
        if contents in self._registered:
            return
        self._registered.add(contents)
        self.begin(contents)
        for function in contents.functions.values():
            self._register_function(function)
        for tuple_class, struct in contents.types_of_classes():
            if isinstance(struct, StructType):
                self._register_constructor(tuple_class, self.type_of(struct), None)

    def register_classes(self, contents: DeviceContents, module: Module) -> None:
        """The scopes of classes whose members are bound."""
        for scope in classes_of(module):
            struct = contents.type_of_struct(scope._struct and scope._struct.tuple_class)
            self._register_constructor(scope, self.type_of(struct), scope._constructor)

    def _register_function(self, function: DeviceFunction) -> None:
        registration = self
        compiler = self.compiler

        class Template(compiler.FunctionTemplate):  # type: ignore[name-defined]
            key = function

            def generic(self, args: Any, kws: Any) -> Any:
                registration.check(function._contents)
                if not function.overloads:
                    raise KernelTypeError("; ".join(function.why_not))
                found = registration._resolve(self.context, function, [function], args, kws)
                return found or registration._refuse(function._name, [function], args, kws)

        self._define(function, lambda: [function])
        self.types[function] = FunctionType(Template, function)
        members.add(function)
        for symbol, overload in members.operators(function):
            for python_operator in members.python_operators(symbol):
                self._define_operator(python_operator, tuple(map(self.type_of, overload.arguments)))

    def _define(self, key: Any, functions: Callable[[], Sequence[DeviceFunction]], arguments: Any = _ANY) -> None:
        """Code for calls of what `key` stands for, one of the functions, which _resolve has typed."""
        registration = self

        def call(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            function, overload = registration._chosen[key, sig.args]
            return registration._call(context, builder, function, overload, sig.args, args)

        self.compiler.define(key, _Code(call, lambda: self._needed(functions())), arguments)

    def _needed(self, functions: Sequence[DeviceFunction]) -> tuple[Any, ...]:
        return tuple(library for function in functions for library in self.needed(function))

    def _resolve(self, context: Any, key: Any, functions: Sequence[DeviceFunction], args: Any, kws: Any = ()) -> Any:
        """The signature of the overload for these arguments; None if there is none. Where arguments are named it has all of
        the overload's."""
        named = dict(kws)
        found = None
        for candidates in _by_names([(each, overload) for each in functions for overload in each.overloads], args, named):
            given = _complete(candidates[0][1], args, named, self.type_of) if named else args
            cases = [self._signature(overload, given) for _, overload in candidates]
            best = context.resolve_overload(key, cases, given, {})
            if best is not None:
                found, chosen = best, candidates[next(k for k, case in enumerate(cases) if case == best)]
                break
        if found is None:
            return None
        self._chosen[key, found.args] = chosen
        return found.replace(pysig=_with_defaults(chosen[1])) if named else found

    def _refuse(self, name: str, functions: Sequence[DeviceFunction], args: Any, kws: Any) -> Any:
        """Numba shows it among the reasons why there is no such call."""
        given = ", ".join([*map(str, args), *(f"{key}={value}" for key, value in dict(kws).items())])
        longest: dict[str, Overload] = {}
        for overload in (overload for function in functions for overload in function.overloads):
            longest.setdefault(overload.signature, overload)
        wanted = [f"{signature}, called with ({', '.join(each.parameters())})" for signature, each in longest.items()]
        arrays = [each for each in args if isinstance(each, types.Array)]
        reasons = "; arrays need C layout" if any(each.layout != "C" for each in arrays) else ""
        reasons += "; an array that is read-only cannot be written" if not all(each.mutable for each in arrays) else ""
        raise self.compiler.TypingError(f"{name}: there is {' and '.join(wanted)}; not with ({given}){reasons}")

    # -- members and operators --------------------------------------------------------------------------------------

    def _register_members(self) -> None:
        """Methods of structs' values, and operators with them."""
        for symbol in members.OPERATORS:
            for python_operator in members.python_operators(symbol):
                self._register_operator(symbol, python_operator)

    def _method(self, struct: StructType, name: str) -> Any:
        """The type of a bound method of a value; None for other names."""
        functions = members.methods(struct, name)
        if not functions:
            return None
        registration, compiler = self, self.compiler
        # Numba keeps one type of those with the same key: another load of the source has functions, and code, of its own.
        method = (struct.cxx_name, name, *functions)

        class Template(compiler.FunctionTemplate):  # type: ignore[name-defined]
            key = method

            def generic(self, args: Any, kws: Any) -> Any:
                for function in functions:
                    registration.check(function._contents)
                members.refuse_changes(struct, name, functions)
                found = registration._resolve(self.context, method, functions, (self.this, *args), kws)
                if found is None:
                    registration._refuse(f"{struct.cxx_name}::{name}", functions, (self.this, *args), kws)
                pysig = found.pysig and found.pysig.replace(parameters=[*found.pysig.parameters.values()][1:])
                return compiler.signature(found.return_type, *found.args[1:], recvr=self.this).replace(pysig=pysig)

        if method not in self._methods:
            self._methods.add(method)
            self._define(method, lambda: functions)
        return types.BoundFunction(Template, struct)

    def _register_operator(self, symbol: tuple[str, int], python_operator: Any) -> None:
        registration, compiler = self, self.compiler

        class Template(compiler.FunctionTemplate):  # type: ignore[name-defined]
            key = python_operator

            def generic(self, args: Any, kws: Any) -> Any:
                if _of(self.context) is not registration or not any(map(members.may_have_operators, args)):
                    return None
                functions = members.with_operator(symbol)
                for function in functions:
                    registration.check(function._contents)
                found = registration._resolve(self.context, python_operator, functions, args) if functions else None
                if found is not None:
                    members.refuse_ambiguous(symbol, functions, registration._chosen[python_operator, found.args][1])
                return found

        compiler.globals.register_global(python_operator, types.Function(Template))

    def _define_operator(self, python_operator: Any, arguments: tuple[Any, ...]) -> None:
        """Several modules may have one for these types, and be loaded again without it."""
        self._define(python_operator, lambda: [self._chosen[python_operator, arguments][0]], arguments)

    def _signature(self, overload: Overload, args: Any) -> Any:
        """Arrays stay what they are where a pointer to their elements is wanted."""
        wanted = [self.type_of(each) for each in overload.arguments]
        if len(wanted) == len(args):
            for k, (want, given) in enumerate(zip(wanted, args, strict=True)):
                if isinstance(want, types.CPointer) and isinstance(given, types.Array) and _is_array_of(given, want.dtype):
                    wanted[k] = given if given.mutable or overload.read_only[k] else want
        return self.compiler.signature(self.type_of(overload.result), *wanted)

    def _call(self, context: Any, builder: Any, function: DeviceFunction, overload: Overload, given: Any, args: Any) -> Any:
        cgutils, ir = self.compiler.cgutils, self.compiler.ir
        passed: list[tuple[Any, Any]] = []  # type of the leaf and its value
        for want, have, value in zip(overload.arguments, given, args, strict=True):
            if isinstance(want, types.CPointer):
                if isinstance(have, types.Array):
                    value = context.make_array(have)(context, builder, value).data
                passed.append((want, builder.bitcast(value, cgutils.voidptr_t)))
            else:
                flat = context.get_arg_packer((self.type_of(want),)).as_arguments(builder, (value,))
                numbers = zip(leaves.of(want), flat, strict=True)
                passed += [(of, leaves.to_shim(builder, of, each)) for of, each in numbers]
        for of, default in overload.left_out:
            passed += [(leaf, leaves.constant(leaf, part)) for leaf, part in leaves.parts(of, default)]
        returned = [leaf for of in overload.results for leaf in leaves.of(of)]
        storage = cgutils.alloca_once(builder, ir.LiteralStructType([leaves.kind(leaf) for leaf in returned] or [ir.IntType(8)]))
        arguments = [(None, builder.bitcast(storage, cgutils.voidptr_t)), *passed]
        self.call_shim(context, builder, function, overload, arguments)
        if not overload.results:
            return context.get_dummy_value()
        packer = context.get_arg_packer(tuple(map(self.type_of, overload.results)))
        kinds = packer.argument_types
        flat = [
            leaves.from_shim(builder, leaf, builder.load(cgutils.gep_inbounds(builder, storage, 0, k)), kind)
            for k, (leaf, kind) in enumerate(zip(returned, kinds, strict=True))
        ]
        values = list(packer.from_arguments(builder, flat))
        return values[0] if len(values) == 1 else context.make_tuple(builder, self.type_of(overload.result), values)

    def declare(self, builder: Any, symbol: str, arguments: list[tuple[Any, Any]]) -> Any:
        """The shim of this name; int f(void *results, leaves...)."""
        i32 = self.compiler.cgutils.int32_t
        shim = self.compiler.ir.FunctionType(i32, [value.type for _, value in arguments])
        return self.compiler.cgutils.get_or_insert_function(builder.module, shim, symbol)

    # -- modules and namespaces -------------------------------------------------------------------------------------

    def _register_values(self) -> None:
        typeof, registration = self.compiler.typeof, self
        for of in (ScopeType, ClassType, FunctionType):
            self.compiler.register_model(of)(self.compiler.models.OpaqueModel)

        @typeof.register(Module)
        def _typeof_module(module: Module, context: Any) -> Any:
            found = module if isinstance(module._kernix, DeviceContents) else _declared.get(module)
            if found is None:
                raise KernelTypeError(f"{module!r}: kernix.numba.declare(module) makes it known to Numba")
            return ScopeType(found)

        @typeof.register(Namespace)
        def _typeof_namespace(namespace: Namespace, context: Any) -> Any:
            return registration.types.get(namespace) or ScopeType(namespace)

        @typeof.register(DeviceFunction)
        def _typeof_function(function: DeviceFunction, context: Any) -> Any:
            return registration.types[function]

        @typeof.register(TupleClass)
        def _typeof_class(tuple_class: TupleClass, context: Any) -> Any:
            found = registration.types.get(tuple_class)
            if found is None:
                raise KernelTypeError(
                    f"{tuple_class.__name__}: a struct of a module that Numba does not know, or one that it has no type for"
                )
            return found

    def _register_attributes(self) -> None:
        # Numba-CUDA asks those of Numba, too: they say what holds for both.
        compiler = self.compiler

        for scope_type in (ScopeType, ClassType):

            @compiler.register_attributes
            class _ScopeAttributes(compiler.AttributeTemplate):  # type: ignore[name-defined]
                key = scope_type

                def generic_resolve(self, scope: Any, name: str) -> Any:
                    value = None if name.startswith("__") else getattr(scope.scope, name, None)
                    return None if value is None else self.context.resolve_value_type(value)

        @compiler.register_attributes
        class _FunctionAttributes(compiler.AttributeTemplate):  # type: ignore[name-defined]
            key = FunctionType

            def generic_resolve(self, function: FunctionType, name: str) -> Any:
                found = function.function.derivative(name) if name in ("bwd", "fwd") else None
                return None if found is None else self.context.resolve_value_type(found)

        @compiler.lower_attributes(ScopeType)
        @compiler.lower_attributes(ClassType)
        @compiler.lower_attributes(FunctionType)
        def _get_attribute(context: Any, builder: Any, typ: Any, value: Any, name: str) -> Any:
            return context.get_dummy_value()

        @compiler.lower_constant(ScopeType)
        def _constant_scope(context: Any, builder: Any, typ: Any, value: Any) -> Any:
            return context.get_dummy_value()

    # -- structs ----------------------------------------------------------------------------------------------------

    def _register_structs(self) -> None:
        compiler = self.compiler

        @compiler.register_model(StructType)
        class _StructModel(compiler.models.StructModel):  # type: ignore[name-defined]
            def __init__(self, manager: Any, struct: StructType) -> None:
                super().__init__(manager, struct, list(struct.members))

        @compiler.register_attributes
        class _StructAttributes(compiler.AttributeTemplate):  # type: ignore[name-defined]
            key = StructType

            def generic_resolve(self, struct: StructType, name: str) -> Any:
                return struct.member(name) or _of(self.context)._method(struct, name)

        @compiler.lower_attributes(StructType)
        def _get_member(context: Any, builder: Any, struct: StructType, value: Any, name: str) -> Any:
            return getattr(compiler.cgutils.create_struct_proxy(struct)(context, builder, value=value), name)

        @compiler.lower_cast(types.Record, StructType)
        def _from_record(context: Any, builder: Any, record: Any, struct: StructType, value: Any) -> Any:
            cgutils = compiler.cgutils
            made = cgutils.create_struct_proxy(struct)(context, builder)
            for name, of in struct.members:
                inner = record.typeof(name)
                place = cgutils.get_record_member(builder, value, record.offset(name), context.get_data_type(inner))
                if isinstance(inner, types.NestedArray):
                    row = builder.bitcast(place, context.get_data_type(of).as_pointer())
                    setattr(made, name, context.unpack_value(builder, of, row))
                    continue
                loaded = place if isinstance(inner, types.Record) else context.unpack_value(builder, inner, place)
                setattr(made, name, context.cast(builder, loaded, inner, of))
            return made._getvalue()

        @compiler.lower_cast(StructType, types.Record)
        def _to_record(context: Any, builder: Any, struct: StructType, record: Any, value: Any) -> Any:
            cgutils = compiler.cgutils
            storage = cgutils.alloca_once(builder, context.get_data_type(record))
            _store(context, builder, struct, record, value, storage)
            return storage

        def _store(context: Any, builder: Any, struct: StructType, record: Any, value: Any, storage: Any) -> None:
            """A record's value is its place."""
            cgutils = compiler.cgutils
            made = cgutils.create_struct_proxy(struct)(context, builder, value=value)
            for name, of in struct.members:
                inner, part = record.typeof(name), getattr(made, name)
                stored = of if isinstance(inner, types.NestedArray) else inner
                place = cgutils.get_record_member(builder, storage, record.offset(name), context.get_data_type(stored))
                if isinstance(inner, types.Record):
                    _store(context, builder, of, inner, part, place)
                else:
                    context.pack_value(builder, stored, part, place)

        @compiler.lower_cast(types.BaseNamedTuple, StructType)
        def _from_tuple(context: Any, builder: Any, given: Any, struct: StructType, value: Any) -> Any:
            made = compiler.cgutils.create_struct_proxy(struct)(context, builder)
            parts = compiler.cgutils.unpack_tuple(builder, value)
            for part, have, (name, of) in zip(parts, given, struct.members, strict=True):
                setattr(made, name, context.cast(builder, part, have, of))
            return made._getvalue()

        @compiler.lower_cast(StructType, StructType)
        def _same(context: Any, builder: Any, given: Any, struct: StructType, value: Any) -> Any:
            return value

    def _register_constructor(self, key_: Any, struct: Any, constructor: DeviceFunction | None) -> None:
        """A call of `key_` makes a struct: by a constructor of C++ that is bound, or from its members."""
        compiler, registration = self.compiler, self
        names = [name for name, _ in struct.members] if isinstance(struct, StructType) else []
        defaults = defaults_of_members(key_, struct)

        class Template(compiler.FunctionTemplate):  # type: ignore[name-defined]
            key = key_

            def generic(self, args: Any, kws: Any) -> Any:
                if constructor is not None:
                    registration.check(constructor._contents)
                    found = registration._resolve(self.context, key_, [constructor], args, kws)
                    if found is not None or not args + tuple(kws):
                        return found
                by_name = dict(zip(names, args, strict=False), **kws)
                missing = [name for name in names if name not in by_name and name not in defaults]
                if not names or len(args) + len(kws) > len(by_name) or not set(by_name) <= set(names) or missing:
                    raise KernelTypeError(f"{_name(key_, struct)}: expected {_expected(names, constructor)}")
                for name, given in by_name.items():
                    if self.context.can_convert(given, struct.member(name)) is None:
                        raise compiler.TypingError(
                            f"{_name(key_, struct)}: member '{name}': expected {struct.member(name)}, got {given}"
                        )
                made = compiler.signature(struct, *(of for _, of in struct.members))
                return made.replace(pysig=_python_signature({name: defaults.get(name) for name in names}))

        def make(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            if (key_, sig.args) in registration._chosen:
                return registration._call(context, builder, *registration._chosen[key_, sig.args], sig.args, args)
            made = compiler.cgutils.create_struct_proxy(struct)(context, builder)
            for name, value in zip(names, args, strict=True):
                setattr(made, name, value)
            return made._getvalue()

        code = _Code(make, lambda: self.needed(constructor) if constructor is not None else ())
        compiler.define(key_, code, _ANY)
        self.types[key_] = ClassType(Template, key_)


class _Cuda(_Registration):
    def __init__(self, compiler: Compiler) -> None:
        self._libraries: weakref.WeakKeyDictionary[DeviceFunction, Any] = weakref.WeakKeyDictionary()
        super().__init__(compiler)

    def begin(self, contents: DeviceContents) -> None:
        for text in contents.nvvm.values():
            know(text)

    def needed(self, function: DeviceFunction) -> tuple[Any, ...]:
        if function not in self._libraries:
            self._libraries[function] = self._inlined(function) or (linked(function._contents.ptx),)
        return tuple(self._libraries[function])

    def _inlined(self, function: DeviceFunction) -> tuple[Any, ...] | None:
        """None: not all overloads can be."""
        made = []
        for symbol in dict.fromkeys(overload.symbol for overload in function.overloads):
            text = function._contents.nvvm.get(symbol)
            library = None if text is None else inlined(symbol, text)
            if library is None:
                return None
            made.append(library)
        return tuple(made)

    def check(self, contents: DeviceContents) -> None:
        if not contents.ptx:
            raise KernelError(f"{contents.name} has no code for kernels: {contents.no_ptx}")

    def call_shim(self, context: Any, builder: Any, function: DeviceFunction, overload: Overload, arguments: Any) -> None:
        shim = self.declare(builder, overload.symbol, arguments)
        shim.attributes.add("convergent")  # threads may meet in it
        builder.call(shim, [value for _, value in arguments])


class _Cpu(_Registration):
    def type_of(self, of: Any) -> Any:
        return without_halves(of)

    def call_shim(self, context: Any, builder: Any, function: DeviceFunction, overload: Overload, arguments: Any) -> None:
        values = [value for _, value in arguments]
        shim = self.compiler.ir.FunctionType(self.compiler.cgutils.int32_t, [value.type for value in values])
        # An address, which keeps Numba from writing the code to its cache.
        address = context.add_dynamic_addr(builder, function._contents.address_on_cpu(overload.symbol), overload.symbol)
        # What C++ passes as less than a word has been extended by the caller.
        extended = {k: (leaves.extension(of),) for k, (of, _) in enumerate(arguments) if of and leaves.extension(of)}
        status = builder.call(builder.bitcast(address, shim.as_pointer()), values, arg_attrs=extended)
        with builder.if_then(self.compiler.cgutils.is_not_null(builder, status), likely=False):
            context.call_conv.return_user_exc(builder, CallFailed, (overload.signature,))


def _name(key: Any, struct: Any) -> str:
    return struct.cxx_name if isinstance(struct, StructType) else str(key._kernix)


def defaults_of_members(key: Any, struct: Any) -> dict[str, Any]:
    """The numbers that C++ gives to the last members, where they are left out. `key`: the struct's class or scope."""
    tuple_class = key._struct.tuple_class if isinstance(key, Namespace) and key._struct else key
    found = getattr(tuple_class, "_field_defaults", {}) if isinstance(struct, StructType) else {}
    numbers = (types.Boolean, types.Integer, types.Float)
    members = dict(struct.members) if found else {}
    known = {name: value for name, value in found.items() if isinstance(members[name], numbers) and members[name] != types.float16}
    names = list(members)
    required = next((k for k in range(len(names), 0, -1) if names[k - 1] not in known), 0)
    return {name: known[name] for name in names[required:]}


def _expected(names: list[str], constructor: DeviceFunction | None) -> str:
    ways = [each.signature for each in constructor.overloads] if constructor else []
    return " or ".join([*dict.fromkeys(ways), *([f"the members {', '.join(names)}"] if names else [])])


def classes_of(place: Any) -> Iterator[Namespace]:
    """The classes in a module or namespace whose members are bound."""
    for value in {id(each): each for each in vars(place).values()}.values():
        if isinstance(value, Namespace):
            if value._struct is not None or value._constructor is not None:
                yield value
            yield from classes_of(value)


Candidate = tuple[DeviceFunction, Overload]


def _by_names(candidates: list[Candidate], args: Any, named: Mapping[str, Any]) -> Iterator[list[Candidate]]:
    """Those that a call may mean: all at once where nothing is named, else those with the same names together."""
    if not named:
        yield candidates
        return
    groups: dict[tuple[str, ...], list[Candidate]] = {}
    for function, overload in candidates:
        required = overload.names[len(args) : len(overload.names) - len(overload.defaults)]
        may_be = set(overload.names[len(args) :])
        if not overload.left_out and set(required) <= set(named) <= may_be:
            groups.setdefault(overload.names, []).append((function, overload))
    yield from groups.values()


def _complete(overload: Overload, args: Any, named: Mapping[str, Any], type_of: Any) -> tuple[Any, ...]:
    """The types of all arguments."""
    rest = zip(overload.names[len(args) :], overload.arguments[len(args) :], strict=True)
    return (*args, *(named.get(name, type_of(of)) for name, of in rest))


def _with_defaults(overload: Overload) -> Any:
    fixed = len(overload.names) - len(overload.defaults)
    defaults = (None,) * fixed + overload.defaults
    return _python_signature(dict(zip(overload.names, defaults, strict=True)))


def _python_signature(defaults: Mapping[str, Any]) -> Any:
    """With None for what has no default."""
    kind, none = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    return inspect.Signature(
        [inspect.Parameter(name, kind, default=none if value is None else value) for name, value in defaults.items()]
    )


def _is_array_of(array: Any, element: Any) -> bool:
    if array.layout != "C":
        return False
    is_struct = isinstance(element, StructType) and isinstance(array.dtype, types.Record)
    return array.dtype == element or (is_struct and element.fits(array.dtype) and has_layout_of(array.dtype, element))


def _of(context: Any) -> _Registration:
    """Whose typing it is: Numba-CUDA asks the templates that Numba's own compiler was given, too."""
    return _cuda if isinstance(context, CUDA.TypingContext) else _cpu


_cuda, _cpu = _Cuda(CUDA), _Cpu(CPU)
