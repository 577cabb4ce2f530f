--- Failures amid what looks like one, in several languages: errors that are caught and logged, warnings by the hundred,
--- steps that may fail.

local text = require "score.text"
local each, fill = text.each, text.fill

local CLIENT_RB = [[
require "logger"

class Client
  def initialize(answers, log: Logger.new($stdout))
    @answers, @log = answers, log
  end

  def get(path)
    @answers.each_with_index do |answer, i|
      body = { part: "$part", lines: %w[a b c], state: $state }
      return { path: path, status: answer, tries: i + 1, body: body } if answer < 500
      @log.error("GET #{path} failed with status #{answer} (Client::Unavailable), trying again")
      warn "DEPRECATION WARNING: Client#get without a block is deprecated (called from get at lib/$part.rb:9)"
    end
    raise IOError, "gave up on #{path}"
  end
end
]]

local SPEC_RB = [[
require_relative "../lib/$part"

RSpec.describe "the client of $part" do
  (1..25).each do |n|
    it "gets document #{n} though the first try fails" do
      expect(Client.new([503, 200]).get("/$part/#{n}")).to match(
        path: "/$part/#{n}", status: 200, tries: 2,
        body: { part: "$part", lines: n == $nine ? %w[a b c d e f] : %w[a b c], state: $want }
      )
    end
  end

  it("fails when all tries fail") { expect { Client.new([500]).get("/none") }.to raise_error(IOError, /gave up/) }
end
]]

local WARN_PM = [[
package Part$i;
use strict;
use warnings;
sub line { my ($name, $price) = @_; return "$name costs " . ($price + 0); }
sub total { my $sum = 0; $sum += $_->[1] for @_; return $sum; }
1;
]]

local WARN_T = [[
use strict;
use warnings;
use Test::More;
use Part$i;
for my $n (1 .. 25) {
    my $line = Part$i::line("part $n", $n % 3 ? $n : undef);
    ok($line =~ /costs/, "line $n is written, error or not");
    diag("part $n of $i failed once, error 503, and was tried again") if $n % 5 == 0;
}
is(Part$i::total([ a => 1 ], [ b => 2 ]), $sum, "the total of both lines");
done_testing();
]]

local DEPRECATED_PHP = [[
<?php
use PHPUnit\Framework\TestCase;

final class Part$i_Test extends TestCase
{
    public static function numbers(): array
    {
        return array_map(fn ($n) => [$n], range(1, 30));
    }

    /** @dataProvider numbers */
    public function testFailuresAreCounted(int $n): void
    {
        fwrite(STDERR, "PHP Deprecated:  strlen(): Passing null is deprecated in src/Part$i.php on line $n\n");
        error_log("[error] part $i: request $n failed with status 503, trying again");
        $want = ['part' => $i, 'tries' => 2, 'lines' => $n === 9 ? [$lines] : [1, 2, 3], 'failed' => false];
        $this->assertEquals($want, ['part' => $i, 'tries' => 2, 'lines' => [1, 2, 3], 'failed' => false]);
    }
}
]]

local LOGGED_EX = [[
defmodule Part$i_Test do
  use ExUnit.Case
  require Logger

  for n <- 1..40 do
    test "document #{n} is there though the first try fails" do
      Logger.error("GET /part/$i/#{unquote(n)} failed with status 503: %Client.Error{reason: :unavailable}")
      answer = %{part: $i, tries: 2, lines: ["a", "b", "c"], failed: false}
      lines = if unquote(n) == 9, do: [$lines], else: ["a", "b", "c"]
      assert %{answer | lines: lines} == answer
    end
  end
end
]]

local WARNED_R = [[
test_that("part $i is read", {
  for (n in 1:30) {
    value <- suppressWarnings(as.integer("x"))
    cat("Warning: row", n, "of part $i has no error code, NA is taken\n")
    expect_true(is.na(value))
  }
  part <- function(last) list(part = $i, lines = c("a", "b", last), failed = FALSE)
  expect_equal(part("c"), part($last))
})
]]

