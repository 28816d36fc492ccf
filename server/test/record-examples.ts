// npm run record-examples: runs every example of the reference against a new server with the demo data, and writes the
// responses to src/reference/recorded-examples.json, from where the reference and the OpenAPI document take them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSecretKey, runJson, startServer } from './built-program.ts'
import { recordExamples } from './example-recording.ts'

const directory = mkdtempSync(join(tmpdir(), 'portico-record-'))
const environment = { PORTICO_DATA_DIR: directory, PORTICO_SECRET_KEY: newSecretKey() }
const { key } = await runJson(['demo'], environment)
const server = await startServer({ environment })
try {
  const { recording, failures } = await recordExamples(server.origin, key)
  if (failures.length > 0) throw new Error(`these examples failed:\n${failures.join('\n')}`)
  const file = new URL('../src/reference/recorded-examples.json', import.meta.url)
  writeFileSync(file, `${JSON.stringify(recording, null, 2)}\n`)
  console.log(`Wrote ${Object.keys(recording.responses).length} responses. Now run: npm run generate`)
} finally {
  await server.kill('SIGTERM')
  rmSync(directory, { recursive: true, force: true })
}
