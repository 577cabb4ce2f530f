--- Whole failures of Python: test runners, type checkers, linters, tracebacks.

local text = require "score.text"
local each, fill = text.each, text.fill

local SHOP = [[
"""Prices and orders."""
import logging

log = logging.getLogger("shop")


class RateError(Exception):
    """A currency without a rate."""


RATES = {"EUR": 1, "SEK": 11}


def rate(code):
    try:
        return RATES[code]
    except KeyError as error:
        raise RateError(f"no rate for {code}") from error


def order(number):
    code = "XTS" if number == 5077 else "EUR"
    log.warning("order %d: error margin is 2 %%", number)
    return {"number": number, "code": code, "lines": ["oak", "elm"], "total": 12 * rate(code)}


def spread(total, ways):
    return [total // ways] * ways
]]

local PYTEST = [[
import pytest
import shop


@pytest.mark.parametrize("number", range($from, $to))
def test_order_reports_no_error(number):
    assert shop.order(number)["total"] == 12


]]

local PYTEST_FAULTS = [[
def check_order(order, wanted):
    assert order == wanted


def test_order_is_as_it_was_stored():
    check_order(
        shop.order(7),
        {"number": 7, "code": "EUR", "lines": ["oak", "elm", "ash"], "total": 13},
    )


def test_the_rest_is_not_lost():
    parts = shop.spread(10, 4)
    assert sum(parts) == 10, "the rest is lost"
]]

local UNITTEST = [[
import unittest

import shop


class Spread(unittest.TestCase):
$tests

class Report(unittest.TestCase):
    def test_lines(self):
        self.maxDiff = None
        wanted = [f"line {i}: {i * 7}" for i in range(12)]
        printed = [f"line {i}: {i * (7 if i != 9 else 8)}" for i in range(12)]
        self.assertEqual(wanted, printed, "the report")

    def test_order_of_tomorrow(self):
        self.assertEqual(12, shop.order(5077)["total"])
]]

local UNITTEST_CASE = [[
    def test_fails_softly_$i(self):
        self.assertEqual($i * 4, sum(shop.spread($i * 4, 4)))

]]

local function unit_tests()
  return fill(UNITTEST, { tests = each(700, function(i)
    return fill(UNITTEST_CASE, { i = i })
  end) })
end

local TYPED = [[
import os
from typing import Dict, List, Optional


class Unit$i:
    def __init__(self, names: List[str]) -> None:
        self.names = names
        self.errors: Dict[str, int] = {}

    def first(self, default: Optional[str] = None) -> str:
        if not self.names:
            return $default
        return self.names[0]

    def count(self, name):
        self.errors[name] = self.errors.get(name, 0) + 1
        return self.errors[name]
]]

local DOCTEST = [[
def times_$i(n):
    """The product, never an error.

    >>> times_$i(3)
    $shown
    """
    return n * $i


]]

local SERVER = [[
import asyncio
import json


class StoreError(RuntimeError):
    pass


def parse(row):
    return json.loads(row)


async def load(number):
    await asyncio.sleep(0)
    row = '{"number": %d, "errors": []}' % number
    if number == 777:
        row = '{"number": 777, "errors": [}'
    try:
        return parse(row)
    except ValueError as error:
        raise StoreError(f"order {number} cannot be read") from error


async def serve(number):
    order = await load(number)
    print(f"INFO order {order['number']} served, errors: {order['errors']}, failed: 0", flush=True)


async def main():
    try:
        for number in range(900):
            await serve(number)
    finally:
        for number in range(200):
            print(f"INFO connection {number} closed", flush=True)


asyncio.run(main())
]]

local PYTEST_PROGRAM = { "pytest", "python3" }

return {
  {
    name = "pytest",
    language = "Python",
    tool = "pytest",
    tools = PYTEST_PROGRAM,
    family = "test",
    ci = "github",
    write = function(dir)
      dir:write("shop.py", SHOP)
      dir:write("tox.ini", "[pytest]\n")
      for i = 1, 6 do
        dir:write(("test_orders_%d.py"):format(i), fill(PYTEST, { from = i * 100, to = i * 100 + 90 }))
      end
      dir:write("test_report.py", "import shop\n\n\n" .. PYTEST_FAULTS)
    end,
    command = "pytest -v -p no:cacheprovider",
    block = {
      { from = "____ test_order_is_as_it_was_stored ____", before = "- Captured log call -" },
      { from = "____ test_the_rest_is_not_lost ____", to = ": AssertionError" },
    },
  },
  {
    name = "pytest-chained",
    language = "Python",
    tool = "pytest",
    tools = PYTEST_PROGRAM,
    family = "test",
    ci = "gitlab",
    write = function(dir)
      dir:write("shop.py", SHOP)
      dir:write("tox.ini", "[pytest]\n")
      dir:write("test_orders.py", fill(PYTEST, { from = 4600, to = 5100 }))
    end,
    command = "pytest -v --color=yes -p no:cacheprovider --durations=20",
    block = { { from = "___ test_order_reports_no_error[5077] ___", to = "shop.py:18: RateError" } },
  },
  {
    name = "pytest-short",
    language = "Python",
    tool = "pytest",
    tools = PYTEST_PROGRAM,
    family = "test",
    ci = "jenkins",
    write = function(dir)
      dir:write("shop.py", SHOP)
      dir:write("tox.ini", "[pytest]\n")
      dir:write("test_a_orders.py", fill(PYTEST, { from = 100, to = 600 }))
      dir:write("test_z_report.py", "import shop\nfrom shop import refund\n\n\n" .. PYTEST_FAULTS)
    end,
    command = "pytest -v --tb=short --continue-on-collection-errors -p no:cacheprovider",
    block = { { from = "ERROR collecting test_z_report.py", to = "E   ImportError: cannot import name 'refund'" } },
  },
  {
    name = "unittest",
    language = "Python",
    tool = "unittest",
    tools = { "python3" },
    family = "test",
    ci = "travis",
    write = function(dir)
      dir:write("shop.py", SHOP)
      dir:write("test_shop.py", unit_tests())
    end,
    command = "python3 -m unittest -v",
    block = {
      { from = "ERROR: test_order_of_tomorrow", to = "shop.RateError: no rate for XTS" },
      { from = "FAIL: test_lines", to = " : the report" },
    },
  },
  {
    name = "mypy",
    language = "Python",
    tool = "mypy",
    tools = { "mypy" },
    family = "lint",
    ci = "github",
    write = function(dir)
      for i = 100, 220 do
        dir:write("unit" .. i .. ".py", fill(TYPED, { i = i, default = i == 160 and "default" or 'default or ""' }))
      end
    end,
    command = "mypy -v --pretty --cache-dir=/dev/null unit*.py",
    exits = 1,
    block = { { from = "unit160.py:12: error: Incompatible return value type", to = "^" } },
  },
  {
    name = "pylint",
    language = "Python",
    tool = "pylint",
    tools = { "pylint" },
    family = "lint",
    ci = "gitlab",
    write = function(dir)
      for i = 100, 220 do
        dir:write("unit" .. i .. ".py", fill(TYPED, { i = i, default = i == 160 and "self.name" or 'default or ""' }))
      end
    end,
    command = "pylint --persistent=n --fail-on=E --disable=duplicate-code unit*.py",
    block = { { from = "unit160.py:12:19: E1101" } },
  },
  {
    name = "doctest",
    language = "Python",
    tool = "doctest",
    tools = { "python3" },
    family = "test",
    ci = "travis",
    write = function(dir)
      dir:write(
        "times.py",
        each(300, function(i)
          return fill(DOCTEST, { i = i, shown = i == 211 and 634 or i * 3 })
        end)
      )
    end,
    command = "python3 -m doctest -v times.py",
    block = { { from = 'File "', before = "Trying:" } },
  },
  {
    name = "python-traceback",
    language = "Python",
    tool = "python",
    tools = { "python3" },
    family = "runtime",
    ci = "jenkins",
    write = function(dir)
      dir:write("server.py", SERVER)
    end,
    command = "python3 server.py",
    block = { { from = "Traceback (most recent call last):", to = "StoreError: order 777", pick = "first" } },
  },
  {
    name = "tox",
    language = "Python",
    tool = "tox",
    tools = { "tox", "virtualenv", "python3" },
    family = "test",
    ci = "jenkins",
    write = function(dir)
      dir:write("shop.py", SHOP)
      dir:write(
        "tox.ini",
        "[tox]\nskipsdist = true\nenvlist = lint,py3\n[testenv]\nskip_install = true\n"
          .. "commands =\n  lint: python -m compileall -f shop.py\n  py3: python -m unittest -v test_shop\n"
      )
      dir:write("test_shop.py", (unit_tests():gsub("    def test_order_of_tomorrow.*", "")))
    end,
    command = "tox",
    block = { { from = "FAIL: test_lines", to = " : the report" } },
  },
}
