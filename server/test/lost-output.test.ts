// R18. Output that cannot be written, a log above all: lines are lost and counted, and the process goes on.
import { execFile, spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanEnvironment, newSecretKey, program, runJson, runPortico, startServer } from './built-program.ts'
import { makeDatabase, type TestDatabase } from './harness.ts'
import { freePort } from './postgres-cluster.ts'

let database: TestDatabase
let environment: Record<string, string>
beforeAll(async () => {
  database = await makeDatabase({ hasSchema: true })
  environment = { ...database.environment, PORTICO_SECRET_KEY: newSecretKey(), PORTICO_LOG_LEVEL: 'info' }
})
afterAll(() => database.remove())

const lostLines = async (port: number) => {
  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined)
  return Number(/^portico_log_lines_lost_total (\d+)$/m.exec((await metrics?.text()) ?? '')?.[1] ?? -1)
}

test.each(['full disk', 'gone'] as const)(
  'serve answers requests and counts lost lines when its log goes to a: %s',
  async (output) => {
    const metricsPort = await freePort()
    const server = await startServer({
      environment: { ...environment, PORTICO_METRICS_PORT: String(metricsPort) },
      output,
    })
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => server.call('GET', 'businesses/')))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    }
    await expect.poll(() => lostLines(metricsPort)).toBeGreaterThanOrEqual(500)
    expect(await server.kill('SIGTERM')).toBe(0)
  },
)

test('worker goes on and counts lost lines when its log goes to a full disk', async () => {
  const metricsPort = await freePort()
  const child = spawn(process.execPath, [program, 'worker'], {
    env: cleanEnvironment({ ...environment, PORTICO_METRICS_PORT: String(metricsPort) }),
    stdio: ['ignore', openSync('/dev/full', 'w'), 'ignore'],
  })
  await expect.poll(() => lostLines(metricsPort), { timeout: 20_000 }).toBeGreaterThanOrEqual(1)
  expect(child.exitCode).toBeNull()
  const code = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  expect(await code).toBe(0)
})

describe('a command whose output cannot be written', () => {
  const shell = (script: string) =>
    new Promise<{ code: unknown; stderr: string }>((resolve) =>
      execFile(
        'bash',
        ['-c', script, process.execPath, program],
        { env: cleanEnvironment(environment) },
        (error, _, stderr) => resolve({ code: error?.code ?? 0, stderr }),
      ),
    )

  test('says so in one sentence when the disk is full', async () => {
    const { code, stderr } = await shell('"$0" "$1" portal list > /dev/full')
    expect(code).toBe(1)
    expect(stderr).toBe('portico: Standard output cannot be written (ENOSPC). Check its destination.\n')
  })

  test('names the key that nobody has seen', async () => {
    const create = '"$0" "$1" key create --portal "$PORTAL" --name lost --grant all > /dev/full'
    const { id } = await runJson(['portal', 'create', '--name', 'Lost output'], environment)
    const { code, stderr } = await shell(create.replace('$PORTAL', id))
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^portico: .* Nobody has seen the new key; it is active\. Run: portico key revoke key_\w+\n$/,
      ),
    ])
  })

  test('says nothing when its reader went away', async () => {
    const { stderr } = await shell('"$0" "$1" portal list | head -c 0; "$0" "$1" --help | head -c 0')
    expect(stderr).toBe('')
  })

  test('works as ever when its messages cannot be written', async () => {
    expect((await shell('"$0" "$1" portal list 2> /dev/full')).code).toBe(0)
    expect((await shell('"$0" "$1" nonsense 2> /dev/full')).code).toBe(1)
    expect((await runPortico(['portal', 'list'], environment)).code).toBe(0)
  })
})
