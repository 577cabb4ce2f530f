--- Whole failures amid output that looks like trouble and is none, and failures that say so without a word of trouble.

local maven = require "score.maven"
local text = require "score.text"
local each, fill = text.each, text.fill

-- A service whose passing tests log the errors that they provoke, with their stacks.
local LOGGED_PY = [[
import logging

log = logging.getLogger("store")


class StoreError(Exception):
    pass


def read(number):
    raise OSError(5, "Input/output error", f"order-{number}.json")


def load(number):
    try:
        return read(number)
    except OSError as error:
        raise StoreError(f"cannot load order {number}") from error


def load_or_default(number):
    try:
        return load(number)
    except StoreError:
        log.exception("ERROR: order %d is lost, the default is used", number)
        return {"number": number, "lines": []}


def table(rows):
    return "\n".join(f"{name:<12} {price:>6} {price * 12:>7}" for name, price in rows)
]]

local LOGGED_PY_TESTS = [[
import pytest
import store


@pytest.mark.parametrize("number", range(60))
def test_lost_order_gives_default(number):
    assert store.load_or_default(number) == {"number": number, "lines": []}


def test_table():
    rows = [(name, len(name) * 3) for name in "alder birch cedar elm fir hazel larch maple oak pine".split()]
    assert store.table(rows) == """\
alder            15     180
birch            15     180
cedar            15     180
elm               9     108
fir               9     109
hazel            15     180
larch            15     180
maple            15     180
oak               9     108
pine             12     144"""


@pytest.mark.parametrize("number", range(60, 120))
def test_lost_order_is_logged(number):
    assert store.load_or_default(number)["lines"] == []
]]

local LOGGED_JAVA = [[
package org.example.shop;

import static org.junit.Assert.*;
import java.util.logging.*;
import org.junit.Test;

public class TestStore$i {
    private static final Logger LOG = Logger.getLogger("store");

    static String load(int number) {
        try {
            throw new java.io.IOException("order " + number + ": connection reset by peer");
        } catch (java.io.IOException e) {
            LOG.log(Level.SEVERE, "order " + number + " failed, the default is used", e);
            return "default";
        }
    }

    @Test public void lostOrderGivesDefault() {
        for (int n = 0; n < 6; n++)
            assertEquals("default", load($i * 10 + n));
    }

    @Test public void nameIsKept() {
        assertEquals("$want", "order $i of oak".toUpperCase().substring(0, 8).trim());
    }
}
]]

local DEPRECATED = [[
#include "store.h"

int part_$i(struct store *s)
{
    if (store_errors(s) > $i)
        return store_open(s, "part-$i");
    return $call;
}
]]

local STORE = [[
struct store { int errors; };
__attribute__((deprecated("use store_open_at: this fails on error"))) int store_open(struct store *, const char *);
__attribute__((deprecated("errors are counted elsewhere"))) int store_errors(struct store *);
int store_close(struct store *, int flags);
]]

local REPORT_SH = [[
echo "report of $1"
i=0
while [ $i -lt 24 ]; do
  i=$((i + 1))
  printf '%-8s %4d %6d\n' "item-$i" $i $((i * $2))
done
]]

local OVERFLOW = [[
program grid
  implicit none
  integer :: step, cells(10)
  cells = 0
  do step = 1, 1500
    write (*, '(a,i5,a,f10.7,a)') ' step', step, ' residual error ', 1.0 / step, ' converging'
    call fill(cells, merge(11, mod(step, 10) + 1, step == 1301))
  end do
contains
  subroutine fill(cells, n)
    integer, intent(inout) :: cells(:)
    integer, intent(in) :: n
    cells(n) = n
  end subroutine
end program
]]

local TERMINATE = [[
#include <iostream>
#include <stdexcept>
#include <vector>

static int price_of(const std::vector<int> &prices, int n) { return prices.at(n % 7 == 6 && n > 1200 ? 9 : n % 5); }

int main()
{
    std::vector<int> prices { 3, 4, 5, 6, 7 };
    for (int n = 0; n < 1800; n++)
        std::cout << "order " << n << " priced " << price_of(prices, n) << ", no exception, 0 failures" << std::endl;
}
]]

local HASKELL_HEAD = [=[
import qualified Data.Map as Map

price :: Map.Map Int Int -> Int -> Int
price prices n = prices Map.! (n `mod` 1100)

main :: IO ()
main = mapM_ step [1 .. 1800]
  where
    prices = Map.fromList [(n, n * 3) | n <- [1 .. 1100]]
    step n = putStrLn ("order " ++ show n ++ " priced " ++ show (price prices n) ++ ", errors: none")
]=]

