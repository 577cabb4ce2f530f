// Times pi's truncateTail.
//   rival.mjs MODULE SECONDS [FILE MAX_LINES MAX_BYTES]...   prints what rival.lua prints, or a dash and why not
import fs from 'node:fs'
import { pathToFileURL } from 'node:url'

const [module, seconds, ...files] = process.argv.slice(2)
const { truncateTail } = await import(pathToFileURL(module).href)

function timed(run, times) {
  const start = process.hrtime.bigint()
  for (let i = 0; i < times; i++) run()
  return Number(process.hrtime.bigint() - start) / 1e9 / times
}

/** Called before it is timed, so that the compiler has seen it: three rounds at least. */
function median(run, most) {
  let first = timed(run, 1)
  if (first > most * 2) return first
  for (let spent = first; spent < most; spent += first) first = timed(run, 1)
  const times = Math.max(1, Math.floor(Math.min(most, 0.3) / 300 / first))
  const samples = []
  for (let spent = 0; samples.length < 3 || (spent < most && samples.length < 101); ) {
    samples.push(timed(run, times))
    spent += samples.at(-1) * times
  }
  return samples.sort((a, b) => a - b)[samples.length >> 1]
}

for (let i = 0; i < files.length; i += 3) {
  const row = [i / 3 + 1, 'pi']
  try {
    const text = fs.readFileSync(files[i], 'utf8')
    const limits = { maxLines: Number(files[i + 1]), maxBytes: Number(files[i + 2]) }
    const cut = truncateTail(text, limits)
    const took = median(() => truncateTail(text, limits), Number(seconds))
    row.push(took.toFixed(12), cut.totalLines - (text.endsWith('\n') ? 1 : 0), cut.outputBytes)
  } catch (error) {
    row.push('-', error.code ?? error.message)
  }
  console.log(row.join('\t'))
}
