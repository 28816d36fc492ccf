// R3. The connection to PostgreSQL breaks when the change is committed but the server cannot know: it has to say 503,
// and the same command with the same key has to find what was done. SQLite runs inside the server and answers its
// COMMIT by a function's return: there is no connection to lose, and a killed process is R1.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../built-program.ts'
import { type CommitCutter, openCommitCutter } from './commit-cutter.ts'
import { type Deployment, newDeployment, readBusinessIds, readCreatedIds, report } from './deployment.ts'
import { codeOf, createLoadClient, idOf, type LoadClient } from './load-client.ts'
import { faultTimeoutMs, scale } from './scale.ts'

describe('the answer to a COMMIT is lost', () => {
  let deployment: Deployment
  let cutter: CommitCutter
  let server: RunningServer
  let client: LoadClient

  beforeAll(async () => {
    deployment = await newDeployment()
    const { PORTICO_DATABASE_URL = '' } = deployment.environment
    cutter = await openCommitCutter(PORTICO_DATABASE_URL, (statement) => statement.includes('insert into "businesses"'))
    server = await deployment.start({ environment: { PORTICO_DATABASE_URL: cutter.url } })
    client = createLoadClient(server.origin, { key: deployment.key, sockets: writers })
  })
  afterAll(async () => {
    client?.close()
    await deployment.remove()
    await cutter?.close()
  })

  test('503 at first, then a replay of what was committed: nothing lost, nothing twice, the process lives', {
    timeout: faultTimeoutMs,
  }, async () => {
    const ids: string[] = []
    let started = 0
    const write = async () => {
      while (started < scale.cutCommits) {
        started++
        ids.push(await create())
      }
    }
    await Promise.all(Array.from({ length: writers }, write))

    expect(cutter.cuts()).toBe(scale.cutCommits)
    expect(new Set(ids).size).toBe(scale.cutCommits)
    expect((await readBusinessIds(server, deployment.key)).sort()).toEqual(ids.sort())
    expect((await readCreatedIds(server, deployment.key)).sort()).toEqual(ids)
    // The process that began is the one that ends, in its own time.
    expect(await server.kill('SIGTERM')).toBe(0)
    report('R3 lost commit answer', { commands: scale.cutCommits, cuts: cutter.cuts(), businesses: ids.length })
  })

  /** Every transaction that inserts a business is cut off, so a second execution would be cut off again, and counted. */
  async function create(): Promise<string> {
    const command = {
      method: 'POST',
      path: '/v1/businesses/',
      headers: { 'idempotency-key': randomUUID() },
      body: deployment.business(),
    }
    const first = await client.send(command)
    expect([first.status, codeOf(first)]).toEqual([503, 'service_unavailable'])
    expect(first.headers['retry-after']).toMatch(/^[1-9][0-9]*$/)
    const second = await client.send(command)
    expect([second.status, second.headers['idempotent-replayed']]).toEqual([201, 'true'])
    return idOf(second)
  }
})

/** Fewer than the connections a server holds, so that a retry never waits for one. */
const writers = 6
