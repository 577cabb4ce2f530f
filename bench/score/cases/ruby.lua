--- Ruby: rspec, minitest, test-unit, bundler, rubocop, the interpreter.

local text = require "score.text"
local each, fill = text.each, text.fill

local MODELS = {
  "account",
  "basket",
  "catalog",
  "customer",
  "invoice",
  "order",
  "parcel",
  "receipt",
  "shelf",
  "supplier",
}

local MODEL = [[
require "json"

class $class
  attr_reader :lines, :errors

  def initialize(lines)
    @lines, @errors = lines, []
  end

  def to_h
    { kind: "$name", lines: @lines.size, total: @lines.sum { |l| l[:price] * l[:count] }, state: $state }
  end

  def ship!(address)
    raise ArgumentError, "$name of #{@lines.size} lines has no address" if address.nil?
    errors.empty?
  end
end
]]

local RSPEC = [[
require_relative "../lib/$name"

RSpec.describe $class do
  (1..40).each do |i|
    context "with #{i} lines" do
      subject { described_class.new([{ price: i, count: 2 }] * i) }

      it "is added up without an error" do
        state = i == 31 && "$name" == "order" ? "paid" : "open"
        expect(subject.to_h).to eq(kind: "$name", lines: i, total: i * i * 2, state: state)
      end

      it "ships to an address" do
        expect(subject.ship!("$name" == "shelf" && i == 7 ? nil : "1 High Street")).to be true
      end
    end
  end
end
]]

local MINITEST = [[
require "minitest/autorun"
require_relative "../lib/$name"

class $class_Test < Minitest::Test
  (1..60).each do |i|
    define_method("test_error_free_total_of_#{i}_lines") do
      basket = $class.new([{ price: i, count: 2 }] * i)
      state = i == 31 && "$name" == "order" ? "paid" : "open"
      assert_equal({ kind: "$name", lines: i, total: i * i * 2, state: state }, basket.to_h)
      assert basket.ship!("$name" == "shelf" && i == 7 ? nil : "1 High Street")
    end
  end
end
]]

local TEST_UNIT = MINITEST:gsub("minitest/autorun", "test/unit"):gsub("Minitest::Test", "Test::Unit::TestCase")

local function models(dir, test, place)
  for _, name in ipairs(MODELS) do
    local class = name:sub(1, 1):upper() .. name:sub(2)
    local values = { name = name, class = class, class_Test = class .. "Test", state = '"open"' }
    dir:write("lib/" .. name .. ".rb", fill(MODEL, values))
    dir:write(place:format(name), fill(test, values))
  end
end

local IMPORT = [[
require "json"

module Import
  class Row
    def initialize(fields) = @fields = fields

    def price
      @fields.fetch("price").then { |text| Integer(text) }
    end
  end

  def self.read(path)
    File.foreach(path).with_index(1) do |line, number|
      row = Row.new(JSON.parse(line))
      puts "row #{number}: price #{row.price}, 0 errors"
    end
  end
end

$stdout.sync = true
Import.read("prices.json")
]]

local OFFENCE = [[


  def total(lines)
    sum = lines.sum
    return lines.sum() + 1.0
  end]]

local function offences(dir)
  for i = 1, 400 do
    dir:write(
      ("app/models/part_%03d.rb"):format(i),
      fill(
        [[
# frozen_string_literal: true

# Part $i of the error report.
class Part$i
  def errors
    @errors ||= []
  end$junk
end
]],
        { i = i, junk = i == 241 and OFFENCE or "" }
      )
    )
  end
end

