--- Elixir and Erlang: ExUnit, mix compile, eunit, erlc, crash reports.

local text = require "score.text"
local fill = text.fill

local PART = [[
defmodule Shop.Part$i do
  @moduledoc "Errors of part $i."

  def report(lines) do
    %{part: $i, total: Enum.sum(lines), errors: [], state: $state}
  end

  def first([line | _]), do: line
end
]]

local TEST = [[
defmodule Shop.Part$i_Test do
  use ExUnit.Case

  for n <- 1..40 do
    test "the report of #{n} lines has no error" do
      state = if unquote(n) == 17, do: :open, else: Shop.Part$i.report([1]).state
      lines = List.duplicate(2, unquote(n))
      assert Shop.Part$i.report(lines) == %{part: $i, total: 2 * unquote(n), errors: [], state: state}
    end
  end

  test "the first line is found" do
    assert Shop.Part$i.first($first) == 2
  end
end
]]

local MIX = [=[
defmodule Shop.MixProject do
  use Mix.Project
  def project, do: [app: :shop, version: "1.0.0", deps: []]
end
]=]

local function shop(dir, n, paid, empty)
  dir:write("mix.exs", MIX)
  dir:write("test/test_helper.exs", "ExUnit.start(seed: 0, max_cases: 1)\n")
  for i = 1, n do
    local state, first = i == paid and ":paid" or ":open", i == empty and "[]" or "[2]"
    local values = { i = i, i_Test = i .. "Test", state = state, first = first }
    dir:write(fill("lib/part$i.ex", values), fill(PART, values))
    dir:write(fill("test/part$i_test.exs", { i_test = i .. "_test" }), fill(TEST, values))
  end
end

local SERVER = [[
defmodule Mailer do
  use GenServer
  def init(hosts), do: {:ok, hosts}

  def handle_call({:send, id, region}, _from, hosts) do
    {:reply, "mail #{id} goes over #{Map.fetch!(hosts, region)}, 0 errors", hosts}
  end
end

{:ok, mailer} = GenServer.start(Mailer, %{eu: "mx1", us: "mx2"})
for id <- 1..1500 do
  IO.puts(GenServer.call(mailer, {:send, id, if(id == 1422, do: :ap, else: :eu)}))
end
]]

