// A process that tells of new matches is killed in the middle. The next one goes on where it was: every project is told,
// and none twice.
import { expect, test } from 'vitest'
import { createProgram } from '../../src/areas/funding-recommendations/programs/commands.ts'
import { copyRows, numberedId } from '../many-rows.ts'
import { report } from './deployment.ts'
import { faultTimeoutMs } from './scale.ts'
import { whileStopped } from './stopped-statement.ts'
import { newWatchedDeployment } from './watched-deployment.ts'

const projectCount = 1000
/** Where it is killed: projects are told in the order of their ids, some hundred together. */
const halfway = {
  ...{ change: 'insert', table: 'found_matches' },
  condition: "new.project_id = 'prj_00000000000000000010000500'",
}
const kind = 'funding_recommendations.tell_new_matches'

const { beside, caller, deployment, makeDue, startCalculation } = await newWatchedDeployment()

test('kill -9 while match.found is written for many projects: every project has its event, and none has two', {
  timeout: faultTimeoutMs,
}, async () => {
  const first = await deployment.start()
  const { project_id } = await startCalculation(first, 'completed')
  await copyRows(beside, 'projects', project_id, { id: numberedId('prj') }, { last: projectCount - 1 })
  await beside.database.transaction((tx) =>
    createProgram(tx, caller, { name: 'Growth loan', funding_type: 'term_loan', status: 'open' }),
  )
  let before: string[] = []
  await whileStopped(beside, halfway, async (isReached) => {
    await makeDue(kind)
    await expect.poll(isReached, { interval: 5 }).toBe(true)
    await first.kill('SIGKILL')
    before = await told()
  })
  expect(before.length).toBeGreaterThan(0)
  expect(before.length).toBeLessThan(projectCount)
  const second = await deployment.start()
  await makeDue(kind)
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
