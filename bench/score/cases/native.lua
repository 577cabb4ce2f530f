--- Whole failures of compilers, linkers and test runners for C, C++ and Objective-C.

local text = require "score.text"
local each, fill = text.each, text.fill

local GTEST = [[
#include <gtest/gtest.h>
#include <string>
#include <vector>

static std::vector<int> spread(int total, int ways)
{
    std::vector<int> parts;
    for (int i = 0; i < ways; i++)
        parts.push_back(total / ways);
    return parts;
}

static int sum(const std::vector<int> &parts)
{
    int total = 0;
    for (int part : parts)
        total += part;
    return total;
}

]]

local GTEST_CASE = [[
TEST(Spread$group, KeepsTheErrorBelowOneFor$i)
{
    EXPECT_EQ($i * 4, sum(spread($i * 4, 4)));
}

]]

local GTEST_FAULT = [[
TEST(Spread7, GivesTheRestToTheFirst)
{
    EXPECT_EQ(10, sum(spread(10, 4)));
    EXPECT_EQ((std::vector<int>{4, 2, 2, 2}), spread(10, 4)) << "the rest is lost";
}

]]

return {
  {
    name = "gtest",
    language = "C++",
    tool = "googletest",
    tools = { "g++", "/usr/include/gtest/gtest.h" },
    family = "test",
    ci = "gitlab",
    write = function(dir)
      dir:write("spread_test.cc", GTEST .. each(240, function(i)
        return (i == 170 and GTEST_FAULT or "") .. fill(GTEST_CASE, { i = i, group = math.floor(i / 25) })
      end))
    end,
    command = "g++ -O0 spread_test.cc -o spread_test -lgtest -lgtest_main -lpthread && ./spread_test",
    block = { { from = "spread_test.cc:868: Failure", to = "[  FAILED  ] Spread7.GivesTheRestToTheFirst" } },
  },
}
