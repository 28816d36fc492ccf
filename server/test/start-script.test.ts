// npm start builds again when something has changed that the build is made of, and only then.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanEnvironment } from './built-program.ts'

const script = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url))
const built = 'server/dist/program.js'
const sources = {
  'scripts/build.mjs': `console.log('built')`,
  'scripts/make-code-cache.mjs': '',
  'server/bin/load-program.js': '',
  'server/bin/portico.js': `console.log('served')`,
  'server/src/cli/main.ts': '',
  'docs/guides/one.md': '',
  'package-lock.json': '{}',
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-clone-'))
  for (const [file, text] of Object.entries({ ...sources, [built]: '' })) {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  cpSync(script, join(folder, 'scripts/start.mjs'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const setTime = (file: string, seconds: number) => utimesSync(join(folder, file), seconds, seconds)
const started = async () => {
  const options = { cwd: folder, env: cleanEnvironment({}) }
  return (await promisify(execFile)(process.execPath, ['scripts/start.mjs'], options)).stdout
}

test('after a change of any source, loader or build script', async () => {
  for (const file of Object.keys(sources)) setTime(file, 1000)
  setTime(built, 2000)
  expect(await started()).toBe('served\n')
  for (const file of Object.keys(sources)) {
    setTime(file, 3000)
    expect([file, await started()]).toEqual([file, 'Building …\nbuilt\nserved\n'])
    setTime(file, 1000)
  }
  rmSync(join(folder, built))
  expect(await started()).toBe('Building …\nbuilt\nserved\n')
})
