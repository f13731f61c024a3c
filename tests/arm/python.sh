#!/usr/bin/env bash
# Makes FOLDER/debian, Debian's Python for 64-bit ARM, to be run by qemu, and FOLDER/site, what addhash
# and its tests need there. Nothing is installed on this machine: `tests/arm/python.sh FOLDER UV`.
set -euo pipefail
folder=$(realpath -m "$1")
uv=$2
test ! -e "$folder/complete" || exit 0
rm -rf "$folder"
mkdir -p "$folder"/apt/{lists,archives}/partial "$folder/debian"

options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Status=/dev/null
  -o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt" -o APT::Sandbox::User=)
apt-get "${options[@]}" update
version=$(apt-cache "${options[@]}" show --no-all-versions python3 | sed -nE 's/^Version: ([0-9]+\.[0-9]+).*/\1/p')
apt-get "${options[@]}" install --yes --download-only --no-install-recommends \
  "python$version-minimal" "libpython$version-stdlib" libstdc++6 >/dev/null
# Its headers alone: those of the C library are the cross compiler's.
(cd "$folder/apt/archives" && apt-get "${options[@]}" download "libpython$version-dev")
for package in "$folder"/apt/archives/*.deb; do dpkg-deb --extract "$package" "$folder/debian"; done
ln -s "python$version" "$folder/debian/usr/bin/python3"
ln -s "python$version" "$folder/debian/usr/include/python3"

"$uv" pip install --quiet --target "$folder/site" --python-platform aarch64-manylinux_2_34 \
  --python-version "$version" --only-binary :all: \
  filelock numpy pytest rich scikit-learn scipy typer
rm -r "$folder/apt"
touch "$folder/complete"
