--- Whole failures that are long, or of many parts: lists of errors, diffs of generated files, dumps of values.

local maven = require "score.maven"
local text = require "score.text"
local each, fill = text.each, text.fill

local CODEGEN = [[
for part in $(seq 100 700); do echo "generated table_$part.go: 4 columns, 0 errors"; done
awk -F: '{ print "func (r Row) " $1 "() " $2 " { return r." tolower($1) " }" }' columns.txt > rows.go
git diff --exit-code
]]

local COLUMNS = {
  "Name:string",
  "Price:int",
  "Weight:float64",
  "Stored:bool",
  "Origin:string",
  "Grade:int",
  "Width:float64",
  "Height:float64",
  "Depth:float64",
  "Felled:int",
  "Dried:bool",
  "Owner:string",
  "Lot:int",
}

local GO_MODULE = "module example.org/shop\n\ngo 1.19\n"

local GO_IMPORTS = [[
package unit$i

import (
	"fmt"
$import)

func Errors(n int) string { return fmt.Sprint("none of $i", n) }
]]

local GO_MANY = [[
package cart

type item struct{ name string; price int }

func total(items []item) int {
	sum := 0
	for i, it := range items {
		sum += it.prize
	}
	return summ
}

func cheapest(items []item) item {
	var best *item
	for _, it := range items {
		if it.price < best {
			best = it
		}
	}
	return best
}

func label(it item) string { return it.name + it.price }
]]

local JAVA_PART = [[
package org.example.shop;

public class Part$i {
    private final $type store = null;

    public int errors(String name) {
        return $call;
    }
}
]]

local STRUCTS_GO = [[
package shop

import (
	"encoding/json"
	"testing"
)

type Line struct {
	Name   string
	Amount int
	Tags   []string
}

type Order struct {
	Number int
	Lines  []Line
	Paid   bool
}

func build(number, n int) Order {
	order := Order{Number: number, Paid: true}
	for i := 0; i < n; i++ {
		order.Lines = append(order.Lines, Line{Name: "oak", Amount: i * number % 7, Tags: []string{"wood", "fresh"}})
	}
	return order
}

func dump(order Order) string {
	text, _ := json.MarshalIndent(order, "", "  ")
	return string(text)
}

]]

local STRUCTS_GO_TEST = [[
func TestOrder$i(t *testing.T) {
	wanted, built := build($i, $n), build($i, 3)
	t.Logf("order %d: error budget is untouched", built.Number)
	if dump(wanted) != dump(built) {
		t.Fatalf("order $i is another\nwanted %s\nbuilt %s", dump(wanted), dump(built))
	}
}

]]

local JAVA_TEXT = [[
package org.example.shop;

import static org.junit.Assert.*;
import org.junit.Test;

public class TestReport$i {
    static String report(int factor) {
        StringBuilder text = new StringBuilder("report of $i\n");
        for (int row = 1; row <= 18; row++)
            text.append(String.format("item %2d  %4d  %s%n", row, row * (row == 11 ? factor : 3), "fine"));
        return text.toString();
    }

    @Test public void reportIsAsStored() {
        System.out.println("report $i: error column is empty, failed rows: 0");
        assertEquals(report(3), report($factor));
    }

    @Test public void reportHasRows() { assertEquals(19, report(3).split("\n").length); }
    @Test public void reportHasName() { assertTrue(report(3).startsWith("report of $i")); }
}
]]

local PYTEST_MANY = [[
import pytest


class Client:
    def __init__(self, base):
        self.base = base
        self.seen = []

    def get(self, path, retry=3):
        self.seen.append(path)
        if path.startswith("/cart"):
            return self.answer(path, None)
        return self.answer(path, {"path": path, "error": None})

    def answer(self, path, body):
        return {"status": 200, "url": self.base + path, "body": body["path"]}


@pytest.fixture
def client():
    return Client("http://localhost:8080")


@pytest.mark.parametrize("number", range(300))
def test_order_without_error(client, number):
    assert client.get(f"/order/{number}")["body"] == f"/order/{number}"


@pytest.mark.parametrize("action", ["add", "drop", "clear", "show", "pay"])
def test_cart(client, action):
    assert client.get(f"/cart/{action}")["status"] == 200


@pytest.mark.parametrize("number", range(200))
def test_user_is_found_after_failure(client, number):
    assert client.get(f"/user/{number}")["status"] == 200
]]

