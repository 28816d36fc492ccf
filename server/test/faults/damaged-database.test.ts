// The file of a SQLite database is broken, lost, locked or cannot be written, or PostgreSQL takes no writes: readiness and
// doctor say so, clients hear 503 and never 500, and the log has the reason.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, existsSync, fstatSync, openSync, readdirSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { cleanEnvironment, program, type RunningServer, runPortico } from '../built-program.ts'
import { jsonHere, runHere } from '../command-here.ts'
import { describeOn, makeDatabase, type TestDatabase } from '../harness.ts'
import { freePort, runSql } from '../postgres-cluster.ts'
import { type Deployment, newDeployment } from './deployment.ts'
import { isFull } from './scale.ts'

let deployment: Deployment
let directory: string
beforeAll(async () => {
  deployment = await newDeployment()
  directory = deployment.environment.PORTICO_DATA_DIR ?? ''
})
afterAll(() => deployment.remove())

/** The promise is 5 s; what a machine that runs other tests beside adds to it is no part of it. */
const promisedMs = isFull ? 5000 : 20_000

/** Whatever a test has found, the next one has the directory for itself. */
let running: RunningServer | undefined
afterEach(() => running?.kill('SIGKILL'))
const start = async (settings: Parameters<Deployment['start']>[0] = {}) => {
  running = await deployment.start(settings)
  return running
}

const readiness = async ({ origin }: RunningServer) => {
  const answer = await fetch(`${origin}/readyz`)
  const { details = [] } = (await answer.json()) as { details?: { code: string }[] }
  return [answer.status, details[0]?.code]
}
const ready = [200, undefined]
const create = (server: RunningServer, signal?: AbortSignal) =>
  fetch(`${server.origin}/v1/businesses/`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${deployment.key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(deployment.business({ metadata: { filler: 'x'.repeat(400) } })),
    ...(signal && { signal }),
  })
const findings = async (settings: Record<string, string>) => {
  const { code, stdout } = await runHere(['doctor', '--json'], settings)
  const problems = JSON.parse(stdout).findings.filter(({ outcome }: { outcome: string }) => outcome === 'problem')
  return { code, problems }
}
const oneSentence = (words: string) => expect.stringMatching(new RegExp(`^portico: [^\n]*${words}[^\n]*\\.\n$`))

describe('a database that takes no writes', () => {
  test('503 for every writer within the promised time, readiness says so, and all is well when writes work again', async () => {
    const isSqlite = deployment.environment.PORTICO_DATABASE_URL === undefined
    const server = await start()
    expect((await create(server)).status).toBe(201)
    const setReadOnly = async (value: string) => {
      const url = deployment.environment.PORTICO_DATABASE_URL ?? ''
      const name = new URL(url).pathname.slice(1)
      await runSql(url, `begin read write; alter database ${name} set default_transaction_read_only = ${value}; commit`)
      await runSql(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
      )
    }
    // Another program holds the lock for writing, as a copy that nobody finished would; or a standby answers.
    const foreign = isSqlite ? new DatabaseSync(join(directory, 'portico.db'), { timeout: 5000 }) : undefined
    if (foreign) foreign.exec('begin immediate')
    else await setReadOnly('on')
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(server, AbortSignal.timeout(promisedMs))))
    expect(answers.map(({ status, headers }) => `${status} ${headers.has('retry-after')}`)).toEqual(
      Array(8).fill('503 true'),
    )
    await expect.poll(() => readiness(server), { timeout: 15_000 }).toEqual([503, 'writes_failing'])
    await expect
      .poll(() => server.output())
      .toMatch(isSqlite ? /"level":"warn".*database is locked/ : /"level":"warn".*read-only transaction/)
    const read = await server.call('GET', 'businesses/', { key: deployment.key })
    expect(read.status).toBe(200)
    if (foreign) {
      foreign.exec('rollback')
      foreign.close()
    } else await setReadOnly('off')
    await expect.poll(() => readiness(server), { timeout: 15_000 }).toEqual(ready)
    expect((await create(server)).status).toBe(201)
    await server.kill('SIGTERM')
  })
})

describeOn('sqlite')('a disk that takes no more', () => {
  test('writes are refused, and readiness says so', async () => {
    const server = await start({ fileLimitKilobytes: 3000 })
    let last = 201
    while (last === 201) last = (await create(server)).status
    expect(last).toBe(503)
    await expect.poll(() => readiness(server), { timeout: 15_000 }).toEqual([503, 'writes_failing'])
    await expect.poll(() => server.output()).toMatch(/"level":"warn".*(disk is full|disk I\/O error)/)
  })
})

describeOn('sqlite')('a file that may not be written', () => {
  test('one sentence, and no stack', async () => {
    const file = join(directory, 'portico.db')
    chmodSync(file, 0o444)
    try {
      expect(await runWithoutPrivileges(['portal', 'create', '--name', 'Late'])).toEqual([
        1,
        oneSentence('attempt to write a readonly database'),
      ])
    } finally {
      chmodSync(file, 0o600)
    }
  })
})

