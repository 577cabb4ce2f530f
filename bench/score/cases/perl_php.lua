--- Perl and PHP: prove, Test::More, phpunit, composer, phpcs, the interpreters.

local text = require "score.text"
local each, fill = text.each, text.fill

local PM = [[
package Report::Part$i;
use strict;
use warnings;
use Carp;

sub new { my ($class, %args) = @_; return bless { %args, errors => [] }, $class; }
sub total { my $self = shift; my $sum = 0; $sum += $_ for @{ $self->{lines} }; return $sum; }
sub send_to { my ($self, $who) = @_; croak "part $i has nobody to go to" unless defined $who; return "sent to $who"; }
1;
]]

local T = [[
use strict;
use warnings;
use Test::More tests => 60;
use Report::Part$i;

for my $n (1 .. 58) {
    my $report = Report::Part$i->new(lines => [ (2) x $n ], name => "errors of part $i");
    is($report->total, $n * 2, "the total of $n lines is right, no errors");
}
my $report = Report::Part$i->new(lines => [ 1, 2 ], name => "part $i", tags => { $tags });
is_deeply({ %$report }, { lines => [ 1, 2 ], name => "part $i", errors => [], tags => { paid => 0, sent => 0 } },
    "the report of part $i is whole");
like($report->send_to($to), qr/^sent to /, "it can be sent");
]]

local function perl(dir, deep, dies)
  for i = 1, 12 do
    local values = {
      i = i,
      tags = i == deep and "paid => 1, sent => 0" or "paid => 0, sent => 0",
      to = i == dies and "undef" or '"us"',
    }
    dir:write(fill("lib/Report/Part$i.pm", values), fill(PM, values))
    dir:write(("t/%02d-part.t"):format(i), fill(T, values))
  end
end

local SCRIPT = [[
use strict;
use warnings;
$| = 1;

package Ledger;
use Carp qw(confess);
sub new { bless { rates => { EUR => 1, USD => 1.1 } }, shift }
sub rate {
    my ($self, $currency) = @_;
    return $self->{rates}{$currency} // confess "no rate for $currency";
}
sub book { my ($self, $n, $currency) = @_; return $n * $self->rate($currency); }

package main;
my $ledger = Ledger->new;
for my $n (1 .. 1500) {
    printf "entry %d is booked with %.2f, 0 errors\n", $n, $ledger->book($n, $n == 1437 ? "XAF" : "EUR");
}
]]

local CLASS = [[
<?php
declare(strict_types=1);

final class Part$i
{
    /** @param list<int> $lines */
    public function __construct(private array $lines)
    {
    }

    public function report(): array
    {
        return ['part' => $i, 'total' => array_sum($this->lines), 'errors' => [], 'state' => '$state'];
    }

    public function first(): int
    {
        return $this->lines[0];
    }
}
]]

local PHPUNIT = [=[
<?php
declare(strict_types=1);

use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/../src/Part$i.php';

final class Part$i_Test extends TestCase
{
    public static function numbers(): array
    {
        $names = array_map(fn ($n) => "with $n lines", range(1, 40));
        return array_combine($names, array_map(fn ($n) => [$n], range(1, 40)));
    }

    /** @dataProvider numbers */
    public function testErrorFreeReport(int $n): void
    {
        $part = new Part$i(array_fill(0, $n, 2));
        $paid = $n === 17 ? 'open' : $part->report()['state'];
        $want = ['part' => $i, 'total' => 2 * $n, 'errors' => [], 'state' => $paid];
        $this->assertSame($want, $part->report());
    }

    public function testFirst(): void
    {
        $this->assertSame(2, (new Part$i($first))->first());
    }
}
]=]

local function phpunit(dir, paid, empty)
  for i = 1, 12 do
    local values = { i = i, state = i == paid and "paid" or "open", first = i == empty and "[]" or "[2]" }
    values.i_Test = i .. "Test"
    dir:write(fill("src/Part$i.php", values), fill(CLASS, values))
    dir:write(fill("tests/Part$i_Test.php", values), fill(PHPUNIT, values))
  end
