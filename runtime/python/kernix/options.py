"""The options of a build, checked once.

Everything that changes what is built is a field of Options and therefore in the cache key; nothing else may influence
a build. Unknown values are errors here, before anything is run.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .errors import KernelError, KernelTypeError, KernelValueError

TARGETS = ("cpu", "cuda")
CHECKS = ("bounds", "accumulation")
OLDEST_CUDA_ARCH = 75


@dataclass(frozen=True)
class Options:
    """Options of one module, the same for each target."""

    config: str | None = None
    include_paths: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    extra_cflags: tuple[str, ...] = ()
    extra_ldflags: tuple[str, ...] = ()
    cuda_arch: tuple[str, ...] = ()
    cpu_arch: str | None = None
    opt_level: int = 3
    fast_math: bool = False
    deterministic: bool = False
    checks: tuple[str, ...] = ()
    debug: bool = False
    functions: tuple[tuple[str, str | None], ...] | None = None
    """What inline loaders bind: names with their arg_spec, None where it is inferred. None: what the source says."""


def make_options(
    *,
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
) -> Options:
    """Checks what a loader was given."""
    cuda_arch, cpu_arch = _split_arch(arch)
    return Options(
        config=None if config is None else check_file("config", check_path("config", config)),
        include_paths=tuple(os.path.abspath(p) for p in check_strings("include_paths", include_paths)),
        defines=_defines(defines),
        extra_cflags=check_strings("extra_cflags", extra_cflags),
        extra_ldflags=check_strings("extra_ldflags", extra_ldflags),
        cuda_arch=cuda_arch,
        cpu_arch=cpu_arch,
        opt_level=check_level("opt_level", opt_level),
        fast_math=check_flag("fast_math", fast_math),
        deterministic=check_flag("deterministic", deterministic),
        checks=_checks(checks),
        debug=check_flag("debug", debug),
    )


def check_target(target: str | None, name: str = "target") -> str | None:
    if target is not None and target not in TARGETS:
        raise KernelValueError(f"{name}: expected 'cpu' or 'cuda', got {target!r}")
    return target


def allowed_targets() -> tuple[str, ...]:
    """Targets that $KERNIX_TARGET leaves."""
    value = os.environ.get("KERNIX_TARGET", "")
    chosen = [part.strip() for part in value.split(",") if part.strip()]
    for part in chosen:
        check_target(part, "$KERNIX_TARGET")
    return tuple(chosen) or TARGETS


def check_path(name: str, value: object) -> str:
    """An absolute path."""
    if not isinstance(value, (str, os.PathLike)) or not isinstance(path := os.fspath(value), str):
        raise KernelTypeError(f"{name}: expected a path, got {value!r}")
    if not path or "\0" in path:
        raise KernelValueError(f"{name}: expected a path, got {value!r}")
    return os.path.abspath(os.path.expanduser(path))


def check_file(name: str, path: str) -> str:
    if os.path.isdir(path):
        raise KernelError(f"{name}: {path} is a folder, not a file")
    if not os.path.isfile(path):
        raise KernelError(f"{name}: {path}: no such file")
    if not os.access(path, os.R_OK):
        raise KernelError(f"{name}: {path} cannot be read")
    return path


def check_flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise KernelTypeError(f"{name}: expected True or False, got {value!r}")
    return value


def check_level(name: str, value: object) -> int:
    if type(value) is not int or value not in (0, 1, 2, 3):
        raise KernelValueError(f"{name}: expected 0, 1, 2 or 3, got {value!r}")
    return value


def check_compute_capability(value: object) -> object:
    """An arch that names GPUs only."""
    try:
        is_gpu = _split_arch(value)[1] is None
    except KernelValueError:
        is_gpu = False
    if not is_gpu:
        raise KernelValueError(f"compute_capability: expected '9.0' or 'sm_90', {OLDEST_CUDA_ARCH} or newer, got {value!r}")
    return value


def check_strings(name: str, values: Iterable[str | os.PathLike[str]] | None) -> tuple[str, ...]:
    if values is None:
        return ()
    if isinstance(values, (str, bytes, os.PathLike)):
        raise KernelTypeError(f"{name}: expected a sequence of strings, got {values!r}; write [{values!r}]")
    if not isinstance(values, Iterable):
        raise KernelTypeError(f"{name}: expected a sequence of strings, got {values!r}")
    result = []
    for value in values:
        text = os.fspath(value) if isinstance(value, os.PathLike) else value
        if not isinstance(text, str):
            raise KernelTypeError(f"{name}: expected strings, got {value!r}")
        if "\0" in text:
            raise KernelValueError(f"{name}: expected no null characters, got {value!r}")
        result.append(text)
    return tuple(result)


def _defines(defines: Mapping[str, object] | Iterable[str] | None) -> tuple[str, ...]:
    """As ``NAME`` or ``NAME=VALUE``."""
    if defines is None:
        return ()
    if not isinstance(defines, Mapping):
        return tuple(_check_define(define) for define in check_strings("defines", defines))
    result = []
    for name, value in defines.items():
        if not isinstance(name, str):
            raise KernelTypeError(f"defines: expected names, got {name!r}")
        if value is None or value is True:
            result.append(name)
        elif value is False:
            raise KernelValueError(f"defines: {name}=False is ambiguous: leave it out, or give 0")
        else:
            result.append(f"{name}={value}")
    return tuple(_check_define(define) for define in result)


def _check_define(define: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*(\([^()]*\))?(=[^\n\0]*)?", define):
        raise KernelValueError(f"defines: expected NAME or NAME=VALUE on one line, got {define!r}")
    return define


def _checks(checks: Iterable[str]) -> tuple[str, ...]:
    result = check_strings("checks", checks)
    for check in result:
        if check not in CHECKS:
            raise KernelValueError(f"checks: expected one of {', '.join(map(repr, CHECKS))}, got {check!r}")
    return tuple(sorted(set(result)))


def _split_arch(arch: object) -> tuple[tuple[str, ...], str | None]:
    """GPU architectures, and the CPU's (the value of -march)."""
    if arch is None:
        return (), None
    parts = list(arch) if isinstance(arch, (list, tuple)) else [arch]
    gpu: list[str] = []
    cpu: list[str] = []
    for part in parts:
        text = str(part).strip()
        if match := re.fullmatch(r"(?:sm_|compute_)?(\d{2,3})([a-z]?)", text):
            gpu.append(_cuda_arch(part, match[1], match[2]))
        elif match := re.fullmatch(r"(\d{1,2})\.(\d)([a-z]?)", text):
            gpu.append(_cuda_arch(part, match[1] + match[2], match[3]))
        elif isinstance(part, str) and re.fullmatch(r"[a-z][\w.+-]*", text):
            cpu.append(text)
        else:
            raise KernelValueError(f"arch: expected 'sm_90', '9.0', or a CPU for -march such as 'x86-64-v3', got {part!r}")
    if len(cpu) > 1:
        raise KernelValueError(f"arch: expected one CPU, got {', '.join(cpu)}")
    return tuple(dict.fromkeys(gpu)), cpu[0] if cpu else None


def _cuda_arch(given: object, number: str, feature: str) -> str:
    if int(number) < OLDEST_CUDA_ARCH:
        raise KernelValueError(f"arch: expected sm_{OLDEST_CUDA_ARCH} or newer, got {given!r}")
    return f"sm_{number}{feature}"
