#!/bin/sh
# spec/support/rock.sh DIR make|pack LUA_VERSION ROCKSPEC
# Runs `luarocks make` offline on a copy of the sources in DIR/src, as luarocks compiles where the sources are.
# `make` installs into DIR/tree, `pack` leaves the binary rock in DIR. FLAGS are for the compiler, in place of luarocks'
# own.
set -eu
dir=$1 action=$2 lua_version=$3 rockspec=$4
cd "$(dirname "$0")/../.."
luarocks=$PWD/build/hosts/bin/luarocks$lua_version # of .ci/hosts.sh, for a Lua that the system's knows nothing of
[ -x "$luarocks" ] || luarocks=luarocks

rm -rf "$dir/src"
mkdir -p "$dir/src"
for item in csrc doc lua plugin rockspec LICENSE README.md; do
  if [ -e "$item" ]; then cp -R "$item" "$dir/src/"; fi
done
cd "$dir"
dir=$PWD
cd src

unset LUA_INIT LUA_PATH LUA_CPATH
for v in 5_1 5_2 5_3 5_4 5_5; do unset LUA_INIT_$v LUA_PATH_$v LUA_CPATH_$v; done

case $action in
  make) "$luarocks" --lua-version "$lua_version" make ${FLAGS:+"CFLAGS=$FLAGS"} --deps-mode=none --tree="$dir/tree" "$rockspec" ;;
  pack)
    "$luarocks" --lua-version "$lua_version" make ${FLAGS:+"CFLAGS=$FLAGS"} --deps-mode=none --pack-binary-rock "$rockspec"
    mv ./*.rock "$dir/"
    ;;
  *) echo "rock.sh: make or pack, not $action" >&2; exit 2 ;;
esac
rm -rf "$dir/src"
