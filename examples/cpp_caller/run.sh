#!/usr/bin/env bash
# Builds and runs the C++ program. Usage: run.sh [--device cpu|cuda] [--build DIRECTORY]
# CMAKE_PREFIX_PATH says where kernix is: its build folder, or Python's site-packages where it is installed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

device=cpu build=$here/../out/cpp_caller
nvidia-smi -L 2>/dev/null | grep -q GPU && [ -d "${CUDA_HOME:-/usr/local/cuda}" ] && device=cuda
while [ $# -gt 0 ]; do
  case $1 in
  --device) device=$2 ;;
  --build) build=$2 ;;
  *)
    echo "usage: $0 [--device cpu|cuda] [--build DIRECTORY]" >&2
    exit 2
    ;;
  esac
  shift 2
done

mkdir -p "$(dirname "$build")"
with_cuda=OFF
[ "$device" = cuda ] && with_cuda=ON
cmake -S "$here" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DWITH_CUDA=$with_cuda >"$build.log" 2>&1 || {
  cat "$build.log" >&2
  exit 1
}
cmake --build "$build"
"$build/caller" "$device"
