"""Loaders for sources given as text, as a file or as a folder, with the signatures of brainevent's loaders.

`functions` says what is bound: names, whose arg_spec is inferred from the signatures, or a dict from names to arg_specs,
each a list of tokens or a string of them. Without it that is what carries [[kernix::bind]] or is named in a comment
``// @BE name tokens``.
"""

import glob
import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from . import cache
from .errors import KernelError, KernelTypeError, KernelValueError, NothingBound
from .load import check_name, load_sources
from .module import Module
from .options import (
    Options,
    check_compute_capability,
    check_flag,
    check_level,
    check_path,
    check_strings,
    make_options,
)
from .registration import Registration, check_prefix

Functions = Mapping[str, str | Sequence[str]] | Iterable[str] | None
Paths = Iterable[str | os.PathLike[str]] | None


def load_cuda_inline(
    name: str,
    cuda_sources: str | Sequence[str],
    functions: Functions = None,
    *,
    extra_cuda_cflags: Iterable[str] | None = None,
    extra_ldflags: Iterable[str] | None = None,
    extra_include_paths: Paths = None,
    build_directory: str | os.PathLike[str] | None = None,
    verbose: bool = False,
    compute_capability: object = None,
    force_rebuild: bool = False,
    auto_register: bool = True,
    target_prefix: str | None = None,
    optimization_level: int = 3,
    use_fast_math: bool = False,
    allow_cuda_graph: bool = True,
) -> Module:
    """Loads CUDA C++ given as text; several texts are one source, in their order."""
    registered = (target_prefix, auto_register, allow_cuda_graph)
    options = _options(
        extra_cuda_cflags, extra_ldflags, extra_include_paths, compute_capability, optimization_level, use_fast_math
    )
    source = _write_source(name, _texts("cuda_sources", cuda_sources), ".cu", build_directory)
    return _load([source], functions, name, options, build_directory, verbose, force_rebuild, registered)


def load_cuda_file(
    filepath: str | os.PathLike[str],
    functions: Functions = None,
    *,
    name: str | None = None,
    extra_cuda_cflags: Iterable[str] | None = None,
    extra_ldflags: Iterable[str] | None = None,
    extra_include_paths: Paths = None,
    build_directory: str | os.PathLike[str] | None = None,
    verbose: bool = False,
    compute_capability: object = None,
    force_rebuild: bool = False,
    auto_register: bool = True,
    target_prefix: str | None = None,
    optimization_level: int = 3,
    use_fast_math: bool = False,
    allow_cuda_graph: bool = True,
) -> Module:
    """Loads a CUDA C++ file."""
    registered = (target_prefix, auto_register, allow_cuda_graph)
    options = _options(
        extra_cuda_cflags, extra_ldflags, extra_include_paths, compute_capability, optimization_level, use_fast_math
    )
    path = check_path("filepath", filepath)
    return _load([path], functions, name, options, build_directory, verbose, force_rebuild, registered)


def load_cuda_dir(
    directory: str | os.PathLike[str],
    functions: Functions = None,
    *,
    name: str | None = None,
    file_patterns: Iterable[str] | None = None,
    extra_cuda_cflags: Iterable[str] | None = None,
    extra_ldflags: Iterable[str] | None = None,
    extra_include_paths: Paths = None,
    build_directory: str | os.PathLike[str] | None = None,
    verbose: bool = False,
    compute_capability: object = None,
    force_rebuild: bool = False,
    auto_register: bool = True,
    target_prefix: str | None = None,
    optimization_level: int = 3,
    use_fast_math: bool = False,
    allow_cuda_graph: bool = True,
) -> Module:
    """Loads the CUDA C++ files of a folder (``*.cu``, or what `file_patterns` says) as one module."""
    registered = (target_prefix, auto_register, allow_cuda_graph)
    options = _options(
        extra_cuda_cflags, extra_ldflags, extra_include_paths, compute_capability, optimization_level, use_fast_math
    )
    folder = check_path("directory", directory)
    if not os.path.isdir(folder):
        raise KernelError(f"{folder}: no such folder")
    patterns = ["*.cu"] if file_patterns is None else check_strings("file_patterns", file_patterns)
    found = {path for pattern in patterns for path in glob.glob(os.path.join(glob.escape(folder), pattern))}
    if not found:
        raise KernelError(f"{folder}: no file matches {', '.join(patterns)}")
    title = name or os.path.basename(folder)
    return _load(sorted(found), functions, title, options, build_directory, verbose, force_rebuild, registered)


