#!/usr/bin/env bash
# mk/dist/dist.sh FOLDER [VARIABLE=VALUE]...: `make dist`, which sets VERSION, LUAS, MACHINES, COMPLETIONS, WINDOWS_LUAS,
# ONE_MACHINES and ONE_SOURCES.
#
# Builds what is released of HEAD, in a folder with HEAD's files alone; what is not committed is not in it. The same
# commit gives the same bytes, wherever and whenever it is built with the same tools: times are the commit's, owners are
# 0, files are sorted, and no path of this machine is in them.
#
#   abridge-V.tar.gz                        the sources
#   abridge-V-1.src.rock                    the same for luarocks
#   abridge-V-amalgamation.tar.gz           the core as abridge.c and abridge.h, for a program in C to drop in
#   abridge-V-luaL-linux-MACHINE.tar.gz     for a Lua: unpacked into a prefix, such as /usr/local
#   abridge-V-nvim-linux-MACHINE.tar.gz     for Neovim: the plugin; `:Abridge install` takes its core alone
#   abridge-V-luaL-windows-x86_64.zip       for Lua 5.4 and LuaJIT: unpacked beside the program that runs Lua
#   abridge-V-nvim-windows-x86_64.tar.gz    for Neovim, as above
#   abridge-V-linux-MACHINE.tar.gz          the command as one static file, and the licences of what is in it
#   abridge-V-rocks-linux-MACHINE.tar       a binary rock in a folder for each Lua, since luarocks wants one name for all
#   MANIFEST                                what these are, and what their cores need
#   SHA256SUMS                              the checksums of all other files
set -eu
glibc=2.17 # the oldest that a core loads with: 2.17 is that of 2012, the first with 64-bit ARM
folder=$1
shift
cd "$(dirname "$0")/../.."

[ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ] || {
  echo "dist: this is no git checkout, and packs what is committed" >&2; exit 1; }
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
  echo "dist: what is not committed is left out" >&2
fi
tags=$(git tag --points-at HEAD 'v*')
case "$tags" in ''|v"$VERSION") ;; *)
  echo "dist: the tag here is $tags, and the version of the files $VERSION" >&2; exit 1 ;; esac
# shellcheck disable=SC2086 # a list
for tool in gzip zip md5sum sha256sum objdump $(printf '%s-linux-gnu-gcc ' $MACHINES); do
  command -v $tool > /dev/null || { echo "dist: no $tool here: make check-tools" >&2; exit 1; }
done
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
umask 022
name=abridge-$VERSION
rock=$name-1

