// What the tests of interrupted work have in common: a deployment whose tables are looked at beside its servers, and a
// calculation under way.
import { afterAll, expect } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import type { RunningServer } from '../built-program.ts'
import { openTestContext } from '../harness.ts'
import { newDeployment } from './deployment.ts'

/** For the tests of a file, which end with it. */
export async function newWatchedDeployment() {
  const deployment = await newDeployment()
  /** Beside the servers, to look at what they have left behind. */
  const { context: beside } = await openTestContext(readConfig(deployment.environment))
  afterAll(async () => {
    await beside.database.close()
    await deployment.remove()
  })
  return {
    deployment,
    beside,
    caller: { context: beside, portal_id: deployment.portal_id, request_id: null },
    /** As if the time of these jobs, or their lease, had come. */
    async makeDue(kind: string): Promise<void> {
      const run_at = new Date(0).toISOString()
      await beside.database.transaction((tx) =>
        tx.updateTable('jobs').set({ run_at }).where('kind', '=', kind).execute(),
      )
    },
    /** Starts the calculation of a new project, and waits until it has come to this state. */
    async startCalculation({ call }: RunningServer, state: 'running' | 'completed') {
      const { key } = deployment
      const business = await call('POST', 'businesses/', { key, body: deployment.business() })
      const { body: project } = await call('POST', 'projects/', { key, body: { business_id: business.body.id } })
      const criteria = `projects/${project.id}/criteria/`
      const values = { amount_requested: { amount: '80000.00', currency: 'USD' }, use_of_funds: ['equipment'] }
      const { etag } = (await call('GET', criteria, { key })).body
      await call('PATCH', criteria, { key, body: { values }, headers: { 'if-match': etag } })
      const started = await call('POST', `projects/${project.id}/match-calculations/`, { key })
      expect(started.status, started.text).toBe(202)
      const path = `projects/${project.id}/match-calculations/${started.body.id}/`
      await expect
        .poll(async () => (await call('GET', path, { key })).body.state, { timeout: 30_000, interval: 10 })
        .toBe(state)
      return { project_id: project.id, path, matches: `projects/${project.id}/matches/?page_size=500` }
    },
  }
}
