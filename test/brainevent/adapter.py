"""kernix behind the loading functions of the package brainevent, so that its operators and its tests run on kernix.

`install` replaces what brainevent's modules call: the loaders, reading of `// @BE` comments, registering, the cache. What
they compile and register is kernix's alone. brainevent's own classes behind these functions (its cache, its code
generator, its compiler command lines) are not replaced: nothing calls them any more.
"""

import contextlib
import ctypes
import functools
import importlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import kernix
import kernix.jax
from kernix import cache, cli
from kernix.errors import NothingBound

Loader = Callable[..., kernix.Module]
_names: set[str] = set()


class CompiledModule:
    """What brainevent's loaders return: handlers by the names that were asked for."""

    def __init__(self, module: kernix.Module, names: list[str]) -> None:
        self.module = module
        self.function_names = names

    @property
    def path(self) -> str:
        return str(self.module._kernix.default_library.path)

    @property
    def content_hash(self) -> str:
        return cache.content_hash(self.path)

    def get_handler(self, name: str) -> Any:
        if name not in self.function_names:
            raise KeyError(f"Function '{name}' not found in module. Available: {self.function_names}")
        return getattr(ctypes.CDLL(self.path), f"kernix_xla_{name}")


def install(*, level: int = 3) -> None:
    """Puts kernix into brainevent, which is imported by it; `level` is that of optimization where none is asked for."""
    brainevent = importlib.import_module("brainevent")
    error = importlib.import_module("brainevent._error")
    pipeline = importlib.import_module("brainevent._op.kernix_pipeline")
    runtime = importlib.import_module("brainevent._op.kernix_runtime")
    codegen = importlib.import_module("brainevent._op.kernix_codegen")
    include = Path(brainevent.__file__).parent / "include"

    @contextlib.contextmanager
    def errors_of_brainevent() -> Iterator[None]:
        try:
            yield
        except NothingBound as problem:
            raise error.KernelError(str(problem)) from problem
        except kernix.CompileError as problem:
            # Both say what was refused; only the type and these two words are brainevent's.
            raise error.KernelCompilationError(f"compilation failed: {problem}") from problem
        except kernix.KernelError as problem:
            raise error.KernelError(str(problem)) from problem

    def loader(load: Loader, is_cuda: bool) -> Callable[..., CompiledModule]:
        @functools.wraps(load)
        def adapted(*arguments: Any, replace: bool = False, **options: Any) -> CompiledModule:
            # `replace` is what kernix does anyway.
            options["extra_include_paths"] = [*(options.get("extra_include_paths") or ()), str(include)]
            if is_cuda:
                options.setdefault("optimization_level", level)
                # brainevent's are the linker's own, kernix's are those of a compiler that links.
                flags = options.get("extra_ldflags") or ()
                options["extra_ldflags"] = [word for flag in flags for word in ("-Xlinker", flag)]
            with errors_of_brainevent():
                module = load(*arguments, **options)
            contents = module._kernix
            if options.get("auto_register", True):
                _names.update(contents.registration.target_name(name) for name in contents.functions)
            return CompiledModule(module, list(contents.functions))

        return adapted

    def specs(source: str, functions: Any = None) -> dict[str, list[str]]:
        """arg_specs as kernix reads them, which compiles the source; brainevent's own header is always there."""
        with errors_of_brainevent(), tempfile.TemporaryDirectory() as folder:
            module = kernix.load_cpp_inline(
                "text", source, functions, build_directory=folder, auto_register=False, optimization_level=0,
                extra_cflags=["-include", "brainevent/common.h"],
            )  # fmt: skip
        return {name: function.info["arg_spec"] for name, function in module._kernix.functions.items()}

    def register_ffi_target(name: str, module: CompiledModule, function: str, **_: Any) -> None:
        prefix, _, last = name.rpartition(".")
        if last != function:
            raise error.KernelError(f"kernix registers {function} as <prefix>.{function}, not as {name}")
        with errors_of_brainevent():
            _names.update(kernix.jax.register(module.module, prefix))

    def clear_cache(name: str | None = None) -> int:
        """kernix keeps builds by their content; their records have the names."""
        builds = list(Path(cache.folder(), "objects").glob("*/build.json"))
        if name is None:
            cache.Cache().clear()
            return len(builds)
        of_this_name = [build for build in builds if json.loads(build.read_text())["name"] == name]
        for build in of_this_name:
            shutil.rmtree(build.parent)
        return len(of_this_name)

    def set_cache_dir(path: str | os.PathLike[str]) -> None:
        os.environ["KERNIX_CACHE_DIR"] = os.fspath(path)

    cuda, cpp = ("load_cuda_inline", "load_cuda_file", "load_cuda_dir"), ("load_cpp_inline", "load_cpp_file")
    new: dict[str, Any] = {name: loader(getattr(kernix, name), name in cuda) for name in (*cuda, *cpp)}
    new |= {
        "set_cache_dir": set_cache_dir,
        "get_cache_dir": cache.folder,
        "clear_cache": clear_cache,
        "print_diagnostics": lambda: cli.main(["doctor"]),
        "register_ffi_target": register_ffi_target,
        "list_registered_targets": lambda: sorted(_names),
        "CompiledModule": CompiledModule,
        "parse_annotations": specs,
        "infer_arg_spec_from_source": lambda source, function: specs(source, [function])[function],
    }
    # Modules have these functions by name, so each of their names is set.
    old = {id(getattr(home, name)): name for home in (codegen, runtime, pipeline) for name in new if hasattr(home, name)}
    for module in [module for name, module in sys.modules.items() if name.partition(".")[0] == "brainevent"]:
        for attribute, value in list(vars(module).items()):
            if id(value) in old:
                setattr(module, attribute, new[old[id(value)]])


def kernels_on_cpu() -> None:
    """Gives JAX's CPU the kernels that brainevent has for GPUs: through kernix they run there too."""
    registry = importlib.import_module("brainevent._registry")
    operator = importlib.import_module("brainevent._op.main").XLACustomKernel
    for primitive in registry.get_registry().values():
        entry = primitive._kernels.get("gpu", {}).get("cuda_raw")
        if entry is not None:
            primitive.def_kernel("cuda_raw", "cpu", entry.kernel_generator, asdefault=True)
    for_gpu = operator.def_cuda_raw_kernel

    def for_both(self: Any, generator: Callable[..., Any], asdefault: bool = False) -> None:
        for_gpu(self, generator, asdefault)
        self.def_kernel("cuda_raw", "cpu", generator, asdefault=True)

    operator.def_cuda_raw_kernel = for_both  # for modules that are imported later
