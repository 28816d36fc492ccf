// An import is killed in each of its steps. Readers see all of it or nothing, requests that write do not notice it, and the
// next import leaves nothing of it behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { recipientIdOf } from '../../src/building-blocks/recipients/queries.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { Context } from '../../src/platform/context.ts'
import { cleanEnvironment, program, type RunningServer, runJson } from '../built-program.ts'
import { jsonHere } from '../command-here.ts'
import { openTestContext } from '../harness.ts'
import { type Deployment, newDeployment, report } from './deployment.ts'
import { faultTimeoutMs } from './scale.ts'
import { type StoppedChange, whileStopped } from './stopped-statement.ts'

/** Of two batches, so that a kill can land between them. */
const programCount = 620

let deployment: Deployment
/** Beside the servers, to look at what they have left behind. */
let beside: Context
let directory: string
async function begin(): Promise<void> {
  deployment = await newDeployment()
  beside = (await openTestContext(readConfig(deployment.environment))).context
  directory = mkdtempSync(join(tmpdir(), 'portico-killed-import-'))
}
async function end(): Promise<void> {
  await beside.database.close()
  await deployment.remove()
  rmSync(directory, { recursive: true })
}

test('kill -9 after an import has come into force: all of it is seen, and every write by HTTP meanwhile succeeds', {
  timeout: 2 * faultTimeoutMs,
}, async () => {
  await begin()
  onTestFinished(end)
  const server = await deployment.start()
  await jsonHere(argumentsOf('first'), deployment.environment)
  expect(await namesSeen(server)).toEqual({ first: programCount })
  const writer = startWriting(server)
  await runJson(argumentsOf('second'), deployment.environment)
  expect(await namesSeen(server)).toEqual({ second: programCount })

  const before = await importsInForce()
  const inForce = startImport('third')
  await expect.poll(importsInForce, { timeout: 60_000, interval: 2 }).toBe(before + 1)
  await kill(inForce)
  expect(await namesSeen(server)).toEqual({ third: programCount })

  const last = await runJson(argumentsOf('fourth'), deployment.environment)
  expect(last).toEqual({ created: 0, updated: programCount, unchanged: 0, refused: [] })
  expect(await namesSeen(server)).toEqual({ fourth: programCount })
  expect([await rowsRead(), await rowsStored()]).toEqual([0, programCount])
  const statuses = await writer.stop()
  expect([...new Set(statuses)]).toEqual([201])
  report('kill after an import has come into force', { writes: statuses.length })
  expect(await server.kill('SIGTERM')).toBe(0)
})

/** The steps of an import, each by a change of a row that it makes there; and whether it is in force after a kill. */
const steps: Record<string, StoppedChange & { isInForce: boolean }> = {
  'takes its claim': {
    ...{ change: 'update of import_id', table: 'recipients', condition: "new.import_id <> ''" },
    isInForce: false,
  },
  'has read half of a batch': {
    ...{ change: 'insert', table: 'funding_program_imports', condition: 'new.file_row = 550' },
    isInForce: false,
  },
  'writes what it prepares': {
    ...{ change: 'insert', table: 'funding_programs', condition: "new.external_reference = 'p550'" },
    isInForce: false,
  },
  'marks what it will replace': {
    ...{ change: 'update of until_import', table: 'funding_programs', condition: "new.external_reference = 'p600'" },
    isInForce: false,
  },
  'puts everything in force': {
    ...{ change: 'update of import_number', table: 'recipients', condition: 'new.import_number > old.import_number' },
    isInForce: false,
  },
  'removes what it has replaced': {
    ...{ change: 'delete', table: 'funding_programs', condition: "old.external_reference = 'p550'" },
    isInForce: true,
  },
}

