// Tells Portals of programmes that a change of a catalogue has made newly eligible for their projects. However many
// changes and projects there are, the work is done in short steps from a place that is kept (telling-place.ts).
import { findVisibleRecipient, recipientIdOf } from '../../../building-blocks/recipients/queries.ts'
import type { JobDefinition } from '../../../platform/background/jobs.ts'
import { publishAll } from '../../../platform/background/outbox.ts'
import { isoTime, minute, second } from '../../../platform/clock.ts'
import type { Context } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { inTransaction } from '../../../platform/database/races.ts'
import { matchIdOf } from '../matches/match-ids.ts'
import { upsertTold } from '../matches/queries.ts'
import { matchPath } from '../matches/records.ts'
import { lastChangeWithin } from '../programs/queries.ts'
import { taskRecipientOf } from './commands.ts'
import { match } from './matcher.ts'
import type { FoundNew } from './matching-task.ts'
import { lastId, listUntold, movePlace, nextPortal, passTurn, placeAfter, type TellingPlace } from './telling-place.ts'

/** So many changes of programmes are looked at together. */
const changesAtOnce = 5000
/** Work that remains then is no failure: the next round goes on with it. */
const roundMs = 3 * minute
/** Recipients take turns, so that nobody waits for the whole of a large import of somebody else. */
const turnMs = 10 * second
/** Where nothing is found, the place is kept this often: so much is looked at again after a kill. */
const keepMs = second

export const tellNewMatches: JobDefinition = {
  kind: 'funding_recommendations.tell_new_matches',
  every_ms: minute,
  // The last step of a round may wait for a calculation over a very large catalogue.
  timeout_ms: 15 * minute,
  run: (context, { signal }) => tellInRounds(context, signal, { changesAtOnce, roundMs }),
}

/**
 * The work of the job. A round ends between two steps, never within one: what the matching thread keeps in memory is not
 * lost, and however slow everything is, each round comes further. Only tests want other batches and rounds.
 */
export async function tellInRounds(
  context: Context,
  signal: AbortSignal,
  { changesAtOnce, roundMs }: { changesAtOnce: number; roundMs: number },
): Promise<void> {
  const end = performance.now() + roundMs
  const round: Round = { signal, changesAtOnce, isOver: () => performance.now() >= end }
  const failed = new Set<string>()
  try {
    do {
      const untold = (await listUntold(context.database.read)).filter(({ portal_id }) => !failed.has(portal_id))
      if (untold.length === 0) return
      for (const recipient of untold) {
        if (!(await takeTurnSafely(context, recipient, round))) failed.add(recipient.portal_id)
        if (round.isOver()) return
      }
    } while (!round.isOver())
  } catch (error) {
    if (!signal.aborted && !(error instanceof PlaceTaken)) throw error
  }
}

interface Round {
  /** Gives the work up, wherever it is. */
  signal: AbortSignal
  changesAtOnce: number
  isOver(): boolean
}

/** Another worker tells of the same changes: this one was presumed dead. */
class PlaceTaken extends Error {}

type Untold = Awaited<ReturnType<typeof listUntold>>[number]

/** False when it failed. Its place is kept for the next round, and the others have their turns in this one. */
async function takeTurnSafely(context: Context, recipient: Untold, round: Round): Promise<boolean> {
  try {
    await takeTurn(context, recipient, round)
    return true
  } catch (error) {
    const isOfAll = context.database.troubleOf(error)?.kind === 'unavailable'
    if (round.signal.aborted || error instanceof PlaceTaken || isOfAll) throw error
    const recipient_id = recipientIdOf(recipient.portal_id)
    context.log.error({ err: error, recipient_id }, 'new matches of a recipient could not be reported; will try again')
    await inTransaction(context.database, (tx) => passTurn(tx, recipient))
    return false
  }
}

async function takeTurn(context: Context, recipient: Untold, { signal, changesAtOnce, isOver }: Round): Promise<void> {
  const { database, clock } = context
  const turnEnd = clock.now() + turnMs
  let { place } = recipient
  let kept = place
  let keptAt = clock.now()
  const keep = async (tell?: (tx: Tx) => Promise<void>) => {
    await inTransaction(database, async (tx) => {
      if (!(await movePlace(tx, recipient, { from: kept, to: place }))) throw new PlaceTaken()
      await tell?.(tx)
    })
    kept = place
    keptAt = clock.now()
  }
  if (place.until.catalog_version === 0) {
    const last = await lastChangeWithin(database.read, recipient.portal_id, place.after, changesAtOnce)
    // A version may come without any programme: the profile changed.
    const catalog_version = Math.max(recipient.catalog_version, last?.catalog_version ?? 0)
    const end = { catalog_version, program_id: lastId }
    place = last ? { ...place, until: last.isFull ? last : end } : placeAfter(end)
    await keep()
    if (!last) return
  }
  do {
    signal.throwIfAborted()
    const step = await takeStep(context, recipient, place, signal)
    if (step === 'done') {
      place = placeAfter(place.until)
      return keep()
    }
    const { portal_id, project_id, found } = step
    place = { ...place, portal_id, project_id }
    if (found.length > 0) await keep((tx) => tell(tx, context, portal_id, found))
    else if (clock.now() - keptAt >= keepMs) await keep()
  } while (clock.now() < turnEnd && !isOver())
  if (place !== kept) await keep()
}

/** Looks at some more projects. Where that has come to, and what is to be told. */
async function takeStep(
  context: Context,
  recipient: Untold,
  { after, until, ...place }: TellingPlace,
  signal: AbortSignal,
): Promise<'done' | (Pick<TellingPlace, 'portal_id' | 'project_id'> & Pick<FoundNew, 'found'>)> {
  const { read } = context.database
  const isBehind = place.portal_id === '' || place.project_id === lastId
  const portal_id = isBehind ? await nextPortal(read, place.portal_id) : place.portal_id
  if (portal_id === undefined) return 'done'
  const visible = await findVisibleRecipient(read, portal_id, recipientIdOf(recipient.portal_id))
  if (!visible) return { portal_id, project_id: lastId, found: [] }
  const { found, last_project_id, is_pointless } = await match(
    context,
    'find_new',
    {
      portal_id,
      after_project_id: isBehind ? '' : place.project_id,
      recipient: taskRecipientOf(visible),
      ...{ after, until, now: context.clock.now() },
    },
    signal,
  )
  return is_pointless ? 'done' : { portal_id, project_id: last_project_id ?? lastId, found }
}

async function tell(tx: Tx, context: Context, portal_id: string, found: FoundNew['found']): Promise<void> {
  const found_at = isoTime(context.clock.now())
  await upsertTold(
    tx,
    found.map(({ project_id, program_id }) => ({ portal_id, project_id, program_id, found_at })),
  )
  const events = found.map(({ project_id, program_id }) => {
    const id = matchIdOf(project_id, program_id)
    return { type: 'match.found', resource: { type: 'match', id, path: matchPath(project_id, id), version: 1 } }
  })
  await publishAll(tx, { context, portal_id, request_id: null }, events)
}
