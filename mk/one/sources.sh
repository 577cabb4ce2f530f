#!/usr/bin/env bash
# mk/one/sources.sh FOLDER [PART]...: sources of others, as FOLDER/PART; without a name, those of the one file.
#
# These are the upstream archives that Debian keeps, of a fixed suite, each known by its checksum. apt is asked under a
# set-up of its own, at the mirror that this system uses; nothing of the system changes, and root is not needed.
set -eu
suite=trixie
# package, its part, the checksum of its archive
known="
  lua5.4 lua 9fbf5e28ef86c69858f6d3d34eccc32e911c1a28b4120ff3e84aaa70cfbf1e30
  lua-luv luv e64cd8a0197449288b37df6ca058120e8d2308fc305f543162b5bf3e92273a05
  lua-cjson cjson 94f1fce36742cf00e99c5071b309b9f71e6e7daf60a7151f7bf4ac0a97259ac4
  libuv1 libuv ec9de6ecf2a780fd2afb3b007947d2cd57c3bb17f3b9e721a66774980d35cd4d
  luajit luajit 99ad5fdfa85e08a291454f797f625fbb53f4d2129cac063922255a1fe34ccf1c"

mkdir -p "$(dirname "$1")"
folder=$(cd "$(dirname "$1")" && pwd -P)/$(basename "$1")
shift
[ $# -gt 0 ] || set -- lua luv cjson libuv
packages=$(awk -v parts="$*" 'BEGIN { n = split(parts, part); for (i = 1; i <= n; i++) wanted[part[i]] } $2 in wanted' <<< "$known")
[ ! -e "$folder/made" ] || [ "$(cat "$folder/made")" != "$packages" ] || exit 0
for tool in apt-get sha256sum tar; do
  command -v $tool > /dev/null || { echo "sources: no $tool here: Debian's sources are got with it" >&2; exit 1; }
done
# shellcheck disable=SC2016 # for apt-get
mirror=$(apt-get indextargets --format '$(SITE)' 'Identifier: Packages' 'Component: main' 'Origin: Debian' | head -n 1)
work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/get" "$work/src"
[ -n "$mirror" ] || { echo "sources: apt knows no mirror of Debian here" >&2; exit 1; }
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb-src [signed-by=$keyring] $mirror $suite main" > "$work/apt/sources.list"
apt() {
  apt-get -q -o Dir::State="$work/apt" -o Dir::Cache="$work/apt/cache" -o Dir::Etc::sourcelist="$work/apt/sources.list" \
    -o Dir::Etc::sourceparts=/dev/null -o Acquire::Retries=3 -o APT::Sandbox::User= "$@"
}
# shellcheck disable=SC2046 # a list
(cd "$work/get" && apt update && apt source --download-only --tar-only $(awk '{ print $1 }' <<< "$packages")) > "$work/log" 2>&1 || {
  tail -n 5 "$work/log" >&2
  echo "sources: Debian's sources cannot be had" >&2; exit 1; }
while read -r package part sum; do
  [ -n "$package" ] || continue
  archive=$(echo "$work/get/${package}_"*.orig.tar.*)
  sha256sum --quiet -c - <<< "$sum  $archive" || { echo "sources: another $package than expected" >&2; exit 1; }
  mkdir "$work/src/$part"
  tar -C "$work/src/$part" --strip-components=1 -xf "$archive"
done <<< "$packages"
printf '%s' "$packages" > "$work/src/made"
rm -rf "$folder"
mv "$work/src" "$folder"