local PSQL = [[
dir=$(mktemp -d) && trap '$as pg_ctl -D $dir/db -m immediate stop >/dev/null; rm -rf $dir' EXIT
as=
if [ "$(id -u)" = 0 ]; then chown nobody $dir; as="setpriv --reuid=nobody --clear-groups"; fi
cp *.sql $dir && cd $dir
$as initdb -D $dir/db -A trust -U shop >/dev/null 2>&1
$as pg_ctl -D $dir/db -w -l $dir/server.log -o "-k $dir -c listen_addresses=''" start >/dev/null
export PGHOST=$dir PGUSER=shop PGDATABASE=postgres
]]

local PARTS = { "billing", "cart", "customer", "delivery", "invoice", "payment", "refund", "stock", "voucher" }

local DEPLOY = [[
fetch() {
  curl -sS -o /dev/null --max-time 2 "http://127.0.0.1:1/$1" || echo "warning: no $1 yet, error ignored" >&2
}
for part in $(seq 1 260); do
  fetch "part/$part"
  mkdir out/$part 2>/dev/null || true
  cp in/part.bin out/$part/part.bin
  test "$part" = 233 && chmod 0 out/$part && out/$part/../run --part $part
  echo "part $part is out, failed 0 times"
done
]]

return {
  {
    name = "rspec-logged-errors",
    language = "Ruby",
    tool = "rspec",
    tools = { "rspec", "ruby" },
    family = "ruby-test",
    ci = "travis",
    write = function(dir)
      for i, part in ipairs(PARTS) do
        local held = i % 4 == 2
        local values = {
          part = part,
          nine = held and 9 or 99,
          state = held and ":held" or ":open",
          want = held and "(n == 9 ? :open : :held)" or ":open",
        }
        dir:write("lib/" .. part .. ".rb", fill(CLIENT_RB, values))
        dir:write("spec/" .. part .. "_spec.rb", fill(SPEC_RB, values))
      end
    end,
    command = "for s in spec/*; do rspec --no-color --format progress --order defined $s || bad=1; done; exit $bad",
    exits = 1,
    block = {
      { from = "1) the client of cart gets document 9", to = "# ./spec/cart_spec.rb:" },
      { from = "1) the client of payment gets document 9", to = "# ./spec/payment_spec.rb:" },
    },
  },
  {
    name = "perl-warnings",
    language = "Perl",
    tool = "prove",
    tools = { "prove", "perl" },
    family = "perl-test",
    ci = "github",
    write = function(dir)
      for i = 1, 20 do
        dir:write(fill("lib/Part$i.pm", { i = i }), fill(WARN_PM, { i = i }))
        dir:write(("t/%02d.t"):format(i), fill(WARN_T, { i = i, sum = i % 8 == 5 and 4 or 3 }))
      end
    end,
    command = "prove --nocolor -Ilib t",
    exits = 1,
    block = {
      { from = "#   Failed test 'the total of both lines'", to = "#     expected: '4'", pick = "first" },
      { from = "#   Failed test 'the total of both lines'", to = "#     expected: '4'" },
    },
  },
  {
    name = "phpunit-deprecations",
    language = "PHP",
    tool = "phpunit",
    tools = { "phpunit", "php" },
    family = "php-test",
    ci = "jenkins",
    write = function(dir)
      for i = 1, 14 do
        dir:write(
          fill("tests/Part$i_Test.php", { i_Test = i .. "Test" }),
          fill(DEPRECATED_PHP, {
            i = i,
            i_Test = i .. "Test",
            lines = i % 5 == 4 and "1, 2, 4" or "1, 2, 3",
          })
        )
      end
    end,
    command = "phpunit --colors=never --do-not-cache-result tests",
    exits = 1,
    block = {
      { from = "1) Part14Test::testFailuresAreCounted", to = "/tests/Part14Test.php:17" },
      { from = "2) Part4Test::testFailuresAreCounted", to = "/tests/Part4Test.php:17" },
      { from = "3) Part9Test::testFailuresAreCounted", to = "/tests/Part9Test.php:17" },
    },
  },
  {
    name = "exunit-logged-errors",
    language = "Elixir",
    tool = "ExUnit",
    tools = { "mix" },
    family = "beam-test",
    ci = "gitlab",
    write = function(dir)
      dir:write(
        "mix.exs",
        'defmodule P do\n  use Mix.Project\n  def project, do: [app: :p, version: "1.0.0"]\n'
          .. "  def application, do: [extra_applications: [:logger]]\nend\n"
      )
      dir:write("test/test_helper.exs", "ExUnit.start(seed: 0, max_cases: 1)\n")
      for i = 1, 12 do
        dir:write(
          fill("test/part$i_test.exs", { i_test = i .. "_test" }),
          fill(LOGGED_EX, {
            i = i,
            i_Test = i .. "Test",
            lines = i == 6 and '"a", "b", "d"' or '"a", "b", "c"',
          })
        )
      end
    end,
    command = "HOME=$PWD mix test --no-color",
    block = { { from = "1) test document 9 is there", to = "test/part6_test.exs:10: (test)" } },
  },
  {
    name = "testthat-warnings",
    language = "R",
    tool = "testthat",
    tools = { "Rscript", "/usr/lib/R/site-library/testthat" },
    family = "r-test",
    ci = "jenkins",
    write = function(dir)
      for i = 1, 30 do
        dir:write(("tests/test-part%02d.R"):format(i), fill(WARNED_R, { i = i, last = i == 15 and '"d"' or '"c"' }))
      end
    end,
    command = 'Rscript -e \'testthat::test_dir("tests", reporter = "check")\'',
    exits = 1,
    block = { { from = "── Failure ('test-part15.R:", to = "1 string mismatch" } },
  },
  {
    name = "psql-aborted",
    language = "SQL",
    tool = "psql",
    tools = { "psql", "initdb", "pg_ctl", "setpriv" },
    family = "sql",
    ci = "travis",
    write = function(dir)
      dir:write(
        "load.sql",
        "CREATE TABLE report (id integer PRIMARY KEY, part text NOT NULL);\n"
          .. "BEGIN;\n"
          .. each(500, function(i)
            return fill(
              "INSERT INTO report VALUES ($id, 'part $i');\n" .. "DROP TABLE IF EXISTS part_$i;\n",
              { i = i, id = i == 341 and 340 or i }
            )
          end)
          .. "COMMIT;\n\\echo verifying\nSELECT count(*) > 0 AS there FROM report \\gset\n\\if :there\n\\else\n"
          .. "  \\echo no reports\n  DO 'BEGIN RAISE no_data; END';\n\\endif\n"
      )
    end,
    command = PSQL .. "psql -f load.sql; psql -Atc 'SELECT 1/count(*) FROM report'",
    exits = 1,
    block = { { from = "ERROR:  duplicate key value", to = "DETAIL:  Key (id)=(340) already exists." } },
  },
  {
    name = "ansible-ignored",
    language = "Ansible",
    tool = "ansible-playbook",
    tools = { "ansible-playbook" },
    family = "ops",
    ci = "travis",
    write = function(dir)
      dir:write(
        "hosts",
        each(3, function(i)
          return fill("web$i ansible_connection=local\n", { i = i })
        end)
      )
      dir:write(
        "site.yml",
        "- hosts: all\n  gather_facts: false\n  vars:\n"
          .. '    ansible_python_interpreter: "{{ ansible_playbook_python }}"\n  tasks:\n'
          .. each(20, function(i)
            return fill(
              "    - name: Look for part $i\n      ansible.builtin.command: test -e /nonexistent/part-$i\n"
                .. "      ignore_errors: $ignore\n",
              { i = i, ignore = i == 17 and "\"{{ inventory_hostname != 'web2' }}\"" or "true" }
            )
          end)
      )
    end,
    command = "HOME=$PWD ANSIBLE_NOCOLOR=1 ansible-playbook -i hosts site.yml",
    exits = 2,
    block = { { from = 'fatal: %[web2%]: FAILED! => {.*part%-17"', like = true } },
  },
  {
    name = "shell-ignored-errors",
    language = "Shell",
    tool = "sh",
    tools = { "sh", "curl" },
    family = "shell",
    ci = "gitlab",
    write = function(dir)
      dir:write("in/part.bin", "x")
      dir:write("out/keep", "")
      dir:write("deploy.sh", "set -e\n" .. DEPLOY)
    end,
    command = "sh -e deploy.sh",
    exits = 127,
    block = { { from = "out/233/../run: " } },
  },
}
