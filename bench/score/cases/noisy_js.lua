--- JavaScript's failures amid what looks like one: errors that tests log on purpose, warnings by the hundred, retries.

local text = require "score.text"
local each, fill = text.each, text.fill

local CLIENT = [[
class Client {
  constructor(answers) { this.answers = answers; this.tries = 0; }

  async get(path) {
    for (const answer of this.answers) {
      this.tries++;
      try {
        if (answer >= 500) throw new Error(`GET ${path} failed with status ${answer}`);
        const body = { part: $i, lines: ['a', 'b', 'c'], closed: $closed };
        return { path, status: answer, tries: this.tries, body };
      } catch (error) {
        $log
      }
    }
    throw new Error(`gave up on ${path} after ${this.tries} tries`);
  }
}

module.exports = { Client };
]]

local SUITE = [[
const assert = require('node:assert');
const { Client } = require('../src/client$i.js');

describe('client $i', () => {
  for (let n = 1; n <= $n; n++) {
    it(`gets document ${n} though the first try fails with an error`, async () => {
      const answer = await new Client([503, 200]).get(`/part/$i/${n}`);
      const body = { part: $i, lines: ['a', 'b', 'c'], closed: n === 9 ? false : answer.body.closed };
      $equal(answer, { path: `/part/$i/${n}`, status: 200, tries: 2, body });
    });
  }

  it('fails when every try fails', async () => {
    await $rejects
  });
});
]]

--- Ten clients whose tests log the errors they provoke; those of `open` fail one test.
local function clients(dir, suite, ending, open, values)
  for i = 1, 10 do
    values.i, values.closed = i, open[i] and "true" or "false"
    dir:write(fill("src/client$i.js", { i = i }), fill(CLIENT, values))
    dir:write(fill("test/client$i$e", { i = i, e = ending }), fill(suite, values))
  end
end

local MOCHA = {
  n = 30,
  equal = "assert.deepStrictEqual",
  log = "console.log(`[error] ${error.message}, trying again`);",
  rejects = "assert.rejects(new Client([500, 503]).get('/none'), /gave up/);",
}
local JEST = {
  n = 12,
  log = "console.error(error);",
  rejects = "expect(new Client([500, 503]).get('/none')).rejects.toThrow('gave up');",
}
local EXPECT = (SUITE:gsub("%$equal%(answer, (.-)%);\n", "expect(answer).toEqual(%1);\n"))

local TYPED = [[
import { Part } from './part';

export function report$i(part: Part, names: string[]): { title: string; errors: number } {
  const title = names.map(name => name.trim()).join(', ');
  return { title, errors: part.errors };
}
]]

local RENAMED = [[

export function total$i(parts: Part[]): string {
  const failed = parts.filter(part => part.failed > 0);
  return failed.map(part => part.titel).join('\n') + parts.lenght;
}
]]

local function typed(dir)
  dir:write(
    "tsconfig.json",
    '{ "compilerOptions": { "strict": true, "noEmit": true, "target": "es2020", "types": ' .. "[] } }\n"
  )
  dir:write("src/part.ts", "export interface Part { errors: number; failed: number; title: string }\n")
  for i = 1, 280 do
    dir:write(fill("src/report$i.ts", { i = i }), fill(TYPED .. (i % 50 == 7 and RENAMED or ""), { i = i }))
  end
end

local LINTED = [[
'use strict';

function handleError(error, unused) {
  var message = error.message;
  if (message == null) return 'failed without a message';
  return message;
}

module.exports = { handleError };
]]

local MODULE = "import { failed$next, missing$i } from './part_$next.js';\n"
  .. "export const failed$i = failed$next, error$i = $call;\nexport const errors$i = { error$i };\n"

