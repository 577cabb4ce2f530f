--- Python, Node and npm, sqlite3: what many machines have beside a compiler.

local text = require "score.text"
local each, fill = text.each, text.fill

local UNITTEST = [[
import unittest


def parse(field):
    return {"name": field, "size": len(field) + (1 if field == "field-217" else 0)}


class ErrorHandling(unittest.TestCase):
    maxDiff = None


def make(i):
    def test(self):
        """errors in field $i are told apart from failures"""
        self.assertEqual(parse("field-%d" % i)["size"], len("field-%d" % i))
    test.__doc__ = "errors in field %d are told apart from failures" % i
    return test


for i in range(1, 1001):
    setattr(ErrorHandling, "test_error_field_%03d" % i, make(i))

if __name__ == "__main__":
    unittest.main(verbosity=2)
]]

local SERVICE = [[
import logging, sys

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
log = logging.getLogger("billing")


class RateMissing(Exception):
    pass


def rate(currency, rates):
    try:
        return rates[currency]
    except KeyError as missing:
        raise RateMissing("no rate for " + currency) from missing


def bill(number):
    currency = "XAF" if number == 1141 else "EUR"
    return number * rate(currency, {"EUR": 1.0, "USD": 1.1})


lost = 0
for number in range(1, 1801):
    try:
        log.info("bill %d: %.2f, 0 retries", number, bill(number))
    except RateMissing:
        log.exception("bill %d could not be made", number)
        lost += 1
log.info("1800 bills, %d lost", lost)
sys.exit(1 if lost else 0)
]]

local MODULE = "def read_$i(path, error=None):\n    with open(path) as file:\n        return file.read() $end\n"

local NODE = [[
async function load(order) {
  return order === 2455 ? {} : { lines: [{ price: order }] };
}

async function total(order) {
  const { lines } = await load(order);
  return lines.reduce((sum, line) => sum + line.price, 0);
}

async function main() {
  for (let order = 1; order <= 2500; order++) {
    console.log(`order ${order}: total ${await total(order)}, paid`);
  }
}

main();
]]

local NODE_TEST = [[
const test = require('node:test');
const assert = require('node:assert');

for (let i = 1; i <= 500; i++) {
  test(`report ${i} keeps its lines`, () => {
    const report = { id: i, lines: i === 340 ? ['a'] : ['a', 'b'] };
    assert.strictEqual(report.lines.length, 2);
  });
}
]]

local function tables(dir)
  dir:write("load.sql", "CREATE TABLE account(id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n" .. each(1800, function(i)
    local id = i == 1311 and 1310 or i
    local insert = "INSERT INTO account VALUES($id, 'error $i');\n"
    return fill(insert .. "SELECT 'account $i of 1800 is in';\n", { i = i, id = id })
  end))
end

return {
  {
    name = "python-unittest",
    tools = { "python3" },
    family = "python-test",
    write = function(dir)
      dir:write("check.py", UNITTEST)
    end,
    command = "python3 check.py",
    exits = 1,
    needles = {
      { "root cause", "AssertionError: 10 != 9" },
      { "location", "FAIL: test_error_field_217 (__main__.ErrorHandling" },
      { "summary", "FAILED (failures=1)" },
    },
  },
  {
    name = "python-chained",
    tools = { "python3" },
    family = "python-run",
    write = function(dir)
      dir:write("billing.py", SERVICE)
    end,
    command = "python3 billing.py",
    exits = 1,
    needles = {
      { "root cause", "KeyError: 'XAF'" },
      { "detail", "RateMissing: no rate for XAF" },
      { "detail", "ERROR billing: bill 1141 could not be made" },
      { "summary", "INFO billing: 1800 bills, 1 lost" },
    },
  },
  {
    name = "python-compileall",
    tools = { "python3" },
    family = "python-run",
    write = function(dir)
      for i = 1, 700 do
        local name = ("pkg/errors/handlers/report_failure_%03d.py"):format(i)
        dir:write(name, fill(MODULE, { i = i, ["end"] = i == 300 and "+" or "" }))
      end
    end,
    command = "env -u PYTHONDONTWRITEBYTECODE python3 -m compileall pkg",
    exits = 1,
    needles = {
      { "root cause", "SyntaxError: invalid syntax" },
      { "location", like = 'File "pkg/errors/handlers/report_failure_300%.py", line 3' },
    },
  },
  {
    name = "node-rejection",
    language = "JavaScript",
    tool = "node",
    tools = { "node" },
    family = "js-run",
    write = function(dir)
      dir:write("orders.js", NODE)
    end,
    command = "node orders.js",
    exits = 1,
    block = { { from = "orders.js:7", to = "at async main (", pick = "first" } },
    needles = {
      { "root cause", "TypeError: Cannot read properties of undefined (reading 'reduce')" },
      { "location", "at total (" },
    },
  },
  {
    name = "node-test",
    language = "JavaScript",
    tool = "node",
    tools = { "node" },
    family = "js-test",
    write = function(dir)
      dir:write("report.test.js", NODE_TEST)
    end,
    command = "node --test --test-reporter=tap",
    exits = 1,
    block = { { from = "not ok 340 - report 340", to = "report.test.js:7:12)" } },
    needles = {
      { "root cause", "not ok 340 - report 340 keeps its lines" },
      { "location", like = "report%.test%.js:7:12%)", pick = "first" },
      { "summary", "# fail 1" },
    },
  },
  {
    name = "npm-run",
    language = "JavaScript",
    tool = "npm",
    tools = { "npm", "node" },
    family = "npm",
    write = function(dir)
      dir:write("package.json", '{ "name": "shop", "version": "1.0.0", "scripts": { "build": "node build.js" } }\n')
      dir:write(
        "build.js",
        [[
const steps = 1200;
for (let i = 1; i <= steps; i++) {
  console.log(`[${i}/${steps}] compiled src/errors/report-${i}.ts with 0 errors and 0 warnings in ${i % 9} ms`);
  if (i === steps) require('./dist/manifest.json');
}
]]
      )
    end,
    command = "npm_config_cache=$PWD/cache npm run build --loglevel verbose",
    exits = 1,
    block = { { from = "Error: Cannot find module", to = "code: 'MODULE_NOT_FOUND'" } },
    needles = {
      { "root cause", "Error: Cannot find module './dist/manifest.json'" },
      { "location", like = "^%- .*build%.js$" },
    },
  },
  {
    name = "sqlite-unique",
    language = "SQL",
    tool = "sqlite3",
    tools = { "sqlite3" },
    family = "sql",
    write = tables,
    command = "sqlite3 shop.db < load.sql",
    exits = 1,
    block = { { from = "UNIQUE constraint failed: account.id" } },
    needles = {
      { "root cause", "UNIQUE constraint failed: account.id" },
    },
  },
}
