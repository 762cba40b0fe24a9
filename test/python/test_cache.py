"""The cache: what is rebuilt, what is not, and what happens when many processes or killed ones use it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import kernix
from conftest import ADD_ONE, needs_toolkit, run_python
from kernix import cache
from kernix.build import Build

VALUE = '#include "value.h"\n[[kernix::bind]] int value() { return VALUE; }\n'


@pytest.fixture
def builds(fresh_cache, monkeypatch):
    """Titles of the builds that ran."""
    done = []
    run = Build.run

    def counted(self, folder):
        done.append(self.title)
        return run(self, folder)

    monkeypatch.setattr(Build, "run", counted)
    return done


@pytest.fixture
def with_header(source, tmp_path):
    (tmp_path / "value.h").write_text("#define VALUE 1\n")
    return source(VALUE)


def load(path, **options):
    return kernix.load(path, target="cpu", **options)


def test_second_load_builds_nothing(builds, with_header):
    assert load(with_header).value() == 1
    assert load(with_header).value() == 1
    assert len(builds) == 1


def test_second_load_runs_no_compiler(builds, with_header, monkeypatch):
    load(with_header)

    def refuse(*arguments, **options):
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "run", refuse)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert load(with_header).value() == 1


def test_edited_source(builds, source):
    path = source("[[kernix::bind]] int value() { return 1; }")
    assert load(path).value() == 1
    path.write_text(path.read_text().replace("return 1", "return 2"))
    assert load(path).value() == 2
    assert len(builds) == 2


def test_edited_header(builds, with_header, tmp_path):
    assert load(with_header).value() == 1
    (tmp_path / "value.h").write_text("#define VALUE 2\n")
    assert load(with_header).value() == 2
    assert len(builds) == 2


def test_edit_that_is_undone(builds, with_header, tmp_path):
    for value in (1, 2, 1, 2):
        (tmp_path / "value.h").write_text(f"#define VALUE {value}\n")
        assert load(with_header).value() == value
    assert len(builds) == 2


def test_header_of_equal_size_and_time(builds, with_header, tmp_path):
    header = tmp_path / "value.h"
    long_ago = time.time() - 1000
    os.utime(header, (long_ago, long_ago))
    assert load(with_header).value() == 1
    header.write_text("#define VALUE 2\n")
    os.utime(header, (long_ago, long_ago))
    assert load(with_header).value() == 2


def test_touched_header_is_no_change(builds, with_header, tmp_path):
    load(with_header)
    (tmp_path / "value.h").touch()
    load(with_header)
    assert len(builds) == 1


def test_header_of_one_pass_only(builds, source, tmp_path):
    (tmp_path / "device.h").write_text("#define AMOUNT 1\n")
    path = source(
        """
        #if defined(__CUDA_ARCH__) || defined(__KERNIX_CPU_DEVICE__)
        #include "device.h"
        #else
        #define AMOUNT 0
        #endif
        [[kernix::bind]] __global__ void fill([[kernix::intent(out_return), kernix::shape("1")]] float *y) {
          y[0] = AMOUNT;
        }
        """
    )
    assert load(path).fill().tolist() == [1]
    (tmp_path / "device.h").write_text("#define AMOUNT 2\n")
    assert load(path).fill().tolist() == [2]


@needs_toolkit
def test_header_of_the_device_pass_of_cuda(builds, source, tmp_path):
    (tmp_path / "device.h").write_text("#define AMOUNT 1\n")
    path = source(
        """
        #ifdef __CUDA_ARCH__
        #include "device.h"
        #endif
        """
        + ADD_ONE
    )
    for text in ("#define AMOUNT 1\n", "#define AMOUNT 2\n"):
        (tmp_path / "device.h").write_text(text)
        kernix.load(path, target="cuda", arch=["sm_80", "sm_90"])
    assert len(builds) == 2


@pytest.mark.parametrize(
    "options",
    [
        {"opt_level": 2},
        {"fast_math": True},
        {"debug": True},
        {"defines": ["UNUSED"]},
        {"extra_cflags": ["-Wall"]},
        {"extra_ldflags": ["-Wl,-O1"]},
        {"include_paths": ["/tmp"]},
        {"checks": ["bounds"]},
        {"arch": "x86-64-v2"},
        {"name": "other"},
    ],
)
def test_every_option_counts(builds, with_header, options):
    load(with_header)
    load(with_header, **options)
    assert len(builds) == 2
    load(with_header, **options)
    assert len(builds) == 2


def test_config_counts(builds, tmp_path):
    path, config = tmp_path / "f.cu", tmp_path / "bind.yaml"
    path.write_text("int f() { return 1; }\nint g() { return 2; }\n")
    config.write_text("Functions:\n  f: {bind: true}\n")
    assert list(load(path, config=config)) == ["f"]
    config.write_text("Functions:\n  g: {bind: true}\n")
    assert list(load(path, config=config)) == ["g"]


def test_environment_of_the_compiler_counts(builds, with_header, monkeypatch):
    load(with_header)
    monkeypatch.setenv("CPATH", "/nowhere")
    load(with_header)
    assert len(builds) == 2


def test_plugin_and_compiler_count(builds, with_header, monkeypatch):
    from kernix import toolchain

    load(with_header)
    monkeypatch.setattr(toolchain, "plugin_identity", lambda: "another")
    load(with_header)
    monkeypatch.setattr(toolchain, "_file_identity", lambda path: "another")
    load(with_header)
    assert len(builds) == 3


def test_force_rebuild(builds, with_header):
    load(with_header)
    assert load(with_header, force_rebuild=True).value() == 1
    assert len(builds) == 2


def test_failed_build_leaves_nothing(builds, source, fresh_cache):
    path = source("[[kernix::bind]] int value() { return oops; }")
    for _ in range(2):
        with pytest.raises(kernix.CompileError):
            load(path)
    assert len(builds) == 2
    assert list((fresh_cache / "tmp").iterdir()) == []
    assert not (fresh_cache / "objects").exists()


def test_source_edited_during_the_build(builds, with_header, tmp_path, monkeypatch):
    run = Build.run

    def edit_late(self, folder):
        files = run(self, folder)
        (tmp_path / "value.h").write_text("#define VALUE 3\n")
        return files

    with monkeypatch.context() as patch:
        patch.setattr(Build, "run", edit_late)
        assert load(with_header).value() == 1
    assert load(with_header).value() == 3


def test_damaged_manifest(builds, with_header, fresh_cache):
    load(with_header)
    for manifest in (fresh_cache / "manifests").iterdir():
        manifest.write_text("{ not json")
    assert load(with_header).value() == 1
    assert len(builds) == 2


def test_removed_object(builds, with_header, fresh_cache):
    import shutil

    load(with_header)
    shutil.rmtree(fresh_cache / "objects")
    assert load(with_header).value() == 1
    assert len(builds) == 2


@pytest.mark.parametrize("is_cut_off", [False, True])
def test_damaged_object(builds, with_header, fresh_cache, is_cut_off):
    load(with_header)
    (module,) = fresh_cache.glob("objects/*/module.so")
    module.unlink()  # the loaded one stays what it is
    if is_cut_off:
        module.write_bytes(b"\x7fELF")
    for _ in range(2):
        assert load(with_header).value() == 1
        assert len(builds) == 2


def test_build_directory_that_cannot_be_written(with_header, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KERNIX_CACHE_DIR", str(tmp_path / "file" / "below"))
    with pytest.raises(kernix.KernelError, match=r"the cache cannot be written: .*set \$KERNIX_CACHE_DIR"):
        load(with_header)


# -- several processes ------------------------------------------------------------------------------------------------

LOADER = """
    import kernix, sys
    print(kernix.load({path!r}, target="cpu").value())