return {
  {
    name = "jest-console-error",
    language = "JavaScript",
    tool = "jest",
    tools = { "jest", "node" },
    family = "js-test",
    ci = "github",
    write = function(dir)
      dir:write("package.json", '{ "name": "shop", "version": "1.0.0" }\n')
      clients(dir, EXPECT, ".test.js", { [6] = true }, JEST)
    end,
    command = "jest --verbose --runInBand --no-cache --ci --no-color",
    exits = 1,
    block = { { from = "● client 6 › gets document 9", to = "test/client6.test.js:" } },
  },
  {
    name = "mocha-retries",
    language = "JavaScript",
    tool = "mocha",
    tools = { "mocha", "node" },
    family = "js-test",
    ci = "gitlab",
    write = function(dir)
      clients(dir, SUITE, ".spec.js", { [2] = true, [5] = true, [9] = true }, MOCHA)
    end,
    command = "mocha --reporter spec test",
    exits = 3,
    block = {
      { from = "1) client 2", to = "at process.processTicksAndRejections" },
      { from = "2) client 5", to = "at process.processTicksAndRejections" },
      { from = "3) client 9", to = "at process.processTicksAndRejections" },
    },
  },
  {
    name = "tsc-cascade",
    language = "TypeScript",
    tool = "tsc",
    tools = { "tsc" },
    family = "js-compile",
    ci = "jenkins",
    write = typed,
    command = "tsc --listFilesOnly; tsc --pretty false",
    block = { { from = "src/report107.ts(10,34)", to = "src/report7.ts(10,60)" } },
  },
  {
    name = "eslint-warnings",
    language = "JavaScript",
    tool = "eslint",
    tools = { "eslint" },
    family = "js-lint",
    ci = "travis",
    write = function(dir)
      for i = 1, 120 do
        dir:write(
          ("src/error_part_%03d.js"):format(i),
          i == 71 and LINTED:gsub("return message;\n", "return mesage;\n") or LINTED
        )
      end
      dir:write(
        ".eslintrc.json",
        '{ "root": true, "parserOptions": { "ecmaVersion": 2022 }, "env": { "node": true },\n'
          .. '  "rules": { "no-undef": 2, "no-unused-vars": 1, "no-var": 1, "eqeqeq": 1, "strict": 0 } }\n'
      )
    end,
    command = "ESLINT_USE_FLAT_CONFIG=false eslint --no-color src",
    exits = 1,
    block = { { from = "/src/error_part_071.js", to = "'mesage' is not defined" } },
  },
  {
    name = "webpack-warnings",
    language = "JavaScript",
    tool = "webpack",
    tools = { "webpack" },
    family = "js-compile",
    ci = "gitlab",
    write = function(dir)
      dir:write("package.json", '{ "name": "shop", "version": "1.0.0" }\n')
      for i = 1, 150 do
        dir:write(
          ("src/part_%d.js"):format(i),
          fill(MODULE, {
            i = i,
            next = i % 150 + 1,
            call = i == 88 and "retries(1" or "missing" .. i,
          })
        )
      end
      dir:write(
        "src/index.js",
        each(150, function(i)
          return fill("import { errors$i } from './part_$i.js';\nconsole.log(errors$i);\n", { i = i })
        end)
      )
    end,
    command = "webpack --mode development --devtool false --no-color --stats normal",
    exits = 1,
    block = { { from = "ERROR in ./src/part_88.js", to = " @ ./src/index.js" } },
  },
  {
    name = "node-retries",
    language = "JavaScript",
    tool = "node",
    tools = { "node" },
    family = "js-run",
    ci = "jenkins",
    write = function(dir)
      dir:write("src/client1.js", fill(CLIENT, { i = 1, closed = "false", log = "console.error(error.stack);" }))
      dir:write(
        "run.js",
        [[
const { Client } = require('./src/client1.js');

async function main() {
  for (let n = 1; n <= 330; n++) {
    const answer = await new Client(n === 297 ? [503, 502, 500] : n % 3 ? [200] : [503, 200]).get(`/part/${n}`);
    console.log(`document ${n} is there after ${answer.tries} tries`);
  }
}

main().catch(error => {
  console.error(new Error('the import has failed', { cause: error }));
  process.exitCode = 1;
});
]]
      )
    end,
    command = "node run.js",
    exits = 1,
    block = { { from = "Error: the import has failed", to = "at main (" } },
  },
}
