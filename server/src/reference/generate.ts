// Writes docs/generated from the operations, or with --check compares it with what is there.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventKinds, operations } from '../app.ts'
import { buildPages } from './markdown.ts'
import { buildOpenApi } from './openapi.ts'

const folder = fileURLToPath(new URL('../../../docs/generated/', import.meta.url))
const published = { operations, events: eventKinds }
const config = { public_url: 'http://127.0.0.1:8080' }

const files = new Map<string, string>([
  ['openapi.json', `${JSON.stringify(buildOpenApi(published, config), null, 2)}\n`],
])
for (const [path, text] of buildPages(published, config))
  files.set(path, `<!-- Written by npm run generate. -->\n\n${text}`)

if (process.argv.includes('--check')) {
  const stale = [...files]
    .filter(([path, text]) => !existsSync(join(folder, path)) || readFileSync(join(folder, path), 'utf8') !== text)
    .map(([path]) => path)
  const leftOver = filesBelow(folder).filter((path) => !files.has(path))
  if (stale.length + leftOver.length > 0) {
    console.error(
      `docs/generated is not what the operations say. Run: npm run generate\n  ${[...stale, ...leftOver].join('\n  ')}`,
    )
    process.exit(1)
  }
} else {
  rmSync(folder, { recursive: true, force: true })
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  console.log(`Wrote ${files.size} files to docs/generated.`)
}

function filesBelow(start: string): string[] {
  if (!existsSync(start)) return []
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(start.length))
}