mkdir -p "$(dirname "$folder")"
work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
out=$work/out
mkdir "$out"
# What was handed down to us is not for the makes below.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# pack_tar FILE FOLDER: what is in FOLDER, below the file's own name
pack_tar() {
  local top=${1##*/}
  top=${top%.tar*}
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar \
    --mode=u=rwX,go=rX --transform="s,^\.,$top," -C "$2" -cf - .
}

# pack_zip FILE FOLDER: what is in FOLDER
pack_zip() {
  find "$2" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  (cd "$2" && find . -type f | sed 's,^\./,,' | sort | zip -q -X -9 "$1" -@)
}

# ------------------------------------------------------------------ the sources

git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip -9 -n > "$out/$name.tar.gz"
tar -C "$work" -xzf "$out/$name.tar.gz"
source=$work/$name
mkdir "$work/rock"
cp "$source/rockspec/$rock.rockspec" "$work/rock/"
cp -R "$source" "$work/rock/abridge" # the name that luarocks takes from the rockspec's URL
pack_zip "$out/$rock.src.rock" "$work/rock"
rm -r "$work/rock"

# ------------------------------------------------------------------ the core as one file

make --no-print-directory -C "$source" amalgamation QUIET=1
cp "$source/LICENSE" "$source/build/amalgamation/"
pack_tar "$name-amalgamation.tar" "$source/build/amalgamation" | gzip -9 -n > "$out/$name-amalgamation.tar.gz"

# ------------------------------------------------------------------ the cores

make --no-print-directory -C "$source" -j"$(getconf _NPROCESSORS_ONLN)" dist-cores LUAS="$LUAS" \
  MACHINES="$MACHINES" QUIET=1 "$@"

# what_core_needs FILE: its libraries and its newest symbol of glibc; fails where an older glibc would not load it
what_core_needs() {
  local dump libraries newest
  dump=$(objdump -p "$1")
  libraries=$(awk '$1 == "NEEDED" { print $2 }' <<< "$dump" | xargs)
  newest=$(sed -n 's/.* GLIBC_\([0-9.]*\)$/\1/p' <<< "$dump" | sort -V | tail -n 1)
  if [ "$libraries" != libc.so.6 ]; then
    echo "dist: ${1#"$source"/} needs $libraries, not libc.so.6 alone" >&2; return 1
  elif [ "$(printf '%s\n' "$newest" $glibc | sort -V | tail -n 1)" != $glibc ]; then
    echo "dist: ${1#"$source"/} wants glibc $newest, not $glibc" >&2; return 1
  fi
  echo "$libraries of glibc $newest or later"
}

# ------------------------------------------------------------------ packages of them

# completions PREFIX: what makes the shells complete the command, written by a core of this machine
completions() {
  local lua core shell to
  for lua in $LUAS; do
    core=$source/build/cores/$(uname -m)/$lua.so
    if [ -e "$core" ] && command -v "lua$lua" > /dev/null; then
      mkdir -p "$work/cpath/abridge"
      cp "$core" "$work/cpath/abridge/core.so"
      for shell in $COMPLETIONS; do
        to=$1/${shell#*:}
        mkdir -p "${to%/*}"
        LUA_CPATH="$work/cpath/?.so;;" "lua$lua" "$source/lua/abridge/bin/abridge" completion "${shell%%:*}" > "$to"
      done
      return
    fi
  done
  echo "dist: none of Lua $LUAS here to write completions with" >&2
  return 1
}

# without_scripts FOLDER: takes out the scripts that write some of the documents
without_scripts() {
  find "$1" \( -name '*.lua' -o -name '*.sh' \) -delete
  find "$1" -type d -empty -delete
}

# for_people FOLDER: what is to be read
for_people() {
  cp -R "$source"/{doc,LICENSE,README.md,CHANGELOG.md} "$1/"
  without_scripts "$1/doc"
}

# pack_lua LUA MACHINE CORE: the archive for a prefix
pack_lua() {
  local to=$work/package
  mkdir -p "$to/bin" "$to/share/lua/$1" "$to/lib/lua/$1/abridge" "$to/share/doc/abridge" "$to/share/man/man1"
  sed "1s/lua\$/lua$1/" "$source/lua/abridge/bin/abridge" > "$to/bin/abridge"
  cp -R "$source/lua/." "$to/share/lua/$1/"
  rm -r "$to/share/lua/$1/abridge/bin"
  cp "$3" "$to/lib/lua/$1/abridge/core.so"
  for_people "$to/share/doc/abridge"
  mv "$to/share/doc/abridge/doc/abridge.1" "$to/share/man/man1/"
  cp -R "$work/completions/." "$to/"
  chmod 755 "$to/bin/abridge" "$to/lib/lua/$1/abridge/core.so"
  local file=$out/$name-lua$1-linux-$2.tar.gz
  pack_tar "$file" "$to" | gzip -9 -n > "$file"
  rm -r "$to"
}

# pack_nvim SYSTEM CORE: the plugin as it lies on the runtime path
pack_nvim() {
  local to=$work/package file=$out/$name-nvim-$1.tar.gz core=lua/abridge/core.${2##*.}
  mkdir "$to"
  for_people "$to"
  cp -R "$source"/{lua,plugin} "$to/"
  cp "$2" "$to/$core"
  chmod 755 "$to/$core"
  pack_tar "$file" "$to" | gzip -9 -n > "$file"
  rm -r "$to"
}

# pack_rock LUA MACHINE CORE
pack_rock() {
  local to=$work/package
  mkdir -p "$to/bin" "$to/lib/abridge" "$work/rocks/lua$1"
  cp "$source/rockspec/$rock.rockspec" "$to/"
  cp -R "$source"/{doc,plugin,lua} "$to/"
  without_scripts "$to/doc"
  mv "$to/lua/abridge/bin/abridge" "$to/bin/"
  rmdir "$to/lua/abridge/bin"
  cp "$3" "$to/lib/abridge/core.so"
  chmod 755 "$to/bin/abridge" "$to/lib/abridge/core.so"
  (cd "$to" && find . -type f | sed 's,^\./,,' | sort | xargs md5sum) |
    awk -f "$source/mk/dist/rock_manifest.awk" > "$work/rock_manifest"
  mv "$work/rock_manifest" "$to/"
  pack_zip "$work/rocks/lua$1/$rock.linux-$2.rock" "$to"
  rm -r "$to"
}

completions "$work/completions"
for machine in $MACHINES; do
  for lua in $LUAS; do
    core=$source/build/cores/$machine/$lua.so
    needs=$(what_core_needs "$core")
    pack_lua "$lua" "$machine" "$core"
    pack_rock "$lua" "$machine" "$core"
    if [ "$lua" = 5.1 ]; then pack_nvim "linux-$machine" "$core"; fi
    echo "$machine Lua $lua: $(stat -c %s "$core") bytes, $needs" >> "$work/cores"
  done
  pack_tar "$name-rocks-linux-$machine.tar" "$work/rocks" > "$out/$name-rocks-linux-$machine.tar"
  rm -r "$work/rocks"
done

# pack_windows LUA CORE: what Lua finds beside itself, without the command, which does not run there
pack_windows() {
  local to=$work/package
  mkdir -p "$to/abridge"
  cp -R "$source/lua" "$to/"
  rm -r "$to/lua/abridge/bin"
  cp "$2" "$to/abridge/core.dll"
  for_people "$to"
  chmod 755 "$to/abridge/core.dll"
  pack_zip "$out/$name-lua$1-windows-x86_64.zip" "$to"
  rm -r "$to"
}

if [ -n "$WINDOWS_LUAS" ]; then
  make --no-print-directory -C "$source" -j"$(getconf _NPROCESSORS_ONLN)" dist-windows LUAS="$WINDOWS_LUAS" QUIET=1 "$@"
fi
for lua in $WINDOWS_LUAS; do
  core=$source/build/windows/$lua/abridge/core.dll
  needs=$(x86_64-w64-mingw32-objdump -p "$core" | sed -n 's/.*DLL Name: //p' | sort | xargs)
  if [ "$needs" != "KERNEL32.dll lua${lua/./}.dll msvcrt.dll" ]; then
    echo "dist: ${core#"$source"/} needs $needs" >&2; exit 1
  fi
  pack_windows "$lua" "$core"
  if [ "$lua" = 5.1 ]; then pack_nvim windows-x86_64 "$core"; fi
  echo "Windows, x86_64 Lua $lua: $(stat -c %s "$core") bytes, $needs" >> "$work/cores"
done

# pack_one MACHINE: the command as one file
pack_one() {
  local to=$work/package file=$out/$name-linux-$1.tar.gz
  mkdir "$to"
  cp "$source/build/one/$1"/{abridge,LICENSES} "$source/doc/abridge.1" "$to/"
  chmod 755 "$to/abridge"
  pack_tar "$file" "$to" | gzip -9 -n > "$file"
  echo "One file for $1: $(stat -c %s "$to/abridge") bytes, needs nothing" >> "$work/ones"
  rm -r "$to"
}

if [ -n "$ONE_MACHINES" ]; then
  make --no-print-directory -C "$source" -j"$(getconf _NPROCESSORS_ONLN)" one-file MACHINES="$ONE_MACHINES" \
    ONE_SOURCES="$ONE_SOURCES" QUIET=1 "$@"
  for machine in $ONE_MACHINES; do
    pack_one "$machine"
  done
fi

# ------------------------------------------------------------------ what it is

{
  echo "abridge $VERSION, commit $commit, $(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)"
  echo
  echo "Files, in bytes:"
  (cd "$out" && stat -c '%10s  %n' ./*) | sed 's,\./,,'
  echo
  echo "Cores (that of Lua 5.1 is LuaJIT's and Neovim's too):"
  sed 's/^/  /' "$work/cores"
  if [ -e "$work/ones" ]; then echo; cat "$work/ones"; fi
} > "$work/MANIFEST"
mv "$work/MANIFEST" "$out/"
(cd "$out" && sha256sum -- * > "$work/SHA256SUMS")
mv "$work/SHA256SUMS" "$out/"

rm -rf "$folder"
mv "$out" "$folder"
cat "$folder/MANIFEST"
