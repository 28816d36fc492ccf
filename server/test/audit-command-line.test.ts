// What an auditor does with the built program: export the log, prove it, and find what somebody has done to it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chainEntries } from '../src/platform/audit/chain.ts'
import { type AuditEntry, hashOf } from '../src/platform/audit/entries.ts'
import { note } from '../src/platform/audit/notes.ts'
import { asDeployment, deployment } from '../src/platform/background/jobs.ts'
import { environmentOf } from './built-program.ts'
import { runHere } from './command-here.ts'
import { engine, newPortal, startTestServer, type TestPortal, type TestServer } from './harness.ts'

let server: TestServer
let environment: Record<string, string>
let folder: string
/** Five entries each; every one but the first two is tampered with in its own way. */
const portals: Record<string, TestPortal> = {}
const ways = ['intact', 'waiting', 'changed', 'removed', 'swapped', 'cut', 'hidden', 'rewritten', 'headless'] as const
const idOf = (way: (typeof ways)[number]) => portals[way]?.id ?? ''
let lines: string[]
const entryOf = (way: (typeof ways)[number], sequence: number): AuditEntry => {
  const entries: AuditEntry[] = lines.map((line) => JSON.parse(line))
  const found = entries.find((entry) => entry.portal_id === idOf(way) && entry.sequence === sequence)
  if (!found) throw new Error(`no entry ${sequence} of ${way}`)
  return found
}

const run = (...args: string[]) => runHere(['audit', ...args], environment)

beforeAll(async () => {
  server = await startTestServer()
  const { data_dir } = server.context.config
  environment = environmentOf(server.context.config)
  folder = data_dir
  for (const way of ways) {
    const portal = await newPortal(server)
    for (let count = 0; count < 2; count++) await portal.call('POST', 'businesses/', { body: portal.business() })
    portals[way] = portal
  }
})
afterAll(() => server.stop())

test('export writes every entry as a line into a new file, and --file proves it on its own', async () => {
  const file = join(folder, 'audit.jsonl')
  const written = await run('export', '--output', file)
  expect([written.code, written.stdout]).toEqual([0, `Wrote ${5 * ways.length} entries to ${file}.\n`])
  lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(lines).toHaveLength(5 * ways.length)
  const again = await run('export', '--output', file)
  expect([again.code, again.stderr]).toEqual([
    1,
    `portico: ${file} already exists. Choose another name, or add --force to replace it.\n`,
  ])

  const proven = await run('verify', '--file', file, '--expect', entryOf('hidden', 5).hash, entryOf('cut', 2).hash)
  expect([proven.code, proven.stderr]).toEqual([0, ''])
  expect(proven.stdout.split('\n')).toContain(`${idOf('intact')}: 5 entries, unbroken.`)
})

test('export of one Portal from a time on begins with the first entry of that time, and is proven from there', async () => {
  const { created_at } = entryOf('intact', 4)
  const { code, stdout } = await run('export', '--portal', idOf('intact'), '--since', created_at)
  const entries: AuditEntry[] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const expected = [1, 2, 3, 4, 5].map((sequence) => entryOf('intact', sequence))
  expect([code, entries]).toEqual([0, expected.slice(expected.findIndex((one) => one.created_at >= created_at))])

  const file = join(folder, 'part.jsonl')
  writeFileSync(file, stdout)
  expect((await run('verify', '--file', file)).code).toBe(0)
  // A cut tail is seen by nothing but a hash that was kept.
  writeFileSync(file, stdout.slice(0, stdout.indexOf('\n') + 1))
  const { hash } = entryOf('intact', 5)
  const cut = await run('verify', '--file', file, '--expect', hash)
  expect([cut.code, cut.stdout]).toEqual([1, expect.stringContaining(`${hash}: not in the log.`)])
  writeFileSync(file, stdout.replace(entries[1]?.id ?? '', 'aud_00000000000000000000000000'))
  const { code: changedCode, stdout: changed } = await run('verify', '--file', file)
  expect([changedCode, changed]).toEqual([
    1,
    `${idOf('intact')}: Entry ${entries[1]?.sequence} (aud_00000000000000000000000000) is broken: it was changed: its hash does not match its content.\n`,
  ])
  writeFileSync(file, `${stdout}no entry\n`)
  expect((await run('verify', '--file', file)).stderr).toBe(
    `portico: Line ${entries.length + 1} of ${file} is not an entry of an audit log.\n`,
  )
})

test('verify --head prints the last entry of each log, to be kept', async () => {
  const { code, stdout } = await run('verify', '--head')
  expect(code).toBe(0)
  expect(stdout.trimEnd().split('\n').sort()).toEqual(
    ways.map((way) => `${idOf(way)} 5 ${entryOf(way, 5).hash}`).sort(),
  )
})

