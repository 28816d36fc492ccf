// Bundles the server into server/dist: one file to load instead of a thousand, and what V8 makes of it, which keeps a cold
// start short. The SDK becomes one file of plain JavaScript beside it.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

// Beside their places: of two builds at once neither removes what the other has half finished.
const [outdir, binaries] = ['server/dist', 'server/prebuilds'].map(draftOf)
process.on('exit', () => [outdir, binaries].forEach(remove))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
const always = {
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  sourcemap: true,
  metafile: true,
  external: ['pg-native'],
  logLevel: 'warning',
  plugins: [{ name: 'lists as JSON', setup: writeListsAsJson }],
}
const { metafile: program } = await build({
  ...always,
  entryPoints: { bundle: 'server/src/cli/main.ts' },
  format: 'cjs',
  // No debugger would find it where the program says it is.
  sourcemap: false,
  define: { 'import.meta.url': 'programUrl' },
})
const { metafile: beside } = await build({
  ...always,
  entryPoints: {
    // Documents of strangers are read in a process of their own.
    'document-reader-process': 'server/src/building-blocks/autofill/documents/process/reader-process.ts',
    // A large SQLite file is looked through beside requests, in a thread.
    'sqlite-check-thread': 'server/src/platform/database/sqlite-check-thread.ts',
    // Projects are matched beside requests, in a thread.
    'matching-thread': 'server/src/areas/funding-recommendations/calculations/matching-thread.ts',
  },
  splitting: true,
  format: 'esm',
  // Bundled CommonJS packages still ask for Node's own modules through require.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
})

// What the program reads when it runs, so that the bundle needs nothing else of this repository.
cpSync('docs/guides', `${outdir}/guides`, { recursive: true })
const examples = 'recorded-examples.json'
writeFileSync(
  `${outdir}/${examples}`,
  JSON.stringify(JSON.parse(readFileSync(`server/src/reference/${examples}`, 'utf8'))),
)
// The SQLite package looks for its binaries one folder above its code.
cpSync('node_modules/@photostructure/sqlite/prebuilds', binaries, { recursive: true })
writeFileSync(`${outdir}/third-party-licenses.txt`, licensesOf(Object.keys({ ...program.inputs, ...beside.inputs })))

await build({
  entryPoints: ['sdk/src/client.ts'],
  outfile: 'sdk/dist/client.js',
  bundle: true,
  platform: 'neutral',
  target: 'es2022',
  format: 'esm',
  logLevel: 'warning',
})

writeAsFunction(`${outdir}/bundle.js`, `${outdir}/program.js`)
putInPlace('server/prebuilds')
// Last of what is needed: whoever finds it finds all the rest.
putInPlace('server/dist')
makeCodeCache()

function draftOf(place) {
  return `${place}.${process.pid}`
}

function remove(folder) {
  rmSync(folder, { recursive: true, force: true })
}

function putInPlace(place) {
  const draft = draftOf(place)
  const old = `${draft}.old`
  while (existsSync(draft)) {
    try {
      if (existsSync(place)) renameSync(place, old)
      renameSync(draft, place)
    } catch (error) {
      // Between two steps another build has moved the old one away, or put its own there: once more.
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
    } finally {
      remove(old)
    }
  }
}

/** Without it the program is the same, and starts more slowly. */
function makeCodeCache() {
  // V8 takes a cache only where its own options are those of the process that has made it: here there are none.
  const isNeutral = (name) => !/^(PORTICO_|OTEL_|NODE_OPTIONS$)/.test(name)
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => isNeutral(name)))
  let directory
  try {
    directory = mkdtempSync(join(tmpdir(), 'portico-build-'))
    const options = { env, stdio: 'inherit', timeout: 60_000, killSignal: 'SIGKILL' }
    const { status } = spawnSync(process.execPath, ['scripts/make-code-cache.mjs', directory], options)
    if (status !== 0) throw new Error(`status ${status}`)
  } catch (error) {
    console.warn(`The code cache could not be made (${error.message}): starts take longer.`)
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  }
}

/** Five thousand objects take ten times as long to read as JavaScript than as JSON, at each start of every command. */
function writeListsAsJson({ onLoad }) {
  onLoad({ filter: /\/iso-3166\/[12]\.js$/ }, async ({ path }) => {
    const lists = Object.entries(await import(path))
    const asJson = (list) => `JSON.parse(${JSON.stringify(JSON.stringify(list))})`
    return { contents: lists.map(([name, list]) => `export const ${name} = ${asJson(list)}`).join('\n') }
  })
}

/**
 * As server/bin/load-program.js runs it, which hands in what the program cannot know. In ASCII, so that nothing need be
 * decoded: esbuild has seen to texts, what is left are patterns and comments.
 */
function writeAsFunction(bundle, file) {
  const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  const source = readFileSync(bundle, 'utf8').replace(/[^\0-\x7f]/g, escaped)
  writeFileSync(bundle, `(function (require, module, exports, __filename, __dirname, programUrl) {${source}\n})\n`)
  renameSync(bundle, file)
}

/** The licences of the packages in the bundle, which ask to be handed on with it. */
function licensesOf(inputs) {
  const folders = new Set(inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean))
  return [...folders]
    .sort()
    .map(licenseOf)
    .join(`\n${'-'.repeat(80)}\n\n`)
}

function licenseOf(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file ? readFileSync(`${folder}/${file}`, 'utf8').trim() : `By ${author?.name ?? author}.`
  return `${name} ${version} (${license})\n\n${text}\n`
}
