// An import is killed at its end: when everything is prepared, and when what it replaced is being removed. Readers see all
// of it or nothing, requests that write do not notice it, and the next import leaves nothing of it behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recipientIdOf } from '../../src/building-blocks/recipients/queries.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { Context } from '../../src/platform/context.ts'
import { cleanEnvironment, program, type RunningServer, runJson } from '../built-program.ts'
import { openTestContext } from '../harness.ts'
import { type Deployment, newDeployment, report } from './deployment.ts'
import { faultTimeoutMs } from './scale.ts'

const programCount = 3000

let deployment: Deployment
/** Beside the servers, to look at what they have left behind. */
let beside: Context
let directory: string
beforeAll(async () => {
  deployment = await newDeployment()
  beside = (await openTestContext(readConfig(deployment.environment))).context
  directory = mkdtempSync(join(tmpdir(), 'portico-killed-import-'))
})
afterAll(async () => {
  await beside.database.close()
  await deployment.remove()
  rmSync(directory, { recursive: true })
})

test('kill -9 at the end of an import: all of it or nothing is seen, and every write by HTTP meanwhile succeeds', {
  timeout: 2 * faultTimeoutMs,
}, async () => {
  const server = await deployment.start()
  await runJson(argumentsOf('first'), deployment.environment)
  expect(await namesSeen(server)).toEqual({ first: programCount })
  const writer = startWriting(server)

  const prepared = startImport('second')
  await expect.poll(rowsRead, { timeout: 60_000, interval: 2 }).toBe(programCount)
  await writer.untilNext()
  await kill(prepared)
  const afterFirst = await namesSeen(server)
  expect([{ first: programCount }, { second: programCount }]).toContainEqual(afterFirst)
  // It leaves nothing behind that the next one does not remove.
  await runJson(argumentsOf('again'), deployment.environment)
  expect([await namesSeen(server), await rowsRead(), await rowsStored()]).toEqual([
    { again: programCount },
    0,
    programCount,
  ])

  // Removing what was replaced may be over before the kill.
  for (let round = 1; round <= 5 && (await rowsRead()) === 0; round++) {
    const name = `third ${round}`
    const before = await importsInForce()
    const inForce = startImport(name)
    await expect.poll(importsInForce, { timeout: 60_000, interval: 2 }).toBe(before + 1)
    await kill(inForce)
    expect(await namesSeen(server)).toEqual({ [name]: programCount })
  }
  expect(await rowsRead()).toBeGreaterThan(0)

  const last = await runJson(argumentsOf('fourth'), deployment.environment)
  expect(last).toEqual({ created: 0, updated: programCount, unchanged: 0, refused: [] })
  expect(await namesSeen(server)).toEqual({ fourth: programCount })
  expect([await rowsRead(), await rowsStored()]).toEqual([0, programCount])
  const statuses = await writer.stop()
  expect([...new Set(statuses)]).toEqual([201])
  report('kill at the end of an import', {
    'seen after the first': Object.keys(afterFirst).join(),
    writes: statuses.length,
  })
  expect(await server.kill('SIGTERM')).toBe(0)
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
    /** Until a write that begins from now on is answered. */
    untilNext: () => {
      const enough = statuses.length + 2
      return expect.poll(() => statuses.length, { timeout: 30_000, interval: 5 }).toBeGreaterThanOrEqual(enough)
    },
    async stop() {
      isOver = true
      await writing
      return statuses
    },
  }
}
