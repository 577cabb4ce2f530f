--- Whole failures of languages met less often: Clojure, Groovy, Crystal, D, Nim, Common Lisp.

local text = require "score.text"
local each, fill = text.each, text.fill

local CLOJURE = [=[
(ns shop.spread-test
  (:require [clojure.test :refer [deftest is run-tests testing]]))

(defn spread [total ways] (vec (repeat ways (quot total ways))))
(defn rate [code] (or ({"EUR" 1} code) (throw (ex-info "no rate" {:code code}))))

(defmethod clojure.test/report :begin-test-var [m]
  (println "running" (-> m :var meta :name) "without error so far"))

$tests
(deftest the-rest-is-not-lost
  (testing "10 by 4"
    (is (= [3 3 2 2] (spread 10 4)) "the rest goes to the first")))

(deftest every-currency-has-a-rate
  (is (= 7 (rate "XTS"))))

(let [{:keys [fail error]} (run-tests)]
  (System/exit (+ fail error)))
]=]

local CLOJURE_TEST = [[
(deftest fails-softly-$i
  (is (= $i (first (spread (* $i 4) 4)))))

]]

local GROOVY = [[
def spread(int total, int ways) { [total.intdiv(ways)] * ways }

(1..900).each { n ->
    assert spread(n * 4, 4).sum() == n * 4
    println "spread $n: no error, 0 failed"
}
def order = [number: 7, lines: ['oak', 'elm'], parts: spread(10, 4)]
assert order.parts.sum() == order.lines.size() * 5 && order.parts == [3, 3, 2, 2]
]]

