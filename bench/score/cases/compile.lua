--- Compilers, linkers, make and linters on C programs of ours.

local text = require "score.text"
local each, fill = text.each, text.fill

local FUNCTION = [[
static int scale_$i(int count, unsigned limit)
{
    int spare = count * $i;
    char small = count + limit;
    if (count < limit)
        return count $op limit;
    return small;
}

]]

--- A C file of n functions that gcc warns about; `broken` says which one does not compile.
local function warned(n, broken)
  return each(n, function(i)
    return fill(FUNCTION, { i = i, op = i == broken and "" or "+" })
  end)
end

local UNIT = [[
#include "unit.h"

int unit_$i(struct unit *u, const char *name)
{
    if (u == 0 || name == 0)
        return -1;
    u->count += $i;
    return $call;
}
]]

local HEADER = [[
struct unit { int count; unsigned errors; };
int unit_checksum(const struct unit *u);
]]

--- n units and the makefile that builds them, one command a line as large projects print them.
local function units(dir, n, call)
  dir:write("unit.h", HEADER)
  for i = 1, n do
    dir:write(("src/unit_%03d.c"):format(i), fill(UNIT, { i = i, call = call(i) }))
  end
  dir:write(
    "Makefile",
    [[
sources := $(sort $(wildcard src/*.c))
objects := $(sources:src/%.c=build/%.o)
all: app
app: $(objects)
	$(CC) -O0 -o $@ $(objects)
build/%.o: src/%.c
	@mkdir -p build
	$(CC) -std=c11 -O0 -Wall -Wextra -Werror=implicit-function-declaration -Wno-unused-parameter ]]
      .. [[
-DNDEBUG -D_POSIX_C_SOURCE=200809L -DPACKAGE_VERSION='"2.4.1"' -DERROR_LIMIT=64 -fno-strict-aliasing -I. -I./include ]]
      .. "-MD -MT $@ -MF build/$*.d -c $< -o $@\n"
  )
end

local CASCADE = [[
#include <stddef.h>
struct sample { size_t length; const unsigned char *bytes; ssize32_t offset; };
]]

local CASCADE_USE = [[
int sample_$i(struct sample *s, ssize32_t by)
{
    ssize32_t at = s->offset + by;
    return at > $i ? (int)at : $i;
}
]]

local TIDY = [[
#include <stdlib.h>
#include <string.h>

]]

local TIDY_USE = [[
int measure_$i(const char *text, int a)
{
    char copy[64];
    int n = strlen(text);
    if (a = n)
        strcpy(copy, text);
    return atoi(copy) * $i;
}
]]

local TIDY_FAULT = [[
int last_of(int *list, int n)
{
    int *last = NULL;
    for (int i = 0; i < n; i++)
        last = &list[i];
    return *last;
}
]]

local CHECKED = [[
int table_$i(int *list, int n)
{
    int i, total = 0, spare = $i;
    char *name = (char *)list;
    for (i = 0; i < n; i++) {
        int value = list[i];
        total = total + value;
    }
    return total + (name ? 1 : 0);
}
]]

local CHECKED_FAULT = [[
int table_sum(int n)
{
    int sizes[8];
    int total = 0;
    for (int i = 0; i < 8; i++)
        sizes[i] = n * i;
    total += sizes[8];
    return total;
}
]]

return {
  {
    name = "gcc-warnings",
    tools = { "gcc" },
    family = "c-build",
    write = function(dir)
      dir:write("scale.c", warned(120, 67))
    end,
    command = "gcc -std=c11 -Wall -Wextra -Wconversion -c scale.c -o scale.o",
    needles = {
      { "root cause", "scale.c:600:21: error: expected " },
      { "detail", "600 |         return count  limit;" },
    },
  },
  {
    name = "gcc-colours",
    tools = { "gcc" },
    family = "c-build",
    write = function(dir)
      dir:write("first.c", warned(30, 3))
      dir:write("second.c", warned(70))
    end,
    command = "gcc -std=c11 -Wall -Wextra -Wconversion -fdiagnostics-color=always -c first.c second.c",
    needles = {
      { "root cause", "first.c:24:21: error: expected " },
      { "detail", " 24 |         return count  limit;" },
    },
  },
  {
    name = "clang-cascade",
    tools = { "clang" },
    family = "c-build",
    write = function(dir)
      dir:write("sample.h", CASCADE)
      dir:write("sample.c", '#include "sample.h"\n' .. each(150, function(i)
        return fill(CASCADE_USE, { i = i })
      end))
    end,
    command = "clang -std=c11 -Wall -ferror-limit=0 -c sample.c -o sample.o",
    needles = {
      { "root cause", "./sample.h:2:60: error: unknown type name 'ssize32_t'" },
      { "summary", " errors generated." },
    },
  },
  {
    name = "make-keep-going",
    tools = { "make", "cc" },
    family = "c-build",
    write = function(dir)
      units(dir, 200, function(i)
        return i == 63 and "unit_verify(u)" or "u->count"
      end)
    end,
    command = "make -k",
    needles = {
      { "root cause", like = "src/unit_063%.c:8:12: error: .*unit_verify" },
      { "summary", "build/unit_063.o] Error 1" },
      { "summary", like = "Target 'all' not remade because of errors" },
    },
  },
  {
    name = "link-undefined",
    tools = { "make", "gcc" },
    family = "c-build",
    write = function(dir)
      units(dir, 150, function(i)
        return i == 41 and "unit_checksum(u)" or "u->count"
      end)
      dir:write("src/main.c", "int main(void) { return 0; }\n")
    end,
    command = "make CC=gcc",
    needles = {
      { "root cause", "undefined reference to `unit_checksum'" },
      { "summary", "collect2: error: ld returned 1 exit status" },
      { "summary", "app] Error 1" },
    },
  },
  {
    name = "link-search",
    tools = { "gcc" },
    family = "c-build",
    write = function(dir)
      dir:write("main.c", "int main(void) { return 0; }\n")
      dir:write(
        "args",
        each(250, function(i)
          return ("-L/opt/sdk/vendor/component-%03d/runtime/lib\n"):format(i)
        end)
      )
    end,
    command = "gcc main.c -o app @args -Wl,--verbose -lfastsum -lm",
    needles = {
      { "root cause", "cannot find -lfastsum" },
      { "summary", "collect2: error: ld returned 1 exit status" },
    },
  },
  {
    name = "make-debug",
    tools = { "make", "cc" },
    family = "c-build",
    write = function(dir)
      dir:write(
        "Makefile",
        "all: one.o two.o\n%.o: %.c table.h\n\tcc -c $< -o $@\ntable.h: table.in gen/columns.txt\n" .. "\tcat $^ > $@\n"
      )
      dir:write("one.c", "int one;\n")
      dir:write("two.c", "int two;\n")
      dir:write("table.in", "int table;\n")
    end,
    command = "make -d",
    exits = 2,
    needles = { { "root cause", "No rule to make target 'gen/columns.txt', needed by 'table.h'" } },
  },
  {
    name = "clang-tidy",
    tools = { "clang-tidy" },
    family = "lint",
    write = function(dir)
      local function use(first)
        return each(70, function(i)
          return fill(TIDY_USE, { i = first + i })
        end)
      end
      dir:write(".clang-tidy", "WarningsAsErrors: ''\n") -- not that of a folder above
      dir:write("measure.c", TIDY .. use(0) .. TIDY_FAULT .. use(70))
    end,
    command = "clang-tidy --quiet --checks='-*,bugprone-*,cert-*,clang-analyzer-core*' "
      .. "--warnings-as-errors=clang-analyzer-core.NullDereference measure.c -- -std=c11 -Wno-everything",
    needles = {
      { "root cause", "error: Dereference of null pointer (loaded from variable 'last')" },
      { "detail", "note: 'last' initialized to a null pointer value" },
    },
  },
  {
    name = "cppcheck",
    tools = { "cppcheck" },
    family = "lint",
    write = function(dir)
      for i = 1, 100 do
        local body = each(3, function(j)
          return fill(CHECKED, { i = i * 10 + j })
        end)
        dir:write(("src/table_%02d.c"):format(i), body .. (i == 29 and CHECKED_FAULT or ""))
      end
    end,
    command = "cppcheck --std=c11 --enable=style,warning --error-exitcode=1 src",
    needles = {
      { "root cause", "src/table_29.c:37:19: error: Array 'sizes[8]' accessed at index 8" },
      { "detail", "    total += sizes[8];" },
    },
  },
  {
    name = "make-ignored",
    tools = { "make", "cc" },
    family = "c-build",
    write = function(dir)
      units(dir, 150, function()
        return "u->count"
      end)
      dir:write("make_table.sh", 'echo "$1: column 7 has no name" >&2; exit 4\n')
      dir:write("src/main.c", "int main(void) { return 0; }\n")
      dir:write(
        "main.mk",
        "all:\n\t-sh make_table.sh columns.txt > table.h\n"
          .. "\t@$(MAKE) --no-print-directory -f Makefile app\n\ttest -s table.h\n"
      )
    end,
    command = "make -f main.mk",
    exits = 2,
    needles = {
      { "root cause", "columns.txt: column 7 has no name" },
      { "detail", like = "all%] Error 4 %(ignored%)" },
      { "summary", like = "all%] Error 1$" },
    },
  },
  {
    name = "cmake-configure",
    tools = { "cmake", "make", "cc" },
    family = "configure",
    write = function(dir)
      dir:write(
        "CMakeLists.txt",
        [[
cmake_minimum_required(VERSION 3.10)
project(shop C)
foreach(part RANGE 1 1800)
  message(STATUS "Looking for the header of part ${part} - found")
  if(part EQUAL 723)
    message(SEND_ERROR "FastSum 3.1 is wanted, its header has no fs_sum64")
  endif()
endforeach()
]]
      )
    end,
    command = "cmake -S . -B out",
    exits = 1,
    needles = {
      { "root cause", like = "^CMake Error at CMakeLists.txt:6 %(message%):" },
      { "detail", "FastSum 3.1 is wanted, its header has no fs_sum64" },
      { "summary", "Configuring incomplete, errors occurred!" },
    },
  },
}
