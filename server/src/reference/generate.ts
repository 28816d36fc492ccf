// Writes the reference and the SDK's types from the operations, or with --check compares them with what is there.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { operations, published } from '../app.ts'
import { readConfig } from '../platform/config.ts'
import { buildPages } from './markdown.ts'
import { buildOpenApi } from './openapi.ts'
import { buildSdkTypes } from './sdk-declarations.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
// The defaults: a served page has the address and the limits of its server.
const config = readConfig({})

const files = new Map<string, string>([
  ['docs/generated/openapi.json', `${JSON.stringify(buildOpenApi(published, config), null, 2)}\n`],
  ['sdk/src/generated/operations.ts', buildSdkTypes(operations)],
])
for (const [path, text] of buildPages(published, config)) {
  files.set(`docs/generated/${path}`, `<!-- Written by npm run generate. -->\n\n${text}`)
}
const folders = ['docs/generated', 'sdk/src/generated']

if (process.argv.includes('--check')) {
  const isCurrent = (path: string, text: string) =>
    existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8') === text
  const stale = [...files].filter(([path, text]) => !isCurrent(path, text)).map(([path]) => path)
  const leftOver = folders.flatMap(filesBelow).filter((path) => !files.has(path))
  if (stale.length + leftOver.length > 0) {
    console.error(`These files are out of date. Run: npm run generate\n  ${[...stale, ...leftOver].join('\n  ')}`)
    process.exit(1)
  }
} else {
  for (const folder of folders) rmSync(join(root, folder), { recursive: true, force: true })
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  console.log(`Wrote ${files.size} files to ${folders.join(' and ')}.`)
}

function filesBelow(folder: string): string[] {
  const start = join(root, folder)
  if (!existsSync(start)) return []
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
}