"""
SLOW = """
    // A millisecond of work for the preprocessor is not enough to be overtaken: templates are.
    #include <complex>
    #include <utility>
    template <int N> struct Sum { static constexpr int value = N + Sum<N - 1>::value; };
    template <> struct Sum<0> { static constexpr int value = 0; };
    [[kernix::bind]] int value() { return Sum<900>::value * 0 + 1; }
"""


def start(path: Path, **environment: str) -> "subprocess.Popen[str]":
    import textwrap

    import kernix

    root = str(Path(kernix.__file__).parent.parent)
    env = {**os.environ, "PYTHONPATH": root, "KERNIX_VERBOSE": "1", **environment}
    code = textwrap.dedent(LOADER.format(path=str(path)))
    return subprocess.Popen(
        [sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )


def test_one_builds_the_others_wait_and_say_so(source, fresh_cache):
    processes = [start(source(SLOW)) for _ in range(4)]
    outputs = [process.communicate(timeout=120) for process in processes]
    assert [out.strip() for out, _ in outputs] == ["1"] * 4
    text = "".join(err for _, err in outputs)
    assert text.count("building inline.cu for cpu") - text.count("waiting for another process: building inline.cu") == 1
    assert text.count("waiting for another process") >= 1


def test_a_killed_build_is_built_by_the_next(source, fresh_cache):
    path = source(SLOW)
    process = start(path)
    deadline = time.monotonic() + 60
    while not list(fresh_cache.glob("tmp/*")) and time.monotonic() < deadline:
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert list(fresh_cache.glob("tmp/*")), "the build was over before it could be killed"
    assert load(path).value() == 1


def test_leftovers_of_killed_builds_are_removed(with_header, fresh_cache):
    old, young = fresh_cache / "tmp" / "old", fresh_cache / "tmp" / "young"
    old.mkdir(parents=True)
    young.mkdir()
    os.utime(old, (1, 1))
    load(with_header)
    assert not old.exists()
    assert young.exists()


def test_clear_and_size(with_header, fresh_cache):
    module = load(with_header)
    builds, size = cache.Cache().size()
    assert builds == 1 and size > 1000
    cache.Cache().clear()
    assert cache.Cache().size()[0] == 0
    assert module.value() == 1
    assert load(with_header).value() == 1


def test_clear_of_nothing(fresh_cache):
    cache.Cache().clear()
    assert not fresh_cache.exists()


def test_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("KERNIX_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.folder() == str(tmp_path / "xdg" / "kernix")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == str(tmp_path / ".cache" / "kernix")


def test_warm_load_is_fast(source):
    path = source(ADD_ONE)
    kernix.load(path)
    result = run_python(
        f"""
        import time, kernix
        start = time.perf_counter()
        kernix.load({str(path)!r})
        print(time.perf_counter() - start)
        """
    )
    assert result.returncode == 0, result.stderr
    assert float(result.stdout) < 0.25  # 0.05 on a quiet machine, see test/benchmark/python
