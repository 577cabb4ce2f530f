--- JavaScript's test runners: jest, mocha, vitest, ava, jasmine, node:test.

local text = require "score.text"
local fill = text.fill

local NAMES = {
  "cart",
  "coupon",
  "currency",
  "delivery",
  "invoice",
  "ledger",
  "payment",
  "price",
  "refund",
  "stock",
  "tax",
  "voucher",
}

--- Sources and suites of twelve modules; `test` is the text of a suite, `bad` the module with the fault.
local function shop(dir, test, bad, ending)
  for i, name in ipairs(NAMES) do
    local values = { name = name, plural = name == "voucher" and "s" or "", i = i, bad = name == bad and "- 1" or "" }
    dir:write(
      fill("src/$name.js", values),
      fill(
        [[
function totals(lines) {
  const sum = lines.reduce((all, line) => all + line.price * line.count, 0);
  return { currency: 'EUR', lines: lines.length $bad, sum, errors: [], notes: { paid: false, shop: '$name' } };
}

function check(order) {
  if (!order.lines) throw new TypeError(`order ${order.id} of $name has no lines`);
  return totals(order.lines);
}

module.exports = { totals, check };
]],
        values
      )
    )
    dir:write(fill("test/$name", values) .. ending, fill(test, values))
  end
end

local DESCRIBED = [[
const assert = require('node:assert');
const { check } = require('../src/$name.js');

describe('$name', () => {
  for (let i = 1; i <= 40; i++) {
    it(`adds up an order of ${i} lines and reports no error for it`, () => {
      const lines = Array.from({ length: i }, () => ({ price: i, count: 2 }));
      $before
      const expected = { currency: 'EUR', lines: i, sum: i * i * 2, errors: [], notes: { paid: false, shop: '$name' } };
      if (i === 23 || '$name' !== '$wrong') $expect
    });
  }
});
]]

local function described(before, expect, wrong)
  return fill(DESCRIBED, { before = before, expect = expect, wrong = wrong })
end

local MOCHA = described("", "assert.deepStrictEqual(check({ id: i, lines }), expected);", "refund")
local JEST = described(
  "if (i % 20 === 0) console.log('order of', i, 'lines is', lines.length * 2, 'pieces');",
  "expect(check({ id: i, lines })).toEqual(expected);",
  "refund"
)
local THROWS = [[
require('../src/$name$plural.js');
const { check } = require('../src/$name.js');

describe('$name', () => {
  for (let i = 1; i <= 40; i++) {
    it(`adds up an order of ${i} lines and reports no error for it`, () => {
      const lines = Array.from({ length: i }, () => ({ price: i, count: 2 }));
      expect(check({ id: i, lines: i === 23 && '$name' === 'price' ? undefined : lines }).sum).toBe(i * i * 2);
    });
  }
});
]]

local HOOK = described(
  "",
  "lines.length && assert.ok(check({ id: i, lines: i === 23 && '$name' === 'price' ? " .. "undefined : lines }));",
  "price"
)

local AVA = [[
const test = require('ava');
const { check } = require('../src/$name.js');

for (let i = 1; i <= 45; i++) {
  test(`$name: an order of ${i} lines is added up without an error`, t => {
    const lines = Array.from({ length: i }, () => ({ price: i, count: 2 }));
    const totals = i === 23 || '$name' !== 'refund' ? check({ id: i, lines }) : { lines: i };
    t.like(totals, { lines: i });
  });
}
]]

local NODE_TEST = [[
const { describe, it } = require('node:test');
const assert = require('node:assert');
const { check } = require('../src/$name.js');

describe('$name', () => {
  for (let i = 1; i <= 40; i++) {
    it(`adds up an order of ${i} lines and reports no error for it`, () => {
      const lines = Array.from({ length: i }, () => ({ price: i, count: 2 }));
      if (i === 23 || '$name' !== 'refund') assert.strictEqual(check({ id: i, lines }).lines, i);
    });
  }
});
]]

