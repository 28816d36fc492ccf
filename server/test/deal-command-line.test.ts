// What an administrator sets for deals, with the built program.
import { execFileSync, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSecretKey } from './built-program.ts'
import { jsonHere, runHere } from './command-here.ts'
import { describeOnce, makeDatabase, type TestDatabase } from './harness.ts'

let database: TestDatabase
let environment: Record<string, string>
let portal: string

const run = (...args: string[]) => runHere(args, environment)
const json = (...args: string[]) => jsonHere(args, environment)
/** A file with these stages, or with this text. */
const fileOf = (content: unknown) => {
  const file = join(database.environment.PORTICO_DATA_DIR ?? '', 'stages.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

beforeAll(async () => {
  database = await makeDatabase({ hasSchema: true })
  environment = { ...database.environment, PORTICO_SECRET_KEY: newSecretKey() }
  portal = (await json('portal', 'create', '--name', 'Harbour')).id
})
afterAll(() => database.remove())

const categories = ['new', 'qualifying', 'application', 'under_review', 'offer', 'closing', 'funded', 'closed_lost']
const own = categories.map((category) => ({ key: category, label: category.replaceAll('_', ' '), category }))
const visit = { key: 'site_visit', label: 'Site visit', category: 'qualifying' }

test('portal stages prints the stages of a Portal, the categories at first', async () => {
  expect((await json('portal', 'stages', portal)).map(({ key }: { key: string }) => key)).toEqual(categories)
  const { code, stdout } = await run('portal', 'stages', portal)
  expect(code).toBe(0)
  expect(stdout).toMatch(/key +label +category/i)
  expect(stdout).toMatch(/under_review +Under review +under_review/)
})

test('portal stages with a file sets them and prints what they are now', async () => {
  const stages = [...own.slice(0, 2), visit, ...own.slice(2)]
  expect(await json('portal', 'stages', portal, fileOf(stages))).toEqual(stages)
  expect(await json('portal', 'stages', portal)).toEqual(stages)
  expect((await run('portal', 'stages', portal)).stdout).toMatch(/site_visit +Site visit +qualifying/)
})

describeOnce('portal stages', () => {
  test('refuses a duplicate key and a missing category, and changes nothing', async () => {
    const before = await json('portal', 'stages', portal)
    const refused = async (content: unknown) => {
      const { code, stdout, stderr } = await run('portal', 'stages', portal, fileOf(content))
      expect([code === 0, stdout]).toEqual([false, ''])
      return stderr
    }
    expect(await refused([...own, visit, visit])).toContain(
      'The key site_visit is used by more than one stage. Every key must be unique.',
    )
    expect(await refused([visit, ...own.filter(({ category }) => category !== 'offer')])).toContain(
      'No stage has the category offer. Every category needs at least one stage.',
    )
    const both = await refused([visit, visit, ...own.slice(1)])
    expect(both).toContain('The key site_visit is used by more than one stage.')
    expect(both).toContain('No stage has the category new.')
    expect(await refused([...own, { ...visit, category: 'visiting' }])).toContain('category')
    expect(await refused([...own, { ...visit, key: 'Site visit' }])).toContain('key')
    expect(await refused('[{')).toContain('stages.json')
    expect(await json('portal', 'stages', portal)).toEqual(before)
  })

  test('reads a pipe like a file, and not more of it than a file may have', async () => {
    const pipe = join(database.environment.PORTICO_DATA_DIR ?? '', 'pipe')
    execFileSync('mkfifo', [pipe])
    const throughPipe = (content: string) => {
      spawn('sh', ['-c', 'cat "$1" >"$2"', 'sh', fileOf(content), pipe], { stdio: 'ignore' })
      return run('portal', 'stages', portal, pipe, '--json')
    }
    const largest = JSON.stringify(own).padEnd(100_000)
    expect(JSON.parse((await throughPipe(largest)).stdout)).toEqual(own)
    const { code, stderr } = await throughPipe(`${largest} `)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Cannot read ${pipe}: the file must be at most 100000`)])
  })

  test('names a Portal or a file that does not exist', async () => {
    const gone = 'ptl_01jcz3v0v2fd6tqvh1m8r5k9wx'
    expect((await run('portal', 'stages', gone)).stderr).toContain(gone)
    const { code, stderr } = await run('portal', 'stages', portal, '/nowhere/stages.json')
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining('Cannot read /nowhere/stages.json')])
    const asJson = await run('portal', 'stages', gone, '--json')
    expect(JSON.parse(asJson.stderr || asJson.stdout).error).toContain(gone)
  })
})

test('portal set changes how long deal applications wait', async () => {
  expect((await run('portal', 'set', '--help')).stdout).toContain('--deal-application-expiry-days')
  expect(await json('portal', 'set', portal, '--deal-application-expiry-days', '30')).toEqual({
    id: portal,
    deal_application_expiry_days: 30,
  })
  const { code, stderr } = await run('portal', 'set', portal, '--deal-application-expiry-days', '0')
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining('deal_application_expiry_days')])
})
