// Counts tokens (o200k_base), a line for a line: each is a string of JSON. For examples/replay.lua:
//
//   lua examples/replay.lua FOLDER --count 'node bench/count.mjs DIR'     needs gpt-tokenizer in DIR/node_modules
import { createRequire } from 'node:module'
import path from 'node:path'
import readline from 'node:readline'

const { countTokens } = createRequire(path.resolve(process.argv[2]) + '/')('gpt-tokenizer/encoding/o200k_base')

for await (const line of readline.createInterface({ input: process.stdin })) {
  process.stdout.write(countTokens(JSON.parse(line), { allowedSpecial: 'all' }) + '\n')
}
