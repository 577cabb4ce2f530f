--- JavaScript's builders, linters and package tools, and what node itself says.

local text = require "score.text"
local each, fill = text.each, text.fill

local PART = [[
import { Line, Report } from './types';

export function errorsOf$i(lines: Line[]): Report {
  const failed = lines.filter(line => line.price < 0);
  return { part: $i, failed: failed.length, total: lines.length $wrong };
}
]]

local TYPES = [[
export interface Line { price: number; count: number; note?: string }
export interface Report { part: number; failed: number; total: number }
]]

local function parts(dir, n, bad, wrong)
  dir:write("src/types.ts", TYPES)
  for i = 1, n do
    dir:write(fill("src/error_part_$i.ts", { i = i }), fill(PART, { i = i, wrong = i == bad and wrong or "" }))
  end
end

--- A ring of modules, one of which asks for a module that is not there.
local function ring(dir, n, bad)
  for i = 1, n do
    local next = i == bad and "missing_part" or i % n + 1
    dir:write(
      ("src/part_%s.js"):format(i),
      fill(
        "import { next as call } from './part_$next.js';\n"
          .. "export const errors_$i = { failed: 0, part: $i };\n"
          .. "export function next() { return call; }\n",
        { i = i, next = next }
      )
    )
  end
  dir:write(
    "src/index.js",
    each(n, function(i)
      return fill("export { errors_$i } from " .. "'./part_$i.js';\n", { i = i })
    end)
  )
end

local LINTED = [[
'use strict';

function errorsOf(lines) {
  const failed = lines.filter(line => line.price < 0);
  return { part: $i, failed: failed.length };
}

$more
module.exports = { errorsOf };
]]

local LINT_FAULT = [[
function total(lines) {
  let sum = 0, unused = 1;
  for (const line of lines) sum += line.price;
  return summ;
}
]]

local QUEUE = [[
const { EventEmitter } = require('node:events');

class Queue extends EventEmitter {
  take(job) {
    if (job.id === 1911) this.fail(new Error(`job ${job.id} has no handler`, { cause: { code: 'ENOHANDLER', job } }));
    return job.id * 2;
  }
  fail(error) {
    this.emit('error', error);
  }
}

function drain(queue) {
  for (let id = 1; id <= 2200; id++) {
    console.log(`job ${id} gives ${queue.take({ id, kind: 'mail' })}, 0 errors`);
  }
}

drain(new Queue());
]]

local function package(dir, more)
  dir:write("package.json", '{ "name": "shop", "version": "1.0.0", "private": true' .. more .. " }\n")
end

local BUILD = [[
for (let i = 1; i <= 700; i++) {
  console.log(`built src/errors/part-${i}.js in ${i % 9} ms, 0 errors`);
  if (i === 655) {
    console.log('src/errors/part-655.js: the export "total" is used in 3 places and made in none');
    console.log('  used in src/cart.js, src/invoice.js, src/refund.js');
    process.exitCode = 2;
  }
}
]]

