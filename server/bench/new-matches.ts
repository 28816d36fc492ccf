// How long the Portals wait for `match.found`: one programme is new, and many projects are looked at.
import { tellNewMatches } from '../src/areas/funding-recommendations/calculations/tell-new-matches.ts'
import { createProgram } from '../src/areas/funding-recommendations/programs/commands.ts'
import { closeContext, openContext } from '../src/cli/session.ts'
import { readConfig } from '../src/platform/config.ts'
import type { Context } from '../src/platform/context.ts'
import { createLogger } from '../src/platform/logging.ts'
import { copyRows, numberedId } from '../test/many-rows.ts'
import type { Deployment, Engine } from './deployments.ts'
import { type Line, say, showCount } from './report.ts'

const projectCount = 10_000

/** `projectId` was calculated; the others are like it. No server runs meanwhile. */
export async function measureNewMatches(
  engine: Engine,
  { environment, portal_id }: Deployment,
  projectId: string,
): Promise<Line> {
  const config = readConfig(environment)
  const context = await openContext(
    config,
    createLogger({ log_level: 'silent' }, () => undefined),
    { patience: 'maintenance' },
  )
  try {
    await copyRows(context, 'projects', projectId, { id: numberedId('prj') }, { last: projectCount - 1 })
    await forgetUntold(context)
    // The first run starts the thread.
    await timeOf(context, portal_id, 'nobody', [{ criterion: 'country', operator: 'in', value: ['CA'] }])
    const none = await timeOf(context, portal_id, 'fits nobody', [
      { criterion: 'country', operator: 'in', value: ['CA'] },
    ])
    const all = await timeOf(context, portal_id, 'fits all', [])
    const { events } = await context.database.read
      .selectFrom('events')
      .select((eb) => eb.fn.countAll<number>().as('events'))
      .where('type', '=', 'match.found')
      .executeTakeFirstOrThrow()
    say(`  ${showCount(Number(events), 'events')}`)
    return {
      figure: 'Calculations',
      measured: `match.found for ${projectCount.toLocaleString('en')} projects that a new programme fits`,
      engine,
      ours: `${(all / 1000).toFixed(1)} s`,
      theirs: `one that fits none of them: ${(none / 1000).toFixed(1)} s`,
      ratio: '',
      hold: 'none set',
      holds: true,
    }
  } finally {
    await closeContext(context)
  }
}

async function timeOf(
  context: Context,
  portal_id: string,
  name: string,
  eligibility: { criterion: string; operator: 'in'; value: string[] }[],
): Promise<number> {
  const caller = { context, portal_id, request_id: null }
  await context.database.transaction((tx) =>
    createProgram(tx, caller, { name, funding_type: 'term_loan', status: 'open', eligibility }),
  )
  const begin = performance.now()
  await tellNewMatches.run(context, {
    portal_id: '',
    request_id: null,
    payload: {},
    signal: new AbortController().signal,
  })
  return performance.now() - begin
}

/** What the import has brought is not what is measured. */
async function forgetUntold({ database }: Context): Promise<void> {
  await database.transaction((tx) =>
    tx
      .updateTable('recipients')
      .set((eb) => ({ told_version: eb.ref('catalog_version'), told_program_id: '~' }))
      .execute(),
  )
}
