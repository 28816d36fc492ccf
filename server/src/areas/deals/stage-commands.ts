import { AdministrationError } from '../../building-blocks/portals/commands.ts'
import { writeSetting } from '../../building-blocks/portals/settings.ts'
import { enqueue } from '../../platform/background/jobs.ts'
import { minute } from '../../platform/clock.ts'
import type { Caller, Context } from '../../platform/context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { saveRecord } from '../../platform/records/stateful-records.ts'
import { dealRecord } from './kind.ts'
import { findDeal, findOtherCategory, lockDeal } from './queries.ts'
import { atStage, stagesOf } from './stage-moves.ts'
import { changedStageOf, dealStages, type Stage, stageProblems } from './stages.ts'

export const relabelJob = 'deals.relabel'

/**
 * Sets the stages of a Portal. Deals keep the stage they are in until they move; a job gives them its new label. It goes
 * through them twice: a deal that was written meanwhile may have got the old label from a transaction that had read it.
 */
export async function setStages(tx: Tx, context: Context, portalId: string, stages: unknown): Promise<void> {
  const before = await stagesOf(tx, portalId)
  await writeSetting(tx, context, portalId, dealStages, stages)
  // safe because the setting has refused everything else; a throw here takes the setting back with the transaction
  const now = stages as Stage[]
  const isNew = ({ key, category }: Stage) => !before.some((one) => one.key === key && one.category === category)
  const problems = [...stageProblems(now), ...(await categoryProblems(tx, portalId, now.filter(isNew)))]
  if (problems.length > 0) throw new AdministrationError(problems.join(' '))
  for (const after_ms of [0, minute]) await enqueue(tx, context, { portal_id: portalId, kind: relabelJob, after_ms })
}

/** A stage that deals are in keeps its category: it says what can be done with them and how far they have come. */
async function categoryProblems(tx: Tx, portalId: string, stages: readonly Stage[]): Promise<string[]> {
  const problems: string[] = []
  for (const { key, category } of stages) {
    const other = await findOtherCategory(tx, portalId, { key, category })
    if (other !== undefined)
      problems.push(
        `The stage ${key} has deals with the category ${other}, so its category must stay ${other}. Use a different key for a stage with the category ${category}.`,
      )
  }
  return problems
}

/** Gives a deal the label that its stage has now. Nothing has happened in the deal: only its versions move. */
export async function relabelDeal(
  tx: Tx,
  caller: Caller,
  { sender_portal_id, id }: { sender_portal_id: string; id: string },
): Promise<void> {
  await lockDeal(tx, sender_portal_id, id)
  const deal = await findDeal(tx, caller.portal_id, id)
  const stage = deal && changedStageOf(await stagesOf(tx, caller.portal_id), deal)
  if (!stage) return
  const { received } = deal
  const kind = {
    ...dealRecord,
    withCopies: (row: typeof deal) => ({
      ...row,
      received: received && { ...received, version: received.version + 1, stage_key: row.stage_key },
    }),
  }
  await saveRecord(tx, caller, kind, { ...deal, ...atStage(caller, deal, stage) }, deal.updated_at)
}