return {
  {
    name = "tsc-type",
    language = "TypeScript",
    tool = "tsc",
    tools = { "tsc" },
    family = "js-compile",
    ci = "gitlab",
    write = function(dir)
      parts(dir, 260, 133, "+ ' lines'")
      dir:write(
        "tsconfig.json",
        '{ "compilerOptions": { "strict": true, "noEmit": true, "target": "es2020", ' .. '"types": [] } }\n'
      )
    end,
    command = "tsc --listFiles --pretty; code=$?; tsc --listFilesOnly; exit $code",
    exits = 1,
    block = { { from = "src/error_part_133%.ts:5:", to = "^ +~+$", like = true } },
  },
  {
    name = "tsc-many",
    language = "TypeScript",
    tool = "tsc",
    tools = { "tsc" },
    family = "js-compile",
    ci = "travis",
    write = function(dir)
      parts(dir, 260, 0, "")
      dir:write(
        "src/shop.ts",
        [[
import { errorsOf7, errorsOff8 } from './error_part_7';
import { Line } from './types';

interface Shop { name: string; lines: Line[]; open: { from: number; to: number } }

export const shop: Shop = { name: 'corner', lines: [{ price: 1 }], open: { from: '9', to: 18 } };
export const total = errorsOf7(shop.line).totall;
]]
      )
      dir:write(
        "tsconfig.json",
        '{ "compilerOptions": { "strict": true, "noEmit": true, "target": "es2020", ' .. '"types": [] } }\n'
      )
    end,
    command = "tsc --listFilesOnly; tsc --explainFiles false --pretty false --extendedDiagnostics",
    block = {
      { from = "src/shop%.ts%(1,", to = "^src/shop%.ts%(7,%d+%): error TS%d+: Property 'totall'", like = true },
    },
  },
  {
    name = "eslint-stylish",
    language = "JavaScript",
    tool = "eslint",
    tools = { "eslint" },
    family = "js-lint",
    ci = "jenkins",
    write = function(dir)
      for i = 1, 220 do
        dir:write(("src/error_part_%03d.js"):format(i), fill(LINTED, { i = i, more = i == 151 and LINT_FAULT or "" }))
      end
      dir:write(
        ".eslintrc.json",
        '{ "root": true, "parserOptions": { "ecmaVersion": 2022 }, "env": { "node": true, '
          .. '"es6": true },\n'
          .. '  "rules": { "no-undef": 2, "no-unused-vars": 2, "prefer-const": 1 } }\n'
      )
    end,
    command = "ESLINT_USE_FLAT_CONFIG=false DEBUG=eslint:cli-engine eslint --no-color src",
    exits = 1,
    block = { { from = "^/.*/src/error_part_151%.js$", to = "'summ' is not defined", like = true } },
  },
  {
    name = "webpack-resolve",
    language = "JavaScript",
    tool = "webpack",
    tools = { "webpack" },
    family = "js-compile",
    ci = "github",
    write = function(dir)
      package(dir, "")
      ring(dir, 240, 117)
    end,
    command = "webpack --mode development --devtool false --stats verbose --no-color",
    exits = 1,
    block = { { from = "ERROR in ./src/part_117.js", to = " @ ./src/index.js" } },
  },
  {
    name = "rollup-resolve",
    language = "JavaScript",
    tool = "rollup",
    tools = { "rollup" },
    family = "js-compile",
    ci = "gitlab",
    write = function(dir)
      ring(dir, 240, 117)
    end,
    command = 'for f in src/*.js; do echo "$f: checked, 0 errors, 0 warnings"; rollup $f --silent -o /dev/null '
      .. "2>&1 | head -0; "
      .. "[ $f = src/part_2.js ] && break; done; seq -f 'src/part_%g.js: formatted, 0 errors' 1 900\n"
      .. "rollup src/index.js -f es -o dist/index.js; code=$?; seq -f 'dist/part_%g.js: not written' 1 300; exit $code",
    exits = 1,
    block = { { from = "%[!%]", to = "^  *at .*rollup", like = true } },
  },
  {
    name = "node-emitter",
    language = "JavaScript",
    tool = "node",
    tools = { "node" },
    family = "js-run",
    ci = "travis",
    write = function(dir)
      dir:write("queue.js", QUEUE)
    end,
    command = "node queue.js",
    exits = 1,
    block = { { from = "node:events:", to = "^Node%.js v", like = true } },
  },
  {
    name = "node-syntax",
    language = "JavaScript",
    tool = "node",
    tools = { "node" },
    family = "js-run",
    ci = "jenkins",
    write = function(dir)
      for i = 1, 700 do
        dir:write(
          ("lib/errors/part_%d.js"):format(i),
          fill(
            "exports.error$i = (lines) => {\n"
              .. "  const failed = lines.length $op;\n"
              .. "  return { failed, part: $i };\n};\n",
            { i = i, op = i == 512 and "=> 2 +" or "+ 2" }
          )
        )
      end
      dir:write(
        "load.js",
        "for (let i = 1; i <= 700; i++) {\n  const name = `./lib/errors/part_${i}.js`;\n"
          .. "  require(name);\n"
          .. "  console.log(`loaded ${name}, 0 warnings, ${i} of 700`);\n}\n"
      )
    end,
    command = "node load.js",
    exits = 1,
    block = { { from = "/lib/errors/part_512%.js:2$", to = "load%.js:3:3%)", like = true } },
  },
  {
    name = "npm-offline",
    language = "JavaScript",
    tool = "npm",
    tools = { "npm", "node" },
    family = "npm",
    ci = "github",
    write = function(dir)
      for i = 1, 40 do
        dir:write(
          fill("part_$i/package.json", { i = i }),
          fill(
            '{ "name": "part_$i", "version": "1.$i.0"$peer }\n',
            { i = i, peer = i == 23 and ', "peerDependencies": { "part_7": "^2.0.0" }' or "" }
          )
        )
      end
      package(dir, ', "dependencies": {' .. each(40, function(i)
        return fill(' "part_$i": "file:part_$i"$comma', { i = i, comma = i < 40 and "," or "" })
      end) .. " }")
    end,
    command = "seq -f 'packed part %g of 700: 2 files, 0 errors, 1.1 kB' 1 700\n"
      .. "npm_config_cache=$PWD/cache npm install --offline --no-audit --no-fund",
    exits = 1,
    block = { { from = "npm error code ENOTCACHED", to = "npm error request to" } },
  },
  {
    name = "npm-script",
    language = "JavaScript",
    tool = "npm",
    tools = { "npm", "node" },
    family = "npm",
    ci = "gitlab",
    write = function(dir)
      package(dir, ', "scripts": { "prebuild": "node check.js", "build": "node build.js" }')
      dir:write("check.js", "for (let i = 1; i <= 300; i++) console.log(`checked src/errors/part-${i}.js`);\n")
      dir:write("build.js", BUILD)
    end,
    command = "npm_config_cache=$PWD/cache npm run build",
    exits = 2,
    block = { { from = "src/errors/part-655.js: the export", to = "used in src/cart.js" } },
  },
  {
    name = "pnpm-recursive",
    language = "JavaScript",
    tool = "pnpm",
    tools = { "pnpm", "node" },
    family = "npm",
    ci = "travis",
    write = function(dir)
      package(dir, "")
      dir:write("pnpm-workspace.yaml", "packages:\n  - parts/*\n")
      for i = 1, 12 do
        dir:write(
          fill("parts/p$i/package.json", { i = i }),
          fill('{ "name": "part-$i", "version": "1.0.0", ' .. '"scripts": { "test": "node test.js" } }\n', { i = i })
        )
        dir:write(
          fill("parts/p$i/test.js", { i = i }),
          fill("for (let i = 1; i <= 90; i++) console.log(`test ${i} " .. "of part $i: ok, no errors`);\n$bad", {
            i = i,
            bad = i == 5
                and "require('node:assert').deepEqual({ part: 5, open: [9, 18] }, { part: 5, open: [9, " .. "17] });\n"
              or "",
          })
        )
      end
    end,
    command = "pnpm --offline --no-color -r --no-bail --workspace-concurrency=1 --reporter append-only test",
    exits = 1,
    block = { { from = "^node:assert", to = "^}$", like = true } },
  },
  {
    name = "yarn-run",
    language = "JavaScript",
    tool = "yarn",
    tools = { "yarn", "node" },
    family = "npm",
    ci = "jenkins",
    write = function(dir)
      package(dir, ', "scripts": { "build": "node build.js" }')
      dir:write("build.js", BUILD)
    end,
    command = "yarn --offline --cache-folder $PWD/cache run build",
    exits = 2,
    block = { { from = "src/errors/part-655.js: the export", to = "used in src/cart.js" } },
  },
}
