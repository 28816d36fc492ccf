// A database that is empty all at once, as after a restore into the wrong place or a dropped schema. Who migrates it and
// goes on has a service that looks well and knows no key: everything says so instead, until the data is back.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { jsonHere, runHere } from '../command-here.ts'
import { runSql } from '../postgres-cluster.ts'
import { newDeployment } from './deployment.ts'

const folder = mkdtempSync(join(tmpdir(), 'portico-replaced-'))
const deployment = await newDeployment()
afterAll(async () => {
  await deployment.remove()
  rmSync(folder, { recursive: true })
})

test('an emptied database is not ready and called empty, migrated or not, until a backup is restored into it', async () => {
  const { environment, key } = deployment
  const server = await deployment.start()
  const backup = join(folder, 'whole.backup')
  const ready = async () => {
    const { status, body } = await server.call('GET', `${server.origin}/readyz`)
    return status === 200 ? 'ready' : body.details[0].code
  }
  const doctor = async (check: string) =>
    (await runHere(['doctor', '--json'], environment)).stdout
      .split('\n')
      .flatMap((line) => (line.startsWith('{"findings"') ? JSON.parse(line).findings : []))
      .filter((finding: { check: string }) => finding.check === check)
  expect(await ready()).toBe('ready')
  await jsonHere(['backup', backup], environment)

  await runSql(environment.PORTICO_DATABASE_URL ?? '', 'drop schema public cascade; create schema public')
  await expect.poll(ready).toBe('database_empty')
  expect(await doctor('schema')).toEqual([
    { check: 'schema', outcome: 'problem', message: expect.stringMatching(/^The PostgreSQL database is empty: /) },
  ])
  expect((await runHere(['portal', 'list'], environment)).stderr).toMatch(/database is empty.* restore a backup/)

  const migrated = await runHere(['migrate'], environment)
  expect([migrated.code, migrated.stdout]).toEqual([0, expect.stringContaining('The database was empty')])
  expect(await ready()).toBe('database_empty')
  expect(await doctor('deployment')).toEqual([
    { check: 'deployment', outcome: 'warning', message: expect.stringContaining('Nobody has used this database yet') },
  ])

  await jsonHere(['restore', backup], environment)
  await expect.poll(ready).toBe('ready')
  expect((await server.call('GET', 'businesses/', { key })).status).toBe(200)
})