return {
  {
    name = "jest-diff",
    language = "JavaScript",
    tool = "jest",
    tools = { "jest", "node" },
    family = "js-test",
    ci = "gitlab",
    write = function(dir)
      dir:write("package.json", '{ "name": "shop", "version": "1.0.0" }\n')
      shop(dir, JEST, "refund", ".test.js")
    end,
    command = "CI=true jest --verbose --runInBand --no-cache 2>&1",
    exits = 1,
    block = { { from = "● refund › adds up an order of 23 lines", to = "at Object.toEqual (test/refund.test.js:" } },
  },
  {
    name = "jest-throws",
    language = "JavaScript",
    tool = "jest",
    tools = { "jest", "node" },
    family = "js-test",
    ci = "travis",
    write = function(dir)
      dir:write("package.json", '{ "name": "shop", "version": "1.0.0" }\n')
      shop(dir, THROWS, "none", ".test.js")
    end,
    command = "jest --verbose --runInBand --no-cache --ci --no-color 2>&1",
    exits = 1,
    block = {
      { from = "  ● Test suite failed to run", to = "at Object.require (test/voucher.test.js" },
      { from = "  ● price › adds up an order of 23 lines", to = "at Object.check (test/price.test.js" },
    },
  },
  {
    name = "mocha-diff",
    language = "JavaScript",
    tool = "mocha",
    tools = { "mocha", "node" },
    family = "js-test",
    ci = "jenkins",
    write = function(dir)
      shop(dir, MOCHA, "refund", ".spec.js")
    end,
    command = "mocha --reporter spec test",
    exits = 1,
    block = { { from = "^  1%) refund", to = "at Context.<anonymous> %(test/refund.spec.js", like = true } },
  },
  {
    name = "mocha-dot-hook",
    language = "JavaScript",
    tool = "mocha",
    tools = { "mocha", "node" },
    family = "js-test",
    ci = "github",
    write = function(dir)
      shop(dir, HOOK, "none", ".spec.js")
    end,
    command = "mocha --reporter tap test",
    exits = 1,
    block = { { from = "not ok ", to = "at Context.<anonymous> %(test/price.spec.js", like = true } },
  },
  {
    name = "vitest-diff",
    language = "JavaScript",
    tool = "vitest",
    tools = { "vitest", "node" },
    family = "js-test",
    ci = "gitlab",
    write = function(dir)
      dir:write("package.json", '{ "name": "shop", "version": "1.0.0" }\n')
      shop(dir, JEST, "refund", ".test.js")
    end,
    command = "CI=true vitest run --globals --reporter=verbose --no-cache 2>&1",
    exits = 1,
    block = { { from = " FAIL  test/refund%.test%.js > refund", to = "^%s+11|%s+}%);", like = true } },
  },
  {
    name = "ava-like",
    language = "JavaScript",
    tool = "ava",
    tools = { "ava", "node" },
    family = "js-test",
    ci = "travis",
    write = function(dir)
      dir:write("package.json", '{ "name": "shop", "version": "1.0.0", "dependencies": { "ava": "*" } }\n')
      shop(dir, AVA, "refund", ".js")
    end,
    command = 'mkdir -p node_modules && ln -s "$(dirname "$(readlink -f "$(command -v ava)")")/../../ava" '
      .. "node_modules/ava\n"
      .. "ava --tap 2>&1",
    exits = 1,
    block = { { from = "^not ok .* refund", to = "^  %.%.%.$", like = true } },
  },
  {
    name = "jasmine-throws",
    language = "JavaScript",
    tool = "jasmine",
    tools = { "jasmine", "node" },
    family = "js-test",
    ci = "jenkins",
    write = function(dir)
      shop(dir, THROWS, "none", ".spec.js")
    end,
    command = "rm test/voucher.spec.js; for i in 1 2 3 4 5 6 7 8; do echo checking part $i; seq -f 'checked line %g "
      .. "of the list of prices' 1 90; done\n"
      .. "jasmine --no-color --random=false 'test/*.spec.js'",
    exits = 3,
    block = { { from = "^1%) price adds up an order of 23", to = "at UserContext%.<anonymous>", like = true } },
  },
  {
    name = "node-test-spec",
    language = "JavaScript",
    tool = "node",
    tools = { "node" },
    family = "js-test",
    ci = "github",
    write = function(dir)
      shop(dir, NODE_TEST, "refund", ".test.js")
    end,
    command = "node --test --test-reporter=spec test",
    exits = 1,
    block = { { from = "test at test/refund.test.js", to = "operator: 'strictEqual'" } },
  },
}