def load_cpp_inline(
    name: str,
    cpp_sources: str | Sequence[str],
    functions: Functions = None,
    *,
    extra_cflags: Iterable[str] | None = None,
    extra_ldflags: Iterable[str] | None = None,
    extra_include_paths: Paths = None,
    build_directory: str | os.PathLike[str] | None = None,
    verbose: bool = False,
    force_rebuild: bool = False,
    auto_register: bool = True,
    target_prefix: str | None = None,
    optimization_level: int = 3,
    use_fast_math: bool = False,
) -> Module:
    """Loads C++ given as text, for the CPU."""
    registered = (target_prefix, auto_register, True)
    options = _options(
        extra_cflags, extra_ldflags, extra_include_paths, None, optimization_level, use_fast_math, "extra_cflags"
    )
    source = _write_source(name, _texts("cpp_sources", cpp_sources), ".cpp", build_directory)
    return _load([source], functions, name, options, build_directory, verbose, force_rebuild, registered, ("cpu",))


def load_cpp_file(
    filepath: str | os.PathLike[str],
    functions: Functions = None,
    *,
    name: str | None = None,
    extra_cflags: Iterable[str] | None = None,
    extra_ldflags: Iterable[str] | None = None,
    extra_include_paths: Paths = None,
    build_directory: str | os.PathLike[str] | None = None,
    verbose: bool = False,
    force_rebuild: bool = False,
    auto_register: bool = True,
    target_prefix: str | None = None,
    optimization_level: int = 3,
    use_fast_math: bool = False,
) -> Module:
    """Loads a C++ file, for the CPU."""
    registered = (target_prefix, auto_register, True)
    options = _options(
        extra_cflags, extra_ldflags, extra_include_paths, None, optimization_level, use_fast_math, "extra_cflags"
    )
    path = check_path("filepath", filepath)
    return _load([path], functions, name, options, build_directory, verbose, force_rebuild, registered, ("cpu",))


def _load(
    sources: list[str],
    functions: Functions,
    name: str | None,
    options: Options,
    build_directory: str | os.PathLike[str] | None,
    verbose: bool,
    force_rebuild: bool,
    registered: tuple[str | None, bool, bool],
    possible: tuple[str, ...] = ("cpu", "cuda"),
) -> Module:
    wanted = None if functions is None else _functions(functions)
    check_name(name)
    prefix, enabled, cuda_graph = registered
    registration = Registration(
        check_prefix(prefix) or name or os.path.splitext(os.path.basename(sources[0]))[0],
        check_flag("auto_register", enabled),
        check_flag("allow_cuda_graph", cuda_graph),
    )
    try:
        module = load_sources(
            sources,
            None,
            options=options if wanted is None else replace(options, functions=wanted),
            name=name,
            verbose=verbose,
            force_rebuild=force_rebuild,
            possible=possible,
            cache_folder=_build_folder(build_directory),
            registration=registration,
        )
    except NothingBound:
        if wanted:
            raise _not_bound([function for function, _ in wanted], sources) from None
        raise NothingBound(
            f"{', '.join(sources)}: no function is bound. No '// @BE name' comment and no [[kernix::bind]] is there; give "
            "functions= or write one"
        ) from None
    missing = [function for function, _ in wanted or () if module._kernix.by_name(_plain_name(function)) is None]
    if missing:
        raise _not_bound(missing, sources)
    return module


def _not_bound(functions: Sequence[str], sources: Sequence[str]) -> KernelError:
    names = ", ".join(f"'{name}'" for name in functions)
    return KernelError(
        f"functions: {names} {'is' if len(functions) == 1 else 'are'} not defined in "
        f"{', '.join(map(os.path.basename, sources))}"
    )


