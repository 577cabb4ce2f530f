--- R: Rscript and testthat.

local text = require "score.text"
local each, fill = text.each, text.fill

local TESTS = [[
report <- function(n) list(part = $i, total = sum(rep(2, n)), errors = character(), state = "$state")

test_that("reports of part $i are added up", {
  for (n in 1:40) expect_equal(report(n)$total, 2 * n)
})

$more
]]

local function checks(i, bad, stop)
  local all = each(30, function(n)
    local want = (i == bad and n == 17) and "open" or "$state"
    return fill(
      'test_that("report of $n lines is $want, without an error", {\n'
        .. '  expect_identical(report($n), list(part = $i, total = $total, errors = character(), state = "$want"))\n'
        .. "})\n\n",
      { n = n, i = i, total = 2 * n, want = want }
    )
  end)
  if i ~= stop then return all end
  return all
    .. 'test_that("an empty report is made", {\n'
    .. ('  make <- function(n) if (n < 1) stop("no lines in part %d") else report(n)\n'):format(i)
    .. "  expect_length(make(0), 4)\n})\n"
end

local function suite(dir, bad, stop)
  for i = 1, 12 do
    local state = i == bad and "paid" or "open"
    local body = fill(TESTS, { i = i, more = checks(i, bad, stop), state = "$state" })
    dir:write(("tests/test-part%02d.R"):format(i), fill(body, { state = state, want = state }))
  end
end

return {
  {
    name = "testthat-location",
    language = "R",
    tool = "testthat",
    tools = { "Rscript", "/usr/lib/R/site-library/testthat" },
    family = "r-test",
    ci = "github",
    write = function(dir)
      suite(dir, 8, 5)
    end,
    command = 'Rscript -e \'testthat::test_dir("tests", reporter = "location", stop_on_failure = FALSE)\'\n'
      .. 'Rscript -e \'testthat::test_dir("tests", reporter = "check")\'',
    exits = 1,
    block = {
      { from = "── Error ('test-part05.R:", to = "4. └─make(0)" },
      { from = "── Failure ('test-part08.R:", to = "1 string mismatch" },
    },
  },
  {
    name = "testthat-progress",
    language = "R",
    tool = "testthat",
    tools = { "Rscript", "/usr/lib/R/site-library/testthat" },
    family = "r-test",
    ci = "travis",
    write = function(dir)
      suite(dir, 3, 0)
    end,
    command = 'for i in $(seq 1 700); do echo "* checking example $i of 700 ... OK, no errors"; done\n'
      .. 'Rscript -e \'testthat::test_dir("tests", reporter = "summary")\'',
    exits = 1,
    block = { { from = "── 1. Failure", to = "1 string mismatch" } },
  },
  {
    name = "rscript-stop",
    language = "R",
    tool = "Rscript",
    tools = { "Rscript" },
    family = "r-run",
    ci = "gitlab",
    write = function(dir)
      dir:write(
        "book.R",
        [=[
rates <- c(eur = 1, usd = 1.1)
rate <- function(currency) {
  if (is.na(rates[currency])) stop("no rate for ", currency)
  rates[[currency]]
}
book <- function(n) n * rate(if (n == 1455) "xaf" else "eur")
options(error = function() { traceback(2); quit(status = 1) })
for (n in 1:1600) cat("entry", n, "is booked with", book(n), "and 0 errors\n")
]=]
      )
    end,
    command = "Rscript book.R",
    exits = 1,
    block = { { from = "Error in rate(", to = "2: book(n)" } },
  },
  {
    name = "rscript-closure",
    language = "R",
    tool = "Rscript",
    tools = { "Rscript" },
    family = "r-run",
    ci = "jenkins",
    write = function(dir)
      dir:write(
        "plot.R",
        "message('Loading 3 packages')\n"
          .. "for (i in 1:1400) cat(sprintf('[%d] \"row %d is read, 4 columns\"\\n', i, i))\n"
          .. "data <- data.frame(a = 1:3)\nmodel <- lm(b ~ a, data = data)\nprint(model)\n"
      )
    end,
    command = "Rscript plot.R; code=$?; seq -f 'removing temporary file %g' 1 90; exit $code",
    exits = 1,
    block = { { from = "Error in eval(predvars", to = "Calls: lm" } },
  },
}
