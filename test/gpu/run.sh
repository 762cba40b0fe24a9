#!/usr/bin/env bash
# Runs everything that needs a GPU, in one call. Usage: test/gpu/run.sh [SUITE]...   (the first four by default)
#
#   pytest      test/python as on any machine; with a GPU its fixtures also give CUDA tensors, its examples --device cuda
#   gpu         test/gpu: streams, graphs, errors, code, compute-sanitizer, ...
#   bank        test/bank/test_gpu.py: every kernel of the bank against the CPU target
#   benchmark   test/benchmark: calls from Python, launches and kernels against the same by hand
#   devices     of these, what needs a second GPU
#   brainevent  the package's own tests with kernix behind it, and with its own engine (not by default; Python 3.12)
#
# Without a GPU it says so and ends with status 0. Does all the set-up of test/run.sh first, unless $KERNIX_CLANG names a
# clang++ and $PYTHONPATH a built kernix: then these are used, with python3 as it is, and nothing is installed. Logs are
# written to $KERNIX_TEST_LOGS (build/gpu-logs).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

if ! nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
  echo "skipped: no GPU was found (nvidia-smi -L lists none)"
  exit 0
fi
nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv,noheader

if [ -n "${KERNIX_CLANG:-}" ] && [ -n "${PYTHONPATH:-}" ]; then
  python=${KERNIX_PYTHON:-python3}
else
  source "$root/.ci/setup.sh"
  kernix_build benchmark
  python=$(kernix_venv "$root/test/python/requirements.txt")/bin/python
  export PYTHONPATH=$root/build KERNIX_CLANG=${KERNIX_CLANG:-$(command -v clang++-22)}
fi
cd "$root"
logs=${KERNIX_TEST_LOGS:-$root/build/gpu-logs}
mkdir -p "$logs"
export KERNIX_VERBOSE=${KERNIX_VERBOSE:-0}
export KERNIX_CACHE_DIR=${KERNIX_CACHE_DIR:-$logs/cache}
# JAX would take most of the GPU's memory for itself.
export XLA_PYTHON_CLIENT_PREALLOCATE=false

options=(-q -p no:cacheprovider)
"$python" -c 'import pytest_benchmark' 2>/dev/null && options+=(--benchmark-disable)
# With pytest-xdist side by side, a file in one process: most of the time goes into compilers.
if "$python" -c 'import xdist' 2>/dev/null; then
  jobs=$(nproc)
  options+=(-n "$((jobs > 12 ? 12 : jobs))" --dist loadfile)
fi

passed=0 failed=0 skipped=0
# count WORD LOG - the number before the word in pytest's last line, 0 if none.
count() { { grep -E ' in [0-9.]+s' "$2" || true; } | tail -1 | grep -oE "[0-9]+ $1" | grep -oE '^[0-9]+' || echo 0; }
# run_tests NAME PATH... - one pytest session; its failures are shown, its whole output kept.
run_tests() {
  local name=$1 log=$logs/$1.log status=0 good bad none
  shift
  "$python" -m pytest "${options[@]}" "$@" >"$log" 2>&1 || status=$?
  good=$(count passed "$log") none=$(count skipped "$log") bad=$(($(count failed "$log") + $(count 'errors?' "$log")))
  # A session that ended early, or collected nothing, has failed too.
  [ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
  if [ "$bad" -gt 0 ]; then sed -n '/^=.* \(FAILURES\|ERRORS\)/,$p' "$log"; else grep -E '^SKIPPED' "$log" || true; fi
  echo "== $name: $good passed, $bad failed, $none skipped ($(grep -oE 'in [0-9.]+s' "$log" | tail -1))"
  passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + none))
}

run_pytest() { run_tests pytest test/python; }
run_gpu() { run_tests gpu test/gpu; }
# Each process keeps a large stack on the GPU: with 16 of them its memory runs out.
run_bank() {
  local options=("${options[@]}")
  [[ " ${options[*]} " != *" --dist "* ]] || options+=(-n 9 --dist loadgroup)
  run_tests bank test/bank/test_gpu.py
}
run_devices() { run_tests devices test/gpu/test_devices.py; }
run_benchmark() {
  local status=0
  test/benchmark/run.sh python load gpu >"$logs/benchmark.log" 2>&1 || status=$?
  grep -E '^(==|budgets|skipped|numpy|torch|kernel|import|warm|cold)|MISSED' "$logs/benchmark.log" || cat "$logs/benchmark.log"
  echo "== benchmark: $([ $status -eq 0 ] && echo 'every budget met' || echo 'a budget was missed')"
  if [ $status -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}
# $KERNIX_BRAINEVENT_SECONDS for each of $KERNIX_BRAINEVENT_ENGINES; tests for which no time is left are skipped.
run_brainevent() {
  local log=$logs/brainevent.log status=0 last engines
  if ! "$python" -c 'import brainevent, brainstate, xdist' 2>/dev/null; then
    echo "== brainevent: skipped, $python has not what test/brainevent/requirements.txt lists"
    skipped=$((skipped + 1))
    return
  fi
  read -ra engines <<<"${KERNIX_BRAINEVENT_ENGINES:-kernix brainevent}"
  "$python" test/brainevent/both_engines.py --seconds "${KERNIX_BRAINEVENT_SECONDS:-900}" --output "$logs/brainevent" \
    --engines "${engines[@]}" >"$log" 2>&1 || status=$?
  cat "$log"
  last=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -1) || last="0 passed, 1 failed, 0 skipped"
  [ "$status" -eq 0 ] || [[ $last != *" 0 failed"* ]] || last="0 passed, 1 failed, 0 skipped"
  read -r good _ bad _ none _ <<<"$last"
  passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + none))
}

suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(pytest gpu bank benchmark)
for suite in "${suites[@]}"; do "run_$suite"; done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
