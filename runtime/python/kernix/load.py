"""kernix.load: from a source, or from what was built before, to a Module."""

import functools
import os
import re
from collections.abc import Iterable, Mapping, Sequence

from . import gpu
from .build import Build, Built
from .cache import Cache
from .errors import KernelError, KernelTypeError, KernelValueError
from .module import Contents, Module
from .options import Options, allowed_targets, check_file, check_flag, check_path, check_target, make_options
from .registration import Registration


def load(
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    name: str | None = None,
    namespace: str | None = None,
    config: str | os.PathLike[str] | None = None,
    include_paths: Iterable[str | os.PathLike[str]] = (),
    defines: Mapping[str, object] | Iterable[str] | None = None,
    extra_cflags: Iterable[str] = (),
    extra_ldflags: Iterable[str] = (),
    arch: object = None,
    opt_level: int = 3,
    fast_math: bool = False,
    deterministic: bool = False,
    checks: Iterable[str] = (),
    debug: bool = False,
    verbose: bool = False,
    force_rebuild: bool = False,
) -> Module:
    """Loads the bound functions of a CUDA C++ source, or of a library that was built from one.

    `path` is a source, a shared object, or the stem of ``stem.cpu.so`` and ``stem.cuda.so``. A source is compiled for
    the default target at once (CUDA if a GPU is usable, else the CPU) and for the other one when a call needs it; a call
    runs on the target of its arrays. The operators of torch are ``torch.ops.<namespace>.<function>``; without `namespace` their
    names carry a hash of the build. `target` builds that one and refuses the other; "numba" is the third, whose module
    is for kernels of Numba-CUDA (kernix.numba).
    """
    location = check_path("path", path)
    check_namespace(namespace)
    options = make_options(
        config=config,
        include_paths=include_paths,
        defines=defines,
        extra_cflags=extra_cflags,
        extra_ldflags=extra_ldflags,
        arch=arch,
        opt_level=opt_level,
        fast_math=fast_math,
        deterministic=deterministic,
        checks=checks,
        debug=debug,
    )
    if target == "numba":
        from .numba.declare import load as load_for_numba

        check_file("path", location)
        check_name(name)
        return load_for_numba([location], name or _stem_of_source(location), options, verbose=verbose, force_rebuild=force_rebuild)
    if libraries := find_libraries(location):
        if options != Options() or force_rebuild:
            raise KernelValueError(f"{location} is built already: options of a build have no effect on it")
        return load_libraries(libraries, target, name=name, namespace=namespace)
    return load_sources(
        [location],
        target,
        options=options,
        name=name,
        namespace=namespace,
        verbose=verbose,
        force_rebuild=force_rebuild,
    )


def load_sources(
    sources: Sequence[str],
    target: str | None,
    *,
    options: Options,
    name: str | None = None,
    namespace: str | None = None,
    verbose: bool = False,
    force_rebuild: bool = False,
    possible: tuple[str, ...] = ("cpu", "cuda"),
    cache_folder: str | None = None,
    registration: Registration | None = None,
    build_class: type[Build] = Build,
) -> Module:
    check_flag("verbose", verbose)
    check_flag("force_rebuild", force_rebuild)
    check_name(name)
    for source in sources:
        check_file("path", source)
    module_name = name or _stem_of_source(sources[0])
    first: list[tuple[str, str]] = []  # request and folder of the first target's build

    def build(which: str) -> Built:
        cache = Cache(cache_folder)
        if first and (changed := cache.changed_since(*first[0])):
            raise KernelError(
                f"{module_name} cannot be built for {which}, which this call needs: {changed} has changed since the module "
                "was loaded; load it again"
            )
        plan = build_class(module_name, sources, which, options, verbose=verbose)
        from . import _binding

        request = plan.request(_binding.abi_version)
        folder = cache.get(request, f"building {plan.title}", plan.run, rebuild=force_rebuild)
        first.append((request, folder))
        find_changed = functools.partial(cache.changed_since, request, folder)
        return Built(os.path.join(folder, "module.so"), which, plan, cache, find_changed)

    return Module(Contents(module_name, choose_targets(target, possible), build, registration, namespace))


def check_name(name: object) -> None:
    if name is not None and not isinstance(name, str):
        raise KernelTypeError(f"name: expected a str, got {name!r}")


def check_namespace(namespace: object) -> None:
    if namespace is None:
        return
    if not isinstance(namespace, str):
        raise KernelTypeError(f"namespace: expected a str, got {namespace!r}")
    if not namespace.isidentifier() or namespace in _TAKEN_NAMESPACES:
        raise KernelValueError(f"namespace: expected a name that is free in torch.ops, got {namespace!r}")


_TAKEN_NAMESPACES = ("aten", "prim", "prims", "kernix", "_C", "quantized", "profiler", "higher_order")


def load_libraries(
    libraries: dict[str, str], target: str | None, *, name: str | None = None, namespace: str | None = None
) -> Module:
    check_name(name)
    module_name = name or _stem(next(iter(libraries.values())))
    targets = choose_targets(target, tuple(libraries))
    return Module(Contents(module_name, targets, lambda which: Built(libraries[which], which), namespace=namespace))


def choose_targets(target: str | None, possible: tuple[str, ...]) -> tuple[str, ...]:
    """Targets that a module may use, the default one first."""
    allowed = allowed_targets()
    if check_target(target) is not None:
        if target not in possible:
            raise KernelValueError(f"target: {target!r} is not possible here, only {' and '.join(map(repr, possible))}")
        if target not in allowed:
            raise KernelValueError(f"target: {target!r} is excluded by $KERNIX_TARGET={os.environ['KERNIX_TARGET']}")
        assert target is not None
        return (target,)
    left = tuple(each for each in possible if each in allowed)
    if not left:
        raise KernelValueError(
            f"$KERNIX_TARGET={os.environ['KERNIX_TARGET']} excludes what is possible here: {' and '.join(possible)}"
        )
    default = "cuda" if "cuda" in left and (left == ("cuda",) or gpu.driver().usable) else "cpu"
    return (default, *(each for each in left if each != default))


def find_libraries(path: str) -> dict[str, str]:
    """Shared objects that `path` names, by target; empty if it is something else."""
    stem = path
    for target in ("cpu", "cuda"):
        if path.endswith(f".{target}.so"):
            stem = path.removesuffix(f".{target}.so")
            break
    else:
        if re.search(r"\.so(\.\d+)*$", path):
            from . import _binding

            if not os.path.isfile(path):
                raise KernelError(f"{path}: no such file")
            return {_binding.Library(path).target: path}
    found = {target: f"{stem}.{target}.so" for target in ("cpu", "cuda") if os.path.isfile(f"{stem}.{target}.so")}
    if stem != path and path not in found.values():
        raise KernelError(f"{path}: no such file")
    return {} if os.path.isfile(path) and stem == path else found


def _stem_of_source(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def _stem(path: str) -> str:
    name = os.path.basename(path).removesuffix(".so")
    return name.removesuffix(".cpu").removesuffix(".cuda")
