// Makes the corpus of `make bench-tokens` from what a Debian machine has, and counts its tokens (o200k_base).
//
//   node bench/tokens.mjs FOLDER     needs gpt-tokenizer in FOLDER/node_modules; writes FOLDER/samples and
//                                    FOLDER/samples.tsv: kind, "fitted" or "held", bytes, chars, tokens of each
//
// Each kind gives up to MOST samples, one a source (a file, the translations of one program, the output of one
// command). Sources are put in order by a hash of their names, so a machine always gives the same corpus; half of the
// hashes are held out of every fit of the estimate, and so are the kinds of HELD_KINDS as a whole.
import { createRequire } from 'node:module'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import fs from 'node:fs'
import path from 'node:path'

const folder = path.resolve(process.argv[2])
const { countTokens } = createRequire(folder + '/')('gpt-tokenizer/encoding/o200k_base')

const MOST = 24 // samples a kind
const SIZES = [1500, 3000, 6000, 12000] // bytes of a sample, by turns
const FILES = 20000 // files looked at below a folder

const HELD_KINDS = new Set(['diff', 'css', 'ruby', 'gas', 'dpkg status', 'nm', 'ip table', 'traceback', 'yaml'])

const hash = (name) => createHash('sha256').update(name).digest()

// ---------------------------------------------------------------- sources: {name, text()}

function* walk(dir, state = { left: FILES }) {
  let entries = []
  try {
    entries = fs.readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    /* not on this machine, or not for us */
  }
  for (const entry of entries) {
    const full = path.join(dir, entry.name)
    if (entry.isDirectory()) yield* walk(full, state)
    else if (entry.isFile() && state.left-- > 0) yield full
  }
}

function read(file) {
  const bytes = fs.readFileSync(file)
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

/** Files below folders whose path fits. */
function files(dirs, fits) {
  const found = []
  for (const dir of dirs) {
    for (const file of walk(dir)) if (fits.test(file)) found.push({ name: file, text: () => read(file) })
  }
  return found
}

/** What commands print; a command that is not there gives nothing. */
function outputs(commands) {
  return commands.map((argv) => ({
    name: argv.join(' '),
    text: () =>
      execFileSync(argv[0], argv.slice(1), {
        maxBuffer: 1 << 28,
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...process.env, LC_ALL: 'C', PAGER: 'cat' },
      }),
  }))
}

/** Texts made here: make(random) for a number of seeds. */
function made(name, make, count = MOST) {
  return Array.from({ length: count }, (_, i) => ({
    name: `${name} ${i}`,
    text: () => Buffer.from(make(generator(i + 1), i)),
  }))
}

/** Another form of each source. */
function changed(sources, how, name) {
  return sources.map((s) => ({ name: `${name} ${s.name}`, text: () => Buffer.from(how(s.text())) }))
}

// ---------------------------------------------------------------- translations

function messages(bytes) {
  const little = bytes.readUInt32LE(0) === 0x950412de
  const at = (i) => (little ? bytes.readUInt32LE(i) : bytes.readUInt32BE(i))
  const string = (table, i) => {
    const place = at(table + 8 * i + 4)
    return bytes.subarray(place, place + at(table + 8 * i))
  }
  const list = []
  for (let i = 0; i < at(8); i++) list.push([string(at(12), i), string(at(16), i)])
  const header = list.find(([id]) => id.length === 0)
  const charset = (header && /charset=([-\w]+)/.exec(header[1].toString('latin1'))?.[1]) || 'utf-8'
  const decoder = new TextDecoder(charset)
  return list.filter(([id]) => id.length > 0).map((pair) => pair.map((b) => decoder.decode(b).split('\0')[0]))
}

function catalogs(languages) {
  const found = []
  for (const language of languages) {
    found.push(...files([`/usr/share/locale/${language}/LC_MESSAGES`], /\.mo$/))
  }
  return found
}

const quoted = (s) => '"' + s.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\n') + '"'
const translated = (...languages) =>
  changed(
    catalogs(languages),
    (b) =>
      messages(b)
        .map(([, text]) => text)
        .join('\n'),
    'text',
  )
const po = (...languages) =>
  changed(
    catalogs(languages),
    (b) =>
      messages(b)
        .map(([id, text]) => `msgid ${quoted(id)}\nmsgstr ${quoted(text)}\n`)
        .join('\n'),
    'po',
  )

// ---------------------------------------------------------------- generated texts

