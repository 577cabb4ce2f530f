--- Whole failures of Rust and Go: compilers, test runners, panics.

local text = require "score.text"
local each, fill = text.each, text.fill

local RUST_UNIT = [[
pub fn total_$i(prices: &[i64]) -> i64 {
    let mut spare_$i = $i;
    let limit = prices.len();
    prices.iter().map(|p| p + $i).sum()
}

]]

local RUST_BORROW = [[
pub fn cheapest(prices: &mut Vec<i64>) -> i64 {
    let first = &prices[0];
    for p in prices.iter() {
        println!("{}", p);
    }
    prices.push(0);
    *first
}

pub fn label(price: i64) -> String {
    let name: &str = format!("{} EUR", price);
    name.to_string()
}

]]

local RUST_TRAIT = [[
struct Item { name: String, price: i64 }

pub fn printed(items: &[Item]) -> String {
    let mut sorted = items.to_vec();
    sorted.sort();
    format!("{:?}", sorted)
}

]]

local RUST_TEST = [[
    #[test]
    fn reports_an_error_when_negative_$i() {
        assert_eq!(super::spread($i * 4, 4).iter().sum::<i64>(), $i * 4);
    }

]]

local RUST_TEST_FAULT = [[
    #[test]
    fn the_rest_is_not_lost() {
        let parts = super::spread(10, 4);
        println!("spread 10 by 4: {:?}", parts);
        assert_eq!(parts, vec![3, 3, 2, 2], "10 by 4");
    }

]]

local RUST_SPREAD = [[
pub fn spread(total: i64, ways: i64) -> Vec<i64> {
    (0..ways).map(|_| total / ways).collect()
}

#[cfg(test)]
mod tests {
]]

local RUST_PANIC = [[
use std::collections::HashMap;

struct Rates { by_code: HashMap<String, f64> }

impl Rates {
    fn of(&self, code: &str) -> f64 {
        *self.by_code.get(code).expect("every currency has a rate")
    }
}

fn convert(rates: &Rates, i: u32) -> f64 {
    f64::from(i) * rates.of(if i == 1433 { "XTS" } else { "EUR" })
}

fn main() {
    let rates = Rates { by_code: HashMap::from([("EUR".to_string(), 1.0)]) };
    for i in 0..2000 {
        println!("payment {}: {:.2} EUR, no error", i, convert(&rates, i));
    }
}
]]

local function crate(dir, name, sources)
  dir:write("Cargo.toml", ('[package]\nname = "%s"\nversion = "0.4.1"\nedition = "2021"\n'):format(name))
  for path, source in pairs(sources) do
    dir:write("src/" .. path, source)
  end
end

local GO_MOD = "module example.org/shop\n\ngo 1.19\n"

local GO_TESTS = [[
package shop

import "testing"

func Spread(total, ways int) []int {
	parts := make([]int, ways)
	for i := range parts {
		parts[i] = total / ways
	}
	return parts
}

func sum(parts []int) (total int) {
	for _, part := range parts {
		total += part
	}
	return total
}

func nth(parts []int, n int) int { return parts[n] }

]]

local GO_TEST = [[
func TestSpread_Error$i(t *testing.T) {
	t.Logf("spreading %d, failures are told by name", $i*4)
	if got := sum(Spread($i*4, 4)); got != $i*4 {
		t.Errorf("got %d, want %d", got, $i*4)
	}
}

]]

local GO_TABLE = [[
func TestSpreadRest(t *testing.T) {
	for _, c := range []struct{ name string; total, ways int }{
		{"even", 8, 4}, {"odd", 9, 4}, {"one way", 5, 1}, {"rest of two", 10, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := sum(Spread(c.total, c.ways))
			if got != c.total {
				t.Errorf("Spread(%d, %d) adds up to %d\n\tgot:  %v\n\twant: %d in all", c.total, c.ways, got,
					Spread(c.total, c.ways), c.total)
			}
		})
	}
}

]]

local GO_PANIC = [[
func TestNth(t *testing.T) {
	if nth(Spread(9, 3), 5) != 3 {
		t.Fatal("not 3")
	}
}

]]

local TESTIFY = [[
package shop

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

type Order struct {
	Name  string
	Lines []string
	Paid  bool
}

func load(n int) Order { return Order{Name: "order", Lines: []string{"oak", "elm"}, Paid: n != 77} }

]]

local TESTIFY_CASE = [[
func TestLoadError$i(t *testing.T) {
	assert.Equal(t, Order{"order", []string{"oak", "elm"}, true}, load($i), "order %d as it was stored", $i)
}

]]

local GO_UNIT = [[
package unit$i

import "fmt"

func Describe(n int) string {
	return fmt.Sprintf("unit $i has %d errors", $what)
}
]]

local GO_DEADLOCK = [[
package main

import (
	"fmt"
	"sync"
)

func worker(id int, jobs <-chan int, done *sync.WaitGroup) {
	for job := range jobs {
		fmt.Printf("worker %d: job %d finished, 0 errors\n", id, job)
		done.Done()
	}
}

func main() {
	jobs, done := make(chan int), &sync.WaitGroup{}
	for id := 0; id < 3; id++ {
		go worker(id, jobs, done)
	}
	for job := 0; job < 1500; job++ {
		done.Add(1)
		jobs <- job
	}
	done.Add(1)
	done.Wait()
}
]]

