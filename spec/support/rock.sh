#!/bin/sh
# spec/support/rock.sh DIR LUA_VERSION ROCKSPEC
# Runs `luarocks make` offline on a copy of the sources in DIR/src, as luarocks compiles where the sources are: it
# installs into DIR/tree, and packs the binary rock of that into DIR. FLAGS are for the compiler, in place of luarocks'
# own.
set -eu
dir=$1 lua_version=$2 rockspec=$3
cd "$(dirname "$0")/../.."
luarocks=$PWD/build/hosts/bin/luarocks$lua_version # of .ci/hosts.sh, for a Lua that the system's knows nothing of
[ -x "$luarocks" ] || luarocks=luarocks

rm -rf "$dir/src" "$dir/tree"
mkdir -p "$dir/src"
for item in csrc doc lua plugin rockspec LICENSE README.md; do
  if [ -e "$item" ]; then cp -R "$item" "$dir/src/"; fi
done
cd "$dir"
dir=$PWD
cd src

unset LUA_INIT LUA_PATH LUA_CPATH
for v in 5_1 5_2 5_3 5_4 5_5; do unset LUA_INIT_$v LUA_PATH_$v LUA_CPATH_$v; done

rocks() {
  "$luarocks" --lua-version "$lua_version" --tree="$dir/tree" "$@"
}
rocks make ${FLAGS:+"CFLAGS=$FLAGS"} --deps-mode=none "$rockspec"
rocks pack abridge
mv ./*.rock "$dir/"
rm -rf "$dir/src"
