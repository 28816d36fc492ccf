// The erasure of a business. It is asked for in one transaction and done in many small ones, in this order:
//   the list beside the secret key → applications, projects and deals, one by one → bytes of files → stored responses,
//   jobs → the business itself, with its event and the end of the erasure.
// Every step can be repeated: whoever finds an erasure that is pending (the same command again, or the job) goes on with it.
import { note } from '../../platform/audit/notes.ts'
import { portalIds } from '../../platform/background/housekeeping.ts'
import { publish } from '../../platform/background/outbox.ts'
import { isoTime } from '../../platform/clock.ts'
import type { Caller, Context } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { inTransaction } from '../../platform/database/races.ts'
import { lockRow } from '../../platform/database/versioned-rows.ts'
import { counted } from '../../platform/values/counted.ts'
import { newId } from '../../platform/values/ids.ts'
import { fileKey } from '../file-transfers/transfer-requests.ts'
import { AdministrationError } from '../portals/commands.ts'
import { discardBytesJob } from '../questionnaires/files/job-names.ts'
import { forgetAttemptBodies } from './endpoint-responses.ts'
import { addTo, type Counts, eraseDeal, eraseIntake, eraseProject } from './erase-records.ts'
import { requireAnonymous } from './erasure-reasons.ts'
import type { Subject } from './holdings.ts'
import { appendToLedger, type LedgerEntry, ledgerFile, ledgerPages } from './ledger.ts'
import {
  countDeals,
  deleteBy,
  type Erasure,
  findBusinessToErase,
  findErasure,
  findErasureOf,
  findOwner,
  hasPortal,
  hasRecords,
  isOpen,
  listErasedFiles,
  listErasures,
  listErasuresOf,
  listOpenDeals,
  listRecordIds,
  updateErasure,
  upsertErasure,
} from './queries.ts'
import { forgetJobs, forgetStoredResponses } from './stored-responses.ts'
import { forgetStatistics } from './traces.ts'

export interface ErasureRequest {
  business_id: string
  scope: Erasure['scope']
  reason: string | null
  /** Withdraws an open deal. Without it, nothing is erased as long as one is open. */
  withdraw?: Eraser['withdraw']
  /** Archives the business, as its Portal would. Without it, only one that is archived already is erased. */
  archive?(tx: Tx, caller: Caller, businessId: string): Promise<void>
}

/**
 * Writes down that a business is to be erased. From then on it goes on, whatever happens to this process. One that has been
 * erased as widely is returned as it is.
 */
export async function requestErasure(
  context: Context,
  { business_id, scope, reason, withdraw, archive }: ErasureRequest,
): Promise<Erasure> {
  return inTransaction(context.database, async (tx) => {
    const earlier = await findErasureOf(tx, business_id)
    const portal_id = earlier?.portal_id ?? (await findOwner(tx, business_id))
    if (portal_id === undefined) throw new AdministrationError(`There is no business ${business_id}.`)
    const subject = { portal_id, business_id }
    // Deals before their business, as whoever begins an application holds them.
    if (withdraw) for (const { id } of await listOpenDeals(tx, subject)) await lockRow(tx, 'deals', portal_id, id)
    await lockRow(tx, 'businesses', portal_id, business_id)
    const business = await findBusinessToErase(tx, subject)
    if (earlier?.state === 'completed' && covers(earlier.scope, scope) && !business) return earlier
    if (business && archive) requireAnonymous(context, reason, business)
    const caller = { context, portal_id, request_id: null }
    const open = await listOpenDeals(tx, subject)
    if (withdraw) for (const { id } of open) await withdraw(tx, caller, id)
    else if (open.length > 0)
      throw new AdministrationError(
        `The business has ${counted(open.length, 'open deal')}: ${open.map(({ id, recipient_name }) => `${id} (${recipient_name})`).join(', ')}. End them first, or add --withdraw to withdraw them.`,
      )
    if (!archive && business?.state !== 'archived') throw new AdministrationError('The business is no longer archived.')
    const now = isoTime(context.clock.now())
    const wanted = widest(scope, earlier)
    // One that could not be compared with the business, and that of a job, never replaces another.
    const own = earlier && !(business && archive) ? null : reason
    await upsertErasure(tx, { ...subject, id: newId('ers'), scope: wanted, reason: own, requested_at: now })
    await noteRequest(tx, caller, business_id, wanted)
    // Nothing new begins for it.
    if (business?.state === 'active') await archive?.(tx, caller, business_id)
    return requireErasure(tx, subject)
  })
}

/** Who asked, and for how much: the erasure itself may be done by somebody else, in a Portal that has nothing left. */
async function noteRequest(tx: Tx, caller: Caller, resource_id: string, scope: Erasure['scope']): Promise<void> {
  const changes = (['recipients', 'funded'] as const).filter((name) => scope[name])
  await note(tx, caller, { action: 'business.erasure_requested', resource_id, changes })
}

async function requireErasure(tx: Tx, subject: Subject): Promise<Erasure> {
  const erasure = await findErasure(tx, subject)
  if (!erasure) throw new Error('an erasure that was just written is not there')
  return erasure
}

