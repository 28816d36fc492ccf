// Bundles the server into server/dist: one file to load instead of a thousand, which keeps a cold start short.
// The SDK becomes one file of plain JavaScript beside it.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'

const outdir = 'server/dist'
rmSync(outdir, { recursive: true, force: true })
const { metafile } = await build({
  entryPoints: {
    main: 'server/src/cli/main.ts',
    // Documents of strangers are read in a process of their own.
    'document-reader-process': 'server/src/building-blocks/autofill/documents/process/reader-process.ts',
    // A large SQLite file is looked through beside requests, in a thread.
    'sqlite-check-thread': 'server/src/platform/database/sqlite-check-thread.ts',
    // Projects are matched beside requests, in a thread.
    'matching-thread': 'server/src/areas/funding-recommendations/calculations/matching-thread.ts',
  },
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  sourcemap: true,
  metafile: true,
  external: ['pg-native'],
  // Bundled CommonJS packages still ask for Node's own modules through require.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  logLevel: 'warning',
  plugins: [{ name: 'lists as JSON', setup: writeListsAsJson }],
})

// What the program reads when it runs, so that the bundle needs nothing else of this repository.
cpSync('docs/guides', `${outdir}/guides`, { recursive: true })
const examples = 'recorded-examples.json'
writeFileSync(
  `${outdir}/${examples}`,
  JSON.stringify(JSON.parse(readFileSync(`server/src/reference/${examples}`, 'utf8'))),
)
// The SQLite package looks for its binaries one folder above its code.
const binaries = 'server/prebuilds'
rmSync(binaries, { recursive: true, force: true })
cpSync('node_modules/@photostructure/sqlite/prebuilds', binaries, { recursive: true })
writeFileSync(`${outdir}/third-party-licenses.txt`, licensesOf(Object.keys(metafile.inputs)))

await build({
  entryPoints: ['sdk/src/client.ts'],
  outfile: 'sdk/dist/client.js',
  bundle: true,
  platform: 'neutral',
  target: 'es2022',
  format: 'esm',
  logLevel: 'warning',
})

/** Five thousand objects take ten times as long to read as JavaScript than as JSON, at each start of every command. */
function writeListsAsJson({ onLoad }) {
  onLoad({ filter: /\/iso-3166\/[12]\.js$/ }, async ({ path }) => {
    const lists = Object.entries(await import(path))
    const asJson = (list) => `JSON.parse(${JSON.stringify(JSON.stringify(list))})`
    return { contents: lists.map(([name, list]) => `export const ${name} = ${asJson(list)}`).join('\n') }
  })
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
