--- Whole failures that are mostly values: what was wanted and what there was, over many lines, with few words or none.

local maven = require "score.maven"
local text = require "score.text"
local each, fill = text.each, text.fill

local RUST = [[
#[derive(Debug, PartialEq)]
pub struct Line { pub name: String, pub amount: u32, pub tags: Vec<&'static str> }

#[derive(Debug, PartialEq)]
pub struct Order { pub number: u32, pub lines: Vec<Line>, pub error: Option<String> }

pub fn build(number: u32, n: u32) -> Order {
    let lines = (0..n).map(|i| Line { name: format!("item {}", i), amount: i * number % 7, tags: vec!["wood", "dry"] });
    Order { number, lines: lines.collect(), error: None }
}

pub fn check(number: u32, n: u32) {
    let (wanted, built) = (build(number, n), build(number, 3));
    if wanted != built {
        panic!("order {} is another\n  wanted: {:#?}\n  built: {:#?}", number, wanted, built);
    }
}

#[cfg(test)]
mod tests {
$tests}
]]

local RUST_TEST = [[
    #[test]
    fn has_no_error_in_$i() { super::check($i, $n) }
]]

local JAVA = [[
package org.example.shop;

import org.junit.Test;

public class TestShelf$i {
    static String shelf(int rows) {
        StringBuilder text = new StringBuilder("{\n  \"shelf\": $i,\n  \"error\": null,\n  \"rows\": [\n");
        for (int row = 0; row < rows; row++)
            text.append("    { \"row\": " + row + ", \"items\": [\"oak\", \"elm\"], \"failed\": false },\n");
        return text + "  ]\n}";
    }

    @Test public void shelfIsAsStored() {
        System.out.println("shelf $i: 0 errors");
        String wanted = shelf(9), stored = shelf($rows);
        if (!wanted.equals(stored))
            throw new AssertionError("shelf $i\nwanted\n" + wanted + "\nstored\n" + stored);
    }
}
]]

local PYTHON = [[
import json
import sys


def built(number, lines):
    return {"number": number, "error": None, "lines": [{"item": i, "amount": i * number % 7} for i in range(lines)]}


different = []
for number in range(700):
    wanted, have = built(number, 6), built(number, 5 if number == 433 else 6)
    print(f"case {number}: built in {number % 9} ms, errors: []")
    if wanted != have:
        different.append(number)
        print(f"case {number}: want", json.dumps(wanted, indent=2))
        print(f"case {number}: have", json.dumps(have, indent=2))
print(f"{len(different)} of 700 cases differ")
sys.exit(len(different))
]]

local HEXDUMP = [[
#include <stdio.h>
#include <string.h>

static void dump(const char *title, const unsigned char *bytes, int n)
{
    printf("%s\n", title);
    for (int i = 0; i < n; i++)
        printf(i % 16 == 0 ? "  %04x: %02x%s" : "%.0s%02x%s", i, bytes[i], i % 16 == 15 ? "\n" : " ");
}

int main(void)
{
    unsigned char wanted[128], have[128];
    int bad = 0;
    setvbuf(stdout, 0, _IOLBF, 0);
    for (int packet = 0; packet < 900; packet++) {
        for (int i = 0; i < 128; i++)
            wanted[i] = have[i] = (unsigned char)(packet * 7 + i * i);
        if (packet == 611)
            have[77] ^= 4;
        printf("packet %d encoded, 128 bytes, 0 errors\n", packet);
        if (memcmp(wanted, have, 128) == 0)
            continue;
        bad++;
        dump("wanted", wanted, 128);
        dump("encoded", have, 128);
    }
    printf("%d of 900 packets differ\n", bad);
    return bad;
}
]]

local HSPEC = [=[
import Test.Hspec

report :: Int -> Int -> String
report number wrong = unlines
  ["report " ++ show number ++ ": " ++ show i ++ " costs " ++ show (if i == wrong then 1 else i * 3) | i <- [1 .. 14]]

main :: IO ()
main = hspec $ describe "report" $ mapM_ one [1 .. 500]
  where
    one :: Int -> Spec
    one n = it ("has no error in number " ++ show n) $
      report n (if n == 388 then 9 else 0) `shouldBe` report n 0
]=]

return {
  {
    name = "rust-values",
    language = "Rust",
    tool = "cargo test",
    tools = { "cargo" },
    family = "test",
    ci = "github",
    write = function(dir)
      dir:write("Cargo.toml", '[package]\nname = "shop"\nversion = "0.4.1"\nedition = "2021"\n')
      dir:write(
        "src/lib.rs",
        fill(RUST, {
          tests = each(500, function(i)
            return fill(RUST_TEST, { i = i, n = i == 287 and 2 or 3 })
          end),
        })
      )
    end,
    command = "cargo test --offline",
    exits = 101,
    block = { { from = "---- tests::has_no_error_in_287 stdout ----", before = "note: run with `RUST_BACKTRACE" } },
  },
  {
    name = "junit-values",
    language = "Java",
    tool = "maven",
    tools = maven.TOOLS,
    family = "test",
    ci = "travis",
    write = function(dir)
      dir:write("pom.xml", maven.pom "junit:junit:4.x")
      for i = 100, 220 do
        dir:write(
          ("src/test/java/org/example/shop/TestShelf%d.java"):format(i),
          fill(JAVA, { i = i, rows = i == 188 and 7 or 9 })
        )
      end
    end,
    command = maven.TEST,
    block = { { from = "[ERROR] shelfIsAsStored(org.example.shop.TestShelf188)", to = "(TestShelf188.java" } },
  },
  {
    name = "script-values",
    language = "Python",
    tool = "script",
    tools = { "python3" },
    family = "test",
    ci = "jenkins",
    write = function(dir)
      dir:write("cases.py", PYTHON)
    end,
    command = "python3 cases.py",
    block = { { from = "case 433: want", before = "case 434: built" } },
  },
  {
    name = "hex-dump",
    language = "C",
    tool = "program",
    tools = { "gcc" },
    family = "test",
    ci = "gitlab",
    write = function(dir)
      dir:write("packets.c", HEXDUMP)
    end,
    command = "gcc -w packets.c -o packets && ./packets",
    block = { { from = "packet 611 encoded", before = "packet 612 encoded" } },
  },
  {
    name = "hspec-values",
    language = "Haskell",
    tool = "hspec",
    tools = { "ghc", "/usr/share/doc/libghc-hspec-dev" },
    family = "test",
    ci = "github",
    write = function(dir)
      dir:write("Spec.hs", HSPEC)
    end,
    command = "ghc -v0 -O0 Spec.hs -o spec && ./spec --color",
    block = { { from = "1) report has no error in number 388", to = "but got:" } },
  },
}
