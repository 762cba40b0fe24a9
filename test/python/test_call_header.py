"""kernix/call.h on real modules: derivatives from C++."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import SOURCES

from kernix import _paths
from kernix.cli import main

PROGRAM = """
#include <kernix/call.h>
#include <cstdio>
#include <utility>
#include <vector>

using kernix::absent, kernix::none;

template <class T> void run(const kernix::Module &module, const char *name) {
  std::vector<T> x{1, 2, 3, 4, 5, 6}, w{4, 5, 6}, y(6), dy{1, 10, 100, 1, 10, 100}, dx(6), dw(3);
  auto array = [](auto &v) { return kernix::array(v.data(), {static_cast<int64_t>(v.size())}); };
  auto print = [&](const char *what) {
    std::printf("%s %s:", name, what);
    for (auto *v : {&dx, &dw})
      for (T &value : *v)
        std::printf(" %g", std::exchange(value, T(0)));
    std::printf("\\n");
  };
  kernix::Operation bwd = module[(std::string(name) + "_bwd").c_str()];
  bwd(array(x), array(dx), array(w), array(dw), none, array(dy));
  print("both");
  bwd(array(x), none, array(w), array(dw), none, array(dy));
  print("w");
  bwd(array(x), array(dx), array(w), none, none, array(dy));
  print("x");
  kernix::Results given = bwd(array(x), absent, array(w), absent, none, array(dy));
  for (int i = 0; i < given.size(); ++i)
    for (int k = 0; k < given.tensor(i).size(0); ++k)
      (i ? dw : dx)[k] = given.tensor(i).data_ptr<T>()[k];
  print("allocated");
}

int main(int, char **arguments) {
  kernix::Module module(arguments[1]);
  run<double>(module, "views");
  run<float>(module, "replicated");
}
"""


def test_gradients_with_scratch_memory(tmp_path: Path) -> None:
    compiler = os.environ.get("KERNIX_CLANG") or shutil.which("clang++-22") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no clang++")
    program, caller = tmp_path / "main.cpp", tmp_path / "caller"
    program.write_text(PROGRAM)
    flags = ["-std=c++20", f"-I{_paths.INCLUDE}", "-DKERNIX_NO_PLUGIN", "-fsanitize=address", "-g"]
    subprocess.run([compiler, *flags, program, _paths.RUNTIME, f"-Wl,-rpath,{_paths.LIBRARY}", "-o", caller], check=True)
    assert main(["compile", str(SOURCES / "called_from_cpp.cu"), "-t", "cpu", "-o", str(tmp_path)]) == 0
    result = subprocess.run([caller, tmp_path / "called_from_cpp.cpu.so"], text=True, capture_output=True)
    assert result.returncode == 0, result.stdout + result.stderr
    x, w = "8 200 3600 32 500 7200", "17 290 4500"
    for name in ("views", "replicated"):
        assert f"{name} both: {x} {w}\n" in result.stdout
        assert f"{name} w: 0 0 0 0 0 0 {w}\n" in result.stdout
        assert f"{name} x: {x} 0 0 0\n" in result.stdout
        assert f"{name} allocated: {x} {w}\n" in result.stdout
