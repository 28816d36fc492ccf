// Tells Portals of programmes that a change of a catalogue has made newly eligible for their projects. A recipient's
// changes are told in their order; how far that has come is kept with the recipient, so that nothing is left out when
// the work is interrupted.
import { portalIdOf } from '../../../building-blocks/recipients/queries.ts'
import { portalIds } from '../../../platform/background/housekeeping.ts'
import type { JobDefinition } from '../../../platform/background/jobs.ts'
import { publish } from '../../../platform/background/outbox.ts'
import { isoTime, minute } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import { inTransaction } from '../../../platform/database/races.ts'
import { matchIdOf } from '../matches/match-ids.ts'
import { upsertTold } from '../matches/queries.ts'
import { matchPath } from '../matches/records.ts'
import { changedPrograms } from '../programs/queries.ts'
import { recipientsToEvaluate } from './commands.ts'
import { match } from './matcher.ts'
import type { ChangePosition, FoundNew } from './matching-task.ts'
import { changesAtOnce } from './new-matches.ts'
import { listUntold, setTold } from './queries.ts'

export const tellNewMatches: JobDefinition = {
  kind: 'funding_recommendations.tell_new_matches',
  every_ms: minute,
  timeout_ms: 4 * minute,
  async run(context, { signal }) {
    for (const recipient of await listUntold(context.database.read)) {
      const { portal_id, catalog_version, told_version, told_program_id } = recipient
      let after: ChangePosition = { catalog_version: told_version, program_id: told_program_id }
      for (;;) {
        if (signal.aborted) return
        const changed = await changedPrograms(context.database.read, portal_id, after, changesAtOnce)
        const last = changed.at(-1)
        if (!last) break
        const until = { catalog_version: last.catalog_version, program_id: last.terms.id }
        await tellChanges(context, portal_id, { after, until }, signal)
        if (signal.aborted) return
        after = until
        await inTransaction(context.database, (tx) => setTold(tx, portal_id, after))
      }
      // A version may come without any programme: the profile changed.
      if (after.catalog_version < catalog_version)
        await inTransaction(context.database, (tx) => setTold(tx, portal_id, { catalog_version, program_id: lastId }))
    }
  },
}

/** Sorts after every id. */
const lastId = '~'

async function tellChanges(
  context: Context,
  recipientPortalId: string,
  changes: { after: ChangePosition; until: ChangePosition },
  signal: AbortSignal,
): Promise<void> {
  const { database, clock } = context
  for (const portal_id of await portalIds(context)) {
    const visible = await recipientsToEvaluate(database.read, portal_id)
    const recipient = visible.find(({ id }) => portalIdOf(id) === recipientPortalId)
    if (!recipient) continue
    for (let after_project_id = ''; ; ) {
      if (signal.aborted) return
      const task = { portal_id, after_project_id, recipient, ...changes, now: clock.now() }
      const { found, last_project_id } = await match(context, 'find_new', task, signal)
      if (found.length > 0) await tell(context, portal_id, found)
      if (last_project_id === null) break
      after_project_id = last_project_id
    }
  }
}

async function tell(context: Context, portal_id: string, found: FoundNew['found']): Promise<void> {
  await inTransaction(context.database, async (tx) => {
    for (const { project_id, program_id } of found) {
      const id = matchIdOf(project_id, program_id)
      const resource = { type: 'match', id, path: matchPath(project_id, id), version: 1 }
      await publish(tx, { context, portal_id, request_id: null }, { type: 'match.found', resource })
      await upsertTold(tx, { portal_id, project_id, program_id, found_at: isoTime(context.clock.now()) })
    }
  })
}
