#!/bin/sh
# doc/screenshots.sh [DIR]
# Makes DIR/before-after.svg, DIR/nvim-result.svg and DIR/nvim-log.svg (DIR is doc/ unless given): what a real Neovim shows
# of real calls, cell by cell. Needs a built checkout, Neovim and a C compiler.
set -eu
cd "$(dirname "$0")/.."
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
HOME=$home LC_ALL=C TZ=UTC LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua;;" LUA_CPATH="build/5.1/?.so;;" \
  ABRIDGE_PICTURES=${1:-doc} nvim --headless -u NONE -i NONE -n --cmd 'set shada=' -c 'luafile doc/screenshots.lua'
