#!/usr/bin/env bash
# Builds kernix and runs examples; does all the set-up first. On a machine with a GPU they run there, else on the CPU.
#
#   examples/run.sh                    the photograph: before and after in examples/out/photo_filter.png
#   examples/run.sh all                every example
#   examples/run.sh NAME... [--device cpu|cuda]
set -euo pipefail
KERNIX_SETUP=examples source "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"
cd "$root"

names=() options=()
while [ $# -gt 0 ]; do
  case $1 in
  --device) options+=(--device "${2:?--device needs cpu or cuda}") && shift ;;
  all) names+=(scale_shift photo_filter reduction several_outputs unmodified_source cpp_caller spring chain texture digits mixed_precision data_parallel gaussians hash_grid splatting sparse_matvec gaussians_jax shards) ;;
  *)
    if [ ! -d "examples/$1" ]; then
      echo "examples/run.sh: there is no example '$1'" >&2
      exit 2
    fi
    names+=("$1")
    ;;
  esac
  shift
done
[ ${#names[@]} -gt 0 ] || names=(photo_filter)

kernix_build package
requirements=examples/requirements.txt
if [[ " ${names[*]} " =~ \ (digits|mixed_precision|data_parallel|gaussians|hash_grid|splatting)\  ]]; then
  requirements=examples/requirements-torch.txt
fi
if [[ " ${names[*]} " =~ \ (sparse_matvec|gaussians_jax|shards)\  ]]; then
  requirements=examples/requirements-jax.txt
fi
if nvidia-smi -L 2>/dev/null | grep -q GPU; then
  requirements=examples/requirements-cuda.txt
fi
venv=$(kernix_venv "$requirements")
export PYTHONPATH=$root/build CMAKE_PREFIX_PATH=$root/build

mkdir -p examples/out
for name in "${names[@]}"; do
  echo "== $name"
  if [ -x "examples/$name/run.sh" ]; then
    "examples/$name/run.sh" "${options[@]}"
  elif [[ $name =~ ^(photo_filter|gaussians|gaussians_jax|hash_grid|splatting)$ ]]; then
    "$venv/bin/python" "examples/$name/$name.py" --output "examples/out/$name.png" "${options[@]}"
  else
    "$venv/bin/python" "examples/$name/$name.py" "${options[@]}"
  fi
done