return {
  {
    name = "rust-borrow",
    language = "Rust",
    tool = "rustc",
    tools = { "cargo" },
    family = "compile",
    ci = "github",
    write = function(dir)
      crate(dir, "shop", {
        ["lib.rs"] = each(60, function(i)
          return (i == 33 and RUST_BORROW or "") .. fill(RUST_UNIT, { i = i })
        end),
      })
    end,
    command = "cargo build --offline",
    exits = 101,
    block = {
      { from = "error[E0308]: mismatched types", to = "expected `&str`, found `String`" },
      { from = "error[E0502]: cannot borrow", to = "immutable borrow later used here" },
    },
  },
  {
    name = "rust-trait",
    language = "Rust",
    tool = "rustc",
    tools = { "cargo" },
    family = "compile",
    ci = "gitlab",
    write = function(dir)
      crate(
        dir,
        "shop",
        { ["lib.rs"] = RUST_TRAIT .. each(70, function(i)
          return fill(RUST_UNIT, { i = i })
        end) }
      )
    end,
    command = "cargo build --offline",
    exits = 101,
    block = { { from = "error[E0277]", before = "warning: variable does not need", pick = "first" } },
  },
  {
    name = "rust-test",
    language = "Rust",
    tool = "cargo test",
    tools = { "cargo" },
    family = "test",
    ci = "travis",
    write = function(dir)
      crate(dir, "spread", {
        ["lib.rs"] = RUST_SPREAD .. each(500, function(i)
          return (i == 33 and RUST_TEST_FAULT or "") .. fill(RUST_TEST, { i = i })
        end) .. "}\n",
      })
    end,
    command = "cargo test --offline",
    exits = 101,
    block = { { from = "---- tests::the_rest_is_not_lost stdout ----", to = " right: [3, 3, 2, 2]" } },
  },
  {
    name = "rust-panic",
    language = "Rust",
    tool = "panic",
    tools = { "cargo" },
    family = "runtime",
    ci = "jenkins",
    write = function(dir)
      crate(dir, "pay", { ["main.rs"] = RUST_PANIC })
    end,
    command = "RUST_BACKTRACE=1 cargo run --offline",
    exits = 101,
    block = { { from = "thread 'main'", to = "./src/main.rs:18" } },
  },
  {
    name = "go-build",
    language = "Go",
    tool = "go build",
    tools = { "go" },
    family = "compile",
    ci = "gitlab",
    write = function(dir)
      dir:write("go.mod", GO_MOD)
      for i = 100, 900 do
        local what = i == 141 and "count(n)" or i == 177 and '"none" + n' or "n"
        dir:write(("unit%d/unit.go"):format(i), fill(GO_UNIT, { i = i, what = what }))
      end
    end,
    command = "HOME=$PWD GOFLAGS=-mod=mod go build -v -p 1 ./...",
    block = {
      { from = "# example.org/shop/unit141", to = "undefined: count" },
      { from = "# example.org/shop/unit177", to = "mismatched types untyped string and int" },
    },
  },
  {
    name = "go-test",
    language = "Go",
    tool = "go test",
    tools = { "go" },
    family = "test",
    ci = "github",
    write = function(dir)
      dir:write("go.mod", GO_MOD)
      dir:write("spread_test.go", GO_TESTS .. each(300, function(i)
        return (i == 200 and GO_TABLE or "") .. fill(GO_TEST, { i = i })
      end))
    end,
    command = "HOME=$PWD go test -v ./...",
    block = { { from = "=== RUN   TestSpreadRest/odd", to = "--- FAIL: TestSpreadRest/rest_of_two" } },
  },
  {
    name = "go-test-panic",
    language = "Go",
    tool = "go test",
    tools = { "go" },
    family = "test",
    ci = "travis",
    write = function(dir)
      dir:write("go.mod", GO_MOD)
      dir:write("spread_test.go", GO_TESTS .. each(330, function(i)
        return (i == 310 and GO_PANIC or "") .. fill(GO_TEST, { i = i })
      end))
    end,
    command = "HOME=$PWD go test -v ./...",
    block = { { from = "--- FAIL: TestNth", to = "spread_test.go:2186" } },
  },
  {
    name = "go-testify",
    language = "Go",
    tool = "testify",
    tools = { "go", "/usr/share/gocode/src/github.com/stretchr/testify" },
    family = "test",
    ci = "jenkins",
    write = function(dir)
      dir:write("src/shop/load_test.go", TESTIFY .. each(420, function(i)
        return fill(TESTIFY_CASE, { i = i })
      end))
    end,
    command = "HOME=$PWD GO111MODULE=off GOPATH=$PWD:/usr/share/gocode go test -v shop",
    block = { { from = "=== RUN   TestLoadError77", to = "--- FAIL: TestLoadError77" } },
  },
  {
    name = "go-deadlock",
    language = "Go",
    tool = "runtime",
    tools = { "go" },
    family = "runtime",
    ci = "github",
    write = function(dir)
      dir:write("go.mod", GO_MOD)
      dir:write("main.go", GO_DEADLOCK)
    end,
    command = "HOME=$PWD go run .",
    block = { { from = "fatal error: all goroutines are asleep - deadlock!", to = "exit status 2" } },
  },
}