describe('what somebody does by SQL, after removing the triggers', () => {
  let found: { code: number; chains: Record<string, unknown>; missing: string[] }
  beforeAll(async () => {
    await portals.waiting?.call('POST', 'businesses/', { body: portals.waiting.business() })
    await tamper()
    const { code, stdout } = await run(
      ...['verify', '--json', '--expect', entryOf('hidden', 5).hash, entryOf('intact', 5).hash],
    )
    const { chains, missing } = JSON.parse(stdout)
    const byPortal = chains.map((chain: { portal_id: string }) => [chain.portal_id, chain])
    found = { code, chains: Object.fromEntries(byPortal), missing }
  })
  const brokenAt = (sequence: number, id: string | null, problem: string) => ({
    entries: sequence - 1,
    broken: { sequence, id, problem: expect.stringContaining(problem) },
  })

  test('fails, and calls a log unbroken that nobody touched, with what waits to be chained', () => {
    expect(found.code).toBe(1)
    const { sequence, hash } = entryOf('intact', 5)
    expect(found.chains[idOf('intact')]).toMatchObject({
      entries: 5,
      head: { sequence, hash },
      broken: null,
      waiting: 0,
    })
    expect(found.chains[idOf('waiting')]).toMatchObject({ entries: 5, broken: null, waiting: 1 })
  })
  test('a changed entry is named', () => {
    expect(found.chains[idOf('changed')]).toMatchObject(brokenAt(3, entryOf('changed', 3).id, 'it was changed'))
  })
  test('a removed entry is named', () => {
    expect(found.chains[idOf('removed')]).toMatchObject(brokenAt(3, null, 'it is missing'))
  })
  test('of two entries that were swapped, the first is named', () => {
    expect(found.chains[idOf('swapped')]).toMatchObject(brokenAt(3, entryOf('swapped', 4).id, 'it was changed'))
  })
  test('a cut tail is seen by the end that the log had', () => {
    expect(found.chains[idOf('cut')]).toMatchObject(brokenAt(5, null, 'it is missing'))
  })
  test('a cut tail whose end was rewritten, too, is seen by the hash that was kept', () => {
    expect(found.chains[idOf('hidden')]).toMatchObject({ entries: 4, broken: null })
    expect(found.missing).toEqual([entryOf('hidden', 5).hash])
  })
  test('an entry that was changed together with its hash is given away by the next one', () => {
    expect(found.chains[idOf('rewritten')]).toMatchObject(
      brokenAt(4, entryOf('rewritten', 4).id, 'the entry before was replaced'),
    )
  })
  test('a log without its end is broken', () => {
    expect(found.chains[idOf('headless')]).toMatchObject({
      broken: { problem: expect.stringContaining('recorded end') },
    })
  })
})

test('the log of the deployment is exported and proven like that of a Portal', async () => {
  await server.context.database.transaction((tx) =>
    note(tx, asDeployment(server.context), { action: 'backup.created', resource_id: deployment }),
  )
  await chainEntries(server.context.database, deployment)
  const { code, stdout } = await run('export', '--portal', deployment)
  expect([code, JSON.parse(stdout.split('\n')[0] ?? '')]).toMatchObject([0, { action: 'backup.created' }])
  expect((await run('verify', '--portal', deployment)).stdout).toContain('unbroken')
})

async function tamper(): Promise<void> {
  const { hash, ...content } = { ...entryOf('rewritten', 3), action: 'api_key.revoked' }
  const at = (way: (typeof ways)[number], sequence: number) =>
    sql`where portal_id = ${idOf(way)} and sequence = ${sequence}`
  const statements = [
    ...(engine === 'postgres'
      ? [sql`alter table audit_log disable trigger all`]
      : [sql`drop trigger audit_log_refuses_update`, sql`drop trigger audit_log_refuses_delete`]),
    sql`update audit_log set actor_id = 'key_somebody_else' ${at('changed', 3)}`,
    sql`delete from audit_log ${at('removed', 3)}`,
    sql`update audit_log set sequence = -1 ${at('swapped', 3)}`,
    sql`update audit_log set sequence = 3 ${at('swapped', 4)}`,
    sql`update audit_log set sequence = 4 ${at('swapped', -1)}`,
    sql`delete from audit_log ${at('cut', 5)}`,
    sql`delete from audit_log ${at('hidden', 5)}`,
    sql`update audit_heads set sequence = 4, hash = ${entryOf('hidden', 4).hash} where portal_id = ${idOf('hidden')}`,
    sql`update audit_log set action = ${content.action}, hash = ${hashOf(content)} ${at('rewritten', 3)}`,
    sql`delete from audit_heads where portal_id = ${idOf('headless')}`,
  ]
  await server.context.database.transaction(async (tx) => {
    for (const statement of statements) await statement.execute(tx)
  })
  expect(hash).not.toBe(hashOf(content))
}
