#!/usr/bin/env bash
# Makes .venv with uv in it. A Debian without python3-venv gets that first, if we may install it.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "Python 3.11 or newer is needed; $python is $("$python" --version). Name another: make setup PYTHON=..." >&2
  exit 1
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "$python cannot make virtual environments: install python3-venv" >&2
    exit 1
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv
fi
echo "making .venv"
"$python" -m venv --clear .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check "uv>=0.13"