/** Numbers from 0 up to 1, the same for the same seed. */
function generator(seed) {
  let state = seed * 2654435761
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const below = (random, n) => Math.floor(random() * n)
const choose = (random, list) => list[below(random, list.length)]
const bytes = (random, n) => Buffer.from(Array.from({ length: n }, () => below(random, 256)))
const lines = (n, line) => Array.from({ length: n }, (_, i) => line(i)).join('\n') + '\n'
const pad = (n, width = 2) => String(n).padStart(width, '0')
const hexes = (random, n) => bytes(random, n / 2).toString('hex')

const PATHS = [
  '/api/v1/users',
  '/index.html',
  '/static/js/main.3f2a.js',
  '/health',
  '/login',
  '/api/v1/orders/8812/items',
]
const AGENTS = [
  'curl/7.88.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0',
  'Googlebot/2.1 (+http://www.google.com/bot.html)',
]
const UNITS = ['sshd', 'systemd', 'kernel', 'cron', 'NetworkManager', 'dockerd', 'postgres', 'nginx']
const EVENTS = [
  'Started Session 14 of user root.',
  'connection closed by authenticating user',
  'Failed password for invalid user admin from',
  'link becomes ready',
  'checkpoint complete: wrote 41 buffers',
  'Reached target Multi-User System.',
  'request timed out, retrying',
]
const LEVELS = ['INFO', 'WARN', 'ERROR', 'DEBUG']
const WORDS = [
  'parse',
  'index',
  'buffer',
  'session',
  'token',
  'request',
  'handler',
  'timeout',
  'cache',
  'stream',
  'result',
  'value',
  'config',
  'error',
  'user',
  'path',
]

const address = (random) => Array.from({ length: 4 }, () => below(random, 256)).join('.')
const stamp = (random) =>
  `2024-${pad(1 + below(random, 12))}-${pad(1 + below(random, 28))}T${pad(below(random, 24))}:${pad(below(random, 60))}:${pad(below(random, 60))}`
const uuid = (random) => hexes(random, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
const access = (random) =>
  `${address(random)} - - [12/Mar/2024:${pad(below(random, 24))}:${pad(below(random, 60))}:07 +0000] "GET ${choose(random, PATHS)} HTTP/1.1" ${choose(random, [200, 304, 404, 500])} ${below(random, 90000)} "-" "${choose(random, AGENTS)}"`
const syslog = (random, i) =>
  `Mar ${pad(1 + (i % 28)).replace(/^0/, ' ')} ${pad(below(random, 24))}:${pad(below(random, 60))}:${pad(below(random, 60))} host${below(random, 9)} ${choose(random, UNITS)}[${below(random, 30000)}]: ${choose(random, EVENTS)} ${below(random, 2) ? address(random) : ''}`
const applog = (random) =>
  `${stamp(random)}.${pad(below(random, 1000), 3)}Z ${choose(random, LEVELS).padEnd(5)} [worker-${below(random, 16)}] com.example.${choose(random, WORDS)}.${choose(random, WORDS)}Service - ${choose(random, WORDS)} ${choose(random, WORDS)} id=${hexes(random, 16)} took ${below(random, 5000)}ms`
const jsonlog = (random) =>
  JSON.stringify({
    ts: stamp(random),
    level: choose(random, LEVELS).toLowerCase(),
    msg: `${choose(random, WORDS)} ${choose(random, WORDS)} failed`,
    user_id: below(random, 100000),
    ip: address(random),
    trace: hexes(random, 32),
    ms: Math.round(random() * 1e5) / 100,
  })
const record = (random) => ({
  id: below(random, 1e6),
  uuid: uuid(random),
  name: choose(random, WORDS) + below(random, 100),
  active: random() < 0.5,
  score: random(),
  tags: [choose(random, WORDS), choose(random, WORDS)],
  address: { ip: address(random), port: below(random, 65536) },
  created_at: stamp(random) + 'Z',
})
const test = (random, i) =>
  choose(random, [
    `test ${choose(random, WORDS)}::${choose(random, WORDS)}_${choose(random, WORDS)} ... ok`,
    `ok ${i + 1} - ${choose(random, WORDS)} ${choose(random, WORDS)}`,
    `tests/test_${choose(random, WORDS)}.py::Test${choose(random, WORDS)}::test_${choose(random, WORDS)}_${choose(random, WORDS)} PASSED  [ ${below(random, 100)}%]`,
  ])
const numbers = (random, i, separator) =>
  Array.from({ length: 3 + (i % 5) }, () =>
    i % 3 === 0
      ? (random() * 10 ** below(random, 6)).toFixed(below(random, 8))
      : String(below(random, 10 ** (1 + below(random, 8)))),
  ).join(separator)
const cells = (random) => [
  String(below(random, 10000)),
  choose(random, WORDS) + '_' + choose(random, WORDS),
  random().toFixed(3),
  stamp(random).slice(0, 10),
  choose(random, LEVELS),
]
const progress = (random, i) =>
  `\u001b[32m[${String(i % 100).padStart(3)}%]\u001b[0m ${choose(random, ['Building', 'Linking', 'Compiling'])} ${choose(random, ['C', 'CXX'])} object src/CMakeFiles/${choose(random, WORDS)}.dir/${choose(random, WORDS)}_${choose(random, WORDS)}.cc.o`
const bar = (random, i) =>
  `\r${String(i % 100).padStart(3)}% |${'█'.repeat(i % 40).padEnd(40)}| ${below(random, 500)}/500 [00:${pad(below(random, 60))}<00:${pad(below(random, 60))}, ${(random() * 90).toFixed(2)}it/s]`
const trace = (random, i) =>
  i % 6
    ? `  File "/usr/lib/python3.11/${choose(random, WORDS)}/${choose(random, WORDS)}.py", line ${below(random, 900)}, in ${choose(random, WORDS)}_${choose(random, WORDS)}\n    return self._${choose(random, WORDS)}(${choose(random, WORDS)}, **kwargs)`
    : `KeyError: '${choose(random, WORDS)}'\nTraceback (most recent call last):`
const frame = (random) =>
  `\tat com.example.${choose(random, WORDS)}.${choose(random, WORDS)[0].toUpperCase()}${choose(random, WORDS).slice(1)}Impl.${choose(random, WORDS)}(${choose(random, WORDS)}.java:${below(random, 900)})`
const minified = (b) =>
  b
    .toString('latin1')
    .replace(/\/\*[^]*?\*\/|(^|\s)\/\/.*|#.*/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([^\w ]) ?/g, '$1')

// ---------------------------------------------------------------- kinds

const DOC = ['/usr/share/doc']
const LIB = ['/usr/lib/python3.11', '/usr/lib/python3']
const NVIM = ['/usr/share/nvim/runtime']
const NPM = ['/usr/lib/node_modules', '/usr/share/nodejs', path.join(folder, 'node_modules', 'gpt-tokenizer', 'esm')]
const BINARIES = ['ls', 'sed', 'tar', 'grep', 'find', 'bash', 'make', 'gzip', 'sort', 'dpkg', 'perl', 'luajit'].map(
  (name) => `/usr/bin/${name}`,
)
const every = (command) => outputs(BINARIES.map((file) => [...command, file]))
const base64 = (b) => b.subarray(0, 9000).toString('base64').replace(/.{76}/g, '$&\n')

const KINDS = {
  c: () => files(['/usr/include/linux', '/usr/include/x86_64-linux-gnu', '/usr/share/doc'], /\.[ch]$/),
  'c++': () => files(['/usr/include/c++', '/usr/lib/llvm-14/include'], /(\.h|\.hpp|\.tcc|\/\w+)$/),
  python: () => files(LIB, /\.py$/),
  perl: () => files(['/usr/share/perl', '/usr/share/perl5', '/usr/lib/x86_64-linux-gnu/perl-base'], /\.p[lm]$/),
  lua: () => files([...NVIM, '/usr/share/lua'], /\.lua$/),
  vim: () => files(NVIM, /\.vim$/),
  shell: () =>
    files(
      ['/etc', '/usr/share/bash-completion', '/usr/share/debconf', '/var/lib/dpkg/info'],
      /(\.sh|postinst|prerm|init\.d\/\w+|completions\/[\w-]+)$/,
    ),
  javascript: () => files([...NPM, '/usr/share/doc'], /\.[mc]?js$/),
  'js minified': () => changed(files([...NPM, '/usr/share/doc'], /\.[mc]?js$/), minified, 'minified'),
  css: () => files([...DOC, '/usr/share', '/usr/lib/python3'], /\.css$/),
  html: () => files(DOC, /\.html?$/),
  xml: () =>
    files(
      [
        '/usr/share/mime',
        '/usr/share/X11',
        '/usr/share/xml',
        '/usr/share/fontconfig',
        '/usr/share/dbus-1',
        '/usr/share/gir-1.0',
        '/etc',
      ],
      /\.(xml|svg|conf|rng)$/,
    ),
  json: () => files([...NPM, '/usr/share/nvim', '/usr/lib/python3', '/usr/share/iso-codes'], /\.json$/),
  'json generated': () =>
    made('json', (r, i) =>
      JSON.stringify(
        Array.from({ length: 60 }, () => record(r)),
        null,
        i % 3 ? (i % 3) * 2 : undefined,
      ),
    ),
  'json lines': () => made('jsonl', (r) => lines(100, () => jsonlog(r))),
  yaml: () =>
    made('yaml', (r) =>
      lines(200, (i) =>
        i % 5
          ? `    ${choose(r, WORDS)}_${choose(r, WORDS)}: ${choose(r, [below(r, 9999), choose(r, WORDS), '"' + address(r) + '"', 'true'])}`
          : `  - name: ${choose(r, WORDS)}-${below(r, 99)}`,
      ),
    ),
  markdown: () => files([...NPM, ...DOC, '/usr/lib/python3'], /\.md(\.gz)?$/),
  prose: () =>
    files([...DOC, '/usr/share/common-licenses'], /(README|NEWS|FAQ|TODO|THANKS|licenses\/\w[\w.-]*)(\.txt)?(\.gz)?$/),
  help: () => files(NVIM, /\/doc\/.*\.txt$/),
  changelog: () => files(DOC, /changelog(\.Debian)?\.gz$/),
  copyright: () => files(DOC, /\/copyright$/),
  man: () =>
    files(['/usr/share/man/man1', '/usr/share/man/man3', '/usr/share/man/man5', '/usr/share/man/man8'], /\.gz$/),
  'make cmake': () =>
    files(['/usr/share', '/usr/lib/python3.11', '/usr/src'], /(Makefile|\.cmake|\.mk|\.am|\.m4|\.pc)$/),
  ruby: () => files(['/usr/lib/ruby', '/var/lib/gems', '/usr/share/ruby', '/usr/share/rubygems-integration'], /\.rb$/),
  gas: () => changed(every(['objdump', '-d', '--no-show-raw-insn']), (b) => b.subarray(20000, 60000), 'asm'),
  objdump: () => changed(every(['objdump', '-d']), (b) => b.subarray(20000, 60000), 'dump'),
  readelf: () => every(['readelf', '-aW']),
  nm: () => every(['nm', '-D']),
  strings: () => every(['strings', '-n', '6']),
  xxd: () => every(['xxd', '-s', '4096', '-l', '16000']),
  hexdump: () => [...every(['hexdump', '-C', '-n', '16000']), ...every(['od', '-A', 'd', '-t', 'x2', '-N', '8000'])],
  hex: () => made('hex', (r, i) => lines(200, () => hexes(r, [16, 32, 40, 64, 76][i % 5]))),
  sums: () => files(['/var/lib/dpkg/info'], /\.md5sums$/),
  base64: () =>
    changed(files(['/usr/bin', '/usr/share/doc', '/usr/share/man/man1'], /(\.gz|bin\/[a-z]+)$/), base64, 'base64'),
  pem: () => files(['/etc/ssl/certs', '/usr/share/ca-certificates'], /\.(crt|pem)$/),
  uuids: () => made('uuid', (r) => lines(200, () => uuid(r))),
  'random bytes': () => made('bytes', (r) => bytes(r, 12000), 12),
  binary: () => files(['/usr/bin'], /bin\/[a-z]+$/),
  'ls -l': () =>
    outputs(
      [
        '/usr/lib',
        '/usr/share',
        '/usr/include',
        '/etc',
        '/usr/bin',
        '/var',
        '/usr/share/doc',
        '/usr/lib/python3.11',
        '/usr/share/nvim',
        '/usr/share/perl',
        '/proc',
        '/dev',
        '/usr/share/zoneinfo',
        '/usr/share/i18n',
      ].map((d) => ['ls', '-lR', d]),
    ),
  paths: () => files(['/var/lib/dpkg/info'], /\.list$/),
  'dpkg -l': () =>
    outputs([
      ['dpkg', '-l'],
      ['dpkg-query', '-W'],
      ['apt-cache', 'stats'],
      ['dpkg-query', '-W', '-f', '${Package} ${Version} ${Architecture} ${Installed-Size} ${Section}\n'],
    ]),
  'dpkg status': () => files(['/var/lib/dpkg', '/var/lib/apt/lists'], /(status|available|_Packages)$/),
  'dpkg log': () => files(['/var/log'], /(dpkg\.log|history\.log|alternatives\.log|term\.log)(\.\d)?(\.gz)?$/),
  system: () =>
    outputs([
      ['ps', 'auxww'],
      ['ps', '-ef'],
      ['df', '-a'],
      ['mount'],
      ['lscpu'],
      ['cat', '/proc/cpuinfo'],
      ['cat', '/proc/meminfo'],
      ['cat', '/proc/self/maps'],
      ['cat', '/proc/interrupts'],
      ['cat', '/proc/self/mountinfo'],
      ['cat', '/proc/net/dev'],
      ['cat', '/proc/vmstat'],
      ['getconf', '-a'],
      ['locale', '-a'],
      ['cat', '/etc/services'],
      ['cat', '/etc/protocols'],
      ['cat', '/proc/kallsyms'],
      ['cat', '/proc/slabinfo'],
    ]),
  'ip table': () =>
    made('ip', (r) =>
      lines(
        150,
        () =>
          `tcp        0      0 ${address(r)}:${below(r, 65536)}    ${address(r)}:${below(r, 65536)}   ${choose(r, ['ESTABLISHED', 'TIME_WAIT', 'LISTEN'])}   ${below(r, 30000)}/${choose(r, UNITS)}`,
      ),
    ),
  'zone tables': () => files(['/usr/share/zoneinfo'], /\.(tab|zi|list)$|leap/),
  charmaps: () => files(['/usr/share/i18n/charmaps'], /\.gz$/),
  unicode: () =>
    files(['/usr/share/perl', '/usr/share/unicode', '/usr/share/i18n/locales'], /(unicore|unicode|locales)\/.*$/),
  syslog: () => made('syslog', (r) => lines(160, (i) => syslog(r, i))),
  'access log': () => made('access', (r) => lines(120, () => access(r))),
  'app log': () => made('app', (r) => lines(120, () => applog(r))),
  'test log': () => made('test', (r) => lines(300, (i) => test(r, i))),
  'build log': () => made('progress', (r) => lines(200, (i) => progress(r, i))),
  bars: () => made('bar', (r) => Array.from({ length: 120 }, (_, i) => bar(r, i)).join('')),
  traceback: () => made('trace', (r, i) => lines(150, (k) => (i % 2 ? trace(r, k) : frame(r)))),
  integers: () =>
    made('integers', (r, i) => lines(500, () => numbers(r, 1 + (i % 2) + 3 * (i % 3), choose(r, [' ', ', ', '\t'])))),
  csv: () => made('csv', (r, i) => lines(400, () => (i % 2 ? numbers(r, i, ',') : cells(r).join(',')))),
  floats: () => made('floats', (r, i) => lines(300, () => numbers(r, 3 * (i % 5), ['  ', '\t', ' '][i % 3]))),
  'padded table': () =>
    made('padded', (r) =>
      lines(200, () =>
        cells(r)
          .map((c) => c.padEnd(24))
          .join(''),
      ),
    ),
  'piped table': () =>
    made('piped', (r) =>
      lines(
        200,
        () =>
          '| ' +
          cells(r)
            .map((c) => c.padEnd(12))
            .join(' | ') +
          ' |',
      ),
    ),
  'box table': () =>
    made('box', (r) =>
      lines(150, (i) =>
        i % 2
          ? '├' + '─'.repeat(14) + '┼' + '─'.repeat(26) + '┤'
          : `│ ${choose(r, WORDS).padEnd(12)} │ ${(choose(r, WORDS) + ' ' + below(r, 999)).padEnd(24)} │`,
      ),
    ),
  tree: () =>
    outputs([
      ['find', '/usr/share/nvim'],
      ['find', '/etc'],
      ['find', '/usr/lib/python3.11'],
      ['find', '/usr/include/c++'],
      ['find', '/usr/share/zoneinfo'],
      ['find', '/usr/share/locale'],
      ['find', '/usr/share/perl'],
    ]),
  diff: () =>
    outputs([
      ['diff', '-u', '/usr/include/stdio.h', '/usr/include/stdlib.h'],
      ['diff', '-u', '/usr/include/string.h', '/usr/include/wchar.h'],
      ['diff', '/etc/services', '/etc/protocols'],
      ['diff', '-u', '/usr/include/math.h', '/usr/include/complex.h'],
      ['diff', '-u', '/usr/include/unistd.h', '/usr/include/fcntl.h'],
      ['diff', '-u', '/etc/bash.bashrc', '/etc/profile'],
      ['diff', '-ru', '/usr/include/net', '/usr/include/netinet'],
      ['diff', '-ruN', '/usr/include/arpa', '/usr/include/rpc'],
      ['diff', '-u', '/usr/lib/python3.11/ast.py', '/usr/lib/python3.11/dis.py'],
      ['diff', '-u', '/usr/lib/python3.11/json/decoder.py', '/usr/lib/python3.11/json/encoder.py'],
    ]).map((s) => ({
      name: s.name,
      text: () => {
        try {
          return s.text()
        } catch (e) {
          return e.stdout ?? Buffer.alloc(0)
        }
      },
    })),
  'ini desktop': () =>
    files(
      ['/usr/share/applications', '/usr/lib/systemd', '/etc', '/usr/share/metainfo'],
      /\.(desktop|service|conf|cfg|ini|timer|toml)$/,
    ),
  templates: () => files(['/var/lib/dpkg/info'], /\.templates$/),
  'text west': () => translated('de', 'fr', 'es', 'it', 'pt_BR', 'nl', 'sv'),
  'text east': () => translated('pl', 'cs', 'hu', 'ro', 'lt', 'fi', 'tr', 'vi'),
  'text cyrillic': () => translated('ru', 'uk', 'bg', 'sr', 'be', 'kk'),
  'text greek': () => translated('el'),
  'text arabic': () => translated('ar', 'fa'),
  'text hebrew': () => translated('he'),
  'text hi bn ta': () => translated('hi', 'bn', 'mr', 'ta', 'te', 'gu', 'kn', 'ml', 'pa', 'ne'),
  'text thai': () => translated('th'),
  'text chinese': () => translated('zh_CN', 'zh_TW'),
  'text japanese': () => translated('ja'),
  'text korean': () => translated('ko'),
  'text ka hy am': () => translated('ka', 'hy', 'am', 'km', 'my', 'si'),
  po: () => po('de', 'ru', 'ja', 'zh_CN', 'pl', 'ar', 'hi', 'ko', 'fr', 'el', 'tr', 'vi'),
}

// ---------------------------------------------------------------- samples

/** A piece of whole lines, where lines are short enough, from a place that the name decides. */
function piece(bytes, key, size) {
  if (bytes.length > size) {
    let at = key.readUInt32LE(4) % (bytes.length - size)
    const newline = bytes.indexOf(10, at)
    if (newline >= 0 && newline - at < size / 2 && bytes.length - newline > size / 2) at = newline + 1
    bytes = bytes.subarray(at, at + size)
    const last = bytes.lastIndexOf(10)
    if (last > size / 2) bytes = bytes.subarray(0, last + 1)
  }
  let start = 0
  while (start < 3 && (bytes[start] & 0xc0) === 0x80) start++
  return bytes.subarray(start)
}

function samplesOf(kind) {
  const sources = KINDS[kind]()
    .map((s) => ({ ...s, key: hash(s.name) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
  const samples = []
  for (const source of sources) {
    if (samples.length === MOST) break
    let text
    try {
      text = piece(source.text(), source.key, SIZES[samples.length % SIZES.length])
    } catch {
      continue /* a file or a program that is not there */
    }
    if (text.length < 300) continue
    const held = HELD_KINDS.has(kind) || source.key[0] % 2 === 1
    samples.push({ kind, held, text, tokens: tokensOf(text) })
  }
  return samples
}

const SPECIAL = { allowedSpecial: new Set(), disallowedSpecial: new Set() }

/** The counter knows strings only: a byte outside UTF-8 counts as U+FFFD, which is how models see it too. */
function tokensOf(text) {
  const string = text.toString('utf8')
  return { count: countTokens(string, SPECIAL), chars: [...string].length }
}

const out = fs.openSync(path.join(folder, 'samples'), 'w')
const table = []
for (const kind of Object.keys(KINDS)) {
  const samples = samplesOf(kind)
  if (samples.length === 0) console.error(`  nothing here for ${kind}`)
  for (const s of samples) {
    const text = Buffer.from(s.text.toString('utf8'))
    fs.writeSync(out, text)
    table.push([kind, s.held ? 'held' : 'fitted', text.length, s.tokens.chars, s.tokens.count].join('\t'))
  }
}
fs.writeFileSync(path.join(folder, 'samples.tsv'), table.join('\n') + '\n')
