#!/usr/bin/env bash
# Runs every test; does all the set-up first. Those that need a GPU are skipped, and counted as such, where there is none.
# Usage: test/run.sh [format|ctest|lit|pytest|jax|bank|brainevent|consumers|benchmarks|tidy|gpu]...
# CUDA_HOME=/nonexistent shows what a machine without the toolkit runs. Logs are in build/.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"
cd "$root"

venv=$(kernix_venv test/python/requirements.txt)
kernix_build default -DKERNIX_TEST_PYTHON="$venv/bin/python"
export PYTHONPATH=$root/build KERNIX_VERBOSE=${KERNIX_VERBOSE:-0}
export KERNIX_CACHE_DIR=${KERNIX_CACHE_DIR:-$root/build/test-cache}

passed=0 failed=0 skipped=0
# tally NAME PASSED FAILED SKIPPED - adds one suite to the sum. A suite of which nothing ran has failed.
tally() {
  local bad=$3
  [ "$2" -gt 0 ] || [ "$4" -gt 0 ] || [ "$bad" -gt 0 ] || bad=1
  echo "== $1: $2 passed, $bad failed, $4 skipped, ${SECONDS} s"
  passed=$((passed + $2)) failed=$((failed + bad)) skipped=$((skipped + $4))
}
# count PATTERN LOG - the last number that the pattern finds, 0 if there is none.
count() { grep -oE "$1" "$2" | tail -1 | grep -oE '[0-9]+' | head -1 || echo 0; }

# The tests of the plugin keep their own layout, since they check lines and columns.
run_format() {
  local bad=0
  git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' | grep -vE '^test/(plugin|cuda)/' |
    xargs -r clang-format-22 --dry-run --Werror || bad=1
  tally format $((1 - bad)) $bad 0
}

run_ctest() {
  local log=build/ctest.log total bad status=0
  ctest --test-dir build --output-on-failure -LE lit -j"$(nproc)" >"$log" 2>&1 || status=$?
  total=$(count 'out of [0-9]+' "$log") bad=$(count '[0-9]+ tests? failed' "$log")
  [ $status -eq 0 ] || cat "$log"
  [ $status -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
  tally ctest $((total - bad)) "$bad" 0
}

run_lit() {
  local log=build/lit.log status=0 bad
  PATH=/usr/lib/llvm-22/bin:$PATH "$(kernix_lit)" -sv -j"$(nproc)" test/plugin test/runtime/cpu test/cuda >"$log" 2>&1 || status=$?
  bad=$(($(count 'Failed *: +[0-9]+' "$log") + $(count 'Unresolved *: +[0-9]+' "$log") + $(count 'Timed Out *: +[0-9]+' "$log")))
  [ $status -eq 0 ] || cat "$log"
  [ $status -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
  tally lit "$(count 'Passed *: +[0-9]+' "$log")" "$bad" "$(count 'Unsupported *: +[0-9]+' "$log")"
}

kernix_lit() {
  local candidate
  for candidate in /usr/lib/llvm-22/bin/lit /usr/lib/llvm-22/build/utils/lit/lit.py /usr/bin/lit-22; do
    [ -x "$candidate" ] && echo "$candidate" && return
  done
  echo "kernix: lit was not found (apt-get install llvm-22-tools)" >&2
  exit 1
}

# pytest_suite NAME ARGUMENT...
pytest_suite() {
  local name=$1 log=build/$1.log sums=build/$1.sums status=0 bad
  shift
  "$venv/bin/python" -m pytest -q -p no:cacheprovider "$@" >"$log" 2>&1 || status=$?
  # What failed may speak of errors, too.
  grep -E ' in [0-9.]+s' "$log" | tail -1 >"$sums" || true
  bad=$(($(count '[0-9]+ failed' "$sums") + $(count '[0-9]+ errors?' "$sums")))
  [ $status -eq 0 ] || cat "$log"
  [ $status -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
  tally "$name" "$(count '[0-9]+ passed' "$sums")" "$bad" "$(count '[0-9]+ skipped' "$sums")"
}

# Tests of a file share the modules that it builds, so a file stays with one process.
side_by_side=(-n "$(nproc)" --dist loadfile)
run_pytest() { pytest_suite pytest test/python --benchmark-disable "${side_by_side[@]}"; }
# The same build under another JAX: that of another Python, where there is one.
run_jax() {
  local other venv
  if ! other=$(kernix_other_python); then
    tally "jax (no second Python here)" 0 0 "$(grep -c '^def test_' test/python/test_jax.py)"
    return
  fi
  venv=$(python=$other && kernix_venv test/python/requirements-jax.txt)
  pytest_suite jax test/python/test_jax.py
}
# A file of the bank's kernels, with all tests of it, stays with one process.
run_bank() { pytest_suite bank test/bank test/races test/fuzz/derivative -n "$(nproc)" --dist loadgroup; }
# A fixed fraction; test/brainevent/README.md says how to run all. The package's own tests want Python 3.12; where there is
# none, or not what they need, they are skipped.
run_brainevent() {
  local other
  for other in "$python" $(kernix_other_python || true); do
    if "$other" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 12))' && other=$(python=$other && kernix_venv test/brainevent/requirements.txt); then
      export KERNIX_BRAINEVENT_PYTHON=$other/bin/python
    fi
  done
  pytest_suite brainevent test/brainevent "${side_by_side[@]}"
}
run_consumers() { pytest_suite consumers test/consumers --benchmark-disable "${side_by_side[@]}"; }

# Builds the benchmarks of the CPU target; both sides of each workload have to agree. Nothing is timed.
run_benchmarks() {
  local log=build/benchmarks.log bad=0
  { cmake -S . -B build -DKERNIX_BUILD_BENCHMARKS=ON && cmake --build build --target benchmark-cpu &&
    build/test/benchmark/cpu/cpu_workloads --compare; } >"$log" 2>&1 || bad=1
  [ $bad -eq 0 ] || cat "$log"
  tally benchmarks "$(count '^[0-9]+ workloads' "$log")" $bad 0
}

run_tidy() {
  local log=build/tidy.log bad=0
  "$python" .ci/tidy.py build >"$log" 2>&1 || bad=1
  [ $bad -eq 0 ] || cat "$log"
  tally tidy "$(count '[0-9]+ clean' "$log")" "$(count '[0-9]+ with findings' "$log")" 0
}

run_gpu() {
  local log=build/gpu.log status=0 bad
  if ! nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
    tally "gpu (no GPU here)" 0 0 "$(cat test/gpu/test_*.py | grep -c '^def test_')"
    return
  fi
  test/gpu/run.sh gpu >"$log" 2>&1 || status=1
  [ $status -eq 0 ] || cat "$log"
  bad=$(count '[0-9]+ failed, [0-9]+ skipped$' "$log")
  [ $status -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
  tally gpu "$(count '^[0-9]+ passed' "$log")" "$bad" "$(count '[0-9]+ skipped$' "$log")"
}

suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(format ctest lit pytest jax bank brainevent consumers benchmarks tidy gpu)
for suite in "${suites[@]}"; do
  if ! declare -F "run_$suite" >/dev/null; then
    echo "test/run.sh: there is no suite '$suite'" >&2
    exit 2
  fi
done
for suite in "${suites[@]}"; do
  SECONDS=0
  "run_$suite"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
