"""The command line: python -m kernix."""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from . import __version__, _binding, _paths, cache, doctor, gpu
from .errors import KernelError
from .load import choose_targets, find_libraries, load, load_sources
from .options import TARGETS, make_options


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        return int(options.run(options))
    except KernelError as error:
        print(f"kernix: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader went away (`| head`); without this Python complains once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:  # what was asked to be written or read
        print(f"kernix: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kernix", description="Annotated CUDA C++ functions from Python.")
    parser.add_argument("--version", action="version", version=f"kernix {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    info = commands.add_parser("info", help="versions and folders")
    info.set_defaults(run=_info)

    compile_ = commands.add_parser("compile", help="build NAME.cpu.so and NAME.cuda.so from a source")
    _add_source(compile_)
    compile_.add_argument("-t", "--target", choices=TARGETS, action="append", help="default: what this machine can use")
    compile_.add_argument("-o", "--output", default=".", help="folder to write to (default: the current one)")
    compile_.add_argument("--force", action="store_true", help="build even if the cache has it")
    compile_.set_defaults(run=_compile)

    stubs = commands.add_parser("stubs", help="write a .pyi file for a source or a built module")
    _add_source(stubs)
    stubs.add_argument("-o", "--output", help="file to write (default: standard output)")
    stubs.add_argument("--numba", action="store_true", help="of the module for Numba's kernels, load(..., target='numba')")
    stubs.set_defaults(run=_stubs)

    inspect = commands.add_parser("inspect", help="list the bound functions of a source or a built module")
    _add_source(inspect)
    inspect.add_argument("function", nargs="?", help="only this one")
    inspect.add_argument("--json", action="store_true", help="print the records")
    inspect.set_defaults(run=_inspect)

    doctor_ = commands.add_parser("doctor", help="what is found, what is missing, what to type")
    doctor_.set_defaults(run=_doctor)

    cache_ = commands.add_parser("cache", help="the cache of built modules")
    cache_.add_argument("action", choices=("path", "size", "clear"))
    cache_.set_defaults(run=_cache)
    return parser


def _add_source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", help="a CUDA C++ source, or a built module")
    parser.add_argument("-I", dest="include_paths", action="append", default=[], metavar="DIR")
    parser.add_argument("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]")
    parser.add_argument("-O", dest="opt_level", type=int, choices=range(4), default=3)
    parser.add_argument("--arch", action="append", default=[], help="sm_90, or a CPU for -march; may be repeated")
    parser.add_argument("--config", help="YAML file with bindings")
    parser.add_argument("--debug", action="store_true", help="full debug information")
    parser.add_argument("--fast-math", action="store_true")
    parser.add_argument("--deterministic", action="store_true", help="refuse sums whose order the threads decide")
    parser.add_argument("--check", dest="checks", action="append", default=[], help="bounds")


def _load_options(options: argparse.Namespace) -> dict[str, Any]:
    names = ("include_paths", "defines", "opt_level", "config", "debug", "fast_math", "deterministic", "checks")
    return {**{name: getattr(options, name) for name in names}, "arch": options.arch or None}


def _info(options: argparse.Namespace) -> int:
    driver = gpu.driver()
    for name, value in (
        ("kernix", __version__),
        ("abi", _binding.abi_version),
        ("package", _paths.ROOT),
        ("include", _paths.INCLUDE),
        ("plugin", _paths.PLUGIN),
        ("cache", cache.folder()),
        ("cmake", os.path.join(_paths.ROOT, "lib", "cmake", "kernix")),
        ("gpus", ", ".join(gpu.architectures()) or f"none ({driver.problem or 'the driver lists none'})"),
        ("targets", ", ".join(choose_targets(None, TARGETS))),
    ):
        print(f"{name:8} {value}")
    return 0


def _compile(options: argparse.Namespace) -> int:
    source = os.path.abspath(options.source)
    if find_libraries(source):
        raise KernelError(f"{source} is built already")
    stem = os.path.splitext(os.path.basename(source))[0]
    os.makedirs(options.output, exist_ok=True)
    for target in options.target or _default_targets():
        module = load_sources(
            [source], target, options=make_options(**_load_options(options)), force_rebuild=options.force
        )
        path = os.path.join(options.output, f"{stem}.{target}.so")
        temporary = f"{path}.{os.getpid()}"
        shutil.copyfile(module._kernix.built[target].path, temporary)
        # By rename: a process that has the old file open keeps it.
        os.replace(temporary, path)
        print(path)
    return 0


def _default_targets() -> tuple[str, ...]:
    usable = choose_targets(None, TARGETS)
    return usable if gpu.driver().usable else tuple(target for target in usable if target == "cpu") or usable


def _open(options: argparse.Namespace) -> Any:
    if find_libraries(os.path.abspath(options.source)):
        return load(options.source)
    return load(options.source, **_load_options(options))


def _stubs(options: argparse.Namespace) -> int:
    if options.numba:
        from .numba.stubs import module_stub

        text = module_stub(load(options.source, "numba", **_load_options(options)))
    else:
        from .stubs import module_stub

        text = module_stub(_open(options))
    if options.output is None:
        print(text, end="")
    else:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)
    return 0


def _inspect(options: argparse.Namespace) -> int:
    module = _open(options)
    if options.function and options.function not in module:
        raise KernelError(module._kernix.no_such(options.function))
    names = [options.function] if options.function else list(module)
    if options.json:
        print(json.dumps({name: module[name].info for name in names}, indent=2))
        return 0
    for name in names:
        function = module[name]
        record = function.info
        print(f"{name}{function.__signature__}")
        for variant in record.get("variants", [record]):
            print(f"  {variant['kind']:8} {variant['signature']}")
            print(f"  {'arg_spec':8} {' '.join(variant['arg_spec'])}")
        if record["doc"]:
            print(f"  {'doc':8} {record['doc'].splitlines()[0]}")
    return 0


def _doctor(options: argparse.Namespace) -> int:
    findings = doctor.examine()
    for finding in findings:
        mark = "ok" if finding.ok else "MISSING" if finding.needed_for else "-"
        purpose = f" (needed for {finding.needed_for})" if finding.needed_for and not finding.ok else ""
        print(f"{mark:8} {finding.name:10} {finding.text}{purpose}")
    required = ("everything", "building kernels")
    return int(any(not finding.ok and finding.needed_for in required for finding in findings))


def _cache(options: argparse.Namespace) -> int:
    if options.action == "path":
        print(cache.folder())
    elif options.action == "size":
        builds, size = cache.Cache().size()
        print(f"{builds} builds, {size / 1e6:.1f} MB in {cache.folder()}")
    else:
        cache.Cache().clear()
    return 0
