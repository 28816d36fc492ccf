// A process that tells of new matches is killed in the middle. The next one goes on where it was: every project is told,
// and none twice.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProgram } from '../../src/areas/funding-recommendations/programs/commands.ts'
import { readConfig } from '../../src/platform/config.ts'
import type { Context } from '../../src/platform/context.ts'
import type { RunningServer } from '../built-program.ts'
import { copyProject } from '../funding-fixtures.ts'
import { openTestContext } from '../harness.ts'
import { type Deployment, newDeployment, report } from './deployment.ts'
import { faultTimeoutMs } from './scale.ts'

const projectCount = 1000
const kind = 'funding_recommendations.tell_new_matches'

let deployment: Deployment
/** Beside the servers, to look at what they have left behind. */
let beside: Context
beforeAll(async () => {
  deployment = await newDeployment()
  beside = (await openTestContext(readConfig(deployment.environment))).context
})
afterAll(async () => {
  await beside.database.close()
  await deployment.remove()
})

test('kill -9 while match.found is written for many projects: every project has its event, and none has two', {
  timeout: faultTimeoutMs,
}, async () => {
  const first = await deployment.start()
  await copyProject(beside, deployment.portal_id, await calculatedProject(first), projectCount)
  const caller = { context: beside, portal_id: deployment.portal_id, request_id: null }
  await beside.database.transaction((tx) =>
    createProgram(tx, caller, { name: 'Growth loan', funding_type: 'term_loan', status: 'open' }),
  )
  await makeDue()
  await expect.poll(async () => (await told()).length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(0)
  await first.kill('SIGKILL')
  const before = await told()
  expect(before.length).toBeLessThan(projectCount)
  const second = await deployment.start()
  await makeDue()
  await expect.poll(async () => (await told()).length, { timeout: 60_000 }).toBeGreaterThanOrEqual(projectCount)
  expect(await second.kill('SIGTERM')).toBe(0)
  const after = await told()
  expect([after.length, new Set(after).size]).toEqual([projectCount, projectCount])
  report('kill while new matches are told', { 'told before': before.length, 'told in all': after.length })
})

async function told(): Promise<string[]> {
  const rows = await beside.database.read
    .selectFrom('events')
    .select('resource_id')
    .where('type', '=', 'match.found')
    .execute()
  return rows.map(({ resource_id }) => resource_id)
}

/** As if its minute, or its lease, had passed. */
async function makeDue(): Promise<void> {
  await beside.database.transaction((tx) =>
    tx
      .updateTable('jobs')
      .set({ run_at: new Date(0).toISOString() })
      .where('kind', '=', kind)
      .execute(),
  )
}

async function calculatedProject({ call }: RunningServer): Promise<string> {
  const { key } = deployment
  const business = await call('POST', 'businesses/', { key, body: deployment.business() })
  const { body: project } = await call('POST', 'projects/', { key, body: { business_id: business.body.id } })
  const criteria = `projects/${project.id}/criteria/`
  const values = { amount_requested: { amount: '80000.00', currency: 'USD' }, use_of_funds: ['equipment'] }
  const { etag } = (await call('GET', criteria, { key })).body
  await call('PATCH', criteria, { key, body: { values }, headers: { 'if-match': etag } })
  const started = await call('POST', `projects/${project.id}/match-calculations/`, { key })
  const path = `projects/${project.id}/match-calculations/${started.body.id}/`
  await expect.poll(async () => (await call('GET', path, { key })).body.state, { timeout: 30_000 }).toBe('completed')
  return project.id
}