local TYPED = [[
from typing import Dict, List, Optional


def first_$i(names: List[str], limit: Optional[int] = None) -> str:
    counts: Dict[str, int] = {}
    for name in names:
        counts[name] = $count
    return $result
]]

local ENUM = [[
type shape = Circle of float | Square of float | Line of float * float | Dot | Blob of { seeds : (float * float) list }

let area_$i s = match s with
  | Circle r -> 3.14 *. r *. r
  | Square a -> a *. a
$rest]]

local LINK = [[
int errors_$i(const char *name);
$declared
int errors_$i(const char *name)
{
    return name ? $call : $i;
}
]]

return {
  {
    name = "generated-diff",
    language = "Go",
    tool = "git diff",
    tools = { "git", "awk", "seq" },
    family = "lint",
    ci = "github",
    write = function(dir)
      local fresh, stale = {}, {}
      for i, column in ipairs(COLUMNS) do
        fresh[i] = column
        local name, kind = column:match "(.*):(.*)"
        if i ~= 5 and i ~= 11 then
          if i == 8 then kind = "float32" end
          stale[#stale + 1] = ("func (r Row) %s() %s { return r.%s }\n"):format(name, kind, name:lower())
        end
      end
      dir:write("columns.txt", table.concat(fresh, "\n") .. "\n")
      dir:write("rows.go", table.concat(stale))
      dir:write("generate.sh", CODEGEN)
    end,
    command = "git init -q . && git add rows.go columns.txt generate.sh && sh -e generate.sh",
    block = { { from = "diff --git a/rows.go b/rows.go", before = "##[error]Process completed" } },
  },
  {
    name = "go-modules",
    language = "Go",
    tool = "go build",
    tools = { "go" },
    family = "dependencies",
    ci = "travis",
    write = function(dir)
      dir:write("go.mod", GO_MODULE)
      for i = 100, 800 do
        local import = i % 50 == 7 and ('\t_ "rates.example/client%d/errors"\n'):format(i) or ""
        dir:write(("unit%d/unit.go"):format(i), fill(GO_IMPORTS, { i = i, import = import }))
      end
    end,
    command = 'for f in unit*; do echo "listing $f"; done; HOME=$PWD GOFLAGS=-mod=mod GOPROXY=off go build ./...',
    block = { { from = "unit107/unit.go:5:2:", to = "client757" } },
  },
  {
    name = "go-many-errors",
    language = "Go",
    tool = "go build",
    tools = { "go" },
    family = "compile",
    ci = "jenkins",
    write = function(dir)
      dir:write("go.mod", GO_MODULE)
      for i = 100, 160 do
        dir:write(("unit%d/unit.go"):format(i), fill(GO_IMPORTS, { i = i, import = "" }))
      end
      dir:write("cart/cart.go", GO_MANY)
    end,
    command = "HOME=$PWD go build -gcflags=-e -x ./...",
    block = { { from = "# example.org/shop/cart", to = "mismatched types string and int" } },
  },
  {
    name = "maven-many-errors",
    language = "Java",
    tool = "maven",
    tools = maven.TOOLS,
    family = "compile",
    ci = "travis",
    write = function(dir)
      dir:write("pom.xml", maven.pom "junit:junit:4.x")
      for i = 100, 140 do
        local renamed = i % 3 == 0
        dir:write(
          "src/main/java/org/example/shop/Part" .. i .. ".java",
          fill(JAVA_PART, {
            i = i,
            type = renamed and "OrderStore" or "StringBuilder",
            call = renamed and "store.errorsOf(name, " .. i .. ")" or "store.length()",
          })
        )
      end
    end,
    command = maven.TEST,
    block = { { from = "[ERROR] COMPILATION ERROR", before = " errors", pick = "first" } },
  },
  {
    name = "go-values",
    language = "Go",
    tool = "go test",
    tools = { "go" },
    family = "test",
    ci = "gitlab",
    write = function(dir)
      dir:write("go.mod", GO_MODULE)
      dir:write("order_test.go", STRUCTS_GO .. each(400, function(i)
        return fill(STRUCTS_GO_TEST, { i = i, n = i == 287 and 2 or 3 })
      end))
    end,
    command = "HOME=$PWD go test -v ./...",
    block = { { from = "order 287: error budget", to = "--- FAIL: TestOrder287" } },
  },
  {
    name = "junit-long-text",
    language = "Java",
    tool = "maven",
    tools = maven.TOOLS,
    family = "test",
    ci = "jenkins",
    write = function(dir)
      dir:write("pom.xml", maven.pom "junit:junit:4.x")
      for i = 100, 240 do
        dir:write(
          ("src/test/java/org/example/shop/TestReport%d.java"):format(i),
          fill(JAVA_TEXT, { i = i, factor = i == 177 and 4 or 3 })
        )
      end
    end,
    command = maven.TEST,
    block = { { from = "[ERROR] reportIsAsStored(org.example.shop.TestReport177)", to = "(TestReport177.java" } },
  },
  {
    name = "pytest-five",
    language = "Python",
    tool = "pytest",
    tools = { "pytest", "python3" },
    family = "test",
    ci = "github",
    write = function(dir)
      dir:write("test_client.py", PYTEST_MANY)
      dir:write("tox.ini", "[pytest]\n")
    end,
    command = "pytest -v -p no:cacheprovider",
    block = { { from = "____ test_cart[add] ____", before = "=== short test summary info ===" } },
  },
  {
    name = "mypy-many",
    language = "Python",
    tool = "mypy",
    tools = { "mypy" },
    family = "lint",
    ci = "gitlab",
    write = function(dir)
      for i = 100, 700 do
        local odd = i % 50 == 3
        dir:write(
          "unit_" .. i .. ".py",
          fill(TYPED, {
            i = i,
            count = odd and '"1"' or "counts.get(name, 0) + 1",
            result = odd and "limit" or 'names[0] if names else ""',
          })
        )
      end
    end,
    command = 'for f in unit_*.py; do echo "checking $f"; done; mypy --cache-dir=/dev/null --show-error-context .',
    exits = 1,
    block = { { from = 'note: In function "first_', pick = "first", before = "Found 24 errors" } },
  },
  {
    name = "ocaml-match",
    language = "OCaml",
    tool = "ocamlfind",
    tools = { "ocamlfind", "ocamlopt" },
    family = "compile",
    ci = "travis",
    write = function(dir)
      for i = 100, 300 do
        dir:write("shape_" .. i .. ".ml", fill(ENUM, { i = i, rest = i == 244 and "" or "  | _ -> 0.\n" }))
      end
    end,
    command = 'for f in shape_*.ml; do echo "ocamlopt -c $f"; ocamlfind ocamlopt -w +a-4-70 -warn-error +8 -c $f '
      .. "|| exit 2; done",
    block = { { from = 'File "shape_244.ml", lines 3-5', to = "(Dot|Line" } },
  },
  {
    name = "ld-many",
    language = "C",
    tool = "ld",
    tools = { "gcc" },
    family = "c-build",
    ci = "github",
    write = function(dir)
      for i = 100, 190 do
        local rates = i % 10 == 4
        dir:write(
          "part_" .. i .. ".c",
          fill(LINK, {
            i = i,
            declared = "int rate_of(const char *); int rate_error(const char *, int);",
            call = rates and "rate_of(name) + rate_error(name, rate_of(name + 1))" or "0",
          })
        )
      end
      dir:write("main.c", "int main(void) { return 0; }\n")
    end,
    command = 'for f in part_*.c main.c; do echo "gcc -c -O2 -Wall $f"; gcc -c $f; done; gcc *.o -o shop',
    block = { { from = "in function `errors_104'", to = "collect2: error: ld returned" } },
  },
}