/**
 * Writes down erasures of a list that the database does not know, as after the restore of an older backup. Those that are
 * completed in the database stay so, unless their business is there after all.
 */
export async function rememberErasures(tx: Tx, context: Context, entries: readonly LedgerEntry[]): Promise<number> {
  let remembered = 0
  for (const { portal_id, business_id, erasure_id, at, scope } of entries) {
    const earlier = await findErasure(tx, { portal_id, business_id })
    const business = await findBusinessToErase(tx, { portal_id, business_id })
    const isKnown = earlier && covers(earlier.scope, scope) && !business
    if (isKnown || !(await hasPortal(tx, portal_id))) continue
    const wanted = widest(scope, earlier)
    await upsertErasure(tx, { portal_id, business_id, id: erasure_id, scope: wanted, reason: null, requested_at: at })
    await noteRequest(tx, { context, portal_id, request_id: null }, business_id, wanted)
    remembered++
  }
  return remembered
}

/** Writes down what the list beside the secret key knows and the database does not: an older backup was restored. */
export async function rememberLedger(context: Context): Promise<void> {
  for await (const listed of ledgerPages(ledgerFile(context.config))) {
    const known = new Map(
      (await listErasuresOf(context.database.read, listed)).map(({ business_id, scope }) => [business_id, scope]),
    )
    const unknown = listed.filter(({ business_id, scope }) => {
      const done = known.get(business_id)
      return !done || !covers(done, scope)
    })
    if (unknown.length > 0) await inTransaction(context.database, (tx) => rememberErasures(tx, context, unknown))
  }
}

/** What was erased widely before stays so. */
function widest(scope: Erasure['scope'], earlier: Erasure | undefined): Erasure['scope'] {
  const { recipients = false, funded = false } = earlier?.scope ?? {}
  return { recipients: recipients || scope.recipients, funded: funded || scope.funded }
}

function covers(done: Erasure['scope'], wanted: Erasure['scope']): boolean {
  return (done.recipients || !wanted.recipients) && (done.funded || !wanted.funded)
}

