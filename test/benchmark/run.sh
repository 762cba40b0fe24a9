#!/usr/bin/env bash
# Runs every benchmark; what they are and what was measured: README.md. Usage: test/benchmark/run.sh [SUITE]...
# Suites: compile cpu runtime python torch jax load gpu (all of them by default). QUICK=1: fewer rounds, no instruction counts.
#
# Does all the set-up of test/run.sh first, unless $KERNIX_CLANG names a clang++ and $PYTHONPATH a built kernix: then these
# are used with python3 as it is, and nothing is installed (a GPU machine). A suite whose tools are missing says so.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -n "${KERNIX_CLANG:-}" ] && [ -n "${PYTHONPATH:-}" ]; then
  python=${KERNIX_PYTHON:-python3} clang=$KERNIX_CLANG
  package=$("$python" -c 'import kernix, os; print(os.path.dirname(kernix.__file__))')
  root=$(dirname "$package")
else
  source "$here/../../.ci/setup.sh"
  kernix_build benchmark
  python=$(kernix_venv "$here/../python/requirements.txt")/bin/python
  clang=clang++-22 package=$root/build/kernix
  export PYTHONPATH=$root/build
  sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  for tool in hyperfine valgrind; do
    dpkg-query -W -f='${Status}' $tool 2>/dev/null | grep -q 'ok installed' && continue
    "${sudo[@]}" apt-get install -y -qq --no-install-recommends $tool >/dev/null
  done
fi
export KERNIX_VERBOSE=${KERNIX_VERBOSE:-0}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
skip() { echo "skipped: $1"; }
# budget COMMAND... - goes on after a missed budget, and remembers it.
budget() { "$@" || status=1; }

run_compile() {
  command -v hyperfine >/dev/null || { skip "hyperfine is not installed"; return; }
  local options=(--root "$package")
  [ -z "${QUICK:-}" ] || options+=(--rounds 5 --no-instructions)
  KERNIX_CLANG=$clang budget "$python" "$here/compile/compile_cost.py" "${options[@]}"
  KERNIX_CLANG=$clang budget "$python" "$here/compile/derivative_cost.py" "${options[@]}"
}

# cpu_program NAME FILE... - cpu/NAME.cpp with FILEs of that folder: kernels for the CPU target (.cu), loops by hand (.cpp).
cpu_program() {
  local name=$1 file unit pass objects=() sources=("$here/cpu/$1.cpp") flags
  flags=(-O3 -march=native -Wall -Wextra -Wno-unused-parameter -Werror)
  shift
  for file in "$@"; do
    if [ "${file%.cu}" = "$file" ]; then
      sources+=("$here/cpu/$file")
      continue
    fi
    unit=$(basename "$file" .cu)
    for pass in host device; do
      "$clang" --config="$package/share/kernix/kernix-cpu-$pass.cfg" -idirafter "$("$clang" -print-resource-dir)/include" \
        -fplugin-arg-kernix-unit="$unit" "${flags[@]}" -Wno-pass-failed -c "$here/cpu/$file" -o "$work/$unit.$pass.o"
      objects+=("$work/$unit.$pass.o")
    done
  done
  "$clang" "${flags[@]}" -std=c++20 -ffp-contract=fast -fno-math-errno -fveclib=libmvec -fopenmp "${sources[@]}" \
    "${objects[@]}" -L"$package/lib" -lkernix_runtime -Wl,-rpath,"$package/lib" -lbenchmark -lpthread -o "$work/$name"
  "$work/$name" ${QUICK:+--benchmark_min_time=0.05}
}

run_cpu() {
  if ! echo '#include <benchmark/benchmark.h>' | "$clang" -x c++ -fsyntax-only -fopenmp - 2>/dev/null; then
    skip "Google Benchmark or OpenMP is not installed"
    return
  fi
  cpu_program cpu_target kernels.cu openmp.cpp
  cpu_program cpu_backward backward_kernels.cu openmp_backward.cpp
  (cd "$here/cpu" && ls workloads/*.cu workloads/*.cpp) >"$work/workloads"
  mapfile -t workloads <"$work/workloads"
  cpu_program cpu_workloads "${workloads[@]}"
}

run_runtime() {
  local name program
  for name in kernix_call_benchmark kernix_selector_benchmark; do
    program=$(find "$root" -name $name -type f -perm -u+x 2>/dev/null | head -1)
    if [ -z "$program" ]; then
      skip "$name is not built"
      continue
    fi
    "$program" ${QUICK:+--benchmark_min_time=0.05}
  done
}

run_jax() {
  "$python" -c 'import jax' 2>/dev/null || { skip "jax is not installed"; return; }
  KERNIX_CLANG=$clang KERNIX_CACHE_DIR=$work/cache budget "$python" "$here/jax/handler_cost.py" ${QUICK:+--rounds 3}
  for graphs in "" --no-graphs; do
    KERNIX_CACHE_DIR=$work/cache "$python" "$here/jax/gpu_call.py" $graphs ${QUICK:+--rounds 10}
  done
  KERNIX_CACHE_DIR=$work/cache "$python" "$here/jax/batches.py" ${QUICK:+--rounds 10}
}

run_python() {
  KERNIX_CACHE_DIR=$work/cache KERNIX_BUDGETS=fail budget "$python" -m pytest -q -p no:cacheprovider "$here/python" \
    --benchmark-columns=min,median,iqr --benchmark-sort=name ${QUICK:+--benchmark-max-time=0.2}
}

run_torch() {
  local device devices=(cpu)
  ! "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null || devices+=(cuda)
  for device in "${devices[@]}"; do
    KERNIX_CACHE_DIR=$work/cache KERNIX_CLANG=$clang KERNIX_BUDGETS=fail budget "$python" "$here/python/torch_calls.py" \
      --device "$device" ${QUICK:+--rounds 20}
  done
}

run_gpu() {
  if "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
    budget "$python" "$here/gpu/kernel_time.py" ${QUICK:+--rounds 20}
    budget "$python" "$here/gpu/derivative_time.py" ${QUICK:+--rounds 20}
    "$python" "$here/gpu/selector_time.py" ${QUICK:+--rounds 20}
    "$python" "$here/gpu/few_elements_time.py" ${QUICK:+--rounds 20}
    if "$python" -c 'import numba.cuda.vector_types' 2>/dev/null; then
      budget "$python" "$here/gpu/numba_time.py" ${QUICK:+--rounds 20}
    else
      skip "no numba-cuda, or none that works with this NumPy"
    fi
  else
    skip "no GPU that PyTorch can use"
  fi
}

run_load() {
  budget "$python" "$here/python/load_time.py" --target cpu ${QUICK:+--cold 2 --warm 7}
  if "$python" -c 'import sys; from kernix import toolchain; sys.exit(all(map(toolchain.cuda_problem, toolchain.cuda_candidates())))'; then
    budget "$python" "$here/python/load_time.py" --target cuda ${QUICK:+--cold 2 --warm 7}
  else
    skip "no CUDA toolkit"
  fi
}

suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(compile cpu runtime python torch jax load gpu)
for suite in "${suites[@]}"; do
  echo "== $suite"
  "run_$suite"
done
exit $status