local ERL = [[
-module(part$i).
-include_lib("eunit/include/eunit.hrl").
-export([report/1, first/1]).

report(Lines) -> #{part => $i, total => lists:sum(Lines), errors => [], state => $state}.

first([Line | _]) -> $line.

report_test_() ->
    [{lists:flatten(io_lib:format("report of ~p lines without an error", [N])),
      ?_assertEqual(#{part => $i, total => 2 * N, errors => [], state => open}, report(lists:duplicate(N, 2)))}
     || N <- lists:seq($from, 40)].

first_test() -> ?assertEqual(2, first($first)).
]]

local function erlang(dir, paid, empty, typo)
  for i = 1, 12 do
    dir:write(
      fill("part$i.erl", { i = i }),
      fill(ERL, {
        i = i,
        state = i == paid and "paid" or "open",
        from = i == paid and 40 or 1,
        first = i == empty and "[]" or "[2]",
        line = i == typo and "Lin" or "Line",
      })
    )
  end
end

local EUNIT = "/usr/lib/erlang/lib/eunit-*/include/eunit.hrl"

local CHECKED = 'for i in $(seq 1 700); do echo "checked document $i of 700: 0 errors, 3 links"; done\n'

return {
  {
    name = "exunit-trace",
    language = "Elixir",
    tool = "ExUnit",
    tools = { "mix" },
    family = "beam-test",
    ci = "github",
    write = function(dir)
      shop(dir, 12, 8, 8)
    end,
    command = "HOME=$PWD mix test --trace --no-color",
    block = {
      { from = "1) test the report of 17 lines has no error (Shop.Part8Test)", to = "test/part8_test.exs:8: (test)" },
      { from = "2) test the first line is found (Shop.Part8Test)", to = "test/part8_test.exs:13: (test)" },
    },
  },
  {
    name = "exunit-dots",
    language = "Elixir",
    tool = "ExUnit",
    tools = { "mix" },
    family = "beam-test",
    ci = "gitlab",
    write = function(dir)
      shop(dir, 12, 8, 0)
    end,
    command = CHECKED .. "HOME=$PWD mix test --color",
    block = {
      { from = "1) test the report of 17 lines has no error (Shop.Part8Test)", to = "test/part8_test.exs:8: (test)" },
    },
  },
  {
    name = "mix-compile",
    language = "Elixir",
    tool = "mix",
    tools = { "mix" },
    family = "beam-compile",
    ci = "travis",
    write = function(dir)
      shop(dir, 60, 0, 0)
      dir:write(
        "lib/total.ex",
        "defmodule Shop.Total do\n  def all(lines) do\n    Enum.sum(lines) + totl(lines, 2)\n" .. "  end\nend\n"
      )
      dir:write("lib/part99.ex", "defmodule Shop.Part99 do\n  def unused(line), do: 1\nend\n")
    end,
    command = CHECKED .. "HOME=$PWD mix compile --force --verbose --no-color",
    block = {
      { from = "== Compilation error in file lib/total.ex ==", to = "lib/total.ex:3: undefined function totl/2" },
    },
  },
  {
    name = "elixir-genserver",
    language = "Elixir",
    tool = "elixir",
    tools = { "elixir" },
    family = "beam-run",
    ci = "jenkins",
    write = function(dir)
      dir:write("mail.exs", SERVER)
    end,
    command = "elixir mail.exs",
    block = { { from = "GenServer #PID<", to = "mail.exs:11: (file)", pick = "first" } },
  },
  {
    name = "eunit-verbose",
    language = "Erlang",
    tool = "eunit",
    tools = { "erlc", "erl", EUNIT },
    family = "beam-test",
    ci = "gitlab",
    write = function(dir)
      erlang(dir, 8, 3)
    end,
    command = 'erlc *.erl && erl -noshell -eval \'R = [eunit:test(list_to_atom("part" ++ integer_to_list(I)), '
      .. "[verbose]) "
      .. "|| I <- lists:seq(1, 12)], halt(length([E || E <- R, E =/= ok])).'",
    exits = 2,
    block = {
      { from = "part3: first_test...*failed*", to = "output:<<" },
      { from = "(report of 40 lines without an error)...*failed*", to = "output:<<" },
    },
  },
  {
    name = "erlang-crash",
    language = "Erlang",
    tool = "erl",
    tools = { "escript" },
    family = "beam-run",
    ci = "github",
    write = function(dir)
      dir:write(
        "book.escript",
        [[
#!/usr/bin/env escript
rate(Currency) -> maps:get(Currency, #{eur => 1.0, usd => 1.1}).

book(N) when N =:= 1377 -> N * rate(xaf);
book(N) -> N * rate(eur).

main(_) ->
    lists:foreach(fun(N) -> io:format("entry ~p is booked with ~p, 0 errors~n", [N, book(N)]) end, lists:seq(1, 1500)).
]]
      )
    end,
    command = "escript book.escript",
    exits = 127,
    block = { { from = "escript: exception error", to = "*** argument 1: not present in map" } },
  },
  {
    name = "erlc-unbound",
    language = "Erlang",
    tool = "erlc",
    tools = { "erlc", EUNIT },
    family = "beam-compile",
    ci = "travis",
    write = function(dir)
      erlang(dir, 0, 0, 9)
    end,
    command = CHECKED
      .. 'for i in $(seq 1 12); do echo "erlc +debug_info part$i.erl"; erlc +debug_info part$i.erl '
      .. "|| exit 1; done",
    exits = 1,
    block = { { from = "part9.erl:7:22: variable", to = "|                      ^" } },
  },
}