local OCAML_RAISE = [[
let price table n = List.assoc n table

let order table n = Printf.printf "order %d priced %d, 0 errors\n%!" n (price table (n mod 1000))

let () =
  let table = List.init 999 (fun i -> (i + 1, i * 3)) in
  for n = 1 to 1500 do order table n done
]]

local GO_FMT = [[
package unit$i

// Errors counts the errors of a name.
func Errors(name string, limit int) int {
$body}
]]

local GO_FINE = "\tif limit > $i {\n\t\treturn len(name)\n\t}\n\treturn limit\n"
local GO_BENT = "    if limit>$i { return len( name ) }\n\treturn  limit\n"

local GO_PACKAGE_TEST = [[
package unit$i

import "testing"

func TestErrors(t *testing.T) {
	for limit, want := range []int{0, 1, 2} {
		if got := Errors("oak", limit); got != want {
			t.Errorf("limit %d:\n  wanted: %d\n  have:   %d\n  of:     %q", limit, want, got, "oak")
		}
	}
}
]]

local RUST_CLIPPY = [[
pub fn total_$i(prices: &[i64]) -> i64 {
    let mut sum = 0;
    for p in prices {
        sum += p * $i;
    }
    $last
}

]]

local RUST_FMT = [[
/// Counts the errors of a name.
pub fn errors_$i(name: &str) -> usize {
$body}
]]

local JAVADOC = [[
package org.example.shop;

/** Errors of unit $i, and what fails. */
public class Unit$i {
    /**
     * How many errors a name has.
     * @param $param the name
     * @return how many
     */
    public int errors(String name) { return name.length(); }
}
]]

local FLAKE = [[
"""Unit $i."""
import os


def errors(name: str, limit: int = $i) -> int:
    """Count the errors of a name."""
$body    return os.path.getsize(name) + limit
]]

local RECURSE = [[
import json


class Node:
    def __init__(self, name, parent=None):
        self.name, self.parent = name, parent

    def path(self):
        return self.parent.path() + "/" + self.name if self.parent else self.name


def main():
    root = Node("root")
    for number in range(900):
        print(json.dumps({"node": f"{root.path()}/{number}", "error": None, "failed": 0}), flush=True)
    root.parent = Node("leaf", root)
    print(root.path())


main()
]]