local CRYSTAL = [[
require "spec"

def spread(total, ways)
  Array.new(ways, total // ways)
end

def rate(code)
  {"EUR" => 1}[code]
end

describe "spread" do
$tests  it "gives the rest to the first" do
    spread(10, 4).should eq [3, 3, 2, 2]
  end
end

describe "rate" do
  it "is known for every currency" do
    rate("XTS").should eq 7
  end
end
]]

local CRYSTAL_TEST = [[
  it "fails with no error for $i" do
    spread($i * 4, 4).sum.should eq $i * 4
  end
]]

local D_UNIT = [[
module unit$i;

int errors$i(string name, int limit)
{
    auto spare = limit * $i;
    return cast(int) name.length + $call;
}
]]

local D_SERVER = [[
import std.conv : ConvException, to;
import std.stdio : stdout, writefln;

class StoreException : Exception
{
    this(string message, Throwable cause) { super(message, __FILE__, __LINE__, cause); }
}

int columns(string row)
{
    try
        return row[6 .. $].to!int;
    catch (ConvException e)
        throw new StoreException("cannot load " ~ row, e);
}

void main()
{
    foreach (i; 0 .. 1200)
    {
        auto row = "order-" ~ (i == 1001 ? "1OO1" : i.to!string);
        writefln("order %d loaded, %d columns, errors: none", i, columns(row));
        stdout.flush();
    }
}
]]

local NIM = [=[
import std/[strformat, tables]

type Rates = Table[string, int]

proc scaled(rates: Rates, total: int): int =
  total * rates[if total == 4004: "XTS" else: "EUR"]

proc spread(rates: Rates, total, ways: int): seq[int] =
  for i in 0 ..< ways:
    result.add rates.scaled(total) div ways

let rates = {"EUR": 1}.toTable
for n in 1 .. 1300:
  echo &"spread {n}: {rates.spread(n * 4, 4)}, error rate 0 %"
]=]

local NIM_UNIT = [[
proc errors$i*(name: string, limit: int): int =
  let spare = limit * $i
  result = name.len + $call
]]

local LISP = [[
(defun rate (code)
  (or (cdr (assoc code '(("EUR" . 1)) :test #'string=)) (error "no rate for ~a" code)))

(defun spread (total ways)
  (loop repeat ways collect (floor (* total (rate (if (= total 4004) "XTS" "EUR"))) ways)))

(loop for n from 1 to 1500
      do (format t "spread ~d: ~a, 0 errors~%" n (spread (* n 4) 4)))
]]

return {
  {
    name = "clojure-test",
    language = "Clojure",
    tool = "clojure.test",
    tools = { "clojure" },
    family = "test",
    ci = "github",
    write = function(dir)
      dir:write(
        "spread_test.clj",
        fill(CLOJURE, { tests = each(500, function(i)
          return fill(CLOJURE_TEST, { i = i })
        end) })
      )
    end,
    command = "clojure spread_test.clj",
    exits = 2,
    block = {
      { from = "FAIL in (the-rest-is-not-lost)", to = "actual:" },
      { from = "ERROR in (every-currency-has-a-rate)", to = "rate.invoke " },
    },
  },
  {
    name = "groovy-assert",
    language = "Groovy",
    tool = "groovy",
    tools = { "groovy" },
    family = "runtime",
    ci = "jenkins",
    write = function(dir)
      dir:write("spread.groovy", GROOVY)
    end,
    command = "groovy spread.groovy",
    block = { { from = "Caught: Assertion failed:", to = "at spread.run" } },
  },
  {
    name = "crystal-spec",
    language = "Crystal",
    tool = "crystal spec",
    tools = { "crystal" },
    family = "test",
    ci = "gitlab",
    write = function(dir)
      dir:write(
        "spread_spec.cr",
        fill(CRYSTAL, { tests = each(400, function(i)
          return fill(CRYSTAL_TEST, { i = i })
        end) })
      )
    end,
    command = "crystal run spread_spec.cr -- --verbose --no-color",
    block = {
      { from = "1) spread gives the rest", to = "# spread_spec.cr" },
      { from = "2) rate is known", to = "in 'rate'" },
    },
  },
  {
    name = "gdc-compile",
    language = "D",
    tool = "gdc",
    tools = { "gdc" },
    family = "compile",
    ci = "travis",
    write = function(dir)
      for i = 100, 260 do
        dir:write("unit" .. i .. ".d", fill(D_UNIT, { i = i, call = i == 204 and "limits ~ name" or "limit" }))
      end
    end,
    command = 'for f in unit*.d; do echo "gdc -c $f"; gdc -Wall -c $f || exit 1; done',
    block = { { from = "unit204.d:6:36: error:", to = "^" } },
  },
  {
    name = "d-exception",
    language = "D",
    tool = "druntime",
    tools = { "gdc" },
    family = "runtime",
    ci = "jenkins",
    write = function(dir)
      dir:write("server.d", D_SERVER)
    end,
    command = "gdc -g server.d -o server && ./server",
    block = { { from = "server.StoreException@server.d", to = "server.d:12" } },
  },
  {
    name = "nim-exception",
    language = "Nim",
    tool = "nim",
    tools = { "nim", "gcc" },
    family = "runtime",
    ci = "gitlab",
    write = function(dir)
      dir:write("spread.nim", NIM)
    end,
    command = "HOME=$PWD nim c --hints:off --nimcache:cache -r spread.nim",
    block = { { from = "lib/core/macros.nim(", to = "[KeyError]", pick = "first" } },
  },
  {
    name = "nim-compile",
    language = "Nim",
    tool = "nim",
    tools = { "nim", "gcc" },
    family = "compile",
    ci = "github",
    write = function(dir)
      dir:write(
        "main.nim",
        each(160, function(i)
          return ("import unit%d\n"):format(i + 99)
        end)
      )
      for i = 100, 259 do
        dir:write("unit" .. i .. ".nim", fill(NIM_UNIT, { i = i, call = i == 231 and '"oak"' or "limit" }))
      end
    end,
    command = "HOME=$PWD nim c --nimcache:cache main.nim",
    block = { { from = "unit231.nim(3, 21) Error: type mismatch", before = "##[error]" } },
  },
  {
    name = "sbcl",
    language = "Common Lisp",
    tool = "sbcl",
    tools = { "sbcl" },
    family = "runtime",
    ci = "travis",
    write = function(dir)
      dir:write("spread.lisp", LISP)
    end,
    command = "sbcl --noinform --non-interactive --no-userinit --load spread.lisp",
    block = { { from = "Unhandled SIMPLE-ERROR", to = '(RATE "XTS")' } },
  },
}
