"""Time to compile each CUDA file of brainevent to a module: with kernix, and with brainevent's own engine (nvcc).

Usage: compile_time.py [FILE...], under a Python with test/brainevent/requirements.txt; FILE as `_csr/float_csrmv.cu`. Seconds
of CPU for sm_90, one file after the other, nothing from a cache. Needs the CUDA toolkit and no GPU.
"""

import os
import resource
import sys
import tempfile
from collections.abc import Callable

os.environ |= {"KERNIX_TARGET": "cuda", "KERNIX_VERBOSE": "0"}

import brainevent  # noqa: E402  (after the environment)
import package  # noqa: E402
from brainevent._op import kernix_pipeline as pipeline  # noqa: E402

import kernix  # noqa: E402


def cpu_seconds(work: Callable[[], object]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_brainevent(source: str) -> None:
    pipeline.CompiledModule = lambda path, names: None  # what it loads wants a driver
    brainevent.load_cuda_file(package.folder() / source, **options(source), compute_capability="sm_90", auto_register=False)


def by_kernix(source: str) -> int:
    module = kernix.load_cuda_file(package.folder() / source, **options(source), compute_capability="9.0")
    return len(list(module))


def options(source: str) -> dict[str, list[str]]:
    return {
        "extra_include_paths": package.include_paths(source),
        "extra_ldflags": ["-lcublas"] if source == package.CUBLAS else [],
    }


def main() -> None:
    total = [0.0, 0.0]
    for source in sys.argv[1:] or package.sources():
        counts: list[int] = []
        with tempfile.TemporaryDirectory() as cache:
            os.environ["KERNIX_CACHE_DIR"] = os.path.join(cache, "kernix")
            brainevent.set_cache_dir(os.path.join(cache, "brainevent"))
            times: list[float | str] = []
            for k, work in enumerate([by_brainevent, lambda source: counts.append(by_kernix(source))]):
                try:
                    seconds = cpu_seconds(lambda work=work: work(source))  # type: ignore[misc]
                except (brainevent.KernelError, kernix.KernelError) as error:
                    times.append(f"{type(error).__name__}: " + str(error).strip().splitlines()[-1])
                    continue
                times.append(f"{seconds:.1f}")
                total[k] += seconds
        print(f"| `{source}` | {counts[0] if counts else ''} | {times[0]} | {times[1]} |", flush=True)
    print(f"| sum | | {total[0]:.0f} | {total[1]:.0f} |")


if __name__ == "__main__":
    main()
