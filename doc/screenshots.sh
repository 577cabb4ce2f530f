#!/bin/sh
# [NVIM=nvim] doc/screenshots.sh [DIR]
# Makes the pictures of doc/ in DIR (doc/ unless given): what a real Neovim shows of real calls, cell by cell. Needs a
# built checkout, Neovim (those of doc/ are of 0.12) and a C compiler.
set -eu
cd "$(dirname "$0")/.."
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
HOME=$home LC_ALL=C TZ=UTC LUA_PATH="lua/?.lua;lua/?/init.lua;spec/?.lua;;" LUA_CPATH="build/5.1/?.so;;" \
  ABRIDGE_PICTURES=${1:-doc} "${NVIM:-nvim}" --headless -u NONE -i NONE -n --cmd 'set shada=' -c 'luafile doc/screenshots.lua'