end

local QUEUE = [[
<?php
declare(strict_types=1);
ini_set('display_errors', 'stdout');
ini_set('log_errors', '0');

final class Mailer
{
    private array $hosts = ['eu' => 'mx1', 'us' => 'mx2'];

    public function host(string $region): string
    {
        return $this->hosts[$region] ?? throw new OutOfBoundsException("no host for region $region");
    }

    public function send(int $id, string $region): string
    {
        try {
            return "mail $id goes over " . $this->host($region) . ", 0 errors";
        } catch (OutOfBoundsException $missing) {
            throw new RuntimeException("mail $id cannot be sent", 7, $missing);
        }
    }
}

$mailer = new Mailer();
foreach (range(1, 1700) as $id) {
    echo $mailer->send($id, $id === 1601 ? 'ap' : 'eu'), "\n";
}
]]

return {
  {
    name = "perl-test-more",
    language = "Perl",
    tool = "prove",
    tools = { "prove", "perl" },
    family = "perl-test",
    ci = "github",
    write = function(dir)
      perl(dir, 7, 0)
    end,
    command = "prove --verbose --nocolor --merge -Ilib t",
    exits = 1,
    block = { { from = "not ok 59 - the report of part 7 is whole", to = "$expected->{tags}{paid}" } },
  },
  {
    name = "perl-prove-dies",
    language = "Perl",
    tool = "prove",
    tools = { "prove", "perl" },
    family = "perl-test",
    ci = "gitlab",
    write = function(dir)
      perl(dir, 4, 9)
    end,
    command = "perl -Ilib -e 'for (1 .. 700) { print \"loading fixture $_ of 700, 0 errors, 2 kB\\n\" }'\n"
      .. "prove --nocolor -Ilib t",
    exits = 1,
    block = {
      { from = "#   Failed test 'the report of part 4 is whole'", to = "^# +%$expected", like = true },
      { from = "part 9 has nobody to go to at t/09%-part%.t", to = "^# Looks like your test exited", like = true },
    },
  },
  {
    name = "perl-confess",
    language = "Perl",
    tool = "perl",
    tools = { "perl" },
    family = "perl-run",
    ci = "travis",
    write = function(dir)
      dir:write("book.pl", SCRIPT)
    end,
    command = "perl book.pl",
    block = { { from = "no rate for XAF at book.pl line 10", to = "Ledger::book(" } },
  },
  {
    name = "perl-compile",
    language = "Perl",
    tool = "perl",
    tools = { "perl" },
    family = "perl-run",
    ci = "jenkins",
    write = function(dir)
      for i = 1, 300 do
        dir:write(
          ("lib/Errors/Part%03d.pm"):format(i),
          fill(
            "package Errors::Part$i;\nuse strict;\nuse warnings;\n\n"
              .. "sub failed {\n    my ($lines) = @_;\n    my $failed = grep { $_ < 0 } @$lines;\n    return $$fail;\n"
              .. "}\n1;\n",
            { i = i, fail = i == 211 and "fialed + $totl" or "failed" }
          )
        )
      end
    end,
    command = 'for f in lib/Errors/*.pm; do echo "checking the syntax, names and prototypes of $f"; perl -c $f || '
      .. "bad=1; done; exit $bad",
    exits = 1,
    block = { { from = 'Global symbol "$fialed"', to = "lib/Errors/Part211.pm had compilation errors." } },
  },
  {
    name = "phpunit-testdox",
    language = "PHP",
    tool = "phpunit",
    tools = { "phpunit", "php" },
    family = "php-test",
    ci = "github",
    write = function(dir)
      phpunit(dir, 8, 3)
    end,
    command = "phpunit --colors=never --do-not-cache-result --debug tests",
    exits = 2,
    block = {
      { from = "1) Part3Test::testFirst", to = "/tests/Part3Test.php:27" },
      { from = '1) Part8Test::testErrorFreeReport with data set "with 17 lines"', to = "/tests/Part8Test.php:22" },
    },
  },
  {
    name = "phpunit-dots",
    language = "PHP",
    tool = "phpunit",
    tools = { "phpunit", "php" },
    family = "php-test",
    ci = "gitlab",
    write = function(dir)
      phpunit(dir, 5, 0)
    end,
    command = "seq -f 'migrating table report_%g: up, 3 columns, 0 errors' 1 800\n"
      .. "phpunit --colors=never --do-not-cache-result tests",
    exits = 1,
    block = {
      { from = '1) Part5Test::testErrorFreeReport with data set "with 17 lines"', to = "/tests/Part5Test.php:22" },
    },
  },
  {
    name = "php-uncaught",
    language = "PHP",
    tool = "php",
    tools = { "php" },
    family = "php-run",
    ci = "travis",
    write = function(dir)
      dir:write("send.php", QUEUE)
    end,
    command = "php send.php",
    exits = 255,
    block = {
      { from = "Fatal error: Uncaught OutOfBoundsException", to = "thrown in .*send.php on line", like = true },
    },
  },
  {
    name = "php-lint",
    language = "PHP",
    tool = "php",
    tools = { "php" },
    family = "php-run",
    ci = "jenkins",
    write = function(dir)
      phpunit(dir, 0, 0)
      for i = 1, 420 do
        dir:write(
          ("src/errors/Error%d.php"):format(i),
          fill(
            "<?php\nfunction error$i(array $lines): int\n{\n" .. "    return count($lines)$sep\n}\n",
            { i = i, sep = i == 333 and "" or ";" }
          )
        )
      end
    end,
    command = 'for i in $(seq 1 420); do echo "file $i of 420: src/errors/Error$i.php"; php -d display_errors=1 -l '
      .. "src/errors/Error$i.php || bad=1; done; exit $bad",
    exits = 1,
    block = { { from = "PHP Parse error: ", to = "Errors parsing src/errors/Error333.php" } },
  },
  {
    name = "composer-resolve",
    language = "PHP",
    tool = "composer",
    tools = { "composer", "php" },
    family = "php-package",
    ci = "github",
    write = function(dir)
      dir:write(
        "composer.json",
        '{ "name": "our/shop", "repositories": [ { "packagist.org": false }'
          .. each(9, function(i)
            return fill(', { "type": "path", "url": "part$i" }', { i = i })
          end)
          .. ' ], "require": { "our/part1": "*", "our/part6": "*", "php": ">=8.0" }, "minimum-stability": "dev" }\n'
      )
      for i = 1, 9 do
        dir:write(
          fill("part$i/composer.json", { i = i }),
          fill(
            '{ "name": "our/part$i", "version": "1.$i.0", "require": { "our/part$next": "$want" } }\n',
            { i = i, next = i % 9 + 1, want = i == 6 and "^2.0" or "^1.0" }
          )
        )
      end
    end,
    command = "COMPOSER_ALLOW_SUPERUSER=1 COMPOSER_DISABLE_NETWORK=1 COMPOSER_HOME=$PWD/home composer update "
      .. "--no-ansi --no-progress -vvv",
    exits = 2,
    block = { { from = "Your requirements could not be resolved", to = "but it does not match the constraint" } },
  },
  {
    name = "phpcs-report",
    language = "PHP",
    tool = "phpcs",
    tools = { "phpcs", "php" },
    family = "php-lint",
    ci = "gitlab",
    write = function(dir)
      for i = 1, 260 do
        dir:write(
          ("src/Error%d.php"):format(i),
          fill(
            "<?php\n\nfunction error$i(array $lines): int\n{\n" .. "$body    return count($lines);\n}\n",
            { i = i, body = i == 201 and "\tif( $lines==[] ) {\n\t\treturn 0; }\n" or "" }
          )
        )
      end
    end,
    command = "phpcs --standard=PSR12 -v --no-colors src",
    block = { { from = "^FILE: .*Error201", to = "^PHPCBF CAN FIX", like = true } },
  },
}