def _plain_name(function: str) -> str:
    """Without parameter types, which choose an overload."""
    return function.partition("(")[0].strip().removeprefix("::")


def _functions(functions: Functions) -> tuple[tuple[str, str | None], ...]:
    """Names with their arg_spec as one string, None where it is inferred."""
    if isinstance(functions, Mapping):
        pairs = tuple((_function_name(name), _arg_spec(name, spec)) for name, spec in functions.items())
    else:
        pairs = tuple((_function_name(name), None) for name in check_strings("functions", functions))
    if not pairs:
        raise KernelValueError("functions: expected the names of functions, got none; leave it out to bind what is annotated")
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise KernelValueError(f"functions: '{name}' is there twice")
    return pairs


def _function_name(name: object) -> str:
    if not isinstance(name, str):
        raise KernelTypeError(f"functions: expected names, got {name!r}")
    if not re.fullmatch(r"\s*(::)?[^\W\d]\w*(::[^\W\d]\w*)*\s*(\([^=\n\0]*\))?\s*", name):
        raise KernelValueError(f"functions: Invalid function name {name!r}: expected that of a C++ function")
    return name.strip()


def _arg_spec(name: str, spec: object) -> str | None:
    if isinstance(spec, str):
        tokens: Sequence[object] = spec.split()
    elif isinstance(spec, (list, tuple)):
        tokens = spec
    else:
        raise KernelTypeError(
            f"functions: the arg_spec of '{name}' is a list of tokens or a string of them, got {spec!r}; a list of names "
            "instead of the dict infers all of them"
        )
    for token in tokens:
        if not isinstance(token, str):
            raise KernelTypeError(f"functions: the tokens of '{name}' are strings, got {token!r}")
        if not re.fullmatch(r"[^\s\0=]+", token):
            raise KernelValueError(f"functions: '{name}' has the token {token!r}; a token is one word")
    return " ".join(tokens)  # type: ignore[arg-type]


def _options(
    cflags: Iterable[str] | None,
    ldflags: Iterable[str] | None,
    include_paths: Paths,
    compute_capability: object,
    level: int,
    fast_math: bool,
    cflags_name: str = "extra_cuda_cflags",
) -> Options:
    """Options by what these loaders call them."""
    return make_options(
        extra_cflags=check_strings(cflags_name, cflags),
        extra_ldflags=check_strings("extra_ldflags", ldflags),
        include_paths=check_strings("extra_include_paths", include_paths),
        arch=check_compute_capability(compute_capability),
        opt_level=check_level("optimization_level", level),
        fast_math=check_flag("use_fast_math", fast_math),
    )


def _texts(parameter: str, sources: str | Sequence[str]) -> str:
    texts = [sources] if isinstance(sources, str) else sources
    if not isinstance(texts, (list, tuple)) or not texts or not all(isinstance(text, str) for text in texts):
        raise KernelTypeError(f"{parameter}: expected a str or a list of them, got {sources!r}")
    return "\n".join(texts)


def _build_folder(build_directory: str | os.PathLike[str] | None) -> str | None:
    return None if build_directory is None else check_path("build_directory", build_directory)


def _write_source(
    name: str, text: str, suffix: str, build_directory: str | os.PathLike[str] | None
) -> str:
    """The text as a file of the cache, at a path that its content gives: line tables and messages can refer to it."""
    if not isinstance(name, str):
        raise KernelTypeError(f"name: expected a str, got {name!r}")
    if not name.isidentifier():
        raise KernelValueError(f"name: expected an identifier, got {name!r}")
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise KernelValueError(f"{name}: the source has a lone surrogate at position {error.start}") from None
    digest = hashlib.sha256(content).hexdigest()[:16]
    path = os.path.join(_build_folder(build_directory) or cache.folder(), "sources", digest, name + suffix)
    if not os.path.exists(path):
        cache.write_atomically(path, content)
    return path
