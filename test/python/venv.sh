#!/bin/sh
# Prints the path of the test suite's virtual environment and creates it when it is missing.
# It lies outside the checkout and is named by the content of requirements.txt and the Python version, so that several
# checkouts share it and an edited requirement makes a new one. What this does not do: remove old ones.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
hash=$({ cat "$here/requirements.txt"; echo "$version"; } | sha256sum | cut -c1-12)
base=${KERNIX_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kernix-test}
venv=$base/venv-$hash
mkdir -p "$base"

# The marker is written last: a folder without it is a creation that was killed.
(
  flock 9
  if [ ! -e "$venv/.complete" ]; then
    rm -rf "$venv"
    echo "kernix: creating the test environment in $venv (torch: some minutes and about 6 GB)" >&2
    "$python" -m venv "$venv" >&2
    "$venv/bin/pip" install --quiet -r "$here/requirements.txt" >&2
    touch "$venv/.complete"
  fi
) 9>"$venv.lock"
echo "$venv"