return {
  {
    name = "rspec-documentation",
    language = "Ruby",
    tool = "rspec",
    tools = { "rspec", "ruby" },
    family = "ruby-test",
    ci = "github",
    write = function(dir)
      models(dir, RSPEC, "spec/%s_spec.rb")
    end,
    command = "rspec --format documentation --no-color --order defined",
    exits = 1,
    block = {
      { from = "  1) Order with 31 lines is added up", to = "# ./spec/order_spec.rb:" },
      { from = "  2) Shelf with 7 lines ships", to = "# ./spec/shelf_spec.rb:" },
    },
  },
  {
    name = "rspec-progress",
    language = "Ruby",
    tool = "rspec",
    tools = { "rspec", "ruby" },
    family = "ruby-test",
    ci = "gitlab",
    write = function(dir)
      models(
        dir,
        (RSPEC:gsub(
          "subject { desc",
          'before { puts "[debug] fixture #{i} of $name loaded, 0 errors, in 3 ' .. 'ms" }\n' .. "      subject { desc"
        )):gsub("shelf", "none"),
        "spec/%s_spec.rb"
      )
    end,
    command = "rspec --no-color --order defined",
    exits = 1,
    block = { { from = "  1) Order with 31 lines is added up", to = "# ./spec/order_spec.rb:" } },
  },
  {
    name = "minitest-verbose",
    language = "Ruby",
    tool = "minitest",
    tools = { "ruby" },
    family = "ruby-test",
    ci = "travis",
    write = function(dir)
      models(dir, MINITEST, "test/%s_test.rb")
    end,
    command = [[ruby -e 'Dir["./test/*_test.rb"].sort.each { |f| require f }' -- --verbose --seed 7]],
    exits = 1,
    block = {
      { from = "OrderTest#test_error_free_total_of_31_lines %[", to = "^%+{:kind", like = true },
      { from = "ShelfTest#test_error_free_total_of_7_lines:", to = "test/shelf_test.rb:10:in" },
    },
  },
  {
    name = "test-unit",
    language = "Ruby",
    tool = "test-unit",
    tools = { "ruby" },
    family = "ruby-test",
    ci = "jenkins",
    write = function(dir)
      models(dir, TEST_UNIT, "test/%s_test.rb")
    end,
    command = [[ruby -e 'Dir["./test/*_test.rb"].sort.each { |f| require f }' -- --verbose=verbose --no-use-color]],
    exits = 1,
    block = {
      { from = "Failure: test_error_free_total_of_31_lines%(OrderTest%)", to = "^%? +%+ %?%?%?", like = true },
      { from = "Error: test_error_free_total_of_7_lines(ShelfTest)", to = "test/shelf_test.rb:10:in" },
    },
  },
  {
    name = "ruby-uncaught",
    language = "Ruby",
    tool = "ruby",
    tools = { "ruby" },
    family = "ruby-run",
    ci = "github",
    write = function(dir)
      dir:write("import.rb", IMPORT)
      dir:write(
        "prices.json",
        each(2000, function(i)
          return ('{"price": %s}\n'):format(i == 1873 and '"12,50"' or i)
        end)
      )
    end,
    command = "ruby import.rb",
    exits = 1,
    block = { { from = "invalid value for Integer", to = "from import.rb:21:in `<main>'" } },
  },
  {
    name = "bundler-conflict",
    language = "Ruby",
    tool = "bundler",
    tools = { "bundle", "ruby" },
    family = "ruby-package",
    ci = "gitlab",
    write = function(dir)
      dir:write(
        "Gemfile",
        each(9, function(i)
          return fill("gem 'part_$i', path: 'part_$i'\n", { i = i })
        end)
      )
      for i = 1, 9 do
        dir:write(
          fill("part_$i/part_$i.gemspec", { i = i }),
          fill(
            [[
Gem::Specification.new do |s|
  s.name, s.version, s.summary, s.authors = "part_$i", "1.$i.0", "A part", ["Ours"]
  s.add_dependency "part_$next", "$want"
end
]],
            { i = i, next = i % 9 + 1, want = i == 6 and "~> 2.0" or ">= 1.0" }
          )
        )
      end
    end,
    command = "seq -f 'Fetching part_%g and its 3 files from the folder beside it, no errors' 1 700\n"
      .. "bundle install --local",
    block = { { from = "ould not find compatible versions", to = "* part_7-1.7.0" } },
  },
  {
    name = "rubocop-offences",
    language = "Ruby",
    tool = "rubocop",
    tools = { "rubocop", "ruby" },
    family = "ruby-lint",
    ci = "travis",
    write = offences,
    command = "rubocop --no-color --cache false --debug app",
    exits = 1,
    block = { { from = "app/models/part_241%.rb:10:5: W:", to = "^ +%^%^$", like = true } },
  },
  {
    name = "ruby-syntax",
    language = "Ruby",
    tool = "ruby",
    tools = { "ruby" },
    family = "ruby-run",
    ci = "jenkins",
    write = function(dir)
      for i = 1, 300 do
        dir:write(
          ("lib/errors/part_%03d.rb"):format(i),
          fill(
            [[
module Errors
  class Part$i < StandardError
    def initialize(code) = super("part $i failed with #{code}")
    def to_h$open { code: 1, part: $i }
    end
  end
end
]],
            { i = i, open = i == 207 and " =" or ";" }
          )
        )
      end
    end,
    command = 'for f in lib/errors/*.rb; do echo "checking the syntax and the names of everything in $f"; ruby -wc '
      .. "$f || bad=1; done; exit $bad",
    exits = 1,
    block = { { from = "lib/errors/part_207.rb:5:", to = "lib/errors/part_207.rb:7: syntax error" } },
  },
}