describe('kill -9 while an import', () => {
  let server: RunningServer
  /** Programmes that were renamed, each after a kill. */
  let renamed = 0
  const byHand = () => (renamed > 0 ? { 'by hand': renamed } : {})
  beforeAll(async () => {
    await begin()
    server = await deployment.start()
    await jsonHere(argumentsOf('before'), deployment.environment)
  })
  afterAll(end)

  test.each(Object.entries(steps))(
    '%s: all of it or nothing is there, and the next one is whole',
    { timeout: 2 * faultTimeoutMs },
    async (_step, { isInForce, ...stopped }) => {
      const before = await namesSeen(server)
      await whileStopped(beside, stopped, async (isReached) => {
        const killed = startImport('killed')
        await expect.poll(isReached, { timeout: 60_000, interval: 5 }).toBe(true)
        await kill(killed)
        expect(await namesSeen(server)).toEqual(isInForce ? { killed: programCount, ...byHand() } : before)
      })
      // Nobody has to wait for the import that is no more.
      const { key } = deployment
      const { items } = (await server.call('GET', 'funding-programs/?external_reference=p550', { key })).body
      const headers = { 'if-match': items[0].etag }
      const body = { name: 'by hand', external_reference: `moved ${++renamed}` }
      const changed = await server.call('PATCH', `funding-programs/${items[0].id}/`, { key, headers, body })
      expect(changed.status, changed.text).toBe(200)
      const name = `next ${renamed}`
      const next = await jsonHere(argumentsOf(name), deployment.environment)
      expect(next).toEqual({ created: 1, updated: programCount - 1, unchanged: 0, refused: [] })
      expect([await namesSeen(server), await rowsRead(), await rowsStored()]).toEqual([
        { [name]: programCount, ...byHand() },
        0,
        programCount + renamed,
      ])
      const { status } = await server.call('POST', 'businesses/', { key, body: deployment.business() })
      expect(status).toBe(201)
    },
  )

  test('exit 0: the server that was there all the time ends as it should', async () => {
    expect(await server.kill('SIGTERM')).toBe(0)
  })
})

/** A file that gives every programme this name. */
function argumentsOf(name: string): string[] {
  const file = join(directory, `${name}.jsonl`)
  const rows = Array.from({ length: programCount }, (_, n) => ({
    ...{ external_reference: `p${n}`, name, funding_type: 'grant', status: 'open', summary: 'x'.repeat(500) },
  }))
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'))
  return ['program', 'import', file, '--recipient', recipientIdOf(deployment.portal_id)]
}

const startImport = (name: string): ChildProcess =>
  spawn(process.execPath, [program, ...argumentsOf(name)], {
    env: cleanEnvironment(deployment.environment),
    stdio: 'ignore',
  })

async function kill(child: ChildProcess): Promise<void> {
  const isGone = child.exitCode === null ? once(child, 'exit') : undefined
  child.kill('SIGKILL')
  await isGone
}

const rowsRead = () => countRows('funding_program_imports')
const rowsStored = () => countRows('funding_programs')
async function countRows(table: 'funding_program_imports' | 'funding_programs'): Promise<number> {
  const { rows } = await beside.database.read
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(rows)
}

async function importsInForce(): Promise<number> {
  const { import_number } = await beside.database.read
    .selectFrom('recipients')
    .select('import_number')
    .where('portal_id', '=', deployment.portal_id)
    .executeTakeFirstOrThrow()
  return import_number
}

/** How many programmes have which name, read page by page. */
async function namesSeen({ call }: RunningServer): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `funding-programs/?page_size=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
    const { status, text, body } = await call('GET', path, { key: deployment.key })
    expect(status, text).toBe(200)
    for (const { name } of body.items) counts[name] = (counts[name] ?? 0) + 1
    cursor = body.next_cursor
  }
  return counts
}

/** Creates one business after the other until it is stopped; then the status of each. */
function startWriting({ call }: RunningServer) {
  const statuses: number[] = []
  let isOver = false
  const writing = (async () => {
    while (!isOver)
      statuses.push((await call('POST', 'businesses/', { key: deployment.key, body: deployment.business() })).status)
  })()
  return {
    async stop() {
      isOver = true
      await writing
      return statuses
    },
  }
}
