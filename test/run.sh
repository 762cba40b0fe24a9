#!/usr/bin/env bash
# Runs every test; does all the set-up first. Usage: test/run.sh [format|ctest|lit|pytest|gpu]...
# Those that need a GPU are skipped, and counted as such, where there is none.
# The tests of the plugin keep their own layout, since they check lines and columns.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"
cd "$root"

kernix_build default
venv=$(kernix_venv test/python/requirements.txt)
export PYTHONPATH=$root/build KERNIX_VERBOSE=${KERNIX_VERBOSE:-0}
export KERNIX_CACHE_DIR=${KERNIX_CACHE_DIR:-$root/build/test-cache}

passed=0 failed=0 skipped=0
# tally NAME LOG PASSED FAILED SKIPPED - adds one suite to the sum.
tally() {
  echo "== $1: $2 passed, $3 failed, $4 skipped"
  passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
}
# count PATTERN LOG - the last number before the word in the log, 0 if none.
count() { grep -oE "$1" "$2" | tail -1 | grep -oE '[0-9]+' | head -1 || echo 0; }

run_format() {
  local bad=0
  git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' | grep -vE '^test/(plugin|cuda)/' |
    xargs -r clang-format-22 --dry-run --Werror || bad=1
  tally format $((1 - bad)) $bad 0
}

run_ctest() {
  local log=build/ctest.log total bad
  ctest --test-dir build --output-on-failure -j"$(nproc)" >"$log" 2>&1 || cat "$log"
  total=$(count 'out of [0-9]+' "$log") bad=$(count '[0-9]+ tests? failed' "$log")
  tally ctest $((${total:-0} - ${bad:-0})) "${bad:-0}" 0
}

run_lit() {
  local log=build/lit.log
  PATH=/usr/lib/llvm-22/bin:$PATH "$(kernix_lit)" -sv -j"$(nproc)" test/plugin test/runtime/cpu test/cuda >"$log" 2>&1 || cat "$log"
  local good bad none
  good=$(count 'Passed *: +[0-9]+' "$log") bad=$(($(count 'Failed *: +[0-9]+' "$log") + $(count 'Unresolved *: +[0-9]+' "$log")))
  none=$(count 'Unsupported *: +[0-9]+' "$log")
  [ "${good:-0}" -gt 0 ] || bad=$((bad + 1))
  tally lit "${good:-0}" "$bad" "${none:-0}"
}

kernix_lit() {
  local candidate
  for candidate in /usr/lib/llvm-22/bin/lit /usr/lib/llvm-22/build/utils/lit/lit.py /usr/bin/lit-22; do
    [ -x "$candidate" ] && echo "$candidate" && return
  done
  echo "kernix: lit was not found (apt-get install llvm-22-tools)" >&2
  exit 1
}

run_pytest() {
  local log=build/pytest.log
  "$venv/bin/python" -m pytest -q -p no:cacheprovider test/python --benchmark-disable >"$log" 2>&1 || cat "$log"
  tally pytest "$(count '[0-9]+ passed' "$log")" "$(($(count '[0-9]+ failed' "$log") + $(count '[0-9]+ errors?' "$log")))" \
    "$(count '[0-9]+ skipped' "$log")"
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
[ ${#suites[@]} -gt 0 ] || suites=(format ctest lit pytest gpu)
for suite in "${suites[@]}"; do "run_$suite"; done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
