#!/bin/sh
# mk/one/licences.sh SOURCES: the licences of all that is in the one file.
set -eu
part() {
  printf '\n%s\n%s\n\n' "---- $1" "     $2"
}
echo "abridge as one file has in it, besides abridge itself:"
echo "Lua, luv, libuv and lua-cjson, and the C library of GNU, each under the licence below."
part abridge "lua/, csrc/"
cat LICENSE
part Lua "https://www.lua.org"
sed -n '/^\* Copyright (C)/,/^\*\*\*/p' "$1/lua/src/lua.h" | sed 's/^\* \{0,1\}//; /^\*\*/d'
part luv "https://github.com/luvit/luv"
cat "$1/luv/LICENSE.txt"
part libuv "https://libuv.org"
cat "$1/libuv/LICENSE" "$1/libuv/LICENSE-extra"
part lua-cjson "https://github.com/mpx/lua-cjson"
cat "$1/cjson/LICENSE"
part "the GNU C Library" "https://www.gnu.org/software/libc"
echo "Linked statically, under the GNU Lesser General Public License, version 2.1 or later. \`make one-file\` in the"
echo "sources of abridge links this program anew, with another version of the library too. The licence:"
echo
cat mk/one/LGPL-2.1