describeOn('sqlite')('a database and its secret key', () => {
  let own: TestDatabase
  const at = (name: string) => join(own.environment.PORTICO_DATA_DIR ?? '', name)
  const refusal = async () => {
    const { code, stderr } = await runHere(['portal', 'list'], own.environment)
    return [code, stderr]
  }
  beforeAll(async () => {
    own = await makeDatabase()
    await jsonHere(['portal', 'create', '--name', 'First'], own.environment)
  })
  afterAll(() => own.remove())

  test('neither is made anew beside the other: the start stops with the choice there is', async () => {
    renameSync(at('portico.db'), at('kept'))
    expect(await refusal()).toEqual([1, oneSentence('portico.db is missing.*portico restore FILE.*safe place')])
    expect((await findings(own.environment)).problems).toMatchObject([{ message: expect.stringContaining('missing') }])
    expect(existsSync(at('portico.db'))).toBe(false)

    closeSync(openSync(at('portico.db'), 'w'))
    expect(await refusal()).toEqual([1, oneSentence('portico.db is empty')])
    renameSync(at('kept'), at('portico.db'))

    renameSync(at('secret.key'), at('kept'))
    expect(await refusal()).toEqual([1, oneSentence('secret.key is missing.*Restore secret.key')])
    expect(readdirSync(at('.'))).not.toContain('secret.key')
    renameSync(at('kept'), at('secret.key'))
    expect(await jsonHere(['portal', 'list'], own.environment)).toHaveLength(1)
  })
})

describeOn('sqlite')('a damaged file', () => {
  const file = () => join(directory, 'portico.db')
  /** Bytes in the middle of the file become others, behind everybody's back. */
  const damage = (path: string) => {
    const handle = openSync(path, 'r+')
    const pages = Math.floor(fstatSync(handle).size / 4096)
    const [first, last] = [Math.floor(pages * 0.3), Math.floor(pages * 0.9)]
    for (let page = first; page < last; page++) writeSync(handle, Buffer.alloc(4096, 0x5a), 0, 4096, page * 4096)
    closeSync(handle)
  }

  test('503 from the first page that is met, never 500; readiness, the log and doctor say why', async () => {
    const connection = new DatabaseSync(file())
    connection.exec('pragma wal_checkpoint(truncate)')
    connection.close()
    const server = await start()
    damage(file())
    const statuses = new Set<number>()
    for (let asked = 0; asked < 20; asked++) {
      const read = await server.call('GET', 'businesses/?page_size=100', { key: deployment.key })
      statuses.add(read.status).add((await create(server)).status)
    }
    expect([...statuses].filter((status) => status !== 200 && status !== 201)).toEqual([503])
    expect(await readiness(server)).toEqual([503, 'database_damaged'])
    expect((await create(server)).status).toBe(503)
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200)
    await expect.poll(() => server.output()).toMatch(/"level":"warn".*malformed/)
    const { code, problems } = await findings(deployment.environment)
    expect([code, problems[0].message]).toEqual([1, expect.stringContaining('is damaged')])
  })

  test('stops the start and compacting with one sentence that says what to do', async () => {
    const compacted = await runPortico(['business', 'compact'], deployment.environment)
    expect([compacted.code, compacted.stderr]).toEqual([1, oneSentence('is damaged: .* restore the last backup')])
    const { code, stderr } = await runPortico(['serve'], { ...deployment.environment, PORTICO_PORT: '1' })
    expect([code, stderr]).toEqual([1, oneSentence('is damaged')])
  })

  test('a large file is looked through beside requests, and what is found there is said without one', async () => {
    const own = await newDeployment()
    const path = join(own.environment.PORTICO_DATA_DIR ?? '', 'portico.db')
    const connection = new DatabaseSync(path)
    connection.exec('create table filler (bytes blob); insert into filler values (zeroblob(70000000))')
    connection.exec('pragma wal_checkpoint(truncate)')
    connection.close()
    damage(path)
    // Whether it is found before the start is over depends on the speed of the machine.
    const port = await freePort()
    const starting = own.start({ port }).catch((error: Error) => error.message)
    const said = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
      const started = answer ? undefined : await Promise.race([starting, undefined])
      return answer ? await answer.text() : started
    }
    await expect.poll(said, { timeout: 30_000 }).toMatch(/database_damaged|file in \S+ is damaged: /)
    await own.remove()
  })
})

/** As an ordinary user, whom the mode of a file stops: root keeps its name and loses what makes it root. */
async function runWithoutPrivileges(args: readonly string[]): Promise<[number, string]> {
  const command = [process.execPath, program, ...args]
  const lost = '-dac_override,-dac_read_search'
  const [first = '', ...rest] =
    process.getuid?.() === 0 ? ['setpriv', `--bounding-set=${lost}`, `--inh-caps=${lost}`, ...command] : command
  return new Promise((resolve) =>
    execFile(first, rest, { env: cleanEnvironment(deployment.environment) }, (error, _stdout, stderr) =>
      resolve([typeof error?.code === 'number' ? error.code : 0, stderr]),
    ),
  )
}
