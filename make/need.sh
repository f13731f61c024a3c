#!/usr/bin/env bash
# need.sh COMMAND PACKAGE...: without COMMAND, installs Debian's packages if apt-get may, and fails if
# that does not bring it. VERSION in the name of a package stands for that of Debian's clang.
set -euo pipefail
command -v "$1" >/dev/null && exit
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  exec 9>/tmp/addhash-apt.lock
  flock 9
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  version=$(apt-cache depends clang | sed -nE 's/.*Depends: clang-([0-9]+)$/\1/p')
  packages=("${@:2}")
  packages=("${packages[@]/VERSION/$version}")
  apt-get install -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
command -v "$1" >/dev/null || { echo "$1 is missing: install Debian's ${*:2}." >&2; exit 1; }
