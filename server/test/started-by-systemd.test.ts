// What a unit of Type=notify is told, by processes of the built program. A program that notes its calls stands for
// systemd-notify.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { cleanEnvironment, newSecretKey, program, runPortico } from './built-program.ts'
import { makeDatabase, type TestDatabase } from './harness.ts'
import { freePort } from './postgres-cluster.ts'

const folder = mkdtempSync(join(tmpdir(), 'portico-systemd-'))
const told = join(folder, 'told')
const notify = (script: string) => writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\n${script}\n`)
let database: TestDatabase
let environment: Record<string, string>
const PORTICO_SECRET_KEY = newSecretKey()
beforeAll(async () => {
  database = await makeDatabase({ hasSchema: true })
  notify('')
  chmodSync(join(folder, 'systemd-notify'), 0o755)
})
beforeEach(async () => {
  rmSync(told, { force: true })
  const port = await freePort()
  environment = {
    ...database.environment,
    PATH: `${folder}:${process.env.PATH}`,
    NOTIFY_SOCKET: join(folder, 'socket'),
    PORTICO_SECRET_KEY,
    PORTICO_PORT: String(port),
    PORTICO_METRICS_PORT: String(await freePort()),
  }
})
afterAll(async () => {
  await database.remove()
  rmSync(folder, { recursive: true })
})

/** Runs until `isEnough`, and then until it has stopped. Its exit code and its log. */
async function runUntil(command: string, isEnough: (output: string) => boolean): Promise<[number | null, string]> {
  const child = spawn(process.execPath, [program, command], { env: cleanEnvironment(environment) })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      output += bytes
    })
  try {
    await expect.poll(() => isEnough(output)).toBe(true)
  } finally {
    child.kill('SIGTERM')
  }
  return [await ended, output]
}

test.each(['serve', 'worker'])('%s reports once that it is ready, when it is', async (command) => {
  const port = command === 'serve' ? environment.PORTICO_PORT : environment.PORTICO_METRICS_PORT
  notify(`curl -s -o /dev/null -w '%{http_code} ' http://127.0.0.1:${port}/readyz >${told}.part
echo "$@ $NOTIFY_SOCKET" >>${told}.part; cat ${told}.part >>${told}`)
  const [code] = await runUntil(command, () => existsSync(told))
  expect(readFileSync(told, 'utf8')).toBe(`200 --ready ${environment.NOTIFY_SOCKET}\n`)
  expect(code).toBe(0)
})

test.each(['serve', 'worker'])('%s says in the log if it cannot store files, and works', async (command) => {
  notify(`touch ${told}`)
  environment.PORTICO_FILES_URL = '/dev/null/files'
  const problem = 'this process cannot store or delete files'
  const isEnough = (text: string) => text.includes(problem) && existsSync(told)
  const [code, output] = await runUntil(command, isEnough)
  expect(code).toBe(0)
  const lines = output
    .split('\n')
    .filter((line) => line.includes(problem))
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([
    {
      level: 'error',
      directory: '/dev/null/files',
      msg: expect.stringMatching(/The file directory cannot be used: ENOTDIR: .*add it to ReadWritePaths=\.$/),
    },
  ])
})

test('a server whose port belongs to another program reports nothing and ends', async () => {
  notify(`touch ${told}`)
  const other = createServer((_request, response) => response.end('x'))
  await new Promise<void>((resolve) => other.listen(Number(environment.PORTICO_PORT), '127.0.0.1', resolve))
  const { code, stderr } = await runPortico(['serve'], environment)
  other.close()
  expect([code, stderr]).toEqual([1, expect.stringContaining('is already in use')])
  expect(existsSync(told)).toBe(false)
})

test('where systemd cannot be told, the log says so and the server serves', async () => {
  notify('echo no >&2; exit 1')
  const [code, output] = await runUntil('serve', (text) => text.includes('systemd could not be told'))
  expect(code).toBe(0)
  expect(output).toMatch(/"level":"warn".*systemd-notify failed/)
})