return {
  {
    name = "pytest-live-log",
    language = "Python",
    tool = "pytest",
    tools = { "pytest", "python3" },
    family = "test",
    ci = "travis",
    write = function(dir)
      dir:write("store.py", LOGGED_PY)
      dir:write("test_store.py", LOGGED_PY_TESTS)
      dir:write("tox.ini", "[pytest]\nlog_cli = true\nlog_cli_level = INFO\n")
    end,
    command = "pytest -vv -p no:cacheprovider",
    block = { { from = "____ test_table ____", to = "test_store.py:12: AssertionError" } },
  },
  {
    name = "maven-logged-errors",
    language = "Java",
    tool = "maven",
    tools = maven.TOOLS,
    family = "test",
    ci = "gitlab",
    write = function(dir)
      dir:write("pom.xml", maven.pom "junit:junit:4.x")
      for i = 10, 45 do
        dir:write(
          ("src/test/java/org/example/shop/TestStore%d.java"):format(i),
          fill(LOGGED_JAVA, { i = i, want = i == 31 and "ORDER 30" or "ORDER " .. i })
        )
      end
    end,
    command = maven.TEST,
    block = { { from = "[ERROR] nameIsKept(org.example.shop.TestStore31)", to = "nameIsKept(TestStore31.java" } },
  },
  {
    name = "maven-dependency",
    language = "Java",
    tool = "maven",
    tools = maven.TOOLS,
    family = "dependencies",
    ci = "travis",
    write = function(dir)
      dir:write("pom.xml", maven.pom "org.example.rates:rates-client:2.7.1")
    end,
    command = maven.TEST,
    block = { { from = "[ERROR] Failed to execute goal on project shop: Could not resolve" } },
  },
  {
    name = "javadoc",
    language = "Java",
    tool = "javadoc",
    tools = { "javadoc" },
    family = "compile",
    ci = "jenkins",
    write = function(dir)
      for i = 100, 300 do
        dir:write(
          "src/org/example/shop/Unit" .. i .. ".java",
          fill(JAVADOC, { i = i, param = i == 188 and "text" or "name" })
        )
      end
    end,
    command = "javadoc -verbose -Xdoclint:all -d out src/org/example/shop/*.java",
    block = { { from = "Unit188.java:7: error: @param name not found", to = "^" } },
  },
  {
    name = "make-deprecated",
    language = "C",
    tool = "gcc",
    tools = { "make", "gcc" },
    family = "c-build",
    ci = "github",
    write = function(dir)
      dir:write("store.h", STORE)
      for i = 100, 170 do
        dir:write("part_" .. i .. ".c", fill(DEPRECATED, { i = i, call = i == 131 and "store_close(s)" or "0" }))
      end
      dir:write(
        "Makefile",
        "objects := $(patsubst %.c,%.o,$(sort $(wildcard *.c)))\nall: $(objects)\n"
          .. "%.o: %.c\n\t$(CC) -Wall -Wextra -c $< -o $@\n"
      )
    end,
    command = "make -k CC=gcc",
    exits = 2,
    block = { { from = "part_131.c:7:12: error: too few arguments", to = "part_131.o] Error 1" } },
  },
  {
    name = "golden-diff",
    language = "Shell",
    tool = "diff",
    tools = { "make", "diff", "sh" },
    family = "test",
    ci = "gitlab",
    write = function(dir)
      dir:write("report.sh", REPORT_SH)
      dir:write(
        "Makefile",
        "reports := $(shell seq 100 260)\ncheck: $(reports:%=out/%.txt)\n\t@echo all agree\n"
          .. "out/%.txt: want/%\n\t@mkdir -p out\n"
          .. "\tsh report.sh $* $(shell cat want/$*.by) > $@\n\tdiff -u want/$* $@\n"
      )
      for i = 100, 260 do
        local by = i == 222 and 7 or 6
        dir:write("want/" .. i, ("report of %d\n"):format(i) .. each(24, function(n)
          return ("%-8s %4d %6d\n"):format("item-" .. n, n, n * (n > 9 and n < 14 and by or 6))
        end))
        dir:write("want/" .. i .. ".by", "6\n")
      end
    end,
    command = "make check",
    exits = 2,
    block = { { from = "--- want/222", to = "out/222.txt] Error 1" } },
  },
  {
    name = "shell-trace-exit",
    language = "Shell",
    tool = "sh",
    tools = { "sh", "seq" },
    family = "shell",
    ci = "travis",
    write = function(dir)
      dir:write(
        "deploy.sh",
        "set -eu\nfor part in $(seq 100 400); do\n  mkdir -p out/$part\n"
          .. '  echo "copied part $part, 0 errors" > out/$part/state\n  test $part -ne 333 || mode=$(cat part.mode)\n'
          .. "  cat out/$part/state\ndone\n"
      )
    end,
    command = "sh -x deploy.sh",
    block = { { from = "+ test 333 -ne 333", to = "+ mode=" } },
  },
  {
    name = "fortran-bounds",
    language = "Fortran",
    tool = "gfortran",
    tools = { "gfortran" },
    family = "runtime",
    ci = "gitlab",
    write = function(dir)
      dir:write("grid.f90", OVERFLOW)
    end,
    command = "gfortran -g -fcheck=all -fbacktrace grid.f90 -o grid && ./grid",
    exits = 2,
    block = { { from = "At line 13 of file grid.f90", to = "#0" } },
  },
  {
    name = "cpp-terminate",
    language = "C++",
    tool = "libstdc++",
    tools = { "g++", "bash" },
    family = "c-runtime",
    ci = "github",
    write = function(dir)
      dir:write("prices.cpp", TERMINATE)
      dir:write("run.sh", "g++ prices.cpp -o prices && ./prices\n")
    end,
    command = "bash run.sh",
    exits = 134,
    block = { { from = "terminate called after throwing an instance of 'std::out_of_range'", to = "Aborted" } },
  },
  {
    name = "haskell-error",
    language = "Haskell",
    tool = "runtime",
    tools = { "ghc", "/usr/share/doc/libghc-hspec-dev" },
    family = "runtime",
    ci = "jenkins",
    write = function(dir)
      dir:write("Orders.hs", HASKELL_HEAD)
    end,
    command = "ghc -v0 -O0 Orders.hs -o orders && ./orders",
    block = { { from = "orders: Map.!: given key is not an element in the map", to = "error, called at" } },
  },
  {
    name = "ocaml-exception",
    language = "OCaml",
    tool = "runtime",
    tools = { "ocamlfind", "ocamlopt" },
    family = "runtime",
    ci = "gitlab",
    write = function(dir)
      dir:write("orders.ml", OCAML_RAISE)
    end,
    command = "ocamlfind ocamlopt -g orders.ml -o orders && OCAMLRUNPARAM=b ./orders",
    exits = 2,
    block = { { from = "Fatal error: exception Not_found", to = 'orders.ml", line 7' } },
  },
  {
    name = "gofmt",
    language = "Go",
    tool = "gofmt",
    tools = { "gofmt" },
    family = "lint",
    ci = "jenkins",
    write = function(dir)
      for i = 100, 800 do
        local body = fill(i == 333 and GO_BENT or GO_FINE, { i = i })
        dir:write(("unit%d/unit.go"):format(i), fill(GO_FMT, { i = i, body = body }))
      end
      dir:write(
        "check.sh",
        'for f in */unit.go; do echo "checking $f"; gofmt -d $f > diff.txt; cat diff.txt; '
          .. "test -s diff.txt && status=1; done\nexit ${status:-0}\n"
      )
    end,
    command = "sh check.sh",
    block = { { from = "diff unit333/unit.go", before = "checking unit334" } },
  },
  {
    name = "go-packages",
    language = "Go",
    tool = "go test",
    tools = { "go" },
    family = "test",
    ci = "gitlab",
    write = function(dir)
      dir:write("go.mod", "module example.org/shop\n\ngo 1.19\n")
      for i = 100, 124 do
        local body = i == 117 and "\treturn len(name) - limit\n" or "\treturn limit\n"
        dir:write(("unit%d/unit.go"):format(i), fill(GO_FMT, { i = i, body = body }))
        dir:write(("unit%d/unit_test.go"):format(i), fill(GO_PACKAGE_TEST, { i = i }))
      end
    end,
    command = "HOME=$PWD go test -x -p 1 ./...",
    block = { { from = "--- FAIL: TestErrors", to = "FAIL\texample.org/shop/unit117" } },
  },
  {
    name = "rust-clippy",
    language = "Rust",
    tool = "clippy",
    tools = { "cargo", "cargo-clippy" },
    family = "lint",
    ci = "jenkins",
    write = function(dir)
      dir:write("Cargo.toml", '[package]\nname = "shop"\nversion = "0.4.1"\nedition = "2021"\n')
      dir:write(
        "src/lib.rs",
        each(60, function(i)
          return fill(RUST_CLIPPY, { i = i, last = i == 41 and "return sum & 0;" or "return sum;" })
        end)
      )
    end,
    command = "cargo clippy --offline -- -W clippy::all -D clippy::erasing_op",
    exits = 101,
    block = { { from = "error: this operation will always return zero", before = "warning: unneeded" } },
  },
  {
    name = "rustfmt",
    language = "Rust",
    tool = "rustfmt",
    tools = { "rustfmt" },
    family = "lint",
    ci = "travis",
    write = function(dir)
      for i = 100, 300 do
        local body = i == 131 and "  let n=name.len( );\n    if n>3 { return n }\n    n\n" or "    name.len()\n"
        dir:write("src/unit_" .. i .. ".rs", fill(RUST_FMT, { i = i, body = body }))
      end
    end,
    command = "for f in src/*.rs; do rustfmt --edition 2021 --check --verbose $f || bad=1; done; exit ${bad:-0}",
    block = { { from = "Diff in ", before = "Spent " } },
  },
  {
    name = "flake8",
    language = "Python",
    tool = "flake8",
    tools = { "flake8" },
    family = "lint",
    ci = "github",
    write = function(dir)
      for i = 100, 160 do
        dir:write(
          "unit_" .. i .. ".py",
          fill(FLAKE, {
            i = i,
            body = i == 128
                and "    l=limit\n    if name==None :\n" .. "        print( f'no name' )\n    unused = limit;\n"
              or "",
          })
        )
      end
    end,
    command = "flake8 -v --isolated --show-source unit_*.py",
    block = { { from = "unit_128.py:7:5: E741", to = "unit_128.py:10:19: E703" } },
  },
  {
    name = "python-recursion",
    language = "Python",
    tool = "python",
    tools = { "python3" },
    family = "runtime",
    ci = "gitlab",
    write = function(dir)
      dir:write("nodes.py", RECURSE)
    end,
    command = "python3 nodes.py",
    block = { { from = "Traceback (most recent call last):", to = "RecursionError: maximum recursion" } },
  },
}
