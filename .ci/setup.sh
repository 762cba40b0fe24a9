# Sourced by examples/run.sh and test/run.sh: everything a fresh Debian 12 machine needs, and the build in build/.
# Safe to run again; then it only checks and builds what changed.
# With KERNIX_SETUP=examples it installs what users need; else what tests and benchmarks need too.
# Defines: root, python, kernix_venv FILE, kernix_build PRESET [OPTION...].

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# System packages, installed through apt where one is missing.
kernix_packages=(clang-22 llvm-22-dev libclang-22-dev lld-22 cmake ninja-build g++ libboost-context-dev python3-dev
  python3-venv)
kernix_test_packages=(clang-tools-22 llvm-22-tools libclang-rt-22-dev clang-format-22 clang-tidy-22 ccache libgtest-dev
  libbenchmark-dev libomp-22-dev)

kernix_install_packages() {
  local missing=() package
  for package in "${kernix_packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  echo "kernix: installing ${missing[*]}" >&2
  local sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  if ! command -v apt-get >/dev/null; then
    echo "kernix: this machine has no apt; install the equivalents of: ${missing[*]}" >&2
    exit 1
  fi
  "${sudo[@]}" apt-get update -qq
  if ! apt-cache show clang-22 >/dev/null 2>&1; then
    echo "kernix: apt knows no clang-22; add https://apt.llvm.org, which has it for Debian and Ubuntu, and run this again" >&2
    exit 1
  fi
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# The newest Python of 3.11 to 3.14 that can make a virtual environment and has its headers.
kernix_find_python() {
  local candidate
  for candidate in "${KERNIX_PYTHON:-python3}" /usr/bin/python3 python3.13 python3.12 python3.11; do
    if "$candidate" - 2>/dev/null <<'PY'
import os, sys, sysconfig, venv
ok = (3, 11) <= sys.version_info < (3, 15)
sys.exit(not (ok and os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h"))))
PY
    then
      python=$(command -v "$candidate")
      return
    fi
  done
  echo "kernix: no Python 3.11 to 3.14 with its headers was found (apt-get install python3-dev python3-venv)" >&2
  exit 1
}

# Prints a Python of another minor version than $python; pyenv's count too. Status 1 if there is none.
kernix_other_python() {
  local own candidate
  own=$("$python" -c 'import sys; print(sys.version_info.minor)')
  for candidate in python3.12 python3.11 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[12].*/bin/python3; do
    "$candidate" -c "import sys, venv; sys.exit(sys.version_info[:2] in ((3, $own),) or sys.version_info < (3, 11))" \
      2>/dev/null && command -v "$candidate" && return
  done
  return 1
}

# kernix_venv REQUIREMENTS - prints a virtual environment with these packages. It lies outside the checkout, named by the
# content of the file and the Python version, so that checkouts share it and an edited file makes a new one.
kernix_venv() {
  local hash base venv
  hash=$({ cat "$1"; "$python" -c 'import sys; print(sys.version)'; } | sha256sum | cut -c1-12)
  base=${KERNIX_VENV_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/kernix-venv}
  venv=$base/$hash
  mkdir -p "$base"
  (
    flock 9
    # The marker is written last: a folder without it is a creation that was killed.
    if [ ! -e "$venv/.complete" ]; then
      echo "kernix: creating a Python environment in $venv" >&2
      # Chained: errexit does not hold in a command substitution.
      rm -rf "$venv" && "$python" -m venv "$venv" >&2 &&
        "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$1" >&2 && touch "$venv/.complete"
    fi
  ) 9>"$venv.lock" || {
    echo "kernix: the Python packages of $1 could not be installed; pip's message is above" >&2
    return 1
  }
  echo "$venv"
}

# kernix_build PRESET [OPTION...] - configures and builds build/. Compiled objects are shared through ccache, where it is
# installed, with other checkouts and with the builds that the tests of consumers make.
kernix_build() {
  local preset=$1 log=$root/build/configure.log launcher=()
  mkdir -p "$root/build"
  # A build with tests stays one: changing to and fro would build them anew.
  if [ "$preset" = package ] && grep -qs 'KERNIX_BUILD_TESTS:.*=ON' "$root/build/CMakeCache.txt"; then
    preset=default
  fi
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)
  (cd "$root" && cmake --preset "$preset" "${launcher[@]}" -DPython_EXECUTABLE="$python" "${@:2}" >"$log" 2>&1) || {
    cat "$log" >&2
    exit 1
  }
  CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 cmake --build "$root/build" || exit 1
}

[ "${KERNIX_SETUP:-}" = examples ] || kernix_packages+=("${kernix_test_packages[@]}")
kernix_install_packages
kernix_find_python