/** Completes what is pending, and says which erasures that were. */
export async function completeErasures(context: Context, by: Eraser): Promise<Erasure[]> {
  const pending = await listErasures(context.database.read, 'pending')
  const failures: unknown[] = []
  const done: Erasure[] = []
  // What is done is written down from time to time: whoever is interrupted does not begin anew.
  for (let first = 0; first < pending.length; first += together) {
    try {
      done.push(...(await completeAll(context, pending.slice(first, first + together), by)))
    } catch (error) {
      by.signal?.throwIfAborted()
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return done
}

/** For each of these, everything is looked through that a Portal has stored. */
export const together = 1000

export interface Eraser {
  /** Withdraws an open deal, as its sender would. */
  withdraw(tx: Tx, caller: Caller, dealId: string): Promise<void>
  signal?: AbortSignal
  /** Somebody reads what is thrown, so that it is not logged as well. */
  isAttended?: boolean
}

/** Does what is left to do of an erasure, and returns it as completed. */
export async function completeErasure(context: Context, erasure: Erasure, by: Eraser): Promise<Erasure> {
  const [done] = await completeAll(context, [erasure], by)
  if (!done) throw new Error('an erasure is neither completed nor failed')
  return done
}

/**
 * Completes several erasures. What looks through all that a Portal has is done once for all of them. One that fails holds up
 * no other, and is thrown at the end.
 */
export async function completeAll(context: Context, erasures: readonly Erasure[], by: Eraser): Promise<Erasure[]> {
  const failures: unknown[] = []
  const tried = async <T>(subject: object, work: () => Promise<T>): Promise<T[]> => {
    try {
      return [await work()]
    } catch (error) {
      by.signal?.throwIfAborted()
      // Whoever is attended hears of the first one.
      if (!by.isAttended || failures.length > 0)
        context.log.error({ ...subject, err: error }, 'an erasure could not be completed')
      failures.push(error)
      return []
    }
  }
  const named = ({ id, business_id }: Erasure) => ({ erasure_id: id, business_id })
  if (erasures.length === 0) return []
  const entries = erasures.map(
    ({ portal_id, business_id, id: erasure_id, scope, requested_at: at }): LedgerEntry => ({
      portal_id,
      business_id,
      erasure_id,
      at,
      scope,
    }),
  )
  await tried({ erasures: erasures.map(named) }, () => appendToLedger(context.config, entries))
  // Nothing is erased that does not stand there.
  if (failures.length > 0) throw failures[0]
  const erased: { erasure: Erasure; mayStandIn: readonly string[] }[] = []
  for (const erasure of erasures) {
    const mayStandIn = erasure.scope.recipients ? await portalIds(context) : [erasure.portal_id]
    for (const _ of await tried(named(erasure), () => eraseAll(context, erasure, by)))
      erased.push({ erasure, mayStandIn })
  }
  const forgotten = new Set<string>()
  for (const portal_id of new Set(erased.flatMap(({ mayStandIn }) => mayStandIn))) {
    const forget = async () => {
      await forgetStoredResponses(context, portal_id, by.signal)
      await forgetJobs(context, portal_id, discardBytesJob)
    }
    for (const _ of await tried({ portal_id }, forget)) forgotten.add(portal_id)
  }
  // Before they count as completed: nobody comes back for this.
  if (erased.length > 0) await forgetStatistics(context)
  const done: Erasure[] = []
  for (const { erasure, mayStandIn } of erased) {
    if (mayStandIn.every((portalId) => forgotten.has(portalId)))
      done.push(...(await tried(named(erasure), () => markCompleted(context, erasure))))
  }
  if (failures.length > 0) throw failures[0]
  return done
}

async function markCompleted(context: Context, erasure: Erasure): Promise<Erasure> {
  return inTransaction(context.database, async (tx) => {
    // Held, so that nobody asks for more at this moment.
    await updateErasure(tx, erasure, { state: 'pending' })
    const { counts, scope } = await requireErasure(tx, erasure)
    // More was asked for meanwhile, and is still to be done.
    if (!covers(erasure.scope, scope)) return { ...erasure, counts }
    const { kept_deals: _, ...erased } = counts
    const kept_deals = await countDeals(tx, erasure)
    await updateErasure(tx, erasure, {
      counts: { ...erased, ...(kept_deals > 0 && { kept_deals }) },
      ...{ state: 'completed', completed_at: isoTime(context.clock.now()) },
    })
    return requireErasure(tx, erasure)
  })
}

/** Erases the records of a business, the bytes of its files and the business itself. */
async function eraseAll(context: Context, erasure: Erasure, { withdraw, signal }: Eraser): Promise<void> {
  const { portal_id, business_id } = erasure
  const { database } = context
  const subject = { portal_id, business_id }
  const step = (work: (tx: Tx) => Promise<Counts>) =>
    inTransaction(database, async (tx) => {
      signal?.throwIfAborted()
      const counts = { ...(await requireErasure(tx, subject)).counts }
      addTo(counts, await work(tx))
      await updateErasure(tx, erasure, { counts })
    })
  const steps = {
    client_intake_applications: (tx: Tx, record: string) => eraseIntake(tx, context, subject, record),
    projects: (tx: Tx, record: string) => eraseProject(tx, context, subject, record),
    deals: async (tx: Tx, record: string) => {
      // In a backup that was restored it may be open, or its recipient has just reopened it.
      if (await isOpen(tx, portal_id, record)) await withdraw(tx, { context, portal_id, request_id: null }, record)
      return eraseDeal(tx, context, erasure, record)
    },
  }
  const eraseRecords = async () => {
    for (const [table, erase] of Object.entries(steps)) {
      for (let after = ''; ; ) {
        // safe because the keys of steps are these tables
        const ids = await listRecordIds(database.read, table as keyof typeof steps, subject, after)
        for (const record of ids) await step((tx) => erase(tx, record))
        const last = ids.at(-1)
        if (last === undefined) break
        after = last
      }
    }
  }
  do await eraseRecords()
  while (await hasRecords(database.read, subject))
  await removeErasedBytes(context, subject)
  await eraseBusiness(context, erasure)
}

async function eraseBusiness(context: Context, { portal_id, business_id, id }: Erasure): Promise<void> {
  await inTransaction(context.database, async (tx) => {
    await lockRow(tx, 'businesses', portal_id, business_id)
    const business = await findBusinessToErase(tx, { portal_id, business_id })
    if (!business) return
    if (await hasRecords(tx, { portal_id, business_id }))
      throw new Error('something new was created for a business that is being erased')
    await deleteBy(tx, 'business_words', portal_id, 'business_id', [business_id])
    await deleteBy(tx, 'businesses', portal_id, 'id', [business_id])
    await forgetAttemptBodies(tx, context.database, portal_id, [business_id])
    const counts = { ...(await requireErasure(tx, { portal_id, business_id })).counts }
    addTo(counts, { businesses: 1 })
    await updateErasure(tx, { portal_id, id }, { counts })
    const caller = { context, portal_id, request_id: null }
    const resource = {
      type: 'business',
      id: business_id,
      path: `/businesses/${business_id}/`,
      version: business.version + 1,
    }
    await publish(tx, caller, { type: 'business.erased', resource })
  })
}

/** Removes the bytes of erased files, of one business or of all in a Portal; says how many were still there. */
export async function removeErasedBytes(
  { database, files }: Context,
  subject: { portal_id: string; business_id?: string },
): Promise<number> {
  let found = 0
  for (let after = { business_id: '', id: '' }; ; ) {
    const some = await listErasedFiles(database.read, subject, after)
    for (const { id } of some) {
      const key = fileKey(subject.portal_id, id)
      await files.direct?.removeUpload(key)
      if ((await files.stat(key)) === undefined) continue
      await files.remove(key)
      found++
    }
    const last = some.at(-1)
    if (!last) return found
    after = last
  }
}
